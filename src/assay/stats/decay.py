"""How fast a series of positive values falls: an exponential fitted to it, with its half-life."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from assay.errors import InputError
from assay.stats._core import alpha_of
from assay.stats.student import student_reach

__all__ = ["Decay", "exponential_decay", "half_life"]


class Decay(msgspec.Struct, frozen=True, kw_only=True):
    """``value`` is λ: minus the least-squares slope of the logarithm over the times 0, 1, 2 …

    The interval is Student's with n - 2 degrees of freedom, none with two values. ``half_life`` is ln 2 / λ where λ is
    positive; an end is None where λ may be 0, for then there is no half-life to bound.
    """

    value: float | None
    low: float | None
    high: float | None
    half_life: float | None
    half_life_low: float | None
    half_life_high: float | None
    n: int
    confidence: float


def exponential_decay(
    series: Sequence[float | None], *, least: float = 0.001, confidence: float = 0.95
) -> Decay:
    """λ of a series, one value a unit of time. A missing value (None) keeps its time; one below ``least`` counts as
    that, for 0 has no logarithm."""
    alpha_of(confidence)
    if not least > 0:
        raise InputError(f"least must be above 0, not {least:g}")
    known = [(time, max(value, least)) for time, value in enumerate(series) if value is not None]
    n, decay, low, high = len(known), None, None, None
    if n >= 2:
        times, values = np.array(known, dtype=np.float64).T
        times, logs = times - times.mean(), np.log(values)
        square = float((times**2).sum())
        decay = -float(times @ logs) / square
        if n >= 3:
            residual = logs - logs.mean() + decay * times
            reach = student_reach(math.sqrt(float(residual @ residual) / (n - 2) / square), n - 2, confidence)
            low, high = decay - reach, decay + reach
    return Decay(
        value=decay,
        low=low,
        high=high,
        half_life=half_life(decay),
        half_life_low=half_life(high),
        half_life_high=half_life(low),
        n=n,
        confidence=confidence,
    )


def half_life(decay: float | None) -> float | None:
    """ln 2 / λ; None where nothing halves."""
    return math.log(2) / decay if decay is not None and decay > 0 else None
