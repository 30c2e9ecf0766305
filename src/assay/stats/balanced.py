"""The mean of recalls, and its error where rows come in groups that are not independent within.

The variance is the stratified delete-a-group jackknife's (Wolter 2007, "Introduction to variance estimation", section
4.5); a stratum is a set of groups that share labels, so that groups are compared within their label. Student's
distribution has Satterthwaite's degrees of freedom, for strata may have two groups. An accuracy is put on the logit
scale, which keeps it within 0 and 1. Where no group left out makes any difference, the interval is that of
`cluster_contrast`, which needs no variance.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from assay.errors import InputError
from assay.stats._core import FloatArray, IntArray, Interval, alpha_of
from assay.stats.clusters import ClusterTerm, cluster_contrast
from assay.stats.student import student_reach

__all__ = ["balanced_accuracy", "balanced_difference"]


def balanced_accuracy(count: FloatArray, right: FloatArray, *, confidence: float = 0.95) -> Interval:
    """The mean of the recalls; rows and right answers by label (rows) and group (columns)."""
    _check(count, confidence, right)
    value, reach = _jackknife(count, _left_out(count, right), confidence)
    value = min(max(value, 0.0), 1.0)
    if not reach or value in (0.0, 1.0):
        ends = cluster_contrast(*_terms(count, right, 1.0)).ends(confidence)
    else:
        centre, away = float(special.logit(value)), reach / (value * (1.0 - value))
        ends = float(special.expit(centre - away)), float(special.expit(centre + away))
    return _interval(count, value, ends, confidence)


def balanced_difference(
    count: FloatArray, right: FloatArray, less: FloatArray, *, confidence: float = 0.95
) -> Interval:
    """One mean of recalls less another on the same rows, from -1 to 1."""
    _check(count, confidence, right, less)
    value, reach = _jackknife(count, _left_out(count, right) - _left_out(count, less), confidence)
    ends = max(value - reach, -1.0), min(value + reach, 1.0)
    if not reach:
        ends = cluster_contrast(*_terms(count, right, 1.0), *_terms(count, less, -1.0)).ends(confidence)
    return _interval(count, value, ends, confidence)


def _check(count: FloatArray, confidence: float, *right: FloatArray) -> None:
    alpha_of(confidence)
    if any(one.shape != count.shape for one in right):
        raise InputError("rows and right answers must be of the same labels and groups")
    if ((count > 0).sum(1) < 2).any():
        raise InputError("a label that is in one group only has no recall without it")


def _interval(count: FloatArray, value: float, ends: tuple[float, float], confidence: float) -> Interval:
    return Interval(
        value=value,
        low=ends[0],
        high=ends[1],
        confidence=confidence,
        n=int(count.sum()),
        method=f"jackknife over {count.shape[1]} groups",
    )


def _terms(count: FloatArray, right: FloatArray, sign: float) -> list[ClusterTerm]:
    return [ClusterTerm(n, k, sign / len(count)) for n, k in zip(count, right, strict=True)]


def _left_out(count: FloatArray, right: FloatArray) -> FloatArray:
    """The mean of the recalls: of all rows, then without each group in turn."""
    whole = right.sum(1) / count.sum(1)
    without = (right.sum(1)[:, None] - right) / (count.sum(1)[:, None] - count)
    return np.concatenate([[whole.mean()], without.mean(0)])


def _jackknife(count: FloatArray, values: FloatArray, confidence: float) -> tuple[float, float]:
    """The value and how far its interval reaches."""
    value, away = float(values[0]), (values[1:] - values[0]) ** 2
    strata = _strata(count)
    parts, freedom = [], []
    for stratum in np.unique(strata):
        m = int((strata == stratum).sum())
        parts.append(float(away[strata == stratum].sum()) * (m - 1) / m)
        freedom.append(m - 1)
    variance = math.fsum(parts)
    if variance <= 1e-18:
        return value, 0.0
    degrees = variance**2 / math.fsum(part**2 / df for part, df in zip(parts, freedom, strict=True))
    return value, student_reach(math.sqrt(variance), degrees, confidence)


def _strata(count: FloatArray) -> IntArray:
    """A number for each group: the same where groups share a label, directly or through others."""
    found = np.arange(count.shape[1])
    changed = True
    while changed:
        before = found.copy()
        for row in count > 0:
            found[row] = found[row].min()
        changed = bool((found != before).any())
    return found
