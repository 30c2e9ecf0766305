"""An exponential fitted to a series, its interval and its half-life."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from assay.errors import InputError
from assay.stats import exponential_decay, half_life


def test_an_exponential_decay_has_its_rate_and_half_life() -> None:
    found = exponential_decay([math.exp(-0.5 * time) for time in range(5)])
    assert found.value == pytest.approx(0.5)
    assert found.half_life == pytest.approx(math.log(2) / 0.5)


def test_the_interval_of_the_decay_is_that_of_a_regression() -> None:
    """The oracle: linregress, and Student's t with two degrees of freedom."""
    line = stats.linregress(range(4), np.log([3, 2.5, 1.2, 1.4]))
    reach = stats.t.ppf(0.975, 2) * line.stderr
    found = exponential_decay([3, 2.5, 1.2, 1.4])
    assert found.low == pytest.approx(-line.slope - reach)
    assert found.high == pytest.approx(-line.slope + reach)
    assert found.low is not None
    assert found.low < 0
    assert found.half_life_high is None


def test_a_missing_value_keeps_its_time() -> None:
    assert exponential_decay([1.0, None, math.exp(-1.0)]).value == pytest.approx(0.5)
    assert exponential_decay([1.0, None, math.exp(-1.0)]).n == 2


def test_too_few_values_have_no_decay_and_no_interval() -> None:
    assert exponential_decay([]).value is exponential_decay([1.0]).value is None
    assert exponential_decay([2.0, 1.0]).low is None


def test_what_does_not_fall_never_halves() -> None:
    assert half_life(None) is half_life(0.0) is half_life(-0.1) is None
    assert exponential_decay([1.0, 2.0, 4.0]).half_life is None


def test_zeros_count_as_the_least_value_and_that_is_above_zero() -> None:
    assert exponential_decay([1.0, 0.0], least=0.5).value == pytest.approx(math.log(2))
    with pytest.raises(InputError, match="above 0"):
        exponential_decay([1.0, 0.5], least=0.0)
