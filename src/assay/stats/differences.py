"""How far two measurements differ: the same units twice, or two independent groups; and is it near enough to 0.

Paired. The mean of d = after - before over units, d in [-1, 1], by the betting interval of `bounded_mean` on
(d + 1)/2, with the mixture of stakes: valid for every distribution and n, the same in any order of the units.

Independent shares. Each end may be wrong with alpha/2. Joined: with one-sided Clopper-Pearson bounds l2 and u1,
each wrong with a where 1 - (1-a)² = alpha/2, p2 - p1 >= l2 - u1. Sharpened (Buehler 1957): order the tables by
that T = l2 - u1, let R be those with T at least the one seen; a difference d is rejected when P(R) <= alpha/2
for every p1 and p2 = p1 + d. T grows with k2 and falls with k1, so P(R) grows with p2 and falls with p1: over
p1 in [a, b] it is at most P(R) at (a, b + d), and cells are halved until that decides, so that nothing is
guessed between the points of a grid. P(R) grows with d, so the end is found by bisection from T, which is
rejected already; it is never below T. The upper end is the mirror image.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt
from scipy import special

from assay.errors import InputError
from assay.stats._core import (
    Exactable,
    FloatArray,
    IntArray,
    Interval,
    Missing,
    alpha_of,
    at_least,
    check_missing,
    count,
    fraction,
    share,
)
from assay.stats.bounded import bounded_mean
from assay.stats.intervals import clopper_pearson, clopper_pearson_array

__all__ = ["ShareDifference", "equivalent", "paired_difference", "share_difference"]

# Largest group for which the ends are sharpened.
_SHARP_TO = 300
_STEPS = 25
_DEPTH = 10
_Values = Sequence[Exactable | None] | npt.NDArray[np.generic]


class ShareDifference(Interval, frozen=True, kw_only=True):
    """k2/n2 - k1/n1 with its interval in [-1, 1]; ``n`` is n1 + n2. None where a group is empty."""

    k1: int
    n1: int
    k2: int
    n2: int


def paired_difference(
    before: _Values, after: _Values, confidence: float = 0.95, *, missing: Missing = "raise"
) -> Interval:
    """The mean of after - before over units, each value in [0, 1]; the interval lies in [-1, 1].

    Differences are taken between the numbers as written (.85 - .70 is .15). Units must be independent: give
    one value a contract, not one a trial. Without units the value is None and the interval [-1, 1].
    """
    differences = _differences(before, after, missing)
    n = len(differences)
    half = bounded_mean([float((d + 1) / 2) for d in differences], confidence, betting="mixture")
    value = float(sum(differences, Fraction(0)) / n) if n else None
    low, high = 2.0 * half.low - 1.0, 2.0 * half.high - 1.0
    return Interval(
        value=value,
        low=low if value is None else min(low, value),
        high=high if value is None else max(high, value),
        confidence=confidence,
        n=n,
        method="paired-betting-mixture",
    )


def share_difference(
    k1: SupportsIndex, n1: SupportsIndex, k2: SupportsIndex, n2: SupportsIndex, confidence: float = 0.95
) -> ShareDifference:
    """The second share less the first, of two independent groups, with an interval that holds for every p1, p2.

    Sharpened for groups of up to 300, joined beyond; ``method`` says which. An empty group says nothing about
    its share: the interval then reaches over all it could be.
    """
    tail = alpha_of(confidence) / 2.0
    one, two = share(k1, n1), share(k2, n2)
    first, second = (count("k1", k1), count("n1", n1)), (count("k2", k2), count("n2", n2))
    sharp = min(first[1], second[1]) > 0 and max(first[1], second[1]) <= _SHARP_TO
    low, high = _lower(*first, *second, tail, sharp), -_lower(*second, *first, tail, sharp)
    value = None if one is None or two is None else float(two - one)
    return ShareDifference(
        value=value,
        low=low if value is None else min(low, value),
        high=high if value is None else max(high, value),
        confidence=confidence,
        n=first[1] + second[1],
        method="shares-sharpened" if sharp else "shares-joined",
        k1=first[0],
        n1=first[1],
        k2=second[0],
        n2=second[1],
    )


def equivalent(interval: Interval, margin: Exactable) -> bool | None:
    """Is the difference within the margin? True where the whole interval lies in [-margin, margin], False where
    it lies outside, None where it reaches over an end or there is no data. Compared exactly.

    With a two-sided interval of confidence 1 - 2a this is the pair of one-sided tests (Schuirmann 1987) at
    level a: .90 for the usual 5 %.
    """
    line = fraction(margin)
    if line <= 0:
        raise InputError(f"a margin must be above 0, not {margin!r}")
    if interval.value is None:
        return None
    low, high = fraction(interval.low), fraction(interval.high)
    if -line <= low and high <= line:
        return True
    return False if low > line or high < -line else None


def _differences(before: _Values, after: _Values, missing: Missing) -> list[Fraction]:
    check_missing(missing)
    left = before.tolist() if isinstance(before, np.ndarray) else list(before)
    right = after.tolist() if isinstance(after, np.ndarray) else list(after)
    if len(left) != len(right):
        raise InputError(f"pairs are needed: {len(left)} values before, {len(right)} after")
    out = []
    for i, (x, y) in enumerate(zip(left, right, strict=True)):
        if x is None or y is None or x != x or y != y:
            if missing == "raise":
                raise InputError(f"pair {i} is incomplete; pass missing='drop' to leave such pairs out")
            continue
        out.append(_unit(i, y) - _unit(i, x))
    return out


def _unit(i: int, number: Exactable) -> Fraction:
    # Yes/no outcomes come as bools.
    value = Fraction(int(number)) if isinstance(number, bool) else fraction(number)
    if not 0 <= value <= 1:
        raise InputError(f"values must lie in [0, 1]; pair {i} holds {number!r}")
    return value


def _lower(k1: int, n1: int, k2: int, n2: int, tail: float, sharp: bool) -> float:
    """The lower end of p2 - p1: a difference that is rejected, as are all below it."""
    each = math.sqrt(1.0 - tail)
    below = clopper_pearson(k2, n2, each, side="lower").low - clopper_pearson(k1, n1, each, side="upper").high
    if not sharp:
        return below
    most = clopper_pearson_array(np.arange(n1 + 1), n1, each, side="upper").high
    least = clopper_pearson_array(np.arange(n2 + 1), n2, each, side="lower").low
    # For each first count, the least second count with which the table is in R; n2 + 1 where there is none.
    needed = n2 + 1 - (least[None, :] - most[:, None] >= below).sum(axis=1)
    above = k2 / n2 - k1 / n1
    for _ in range(_STEPS):
        middle = (below + above) / 2.0
        if _rejected(middle, needed, n2, tail):
            below = middle
        else:
            above = middle
    return below


def _rejected(d: float, needed: IntArray, n2: int, tail: float) -> bool:
    """Is P(R) at most ``tail`` for every p1 and p2 = p1 + d? False also where _DEPTH halvings do not tell."""
    edges = np.linspace(max(0.0, -d), min(1.0, 1.0 - d), 33)
    a, b = edges[:-1], edges[1:]
    for _ in range(_DEPTH):
        if (_chance(a, a + d, needed, n2) > tail).any():
            return False
        undecided = _chance(a, b + d, needed, n2) > tail
        if not undecided.any():
            return True
        a, b = a[undecided], b[undecided]
        middle = (a + b) / 2.0
        a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
    return False


def _chance(p1: FloatArray, p2: FloatArray, needed: IntArray, n2: int) -> FloatArray:
    """P(R) for each pair of shares."""
    n1 = len(needed) - 1
    k = np.arange(n1 + 1.0)
    first, second = np.clip(p1, 0.0, 1.0)[:, None], np.clip(p2, 0.0, 1.0)[:, None]
    ways = math.lgamma(n1 + 1) - special.gammaln(k + 1) - special.gammaln(n1 - k + 1)
    mass = np.exp(ways + special.xlogy(k, first) + special.xlog1py(n1 - k, -first))
    return np.asarray((mass * at_least(needed, n2, second)).sum(axis=1), np.float64)
