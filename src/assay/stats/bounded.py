"""Intervals for the mean of a variable in [0, 1], valid for every distribution and every n.

Waudby-Smith and Ramdas (2023), "Estimating means of bounded random variables by betting", JRSS-B 86(1). A
gambler who bets against a candidate mean m makes a fair game if m is the mean: the wealth K(m) then exceeds
2/alpha with probability at most alpha/2 (Ville). The interval holds the m against which neither the bet on
"higher" nor the bet on "lower" grew that rich. No variance is assumed or plugged in, so a pile-up at 0, three
values, or values that are all the same do no harm: the interval of five zeros is wide, not empty.

Two ways to bet:

``hedged`` (the paper's hedged capital process, with its predictable plug-in stakes for a fixed n): at step t
the stake is
    lambda_t = sqrt(2 ln(2/alpha) / (n v_{t-1})),  cut at c/m and c/(1-m),
    v_t = (1/4 + sum (x_i - u_i)²) / (t+1),  u_t = (1/2 + sum x_i) / (t+1),
and the intersection over t <= n is taken. It depends on the order of the values; the order must not be chosen
by looking at them (order of trial id is right, sorted by value is wrong).

``mixture`` (a mixture of constant bets, the paper's diversified Kelly): wealth is the average over fixed
stakes. It is the same for any order of the values, always contains the plain mean, and mirrors with x.

Every factor 1 + lambda (x - m) falls with m, also where the stake is cut at c/m, so wealth is monotone in m
and the ends are found by bisection; the rejected side is returned, so rounding only widens.
An interval that leaves the plain mean out (``hedged`` can, for values in a telling order) is widened to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from assay.errors import InputError
from assay.stats._core import (
    BoolArray,
    FloatArray,
    Interval,
    IntervalArray,
    Missing,
    alpha_of,
    clean_values,
)

__all__ = ["Betting", "bounded_mean", "bounded_mean_rows"]

Betting = Literal["hedged", "mixture"]

# c in the paper, which names 1/2 and 3/4 as reasonable; 3/4 is narrower for values piled up at an end.
_CUT = 0.75
_STAKES = 24
_STEPS = 52
# Numbers held at once in the largest intermediate array, to bound memory.
_CHUNK = 4_000_000


def bounded_mean(
    values: Sequence[float | None] | npt.NDArray[Any],
    confidence: float = 0.95,
    *,
    betting: Betting = "hedged",
    missing: Missing = "raise",
) -> Interval:
    """The plain mean of values in [0, 1], with its betting interval; None and [0, 1] without data."""
    alpha = alpha_of(confidence)
    _check_betting(betting)
    x = clean_values(values, missing)
    _check_range(x)
    method = f"betting-{betting}"
    if x.size == 0:
        return Interval(value=None, low=0.0, high=1.0, confidence=confidence, n=0, method=method)
    low, high = _interval(x[None, :], alpha, betting)
    value = _mean(x[None, :])
    return Interval(
        value=float(value[0]),
        low=float(min(low[0], value[0])),
        high=float(max(high[0], value[0])),
        confidence=confidence,
        n=int(x.size),
        method=method,
    )


def bounded_mean_rows(
    rows: npt.NDArray[np.floating[Any]], confidence: float = 0.95, *, betting: Betting = "hedged"
) -> IntervalArray:
    """`bounded_mean` for each row of a two-dimensional array, without missing values."""
    alpha = alpha_of(confidence)
    _check_betting(betting)
    x = np.asarray(rows, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] == 0:
        raise InputError(f"rows of at least one value are needed, not shape {x.shape}")
    _check_range(x)
    size = max(1, _CHUNK // (x.shape[1] * (_STAKES if betting == "mixture" else 1)))
    parts = [_interval(x[at : at + size], alpha, betting) for at in range(0, x.shape[0], size)]
    value = _mean(x)
    return IntervalArray(
        value=value,
        low=np.minimum(np.concatenate([low for low, _ in parts] or [value]), value),
        high=np.maximum(np.concatenate([high for _, high in parts] or [value]), value),
        confidence=confidence,
        n=np.full(x.shape[0], x.shape[1], dtype=np.int64),
        method=f"betting-{betting}",
    )


def _check_betting(betting: str) -> None:
    if betting not in ("hedged", "mixture"):
        raise InputError(f"betting must be 'hedged' or 'mixture', not {betting!r}")


def _check_range(x: FloatArray) -> None:
    # Written so that NaN fails too.
    if not bool(((x >= 0.0) & (x <= 1.0)).all()):
        raise InputError("values must lie in [0, 1]; scale them first")


def _mean(x: FloatArray) -> FloatArray:
    # Sorted, so that the mean is the same to the bit in any order of input.
    return np.asarray(np.minimum(np.sort(x, axis=1).sum(axis=1) / x.shape[1], 1.0), np.float64)


def _interval(x: FloatArray, alpha: float, betting: Betting) -> tuple[FloatArray, FloatArray]:
    """Lower ends, and upper ends as the mirror image of the lower ends of 1 - x."""
    if betting == "hedged":
        stakes = _plug_in(x, alpha)
        return _lower_hedged(x, stakes, alpha), 1.0 - _lower_hedged(1.0 - x, stakes, alpha)
    return _lower_mixture(np.sort(x, axis=1), alpha), 1.0 - _lower_mixture(np.sort(1.0 - x, axis=1), alpha)


def _plug_in(x: FloatArray, alpha: float) -> FloatArray:
    n = x.shape[1]
    t = np.arange(1, n + 1, dtype=np.float64)
    centre = (0.5 + np.cumsum(x, axis=1)) / (t + 1.0)
    spread = (0.25 + np.cumsum((x - centre) ** 2, axis=1)) / (t + 1.0)
    before = np.concatenate([np.full((x.shape[0], 1), 0.25), spread[:, :-1]], axis=1)
    return np.asarray(np.sqrt(2.0 * np.log(2.0 / alpha) / (n * before)), np.float64)


def _lower_hedged(x: FloatArray, stakes: FloatArray, alpha: float) -> FloatArray:
    def rich(m: FloatArray) -> BoolArray:
        bets = np.minimum(stakes, _CUT / m[:, None])
        wealth = np.cumsum(np.log1p(bets * (x - m[:, None])), axis=1)
        return np.asarray(wealth.max(axis=1) >= np.log(2.0 / alpha))

    return _bisect(rich, x.shape[0])


def _lower_mixture(x: FloatArray, alpha: float) -> FloatArray:
    """x sorted, so that sums run in one order whatever the order of input."""
    n = x.shape[1]
    parts = np.geomspace(0.5 / np.sqrt(n), 0.99, _STAKES)[None, :, None]

    def rich(m: FloatArray) -> BoolArray:
        gain = (x / m[:, None] - 1.0)[:, None, :]
        wealth = np.log1p(parts * gain).sum(axis=2)
        top = wealth.max(axis=1)
        total = top + np.log(np.exp(wealth - top[:, None]).mean(axis=1))
        return np.asarray(total >= np.log(2.0 / alpha))

    return _bisect(rich, x.shape[0])


def _bisect(rich: Callable[[FloatArray], BoolArray], rows: int) -> FloatArray:
    """The largest m found against which the gambler got rich, 0 where there is none."""
    low, high = np.zeros(rows), np.ones(rows)
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        beaten = rich(middle)
        low = np.where(beaten, middle, low)
        high = np.where(beaten, high, middle)
    return low
