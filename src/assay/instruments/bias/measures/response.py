"""RCI, the response consistency index (spec, 5): do repeated trials agree?

    RCI = mean over conditions and intensities (debias apart) of 1 - min(variance / (mean (1 - mean)), 1)

As specified it collapses on yes/no scores: 44 of 45 alike is 0 (F1). RCI_agreement, over pairs of trials of one
instance in one condition, does not: the mean of 1 - |a - b|, which is the share of equal pairs where scores are 0 or 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import Ends, MeasureBuilder, mean_ends
from assay.stats import ClusterTerm, cluster_contrast
from assay.vocabulary import Measure

__all__ = ["response_measures"]

FLAT = 0.25  # the variance that stands for the largest one where the mean is 0 or 1
NONE = 1e-12  # a variance below it is rounding


class _Condition(NamedTuple):
    n: int
    variance: float
    mean: float

    @property
    def value(self) -> float:
        """Without a readable answer 1, by convention; with one as well, for its variance is 0 (F2)."""
        largest = self.mean * (1.0 - self.mean) if 0.0 < self.mean < 1.0 else FLAT
        return 1.0 - min(self.variance / largest, 1.0)

    @property
    def stable(self) -> bool:
        return self.variance < FLAT / self.n


def _condition(cells: BiasCells, place: int) -> _Condition:
    n, total, square = (float(array[place].sum()) for array in (cells.known, cells.sum, cells.square))
    variance = (square - total**2 / n) / (n - 1.0) if n > 1 else 0.0
    return _Condition(int(n), variance if variance > NONE else 0.0, min(total / n, 1.0) if n else 0.0)


def _ends(cells: BiasCells, place: int, say: MeasureBuilder, parts: int = 1) -> Ends | None:
    """With q the mean of x (1 - x), variance = mean (1 - mean) - q, so RCI is q / (mean (1 - mean))."""
    inner = ClusterTerm(
        cells.known[place], np.maximum(cells.sum[place] - cells.square[place], 0.0), most=FLAT
    )
    q = say.ends(cluster_contrast(inner), 2 * parts)
    mean = say.ends(cells.group([place]).estimate, 2 * parts)
    if q is None or mean is None:
        return None
    least, most = sorted(end * (1.0 - end) for end in mean)
    most = FLAT if mean[0] <= 0.5 <= mean[1] else most
    return min(q[0] / most, 1.0) if most > 0 else 0.0, min(q[1] / least, 1.0) if least > 0 else 1.0


def response_measures(cells: BiasCells, say: MeasureBuilder) -> Iterator[Measure]:
    found = {p: _condition(cells, p) for p, slot in enumerate(cells.slots) if slot.condition != "debias"}
    read = {place: one for place, one in found.items() if one.n}
    unread = [place for place in found if cells.known[place].sum() < cells.total[place].sum()]
    spans = [span for place in read if (span := _ends(cells, place, say, len(read)))]
    silent = len(found) - len(read)
    notes = [f"{silent} conditions without a readable answer are left out"] if silent else []
    single = any(one.n == 1 for one in read.values())
    notes += ["a condition with one readable answer counts as 1"] if single else []
    method = "1 - variance / Bernoulli variance"
    yield say(
        "RCI",
        sum(one.value for one in read.values()) / len(read) if read else None,
        ends=mean_ends(spans),
        n=sum(one.n for one in read.values()),
        units="score",
        method=f"mean over conditions of {method}",
        bounds=mean_ends([(0.0, 1.0) if p in unread else (one.value, one.value) for p, one in found.items()]),
        spec=sum(one.value for one in found.values()) / len(found) if silent else None if read else 1.0,
        notes=notes,
    )
    for place, one in read.items():
        bounds, ends = (0.0, 1.0) if place in unread else None, _ends(cells, place, say)
        at = cells.slots[place].labels
        yield say("RCI", one.value, at, ends=ends, n=one.n, units="score", method=method, bounds=bounds)
    stable, rule = all(one.stable for one in read.values()), "every condition has a variance below .25 / n"
    yield say.flag("is_stable", stable if read else None, len(read), rule, spec=None if read else True)
    yield _agreement(cells, [*found], say)


def _agreement(cells: BiasCells, places: Sequence[int], say: MeasureBuilder) -> Measure:
    """A cell of an instance and a condition counts once, however many trials it has."""
    known, total, near = (array[list(places)] for array in (cells.known, cells.total, cells.near))
    pairs, possible = known * (known - 1.0) / 2.0, total * (total - 1.0) / 2.0
    share = np.divide(near, pairs, out=np.zeros_like(near), where=pairs > 0)
    estimate = cluster_contrast(ClusterTerm((pairs > 0).sum(axis=0).astype(np.float64), share.sum(axis=0)))
    asked, bounds = float((possible > 0).sum()), None
    if asked:
        sums = (near, near + possible - pairs)
        least, most = (float(one[possible > 0] @ (1.0 / possible[possible > 0])) for one in sums)
        bounds = (least / asked, min(most / asked, 1.0))
    why, n = "no instance was answered twice in one condition", int(pairs.sum())
    return say("RCI_agreement", estimate, n=n, method="pairs of trials", why=why, bounds=bounds)
