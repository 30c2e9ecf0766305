"""BMP, the bias mitigation potential (spec, 3): by how much the best debiasing method lowers the rate.

    BMP = max(0, (baseline - rate) / baseline); the baseline is the treatment at the intensities of the method's rows

The best of several methods is chosen by its result, so its interval is one that holds for all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import NamedTuple

import numpy as np
from scipy import special

from assay.instruments.bias.answers import INTENSITIES
from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import Ends, MeasureBuilder
from assay.stats import ClusterAnswers
from assay.vocabulary import Measure

from .shifts import why_null

__all__ = ["mitigation_measures"]


class _Method(NamedTuple):
    name: str
    intensities: tuple[str, ...]
    debiased: ClusterAnswers
    baseline: ClusterAnswers

    @property
    def value(self) -> float | None:
        before, after = self.baseline.rate, self.debiased.rate
        return None if before is None or after is None else _reduction(before, after)

    @property
    def conventional(self) -> float:
        return _reduction(self.baseline.rate or 0.0, self.debiased.rate or 0.0)

    @property
    def bounds(self) -> Ends:
        return _box(self.baseline.bounds, self.debiased.bounds)

    @property
    def why_null(self) -> str:
        return why_null({"treatment at the same intensity": self.baseline, "debias": self.debiased})

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
    there = {cells.slots[place].intensity for place in cells.at("debias", *only, method=name)}
    at = tuple(one for one in INTENSITIES if one in there)
    return _Method(name, at, cells.group(cells.at("debias", *at, method=name)), cells.treatment(*at))


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
        notes=[f"best: {best.name}"] if best else (),
    )
    for one in methods:
        yield _reported(one, {"method": one.name}, say)
        for at in one.intensities if len(one.intensities) > 1 else ():
            yield _reported(_method(cells, one.name, at), {"method": one.name, "intensity": at}, say)
    if say.confidence and read:
        noise = _best_of_noise([one.error for one in read])
        method = "the best of methods without effect, errors as seen"
        yield say("BMP_no_effect", noise, n=len(read), method=method)
    yield _requires_warning(cells, read, say)


def _reported(one: _Method, at: dict[str, str], say: MeasureBuilder) -> Measure:
    notes = [f"against the treatment at {', '.join(one.intensities)}"]
    notes += ["nothing to mitigate"] if one.baseline.rate == 0.0 else []
    return say(
        "BMP",
        one.value,
        at,
        ends=one.ends(say),
        n=one.debiased.n,
        method="reduction of the rate, from the intervals of both rates",
        why=one.why_null,
        bounds=one.bounds,
        spec=one.conventional if one.value is None else None,
        notes=notes,
    )


def _best_of_noise(errors: list[float]) -> float:
    """The mean of max(0, z1, ..., zk) of independent normals around 0."""
    seen = np.array([error for error in errors if error > 0.0])
    if not seen.size:
        return 0.0
    z = np.linspace(0.0, 8.0 * seen.max(), 2001)
    return float(np.trapezoid(1.0 - np.prod(special.ndtr(z[:, None] / seen), axis=1), z))


def _requires_warning(cells: BiasCells, read: list[_Method], say: MeasureBuilder) -> Measure:
    """Whether warnings leave a lower rate than going step by step, by declared kinds (D1); null without both (D2)."""
    rates: dict[str, list[float]] = {}
    for one in read:
        rates.setdefault(cells.kinds.get(one.name, ""), []).append(one.debiased.rate or 0.0)
    # the specification's rate of a kind that is absent is the baseline
    before = [read[0].baseline.rate or 0.0] if read else [0.0]
    warned, stepped = (fmean(rates.get(kind, before)) for kind in ("warning", "step_by_step"))
    holds = warned < stepped if {"warning", "step_by_step"} <= rates.keys() else None
    return say.flag(
        "requires_warning",
        holds,
        len(read),
        "mean rate of methods of kind warning below that of kind step_by_step",
        spec=None if holds is not None else not read or warned < stepped,
        why="needs readable methods of kind warning and of kind step_by_step",
    )
