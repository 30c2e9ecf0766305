"""What every room of `assay.stats` shares: the results, the checks, the binomial tails.

Only ``scipy.special`` is used anywhere in this package: ``scipy.stats`` is slow to import.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, SupportsIndex

import msgspec
import numpy as np
import numpy.typing as npt
from scipy import special

from assay.errors import InputError

__all__ = [
    "Alternative",
    "BoolArray",
    "Exactable",
    "FloatArray",
    "IntArray",
    "Interval",
    "IntervalArray",
    "Missing",
    "Side",
    "alpha_of",
    "at_least",
    "at_most",
    "binomial_pmf",
    "check_alternative",
    "check_missing",
    "check_probability",
    "check_side",
    "clean_values",
    "count",
    "fraction",
    "share",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Side = Literal["two", "lower", "upper"]
Alternative = Literal["two-sided", "greater", "less"]
Missing = Literal["raise", "drop"]
Exactable = int | float | str | Decimal | Fraction


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate with its interval and what it was made from.

    ``value`` is None where there is no data; the interval is then the whole of [0, 1]. ``side`` is "two", or
    "lower" / "upper" for a one-sided bound (the other end is then the end of the range). ``k`` is the count
    of successes where there is one.
    """

    value: float | None
    low: float
    high: float
    confidence: float
    n: int
    method: str
    k: int | None = None
    side: Side = "two"


class IntervalArray(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Intervals in bulk. ``value`` is NaN where n is 0 (an array cannot hold None)."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    n: IntArray
    method: str
    k: IntArray | None = None
    side: Side = "two"


def fraction(number: Exactable) -> Fraction:
    """The fraction a person means: a float is read by its shortest decimal, so ``fraction(.15)`` is 3/20.

    With it .85 - .70 <= .15 is true, as on paper; in floats it is false.
    """
    if isinstance(number, bool):
        raise InputError(f"a number is needed, not {number!r}")
    try:
        return Fraction(repr(float(number))) if isinstance(number, float) else Fraction(number)
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise InputError(f"{number!r} is not a finite number") from error


def share(k: SupportsIndex, n: SupportsIndex) -> Fraction | None:
    """k of n as an exact fraction, to compare with ``fraction(threshold)``; None where n is 0."""
    successes, trials = count("k", k), count("n", n)
    if successes > trials:
        raise InputError(f"k = {successes} is more than n = {trials}")
    return Fraction(successes, trials) if trials else None


def count(name: str, number: SupportsIndex) -> int:
    """A whole number, zero or more."""
    if isinstance(number, bool):
        raise InputError(f"{name} must be a whole number, not {number!r}")
    try:
        value = operator.index(number)
    except TypeError as error:
        raise InputError(f"{name} must be a whole number, not {number!r}") from error
    if value < 0:
        raise InputError(f"{name} must be 0 or more, not {value}")
    return value


def check_probability(name: str, number: float, *, ends: bool = True) -> float:
    """A number in [0, 1], or in (0, 1) where the ends make no sense."""
    value = float(number)
    if not (0.0 <= value <= 1.0) or (not ends and value in (0.0, 1.0)):
        raise InputError(f"{name} must lie in {'[0, 1]' if ends else '(0, 1)'}, not {number!r}")
    return value


def check_side(side: str) -> None:
    if side not in ("two", "lower", "upper"):
        raise InputError(f"side must be 'two', 'lower' or 'upper', not {side!r}")


def check_alternative(alternative: str) -> None:
    if alternative not in ("two-sided", "greater", "less"):
        raise InputError(f"alternative must be 'two-sided', 'greater' or 'less', not {alternative!r}")


def check_missing(missing: str) -> None:
    if missing not in ("raise", "drop"):
        raise InputError(f"missing must be 'raise' or 'drop', not {missing!r}")


def alpha_of(confidence: float) -> float:
    """1 - confidence without the float error: .95 gives .05, not .050000000000000044."""
    return float(1 - fraction(check_probability("confidence", confidence, ends=False)))


def clean_values(values: Sequence[float | None] | npt.NDArray[Any], missing: Missing) -> FloatArray:
    """Values as floats; None and NaN are refused or dropped, as the caller says, and never become zero."""
    check_missing(missing)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"numbers are needed: {error}") from error
    if array.ndim != 1:
        raise InputError(f"a flat list of numbers is needed, not {array.ndim} dimensions")
    gone = np.isnan(array)
    if gone.any():
        if missing == "raise":
            where = int(np.argmax(gone))
            raise InputError(f"value {where} is missing; pass missing='drop' to leave missing values out")
        array = array[~gone]
    if not np.isfinite(array).all():
        raise InputError("values must be finite")
    return array


def at_least(k: npt.ArrayLike, n: npt.ArrayLike, p: npt.ArrayLike) -> FloatArray:
    """P(Bin(n, p) >= k), by the incomplete beta function; 1 for k <= 0, 0 for k > n."""
    ks, ns, ps = np.broadcast_arrays(
        np.asarray(k, np.float64), np.asarray(n, np.float64), np.asarray(p, np.float64)
    )
    inside = (ks > 0) & (ks <= ns)
    tail = special.betainc(np.where(inside, ks, 1.0), np.where(inside, ns - ks + 1.0, 1.0), ps)
    return np.asarray(np.where(inside, tail, np.where(ks <= 0, 1.0, 0.0)), np.float64)


def at_most(k: npt.ArrayLike, n: npt.ArrayLike, p: npt.ArrayLike) -> FloatArray:
    """P(Bin(n, p) <= k), as the mirror image, so that small tails keep their digits."""
    ns = np.asarray(n, np.float64)
    return at_least(ns - np.asarray(k, np.float64), ns, 1.0 - np.asarray(p, np.float64))


def binomial_pmf(n: int, p: float) -> FloatArray:
    """P(Bin(n, p) = k) for k = 0..n."""
    k = np.arange(n + 1, dtype=np.float64)
    log_ways = math.lgamma(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return np.asarray(np.exp(log_ways + special.xlogy(k, p) + special.xlog1py(n - k, -p)), np.float64)
