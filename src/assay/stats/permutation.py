"""The paired permutation test: do two measurements of the same things differ?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

import msgspec
import numpy as np
import numpy.typing as npt

from assay.errors import InputError
from assay.stats._core import (
    Alternative,
    Exactable,
    Missing,
    check_alternative,
    check_missing,
    count,
    fraction,
)
from assay.stats._draws import draw_signs

__all__ = ["PermutationTest", "paired_permutation"]

# int64 where the differences are whole multiples of something, float64 otherwise.
_Steps = npt.NDArray[np.int64] | npt.NDArray[np.float64]


class PermutationTest(msgspec.Struct, frozen=True, kw_only=True):
    """Paired sign flips. ``value`` is the mean difference; ``flips`` says how many were looked at."""

    p_value: float | None
    value: float | None
    n: int
    flips: int
    enumerated: bool
    alternative: Alternative
    method: str
    key: str | None


def paired_permutation(
    first: Sequence[Exactable | None] | npt.NDArray[np.generic],
    second: Sequence[Exactable | None] | npt.NDArray[np.generic],
    *,
    key: str | bytes,
    alternative: Alternative = "two-sided",
    flips: int = 9999,
    enumerate_to: int = 18,
    missing: Missing = "raise",
) -> PermutationTest:
    """Fisher's sign-flip test that paired differences are symmetric about 0, on the mean of first - second.

    All 2^m flips are looked at where at most ``enumerate_to`` differences are not 0; beyond that ``flips``
    seeded ones, with p = (1 + as extreme) / (1 + flips) (Phipson and Smyth 2010: never 0, never too small).
    Differences are taken as fractions of what was written (.85 - .70 equals .15), so ties are ties.
    """
    check_alternative(alternative)
    if count("flips", flips) < 1:
        raise InputError("at least one flip is needed")
    differences = _differences(first, second, missing)
    n = len(differences)
    moving = [d for d in differences if d]
    enumerated = len(moving) <= enumerate_to
    steps, slack = _steps(moving)
    sums = _all_sums(steps) if enumerated else _drawn_sums(steps, key, flips)
    observed = steps.sum()
    if alternative == "two-sided":
        extreme = np.abs(sums) >= np.abs(observed) - slack
    else:
        extreme = sums >= observed - slack if alternative == "greater" else sums <= observed + slack
    hits, looked = int(np.count_nonzero(extreme)), len(sums)
    p_value = hits / looked if enumerated else (1 + hits) / (1 + looked)
    return PermutationTest(
        p_value=p_value if n else None,
        value=float(sum(differences, Fraction(0)) / n) if n else None,
        n=n,
        flips=looked,
        enumerated=enumerated,
        alternative=alternative,
        method="permutation-enumerated" if enumerated else "permutation-drawn",
        key=None if enumerated else key if isinstance(key, str) else key.hex(),
    )


def _differences(
    first: Sequence[Exactable | None] | npt.NDArray[np.generic],
    second: Sequence[Exactable | None] | npt.NDArray[np.generic],
    missing: Missing,
) -> list[Fraction]:
    check_missing(missing)
    left = first.tolist() if isinstance(first, np.ndarray) else list(first)
    right = second.tolist() if isinstance(second, np.ndarray) else list(second)
    if len(left) != len(right):
        raise InputError(f"pairs are needed: {len(left)} values against {len(right)}")
    out = []
    for i, (x, y) in enumerate(zip(left, right, strict=True)):
        if x is None or y is None or x != x or y != y:
            if missing == "raise":
                raise InputError(f"pair {i} is incomplete; pass missing='drop' to leave such pairs out")
            continue
        out.append(_number(x) - _number(y))
    return out


def _number(value: Exactable) -> Fraction:
    # Yes/no outcomes come as bools; elsewhere a bool for a number is a mistake.
    return Fraction(int(value)) if isinstance(value, bool) else fraction(value)


def _steps(moving: list[Fraction]) -> tuple[_Steps, float]:
    """Differences in units of their common denominator; as floats, with slack, where that overflows."""
    scale = math.lcm(*(d.denominator for d in moving)) if moving else 1
    whole = [int(d * scale) for d in moving]
    if sum(abs(step) for step in whole) < 2**62:
        return np.array(whole, dtype=np.int64), 0.0
    floats = np.array([float(d) for d in moving])
    # Sums of n floats differ in the last digits; near-ties count as extreme, which can only raise p.
    return floats, float(np.abs(floats).sum()) * 1e-12


def _all_sums(steps: _Steps) -> _Steps:
    sums: Any = np.zeros(1, dtype=steps.dtype)
    for step in steps:
        sums = np.concatenate([sums - step, sums + step])
    return cast("_Steps", sums)


def _drawn_sums(steps: _Steps, key: str | bytes, flips: int) -> _Steps:
    total = steps.sum()
    sums: Any = np.empty(flips, dtype=steps.dtype)
    for r in range(flips):
        sums[r] = total - 2 * steps[draw_signs(key, r, len(steps))].sum()
    return cast("_Steps", sums)
