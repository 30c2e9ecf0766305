"""Is it the order? A statistic beside its values when the same things come in random orders."""

from __future__ import annotations

import msgspec
import numpy as np

from assay.errors import InputError
from assay.stats._core import BoolArray, FloatArray, IntArray
from assay.stats._draws import philox

__all__ = ["ShuffleTest", "shuffle_test", "shuffled_orders"]


class ShuffleTest(msgspec.Struct, frozen=True, kw_only=True):
    """A value, the mean and the middle 95 % of what shuffled orders give, and how often they give as much or more."""

    value: float
    null_mean: float
    null_low: float
    null_high: float
    p_value: float
    shuffles: int


def shuffled_orders(movable: BoolArray, *, key: str, stream: int = 0, shuffles: int = 999) -> IntArray:
    """Orders of things as rows of places: the first as they are, then random ones. What is not movable stays."""
    moved = np.flatnonzero(movable)
    words = np.asarray(philox(key, stream).random_raw(shuffles * len(moved)))
    orders = np.tile(np.arange(len(movable)), (1 + shuffles, 1))
    orders[1:, moved] = moved[words.reshape(shuffles, len(moved)).argsort(axis=1, kind="stable")]
    return orders


def shuffle_test(values: FloatArray) -> ShuffleTest:
    """Of a statistic's values in `shuffled_orders`, the first as things are. p = (1 + hits) / (1 + shuffles)."""
    if len(values) < 2:
        raise InputError("a shuffled value is needed beside the first")
    value, null = float(values[0]), values[1:]
    low, high = np.quantile(null, [0.025, 0.975])
    return ShuffleTest(
        value=value,
        null_mean=float(null.mean()),
        null_low=float(low),
        null_high=float(high),
        p_value=(1 + int((null >= value - 1e-12).sum())) / (1 + len(null)),
        shuffles=len(null),
    )
