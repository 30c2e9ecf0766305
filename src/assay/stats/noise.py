"""What noise alone reads, where a statistic cannot tell it from an effect: the mean of the largest, of the absolute."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import special

__all__ = ["absolute_noise", "largest_noise"]


def largest_noise(errors: Sequence[float]) -> float:
    """The mean of max(0, z1, ..., zk) of independent normals around 0 with these standard errors."""
    seen = np.array([error for error in errors if error > 0.0])
    if not seen.size:
        return 0.0
    z = np.linspace(0.0, 8.0 * seen.max(), 2001)
    return float(np.trapezoid(1.0 - np.prod(special.ndtr(z[:, None] / seen), axis=1), z))


def absolute_noise(error: float) -> float:
    """The mean of min(|z|, 1) for a normal z around 0 with this standard error."""
    if error <= 0.0:
        return 0.0
    inside = error * math.sqrt(2.0 / math.pi) * (1.0 - math.exp(-1.0 / (2.0 * error**2)))
    return float(inside + 2.0 * special.ndtr(-1.0 / error))
