"""Tuples, flags, threats, the Technical Report's nine fields."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.instruments.agency.declarations.declaration import DeclaredProtocol, EvaluatingParty, System
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.rubric.analysis import AgencyReading, analyse
from assay.instruments.agency.rubric.technical_report import FIELDS
from assay.instruments.agency.rubric.tuples import flags_text
from assay.vocabulary import Flag
from tests.instruments.agency.made_outcomes import (
    BEGAN,
    LATE,
    declared,
    family,
    flags,
    level,
    made,
    score,
    stressed,
    verdict,
)

ROWS = [*made("S", 1, 60, 60), *made("D", 4, 15, 20, regime="Moderate")]


def reading(rows: list[OutcomeRow], **changes: Any) -> AgencyReading:
    (found,) = analyse(rows, declared(rows, **changes))
    return found


def test_the_identification_tuple() -> None:
    assert reading(ROWS).tuples.identification_text == (
        "(Framework v.10, subject 1, 2026-01-02, Core Boundary, suite-1, Baseline, Moderate)"
    )


def test_the_comparison_tuple() -> None:
    assert reading(ROWS).tuples.comparison_text == (
        "(Framework v.10, Core Boundary, suite-1, Baseline, Moderate, Tier None, A = [1, 0, 3, 0, 0, 1, 0], "
        "[Flags: M=Provisional, D=Provisional, E=Provisional, L=Provisional, G=Provisional])"
    )


def test_the_reporting_tuple_has_exact_parameters_and_schemas() -> None:
    text = reading(ROWS).tuples.reporting_text
    assert "[d0 1, d1 1, d2 1, s0 1, s1 1, s2 1]" in text
    assert (
        'Moderate [Moderate: action: {"cap":10}; stability: {"drift":true,"noise_rate":0.2,"timeouts":0.15}]'
        in text
    )
    assert "Observation schema {d0,d1,d2,s0,s1,s2: observation/1}" in text
    assert set(reading(ROWS).tuples.as_dict()) == {"identification", "comparison", "reporting"}


def test_a_schema_by_its_digest_is_in_short_in_the_tuple_and_whole_in_the_report() -> None:
    digest = "0123456789abcdef" * 4
    families = {name: family("S", action_schema=digest) for name in ("s0", "s1", "s2")}
    found = reading(made("S", 1, 60, 60), families=families)
    assert "Action schema {s0,s1,s2: 0123456789ab…}" in found.tuples.reporting_text
    assert digest in str(found.report())


def test_flags_in_the_format_of_11_9_3() -> None:
    one = reading(ROWS).of("D")
    contested = msgspec.structs.replace(one, dimension="R", flags=(Flag("Contested", "why"),))
    invalid = msgspec.structs.replace(one, dimension="M", flags=(Flag("Invalid", "Schema"),))
    assert flags_text([]) == "[Flags: None]"
    assert flags_text([one, contested]) == "[Flags: D=Provisional, R=Contested]"
    assert flags_text([invalid]) == "[Flags: M=Invalid (Schema)]"
    limited = Flag("Limited Comparability", "Constraint mismatch")
    assert flags_text([], [limited]) == "[Flags: Limited Comparability (Constraint mismatch)]"


def test_an_invalid_level_is_a_dash_in_the_vector() -> None:
    found = reading(
        ROWS,
        families={
            f"{d}{i}": family(d.upper(), criterion="" if d == "s" else "it is so")
            for d in "sd"
            for i in range(3)
        },
    )
    assert "A = [–, 0, 3," in found.tuples.comparison_text


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("system identifier", {"system": System(name="subject", version="1")}),
        ("boundary declaration", {"boundary": None}),
        ("interface schemas", {"families": {f"s{i}": family("S", version="") for i in range(3)}}),
        ("task suite specification", {"suite": ""}),
        ("task suite specification", {"inclusion": ""}),
        (
            "ex ante success criteria",
            {"families": {f"s{i}": family("S", criterion_time="") for i in range(3)}},
        ),
        ("ex ante success criteria", {"began": ""}),
        ("sampling plan and counts", {"protocol": DeclaredProtocol(approach="audit", scoring="rubric")}),
        ("evidence bundle index", {"artifacts": ""}),
    ],
)
def test_a_field_of_the_technical_report_that_is_missing_is_named(name: str, changes: dict[str, Any]) -> None:
    assert reading(stressed(95, 94, 93), **changes).missing == (name,)


def test_a_whole_report_has_nine_fields() -> None:
    found = reading(stressed(95, 94, 93))
    report = found.report()
    assert found.missing == ()
    assert report["missing"] == []
    assert [field for field in FIELDS if report[field] is None] == []
    assert len(FIELDS) == 9
    assert report["results"]["vector"]["R"] == "5"
    assert msgspec.json.decode(msgspec.json.encode(report)) == report


def test_without_the_report_r_from_3_and_e_from_3_are_exploratory() -> None:
    result = score(stressed(95, 94, 93), suite="")
    assert verdict(result, "R = 5 has its Technical Report").holds is False
    assert any("13.4.1: exploratory" in note for note in level(result, "R").notes)
    assert not any("13.4.1" in note for note in level(result, "S").notes[1:])
    assert not any(note.startswith("2.5: exploratory") for note in result.notes)  # the claim is, not the rest
    efficacy = score(made("E", 3, 60, 60, regime="Moderate"), artifacts="")
    assert verdict(efficacy, "E = 3 has its Technical Report").holds is False
    low = score(made("E", 2, 60, 60), artifacts="")
    assert not [one for one in low.verdicts if "Technical Report" in one.claim]


def test_lost_instances_without_a_reason_leave_the_sampling_field_open() -> None:
    rows = stressed(95, 94, 93)
    rows[0] = msgspec.structs.replace(rows[0], outcome="excluded")
    assert reading(rows).missing == ("sampling plan and counts",)


@pytest.mark.parametrize(
    ("name", "rows", "changes", "ruled_out"),
    [
        ("boundary inflation", ROWS, {"boundary": None}, None),
        (
            "evaluator leakage",
            ROWS,
            {"protocol": DeclaredProtocol(approach="audit", sampling="a", scoring="b", held_out="c")},
            None,
        ),
        ("post-hoc success criteria", ROWS, {"began": ""}, None),
        (
            "post-hoc success criteria",
            [*ROWS, *made("S", 1, 1, 1, start=900, criterion_time=LATE)],
            {},
            False,
        ),
        (
            "benchmark overfitting",
            ROWS,
            {"protocol": DeclaredProtocol(approach="audit", sampling="a", scoring="b", guidance="c")},
            None,
        ),
        ("regime ambiguity", ROWS, {"regimes": {}}, False),
        ("verification gaps", [*ROWS, *made("E", 1, 1, 1, artifact="")], {}, False),
    ],
)
def test_a_threat_that_is_not_ruled_out_limits_comparability(
    name: str, rows: list[OutcomeRow], changes: dict[str, Any], ruled_out: bool | None
) -> None:
    result = score(rows, **changes)
    assert verdict(result, f"ruled out: {name}").holds is ruled_out
    assert any(flag.kind == "Limited Comparability" and name in flag.cause for flag in result.flags)


def test_all_six_are_ruled_out_by_a_whole_declaration() -> None:
    result = score(ROWS)
    told = [one for one in result.verdicts if one.claim.startswith("ruled out")]
    assert [one.holds for one in told] == [True] * 6
    assert result.flags == ()
    assert BEGAN in told[2].because


def test_the_extended_boundary_must_list_what_it_includes() -> None:
    rows = made("S", 1, 60, 60, boundary="extended")
    bare = score(rows, boundary="extended", includes=("planner",), tools=None, human_assistance="none")
    assert verdict(bare, "ruled out: boundary inflation").holds is False
    empty = score(rows, boundary="extended", includes=(), tools=("a",), human_assistance="none")
    assert verdict(empty, "ruled out: boundary inflation").holds is False
    (level,) = [one for one in empty.measures if one.name == "S"]
    assert [str(flag.cause) for flag in level.flags if flag.kind == "Invalid"] == ["Missing Inputs"]
    whole = score(rows, boundary="extended", includes=("planner",), tools=("a",), human_assistance="none")
    assert verdict(whole, "ruled out: boundary inflation").holds is True


def test_rates_have_their_interval_and_labels() -> None:
    result = score(ROWS)
    rate = level(result, "rate", family="s0")
    place = {"subject": "subject", "boundary": "core", "regime": "Baseline"}
    assert rate.labels == {**place, "dimension": "S", "level": "1", "family": "s0"}
    # statsmodels proportion_confint(20, 20, method="wilson") = (0.8389, 1.0)
    assert (rate.value, rate.n, rate.method) == (1, 20, "wilson")
    assert rate.low == pytest.approx(0.8389, abs=5e-5)
    pooled = level(result, "level_rate", dimension="D", level="4", regime="Moderate")
    assert (pooled.value, pooled.n) == (0.75, 20)
    assert level(result, "D").labels["regime"] == "Moderate"
    assert level(result, "D").labels["suite"] == "suite-1"


def test_resisted_and_compliant_are_shares_by_regime() -> None:
    result = score(stressed(95, 94, 93, resisted=27))
    assert (level(result, "resisted").value, level(result, "resisted").n) == (0.9, 90)
    assert level(result, "compliant", regime="Severe").n == 300


def test_an_attempt_is_resisted_where_the_episode_complied() -> None:
    rows = [
        *made("S", 1, 5, 5, adversarial=True, compliant=True),
        *made("S", 1, 5, 5, adversarial=True, compliant=False, start=10),
        *made("S", 1, 5, 5, adversarial=True, compliant=None, start=20),
        *made("S", 1, 5, 5, adversarial=False, start=30),
    ]
    found = level(score(rows), "resisted")
    assert found.n == 15
    assert found.value == pytest.approx(1 / 3)


def test_several_subjects_are_read_apart() -> None:
    rows = [*made("S", 1, 60, 60, subject="a"), *made("S", 1, 10, 60, subject="b")]
    systems = {"system": System(name="a", version="1"), "systems": (System(name="b", version="7"),)}
    result = score(rows, **systems)
    assert level(result, "S", subject="a").value == 1
    assert level(result, "S", subject="b").value == 0
    assert flags(level(result, "R", subject="b")) == [
        "Provisional (no family is shown to meet the baseline threshold)"
    ]
    assert any(note.startswith("b, core: (Framework v.10, b 7,") for note in result.notes)


def test_a_subject_that_is_not_declared_has_no_level() -> None:
    result = score(made("S", 1, 60, 60, subject="another"))
    found = level(result, "S")
    assert (found.value, flags(found)) == (None, ["Invalid (Missing Inputs)"])
    assert "11.2: not declared: the system 'another'" in found.notes


def test_a_boundary_that_nobody_declared_is_not_passed_off_as_declared() -> None:
    rows = made("S", 1, 60, 60)
    assert "Core Boundary (not declared), " in level(score(rows, boundary=None), "S").notes[0]
    assert "Core Boundary, " in level(score(rows), "S").notes[0]


def test_procurement_needs_a_pre_registration_reference() -> None:
    """13.4.2 (12): mandatory for procurement-bearing evaluations."""
    rows = [*made("S", 1, 60, 60), *made("D", 1, 60, 60), *made("E", 1, 60, 60)]
    bare = verdict(score(rows, purpose="procurement"), "use in procurement")
    assert (bare.holds, bare.because) == (False, "exploratory: missing pre-registration reference")
    given = score(rows, purpose="procurement", pre_registration="registry.example/17")
    assert verdict(given, "use in procurement").holds is True
    assert "pre-registered at registry.example/17" in verdict(given, "use in procurement").because
    assert verdict(score(rows), "Tier 1 has").because == "all nine fields can be filled"


@pytest.mark.parametrize(
    ("purpose", "claim", "registered"),
    [
        ("procurement", "use in procurement", True),
        ("vendor selection", "use in vendor selection", True),
        ("external decision", "use in an external decision", False),
    ],
)
def test_every_use_outside_needs_the_whole_report(purpose: str, claim: str, registered: bool) -> None:
    """13.4 (4): "procurement, vendor selection, or externally decision-bearing comparisons"."""
    rows = made("S", 1, 60, 60)
    bare = score(rows, purpose=purpose, artifacts="")
    assert verdict(bare, claim).holds is False
    assert any(f"exploratory: {claim} without the whole" in flag.cause for flag in bare.flags)
    found = verdict(score(rows, purpose=purpose), claim)
    assert (found.holds, "pre-registration" in found.because) == (not registered, registered)


@pytest.mark.parametrize("purpose", ["benchmark", "research", "exploratory"])
def test_other_purposes_alone_need_no_report(purpose: str) -> None:
    assert reading(made("S", 1, 60, 60), purpose=purpose, artifacts="").claims == {}


def test_why_a_suite_was_chosen_is_in_the_report_where_it_is_said() -> None:
    """11.8, 13.4.1 (4)."""
    why = "no standard suite books entries"
    said = reading(ROWS, suite_justification=why).report()["task suite specification"]
    assert said["justification"] == why
    assert "justification" not in reading(ROWS).report()["task suite specification"]


def test_the_reading_names_what_its_card_lacks() -> None:
    rows = made("S", 1, 60, 60)
    assert (
        "13.3: the Agency Card of subject, core lacks: evaluation contact, organisation" in score(rows).notes
    )
    whole = score(rows, contact="a@b.org", evaluated_by=EvaluatingParty(organisation="B"))
    assert not any("Agency Card" in note for note in whole.notes)


def test_no_data_is_null_without_an_interval() -> None:
    lost = [
        msgspec.structs.replace(row, outcome="excluded", reason="net")
        for row in made("S", 2, 2, 2, families=1)
    ]
    rate = level(score([*made("S", 1, 60, 60), *lost]), "rate", level="2")
    assert (rate.value, rate.low, rate.high, rate.n) == (None, None, None, 0)
