"""What noise alone reads, beside a simulation."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats import absolute_noise, largest_noise


@pytest.mark.parametrize("error", [0.0, 0.05, 0.3, 1.0, 4.0])
def test_the_mean_of_the_absolute(error: float) -> None:
    drawn = np.random.default_rng(1).normal(0.0, 1.0, 200_000) * error
    assert absolute_noise(error) == pytest.approx(np.minimum(np.abs(drawn), 1.0).mean(), abs=0.003)


@pytest.mark.parametrize("errors", [[], [0.0], [0.2], [0.1, 0.2, 0.3], [1.0] * 5])
def test_the_mean_of_the_largest(errors: list[float]) -> None:
    drawn = np.random.default_rng(2).normal(0.0, 1.0, (200_000, len(errors))) * errors
    expected = np.maximum(drawn.max(axis=1), 0.0).mean() if errors else 0.0
    assert largest_noise(errors) == pytest.approx(expected, abs=0.005)
