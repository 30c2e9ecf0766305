"""P-SR-2: r over subjects, its interval, and when nothing can be said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.instruments.recognition.measures.stability import stability

ACCURACY = {"a": 0.3, "b": 0.5, "c": 0.45, "d": 0.8, "e": 0.9, "f": 0.55}
PEAK = {"a": 2.0, "b": 1.5, "c": 1.8, "d": 1.0, "e": 1.1, "f": 1.2}
fleets = st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 10)), min_size=0, max_size=12)


def test_r_and_its_interval_are_those_of_the_formula() -> None:
    x, y = np.array([*ACCURACY.values()]), 1 / np.array([*PEAK.values()])
    r = stats.pearsonr(x, y).statistic  # the oracle
    without = [stats.pearsonr(np.delete(x, i), np.delete(y, i)).statistic for i in range(6)]
    error = math.sqrt(5 / 6 * sum((math.atanh(one) - math.atanh(r)) ** 2 for one in without))
    reach = max(error, 1 / math.sqrt(3)) * stats.t.ppf(0.975, 4)
    measure, verdict = stability(ACCURACY, PEAK, 0.95)
    assert measure.name == "stability_r"
    assert measure.value == pytest.approx(r)
    assert (measure.low, measure.high) == pytest.approx(
        (math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach))
    )
    assert (measure.n, measure.confidence, measure.labels) == (6, 0.95, {})
    assert (verdict.name, verdict.kind, verdict.labels) == ("P-SR-2", "prediction", {})
    assert verdict.holds is None
    assert any("towards 0" in note for note in measure.notes)


def fleet(
    draw: np.random.Generator, n: int, noise: float, sign: float
) -> tuple[dict[str, float], dict[str, float]]:
    accuracy = draw.uniform(0.3, 0.9, n)
    stable = 1.0 + sign * (accuracy - 0.6) + draw.normal(0, noise, n)
    names = [f"s{place}" for place in range(n)]
    return dict(zip(names, accuracy.tolist(), strict=True)), dict(
        zip(names, (1 / stable).tolist(), strict=True)
    )


def test_a_clear_relation_holds_an_opposite_one_fails_and_a_small_fleet_decides_nothing() -> None:
    draw = np.random.default_rng(1)
    assert stability(*fleet(draw, 20, 0.02, 1.0), 0.95)[1].holds is True
    assert stability(*fleet(draw, 20, 0.02, -1.0), 0.95)[1].holds is False
    assert stability(*fleet(draw, 5, 0.2, 1.0), 0.95)[1].holds is None


@pytest.mark.parametrize(
    ("accuracy", "peak"),
    [
        ({}, {}),
        ({"a": 0.5}, {"a": 1.0}),
        ({"a": 0.5, "b": 0.7, "c": 0.9}, {"a": 2.0, "b": 1.5, "c": 1.0}),
        (dict.fromkeys("abcdef", 0.5), PEAK),
        (ACCURACY, dict.fromkeys("abcdef", 1.0)),
        ({**dict.fromkeys("abcde", 0.5), "f": 0.9}, PEAK),  # r hangs on one subject
        ({"a": 0.5, "b": 0.5, "c": 1.0, "d": 1.0}, {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0}),  # two points
    ],
)
def test_where_nothing_can_be_told_the_interval_is_everything(
    accuracy: dict[str, float], peak: dict[str, float]
) -> None:
    measure, verdict = stability(accuracy, peak, 0.95)
    assert verdict.holds is None
    assert "too small" in verdict.because
    assert (measure.low, measure.high) == ((None, None) if measure.value is None else (-1.0, 1.0))
    assert measure.notes


def test_subjects_without_accuracy_or_drift_are_left_out_and_named() -> None:
    measure, verdict = stability(
        {**ACCURACY, "still": 0.5, "silent": 0.4}, {**PEAK, "still": 0.0, "mute": 2.0}, 0.95
    )
    known = stability(ACCURACY, PEAK, 0.95)[0]
    assert (measure.value, measure.low, measure.high, measure.n) == (known.value, known.low, known.high, 6)
    assert "mute, silent, still" in measure.notes[-1]
    assert "mute, silent, still" in verdict.because


@given(fleets, st.permutations(range(12)))
def test_neither_order_nor_names_make_a_difference_and_the_interval_holds_the_value(
    found: list[tuple[float, float]], order: list[int]
) -> None:
    names = [f"{place:02}" for place in range(len(found))]
    first = stability(
        {name: one[0] for name, one in zip(names, found, strict=True)},
        {name: one[1] for name, one in zip(names, found, strict=True)},
        0.95,
    )
    moved = [found[place] for place in order if place < len(found)]
    other = stability(
        {name: one[0] for name, one in zip(reversed(names), moved, strict=True)},
        {name: one[1] for name, one in zip(reversed(names), moved, strict=True)},
        0.95,
    )
    assert first == other
    if first[0].value is not None:
        assert first[0].low is not None
        assert first[0].high is not None
        assert -1 <= first[0].low <= first[0].value <= first[0].high <= 1
