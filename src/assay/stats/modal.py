"""An interval for the largest category probability, the mode being picked after seeing the data.

"How often does it give its most frequent program?" is not a binomial question: the category is chosen because
its count is large, so a binomial interval around k/n sits too high, the more so the more categories.

Let p be the largest category probability, N_i the counts, k their maximum, and f(q) = P(Bin(n, q) >= k).

Upper bound. The count of the true mode is Bin(n, p) and at most k, and the Clopper-Pearson upper bound grows
with the count; so the bound on k is at least the bound on the true mode's count, which covers p.

Lower bound. By the union bound, and because the q_i sum to 1 and none is above p,
P(max N >= k) <= sum f(q_i) = sum q_i f(q_i)/q_i <= sup over q <= p of f(q)/q = g(p), whatever the number of
categories. p is rejected when g(p) < alpha/2; as g grows with p and falls with k this is a test of size
alpha/2, and the bound is where g reaches alpha/2. For k = 1, g >= 1 everywhere: nothing is rejected, the
bound is 0. For k >= 2, f(q)/q rises, then (f being convex and then concave) falls towards f(1)/1 = 1, so it
stays above alpha/2 once it has reached it, and bisection on f(q) >= q alpha/2 finds the bound. For k = n:
(alpha/2)^(1/(n-1)).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt
from scipy import special

from assay.stats._core import FloatArray, Interval, IntervalArray, alpha_of, count
from assay.stats.intervals import clopper_pearson_array

__all__ = ["modal_share", "modal_share_array"]

_METHOD = "modal"
# ln q of the smallest q looked at: for k = 2 the bound is about alpha / n², far above this for any int64 n.
_FLOOR = -300.0


def modal_share(counts: Iterable[SupportsIndex], confidence: float = 0.95) -> Interval:
    """The share of the most frequent category, with an interval for the largest category probability.

    ``counts`` are the category counts in any order; unseen categories may be left out. Without data the value
    is None and the interval [0, 1].
    """
    seen = [count("a category count", c) for c in counts]
    n, k = sum(seen), max(seen, default=0)
    bulk = modal_share_array(np.array([k]), np.array([n]), confidence)
    return Interval(
        value=float(bulk.value[0]) if n else None,
        low=float(bulk.low[0]),
        high=float(bulk.high[0]),
        confidence=confidence,
        n=n,
        method=_METHOD,
        k=k,
    )


def modal_share_array(
    largest: npt.ArrayLike, total: npt.ArrayLike, confidence: float = 0.95
) -> IntervalArray:
    """`modal_share` for arrays of (largest count, total count)."""
    tail = alpha_of(confidence) / 2.0
    upper = clopper_pearson_array(largest, total, float(confidence))
    assert upper.k is not None
    low = np.zeros_like(upper.value)
    open_ = upper.k >= 2
    low[open_] = _lower(upper.k[open_].astype(np.float64), upper.n[open_].astype(np.float64), tail)
    return IntervalArray(
        value=upper.value,
        low=np.fmin(low, np.where(upper.n > 0, upper.value, 0.0)),
        high=upper.high,
        confidence=confidence,
        n=upper.n,
        method=_METHOD,
        k=upper.k,
    )


def _lower(k: FloatArray, n: FloatArray, tail: float) -> FloatArray:
    """The q at which P(Bin(n, q) >= k) = q tail, by bisection on ln q; the rejected side is returned."""
    below, above = np.full_like(k, _FLOOR), np.zeros_like(k)
    while True:
        middle = (below + above) / 2.0
        if ((middle <= below) | (middle >= above)).all():
            return np.asarray(np.exp(below), np.float64)
        q = np.exp(middle)
        reached = special.betainc(k, n - k + 1.0, q) >= q * tail
        above = np.where(reached, middle, above)
        below = np.where(reached, below, middle)
