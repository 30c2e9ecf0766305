"""BMP, the bias mitigation potential (spec, 3): by how much the best debiasing method lowers the rate.

    BMP = max(0, (baseline - rate) / baseline); the baseline is the treatment at the intensities of the method's rows,
    each with the weight of the method's readable rows there

The best of several methods is chosen by its result, so its interval is one that holds for all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from assay.instruments.bias.answers import INTENSITIES
from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import Ends, MeasureBuilder, exact, mean_ends
from assay.stats import ClusterAnswers, largest_noise
from assay.vocabulary import Measure

from .shifts import why_null

__all__ = ["mitigation_measures"]


class _Method(NamedTuple):
    """One method against the treatment at the same intensities, with the weights of the method's readable rows."""

    name: str
    asked: tuple[str, ...]
    intensities: tuple[str, ...]  # of those asked: with a readable treatment
    debiased: ClusterAnswers
    baseline: ClusterAnswers
    bounds: Ends
    why_null: str
    conventional: float

    @property
    def value(self) -> float | None:
        before, after = self.baseline.rate, self.debiased.rate
        return None if before is None or after is None else _reduction(before, after)

    @property
    def left_out(self) -> list[str]:
        absent = [one for one in self.asked if one not in self.intensities]
        return [f"left out, without a readable treatment: {', '.join(absent)}"] if absent else []

    def ends(self, say: MeasureBuilder, methods: int = 1) -> Ends | None:
        """From the intervals of both rates; of ``methods`` at once."""
        before, after = (say.ends(group.estimate, 2 * methods) for group in (self.baseline, self.debiased))
        return _box(before, after) if before and after and self.value is not None else None

    @property
    def error(self) -> float:
        """Of the reduction, as a part of the baseline."""
        before = self.baseline.rate
        return self.debiased.less(self.baseline).error / before if before and self.debiased.n else 0.0


def _reduction(before: float, after: float) -> float:
    """Where there is no bias there is nothing to mitigate: 0."""
    return max(0.0, (before - after) / before) if before > 0 else 0.0


def _box(before: Ends, after: Ends) -> Ends:
    return _reduction(before[0], after[1]), _reduction(before[1], after[0])


def _method(cells: BiasCells, name: str, *only: str) -> _Method:
    def debias(intensities: Iterable[str]) -> ClusterAnswers:
        return cells.group(cells.at("debias", *intensities, method=name))

    rows = {one: group for one in only or INTENSITIES if (group := debias([one])).asked}
    treated = {one: group for one in rows if (group := cells.treatment(one)).asked}
    at = tuple(one for one, group in treated.items() if group.n)
    before, after, baseline = cells.treatment(*rows), debias(at or rows), cells.group([])
    for one in at:
        scaled = (array * (rows[one].n / treated[one].n) for array in treated[one])
        baseline = ClusterAnswers(*map(np.add, baseline, scaled))
    spans = [group.bounds for one, group in treated.items() for _ in range(rows[one].asked)]
    bounds = _box(mean_ends(spans) or (0.0, 1.0), debias(treated or rows).bounds)
    why = why_null({"treatment at the same intensity": before, "debias": after})
    spec = _reduction(before.rate or 0.0, after.rate or 0.0)
    return _Method(name, tuple(rows), at, after, baseline, bounds, why, spec)


def mitigation_measures(cells: BiasCells, say: MeasureBuilder) -> Iterator[Measure]:
    names = dict.fromkeys(slot.method for slot in cells.slots if slot.condition == "debias")
    methods = [_method(cells, name) for name in names]
    read = [one for one in methods if one.value is not None]
    best = max(read, key=lambda one: one.value or 0.0, default=None)
    spans = {one.name: span for one in read if (span := one.ends(say, len(read)))}
    bounds = [one.bounds for one in methods]
    yield say(
        "BMP",
        best.value if best else None,
        ends=(spans[best.name][0], max(high for _, high in spans.values())) if best and spans else None,
        n=best.debiased.n if best else 0,
        method=f"best of {len(read)} methods, from intervals that hold for all",
        why=methods[0].why_null if methods else "no debiasing was tried",
        bounds=(max(low for low, _ in bounds), max(high for _, high in bounds)) if bounds else None,
        spec=None if best else max((one.conventional for one in methods), default=0.0),
        notes=[f"best: {best.name}", *best.left_out] if best else (),
    )
    for one in methods:
        yield _reported(one, {"method": one.name}, say)
        for at in one.asked if len(one.asked) > 1 else ():
            yield _reported(_method(cells, one.name, at), {"method": one.name, "intensity": at}, say)
    if say.confidence and read:
        noise = largest_noise([one.error for one in read])
        method = "the best of methods without effect, errors as seen"
        yield say("BMP_no_effect", noise, n=len(read), method=method)
    yield _requires_warning(cells, read, say)


def _reported(one: _Method, at: dict[str, str], say: MeasureBuilder) -> Measure:
    notes = [f"against the treatment at {', '.join(one.intensities or one.asked)}", *one.left_out]
    notes += ["nothing to mitigate"] if one.baseline.rate == 0.0 else []
    method = "reduction of the rate, from the intervals of both rates"
    spec, why, ends, n = (
        one.conventional if one.value is None else None,
        one.why_null,
        one.ends(say),
        one.debiased.n,
    )
    more: dict[str, Any] = {"bounds": one.bounds, "spec": spec, "notes": notes}
    return say("BMP", one.value, at, ends=ends, n=n, method=method, why=why, **more)


def _requires_warning(cells: BiasCells, read: list[_Method], say: MeasureBuilder) -> Measure:
    """Whether warnings leave a lower rate than going step by step, by declared kinds (D1), at the intensities that both
    have, each counting the same; null without both (D2)."""
    rates: dict[str, dict[str, list[float]]] = {"warning": {}, "step_by_step": {}}
    for one in read:
        for at in one.intensities:
            found = cells.group(cells.at("debias", at, method=one.name)).rate
            if found is not None and (kind := cells.kinds.get(one.name)) in rates:
                rates[kind].setdefault(at, []).append(found)
    common = [at for at in rates["warning"] if at in rates["step_by_step"]]
    # the specification's rate of a kind that is absent is the baseline
    absent = [read[0].baseline.rate or 0.0] if read else [0.0]
    each = ([fmean(own[at]) for at in common or own] or absent for own in rates.values())
    warned, stepped = (exact(fmean(own)) for own in each)
    return say.flag(
        "requires_warning",
        warned < stepped if common else None,
        len(read),
        "mean rate of methods of kind warning below that of kind step_by_step, at common intensities",
        spec=None if common else not read or warned < stepped,
        why="needs readable methods of kind warning and of kind step_by_step at one intensity",
    )
