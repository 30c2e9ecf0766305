"""Pearson's r, its interval, and when nothing can be said."""

from __future__ import annotations

import math
import random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from assay.errors import InputError
from assay.stats import pearson

X, Y = [0.3, 0.5, 0.45, 0.8, 0.9, 0.55], [0.5, 0.67, 0.55, 1.0, 0.9, 0.83]


def test_r_and_its_interval_are_those_of_the_formula() -> None:
    r = stats.pearsonr(X, Y).statistic  # the oracle
    without = [stats.pearsonr(np.delete(X, i), np.delete(Y, i)).statistic for i in range(6)]
    error = math.sqrt(5 / 6 * sum((math.atanh(one) - math.atanh(r)) ** 2 for one in without))
    reach = max(error, 1 / math.sqrt(3)) * stats.t.ppf(0.975, 4)
    found = pearson(X, Y)
    assert (found.value, found.low, found.high) == pytest.approx(
        (r, math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach))
    )
    assert (found.n, found.confidence, found.established) == (6, 0.95, True)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([0.5], [1.0]),
        ([0.5, 0.7, 0.9], [2.0, 1.5, 1.0]),
        ([0.5] * 6, Y),
        ([0.5, 0.5, 0.5, 0.5, 0.5, 0.9], Y),  # r hangs on one
        ([0.5, 0.5, 1.0, 1.0], [2.0, 2.0, 1.0, 1.0]),  # two different pairs
    ],
)
def test_where_nothing_can_be_told_the_interval_is_everything(x: list[float], y: list[float]) -> None:
    found = pearson(x, y)
    assert (found.established, found.low, found.high) == (False, -1.0, 1.0)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 10)), max_size=12), st.randoms())
def test_the_order_makes_no_difference_and_the_interval_holds_the_value(
    pairs: list[tuple[float, float]], order: random.Random
) -> None:
    first = pearson([x for x, _ in pairs], [y for _, y in pairs])
    order.shuffle(pairs)
    assert pearson([x for x, _ in pairs], [y for _, y in pairs]) == first
    if first.value is not None:
        assert -1 <= first.low <= first.value <= first.high <= 1


def test_values_without_a_partner_are_refused() -> None:
    with pytest.raises(InputError, match="3 values but 2"):
        pearson([1, 2, 3], [1, 2])


GRID = np.linspace(0.0, 1.0, 4001)


def drawn(
    draw: np.random.Generator,
    size: tuple[int, int],
    rho: float,
    shape: tuple[float, float],
    spread: float,
    gap: float,
) -> npt.NDArray[np.float64]:
    """Samples: shares of 40 answers, whose probabilities are from a beta distribution, and log-normal values that go
    with them by a normal copula; ``gap`` puts the better half farther up."""
    skill, other = draw.normal(size=(2, *size))
    right = np.interp(special.ndtr(skill), GRID, special.betaincinv(*shape, GRID))
    stable = np.exp(spread * (rho * skill + math.sqrt(1 - rho**2) * other + gap * np.sign(skill)))
    return np.stack([draw.binomial(40, right) / 40, stable], axis=-1)


@pytest.mark.proof
@pytest.mark.parametrize("n", [5, 8, 16, 30])
@pytest.mark.parametrize("shape", [(2.0, 2.0), (6.0, 2.0), (0.6, 0.3)])
@pytest.mark.parametrize("spread", [0.15, 0.3, 0.5])
@pytest.mark.parametrize("gap", [0.0, 1.0])
def test_the_interval_covers(n: int, shape: tuple[float, float], spread: float, gap: float) -> None:
    """From uneven to nearly binary shares, values that hardly vary or by a factor of several, things of two sorts,
    and correlations from below 0 to as near to 1 as errors allow."""
    draw = np.random.default_rng(15)
    for rho in (-0.3, 0.3, 0.6, 0.8, 0.95):
        truth = pearson(*drawn(draw, (1, 200_000), rho, shape, spread, gap)[0].T).value
        assert truth is not None
        found = [pearson(*one.T) for one in drawn(draw, (1000, n), rho, shape, spread, gap)]
        assert sum(one.low <= truth <= one.high for one in found) >= 935
