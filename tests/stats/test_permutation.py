from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.errors import InputError
from assay.stats import mcnemar, paired_permutation

# Untyped on purpose: the oracle is called in ways its stubs do not know.
scipy_stats: Any = stats

# Darwin's maize, crossed and self-fertilised, in eighths of an inch; Fisher (1935), section 21: of the 2^15
# sign flips 863 give a total of 314 or more, and as many the reverse.
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
pairs = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=10)


def test_fishers_published_example() -> None:
    zeros = [0] * len(DARWIN)
    got = paired_permutation(DARWIN, zeros, key="k")
    assert got.enumerated
    assert got.p_value == 2 * 863 / 2**15
    assert got.value == pytest.approx(314 / 15)
    assert paired_permutation(DARWIN, zeros, key="k", alternative="greater").p_value == 863 / 2**15


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_agrees_with_scipy(alternative: Any) -> None:
    g = np.random.Generator(np.random.Philox(key=2))
    x, y = g.random(11), g.random(11)
    got = paired_permutation(x, y, key="k", alternative=alternative)
    # scipy.stats.permutation_test((x, y), mean difference, permutation_type='samples', n_resamples=inf)
    want = scipy_stats.permutation_test(
        (x, y),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        alternative=alternative,
    )
    assert got.p_value == pytest.approx(want.pvalue)


def test_drawn_flips_agree_with_all_flips_up_to_noise() -> None:
    zeros = [0] * len(DARWIN)
    got = paired_permutation(DARWIN, zeros, key="k", enumerate_to=0, flips=20_000)
    assert not got.enumerated
    want = 2 * 863 / 2**15
    assert got.p_value == pytest.approx(want, abs=4 * math.sqrt(want / 20_000))
    assert got == paired_permutation(DARWIN, zeros, key="k", enumerate_to=0, flips=20_000)
    assert got != paired_permutation(DARWIN, zeros, key="l", enumerate_to=0, flips=20_000)


def test_drawn_p_values_are_never_zero() -> None:
    got = paired_permutation([1] * 60, [0] * 60, key="k", flips=99)
    assert got.p_value == 1 / 100


def test_ties_on_paper_are_ties() -> None:
    # In floats .85 - .70 is more than .15 - 0; on paper the three steps are equal.
    got = paired_permutation([0.85, 0.15, 0.25], [0.70, 0.0, 0.1], key="k", alternative="greater")
    assert got.p_value == 1 / 8
    assert got.value == 0.15
    two = paired_permutation([0.85, 0.0], [0.70, 0.15], key="k")
    assert two.value == 0.0
    assert two.p_value == 1.0


def test_values_too_fine_for_whole_numbers_still_tie() -> None:
    x = [1 / 3, 1e-9 / 7, -1 / 3, math.pi]
    got = paired_permutation(x, [0.0] * 4, key="k")
    want = paired_permutation([Fraction(v) for v in x], [0] * 4, key="k")
    assert got.p_value == want.p_value


@given(st.integers(0, 8), st.integers(0, 8), st.integers(0, 5))
def test_yes_no_outcomes_give_mcnemars_exact_test(b: int, c: int, same: int) -> None:
    first = [True] * b + [False] * c + [True] * same
    second = [False] * b + [True] * c + [True] * same
    if first:
        got = paired_permutation(first, second, key="k")
        assert got.p_value == pytest.approx(mcnemar(b, c).p_value)


@settings(max_examples=50)
@given(pairs, st.data())
def test_order_of_pairs_and_pairs_without_difference_change_nothing(
    xy: list[tuple[int, int]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(xy))
    p = paired_permutation([x for x, _ in xy], [y for _, y in xy], key="k").p_value
    assert p == paired_permutation([x for x, _ in shuffled], [y for _, y in shuffled], key="k").p_value
    assert p == paired_permutation([*[x for x, _ in xy], 3], [*[y for _, y in xy], 3], key="k").p_value
    assert p == paired_permutation([y for _, y in xy], [x for x, _ in xy], key="k").p_value
    assert p is not None
    assert 0.0 < p <= 1.0


def test_no_pairs_have_no_p_value() -> None:
    got = paired_permutation([], [], key="k")
    assert (got.p_value, got.value, got.n) == (None, None, 0)


def test_incomplete_pairs_are_refused_or_dropped_as_asked() -> None:
    with pytest.raises(InputError, match="pair 1"):
        paired_permutation([1, None], [0, 0], key="k")
    got = paired_permutation([1, None, 2], [0, 0, math.nan], key="k", missing="drop")
    assert got.n == 1


def test_wrong_input_is_refused() -> None:
    with pytest.raises(InputError, match="pairs are needed"):
        paired_permutation([1], [1, 2], key="k")
    with pytest.raises(InputError, match="flip"):
        paired_permutation([1], [1], key="k", flips=0)
    with pytest.raises(InputError, match="key"):
        paired_permutation([1] * 30, [0] * 30, key="")
    with pytest.raises(InputError, match="finite"):
        paired_permutation([math.inf], [0], key="k")
