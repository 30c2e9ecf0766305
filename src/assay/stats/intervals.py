"""Intervals for a share, k successes of n: Wilson, Agresti-Coull, Clopper-Pearson.

Brown, Cai and DasGupta (2001), "Interval estimation for a binomial proportion", compares the three.
Each has a scalar form and an ``_array`` form for bulk; both give the same bits. Upper bounds are computed as
the mirror image of lower ones, so that swapping success and failure mirrors the interval.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt
from scipy import special

from assay.errors import InputError
from assay.stats._core import (
    FloatArray,
    IntArray,
    Interval,
    IntervalArray,
    Side,
    alpha_of,
    check_side,
    count,
)

__all__ = [
    "agresti_coull",
    "agresti_coull_array",
    "clopper_pearson",
    "clopper_pearson_array",
    "wilson",
    "wilson_array",
]

# (k, n, tail probability) -> lower bound; k and n as floats, n > 0.
_Lower = Callable[[FloatArray, FloatArray, float], FloatArray]


def wilson(k: SupportsIndex, n: SupportsIndex, confidence: float = 0.95, *, side: Side = "two") -> Interval:
    """Wilson's score interval (1927): all p that the score test does not reject.

    Ends: (k + z²/2 ± z·sqrt(k(n-k)/n + z²/4)) / (n + z²). Its coverage is near the nominal level on average,
    and below it for some p; where "at least" is claimed, use `clopper_pearson`.
    """
    return _scalar(k, n, confidence, side, "wilson", _wilson_lower)


def wilson_array(
    k: npt.ArrayLike, n: npt.ArrayLike, confidence: float = 0.95, *, side: Side = "two"
) -> IntervalArray:
    """`wilson` for arrays of counts."""
    return _bulk(k, n, confidence, side, "wilson", _wilson_lower)


def agresti_coull(
    k: SupportsIndex, n: SupportsIndex, confidence: float = 0.95, *, side: Side = "two"
) -> Interval:
    """Agresti and Coull (1998): Wald's interval after adding z²/2 successes and z²/2 failures, cut to [0, 1].

    Never narrower than Wilson's; used where a reader wants to redo it by hand.
    """
    return _scalar(k, n, confidence, side, "agresti-coull", _agresti_coull_lower)


def agresti_coull_array(
    k: npt.ArrayLike, n: npt.ArrayLike, confidence: float = 0.95, *, side: Side = "two"
) -> IntervalArray:
    """`agresti_coull` for arrays of counts."""
    return _bulk(k, n, confidence, side, "agresti-coull", _agresti_coull_lower)


def clopper_pearson(
    k: SupportsIndex, n: SupportsIndex, confidence: float = 0.95, *, side: Side = "two"
) -> Interval:
    """Clopper and Pearson (1934): coverage is at least the confidence for every p and n.

    Lower end: the alpha/2 quantile of Beta(k, n-k+1); upper end by symmetry.
    """
    return _scalar(k, n, confidence, side, "clopper-pearson", _clopper_pearson_lower)


def clopper_pearson_array(
    k: npt.ArrayLike, n: npt.ArrayLike, confidence: float = 0.95, *, side: Side = "two"
) -> IntervalArray:
    """`clopper_pearson` for arrays of counts."""
    return _bulk(k, n, confidence, side, "clopper-pearson", _clopper_pearson_lower)


def _wilson_lower(k: FloatArray, n: FloatArray, tail: float) -> FloatArray:
    # The smaller root of (n+z²)p² - (2k+z²)p + k²/n = 0, as product of roots over the larger one:
    # exactly 0 at k = 0, and no digits lost for small k.
    z = float(special.ndtri(1.0 - tail))
    root = z * np.sqrt(k * (n - k) / n + z * z / 4.0)
    return np.asarray(k * (k / n) / (k + z * z / 2.0 + root), np.float64)


def _agresti_coull_lower(k: FloatArray, n: FloatArray, tail: float) -> FloatArray:
    z = float(special.ndtri(1.0 - tail))
    trials = n + z * z
    centre = (k + z * z / 2.0) / trials
    return np.asarray(np.maximum(centre - z * np.sqrt(centre * (1.0 - centre) / trials), 0.0), np.float64)


def _clopper_pearson_lower(k: FloatArray, n: FloatArray, tail: float) -> FloatArray:
    some = k > 0
    quantile = special.betaincinv(np.where(some, k, 1.0), np.where(some, n - k + 1.0, 1.0), tail)
    return np.asarray(np.where(some, quantile, 0.0), np.float64)


def _scalar(
    k: SupportsIndex, n: SupportsIndex, confidence: float, side: Side, method: str, lower: _Lower
) -> Interval:
    successes, trials = count("k", k), count("n", n)
    bulk = _bulk(np.array([successes]), np.array([trials]), confidence, side, method, lower)
    return Interval(
        value=float(bulk.value[0]) if trials else None,
        low=float(bulk.low[0]),
        high=float(bulk.high[0]),
        confidence=confidence,
        n=trials,
        method=method,
        k=successes,
        side=side,
    )


def _bulk(
    k: npt.ArrayLike, n: npt.ArrayLike, confidence: float, side: Side, method: str, lower: _Lower
) -> IntervalArray:
    check_side(side)
    tail = alpha_of(confidence) / (2.0 if side == "two" else 1.0)
    if tail >= 0.5:
        raise InputError(f"a one-sided bound needs a confidence above .5, not {confidence!r}")
    ks, ns = _counts(k, n)
    some = ns > 0
    successes, trials = ks.astype(np.float64), np.where(some, ns, 1).astype(np.float64)
    value = np.where(some, successes / trials, np.nan)
    low, high = np.zeros_like(value), np.ones_like(value)
    if side != "upper":
        low = np.where(some, np.minimum(lower(successes, trials, tail), value), 0.0)
    if side != "lower":
        # np.where, not clipping: for n = 0 the mirrored k would be -0 of 1.
        mirrored = 1.0 - lower(np.where(some, trials - successes, 0.0), trials, tail)
        high = np.where(some, np.maximum(mirrored, value), 1.0)
    return IntervalArray(
        value=value, low=low, high=high, confidence=confidence, n=ns, method=method, k=ks, side=side
    )


def _counts(k: npt.ArrayLike, n: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Both as int64 of one shape, 0 <= k <= n."""
    ks, ns = np.asarray(k), np.asarray(n)
    for name, array in (("k", ks), ("n", ns)):
        if not np.issubdtype(array.dtype, np.integer):
            raise InputError(f"{name} must hold whole numbers, not {array.dtype}")
    try:
        ks, ns = np.broadcast_arrays(ks.astype(np.int64), ns.astype(np.int64))
    except ValueError as error:
        raise InputError(f"k and n do not fit together: shapes {ks.shape} and {ns.shape}") from error
    wrong = (ks < 0) | (ks > ns)
    if wrong.any():
        where = int(np.argmax(wrong.ravel()))
        raise InputError(
            f"k must lie between 0 and n; at {where}: k = {ks.ravel()[where]}, n = {ns.ravel()[where]}"
        )
    return np.array(ks), np.array(ns)
