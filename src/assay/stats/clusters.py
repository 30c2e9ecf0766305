"""Differences of pooled rates whose answers come in clusters: a value, what every cluster adds to it, its interval.

A value is a sum of pooled rates with signs, such as treatment less control. A pooled rate R = sum s_i / sum n_i is a
ratio, so it is made linear: with m clusters, cluster i adds u_i (s_i/n_i - R), u_i = m n_i / sum n. The mean of the m
contributions is the value; where every cluster has as many answers, they are the clusters' own differences, so that
pairs count as pairs. The interval is that of a mean of independent values in a known range (`gaffke`): the range is
what one more cluster could add, from the least to the greatest answers, with the largest weight there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.stats._core import FloatArray
from assay.stats.gaffke import MeanCurve

__all__ = ["ClusterEstimate", "ClusterTerm", "cluster_average", "cluster_contrast"]

Ends = tuple[float, float]


class ClusterTerm(NamedTuple):
    """One pooled rate: answers and their sums by cluster, its sign, and the range of an answer."""

    n: FloatArray
    sum: FloatArray
    sign: float = 1.0
    least: float = 0.0
    most: float = 1.0

    @property
    def limits(self) -> Ends:
        low, high = sorted((self.sign * self.least, self.sign * self.most))
        return low, high


class ClusterEstimate:
    """A value with the contributions of its clusters; ``value`` is None where a rate has no answers.

    ``limits`` are those of the value, ``least`` and ``most`` those of a contribution.
    """

    def __init__(
        self, value: float | None, added: FloatArray, least: float, most: float, limits: Ends, n: int
    ) -> None:
        self.value, self.added, self.least, self.most = value, added, least, most
        self.limits, self.n = limits, n
        self._curve: MeanCurve | None = None

    @property
    def clusters(self) -> int:
        return int(self.added.size)

    @property
    def curve(self) -> MeanCurve:
        if self._curve is None:
            self._curve = MeanCurve(self.added, self.least, self.most)
        return self._curve

    def ends(self, confidence: float) -> Ends:
        """The interval, within the limits of the value; all of them without a value."""
        if self.value is None:
            return self.limits
        if not self.least < self.most:
            return self.value, self.value
        found = self.curve.interval(confidence)
        return max(found.low, self.limits[0]), min(found.high, self.limits[1])

    def p_value(self, at: float = 0.0) -> float | None:
        return None if self.value is None or not self.least < self.most else self.curve.p_value(at)

    @property
    def error(self) -> float:
        """The standard error by clusters; 0 where there is one."""
        return float(np.std(self.added, ddof=1) / np.sqrt(self.clusters)) if self.clusters > 1 else 0.0


def cluster_contrast(*terms: ClusterTerm) -> ClusterEstimate:
    """The sum of the terms' rates, each with its sign. The arrays are of the same clusters in the same order."""
    limits = (sum(term.limits[0] for term in terms), sum(term.limits[1] for term in terms))
    here = np.any([term.n > 0 for term in terms], axis=0)
    m, totals = int(here.sum()), [float(term.n.sum()) for term in terms]
    if not all(totals):
        return ClusterEstimate(None, np.zeros(0), 0.0, 0.0, limits, 0)
    added, least, most, value = np.zeros(m), np.zeros(m), np.zeros(m), 0.0
    for term, total in zip(terms, totals, strict=True):
        rate = min(max(float(term.sum.sum()) / total, term.least), term.most)
        weight = m * term.n[here] / total
        added += term.sign * (m * term.sum[here] / total - weight * rate)
        low, high = term.limits
        least, most = least + weight * (low - term.sign * rate), most + weight * (high - term.sign * rate)
        value += term.sign * rate
    first, last = value + float(least.min()), value + float(most.max())
    return ClusterEstimate(value, np.clip(added + value, first, last), first, last, limits, int(sum(totals)))


def cluster_average(estimates: Sequence[ClusterEstimate]) -> ClusterEstimate:
    """The mean of the values of different clusters, each value counting the same; those without data are left out."""
    found = [(one, one.value) for one in estimates if one.value is not None]
    if not found:
        return ClusterEstimate(None, np.zeros(0), 0.0, 0.0, (-1.0, 1.0), 0)
    value, m = sum(own for _, own in found) / len(found), sum(one.clusters for one, _ in found)
    weights = [m / (len(found) * one.clusters) for one, _ in found]
    parts = [(one, own, weight) for (one, own), weight in zip(found, weights, strict=True)]
    return ClusterEstimate(
        value,
        np.concatenate([value + weight * (one.added - own) for one, own, weight in parts]),
        min(value + weight * (one.least - own) for one, own, weight in parts),
        max(value + weight * (one.most - own) for one, own, weight in parts),
        (min(one.limits[0] for one, _ in found), max(one.limits[1] for one, _ in found)),
        sum(one.n for one, _ in found),
    )
