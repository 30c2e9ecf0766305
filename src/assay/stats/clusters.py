"""Differences of pooled rates whose answers come in clusters: a value, what every cluster adds to it, its interval.

A value is a sum of pooled rates with signs, such as treatment less control. A pooled rate R = sum s_i / sum n_i is a
ratio, so it is made linear: with m clusters, cluster i adds u_i (s_i/n_i - R), u_i = m n_i / sum n. The mean of the m
contributions is the value; where every cluster has as many answers, they are the clusters' own differences, so that
pairs count as pairs. The interval is that of a mean of independent values in a known range (`gaffke`): the range is
what one more cluster could add, from the least to the greatest answers, with the largest weight there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.stats._core import FloatArray
from assay.stats.gaffke import MeanCurve

__all__ = ["ClusterAnswers", "ClusterEstimate", "ClusterTerm", "cluster_average", "cluster_contrast"]

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


class Contributions(NamedTuple):
    """What every cluster adds, and the range of what one could."""

    added: FloatArray
    least: float
    most: float


class ClusterEstimate:
    """A value of so many answers and clusters, within ``limits``; it is None where a rate has no answers.

    The contributions are worked out when an interval asks for them: point values cost little.
    """

    def __init__(
        self,
        value: float | None,
        n: int,
        clusters: int,
        limits: Ends,
        contribute: Callable[[], Contributions],
    ) -> None:
        self.value, self.n, self.clusters, self.limits = value, n, clusters, limits
        self._contribute = contribute

    @cached_property
    def parts(self) -> Contributions:
        return self._contribute()

    @cached_property
    def curve(self) -> MeanCurve:
        return MeanCurve(*self.parts)

    def ends(self, confidence: float) -> Ends:
        """The interval, within the limits of the value; all of them without a value."""
        if self.value is None:
            return self.limits
        if not self.parts.least < self.parts.most:
            return self.value, self.value
        found = self.curve.interval(confidence)
        return max(found.low, self.limits[0]), min(found.high, self.limits[1])

    def p_value(self, at: float = 0.0) -> float | None:
        return (
            None if self.value is None or not self.parts.least < self.parts.most else self.curve.p_value(at)
        )

    @property
    def error(self) -> float:
        """The standard error by clusters; 0 where there is one."""
        return float(np.std(self.parts.added, ddof=1) / np.sqrt(self.clusters)) if self.clusters > 1 else 0.0


def _nothing() -> Contributions:
    return Contributions(np.zeros(0), 0.0, 0.0)


def cluster_contrast(*terms: ClusterTerm) -> ClusterEstimate:
    """The sum of the terms' rates, each with its sign. The arrays are of the same clusters in the same order."""
    limits = (sum(term.limits[0] for term in terms), sum(term.limits[1] for term in terms))
    totals = [float(term.n.sum()) for term in terms]
    if not all(totals):
        return ClusterEstimate(None, 0, 0, limits, _nothing)
    rates = [
        min(max(float(term.sum.sum()) / total, term.least), term.most)
        for term, total in zip(terms, totals, strict=True)
    ]
    value = sum(term.sign * rate for term, rate in zip(terms, rates, strict=True))
    here = np.logical_or.reduce([term.n > 0 for term in terms])
    m = int(here.sum())

    def contribute() -> Contributions:
        added, least, most = np.zeros(m), np.zeros(m), np.zeros(m)
        for term, total, rate in zip(terms, totals, rates, strict=True):
            weight, (low, high) = m * term.n[here] / total, term.limits
            added += term.sign * (m * term.sum[here] / total - weight * rate)
            least, most = least + weight * (low - term.sign * rate), most + weight * (high - term.sign * rate)
        first, last = value + float(least.min()), value + float(most.max())
        return Contributions(np.clip(added + value, first, last), first, last)

    return ClusterEstimate(value, int(sum(totals)), m, limits, contribute)


def cluster_average(estimates: Sequence[ClusterEstimate]) -> ClusterEstimate:
    """The mean of the values of different clusters, each value counting the same; those without data are left out."""
    found = [(one, one.value) for one in estimates if one.value is not None]
    if not found:
        return ClusterEstimate(None, 0, 0, (-1.0, 1.0), _nothing)
    value, m = sum(own for _, own in found) / len(found), sum(one.clusters for one, _ in found)

    def contribute() -> Contributions:
        scaled = [(one.parts, own, m / (len(found) * one.clusters)) for one, own in found]
        return Contributions(
            np.concatenate([value + weight * (part.added - own) for part, own, weight in scaled]),
            min(value + weight * (part.least - own) for part, own, weight in scaled),
            max(value + weight * (part.most - own) for part, own, weight in scaled),
        )

    limits = (min(one.limits[0] for one, _ in found), max(one.limits[1] for one, _ in found))
    return ClusterEstimate(value, sum(one.n for one, _ in found), m, limits, contribute)


class ClusterAnswers(NamedTuple):
    """Answers in [0, 1] by cluster: all, those that could be read, and the sum of these."""

    total: FloatArray
    known: FloatArray
    sum: FloatArray

    @property
    def rate(self) -> float | None:
        """The mean of all readable scores (pooled, not the mean of clusters)."""
        known = self.known.sum()
        return float(self.sum.sum() / known) if known else None

    @property
    def n(self) -> int:
        return int(self.known.sum())

    @property
    def asked(self) -> int:
        return int(self.total.sum())

    @property
    def unknown(self) -> int:
        return self.asked - self.n

    @property
    def bounds(self) -> Ends:
        """The rate if all that could not be read were 0, or 1."""
        if not self.asked:
            return 0.0, 1.0
        least = float(self.sum.sum())
        return least / self.asked, min((least + self.unknown) / self.asked, 1.0)

    def where(self, chosen: npt.NDArray[np.bool_]) -> ClusterAnswers:
        return ClusterAnswers(self.total[chosen], self.known[chosen], self.sum[chosen])

    @property
    def estimate(self) -> ClusterEstimate:
        return cluster_contrast(ClusterTerm(self.known, self.sum))

    def less(self, other: ClusterAnswers) -> ClusterEstimate:
        """The rate less that of other answers of the same clusters."""
        return cluster_contrast(ClusterTerm(self.known, self.sum), ClusterTerm(other.known, other.sum, -1.0))

    @property
    def unread(self) -> ClusterTerm:
        """The share that could not be read, as a term of a contrast."""
        return ClusterTerm(self.total, self.total - self.known)
