"""Means of values without known limits, such as distances and rates of words: Student's interval over clusters.

    mean = Σ s / N;  variance = m / (m - 1) · Σ (s - n · mean)² / N²;  m - 1 degrees of freedom

over the sums s and numbers n of m clusters, as values of one cluster are not independent. Where values have known
limits, `cluster_contrast` assumes less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
from scipy import special

from assay.stats._core import alpha_of

__all__ = ["StudentMean", "student_mean", "student_reach"]


class StudentMean(msgspec.Struct, frozen=True, kw_only=True):
    """A mean of n values of so many clusters. ``value`` is None without any, the ends are None where there is none."""

    value: float | None
    low: float | None
    high: float | None
    confidence: float
    n: int
    clusters: int


def student_mean(clusters: Sequence[Sequence[float]], *, confidence: float = 0.95) -> StudentMean:
    """The mean of all values, whatever their order; clusters without values do not count.

    No interval with one cluster, nor where all say the same: a spread that was not seen may still be there.
    """
    alpha_of(confidence)
    found = sorted(sorted(one) for one in clusters if one)
    m, n = len(found), sum(map(len, found))
    mean, low, high = math.fsum(value for one in found for value in one) / n if n else None, None, None
    if mean is not None and m > 1:
        square = math.fsum((math.fsum(one) - len(one) * mean) ** 2 for one in found)
        reach = student_reach(math.sqrt(square * m / (m - 1)) / n, m - 1, confidence)
        if reach > 1e-12 * abs(mean):
            low, high = mean - reach, mean + reach
    return StudentMean(value=mean, low=low, high=high, confidence=confidence, n=n, clusters=m)


def student_reach(error: float, degrees: float, confidence: float) -> float:
    """How far an interval reaches from a value with this standard error: Student's quantile times the error."""
    return float(special.stdtrit(degrees, (1.0 + confidence) / 2.0)) * error
