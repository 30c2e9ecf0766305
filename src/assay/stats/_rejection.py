"""How often the exact tests reject, given the truth: the arithmetic under `assay.stats.power`."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate

import numpy as np
from scipy import special

from assay.stats._core import Alternative, FloatArray, at_least, at_most, binomial_pmf, fraction
from assay.stats.exact import hypergeometric_weights

__all__ = ["EXACT_TO", "reject_one", "reject_paired", "reject_two", "two_method"]

# Largest group for which all tables of two groups are enumerated.
EXACT_TO = 300
# A tail that equals alpha on paper must count as reaching it.
_TIE = 1.0 + 1e-12


def _critical(n: FloatArray, p: float, tail: float) -> FloatArray:
    """The smallest c with P(Bin(n, p) >= c) <= tail, n + 1 where there is none; by bisection, for each n."""
    low, high = np.zeros_like(n), n + 1.0
    while (low < high).any():
        middle = np.floor((low + high) / 2.0)
        inside = at_least(middle, n, p) <= tail * _TIE
        high = np.where(inside & (low < high), middle, high)
        low = np.where(inside, low, np.minimum(middle + 1.0, high))
    return high


def _reject(n: FloatArray, p0: float, p: float, alpha: float, alternative: Alternative) -> FloatArray:
    """P(reject) of the binomial test for each n."""
    tail = alpha / 2.0 if alternative == "two-sided" else alpha
    up = at_least(_critical(n, p0, tail), n, p) if alternative != "less" else np.zeros_like(n)
    down = at_most(n - _critical(n, 1.0 - p0, tail), n, p) if alternative != "greater" else np.zeros_like(n)
    return np.asarray(np.minimum(up + down, 1.0), np.float64)


def reject_one(n: int, p0: float, p: float, alpha: float, alternative: Alternative) -> float:
    """P(reject) of the binomial test of p0 with n trials."""
    return float(_reject(np.array([float(n)]), p0, p, alpha, alternative)[0])


def reject_paired(n: int, first: float, second: float, alpha: float, alternative: Alternative) -> float:
    """P(reject) of McNemar's test, averaged over the number of discordant pairs."""
    discordant = min(first + second, 1.0)
    if discordant == 0.0:
        return 0.0
    given = _reject_given(1 << n.bit_length(), first / discordant, alpha, alternative)[: n + 1]
    return min(float((binomial_pmf(n, discordant) * given).sum()), 1.0)


@lru_cache(maxsize=16)
def _reject_given(size: int, split: float, alpha: float, alternative: Alternative) -> FloatArray:
    """P(reject) for each number of discordant pairs below ``size``; a search over n asks for it often."""
    return _reject(np.arange(size, dtype=np.float64), 0.5, split, alpha, alternative)


def two_method(one: int, two: int) -> str:
    """Whether groups of these sizes are enumerated."""
    return "fisher-exact" if max(one, two) <= EXACT_TO else "fisher-approximate"


def reject_two(one: int, two: int, p: float, q: float, alpha: float, alternative: Alternative) -> float:
    """P(reject) of Fisher's test of two independent groups."""
    if one == 0 or two == 0:
        return 0.0
    if two_method(one, two) == "fisher-approximate":
        return _approximate(one, two, p, q, alpha, alternative)
    region = _fisher_region(one, two, alpha, alternative)
    # Not `@`: a threaded matrix product adds up in an order that depends on the machine.
    weighed = binomial_pmf(one, p)[:, None] * region * binomial_pmf(two, q)[None, :]
    return min(float(weighed.sum()), 1.0)


@lru_cache(maxsize=32)
def _fisher_region(one: int, two: int, alpha: float, alternative: Alternative) -> FloatArray:
    """1 where Fisher's test rejects, for every pair of counts; decided in whole numbers."""
    level = fraction(alpha)
    region = np.zeros((one + 1, two + 1))
    for drawn in range(one + two + 1):
        lowest, ways = hypergeometric_weights(one, two, drawn)
        extreme = _no_likelier(ways) if alternative == "two-sided" else list(accumulate(ways))
        if alternative == "greater":
            extreme = list(accumulate(reversed(ways)))[::-1]
        total = sum(ways)
        for i, weight in enumerate(extreme):
            region[lowest + i, drawn - lowest - i] = weight * level.denominator <= level.numerator * total
    return region


def _no_likelier(ways: list[int]) -> list[int]:
    """For each count, the ways of all counts no likelier than it."""
    upto: dict[int, int] = {}
    running = 0
    for weight in sorted(ways):
        running += weight
        upto[weight] = running
    return [upto[weight] for weight in ways]


def _approximate(one: int, two: int, p: float, q: float, alpha: float, alternative: Alternative) -> float:
    """Casagrande, Pike and Smith (1978): n with a correction of 1/2 (1/one + 1/two), solved for the power."""
    pooled = (one * p + two * q) / (one + two)
    under = math.sqrt(pooled * (1.0 - pooled) * (1.0 / one + 1.0 / two))
    spread = math.sqrt(p * (1.0 - p) / one + q * (1.0 - q) / two)
    step = 0.5 * (1.0 / one + 1.0 / two)
    z = float(special.ndtri(1.0 - alpha / (2.0 if alternative == "two-sided" else 1.0)))

    def tail(effect: float) -> float:
        gap = effect - step - z * under
        return float(special.ndtr(gap / spread)) if spread > 0.0 else float(gap >= 0.0)

    up = tail(p - q) if alternative != "less" else 0.0
    down = tail(q - p) if alternative != "greater" else 0.0
    return min(up + down, 1.0)
