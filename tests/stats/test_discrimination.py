"""Spearman's correlation of confidence and success: values by scipy, ends by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from assay.stats import spearman_of_success

OUTCOMES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8, 1.0]), st.booleans()), min_size=4, max_size=40
)


@given(OUTCOMES)
def test_the_value_is_that_of_scipy_and_lies_within_its_interval(rows: list[tuple[float, bool]]) -> None:
    found = spearman_of_success([c for c, _ in rows], [s for _, s in rows])
    if len({c for c, _ in rows}) < 2 or len({s for _, s in rows}) < 2:
        assert (found.value, found.low, found.high, found.attainable) == (None, -1.0, 1.0, None)
        return
    assert found.value == pytest.approx(spearmanr([c for c, _ in rows], [s for _, s in rows]).statistic)
    assert found.attainable is not None
    assert found.value is not None
    assert -1.0 <= found.low <= found.value <= found.high <= 1.0
    assert found.value <= found.attainable + 1e-12


@given(OUTCOMES, st.randoms(use_true_random=False))
def test_the_order_of_outcomes_does_not_matter(rows: list[tuple[float, bool]], draws: object) -> None:
    again = list(rows)
    draws.shuffle(again)  # type: ignore[attr-defined]
    first, second = (
        spearman_of_success([c for c, _ in some], [s for _, s in some]) for some in (rows, again)
    )
    assert (first.low, first.high) == pytest.approx((second.low, second.high))


def test_a_perfect_judge_with_two_confidences_reaches_one_and_one_with_many_does_not() -> None:
    right = [True] * 10 + [False] * 10
    assert spearman_of_success([0.9] * 10 + [0.1] * 10, right).value == pytest.approx(1.0)
    spread = spearman_of_success([n / 20 for n in range(20, 0, -1)], right)
    assert spread.value == spread.attainable == pytest.approx(math.sqrt(3) / 2, abs=0.002)


def test_perfect_calibration_with_evenly_spread_confidence_reaches_58() -> None:
    draws = np.random.default_rng(7)
    sure = draws.random(200_000)
    found = spearman_of_success(sure.tolist(), (draws.random(200_000) < sure).tolist())
    assert found.value == pytest.approx(1 / math.sqrt(3), abs=0.005)


def test_a_confidence_that_is_not_given_does_harm() -> None:
    right = [True] * 10 + [False] * 10
    whole = spearman_of_success([0.9] * 10 + [0.1] * 10, right)
    some = spearman_of_success([None, *[0.9] * 9, *[0.1] * 9, None], right)
    assert some.value is not None
    assert whole.value is not None
    assert some.value < whole.value - 0.1


@pytest.mark.proof
@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("kind", ["uniform", "two", "sharp", "noisy", "guess"])
def test_each_end_misses_the_truth_in_four_of_a_hundred_or_so(kind: str, n: int) -> None:
    draws = np.random.default_rng(11)

    def sample(size: int) -> tuple[list[float], list[bool]]:
        if kind == "noisy":
            right = draws.random(size) < 0.5
            around = np.where(right, 0.8, 0.2) + draws.normal(0, 0.15, size)
            return np.round(np.clip(around, 0, 1), 1).tolist(), right.tolist()
        high = {"two": 0.9, "sharp": 0.97}.get(kind)
        two = np.where(draws.random(size) < 0.5, high or 0.0, 1 - (high or 0.0))
        even = draws.random(size)
        sure = [*map(float, two if high else even)]
        chance = np.full(size, 0.6) if kind == "guess" else np.array(sure)
        return sure, (draws.random(size) < chance).tolist()

    truth = spearman_of_success(*sample(300_000)).value
    assert truth is not None
    found = [spearman_of_success(*sample(n)) for _ in range(500)]
    assert np.mean([one.low > truth for one in found]) <= 0.05
    assert np.mean([one.high < truth for one in found]) <= 0.05
