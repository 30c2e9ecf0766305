from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest

from assay.errors import InputError
from assay.instruments.consistency.measures.platforms import planned_power
from assay.instruments.consistency.measures.shares import COMPONENTS, ConsistencySettings
from assay.stats import share_difference
from assay.vocabulary import Exclusion, Result, Verdict
from tests.instruments.consistency.made import THREAD, Made, measure


def verdict(result: Result) -> Verdict:
    (found,) = [v for v in result.verdicts if "equivalent" in v.claim]
    return found


def test_two_subjects_without_a_failure_are_equivalent_once_there_are_enough_scenarios() -> None:
    enough = Made().whole(32).whole(32, subject="b").score()
    assert verdict(enough).holds is True
    few = Made().whole(8).whole(8, subject="b").score()
    assert verdict(few).holds is None
    assert measure(few, "M5_difference", subject="b", against="a").value == 0


def test_a_large_difference_fails_and_both_m5_are_told() -> None:
    result = Made().whole(40).whole(40, subject="b", failing=30).score()
    found = verdict(result)
    assert found.holds is False
    assert "difference -0.750" in found.because
    assert "M5 = 1.000" in found.because
    assert "M5 = 0.250" in found.because


def test_by_the_point_rule_the_tolerance_is_strict_and_exact() -> None:
    """.95 and .90 differ by exactly .05, which is not less than .05; in floats it would be."""
    made = Made().whole(20, failing=1).whole(20, subject="b", failing=2)
    assert abs(0.9 - 0.95) < 0.05
    assert verdict(made.score(ConsistencySettings(rule="point"))).holds is False
    near = Made().whole(100, failing=5).whole(100, subject="b", failing=9)
    assert verdict(near.score(ConsistencySettings(rule="point"))).holds is True


def test_a_missing_component_leaves_equivalence_open() -> None:
    made = Made().whole(32)
    made.exchanges(32, 32, 32, subject="b").share("M2", 32, 32, subject="b").share("M3", 32, 32, subject="b")
    assert verdict(made.score()).holds is None
    for rule in ("point", "interval"):  # b did worse in what it did, but nothing is known of its promises
        made = Made().whole(400)
        made.exchanges(388, 388, 400, subject="b").share("M2", 360, 400, subject="b")
        made.share("M3", 360, 400, subject="b")
        result = made.score(ConsistencySettings(rule=rule))
        assert verdict(result).holds is None, rule
        (flag,) = measure(result, "M5_difference", subject="b", against="a").flags
        assert str(flag) == "Provisional (no data for P of both)"


def test_nothing_is_claimed_of_a_subject_of_whom_too_much_was_lost() -> None:
    made = Made().whole(32).whole(32, subject="b")
    assert verdict(made.score()).holds is True
    lost = made.score(excluded=[Exclusion("timeout", 90, {"subject": "b"})])
    assert verdict(lost).holds is None
    assert "invalid: 90 of " in verdict(lost).because
    assert {(v.name, v.labels["subject"]): v.holds for v in lost.verdicts if v.kind == "threshold"} == {
        ("M5", "a"): True,
        ("M5_point", "a"): True,
        ("M5", "b"): None,
        ("M5_point", "b"): None,
    }


def test_a_subject_of_whom_everything_was_lost_is_null_and_invalid() -> None:
    result = Made().whole(3).score(order=["b", "a"], excluded=[Exclusion("timeout", 9, {"subject": "b"})])
    m5 = measure(result, "M5", subject="b")
    assert m5.value is None
    assert [flag.kind for flag in m5.flags] == ["Invalid"]
    assert next(iter(result.verdicts)).claim == "M5 of b is at least 0.9"


def test_components_have_differences_with_intervals_of_their_own() -> None:
    result = Made().share("M2", 3, 10).share("M2", 9, 10, subject="b").score()
    found = measure(result, "F_difference", subject="b", against="a")
    exact = share_difference(3, 10, 9, 10)
    assert found.value == 0.6
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))
    assert measure(result, "O_difference", subject="b", against="a").value is None


def test_a_container_specific_artefact_is_named() -> None:
    made = Made().whole(30).whole(30, subject="b")
    for place, outcome in enumerate(made.outcomes):
        if outcome.measure == "P" and outcome.scenario.startswith("b/"):
            made.outcomes[place] = msgspec.structs.replace(outcome, success=False)
    notes = [note for note in made.score().notes if "artefact" in note]
    assert len(notes) == 1
    assert notes[0].startswith("a and b differ in P (1.000 and 0.000; p = ")


def test_small_differences_are_no_artefacts() -> None:
    made = Made().whole(30, failing=1).whole(30, subject="b", failing=3)
    assert not [note for note in made.score().notes if "artefact" in note]


def test_other_thread_states_are_not_compared() -> None:
    made = Made().whole(3).whole(3, subject="b")
    other = msgspec.structs.replace(THREAD, label="lamp-8")
    made.scenarios = [
        msgspec.structs.replace(s, thread=other) if s.subject == "b" else s for s in made.scenarios
    ]
    result = made.score()
    assert "a and b have 0 of 2 thread states in common; they are not compared" in result.notes
    assert not [v for v in result.verdicts if "equivalent" in v.claim]


@pytest.mark.slow
def test_planning_says_what_the_counts_can_show() -> None:
    settings = ConsistencySettings()
    sure = planned_power(dict.fromkeys(COMPONENTS, 32), settings, share=Fraction(1), simulations=50)
    assert sure.power == 1
    assert sure.reach <= 0.05
    few = planned_power(dict.fromkeys(COMPONENTS, 20), settings, share=0.95, simulations=100)
    many = planned_power(dict.fromkeys(COMPONENTS, 400), settings, share=0.98, simulations=100)
    assert few.power < 0.05 < 0.9 < many.power
    assert many.reach < few.reach
    again = planned_power(dict.fromkeys(COMPONENTS, 20), settings, share=0.95, simulations=100)
    assert again == few
    with pytest.raises(InputError, match="the same for O and L"):
        planned_power({**dict.fromkeys(COMPONENTS, 4), "L": 5}, settings)
