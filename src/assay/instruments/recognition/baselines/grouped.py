"""The error of a mean of recalls whose rows come in groups.

The variance is the stratified delete-a-group jackknife's (Wolter 2007, "Introduction to variance estimation", section
4.5); a stratum is a set of groups that share labels, so that models are compared within their maker. Student's
distribution has Satterthwaite's degrees of freedom, for strata may have two groups. An accuracy is put on the logit
scale, which keeps it within 0 and 1. Where no group left out makes any difference, the interval is that of
`assay.stats.cluster_contrast`, which needs no variance.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import special

from assay.stats import ClusterTerm, cluster_contrast

__all__ = ["balanced_accuracy", "balanced_difference"]

FloatArray = npt.NDArray[np.float64]
Estimate = tuple[float, float, float]  # value, low, high


def balanced_accuracy(count: FloatArray, right: FloatArray, confidence: float) -> Estimate:
    """The mean of the recalls with its interval; rows and right answers by label (rows) and group (columns)."""
    value, reach = _jackknife(count, _left_out(count, right), confidence)
    value = min(max(value, 0.0), 1.0)
    if not reach or value in (0.0, 1.0):
        return value, *cluster_contrast(*_terms(count, right, 1.0)).ends(confidence)
    centre, away = float(special.logit(value)), reach / (value * (1.0 - value))
    return value, float(special.expit(centre - away)), float(special.expit(centre + away))


def balanced_difference(
    count: FloatArray, right: FloatArray, less: FloatArray, confidence: float
) -> Estimate:
    """One mean of recalls less another on the same rows."""
    value, reach = _jackknife(count, _left_out(count, right) - _left_out(count, less), confidence)
    if not reach:
        return value, *cluster_contrast(*_terms(count, right, 1.0), *_terms(count, less, -1.0)).ends(
            confidence
        )
    return value, max(value - reach, -1.0), min(value + reach, 1.0)


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
    return value, float(special.stdtrit(degrees, (1.0 + confidence) / 2.0)) * math.sqrt(variance)


def _strata(count: FloatArray) -> npt.NDArray[np.int64]:
    """A number for each group: the same where groups share a label, directly or through others."""
    found = np.arange(count.shape[1])
    changed = True
    while changed:
        before = found.copy()
        for row in count > 0:
            found[row] = found[row].min()
        changed = bool((found != before).any())
    return found
