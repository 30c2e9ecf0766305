"""Paired yes/no data: the loss from before to after."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, multinomial

from assay.errors import InputError
from assay.stats import paired_difference, paired_shares


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, int]:
    n = draw(st.integers(1, 400))
    lost = draw(st.integers(0, n))
    return lost, draw(st.integers(0, n - lost)), n


@given(tables(), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_holds_the_value_and_lies_in_bounds(
    table: tuple[int, int, int], confidence: float
) -> None:
    lost, gained, n = table
    found = paired_shares(lost, gained, n, confidence)
    assert found.value == (lost - gained) / n
    assert -1 <= found.low <= found.value <= found.high <= 1


@given(tables())
def test_exchanging_before_and_after_mirrors_the_interval(table: tuple[int, int, int]) -> None:
    lost, gained, n = table
    one, other = paired_shares(lost, gained, n), paired_shares(gained, lost, n)
    assert (one.low, one.high) == (-other.high, -other.low)


@given(tables())
def test_one_more_lost_moves_both_ends_up(table: tuple[int, int, int]) -> None:
    lost, gained, n = table
    if lost + gained < n:
        one, more = paired_shares(lost, gained, n), paired_shares(lost + 1, gained, n)
        assert more.low >= one.low
        assert more.high >= one.high


def test_the_ends_are_those_of_the_formula() -> None:
    """scipy.stats.beta: upper Clopper-Pearson of 2/50 at .0225, lower of 1/50 at .0025."""
    found = paired_shares(2, 1, 50)
    upper = beta.ppf(1 - 0.9 * 0.025, 3, 48) - beta.ppf(0.1 * 0.025, 1, 50)
    lower = beta.ppf(0.1 * 0.025, 2, 49) - beta.ppf(1 - 0.9 * 0.025, 2, 49)
    assert found.high == pytest.approx(upper, abs=1e-9)
    assert found.low == pytest.approx(lower, abs=1e-9)


def test_it_is_narrower_than_the_interval_that_knows_nothing_of_yes_and_no() -> None:
    before = [1] * 50
    after = [0, 0, *[1] * 48]
    wide = paired_difference(after, before)
    assert paired_shares(2, 0, 50).high < wide.high


def test_without_units_it_says_nothing() -> None:
    found = paired_shares(0, 0, 0)
    assert found.value is None
    assert (found.low, found.high) == (-1, 1)


@pytest.mark.parametrize("table", [(3, 3, 5), (-1, 0, 5), (0, 6, 5)])
def test_impossible_tables_are_refused(table: tuple[int, int, int]) -> None:
    with pytest.raises(InputError):
        paired_shares(*table)


@pytest.mark.parametrize("n", [10, 25])
@pytest.mark.parametrize(
    ("lost", "gained"),
    [(0.03, 0.03), (0.2, 0.0), (0.2, 0.01), (0.3, 0.2), (0.5, 0.05), (0.05, 0.4), (0.0, 0.0)],
)
def test_coverage_is_exact_by_enumeration(n: int, lost: float, gained: float) -> None:
    """Every table of the multinomial: each end is wrong with at most 2.5 %."""
    tables = [(a, b) for a in range(n + 1) for b in range(n - a + 1)]
    mass = multinomial.pmf([[a, b, n - a - b] for a, b in tables], n, [lost, gained, 1 - lost - gained])
    ends = np.array([(f.low, f.high) for f in (paired_shares(a, b, n) for a, b in tables)])
    truth = lost - gained
    assert mass[ends[:, 0] > truth + 1e-12].sum() <= 0.025
    assert mass[ends[:, 1] < truth - 1e-12].sum() <= 0.025
