from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from assay.errors import InputError
from assay.stats import clopper_pearson, modal_share, modal_share_array

# Untyped on purpose: the oracle is called in ways its stubs do not know.
scipy_stats: Any = stats

counts = st.lists(st.integers(0, 60), min_size=1, max_size=12).filter(lambda c: sum(c) > 0)


@pytest.mark.parametrize("n", [2, 3, 5, 20, 100, 10_000])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_all_the_same_has_the_closed_form(n: int, confidence: float) -> None:
    got = modal_share([n], confidence)
    assert got.low == pytest.approx(((1 - confidence) / 2) ** (1 / (n - 1)), rel=1e-10)
    assert (got.value, got.high) == (1.0, 1.0)


def test_all_different_says_nothing_from_below() -> None:
    got = modal_share([1] * 50)
    assert got.low == 0.0
    # scipy.stats.binomtest(1, 50, alternative='two-sided').proportion_ci(.95, 'exact').high
    want: Any = scipy_stats.binomtest(1, 50).proportion_ci(0.95, method="exact")
    assert got.high == pytest.approx(want.high)


def test_one_trial_says_nothing() -> None:
    got = modal_share([1])
    assert (got.value, got.low, got.high) == (1.0, 0.0, 1.0)


def test_no_data_is_not_zero() -> None:
    for empty in ([], [0], [0, 0]):
        got = modal_share(empty)
        assert (got.value, got.low, got.high, got.n) == (None, 0.0, 1.0, 0)


@pytest.mark.parametrize(("k", "n"), [(2, 3), (2, 100), (5, 10), (30, 45), (44, 45), (400, 1000)])
def test_the_lower_end_solves_its_equation(k: int, n: int) -> None:
    def excess(q: float) -> float:
        return float(scipy_stats.binom.logsf(k - 1, n, q) - np.log(q) - np.log(0.025))

    # scipy.optimize.brentq on log P(Bin(n, q) >= k) - log q - log(alpha/2)
    want = optimize.brentq(excess, 1e-9, k / n, xtol=1e-15, rtol=1e-13)
    assert modal_share([k, *[1] * (n - k)]).low == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize(("k", "n"), [(2, 2), (2, 30), (3, 10), (10, 12), (25, 50), (50, 50)])
def test_once_reached_the_level_is_never_left_again(k: int, n: int) -> None:
    # The step of the derivation on which bisection rests: f(q)/q crosses alpha/2 once.
    q = np.linspace(1e-6, 1.0, 20_001)
    ratio = scipy_stats.binom.sf(k - 1, n, q) / q
    for tail in (0.25, 0.025, 0.0005):
        reached = ratio >= tail * (1 - 1e-12)
        assert reached[np.argmax(reached) :].all()


def test_a_huge_sample_does_not_lose_its_lower_end() -> None:
    # k = 2: f(q)/q is about n(n-1)q/2 for small q, so the bound is alpha / (n (n-1)).
    n = 10**9
    got = modal_share_array([2], [n])
    assert got.low[0] == pytest.approx(0.05 / (n * (n - 1.0)), rel=1e-4)


@given(counts, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_holds_the_share_whatever_the_order(c: list[int], confidence: float) -> None:
    got = modal_share(c, confidence)
    assert got == modal_share(sorted(c), confidence) == modal_share([*c, 0], confidence)
    assert got.value == max(c) / sum(c)
    assert 0.0 <= got.low <= got.value <= got.high <= 1.0


@given(counts)
def test_picking_the_mode_after_the_fact_costs_width(c: list[int]) -> None:
    naive, got = clopper_pearson(max(c), sum(c)), modal_share(c)
    assert got.low <= naive.low + 1e-12
    assert got.high == naive.high


@given(counts)
def test_higher_confidence_contains_lower(c: list[int]) -> None:
    inner, outer = modal_share(c, 0.8), modal_share(c, 0.99)
    assert outer.low <= inner.low
    assert inner.high <= outer.high


@given(st.integers(1, 120))
def test_a_larger_mode_moves_both_ends_up(n: int) -> None:
    got = modal_share_array(np.arange(n + 1), n)
    assert (np.diff(got.low) >= 0).all()
    assert (np.diff(got.high) >= 0).all()


def test_wrong_counts_are_refused() -> None:
    for wrong in ([-1], [1.5], [True]):
        with pytest.raises(InputError):
            modal_share(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        modal_share([1], 1.5)


def shapes() -> dict[str, np.ndarray[Any, Any]]:
    """The declared grid of truths, from one category to (nearly) no category twice."""
    one_of = {f"uniform over {m}": np.full(m, 1 / m) for m in (1, 2, 3, 5, 10, 30, 100, 3000)}
    dominant = {
        f"{p} and {m} rare": np.array([p, *[(1 - p) / m] * m])
        for p in (0.1, 0.3, 0.5, 0.7, 0.9, 0.97)
        for m in (1, 3, 20, 1000)
        if (1 - p) / m <= p
    }
    zipf = {f"zipf {s}": (w := np.arange(1, 501) ** -s) / w.sum() for s in (0.5, 1.0, 2.0)}
    mixed = {"two rivals": np.array([0.35, 0.34, *[0.31 / 50] * 50])}
    return one_of | dominant | zipf | mixed


def misses(sizes: list[int], draws: int) -> dict[str, tuple[float, float]]:
    rng = np.random.Generator(np.random.Philox(key=11))
    out = {}
    for name, p in shapes().items():
        for n in sizes:
            k = rng.multinomial(n, p, size=draws).max(axis=1)
            got = modal_share_array(np.arange(n + 1), n)
            out[f"{name}, n = {n}"] = (
                float((got.low[k] > p.max()).mean()),
                float((got.high[k] < p.max()).mean()),
            )
    return out


def test_the_interval_covers_on_the_declared_grid() -> None:
    draws = 600
    slack = 4.5 * np.sqrt(0.025 * 0.975 / draws)
    for name, (above, below) in misses([5, 20, 100], draws).items():
        assert above <= 0.025 + slack, name
        assert below <= 0.025 + slack, name


def test_a_binomial_interval_on_the_mode_does_not_cover() -> None:
    # Why this function exists: 20 equal categories, n = 20.
    rng = np.random.Generator(np.random.Philox(key=12))
    k = rng.multinomial(20, np.full(20, 1 / 20), size=2000).max(axis=1)
    naive = np.array([clopper_pearson(i, 20).low for i in range(21)])
    assert (naive[k] > 1 / 20).mean() > 0.05


@pytest.mark.proof
def test_the_interval_covers_on_the_declared_grid_with_many_draws() -> None:
    draws = 20_000
    slack = 4.5 * np.sqrt(0.025 * 0.975 / draws)
    for name, (above, below) in misses([5, 10, 20, 45, 100], draws).items():
        assert above <= 0.025 + slack, name
        assert below <= 0.025 + slack, name
