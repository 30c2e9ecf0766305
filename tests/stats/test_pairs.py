from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

from assay.errors import InputError
from assay.stats import (
    clopper_pearson,
    clopper_pearson_array,
    pairwise_agreement,
    pairwise_agreement_array,
    pairwise_mean,
    pairwise_mean_array,
)
from assay.stats.pairs import _exponents

# Untyped on purpose: the oracle is called in ways its stubs do not know.
scipy_stats: Any = stats

counts = st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(lambda c: sum(c) >= 2)
confidences = st.sampled_from([0.8, 0.95, 0.99])


@settings(max_examples=15)
@given(counts)
def test_the_value_is_the_share_of_agreeing_pairs(c: list[int]) -> None:
    values = [i for i, times in enumerate(c) for _ in range(times)]
    pairs = list(combinations(values, 2))
    want = Fraction(sum(x == y for x, y in pairs), len(pairs))
    assert pairwise_agreement(c).value == float(want)


@settings(max_examples=15)
@given(counts, confidences)
def test_the_interval_holds_the_value_whatever_the_order(c: list[int], confidence: float) -> None:
    got = pairwise_agreement(c, confidence)
    assert got == pairwise_agreement(sorted(c), confidence) == pairwise_agreement([*c, 0], confidence)
    assert got.value is not None
    assert 0.0 <= got.low <= got.value <= got.high <= 1.0


@settings(max_examples=15)
@given(st.floats(0, 1), st.integers(2, 5000), confidences)
def test_the_interval_of_a_mean_holds_it_and_mirrors(u: float, n: int, confidence: float) -> None:
    got, mirror = pairwise_mean(u, n, confidence), pairwise_mean(1.0 - u, n, confidence)
    assert 0.0 <= got.low <= u <= got.high <= 1.0
    assert got.low == pytest.approx(1.0 - mirror.high, abs=1e-9)
    assert got.high == pytest.approx(1.0 - mirror.low, abs=1e-9)


def hoeffding(u: float, n: int, confidence: float) -> tuple[float, float]:
    """The interval of Hoeffding's exponential bound, by scipy.optimize.brentq."""

    def low(u: float) -> float:
        def excess(theta: float) -> float:
            divergence = special.rel_entr(u, theta) + special.rel_entr(1 - u, 1 - theta)
            return float((n // 2) * divergence - math.log(2 / (1 - confidence)))

        return float(optimize.brentq(excess, 1e-300, u))

    return low(u), 1 - low(1 - u)


@settings(max_examples=15)
@given(st.floats(0.01, 0.99), st.integers(2, 300), confidences)
def test_it_lies_within_the_interval_of_the_exponential_bound(u: float, n: int, confidence: float) -> None:
    low, high = hoeffding(u, n, confidence)
    got = pairwise_mean(u, n, confidence)
    assert low - 1e-9 <= got.low
    assert got.high <= high + 1e-9


@settings(max_examples=15)
@given(counts, confidences)
def test_agreement_is_never_wider_than_a_mean_of_any_kernel(c: list[int], confidence: float) -> None:
    got = pairwise_agreement(c, confidence)
    assert got.value is not None
    any_kernel = pairwise_mean(got.value, got.n, confidence)
    assert got.low == any_kernel.low
    assert got.high <= any_kernel.high


@pytest.mark.parametrize(("u", "n"), [(0.1, 5), (0.25, 20), (0.5, 45), (0.93, 100), (0.02, 300)])
def test_the_lower_end_solves_its_equation(u: float, n: int) -> None:
    m = n // 2
    k = np.arange(m + 1.0)

    def bound(theta: float) -> float:
        # Every j, and points between, by summation over scipy.stats.binom.pmf.
        mass = scipy_stats.binom.pmf(k, m, theta)
        knots = np.arange(0.0, m * u - 1e-9, 0.25)
        return float(min((mass * np.maximum(k - j, 0)).sum() / (m * u - j) for j in knots))

    want = optimize.brentq(lambda theta: bound(theta) - 0.025, 1e-12, u, xtol=1e-15)
    assert pairwise_mean(u, n).low == pytest.approx(want, rel=1e-8)


@pytest.mark.parametrize("n", [2, 3, 5, 20, 101])
def test_the_ends_have_closed_forms(n: int) -> None:
    m = n // 2
    assert pairwise_agreement([n]).low == pytest.approx(0.025 ** (1 / m), rel=1e-12)
    assert pairwise_mean(0.0, n).high == pytest.approx(1 - 0.025 ** (1 / m), rel=1e-12)


@pytest.mark.parametrize("n", [10, 20, 50, 100, 500])
def test_all_different_is_within_three_percent_of_the_best_possible(n: int) -> None:
    # One category p and the rest infinitely rare: all n differ with P(Bin(n, p) <= 1), so no valid bound can
    # lie below p² at P = alpha/2, the square of Clopper and Pearson's upper end for 1 of n.
    best = clopper_pearson(1, n).high ** 2
    got = pairwise_agreement([1] * n).high
    assert best <= got <= 1.03 * best


@pytest.mark.parametrize("n", [2, 3, 7, 30])
def test_the_tabulated_exponent_bounds_every_point_between(n: int) -> None:
    # The step of the derivation that rests on a grid: psi(p)/p² at points off the grid, by summation.
    theta, tilts, exponent = _exponents(n)
    b = np.arange(n + 1)
    for root in np.random.Generator(np.random.Philox(key=3)).uniform(0.001, 0.999, 60):
        at = int(np.searchsorted(theta, root**2))
        psi = np.array(
            [np.log((scipy_stats.binom.pmf(b, n, root) * np.exp(-s * b * (b - 1))).sum()) for s in tilts]
        )
        bound = exponent[at] / theta[at]
        assert (psi / root**2 <= bound + 1e-6 * np.abs(bound)).all()


@pytest.mark.parametrize("n", [3, 4, 6])
def test_the_product_of_means_bounds_the_mean_of_the_product(n: int) -> None:
    # Negative association, checked by full enumeration of a multinomial with three categories.
    p = np.array([0.5, 0.3, 0.2])
    outcomes = [np.bincount(w, minlength=3) for w in combinations_with_replacement(range(3), n)]
    for s in (0.05, 0.5, 5.0):
        joint = sum(
            float(scipy_stats.multinomial.pmf(c, n, p) * np.exp(-s * (c * (c - 1)).sum())) for c in outcomes
        )
        b = np.arange(n + 1)
        apart = np.prod([(scipy_stats.binom.pmf(b, n, q) * np.exp(-s * b * (b - 1))).sum() for q in p])
        assert joint <= apart


def test_one_sided_bounds_are_the_ends_at_half_the_error() -> None:
    c = [5, 4, 1, 1]
    two, lower, upper = (
        pairwise_agreement(c, 0.9),
        pairwise_agreement(c, 0.95, side="lower"),
        pairwise_agreement(c, 0.95, side="upper"),
    )
    assert lower.low == pytest.approx(two.low)
    assert upper.high == pytest.approx(two.high)
    assert (lower.high, upper.low) == (1.0, 0.0)


def test_without_a_pair_nothing_is_said() -> None:
    for empty in ([], [0], [1], [1, 0]):
        got = pairwise_agreement(empty)
        assert (got.value, got.low, got.high, got.n) == (None, 0.0, 1.0, sum(empty))
    for value in (None, math.nan, 0.3):
        got = pairwise_mean(value, 1)
        assert (got.value, got.low, got.high) == (None, 0.0, 1.0)
    bulk = pairwise_mean_array([0.3, np.nan], [2, 0])
    assert np.isnan(bulk.value).tolist() == [False, True]
    assert (bulk.low[1], bulk.high[1]) == (0.0, 1.0)


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=6))
def test_the_array_form_gives_the_same_bits(pairs: list[tuple[int, int]]) -> None:
    agreeing = [(a * (a - 1) + b * (b - 1)) // 2 for a, b in pairs]
    sizes = [a + b for a, b in pairs]
    bulk = pairwise_agreement_array(np.array(agreeing), np.array(sizes))
    for i, pair in enumerate(pairs):
        one = pairwise_agreement(pair)
        assert (one.low, one.high) == (bulk.low[i], bulk.high[i])


@pytest.mark.parametrize("n", [2, 3, 9, 30])
def test_more_agreement_moves_both_ends_up(n: int) -> None:
    got = pairwise_agreement_array(np.arange(n * (n - 1) // 2 + 1), n)
    assert (np.diff(got.low) >= 0).all()
    assert (np.diff(got.high) >= 0).all()


def test_the_array_form_takes_any_shape() -> None:
    square = pairwise_agreement_array([[0, 1], [3, 6]], 4)
    flat = pairwise_agreement_array([0, 1, 3, 6], 4)
    assert square.high.shape == (2, 2)
    assert square.high.ravel().tolist() == flat.high.tolist()
    assert pairwise_mean_array(0.5, 10).low == pairwise_mean(0.5, 10).low
    assert pairwise_mean_array([], np.array([], np.int64)).low.size == 0


def test_beyond_the_table_the_first_bound_stands_alone() -> None:
    got = pairwise_agreement([1] * 2001)
    assert got.high == pairwise_mean(0.0, 2001).high
    huge = pairwise_mean(0.3, 10**7)
    assert huge.high - huge.low < 0.002


@pytest.mark.parametrize("wrong", [[-1, 3], [1.5], [True], [4_000_000_000]])
def test_wrong_counts_are_refused(wrong: Any) -> None:
    with pytest.raises(InputError):
        pairwise_agreement(wrong)


def test_wrong_arguments_are_refused() -> None:
    for value, n in ((1.5, 3), (math.nan, 3), (None, 2), (0.5, -1), (0.5, 2.5)):
        with pytest.raises(InputError):
            pairwise_mean(value, n)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at 1: 4 agree, n = 3"):
        pairwise_agreement_array([3, 4], [3, 3])
    with pytest.raises(InputError, match="scale the kernel"):
        pairwise_mean_array([1.1], [5])
    with pytest.raises(InputError, match="shapes"):
        pairwise_mean_array([0.1, 0.2], [5, 5, 5])
    with pytest.raises(InputError, match="side"):
        pairwise_mean(0.5, 3, side="both")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        pairwise_mean(0.5, 3, 1.0)


def shapes() -> dict[str, np.ndarray[Any, Any]]:
    """The declared grid of truths, from all the same to (nearly) all different."""
    uniform = {f"uniform over {m}": np.full(m, 1 / m) for m in (1, 2, 3, 10, 100, 20_000)}
    dominant = {
        f"{p} and {m} rare": np.array([p, *[(1 - p) / m] * m])
        for p in (0.03, 0.1, 0.3, 0.7, 0.9, 0.97)
        for m in (1, 20, 5000)
        if (1 - p) / m <= p
    }
    zipf = {f"zipf {s}": (w := np.arange(1, 501) ** -s) / w.sum() for s in (0.5, 1.0, 2.0)}
    return uniform | dominant | zipf


def agreeing_pairs(rng: np.random.Generator, p: np.ndarray[Any, Any], n: int, draws: int) -> Any:
    """How many pairs of n draws agree, ``draws`` times over; by sorting, as most categories are never seen."""
    edges = np.cumsum(p)
    values = np.sort(np.minimum(np.searchsorted(edges, rng.random((draws, n))), len(p) - 1), axis=1)
    run = np.zeros(draws, np.int64)
    pairs = np.zeros(draws, np.int64)
    for i in range(1, n):
        run = np.where(values[:, i] == values[:, i - 1], run + 1, 0)
        pairs += run
    return pairs


def misses(sizes: list[int], draws: int) -> dict[str, tuple[float, float]]:
    rng = np.random.Generator(np.random.Philox(key=21))
    out = {}
    for name, p in shapes().items():
        truth = float((p**2).sum())
        for n in sizes:
            got = pairwise_agreement_array(agreeing_pairs(rng, p, n, draws), n)
            out[f"{name}, n = {n}"] = (
                float((got.low > truth + 1e-12).mean()),
                float((got.high < truth - 1e-12).mean()),
            )
    return out


def test_the_interval_covers_on_the_declared_grid() -> None:
    draws = 250
    slack = 4.5 * np.sqrt(0.025 * 0.975 / draws)
    for name, (above, below) in misses([2, 5, 20, 100], draws).items():
        assert above <= 0.025 + slack, name
        assert below <= 0.025 + slack, name


def test_a_binomial_interval_over_all_pairs_does_not_cover() -> None:
    # Why this function exists: the 190 pairs of 20 values are not 190 trials.
    rng = np.random.Generator(np.random.Philox(key=22))
    pairs = agreeing_pairs(rng, np.array([0.7, *[0.3 / 50] * 50]), 20, 1000)
    naive = clopper_pearson_array(pairs, 190)
    truth = 0.49 + 50 * 0.006**2
    assert ((naive.low > truth) | (naive.high < truth)).mean() > 0.4


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_two_categories_are_covered_by_exact_summation(n: int) -> None:
    k = np.arange(n + 1)
    got = pairwise_agreement_array((k * (k - 1) + (n - k) * (n - k - 1)) // 2, n)
    for p in np.linspace(0.0, 1.0, 201):
        mass = scipy_stats.binom.pmf(k, n, p)
        truth = p * p + (1 - p) ** 2
        assert mass[got.low > truth + 1e-12].sum() <= 0.025 + 1e-12
        assert mass[got.high < truth - 1e-12].sum() <= 0.025 + 1e-12


def test_the_mean_distance_of_uniform_numbers_is_covered() -> None:
    # E|x - y| = 1/3 for uniform numbers: a kernel that is not a yes or no.
    rng = np.random.Generator(np.random.Philox(key=23))
    for n in (2, 7, 30):
        x = np.sort(rng.random((500, n)), axis=1)
        mean = (x * (2 * np.arange(n) - n + 1)).sum(axis=1) / (n * (n - 1) / 2)
        got = pairwise_mean_array(np.clip(mean, 0.0, 1.0), n)
        assert ((got.low <= 1 / 3) & (got.high >= 1 / 3)).mean() >= 0.95 - 0.03


@pytest.mark.proof
def test_the_interval_covers_on_the_declared_grid_with_many_draws() -> None:
    draws = 20_000
    slack = 4.5 * np.sqrt(0.025 * 0.975 / draws)
    for name, (above, below) in misses([2, 3, 5, 10, 20, 45, 100], draws).items():
        assert above <= 0.025 + slack, name
        assert below <= 0.025 + slack, name
