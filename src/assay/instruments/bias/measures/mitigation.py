"""BMP, the bias mitigation potential (spec, 3): by how much the best debiasing method lowers the rate.

    BMP = max(0, (baseline - rate) / baseline); the baseline is the treatment at the intensities of the method's rows

The best of several methods is chosen by its result, so its interval is one that holds for all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import special

from assay.instruments.bias.answers import INTENSITIES
from assay.instruments.bias.cells import BiasCells, Group
from assay.vocabulary import Measure

from .estimates import Ends, Term, contrast, rate_of
from .settings import BiasSettings, flag_measure, reported

__all__ = ["mitigation_measures"]


class _Method(NamedTuple):
    name: str
    intensities: tuple[str, ...]
    debiased: Group
    baseline: Group

    @property
    def value(self) -> float | None:
        before, after = self.baseline.rate, self.debiased.rate
        return None if before is None or after is None else _reduction(before, after)

    @property
    def bounds(self) -> Ends:
        return _box(self.baseline.bounds, self.debiased.bounds)

    @property
    def spec_value(self) -> float:
        return _reduction(self.baseline.rate or 0.0, self.debiased.rate or 0.0)

    @property
    def why_null(self) -> str:
        for what, group in (("treatment at the same intensity", self.baseline), ("debias", self.debiased)):
            if not group.n:
                return f"{what}: {'no answer could be read' if group.asked else 'no answers'}"
        return "no data"

    def ends(self, settings: BiasSettings, methods: int) -> Ends | None:
        """From the intervals of both rates; of ``methods`` at once."""
        if not settings.intervals or self.value is None:
            return None
        spans = [settings.ends(rate_of(group), 2 * methods) for group in (self.baseline, self.debiased)]
        return _box(spans[0] or (0.0, 1.0), spans[1] or (0.0, 1.0))

    @property
    def error(self) -> float:
        """Of the reduction, as a part of the baseline."""
        before, after = self.baseline, self.debiased
        if not before.rate or after.rate is None:
            return 0.0
        drop = contrast(Term(before.known, before.sum), Term(after.known, after.sum, -1.0))
        return drop.error / before.rate


def _reduction(before: float, after: float) -> float:
    """Where there is no bias there is nothing to mitigate: 0."""
    return max(0.0, (before - after) / before) if before > 0 else 0.0


def _box(before: Ends, after: Ends) -> Ends:
    return _reduction(before[0], after[1]), 1.0 if before[1] > 0 >= after[0] else _reduction(
        before[1], after[0]
    )


def _method(cells: BiasCells, name: str, intensities: tuple[str, ...]) -> _Method:
    return _Method(
        name,
        intensities,
        cells.group(cells.at("debias", intensities, name)),
        cells.group(cells.at("treatment", intensities)),
    )


def mitigation_measures(cells: BiasCells, settings: BiasSettings) -> Iterator[Measure]:
    labels = {"subject": cells.subject, "bias": cells.bias}
    names = dict.fromkeys(slot.method for slot in cells.slots if slot.condition == "debias")
    methods = []
    for name in names:
        at = {cells.slots[place].intensity for place in cells.at("debias", (), name)}
        methods.append(_method(cells, name, tuple(one for one in INTENSITIES if one in at)))
    read = [one for one in methods if one.value is not None]
    best = max(read, key=lambda one: one.value or 0.0, default=None)
    spans = [one.ends(settings, len(read)) for one in read]
    ends = None
    if best is not None and all(spans):
        own = spans[read.index(best)]
        ends = (own[0] if own else 0.0, max(span[1] for span in spans if span))
    absent = "no debiasing was tried" if not methods else methods[0].why_null
    yield reported(
        "BMP",
        best.value if best else None,
        labels,
        settings,
        ends=ends,
        n=best.debiased.n if best else 0,
        method=f"best of {len(read)} methods, from intervals that hold for all",
        why_null=absent,
        bounds=_joined([one.bounds for one in methods]),
        spec_value=None if best else max((one.spec_value for one in methods), default=0.0),
        notes=(f"best: {best.name}",) if best else (),
    )
    for one in methods:
        yield _reported(one, {**labels, "method": one.name}, settings)
        if len(one.intensities) > 1:
            for intensity in one.intensities:
                part = _method(cells, one.name, (intensity,))
                yield _reported(part, {**labels, "method": one.name, "intensity": intensity}, settings)
    if settings.intervals and read:
        yield reported(
            "BMP_no_effect",
            _best_of_noise([one.error for one in read]),
            labels,
            settings,
            n=len(read),
            method="mean of the best of methods without effect, with the errors seen",
        )
    yield _requires_warning(cells, read, labels)


def _reported(one: _Method, labels: dict[str, str], settings: BiasSettings) -> Measure:
    zero = one.value is not None and not one.baseline.rate
    return reported(
        "BMP",
        one.value,
        labels,
        settings,
        ends=one.ends(settings, 1),
        n=one.debiased.n,
        method="reduction of the rate, from the intervals of both rates",
        why_null=one.why_null,
        bounds=one.bounds,
        spec_value=None if one.value is not None else one.spec_value,
        notes=(
            f"against the treatment at {', '.join(one.intensities)}",
            *(("nothing to mitigate",) if zero else ()),
        ),
    )


def _joined(bounds: list[Ends]) -> Ends | None:
    """Of the best of several."""
    return (max(low for low, _ in bounds), max(high for _, high in bounds)) if bounds else None


def _best_of_noise(errors: list[float]) -> float:
    """The mean of max(0, z1, ..., zk) of independent normals around 0."""
    seen = np.array([error for error in errors if error > 0.0])
    if not seen.size:
        return 0.0
    z = np.linspace(0.0, 8.0 * seen.max(), 2001)
    below = np.prod(special.ndtr(z[:, None] / seen), axis=1)
    return float(np.trapezoid(1.0 - below, z))


def _requires_warning(cells: BiasCells, read: list[_Method], labels: dict[str, str]) -> Measure:
    """Whether warnings leave a lower rate than going step by step, by declared kinds (D1); null without both (D2)."""
    rates: dict[str, list[float]] = {}
    for one in read:
        rates.setdefault(cells.kinds.get(one.name, ""), []).append(one.debiased.rate or 0.0)
    means = {kind: sum(found) / len(found) for kind, found in rates.items()}
    warned, stepped = means.get("warning"), means.get("step_by_step")
    holds = None if warned is None or stepped is None else warned < stepped
    before = next((one.baseline.rate for one in read), None) or 0.0
    conventional = True if not read else means.get("warning", before) < means.get("step_by_step", before)
    return flag_measure(
        "requires_warning",
        holds,
        labels,
        n=len(read),
        spec_value=conventional if holds is None else None,
        method="mean rate of methods of kind warning below that of kind step_by_step",
        why_null="needs readable methods of kind warning and of kind step_by_step",
    )
