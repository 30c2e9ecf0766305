from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from assay.errors import InputError
from assay.stats import binomial_test, clopper_pearson, fisher_exact, mcnemar

# Untyped on purpose: the oracle is called in ways its stubs do not know.
scipy_stats: Any = stats

ALTERNATIVES: Any = ["two-sided", "greater", "less"]
each_alternative = pytest.mark.parametrize("alternative", ALTERNATIVES)


@each_alternative
@pytest.mark.parametrize(
    ("k", "n", "chance"),
    [(2, 12, 0.25), (0, 5, 0.5), (5, 5, 0.5), (7, 20, 0.25), (3, 10, 0.5), (60, 100, 0.5), (682, 925, 0.75)],
)
def test_binomial_agrees_with_scipy(k: int, n: int, chance: float, alternative: Any) -> None:
    got = binomial_test(k, n, chance, alternative=alternative)
    # scipy.stats.binomtest(k, n, chance, alternative)
    want: Any = scipy_stats.binomtest(k, n, chance, alternative=alternative)
    assert got.p_value == pytest.approx(want.pvalue, rel=1e-10)
    interval: Any = want.proportion_ci(0.95, method="exact")
    assert (got.interval.low, got.interval.high) == pytest.approx((interval.low, interval.high))


def test_two_of_twelve_is_not_above_a_chance_of_one_in_four() -> None:
    assert binomial_test(2, 12, Fraction(1, 4), alternative="greater").p_value > 0.8


def test_conovers_published_binomial_test() -> None:
    # R documentation of binom.test, after Conover (1971): binom.test(682, 925, p = 0.75), p-value = 0.3825
    assert round(binomial_test(682, 925, 0.75).p_value, 4) == 0.3825


@given(st.integers(0, 60), st.integers(0, 60))
def test_a_fair_chance_is_symmetric(k: int, extra: int) -> None:
    n = k + extra
    for two_sided in ("minlike", "doubled"):
        left = binomial_test(k, n, 0.5, two_sided=two_sided).p_value
        right = binomial_test(n - k, n, 0.5, two_sided=two_sided).p_value
        assert left == pytest.approx(right, rel=1e-12)


@given(st.integers(1, 80), st.data(), st.sampled_from([0.1, 0.25, 0.5, 0.9]))
def test_the_doubled_test_agrees_with_clopper_pearson(n: int, data: st.DataObject, chance: float) -> None:
    k = data.draw(st.integers(0, n))
    interval = clopper_pearson(k, n)
    outside = chance < interval.low or chance > interval.high
    assert (binomial_test(k, n, chance, two_sided="doubled").p_value < 0.05) == outside


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_the_two_tails_overlap_in_the_observed_count(k: int, extra: int, chance: float) -> None:
    n = k + extra
    up = binomial_test(k, n, chance, alternative="greater").p_value
    down = binomial_test(k, n, chance, alternative="less").p_value
    assert up + down == pytest.approx(1.0 + float(scipy_stats.binom.pmf(k, n, chance)), rel=1e-9)


def test_impossible_counts_have_p_zero_and_no_data_p_one() -> None:
    assert binomial_test(1, 5, 0).p_value == 0.0
    assert binomial_test(0, 5, 0).p_value == 1.0
    assert binomial_test(0, 0, 0.5).p_value == 1.0


@each_alternative
@pytest.mark.parametrize(
    "table", [(3, 1, 1, 3), (8, 2, 1, 5), (0, 5, 5, 0), (12, 5, 7, 9), (100, 40, 80, 60), (0, 0, 3, 4)]
)
def test_fisher_agrees_with_scipy(table: tuple[int, int, int, int], alternative: Any) -> None:
    a, b, c, d = table
    got = fisher_exact(a, b, c, d, alternative=alternative)
    # scipy.stats.fisher_exact([[a, b], [c, d]], alternative)
    want: Any = scipy_stats.fisher_exact([[a, b], [c, d]], alternative=alternative)
    assert got.p_value == pytest.approx(want.pvalue, rel=1e-9)
    if got.odds_ratio is not None:
        assert got.odds_ratio == want.statistic


def test_the_lady_tasting_tea() -> None:
    # Fisher (1935): 3 of 4 cups right, one-sided p = 17/70.
    got = fisher_exact(3, 1, 1, 3, alternative="greater")
    assert got.p_value == 17 / 70
    assert got.odds_ratio == 9.0
    assert fisher_exact(4, 0, 0, 4).odds_ratio == math.inf
    assert fisher_exact(0, 0, 3, 4).odds_ratio is None


@given(*[st.integers(0, 30)] * 4)
def test_fisher_is_the_same_for_swapped_groups_and_swapped_outcomes(a: int, b: int, c: int, d: int) -> None:
    p = fisher_exact(a, b, c, d).p_value
    assert 0.0 < p <= 1.0
    # Exact weights: equal to the last bit.
    assert p == fisher_exact(c, d, a, b).p_value == fisher_exact(b, a, d, c).p_value


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 1), (5, 1), (10, 10), (2, 14), (59, 86)])
def test_mcnemar_agrees_with_statsmodels(b: int, c: int) -> None:
    got = mcnemar(b, c)
    # statsmodels.stats.contingency_tables.mcnemar([[9, b], [c, 9]], exact=True)
    assert got.p_value == pytest.approx(float(statsmodels_mcnemar([[9, b], [c, 9]], exact=True).pvalue))


def test_mcnemar_gives_fagerlands_published_example() -> None:
    # Fagerland, Lydersen and Laake (2013), table 1 (airway hyper-responsiveness): b = 1, c = 7;
    # exact conditional p = .0703, mid-p = .0391.
    assert round(mcnemar(1, 7).p_value, 4) == 0.0703
    assert round(mcnemar(1, 7, mid_p=True).p_value, 4) == 0.0391


@given(st.integers(0, 80), st.integers(0, 80))
def test_mid_p_is_smaller_and_swapping_the_pair_changes_only_the_side(b: int, c: int) -> None:
    for mid_p in (False, True):
        assert mcnemar(b, c, mid_p=mid_p).p_value == pytest.approx(mcnemar(c, b, mid_p=mid_p).p_value)
        greater = mcnemar(b, c, mid_p=mid_p, alternative="greater").p_value
        assert greater == pytest.approx(mcnemar(c, b, mid_p=mid_p, alternative="less").p_value)
    assert mcnemar(b, c, mid_p=True).p_value <= mcnemar(b, c).p_value


@pytest.mark.parametrize("n", [5, 12, 30])
def test_mcnemar_keeps_its_level(n: int) -> None:
    rejected = sum(math.comb(n, b) for b in range(n + 1) if mcnemar(b, n - b).p_value <= 0.05)
    assert rejected / 2**n <= 0.05


@pytest.mark.parametrize("sizes", [(4, 4), (7, 3), (10, 12)])
def test_fisher_keeps_its_level_whatever_the_share(sizes: tuple[int, int]) -> None:
    one, two = sizes
    rejects = [
        (i, j)
        for i, j in product(range(one + 1), range(two + 1))
        if fisher_exact(i, one - i, j, two - j).p_value <= 0.05
    ]
    for p in (0.05, 0.3, 0.5, 0.8):
        size = sum(scipy_stats.binom.pmf(i, one, p) * scipy_stats.binom.pmf(j, two, p) for i, j in rejects)
        assert size <= 0.05


def test_wrong_input_is_refused() -> None:
    with pytest.raises(InputError, match="k must lie between"):
        binomial_test(3, 2, 0.5)
    with pytest.raises(InputError, match="chance"):
        binomial_test(1, 2, 1.5)
    with pytest.raises(InputError, match="alternative"):
        binomial_test(1, 2, 0.5, alternative="both")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="two_sided"):
        binomial_test(1, 2, 0.5, two_sided="central")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="b must be"):
        fisher_exact(1, -1, 0, 0)
    with pytest.raises(InputError, match="c must be"):
        mcnemar(1, 0.5)  # type: ignore[arg-type]
