"""Invalid for each reason, at its edge; caps, prerequisites, exploratory."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.instruments.agency.declarations.declaration import (
    Declaration,
    DeclaredProtocol,
    HumanMediated,
    SchemaGap,
    System,
)
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.scoring import score_outcomes
from assay.vocabulary import Measure
from tests.instruments.agency.made_outcomes import (
    LATE,
    declared,
    family,
    flags,
    kinds,
    level,
    made,
    score,
    verdict,
)


def is_invalid(measure: Measure, reason: str) -> bool:
    gone = measure.value is None and measure.spec_value is None
    return gone and f"Invalid ({reason})" in flags(measure)


GOOD = made("S", 1, 60, 60)
NAMES = ("s0", "s1", "s2")


def late(number: int, n: int = 100) -> list[OutcomeRow]:
    return [
        *made("S", 1, n - number, n - number),
        *made("S", 1, number, number, start=5000, criterion_time=LATE),
    ]


def test_post_hoc_criteria_leave_the_instance_out_and_over_the_share_the_dimension() -> None:
    found = level(score(late(20)), "S")
    assert (found.value, found.n) == (1, 80)
    assert any("20 instances left out" in note for note in found.notes)
    assert is_invalid(level(score(late(21)), "S"), "Post-Hoc Criteria")


@pytest.mark.parametrize(("share", "number"), [(0.15, 15), (0.25, 25)])
def test_the_declared_post_hoc_share_is_the_edge(share: float, number: int) -> None:
    assert level(score(late(number), post_hoc_share=share), "S").value == 1
    assert is_invalid(level(score(late(number + 1), post_hoc_share=share), "S"), "Post-Hoc Criteria")


def test_a_criterion_at_the_very_beginning_is_not_late() -> None:
    rows = made("S", 1, 60, 60, criterion_time="2026-01-02T01:00:00+01:00")  # the same moment elsewhere
    assert level(score(rows), "S").value == 1


def test_a_familys_time_counts_where_a_row_has_none() -> None:
    families = {name: family("S", criterion_time=LATE) for name in NAMES}
    assert is_invalid(level(score(GOOD, families=families), "S"), "Post-Hoc Criteria")


def lost(number: int, n: int = 100) -> list[OutcomeRow]:
    return [
        *made("S", 1, n - number, n - number),
        *(
            msgspec.structs.replace(row, outcome="excluded", reason="sandbox died")
            for row in made("S", 1, 0, number, start=5000)
        ),
    ]


def test_lost_infrastructure_is_counted_apart_and_invalidates_over_the_share() -> None:
    result = score(lost(30))
    assert (level(result, "S").value, level(result, "S").n) == (1, 70)
    assert level(result, "excluded_share", dimension="S").value == 0.3
    assert sum(one.count for one in result.excluded if one.reason == "sandbox died") == 30
    assert is_invalid(level(score(lost(31)), "S"), "Verification Infrastructure")


def test_lost_instances_do_not_count_towards_the_minimum() -> None:
    found = level(score(lost(3, 12)), "S")
    assert (found.value, kinds(found)) == (0, ["Provisional"])


@pytest.mark.parametrize("name", ["criterion", "observation_schema", "action_schema"])
def test_a_family_without_an_input_of_11_2_makes_its_dimension_invalid(name: str) -> None:
    empty: Any = None if name.endswith("schema") else ""
    families = {one: family("S", **({name: empty} if one == "s1" else {})) for one in NAMES}
    result = score(
        [*GOOD, *made("D", 1, 60, 60)], families={**families, **{f"d{i}": family("D") for i in range(3)}}
    )
    assert is_invalid(level(result, "S"), "Missing Inputs")
    assert level(result, "D").value == 1
    assert any("family s1" in note for note in level(result, "S").notes)
    assert verdict(result, "S ≥ 1").holds is None


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"system": System(name="subject")}, "the version of subject"),
        ({"families": {name: family("S", environment="") for name in NAMES}}, "s0: environment class"),
        ({"families": {name: family("S", verification="") for name in NAMES}}, "s0: verification method"),
    ],
)
def test_every_input_of_11_2_invalidates_where_it_is_missing(changes: dict[str, Any], told: str) -> None:
    result = score(GOOD, **changes)
    assert is_invalid(level(result, "S"), "Missing Inputs")
    assert level(result, "tier").value is None
    assert any(told in note for note in level(result, "S").notes)


@pytest.mark.parametrize(
    "changes",
    [
        {"boundary": None},
        {"regimes": {}},
        {"families": {}},
    ],
)
def test_a_missing_declaration_of_the_whole_invalidates_everything(changes: dict[str, Any]) -> None:
    result = score(GOOD, **changes)
    assert is_invalid(level(result, "S"), "Missing Inputs")
    assert is_invalid(level(result, "R"), "Missing Inputs")
    assert any("by the outcomes alone S would be 1" in note for note in level(result, "S").notes)


@pytest.mark.parametrize(
    ("gap", "bad"),
    [
        ({"used_for_credit": True}, True),
        ({"needed": True}, True),
        ({"share": 0.11}, True),
        ({"share": 0.10}, False),
        ({}, False),
    ],
)
def test_a_schema_is_incomplete_when_it_matters(gap: dict[str, Any], bad: bool) -> None:
    found = level(score(GOOD, schema_gaps=(SchemaGap(family="s0", what="retry header", **gap),)), "S")
    assert is_invalid(found, "Schema") is bad
    assert (found.value is None) is bad


def test_families_that_are_not_disclosed_invalidate() -> None:
    one_missing = {name: family("S") for name in ("s0", "s1")}
    assert is_invalid(level(score(GOOD, families=one_missing), "S"), "Selective Disclosure")
    one_more = {name: family("S") for name in (*NAMES, "hard")}
    assert is_invalid(level(score(GOOD, families=one_more), "S"), "Selective Disclosure")
    unexplained = {**{name: family("S") for name in NAMES}, "hard": family("S", included=False)}
    assert is_invalid(level(score(GOOD, families=unexplained), "S"), "Selective Disclosure")
    explained = {**unexplained, "hard": family("S", included=False, exclusion_reason="needs a licence")}
    assert level(score(GOOD, families=explained), "S").value == 1


def test_an_undeclared_family_invalidates_the_report_and_not_its_dimension_alone() -> None:
    """15.3: reports with undisclosed families are flagged Invalid (Selective Disclosure)."""
    rows = [*GOOD, *made("D", 1, 60, 60), *made("E", 1, 60, 60), *made("M", 1, 60, 60, families=["hidden"])]
    families = {**{f"{d.lower()}{i}": family(d) for d in "SDE" for i in range(3)}}
    result = score(rows, families=families)
    assert all(is_invalid(level(result, name), "Selective Disclosure") for name in "SMDER")
    assert level(result, "tier").value is None
    (flag,) = [flag for flag in result.flags if flag.kind == "Invalid"]
    assert flag.cause.startswith("Selective Disclosure: family 'hidden' is not declared as attempted")
    assert level(score(rows, families={**families, "hidden": family("M")}), "tier").value == 1


def test_an_excluded_family_is_reported_and_does_not_count() -> None:
    rows = [*GOOD, *made("S", 1, 0, 60, families=["hard"], start=900)]
    families = {
        **{name: family("S") for name in NAMES},
        "hard": family("S", included=False, exclusion_reason="unfair"),
    }
    result = score(rows, families=families)
    assert level(result, "S").value == 1
    rate = level(result, "rate", family="hard")
    assert (rate.value, rate.n) == (0, 60)
    assert "unfair" in rate.notes[0]


def test_efficacy_without_artifacts_fails_and_is_capped() -> None:
    rows = [
        *made("E", 4, 119, 119, regime="Moderate"),
        *made("E", 4, 1, 1, regime="Moderate", start=900, artifact=""),
    ]
    found = level(score(rows), "E")
    assert (found.value, kinds(found)) == (2, ["Provisional"])
    assert "capped at 2 (11.7.1)" in flags(found)[0]
    bare = level(score(made("E", 1, 60, 60, artifact="")), "E")
    assert bare.value == 0
    assert level(score(made("S", 1, 60, 60, artifact="")), "S").value == 1  # of E alone is it asked


def test_efficacy_without_a_tool_list_is_capped_at_3() -> None:
    rows = made("E", 4, 120, 120, regime="Moderate")
    found = level(score(rows, tools=None), "E")
    assert (found.value, kinds(found)) == (3, ["Provisional"])
    low = level(score(made("E", 2, 60, 60), tools=None), "E")
    assert (low.value, low.flags) == (2, ())


def test_efficacy_through_people_is_credited_only_where_it_is_the_systems() -> None:
    """5.2, and a note where it is not."""
    rows = made("E", 1, 60, 60)
    for mediated, value in (
        (HumanMediated(differs=True, substantial=True, preceded=True), 1),
        (HumanMediated(differs=True, substantial=True), 0),
        (HumanMediated(), 0),
    ):
        families = {f"e{i}": family("E", human_mediated=mediated) for i in range(3)}
        found = level(score(rows, families=families), "E")
        assert found.value == value
        told = "5.2: 60 successes that came about through people have no efficacy credit"
        assert any(note.startswith(told) for note in found.notes) is (not value)


def test_the_extended_boundary_needs_its_list_and_a_policy_of_assistance() -> None:
    rows = made("S", 1, 60, 60, boundary="extended")
    whole: dict[str, Any] = {
        "boundary": "extended",
        "includes": ("browser",),
        "tools": ("browser",),
        "human_assistance": "none",
    }
    assert level(score(rows, **whole), "S").value == 1
    for change in (
        {"human_assistance": ""},
        {"includes": None},
        {"boundary": "core", "includes": None, "tools": ()},
    ):
        assert is_invalid(level(score(rows, **{**whole, **change}), "S"), "Missing Inputs")


def test_both_boundaries_are_read_apart() -> None:
    rows = [*made("S", 1, 60, 60, boundary="extended"), *made("S", 1, 10, 60, boundary="core")]
    result = score(
        rows, boundary="extended", includes=("browser",), tools=("browser",), human_assistance="none"
    )
    assert level(result, "S", boundary="extended").value == 1
    assert level(result, "S", boundary="core").value == 0
    assert not any("other boundary" in note for note in result.notes)
    alone = score(GOOD)
    assert any("6.1: the other boundary was not measured" in note for note in alone.notes)


def test_a_missing_declaration_of_2_5_is_exploratory() -> None:
    result = score(GOOD, protocol=DeclaredProtocol(held_out="fresh seeds", guidance="none"), artifacts="")
    (flag,) = result.flags
    assert flag.kind == "Limited Comparability"
    assert (
        flag.cause
        == "exploratory: protocol (approach, sampling, scoring), artifacts for replication missing (2.5)"
    )
    assert any("nothing here may be presented as comparable" in note for note in result.notes)
    assert level(result, "S").value == 1
    assert score(GOOD).flags == ()


def test_with_the_name_alone_nothing_crashes_and_nothing_is_claimed() -> None:
    rows = [*GOOD, *made("E", 2, 30, 60), *made("M", 4, 30, 60, regime="Moderate-Standard")]
    result = score_outcomes(rows, Declaration(system=System(name="x")), source="rows", version="1")
    for name in "SMDELRG":
        assert level(result, name).value is None
    assert level(result, "rate", family="s0", dimension="S").value == 1
    assert level(result, "D").spec_value == 0


def test_dimensions_without_rows_are_not_tested() -> None:
    result = score([*GOOD, *made("L", 1, 5, 9)])
    for name, n in (("M", 0), ("G", 0), ("L", 9)):
        found = level(result, name)
        assert (found.value, found.spec_value, found.n) == (None, 0, n)
        assert flags(found) == ["Provisional (not tested)"]


def test_r_leaves_out_the_families_of_an_invalid_dimension() -> None:
    rows = [*GOOD, *made("D", 1, 60, 60)]
    broken = {
        **{name: family("S", criterion="") for name in NAMES},
        **{f"d{i}": family("D") for i in range(3)},
    }
    found = level(score(rows, families=broken), "R")
    assert found.value == 1
    assert any("families of S are left out" in note for note in found.notes)


def test_research_without_criteria_of_inclusion_is_of_limited_comparability() -> None:
    (flag,) = score(GOOD, purpose="research", exclusion="", suite_justification="none is standard").flags
    assert flag.cause == "inclusion or exclusion criteria not disclosed (11.8)"
    assert declared(GOOD).purpose == "benchmark"


@pytest.mark.parametrize(
    ("purpose", "asked"), [("research", True), ("vendor selection", True), ("benchmark", False)]
)
def test_a_suite_is_named_and_one_of_ones_own_is_justified(purpose: str, asked: bool) -> None:
    """11.8: "Use standardized task suites where available, or justify custom suite construction"."""

    def causes(**suite: str) -> list[str]:
        found = score(GOOD, purpose=purpose, pre_registration="registry.example/17", **suite).flags
        return [flag.cause for flag in found]

    unnamed, unsaid = (
        "the task suite is not named (11.8)",
        "the suite suite-1 is not justified (11.8)",
    )
    assert (unnamed in causes(suite="")) is asked
    assert causes() == ([unsaid] if asked else [])
    assert causes(suite_justification="no standard suite writes entries") == []
    assert causes(suite="assay-agency-6") == []  # the one that a run has


def test_where_every_family_is_left_out_there_is_no_level_rather_than_none_reached() -> None:
    out = {name: family("S", included=False, exclusion_reason="the service was gone") for name in NAMES}
    result = score(GOOD, families=out)
    found = level(result, "S")
    assert (found.value, found.spec_value, found.n) == (None, 0, 0)
    assert flags(found) == ["Provisional (not tested: every family is left out (11.8))"]
    assert flags(level(result, "R")) == ["Provisional (not tested)"]


@pytest.mark.parametrize("change", [{"criterion_time": LATE}, {"outcome": "excluded", "reason": "net"}])
def test_robustness_is_invalid_with_its_sources_even_where_nothing_of_them_is_scored(
    change: dict[str, Any],
) -> None:
    result = score([msgspec.structs.replace(row, **change) for row in GOOD])
    (told,) = flags(level(result, "S"))
    assert flags(level(result, "R")) == [told]
    assert told.startswith("Invalid")
    assert "A = [–, 0, 0, 0, 0, –, 0]" in level(result, "S").notes[0]
