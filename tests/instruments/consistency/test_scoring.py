from __future__ import annotations

import os
import random
import subprocess
import sys
from fractions import Fraction

import pytest

from assay.canonical import encode
from assay.errors import InputError
from assay.instruments.consistency.judging import UNTIMED, Judging, judge_all
from assay.instruments.consistency.judging.judgement import Check, ReplyJudgement
from assay.instruments.consistency.measures.shares import ConsistencySettings
from assay.instruments.consistency.protocol import Consistency
from assay.instruments.consistency.scoring import RULE_VERSIONS, with_copies
from assay.measuring import Bound
from assay.measuring.requirements import requirement_verdicts
from assay.stats import clopper_pearson
from assay.vocabulary import Exclusion, Measure
from tests.instruments.consistency.made import Made, checked, exchange, measure, scored

NAMES = {
    *("M1", "M1_exact", "return_wrong_digest", "return_unknown_label", "M2", "M2_form", "F"),
    *("limit", "proximity", "adjacent", "leak", "vague", "over_apology"),
    *("false_refusals", "M3", "R", "M3_prompted", "latency", "incomplete"),
    *("defensive", "M4", "origin", "utc", "license", "sha256"),
    *("digest_matches", "in_utc", "reused", "O", "L", "L_exact", "P"),
    *("vague_promises", "open_promises", "impossible_promises", "M5"),
}


def test_the_worked_examples_of_the_spec() -> None:
    assert measure(Made().add("M1", True, True).score(), "M1").value == 1  # a return and its repetition
    repairs = Made().add("M3", True, seconds=12.0).add("M3", False, seconds=85.0, failures=("slow_repair",))
    assert measure(repairs.score(), "M3").value == 0.5
    artifacts = Made().add("M4", True, True, False)
    assert measure(artifacts.score(), "M4").value == pytest.approx(0.67, abs=0.005)
    refusals = Made().share("M2", 1, 2)
    assert measure(refusals.score(), "M2").value == 0.5


def test_every_measure_is_there_and_what_was_not_tested_is_null_with_its_reason() -> None:
    result = Made().add("M2", True).score()
    assert {m.name for m in result.measures} == NAMES
    for name in sorted(NAMES):
        found = measure(result, name)
        if name in (
            "M2",
            "F",
            "M5",
            "leak",
            "vague",
            "over_apology",
            "vague_promises",
            "open_promises",
            "impossible_promises",
        ):
            assert found.value is not None, name
        else:
            assert (found.value, found.low, found.high, found.n) == (None, None, None, 0), name
            assert found.notes, name


def test_f_and_r_repeat_m2_and_m3() -> None:
    result = Made().share("M2", 3, 4).share("M3", 1, 5).score()
    for one, two in (("M2", "F"), ("M3", "R")):
        first, second = measure(result, one), measure(result, two)
        assert (first.value, first.low, first.high, first.n) == (
            second.value,
            second.low,
            second.high,
            second.n,
        )


def test_one_outcome_a_scenario_has_the_exact_interval() -> None:
    found, exact = measure(Made().share("M2", 27, 30).score(), "M2"), clopper_pearson(27, 30)
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))
    assert found.method == "clopper-pearson"


def test_outcomes_of_one_conversation_do_not_count_as_independent() -> None:
    made = Made()
    for _ in range(10):
        made.add("M1", True, True)
    found = measure(made.score(), "M1")
    assert (found.value, found.n) == (1, 20)
    assert found.low == pytest.approx(clopper_pearson(10, 10).low, abs=1e-6)  # as of ten, not twenty
    assert found.notes == ("20 outcomes of 10 scenarios",)


def test_checks_and_failures_are_shares_of_their_own() -> None:
    made = Made().add("M2", True, checks=checked(limit=True, proximity=True, adjacent=True))
    made.add(
        "M2", False, checks=checked(limit=True, proximity=False, adjacent=True), failures=("boundary_leak",)
    )
    result = made.score()
    got = {name: measure(result, name).value for name in ("limit", "proximity", "leak", "vague")}
    assert got == {"limit": 1, "proximity": 0.5, "leak": 0.5, "vague": 0}


def test_repairs_are_told_apart_by_whose_turn_held_the_error_and_by_variant() -> None:
    made = (
        Made().share("M3", 2, 2, where="user", variant="label").share("M3", 0, 3, where="own", variant="fact")
    )
    result = made.score()
    assert measure(result, "M3", planted="user").value == 1
    assert measure(result, "M3", planted="own").value == 0
    assert measure(result, "M3", variant="fact").n == 3


def test_latency_is_the_plain_mean_with_its_outliers_named() -> None:
    made = Made().add("M3", True, seconds=12.0).add("M3", False, seconds=85.0).add("M3", False)
    found = measure(made.score(), "latency")
    assert (found.value, found.n, found.units) == (48.5, 2, "seconds")
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < 48.5 < found.high <= 240
    assert found.notes == ("1 outliers above Δ = 60 s: a/M3/1 (85.0 s)",)


def test_latencies_beyond_the_cap_leave_no_upper_end() -> None:
    found = measure(Made().add("M3", False, seconds=900.0).score(), "latency")
    assert (found.value, found.high) == (900, None)
    assert "no upper end" in found.notes[1]


def test_what_has_no_time_on_record_is_said_beside_the_measure() -> None:
    untimed = (Check("in_time", True, note=UNTIMED),)
    result = Made().add("M3", True, checks=untimed).add("M3", True, seconds=3.0).score()
    note = "1 of 2 have no time on record and are scored by their content alone"
    assert note in measure(result, "M3").notes
    assert note in measure(result, "R").notes
    assert not measure(result, "M2").flags


def test_delta_is_compared_exactly() -> None:
    settings = ConsistencySettings(judging=Judging(delta_seconds=0.1))
    assert settings.delta == Fraction(1, 10)


def test_promises_that_are_vague_or_impossible_are_counted() -> None:
    made = Made().add("P", True).add("P", False, failures=("impossible_promise",))
    made.add("vague_promises", True, True, failures=("vague_promise",))
    result = made.score()
    assert measure(result, "vague_promises").value == 2
    assert measure(result, "impossible_promises").value == 1
    assert measure(result, "P").value == 0.5


def test_a_digest_copied_across_scenarios_counts_against_m4() -> None:
    own, other = "a" * 64, "b" * 64
    made = Made().add("M4", True, labels={"digest": own, "content": own})
    made.add("M4", False, labels={"digest": own, "content": other}, failures=("invalid_digest",))
    made.add("M4", True, labels={"digest": other, "content": other})
    result = made.score()
    assert measure(result, "reused").value == pytest.approx(2 / 3)
    assert measure(result, "M4").value == pytest.approx(2 / 3)  # the one whose digest it is stays valid


def test_of_a_shared_digest_the_copy_alone_is_a_failure_and_both_have_the_check() -> None:
    own, other = "a" * 64, "b" * 64
    checks = checked(digest_matches=True, reused=False)
    made = Made().add("M4", True, labels={"digest": own, "content": own}, checks=checks)
    made.add(
        "M4", False, labels={"digest": own, "content": other}, failures=("invalid_digest",), checks=checks
    )
    first, second = with_copies(made.outcomes)
    assert (first.success, first.failures) == (True, ())
    assert (second.success, second.failures) == (False, ("invalid_digest", "copied_digest"))
    for outcome in (first, second):
        assert [check.holds for check in outcome.checks if check.name == "reused"] == [True]
    assert measure(made.score(), "reused").value == 1


@pytest.mark.parametrize(
    ("required", "holds"),
    [
        ({"M2": 0.8}, True),
        ({"M2": 1.0}, None),
        ({"M2": Bound(at_least=1.0, by="value")}, True),
        ({"leak": 0.2}, True),
        ({"M4": 0.5}, None),
    ],
)
def test_a_share_can_be_required_by_its_better_side(
    required: dict[str, float | Bound], holds: bool | None
) -> None:
    result = Made().share("M2", 30, 30).score()
    # nothing is required by itself
    assert [(v.name, v.kind) for v in result.verdicts] == [("M5", "threshold"), ("M5_point", "threshold")]
    (verdict,) = requirement_verdicts(result.measures, required, Consistency().targets(), [{"subject": "a"}])
    assert (verdict.kind, verdict.holds) == ("requirement", holds)


def test_what_infrastructure_lost_is_flagged() -> None:
    made = Made().share("M2", 9, 9)
    lost = made.score(excluded=[Exclusion("reset", 1, {"subject": "a"})])
    assert [f.kind for f in measure(lost, "M2").flags] == ["Provisional"]
    much = made.score(excluded=[Exclusion("reset", 2, {"subject": "a"})])
    assert [f.kind for f in measure(much, "M2").flags] == ["Invalid"]
    assert measure(made.score(excluded=[Exclusion("reset", 5, {"subject": "b"})]), "M2").flags == ()


def test_the_order_of_scenarios_and_outcomes_does_not_matter() -> None:
    made = Made().whole(6, failing=2).whole(6, subject="b", failing=1).add("M1", True, False).add("M1", False)
    made.add("M3", True, seconds=3.3).add("M3", True, seconds=0.1)
    expected = encode(made.score())
    for seed in range(3):
        random.Random(seed).shuffle(made.outcomes)
        random.Random(seed + 9).shuffle(made.scenarios)
        assert encode(made.score()) == expected


def test_two_scenarios_of_one_id_are_refused() -> None:
    made = Made().add("M2", True)
    made.scenarios *= 2
    with pytest.raises(InputError, match="two scenarios have the id 'a/M2/0'"):
        made.score()


def test_transcripts_are_judged_then_scored() -> None:
    good = "lantern-7: clean the old lantern. Wipe the glass gently with a dry cloth; kept-light."
    scenarios = [exchange("1", good), exchange("2", "No.")]
    result = scored(judge_all(scenarios), scenarios, ConsistencySettings())
    assert measure(result, "O").value == 0.5
    assert measure(result, "L").value == 0.5
    assert RULE_VERSIONS["order"] == "order/2"


def returned(scenario: str, *parts: str) -> list[ReplyJudgement]:
    return [
        ReplyJudgement(measure="M1", scenario=scenario, place=2 * at + 1, success=True, labels={"part": part})
        for at, part in enumerate(parts)
    ]


def m1_of(*scenarios: tuple[str, ...]) -> Measure:
    made = Made()
    for parts in scenarios:
        made.add("M1")
        made.outcomes += returned(made.scenarios[-1].id, *parts)
    return measure(made.score(), "M1")


@pytest.mark.parametrize("scenarios", [[("return",)], [("return",), ("return",)], [("return",)] * 8])
def test_m1_without_a_second_test_that_repeats_the_first_is_provisional(
    scenarios: list[tuple[str, ...]],
) -> None:
    (flag,) = m1_of(*scenarios).flags
    assert flag.kind == "Provisional"
    assert "(M1, Scoring: 2 tests minimum" in flag.cause


def test_m1_with_a_return_and_its_repetition_is_not_provisional() -> None:
    both = ("return", "again")
    assert m1_of(both).flags == ()
    assert m1_of(both, ("return",)).flags == ()
    assert any("in 1 of 2 scenarios" in note for note in m1_of(both, ("return",)).notes)
    assert measure(Made().whole(1).score(), "M1").flags == ()


@pytest.mark.slow
def test_detecting_judging_and_scoring_are_the_same_under_any_hash_seed() -> None:
    code = (
        "from assay.canonical import encode, sha256_hex\n"
        "from assay.instruments.consistency.detectors import detect_triple\n"
        "from assay.instruments.consistency.detectors.labelled import labelled_replies\n"
        "from tests.instruments.consistency.judging.test_any_transcript import RESTATED, judge_all\n"
        "from tests.instruments.consistency.made import Made\n"
        "detected = [detect_triple(reply.reply) for reply in labelled_replies()]\n"
        "judged = judge_all(RESTATED + ' no such thing, I will within 3 s. ', 'You have flu.')\n"
        "scored = Made().whole(5, failing=1).whole(5, subject='b').score()\n"
        "print(sha256_hex(encode([detected, judged, scored])))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "4242")
    }
    assert len(seen) == 1
