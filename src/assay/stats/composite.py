"""A weighted mean of shares, each from trials of its own, and the difference of two such means.

S = sum of w_i x_i, where x_i is the mean of n_i independent values in [0, 1] with expectation p_i; wanted is
theta = sum of w_i p_i. The weights sum to 1. The interval is Chernoff's, with the unknown p_i put where they harm
most: for every t > 0,

    P(S >= s) <= exp(-t s) * sup over p, sum w_i p_i = theta, of prod (1 - p_i + p_i exp(t w_i / n_i)) ** n_i,

since among variables in [0, 1] with mean p a coin has the largest E exp. The logarithm is concave in p, so the
supremum is found exactly by filling up (Lagrange). A theta below S is rejected where some t brings this to alpha/2
or less; any t gives a valid bound, so a t that is not quite the best only widens. The bound grows with theta, hence
bisection, and the rejected side is returned. The upper end is the mirror image.

Parts must not share trials. Shares that do are taken apart by trial first: a trial that counts in several is one
value in [0, 1], the sum of what it adds to each, and trials that could add the same make a part.

Square roots of squared distances (MOVER; Zou and Donner 2008) are narrower and do not hold here: two parts with one
failure each give K - sqrt(K) for K = 2, although seeing two failures is no evidence of .6 (docs/statistics.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from assay.errors import InputError
from assay.stats._core import Exactable, FloatArray, Interval, alpha_of, count, fraction

__all__ = ["Part", "weighted_difference", "weighted_mean", "weighted_value"]

_STEPS = 45
_ROUNDING = 1e-9  # in the logarithm: more than floats can be wrong by
_TILTS = np.geomspace(1e-2, 1e4, 49)


class Part(NamedTuple):
    """A share, or a mean of values in [0, 1], of ``n`` independent trials, with its weight."""

    weight: Exactable
    value: Exactable
    n: int


def weighted_value(parts: Sequence[Part]) -> Fraction:
    """The weighted mean as an exact fraction. The weights must sum to 1 as they are written."""
    weights = [fraction(part.weight) for part in parts]
    if any(weight <= 0 for weight in weights):
        raise InputError("a weight must be above 0")
    if sum(weights) != 1:
        raise InputError(f"weights must sum to 1; these sum to {float(sum(weights)):g}")
    values = [fraction(part.value) for part in parts]
    if any(not 0 <= value <= 1 for value in values):
        raise InputError("the value of a part must lie in [0, 1]")
    if any(count("n", part.n) == 0 for part in parts):
        raise InputError("a part without trials has no value; leave it out and give the others its weight")
    return sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0))


def weighted_mean(parts: Sequence[Part], confidence: float = 0.95) -> Interval:
    """The weighted mean of shares with an interval that holds for every p and n; ``n`` is that of all trials."""
    value = weighted_value(parts)
    tail = alpha_of(confidence) / 2.0
    weights, trials = _sizes(parts)
    low = _lower(float(value), weights, trials, tail)
    high = 1.0 - _lower(float(1 - value), weights, trials, tail)
    return Interval(
        value=float(value),
        low=min(low, float(value)),
        high=max(high, float(value)),
        confidence=confidence,
        n=sum(trials),
        method="weighted-chernoff",
    )


def weighted_difference(first: Sequence[Part], second: Sequence[Part], confidence: float = 0.95) -> Interval:
    """The second weighted mean less the first, of independent trials, in [-1, 1].

    The ends are joined: each mean's bound may be wrong with a, where 1 - (1 - a)² = alpha/2.
    """
    value = weighted_value(second) - weighted_value(first)
    tail = alpha_of(confidence) / 2.0
    each = 1.0 - 2.0 * (1.0 - math.sqrt(1.0 - tail))
    one, two = weighted_mean(first, each), weighted_mean(second, each)
    return Interval(
        value=float(value),
        low=min(two.low - one.high, float(value)),
        high=max(two.high - one.low, float(value)),
        confidence=confidence,
        n=one.n + two.n,
        method="weighted-chernoff-joined",
    )


def _sizes(parts: Sequence[Part]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Weights and trials in one order, whatever the order of the parts."""
    ordered = sorted(((fraction(part.weight), part.n) for part in parts), reverse=True)
    return tuple(float(weight) for weight, _ in ordered), tuple(n for _, n in ordered)


@lru_cache(maxsize=4096)
def _lower(seen: float, weights: tuple[float, ...], trials: tuple[int, ...], tail: float) -> float:
    """The lower end: a theta that is rejected, as are all below it; 0 where none is."""
    below, above, limit = 0.0, seen, math.log(tail)
    w, n = np.array(weights), np.array(trials, np.float64)
    for _ in range(_STEPS):
        middle = (below + above) / 2.0
        if _log_bound(seen, middle, w, n) <= limit - _ROUNDING:
            below = middle
        else:
            above = middle
    return below


def _log_bound(seen: float, theta: float, w: FloatArray, n: FloatArray) -> float:
    """The least of the bounds over t, looked for on a grid that is made finer twice around the best."""
    tilts = _TILTS / (w / n).max()
    for _ in range(2):
        at = int(np.argmin(_bounds(tilts, seen, theta, w, n)))
        tilts = np.geomspace(tilts[max(at - 1, 0)], tilts[min(at + 1, len(tilts) - 1)], 17)
    return float(_bounds(tilts, seen, theta, w, n).min())


def _bounds(tilts: FloatArray, seen: float, theta: float, w: FloatArray, n: FloatArray) -> FloatArray:
    """ln of the bound for each t."""
    a = tilts[:, None] * w / n
    p = _worst(a, theta, w, n)
    with np.errstate(divide="ignore"):  # ln 0 is -inf, as it should be
        mgf = np.logaddexp(np.log1p(-p), a + np.log(p))
    return np.asarray((n * mgf).sum(axis=1) - tilts * seen, np.float64)


def _worst(a: FloatArray, theta: float, w: FloatArray, n: FloatArray) -> FloatArray:
    """The p, a row a tilt, that make sum n ln(1 - p + p e^a) largest with sum w p = theta.

    With c = e^a - 1 the slope n c / (1 + p c) is y^-1 w for all p inside (0, 1), so p = y n/w - 1/c, cut to [0, 1];
    sum w p is piecewise linear in y, and y is found between the two bends around theta.
    """
    inverse = 1.0 / np.expm1(np.minimum(a, 700.0))
    slope = n / w
    bends = np.sort(np.concatenate([inverse / slope, (1.0 + inverse) / slope], axis=1), axis=1)

    def filled(y: FloatArray) -> FloatArray:
        return np.clip(y[:, :, None] * slope - inverse[:, None, :], 0.0, 1.0)

    sums = (filled(bends) * w).sum(axis=2)
    right = np.clip((sums < theta).sum(axis=1), 1, bends.shape[1] - 1)[:, None]
    at, after = np.take_along_axis(sums, right - 1, 1), np.take_along_axis(sums, right, 1)
    y0, y1 = np.take_along_axis(bends, right - 1, 1), np.take_along_axis(bends, right, 1)
    part = np.divide(theta - at, after - at, out=np.ones_like(at), where=after > at)
    return np.asarray(filled(y0 + np.clip(part, 0.0, 1.0) * (y1 - y0))[:, 0, :], np.float64)
