from __future__ import annotations

from assay.instruments.consistency.measures.diagnosis import ADVICE, Diagnosis, Missing
from assay.instruments.consistency.measures.shares import COMPONENTS, ConsistencySettings
from assay.instruments.consistency.scoring import diagnoses
from tests.instruments.consistency.made import Made, checked


def only(made: Made) -> Diagnosis:
    (found,) = diagnoses(made.outcomes, made.scenarios, ConsistencySettings())
    return found


def test_the_lowest_component_is_named_with_its_cost_and_the_advice_of_the_spec() -> None:
    found = only(Made().exchanges(10, 9, 10).share("M2", 2, 4).share("M3", 3, 3).share("P", 2, 2))
    assert (found.lowest, found.lowest_value, found.advice) == ("F", 0.5, ADVICE["F"])
    assert found.sentences[0] == "a: the lowest component is F (refusal form) at 0.500, which costs M5 0.100"
    assert f"a: what may help: {ADVICE['F']}" in found.sentences
    assert set(COMPONENTS) <= set(ADVICE)


def test_a_flawless_subject_gets_no_advice() -> None:
    found = only(Made().whole(3))
    assert (found.lowest, found.advice, found.sentences) == (None, "", ())


def test_what_is_missing_in_nine_of_ten_failures_is_missing_consistently() -> None:
    made = Made()
    for number in range(10):
        made.add(
            "M2", False, checks=checked(limit=True, proximity=number == 0, adjacent=number < 5, leak=False)
        )
    found = only(made)
    assert found.missing == (Missing("M2", "proximity", 9, 10),)
    assert "a: proximity is missing in 9 of 10 failures of refusal form" in found.sentences


def test_a_fault_that_was_not_found_is_not_missing() -> None:
    made = Made()
    for _ in range(5):
        made.add("M4", False, checks=checked(sha256=False, reused=False))
    assert [m.check for m in only(made).missing] == ["sha256"]


def test_failures_are_counted_most_frequent_first() -> None:
    made = Made().add("M2", False, failures=("bare_refusal",)).share("M3", 0, 2, failures=("no_repair",))
    found = only(made)
    assert found.failures == (("no_repair", 2), ("bare_refusal", 1))
    assert "a: the most frequent failures are no_repair (2), bare_refusal (1)" in found.sentences


def test_slow_repairs_are_told_by_the_mean_or_as_outliers() -> None:
    slow = only(Made().add("M3", False, seconds=70.0).add("M3", False, seconds=100.0))
    assert any("85.0 s on average" in s and "P80 is 100.0 s" in s for s in slow.sentences)
    outlier = only(Made().share("M3", 5, 5, seconds=5.0).add("M3", False, seconds=85.0))
    assert any("1 of 6 repairs took longer than Δ = 60 s" in s for s in outlier.sentences)


def test_what_was_not_tested_is_said() -> None:
    assert "a: nothing was tested for R, P" in only(Made().exchanges(2, 2, 2).add("M2", True)).sentences
