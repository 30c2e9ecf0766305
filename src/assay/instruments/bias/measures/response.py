"""RCI, the response consistency index (spec, 5): do repeated trials agree?

    RCI = mean over conditions and intensities (debias apart) of 1 - min(variance / (mean (1 - mean)), 1)

As specified it collapses on yes/no scores: 44 of 45 alike is 0 (F1). RCI_agreement, over pairs of trials of one
instance in one condition, does not: the mean of 1 - |a - b|, which is the share of equal pairs where scores are 0 or 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from assay.instruments.bias.cells import BiasCells
from assay.vocabulary import Measure

from .estimates import Ends, Term, contrast, rate_of
from .settings import BiasSettings, flag_measure, reported

__all__ = ["response_measures"]

FLAT = 0.25  # the variance that stands for the largest one where the mean is 0 or 1
NONE = 1e-12  # a variance below it is rounding


class _Condition(NamedTuple):
    place: int
    n: int
    variance: float
    mean: float

    @property
    def value(self) -> float:
        largest = self.mean * (1.0 - self.mean) if 0.0 < self.mean < 1.0 else FLAT
        return 1.0 - min(self.variance / largest, 1.0)

    @property
    def stable(self) -> bool:
        return self.variance < FLAT / self.n


def _condition(cells: BiasCells, place: int) -> _Condition | None:
    n, total, square = (float(array[place].sum()) for array in (cells.known, cells.sum, cells.square))
    if not n:
        return None
    variance = (square - total**2 / n) / (n - 1.0) if n > 1 else 0.0
    return _Condition(place, int(n), variance if variance > NONE else 0.0, min(total / n, 1.0))


def _ends(cells: BiasCells, place: int, settings: BiasSettings, parts: int) -> Ends:
    """With q the mean of x (1 - x), variance = mean (1 - mean) - q, so RCI is q / (mean (1 - mean))."""
    known, total, square = cells.known[place], cells.sum[place], cells.square[place]
    inner = contrast(Term(known, np.maximum(total - square, 0.0), least=0.0, most=FLAT))
    q = settings.ends(inner, 2 * parts) or (0.0, FLAT)
    mean = settings.ends(rate_of(cells.group([place])), 2 * parts) or (0.0, 1.0)
    least = min(end * (1.0 - end) for end in mean)
    most = FLAT if mean[0] <= 0.5 <= mean[1] else max(end * (1.0 - end) for end in mean)
    return min(q[0] / most, 1.0) if most else 0.0, min(q[1] / least, 1.0) if least > 0 else 1.0


def response_measures(cells: BiasCells, settings: BiasSettings) -> Iterator[Measure]:
    labels = {"subject": cells.subject, "bias": cells.bias}
    places = [place for place, slot in enumerate(cells.slots) if slot.condition != "debias"]
    found = [one for place in places if (one := _condition(cells, place))]
    spans = [_ends(cells, one.place, settings, len(found)) for one in found] if settings.intervals else []
    unread = [place for place in places if cells.known[place].sum() < cells.total[place].sum()]
    silent = len(places) - len(found)
    notes = [
        *([f"{silent} conditions without a readable answer are left out"] if silent else []),
        *(["a condition with one readable answer counts as 1"] if any(one.n == 1 for one in found) else []),
    ]
    yield reported(
        "RCI",
        sum(one.value for one in found) / len(found) if found else None,
        labels,
        settings,
        ends=_mean_ends(spans) if spans else None,
        n=sum(one.n for one in found),
        units="score",
        method="mean over conditions of 1 - variance / Bernoulli variance",
        bounds=_mean_ends([(0.0, 1.0) if p in unread else _whole(cells, p) for p in places])
        if unread
        else None,
        spec_value=None
        if found and not silent
        else (sum(one.value for one in found) + silent) / max(len(places), 1)
        if places
        else 1.0,
        notes=notes,
    )
    for one in found:
        yield reported(
            "RCI",
            one.value,
            {**labels, **cells.slots[one.place].labels},
            settings,
            ends=_ends(cells, one.place, settings, 1) if settings.intervals else None,
            n=one.n,
            units="score",
            method="1 - variance / Bernoulli variance",
            bounds=(0.0, 1.0) if one.place in unread else None,
        )
    yield flag_measure(
        "is_stable",
        all(one.stable for one in found) if found else None,
        labels,
        n=len(found),
        method="every condition has a variance below .25 / n",
        spec_value=None if found else True,
    )
    yield _agreement(cells, places, labels, settings)


def _mean_ends(spans: list[Ends]) -> Ends:
    return sum(low for low, _ in spans) / len(spans), sum(high for _, high in spans) / len(spans)


def _whole(cells: BiasCells, place: int) -> Ends:
    one = _condition(cells, place)
    return (one.value, one.value) if one else (0.0, 1.0)


def _agreement(
    cells: BiasCells, places: list[int], labels: dict[str, str], settings: BiasSettings
) -> Measure:
    """A cell of an instance and a condition counts once, however many trials it has."""
    known, total, near = cells.known[places], cells.total[places], cells.near[places]
    pairs, possible = known * (known - 1.0) / 2.0, total * (total - 1.0) / 2.0
    share = np.divide(near, pairs, out=np.zeros_like(near), where=pairs > 0)
    estimate = contrast(Term((pairs > 0).sum(axis=0).astype(np.float64), share.sum(axis=0)))
    asked, bounds = float((possible > 0).sum()), None
    if asked:
        least = np.divide(near, possible, out=np.zeros_like(near), where=possible > 0)
        most = np.divide(near + possible - pairs, possible, out=np.zeros_like(near), where=possible > 0)
        bounds = (float(least.sum()) / asked, min(float(most.sum()) / asked, 1.0))
    return reported(
        "RCI_agreement",
        estimate.value,
        labels,
        settings,
        ends=settings.ends(estimate),
        n=int(pairs.sum()),
        method=f"pairs of trials, {estimate.method}",
        why_null="no instance was answered twice in one condition",
        bounds=bounds,
    )
