"""Differences: pairs count as pairs, clusters as one, what is not known as bounds; corrected together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from assay.measuring.comparison import MeasureDifference, Observation, PairedSamples, published_difference
from assay.measuring.comparison.difference import corrected
from assay.stats import holm, mcnemar, mean_curve
from assay.vocabulary import Measure


def observed(values: Sequence[float | None], subject: str = "x", **more: object) -> list[Observation]:
    return [
        Observation("success", subject, value, f"unit {number}", "item")._replace(**more)  # type: ignore[arg-type]
        for number, value in enumerate(values)
    ]


def difference(
    first: list[Observation], second: list[Observation], *, paired: bool = True, margin: float | None = None
) -> MeasureDifference:
    return PairedSamples(first, second, paired=paired).difference("success", {}, margin=margin)


ONE = [1.0] * 30 + [0.0] * 10
TWO = [1.0] * 18 + [0.0] * 12 + [1.0] * 2 + [0.0] * 8  # of the same units: 12 lost, 2 gained


def test_pairs_are_tested_as_mcnemar_does() -> None:
    found = difference(observed(ONE), observed(TWO))
    assert (found.first, found.second, found.difference) == (0.75, 0.5, -0.25)
    assert (found.pairing, found.units_shared) == ("paired", 40)
    assert found.p == pytest.approx(mcnemar(12, 2).p_value, rel=0.03)  # a saddlepoint approximation


def test_the_same_values_unpaired_are_known_less_well_when_pairs_go_together() -> None:
    pairs = difference(observed(ONE), observed(TWO))
    apart = difference(observed(ONE), observed(TWO), paired=False)
    assert (apart.pairing, apart.units_shared, apart.units_second) == ("unpaired", 0, 40)
    assert apart.difference == pairs.difference
    assert apart.p is not None
    assert pairs.p is not None
    assert apart.p > pairs.p


def test_units_that_one_side_lacks_count_alone() -> None:
    found = difference(observed(ONE), observed(TWO)[:30])
    assert (found.pairing, found.units_first, found.units_second, found.units_shared) == (
        "partly paired",
        40,
        30,
        30,
    )


def test_answers_of_one_unit_count_as_one() -> None:
    """Ten copies of every answer are no more data."""
    once = difference(observed(ONE), observed(TWO))
    copies = difference(observed(ONE) * 10, observed(TWO) * 10)
    assert (copies.difference, copies.p, copies.units_shared) == (once.difference, once.p, once.units_shared)


def test_the_mean_over_parts_gives_each_the_same_weight() -> None:
    first = [
        *observed([1.0] * 10, part="a"),
        *[o._replace(unit=f"b{o.unit}") for o in observed([0.0] * 2, part="b")],
    ]
    second = [
        *observed([1.0] * 10, part="a"),
        *[o._replace(unit=f"b{o.unit}") for o in observed([1.0] * 2, part="b")],
    ]
    found = difference(first, second)
    assert (found.first, found.second, found.difference) == (0.5, 1.0, 0.5)


def test_a_part_that_one_side_has_no_answer_in_is_left_out_on_both() -> None:
    first = [*observed([1.0] * 4, part="a"), *observed([0.0] * 4, part="b")]
    second = [*observed([1.0] * 4, part="a"), *observed([None] * 4, part="b")]
    found = difference(first, second)
    assert (found.first, found.second, found.units_shared) == (1.0, 1.0, 4)


def test_treatment_less_control_is_compared_as_a_difference_of_differences() -> None:
    control, treatment = observed([0.0, 0.0, 1.0, 0.0], sign=-1.0), observed([1.0, 1.0, 1.0, 0.0])
    still = observed([0.0, 0.0, 1.0, 0.0])
    found = difference([*control, *still], [*control, *treatment])
    assert (found.first, found.second, found.difference) == (0.0, 0.5, 0.5)


def test_what_could_not_be_read_is_a_bound_and_is_counted() -> None:
    found = difference(observed([1.0, 1.0, 0.0, None]), observed([1.0, 0.0, 0.0, 0.0]))
    assert found.difference == pytest.approx(1 / 4 - 2 / 3)
    assert (found.bound_low, found.bound_high) == (-0.5, -0.25)
    assert found.notes == ("not read: 1 in the first, 0 in the second",)


def test_without_answers_there_is_no_difference_and_it_is_said() -> None:
    found = difference(observed([None, None]), observed([1.0, 0.0]))
    assert (found.difference, found.low, found.p, found.different) == (None, None, None, None)
    assert "no value on one side" in found.notes


def test_all_that_are_printed_are_corrected_together_by_holm() -> None:
    every = [difference(observed(ONE), observed(TWO)) for _ in range(4)]
    raw = [0.001, 0.013, 0.03, 0.4]
    found = corrected([replace(one, p=p) for one, p in zip(every, raw, strict=True)])
    assert [one.p_corrected for one in found] == pytest.approx(holm(raw).adjusted)
    assert [one.different for one in found] == [True, True, None, None]


def test_what_has_no_test_is_no_comparison_that_is_corrected_for() -> None:
    one = difference(observed(ONE), observed(TWO))
    (found, untested) = corrected([one, replace(one, p=None)])
    assert found.p_corrected == one.p
    assert (untested.p_corrected, untested.different) == (None, None)


def test_no_larger_than_the_margin_is_two_one_sided_tests() -> None:
    rng = np.random.default_rng(1)
    first = rng.beta(2, 2, 200).round(3)
    second = np.clip(first + rng.normal(0, 0.02, 200), 0, 1)
    found = difference(observed(list(first)), observed(list(second)), margin=0.05)
    curve = mean_curve(second - first, -1.0, 1.0)
    assert found.p_margin == pytest.approx(max(curve.p_value(-0.05), curve.p_value(0.05)) / 2, rel=1e-6)
    assert corrected([found])[0].equivalent is True
    ninety = curve.interval(0.90)
    assert ninety.low >= -0.05
    assert ninety.high <= 0.05
    far = difference(observed(list(first)), observed(list(second)), margin=0.001)
    assert corrected([far])[0].equivalent is None


def measured(value: float | None, low: float | None = None, high: float | None = None) -> Measure:
    return Measure(
        name="R",
        value=value,
        low=low,
        high=high,
        confidence=0.95,
        n=20,
        labels={"subject": "x", "level": "ast"},
    )


def test_published_intervals_are_joined_and_their_errors_add_up() -> None:
    found = published_difference(measured(0.5, 0.3, 0.7), measured(0.9, 0.8, 1.0))
    assert (found.difference, found.low, found.high) == (0.4, 0.1, 0.7)
    assert found.confidence == pytest.approx(0.9)
    assert (found.pairing, found.p, found.different, found.labels) == (
        "published",
        None,
        None,
        {"level": "ast"},
    )
    assert found.notes == ("from the two published intervals; no test",)


def test_values_without_an_interval_are_subtracted_and_it_is_said() -> None:
    found = published_difference(measured(2.0), measured(4.0))
    assert (found.difference, found.low, found.confidence, found.method) == (2.0, None, None, "values alone")
    assert found.notes[0].startswith("no interval")
    assert published_difference(measured(None), measured(4.0)).difference is None
