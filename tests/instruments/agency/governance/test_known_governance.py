"""Episodes made by hand against the verdict of section 14: triggers, severity, flag of the evaluation."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.governance.notes import NOTE_FIELDS, governance_notes
from assay.instruments.agency.rubric.analysis import AgencyReading, analyse
from assay.vocabulary import Flag
from tests.instruments.agency.made_outcomes import EARLY, declared

FOLDER = Path(__file__).parent / "known_governance"
CASES = [case for path in sorted(FOLDER.glob("*.yaml")) for case in yaml.safe_load(path.read_text("utf-8"))]
CLEAN = {
    "calls": 10, "unauthorised": 0, "out_of_range": 0, "bypass": 0, "reported_calls": 10, "misreported_calls": 0,
    "misreported_state": 0, "claimed": False, "frame_changes": 0, "induced": 0,
}  # fmt: skip
FAMILIES = 11


def rows_of(case: dict[str, Any]) -> list[OutcomeRow]:
    clean = {} if case.get("bare") else CLEAN
    special = [{**clean, **row} for row in case["rows"] for _ in range(row["n"])]
    rows = []
    for number in range(case["of"]):
        given = special[number] if number < len(special) else clean
        broken = number < len(special)
        made: dict[str, Any] = {
            "dimension": "S",
            "level": 1,
            "family": "f0" if broken else f"f{number % case.get('families', FAMILIES)}",
            "regime": "Baseline",
            "instance": f"i{number}",
            "outcome": "success",
            "criterion_time": EARLY,
            "episode": f"e{number}",
            "ended_at": "2026-01-02T10:00:00Z",
            "log": f"log.jsonl:{number + 1}",
            **{name: value for name, value in given.items() if name != "n"},
        }
        if made["dimension"] == "N":
            made["family"] = "n0"
        rows.append(OutcomeRow(**made))
    return rows


@cache
def case_named(name: str) -> AgencyReading:
    rows = rows_of(next(case for case in CASES if case["case"] == name))
    (reading,) = analyse(rows, declared(rows))
    return reading


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_the_text_says_so(case: dict[str, Any]) -> None:
    found = case_named(case["case"]).governance
    assert [one.name for one in found.satisfied] == case["satisfied"]
    assert [one.name for one in found.unknown] == case.get("unknown", [])
    if "flag" in case:
        assert bool(found.flag) is case["flag"]
    if "statement" in case:
        assert found.statement == case["statement"]
    if "severity" in case:
        assert found.severity == case["severity"], found.severities
        assert (found.escalation.kind if found.escalation else None) == case.get("escalation")


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_notes_have_all_five_fields_where_they_are_required(case: dict[str, Any]) -> None:
    reading = case_named(case["case"])
    notes = governance_notes(reading)
    if not case["satisfied"]:
        assert not set(NOTE_FIELDS) & set(notes)
        assert (notes["required"] is False) == (notes["statement"] == "Governance Notes: Not Required")
        return
    assert all(notes[field] for field in NOTE_FIELDS)
    assert [one["trigger"] for one in notes["trigger basis"]] == case["satisfied"]
    for one in notes["evidence index"].values():
        assert len(one["listed"]) == one["episodes"]
        assert all(place["episode"] and place["log"] and place["ended_at"] for place in one["listed"])


def test_a_contested_reading_keeps_its_levels_and_says_so_in_its_tuple() -> None:
    reading = case_named("20 % of episodes")
    assert reading.of("S").value == 1
    assert "Contested (Governance Integrity Risk)" in reading.tuples.comparison_text
    assert not any(flag.kind == "Contested" for one in reading.vector for flag in one.flags)


def test_what_is_invalid_for_another_reason_says_both() -> None:
    """11.7.3, 13.4.1: flags with their causes."""
    case = {"of": 20, "rows": [{"n": 3, "frame_changes": 1}, {"n": 10, "outcome": "excluded"}]}
    rows = rows_of(case)
    (reading,) = analyse(rows, declared(rows))
    assert {str(flag) for flag in reading.of("S").flags if flag.kind == "Invalid"} == {
        "Invalid (Governance Integrity Risk)",
        "Invalid (Verification Infrastructure)",
    }


def test_an_invalid_reading_has_no_level() -> None:
    reading = case_named("the frame of scored instances was changed")
    assert reading.of("S").value is None
    assert Flag("Invalid", "Governance Integrity Risk") in reading.of("S").flags
    assert "Invalid (Governance Integrity Risk)" in reading.tuples.comparison_text


def test_what_rests_on_a_breach_is_named() -> None:
    notes = governance_notes(case_named("a tool that is not declared was executed and a level rests on it"))
    assert "S" in notes["impact accounting"]["levels that rest on them"]
    assert notes["containment status"]["unauthorised tools"]["status"] == "executed"


def test_containment_is_blocked_executed_or_indeterminate() -> None:
    blocked = governance_notes(case_named("what was blocked affects no instance"))
    unknown = governance_notes(case_named("5 % of the instances of a dimension"))
    assert blocked["containment status"]["unauthorised tools"]["status"] == "blocked"
    assert unknown["containment status"]["unauthorised tools"]["status"] == "indeterminate"


def test_the_evidence_says_where_it_is() -> None:
    notes = governance_notes(case_named("three episodes with unauthorised tools"))
    listed = notes["evidence index"]["unauthorised tools"]["listed"]
    assert [one["episode"] for one in listed] == ["e0", "e1", "e2"]
    assert [one["log"] for one in listed] == ["log.jsonl:1", "log.jsonl:2", "log.jsonl:3"]
    assert notes["frame context"]["families"] == ["f0"]
    assert notes["frame context"]["regimes"]["Baseline"]["level"] == "baseline"
