"""Intervals for the mean of a symmetric kernel in [0, 1] over all pairs of n independent values of one kind:
how often two outputs agree, how far apart two outputs are.

The pairs are not independent, so a binomial interval over n(n-1)/2 pairs is far too narrow. Let U be the mean
over all pairs, theta its expectation, m = floor(n/2), x = m U.

Any kernel. Hoeffding (1963, section 5): U is the average, over all orders of the values, of the mean W of the
kernel over m disjoint pairs, so E f(U) <= E f(W) for convex f; and (his section 4) a mean of m independent
values in [0, 1] with mean theta is below B/m in the same sense, B ~ Bin(m, theta). With f a hinge,
    P(U >= u) <= min over j < x of E(B - j)+ / (x - j).
Between whole j the ratio is monotone, so whole j are enough; the best is the smallest j with E(B | B > j) >= x.
Every increasing convex function is a mixture of hinges, so no other one gives a smaller bound; with the
exponential it is Hoeffding's exp(-m KL(u, theta)), and the interval here lies within his. The bound grows with
theta, and is 1 or more at theta = u (Jensen), so the ends are found by bisection and the interval holds U. The
upper end is the mirror image.

Agreement (1 if equal, else 0; theta is the sum of p² over categories). The category counts N_c of a multinomial
are negatively associated (Joag-Dev and Proschan 1983): the mean of a product of falling functions of them is at
most the product of the means. With x = sum N_c (N_c - 1) = U n (n-1) and psi(p) = ln E exp(-s B(B-1)),
B ~ Bin(n, p), for every s > 0
    ln P(U <= u) <= s x + sum psi(p_c) = s x + sum p_c² psi(p_c)/p_c² <= s x + theta r,
where r is the supremum of psi(p)/p² over p <= sqrt(theta), as no p_c is larger. psi is negative and falls, so
psi(p)/p² <= psi(a)/b² for p in [a, b], and psi(p) <= -(1 - exp(-2s)) n(n-1)/2 p² (1-p)^(n-2): r is bounded on
a grid, not guessed between its points. theta r falls with theta, so the upper end is the first rejected point.
Where all n values differ this gives about 31/n² at 95 %, the first bound 7.4/n.

Both bound the chance of the same event, so the smaller may be taken without paying for having two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, SupportsIndex

import msgspec
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
    at_least,
    check_probability,
    check_side,
    count,
)

__all__ = ["pairwise_agreement", "pairwise_agreement_array", "pairwise_mean", "pairwise_mean_array"]

_MEAN = "pairs-hinge"
_AGREEMENT = "pairs-associated"
# Largest n for which the second bound is tabulated; beyond it the first stands alone.
_TABLE_TO = 2000
# The grid of p: from _FIRST/n to 1, each point _RATIO times the one before.
_FIRST, _RATIO = 0.1, 1.005
_TILTS = 40
# So that the number of pairs fits in 64 bits.
_MOST = 3_000_000_000


def pairwise_agreement(
    counts: Iterable[SupportsIndex], confidence: float = 0.95, *, side: Side = "two"
) -> Interval:
    """The share of pairs that agree, with an interval for the chance that two new values do (sum of p²).

    ``counts`` are category counts in any order; unseen categories may be left out. With fewer than two values
    the value is None and the interval [0, 1].
    """
    seen = [count("a category count", c) for c in counts]
    n = sum(seen)
    if n > _MOST:
        raise InputError(f"{n} values are more than the {_MOST} that can be handled")
    agreeing = sum(c * (c - 1) // 2 for c in seen)
    bulk = pairwise_agreement_array(np.array([agreeing]), np.array([n]), confidence, side=side)
    return _one(bulk, n, confidence, side)


def pairwise_agreement_array(
    agreeing: npt.ArrayLike, n: npt.ArrayLike, confidence: float = 0.95, *, side: Side = "two"
) -> IntervalArray:
    """`pairwise_agreement` for arrays of (pairs that agree, number of values)."""
    pairs, sizes = _together(_whole("agreeing", agreeing), n)
    wrong = (pairs < 0) | (pairs > sizes * (sizes - 1) // 2)
    if wrong.any():
        where = int(np.argmax(wrong.ravel()))
        raise InputError(
            f"n values have n(n-1)/2 pairs; "
            f"at {where}: {pairs.ravel()[where]} agree, n = {sizes.ravel()[where]}"
        )
    some = sizes >= 2
    value = np.where(some, pairs / np.where(some, sizes * (sizes - 1) / 2.0, 1.0), 0.0)
    out = _intervals(value, sizes, confidence, side, _AGREEMENT)
    if side == "lower":
        return out
    tail = _tail(confidence, side)
    high = out.high.ravel()
    for size in np.unique(sizes[some & (sizes <= _TABLE_TO)]).tolist():
        at = np.flatnonzero(sizes.ravel() == size)
        bound = _associated_upper(2.0 * pairs.ravel()[at], size, math.log(tail))
        high[at] = np.maximum(np.minimum(high[at], bound), value.ravel()[at])
    return msgspec.structs.replace(out, high=high.reshape(out.high.shape))


def pairwise_mean(
    value: float | None, n: SupportsIndex, confidence: float = 0.95, *, side: Side = "two"
) -> Interval:
    """The mean of a symmetric kernel in [0, 1] over all pairs of n values, with an interval for its expectation.

    ``value`` is that mean, taken over all n(n-1)/2 pairs. With n < 2 there is no pair: whatever the value, the
    result is None and [0, 1].
    """
    size = count("n", n)
    if size >= 2 and value is None:
        raise InputError(f"{size} values have pairs, so the mean over them is needed")
    mean = 0.0 if value is None or size < 2 else check_probability("value", value)
    return _one(pairwise_mean_array([mean], [size], confidence, side=side), size, confidence, side)


def pairwise_mean_array(
    value: npt.ArrayLike, n: npt.ArrayLike, confidence: float = 0.95, *, side: Side = "two"
) -> IntervalArray:
    """`pairwise_mean` for arrays of (mean over all pairs, number of values)."""
    means, sizes = _together(np.asarray(value, np.float64), n)
    if not bool((((means >= 0.0) & (means <= 1.0)) | (sizes < 2)).all()):
        raise InputError("a mean over pairs must lie in [0, 1]; scale the kernel first")
    return _intervals(np.where(sizes >= 2, means, 0.0), sizes, confidence, side, _MEAN)


def _whole(name: str, numbers: npt.ArrayLike) -> IntArray:
    array = np.asarray(numbers)
    if not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name} must hold whole numbers, not {array.dtype}")
    return array.astype(np.int64)


def _together(first: npt.NDArray[Any], n: npt.ArrayLike) -> tuple[npt.NDArray[Any], IntArray]:
    """Copies of one shape, n checked."""
    sizes = _whole("n", n)
    if ((sizes < 0) | (sizes > _MOST)).any():
        raise InputError(f"n must lie between 0 and {_MOST}")
    try:
        left, right = np.broadcast_arrays(first, sizes)
    except ValueError as error:
        raise InputError(f"the arrays do not fit together: shapes {first.shape} and {sizes.shape}") from error
    return np.array(left), np.array(right)


def _tail(confidence: float, side: Side) -> float:
    check_side(side)
    return alpha_of(confidence) / (2.0 if side == "two" else 1.0)


def _one(bulk: IntervalArray, n: int, confidence: float, side: Side) -> Interval:
    return Interval(
        value=float(bulk.value[0]) if n >= 2 else None,
        low=float(bulk.low[0]),
        high=float(bulk.high[0]),
        confidence=confidence,
        n=n,
        method=bulk.method,
        side=side,
    )


def _intervals(value: FloatArray, n: IntArray, confidence: float, side: Side, method: str) -> IntervalArray:
    """The hinge interval, worked out once for each different (value, n)."""
    tail = _tail(confidence, side)
    some = n >= 2
    rows, back = np.unique(np.stack([value[some], n[some] // 2]), axis=1, return_inverse=True)
    back = back.ravel()
    low, high = np.zeros(value.shape), np.ones(value.shape)
    if side != "upper":
        low[some] = np.minimum(_lower(rows[0], rows[1], tail), rows[0])[back]
    if side != "lower":
        high[some] = np.maximum(1.0 - _lower(1.0 - rows[0], rows[1], tail), rows[0])[back]
    return IntervalArray(
        value=np.where(some, value, np.nan),
        low=low,
        high=high,
        confidence=confidence,
        n=n,
        method=method,
        side=side,
    )


def _lower(u: FloatArray, m: FloatArray, tail: float) -> FloatArray:
    """The largest theta found at which P(U >= u) is bounded by ``tail``, by bisection; 0 where u is 0."""
    below, above = np.zeros_like(u), u.copy()
    x = np.where(u > 0.0, m * u, 1.0)
    while True:
        middle = (below + above) / 2.0
        if ((middle <= below) | (middle >= above)).all():
            return np.asarray(below, np.float64)
        rejected = _hinge(x, m, middle) <= tail
        below = np.where(rejected, middle, below)
        above = np.where(rejected, above, middle)


def _hinge(x: FloatArray, m: FloatArray, theta: FloatArray) -> FloatArray:
    """E(B - j)+ / (x - j) at the best j; a j that rounding made second best still gives a bound."""
    first, last = np.zeros_like(x), np.ceil(x) - 1.0
    while (first < last).any():
        middle = np.floor((first + last) / 2.0)
        enough = m * theta * at_least(middle, m - 1.0, theta) >= x * at_least(middle + 1.0, m, theta)
        last = np.where(enough, middle, last)
        first = np.where(enough, first, np.minimum(middle + 1.0, last))
    excess = m * theta * at_least(last, m - 1.0, theta) - last * at_least(last + 1.0, m, theta)
    return np.asarray(excess / (x - last), np.float64)


def _associated_upper(x: FloatArray, n: int, log_tail: float) -> FloatArray:
    """The smallest theta of the grid at which P(sum N(N-1) <= x) is bounded; 1 where there is none."""
    theta, tilts, exponent = _exponents(n)
    sums, back = np.unique(x, return_inverse=True)
    out = np.ones_like(sums)
    for at, seen in enumerate(sums.tolist()):
        rejected = (tilts * seen + exponent).min(axis=1) <= log_tail
        if rejected.any():
            out[at] = theta[int(np.argmax(rejected))]
    return np.asarray(out[back], np.float64)


@lru_cache(maxsize=64)
def _exponents(n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points theta, tilts s, and theta r(s, theta) for each of both."""
    steps = math.ceil(math.log(n / _FIRST) / math.log(_RATIO))
    p = np.minimum(_FIRST / n * _RATIO ** np.arange(steps + 1.0), 1.0)[:, None]
    tilts = np.geomspace(1.0 / n**2, 30.0, _TILTS)
    b = np.arange(n + 1.0)
    ways = math.lgamma(n + 1) - special.gammaln(b + 1) - special.gammaln(n - b + 1)
    mass = np.exp(ways + special.xlogy(b, p) + special.xlog1py(n - b, -p))
    # Not `@`: a threaded matrix product adds up in an order that depends on the machine.
    missing = np.einsum("pb,bs->ps", mass, -np.expm1(-tilts * (b * (b - 1.0))[:, None]))
    # Cut where 1 - missing would have no digits left: a larger psi is still a bound.
    psi = np.log1p(-np.minimum(missing, 1.0 - 1e-9))
    start = np.expm1(-2.0 * tilts) * (n * (n - 1) / 2.0) * (1.0 - p[:1]) ** (n - 2)
    r = np.maximum.accumulate(np.concatenate([start, psi[:-1] / p[1:] ** 2]), axis=0)
    return p[:, 0] ** 2, tilts, r * p**2
