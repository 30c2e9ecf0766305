"""Corrections for many tests at once: Holm, and Benjamini and Hochberg.

Both enforce monotonicity: of two p-values, the larger never ends up adjusted below the smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from assay.errors import InputError
from assay.stats._core import FloatArray, Missing, check_missing, check_probability

__all__ = ["Adjusted", "benjamini_hochberg", "holm"]


_Step = Callable[[FloatArray], FloatArray]


class Adjusted(msgspec.Struct, frozen=True, kw_only=True):
    """p-values before and after, in the order given; None stays None and is not among the ``tests``."""

    raw: tuple[float | None, ...]
    adjusted: tuple[float | None, ...]
    tests: int
    method: str

    def rejected(self, alpha: float = 0.05) -> tuple[bool | None, ...]:
        """Which hypotheses fall at this level."""
        check_probability("alpha", alpha, ends=False)
        return tuple(None if p is None else p <= alpha for p in self.adjusted)


def holm(p_values: Sequence[float | None], *, missing: Missing = "raise") -> Adjusted:
    """Holm (1979): controls the chance of any false rejection, under any dependence.

    The i-th smallest of m is multiplied by m - i + 1, then made monotone from the smallest up, and cut at 1.
    """

    def step(ordered: FloatArray) -> FloatArray:
        scaled = ordered * np.arange(ordered.size, 0, -1)
        return np.asarray(np.maximum.accumulate(scaled), np.float64)

    return _adjust(p_values, step, "holm", missing)


def benjamini_hochberg(p_values: Sequence[float | None], *, missing: Missing = "raise") -> Adjusted:
    """Benjamini and Hochberg (1995): controls the expected share of false rejections, for independent or
    positively dependent tests.

    The i-th smallest of m is multiplied by m / i, then made monotone from the largest down, and cut at 1.
    """

    def step(ordered: FloatArray) -> FloatArray:
        # p (m / i), not (p m) / i: m / i is never below 1, so no adjusted value is rounded below its raw one.
        scaled = ordered * (ordered.size / np.arange(1, ordered.size + 1))
        return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1], np.float64)

    return _adjust(p_values, step, "benjamini-hochberg", missing)


def _adjust(p_values: Sequence[float | None], step: _Step, method: str, missing: Missing) -> Adjusted:
    check_missing(missing)
    raw = tuple(None if p is None else check_probability("a p-value", p) for p in p_values)
    here = [i for i, p in enumerate(raw) if p is not None]
    if len(here) < len(raw) and missing == "raise":
        raise InputError("a p-value is missing; pass missing='drop' to correct for the tests that were done")
    values = np.array([raw[i] for i in here], dtype=np.float64)
    order = np.argsort(values, kind="stable")
    adjusted: list[float | None] = [None] * len(raw)
    for place, p in zip(order, step(values[order]), strict=True):
        adjusted[here[int(place)]] = min(float(p), 1.0)
    return Adjusted(raw=raw, adjusted=tuple(adjusted), tests=len(here), method=method)
