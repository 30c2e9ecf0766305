from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from assay.errors import InputError
from assay.stats import (
    Interval,
    IntervalArray,
    agresti_coull,
    agresti_coull_array,
    clopper_pearson,
    clopper_pearson_array,
    wilson,
    wilson_array,
)

# Untyped on purpose: the oracle is called in ways its stubs do not know.
scipy_stats: Any = stats

SCALAR: list[Callable[..., Interval]] = [wilson, agresti_coull, clopper_pearson]
BULK: list[Callable[..., IntervalArray]] = [wilson_array, agresti_coull_array, clopper_pearson_array]
ORACLE = {"wilson": "wilson", "agresti-coull": "agresti_coull", "clopper-pearson": "beta"}
CASES = [(0, 1), (1, 1), (0, 5), (5, 5), (1, 10), (3, 7), (44, 45), (81, 263), (999, 1000), (12, 10**9)]


@st.composite
def counts(draw: st.DrawFn, largest: int = 500) -> tuple[int, int]:
    n = draw(st.integers(1, largest))
    return draw(st.integers(0, n)), n


confidences = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@pytest.mark.parametrize("function", SCALAR)
@pytest.mark.parametrize(("k", "n"), CASES)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_agrees_with_statsmodels(
    function: Callable[..., Interval], k: int, n: int, confidence: float
) -> None:
    got = function(k, n, confidence)
    # statsmodels.stats.proportion.proportion_confint(k, n, alpha, method=...)
    low, high = proportion_confint(k, n, alpha=1 - confidence, method=ORACLE[got.method])
    assert got.low == pytest.approx(max(float(low), 0.0), rel=1e-9, abs=1e-14)
    assert got.high == pytest.approx(min(float(high), 1.0), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize(("k", "n"), CASES[:-1])
@pytest.mark.parametrize(("side", "alternative"), [("lower", "greater"), ("upper", "less")])
@pytest.mark.parametrize(("function", "method"), [(wilson, "wilson"), (clopper_pearson, "exact")])
def test_one_sided_bounds_agree_with_scipy(
    function: Callable[..., Interval], method: str, k: int, n: int, side: str, alternative: str
) -> None:
    got = function(k, n, 0.95, side=side)
    # scipy.stats.binomtest(k, n, alternative=...).proportion_ci(.95, method=...)
    want: Any = scipy_stats.binomtest(k, n, 0.5, alternative=alternative).proportion_ci(0.95, method=method)
    assert (got.low, got.high) == pytest.approx((want.low, want.high), rel=1e-10, abs=1e-14)
    assert got.side == side


def test_wilson_gives_newcombes_published_values() -> None:
    # Newcombe (1998), Statistics in Medicine 17:857-872, table I, method 3.
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (k, n), (low, high) in published.items():
        got = wilson(k, n)
        assert (round(got.low, 4), round(got.high, 4)) == (low, high)


def test_clopper_pearson_gives_newcombes_published_values() -> None:
    # The same table, method 5.
    published = {
        (81, 263): (0.2527, 0.3676),
        (15, 148): (0.0578, 0.1617),
        (0, 20): (0.0, 0.1684),
        (1, 29): (0.0009, 0.1776),
    }
    for (k, n), (low, high) in published.items():
        got = clopper_pearson(k, n)
        assert (round(got.low, 4), round(got.high, 4)) == (low, high)


@pytest.mark.parametrize("function", SCALAR)
def test_no_data_is_not_zero(function: Callable[..., Interval]) -> None:
    got = function(0, 0)
    assert (got.value, got.low, got.high, got.n) == (None, 0.0, 1.0, 0)


@pytest.mark.parametrize("function", BULK)
def test_no_data_in_bulk_is_nan_with_the_whole_range(function: Callable[..., IntervalArray]) -> None:
    got = function([0, 1], [0, 2])
    assert np.isnan(got.value[0])
    assert (got.low[0], got.high[0]) == (0.0, 1.0)
    assert got.value[1] == 0.5


@pytest.mark.parametrize("function", SCALAR)
@pytest.mark.parametrize(
    ("k", "n", "confidence"),
    [(3, 2, 0.95), (-1, 2, 0.95), (1.5, 2, 0.95), (True, 2, 0.95), (1, -2, 0.95), (1, 2, 1.0), (1, 2, 0.0)],
)
def test_wrong_input_is_refused(function: Callable[..., Interval], k: Any, n: int, confidence: float) -> None:
    with pytest.raises(InputError):
        function(k, n, confidence)


@pytest.mark.parametrize("function", BULK)
def test_wrong_arrays_are_refused_and_the_place_is_named(function: Callable[..., IntervalArray]) -> None:
    with pytest.raises(InputError, match="at 1: k = 3, n = 2"):
        function([1, 3], [2, 2])
    with pytest.raises(InputError, match="whole numbers"):
        function([1.0], [2])
    with pytest.raises(InputError, match="do not fit"):
        function([1, 1], [2, 2, 2])
    with pytest.raises(InputError, match="side"):
        function([1], [2], side="left")
    with pytest.raises(InputError, match=r"above \.5"):
        function([1], [2], 0.4, side="lower")


@pytest.mark.parametrize("function", SCALAR)
@given(counts(), confidences)
def test_the_interval_holds_the_share_and_stays_in_range(
    function: Callable[..., Interval], kn: tuple[int, int], confidence: float
) -> None:
    got = function(*kn, confidence)
    assert got.value == kn[0] / kn[1]
    assert 0.0 <= got.low <= got.value <= got.high <= 1.0
    assert got.low < got.high
    assert (got.k, got.n, got.confidence) == (*kn, confidence)


@pytest.mark.parametrize("function", SCALAR)
@given(counts(), confidences)
def test_swapping_success_and_failure_mirrors_the_interval(
    function: Callable[..., Interval], kn: tuple[int, int], confidence: float
) -> None:
    k, n = kn
    here, there = function(k, n, confidence), function(n - k, n, confidence)
    assert here.low == pytest.approx(1.0 - there.high, abs=1e-15)
    assert here.high == pytest.approx(1.0 - there.low, abs=1e-15)


@pytest.mark.parametrize("function", BULK)
@given(st.integers(1, 200), confidences)
def test_more_successes_move_both_ends_up(
    function: Callable[..., IntervalArray], n: int, confidence: float
) -> None:
    got = function(np.arange(n + 1), n, confidence)
    assert (np.diff(got.low) >= 0).all()
    assert (np.diff(got.high) >= 0).all()


@pytest.mark.parametrize("function", SCALAR)
@given(counts())
def test_higher_confidence_contains_lower(function: Callable[..., Interval], kn: tuple[int, int]) -> None:
    inner, outer = function(*kn, 0.8), function(*kn, 0.99)
    assert outer.low <= inner.low
    assert inner.high <= outer.high


@pytest.mark.parametrize(("scalar", "bulk"), list(zip(SCALAR, BULK, strict=True)))
@given(counts(), confidences)
def test_scalar_and_bulk_give_the_same_bits(
    scalar: Callable[..., Interval],
    bulk: Callable[..., IntervalArray],
    kn: tuple[int, int],
    confidence: float,
) -> None:
    one, many = scalar(*kn, confidence), bulk([0, kn[0]], [7, kn[1]], confidence)
    assert (one.value, one.low, one.high) == (many.value[1], many.low[1], many.high[1])


@given(counts(), confidences)
def test_agresti_coull_contains_wilson(kn: tuple[int, int], confidence: float) -> None:
    inner, outer = wilson(*kn, confidence), agresti_coull(*kn, confidence)
    assert outer.low <= inner.low + 1e-12
    assert inner.high <= outer.high + 1e-12


def coverage(function: Callable[..., IntervalArray], n: int, p: np.ndarray[Any, Any], **more: Any) -> Any:
    """The exact chance that the interval holds p: the probabilities of the counts whose interval does."""
    k = np.arange(n + 1)
    got = function(k, n, **more)
    holds = (got.low[None, :] <= p[:, None]) & (p[:, None] <= got.high[None, :])
    return (scipy_stats.binom.pmf(k[None, :], n, p[:, None]) * holds).sum(axis=1)


GRID = np.linspace(0.0, 1.0, 2001)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 20, 45, 100, 300])
@pytest.mark.parametrize("side", ["two", "lower", "upper"])
def test_clopper_pearson_never_covers_less_than_it_says(n: int, side: str) -> None:
    assert coverage(clopper_pearson_array, n, GRID, side=side).min() >= 0.95 - 1e-12


@pytest.mark.parametrize("n", [10, 20, 45, 100, 300])
def test_wilson_covers_what_it_says_on_average(n: int) -> None:
    assert abs(coverage(wilson_array, n, GRID).mean() - 0.95) < 0.01


def test_wilson_covers_less_than_it_says_for_some_shares() -> None:
    # The known weakness, kept here so that the documentation stays true.
    assert coverage(wilson_array, 20, np.linspace(0.001, 0.1, 500)).min() < 0.9


@pytest.mark.parametrize("p", [0.01, 0.3, 0.5])
def test_clopper_pearson_covers_in_simulation_too(p: float) -> None:
    draws = 20_000
    k = np.random.Generator(np.random.Philox(key=7)).binomial(45, p, draws)
    got = clopper_pearson_array(k, 45)
    rate = ((got.low <= p) & (p <= got.high)).mean()
    assert rate >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / draws)


@pytest.mark.proof
def test_clopper_pearson_never_covers_less_on_a_fine_grid() -> None:
    fine = np.linspace(0.0, 1.0, 20_001)
    for n in range(1, 151):
        for confidence in (0.9, 0.95, 0.99):
            got = coverage(clopper_pearson_array, n, fine, confidence=confidence)
            assert got.min() >= confidence - 1e-12, n
