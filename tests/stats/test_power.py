from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.errors import InputError
from assay.stats import (
    binomial_test,
    detectable_one,
    detectable_paired,
    detectable_two,
    fisher_exact,
    mcnemar,
    power_one,
    power_paired,
    power_two,
    required_n_one,
    required_n_paired,
    required_n_two,
)
from assay.stats.power import EXACT_TO

# Untyped on purpose: the oracle is called in ways its stubs do not know.
scipy_stats: Any = stats

ALTERNATIVES: Any = ["two-sided", "greater", "less"]
each_alternative = pytest.mark.parametrize("alternative", ALTERNATIVES)


@each_alternative
@pytest.mark.parametrize(
    ("chance", "truth", "n"), [(0.25, 0.5, 12), (0.5, 0.4, 30), (0.9, 0.99, 45), (0.1, 0.1, 7)]
)
def test_power_is_the_chance_that_the_test_rejects(
    chance: float, truth: float, n: int, alternative: Any
) -> None:
    want = sum(
        scipy_stats.binom.pmf(k, n, truth)
        for k in range(n + 1)
        if binomial_test(k, n, chance, alternative=alternative, two_sided="doubled").p_value <= 0.05
    )
    assert power_one(chance, truth, n, alternative=alternative).power == pytest.approx(want, abs=1e-12)


@each_alternative
@pytest.mark.parametrize(
    ("first", "second", "n"), [(0.3, 0.1, 20), (0.1, 0.3, 20), (0.2, 0.2, 15), (1.0, 0.0, 6)]
)
def test_paired_power_is_the_chance_that_mcnemar_rejects(
    first: float, second: float, n: int, alternative: Any
) -> None:
    table = scipy_stats.multinomial(n, [first, second, max(1 - first - second, 0.0)])
    want = sum(
        table.pmf([b, c, n - b - c])
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if b + c and mcnemar(b, c, alternative=alternative).p_value <= 0.05
    )
    assert power_paired(first, second, n, alternative=alternative).power == pytest.approx(want, abs=1e-10)


@each_alternative
@pytest.mark.parametrize(
    ("first", "second", "n", "m"), [(0.8, 0.3, 10, 10), (0.2, 0.6, 12, 7), (0.5, 0.5, 9, 9)]
)
def test_unpaired_power_is_the_chance_that_fisher_rejects(
    first: float, second: float, n: int, m: int, alternative: Any
) -> None:
    want = sum(
        scipy_stats.binom.pmf(i, n, first) * scipy_stats.binom.pmf(j, m, second)
        for i in range(n + 1)
        for j in range(m + 1)
        if fisher_exact(i, n - i, j, m - j, alternative=alternative).p_value <= 0.05
    )
    got = power_two(first, second, n, second_n=m, alternative=alternative)
    assert got.power == pytest.approx(want, abs=1e-12)
    assert got.method == "fisher-exact"


def test_unpaired_n_agrees_with_the_published_formula() -> None:
    # Casagrande, Pike and Smith (1978) give n = A (1 + sqrt(1 + 4 d / A))² / (4 d²) a group; here for .5
    # against .6, one-sided alpha .025, power .8.
    p, q = 0.6, 0.5
    z, y = scipy_stats.norm.ppf(0.975), scipy_stats.norm.ppf(0.8)
    mean = (p + q) / 2
    a = (z * np.sqrt(2 * mean * (1 - mean)) + y * np.sqrt(p * (1 - p) + q * (1 - q))) ** 2
    want = a * (1 + np.sqrt(1 + 4 * (p - q) / a)) ** 2 / (4 * (p - q) ** 2)
    got = required_n_two(p, q, alpha=0.025, alternative="greater")
    assert got.n == int(np.ceil(want))
    assert got.method == "fisher-approximate"


@pytest.mark.parametrize(("first", "second"), [(0.5, 0.6), (0.1, 0.2), (0.9, 0.8), (0.05, 0.1)])
def test_the_approximation_meets_the_enumeration_where_it_takes_over(first: float, second: float) -> None:
    before, after = power_two(first, second, EXACT_TO), power_two(first, second, EXACT_TO + 1)
    assert (before.method, after.method) == ("fisher-exact", "fisher-approximate")
    assert before.power == pytest.approx(after.power, abs=0.03)


def test_required_n_reaches_the_target_and_stays_there() -> None:
    one = required_n_one(0.25, 0.4)
    assert one.n is not None
    assert all(power_one(0.25, 0.4, n).power >= 0.8 for n in range(one.n, one.n + 20))
    assert power_one(0.25, 0.4, one.n - 1).power < 0.8
    paired = required_n_paired(0.2, 0.05)
    assert paired.n is not None
    assert all(power_paired(0.2, 0.05, n).power >= 0.8 for n in range(paired.n, paired.n + 20))
    assert power_paired(0.2, 0.05, paired.n - 1).power < 0.8
    two = required_n_two(0.8, 0.5)
    assert two.n is not None
    assert all(power_two(0.8, 0.5, n).power >= 0.8 for n in range(two.n, two.n + 5))
    assert power_two(0.8, 0.5, two.n - 1).power < 0.8


def test_required_n_is_none_where_the_limit_is_too_low() -> None:
    assert required_n_one(0.5, 0.51, max_n=1000).n is None
    assert required_n_paired(0.11, 0.1, max_n=200).n is None
    assert required_n_two(0.5, 0.51, max_n=1000).n is None


def test_the_detectable_effect_is_just_detectable() -> None:
    one = detectable_one(0.25, 100)
    assert one.at is not None
    assert power_one(0.25, one.at, 100).power == pytest.approx(0.8, abs=1e-6)
    assert one.effect == pytest.approx(one.at - 0.25)
    down = detectable_one(0.25, 100, upward=False)
    assert down.effect is not None
    assert down.effect < 0
    paired = detectable_paired(0.3, 100)
    assert paired.at is not None
    assert power_paired(paired.at, 0.3 - paired.at, 100).power == pytest.approx(0.8, abs=1e-6)
    assert paired.effect == pytest.approx(2 * paired.at - 0.3)
    two = detectable_two(0.5, 60)
    assert two.at is not None
    assert power_two(two.at, 0.5, 60).power == pytest.approx(0.8, abs=1e-6)


def test_too_few_trials_detect_nothing() -> None:
    # Five fair tosses cannot reach p <= .05 on both sides: 2/2^5 = .0625.
    assert detectable_one(0.5, 5).effect is None
    assert detectable_one(0.5, 6).effect is not None
    assert detectable_paired(0.2, 5).effect is None
    assert detectable_two(0.5, 3).effect is None
    assert power_one(0.5, 1.0, 0).power == 0.0
    assert power_paired(0.0, 0.0, 10).power == 0.0
    assert power_two(0.5, 1.0, 0).power == 0.0
    assert detectable_one(1.0, 50).effect is None


def test_more_trials_detect_less() -> None:
    effects = [detectable_one(0.5, n).effect for n in (10, 40, 160, 640)]
    assert None not in effects
    assert effects == sorted(effects, key=lambda e: -(e or 0))


@settings(max_examples=30)
@given(st.integers(1, 150), st.floats(0.01, 0.99), st.sampled_from([0.01, 0.05, 0.2]))
def test_without_an_effect_the_power_is_at_most_alpha(n: int, p: float, alpha: float) -> None:
    for alternative in ALTERNATIVES:
        assert power_one(p, p, n, alpha=alpha, alternative=alternative).power <= alpha + 1e-9
        assert power_paired(p / 2, p / 2, n, alpha=alpha, alternative=alternative).power <= alpha + 1e-9


@pytest.mark.parametrize(
    "call",
    [
        lambda: power_one(1.2, 0.5, 10),
        lambda: power_one(0.2, 0.5, -1),
        lambda: power_one(0.2, 0.5, 10, alpha=0.0),
        lambda: power_one(0.2, 0.5, 10, alternative="both"),  # type: ignore[arg-type]
        lambda: power_paired(0.7, 0.6, 10),
        lambda: required_n_one(0.5, 0.5),
        lambda: required_n_one(0.5, 0.4, alternative="greater"),
        lambda: required_n_two(0.5, 0.6, alternative="greater"),
        lambda: required_n_one(0.5, 0.6, target=1.0),
    ],
)
def test_wrong_input_is_refused(call: Any) -> None:
    with pytest.raises(InputError):
        call()
