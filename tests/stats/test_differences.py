from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.errors import InputError
from assay.stats import (
    Interval,
    ShareDifference,
    bounded_mean,
    clopper_pearson,
    equivalent,
    paired_difference,
    share_difference,
)

# Untyped on purpose: the oracle is called in ways its stubs do not know.
scipy_stats: Any = stats

unit = st.integers(0, 100).map(lambda k: k / 100)
pairs = st.lists(st.tuples(unit, unit), min_size=1, max_size=20)
groups = st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def interval(low: float, high: float, value: float | None = 0.0) -> Interval:
    return Interval(value=value, low=low, high=high, confidence=0.9, n=9, method="given")


# Paired


@given(pairs)
@settings(max_examples=30)
def test_the_value_is_the_mean_difference_as_on_paper(rows: list[tuple[float, float]]) -> None:
    before, after = [x for x, _ in rows], [y for _, y in rows]
    got = paired_difference(before, after)
    assert got.value == float(sum(Fraction(str(y)) - Fraction(str(x)) for x, y in rows) / len(rows))
    assert -1.0 <= got.low <= got.value <= got.high <= 1.0


@given(pairs)
@settings(max_examples=30)
def test_order_does_not_matter_and_swapping_mirrors(rows: list[tuple[float, float]]) -> None:
    before, after = [x for x, _ in rows], [y for _, y in rows]
    got, swapped = paired_difference(before, after), paired_difference(after, before)
    assert got == paired_difference(before[::-1], after[::-1])
    assert swapped.low == pytest.approx(-got.high, abs=1e-9)
    assert swapped.high == pytest.approx(-got.low, abs=1e-9)


def test_it_is_the_betting_interval_on_half_the_difference() -> None:
    before, after = [0.5, 0.25, 0.0, 1.0], [1.0, 0.25, 0.5, 0.5]
    half = bounded_mean([0.75, 0.5, 0.75, 0.25], 0.9, betting="mixture")
    got = paired_difference(before, after, 0.9)
    assert got.value == 0.125
    assert (got.low, got.high) == (2 * half.low - 1, 2 * half.high - 1)


def test_yes_and_no_are_one_and_zero() -> None:
    assert paired_difference([True, False], [True, True]) == paired_difference([1, 0], [1, 1])
    assert paired_difference(np.array([1.0, 0.0]), np.array([1.0, 1.0])).value == 0.5


def test_without_units_nothing_is_said() -> None:
    got = paired_difference([], [])
    assert (got.value, got.low, got.high, got.n) == (None, -1.0, 1.0, 0)


def test_missing_pairs_are_refused_or_dropped_as_asked() -> None:
    with pytest.raises(InputError, match="pair 1 is incomplete"):
        paired_difference([0.1, None], [0.2, 0.3])
    with pytest.raises(InputError, match="pair 0 is incomplete"):
        paired_difference([0.1, 0.4], [math.nan, 0.3])
    got = paired_difference([0.1, None, 0.2], [0.2, 0.3, math.nan], missing="drop")
    assert (got.n, got.value) == (1, 0.1)


def test_wrong_pairs_are_refused() -> None:
    with pytest.raises(InputError, match="1 values before, 2 after"):
        paired_difference([0.1], [0.2, 0.3])
    with pytest.raises(InputError, match=r"pair 0 holds 1\.2"):
        paired_difference([1.2], [0.3])
    with pytest.raises(InputError):
        paired_difference([0.2], [0.3], 1.0)


def paired_misses(n: int, draws: int) -> dict[str, float]:
    rng = np.random.Generator(np.random.Philox(key=41))
    worlds: dict[str, tuple[Callable[[], Any], float]] = {
        "no change": (lambda: np.zeros(n), 0.0),
        "a coin flips": (lambda: rng.integers(-1, 2, n).astype(float), 0.0),
        "one in ten gains all": (lambda: (rng.random(n) < 0.1).astype(float), 0.1),
        "all gain a little": (lambda: rng.random(n) * 0.2, 0.1),
    }
    out = {}
    for name, (draw, truth) in worlds.items():
        wrong = 0
        for _ in range(draws):
            d = np.round(draw(), 6)
            got = paired_difference(np.maximum(-d, 0.0), np.maximum(d, 0.0))
            wrong += not got.low - 1e-9 <= truth <= got.high + 1e-9
        out[f"{name}, n = {n}"] = wrong / draws
    return out


@pytest.mark.parametrize("n", [3, 30])
def test_the_paired_interval_covers(n: int) -> None:
    for name, wrong in paired_misses(n, 60).items():
        assert wrong <= 0.05 + 4.5 * math.sqrt(0.05 * 0.95 / 60), name


@pytest.mark.proof
@pytest.mark.parametrize("n", [2, 5, 20, 100])
def test_the_paired_interval_covers_in_many_draws(n: int) -> None:
    for name, wrong in paired_misses(n, 2000).items():
        assert wrong <= 0.05 + 4.5 * math.sqrt(0.05 * 0.95 / 2000), name


# Two shares


def test_all_against_none_has_the_closed_form() -> None:
    # P(0 of n, then n of n) = ((1-p)(p+d))^n is largest at p = (1-d)/2, where it is ((1+d)/2)^2n = alpha/2.
    for n in (1, 2, 5, 20):
        got = share_difference(0, n, n, n)
        assert (got.value, got.high) == (1.0, 1.0)
        assert got.low == pytest.approx(2 * 0.025 ** (1 / (2 * n)) - 1, abs=1e-4)
        assert got.low <= 2 * 0.025 ** (1 / (2 * n)) - 1


@given(groups, groups)
@settings(max_examples=20)
def test_swapping_the_groups_mirrors(one: tuple[int, int], two: tuple[int, int]) -> None:
    got, swapped = share_difference(*one, *two), share_difference(*two, *one)
    assert (swapped.low, swapped.high) == (-got.high, -got.low)
    assert got.value is not None
    assert -1.0 <= got.low <= got.value <= got.high <= 1.0
    assert got.value == float(Fraction(*two) - Fraction(*one))


def joined(k1: int, n1: int, k2: int, n2: int) -> tuple[float, float]:
    """The ends by joining one-sided bounds, each wrong with a, 1 - (1-a)² = .025."""
    each = math.sqrt(0.975)
    one, two = (clopper_pearson(k, n, each, side="lower").low for k, n in ((k1, n1), (k2, n2)))
    top, roof = (clopper_pearson(k, n, each, side="upper").high for k, n in ((k1, n1), (k2, n2)))
    return two - top, roof - one


@given(groups, groups)
@settings(max_examples=20)
def test_sharpening_never_widens(one: tuple[int, int], two: tuple[int, int]) -> None:
    low, high = joined(*one, *two)
    got = share_difference(*one, *two)
    assert low <= got.low
    assert got.high <= high


def test_a_difference_that_joined_intervals_miss() -> None:
    # Fisher's exact test: p = .020. Joined intervals reach from -.18 to .95.
    assert share_difference(3, 10, 9, 10).low > 0.0
    assert joined(3, 10, 9, 10)[0] < -0.15


def test_large_groups_are_joined_and_say_so() -> None:
    got = share_difference(301, 400, 200, 250)
    assert got.method == "shares-joined"
    assert (got.low, got.high) == pytest.approx(joined(301, 400, 200, 250))
    assert share_difference(3, 10, 2, 10).method == "shares-sharpened"


def test_an_empty_group_could_be_anything() -> None:
    got = share_difference(0, 0, 3, 4)
    assert got.value is None
    assert (got.low, got.high) == joined(0, 0, 3, 4)
    both = share_difference(0, 0, 0, 0)
    assert (both.value, both.low, both.high) == (None, -1.0, 1.0)


def test_the_inputs_are_echoed_and_survive_json() -> None:
    got = share_difference(1, 4, 3, 5, 0.9)
    assert (got.k1, got.n1, got.k2, got.n2, got.n, got.confidence) == (1, 4, 3, 5, 9, 0.9)
    assert msgspec.json.decode(msgspec.json.encode(got), type=ShareDifference) == got


@pytest.mark.parametrize("wrong", [(3, 2, 1, 2), (1, 2, 3, 2), (-1, 2, 1, 2), (0.5, 2, 1, 2)])
def test_wrong_counts_are_refused(wrong: Any) -> None:
    with pytest.raises(InputError):
        share_difference(*wrong)


def share_misses(n1: int, n2: int, points: int) -> tuple[float, float]:
    """The largest chance that the lower, or the upper, end is wrong, summed exactly over all tables."""
    grid = [[share_difference(i, n1, j, n2) for j in range(n2 + 1)] for i in range(n1 + 1)]
    low, high = (np.array([[getattr(g, end) for g in row] for row in grid]) for end in ("low", "high"))
    worst = [0.0, 0.0]
    for p in np.linspace(0.0, 1.0, points):
        for q in np.linspace(0.0, 1.0, points):
            mass = np.multiply.outer(
                scipy_stats.binom.pmf(np.arange(n1 + 1), n1, p),
                scipy_stats.binom.pmf(np.arange(n2 + 1), n2, q),
            )
            worst[0] = max(worst[0], float(mass[low > q - p + 1e-12].sum()))
            worst[1] = max(worst[1], float(mass[high < q - p - 1e-12].sum()))
    return worst[0], worst[1]


@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (2, 5), (5, 5)])
def test_each_end_is_wrong_no_more_than_it_says_on_a_grid(n1: int, n2: int) -> None:
    assert max(share_misses(n1, n2, 31)) <= 0.025 + 1e-12


@pytest.mark.proof
@pytest.mark.parametrize(("n1", "n2"), [(3, 8), (10, 10), (5, 20), (15, 15)])
def test_each_end_is_wrong_no_more_than_it_says_on_a_fine_grid(n1: int, n2: int) -> None:
    worst = share_misses(n1, n2, 101)
    assert max(worst) <= 0.025 + 1e-12
    assert min(worst) > 0.015


def test_the_textbook_interval_does_not_cover() -> None:
    # Wald: d ± 1.96 sqrt(sum of variances), summed exactly; n = 10 each, shares .1 and .02.
    k = np.arange(11)
    mass = np.multiply.outer(scipy_stats.binom.pmf(k, 10, 0.1), scipy_stats.binom.pmf(k, 10, 0.02))
    value = k[None, :] / 10 - k[:, None] / 10
    spread = np.sqrt((k * (10 - k))[None, :] / 1000 + (k * (10 - k))[:, None] / 1000)
    assert mass[np.abs(value + 0.08) > 1.96 * spread].sum() > 0.2


# Near enough


def test_near_enough_is_decided_exactly() -> None:
    assert equivalent(interval(-0.15, 0.1), 0.15) is True
    assert equivalent(interval(-0.1, 0.15), "0.15") is True
    assert equivalent(interval(0.1, 0.1 + 0.2), 0.3) is None  # .30000000000000004, as written
    assert equivalent(interval(-0.1500001, 0.1), 0.15) is None
    assert equivalent(interval(0.15, 0.4), 0.15) is None
    assert equivalent(interval(0.1501, 0.4), 0.15) is False
    assert equivalent(interval(-0.4, -0.1501), Fraction(3, 20)) is False


def test_without_data_near_enough_is_open() -> None:
    assert equivalent(interval(-1.0, 1.0, None), 2) is None


@pytest.mark.parametrize("margin", [0, -0.1, "x", True, math.nan])
def test_a_margin_is_a_number_above_zero(margin: Any) -> None:
    with pytest.raises(InputError):
        equivalent(interval(0.0, 0.1), margin)


@given(unit, unit, st.integers(1, 100).map(lambda k: k / 100))
def test_near_enough_and_its_opposite_are_never_both_open_and_shut(x: float, y: float, margin: float) -> None:
    got = equivalent(interval(min(x, y), max(x, y)), margin)
    assert got == equivalent(interval(-max(x, y), -min(x, y)), margin)
    wider = equivalent(interval(min(x, y) - 0.5, max(x, y) + 0.5), margin)
    assert wider in (got, None)
