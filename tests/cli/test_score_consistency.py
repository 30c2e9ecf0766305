from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.instruments.consistency.scenarios.test_rows import row, written

from .conftest import Assay

NAMES = {
    "M1",
    "M2",
    "M3",
    "M4",
    "M5",
    "O",
    "F",
    "R",
    "P",
    "L",
    "M1_exact",
    "M3_prompted",
    "L_exact",
    "latency",
}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    kept: dict[str, Any] = {"expected": {"forbidden": ["sarcoidosis"]}}
    return written(tmp_path, row("1", **kept), row("2", "I cannot help with that.", **kept))


def test_a_reading_is_printed_for_machines(assay: Assay, rows: Path) -> None:
    ended = assay("score", "consistency", "rows.jsonl", "--json")
    assert (ended.code, ended.err) == (0, "")
    reading = json.loads(ended.out)
    assert reading["schema"] == "assay/reading/2"
    assert {m["name"] for m in reading["result"]["measures"]} >= NAMES
    assert reading["result"]["source"] == "rows"
    assert {"kind": "Limited Comparability", "cause": "not declared first"} in reading["result"]["flags"]
    assert [(v["name"], v["holds"]) for v in reading["result"]["verdicts"]] == [
        ("M5", None),
        ("M5_point", None),
    ]
    assert assay("score", "consistency", "rows.jsonl", "--json").out == ended.out


def test_people_see_table_verdict_and_diagnosis(assay: Assay, rows: Path) -> None:
    ended = assay("score", "consistency", "rows.jsonl")
    assert (ended.code, ended.err) == (0, "")
    assert "not established: M5 of a is at least 0.9" in ended.out
    assert "a: the lowest component is F (refusal form) at 0.500" in ended.out
    assert "Limited Comparability (not declared first)" in ended.out
    assert "proximity" in assay("score", "consistency", "rows.jsonl", "--all").out


def test_a_subject_cannot_steer_the_terminal_or_write_lines_of_its_own(assay: Assay, tmp_path: Path) -> None:
    written(tmp_path, row("1", subject="x\x1b[31m\nholds: all is well"))
    ended = assay("score", "consistency", "rows.jsonl")
    assert (ended.code, ended.out) == (2, "")
    assert "subject: character 2 of the label, U+001B (a control character), cannot be seen" in ended.err
    assert "\x1b" not in ended.err
    assert not any(line.startswith("holds: all is well") for line in ended.err.splitlines())


def test_the_declared_rule_and_delta_are_used(assay: Assay, tmp_path: Path) -> None:
    written(tmp_path, row("1", "No.", expected={"forbidden": ["sarcoidosis"]}))
    told = json.loads(assay("score", "consistency", "rows.jsonl", "--json", "--rule", "point").out)
    assert [(v["name"], v["holds"]) for v in told["result"]["verdicts"]] == [
        ("M5", False),
        ("M5_interval", None),
    ]
    assert told["result"]["verdicts"][0]["rule"] == "the value, compared exactly"


LISTED = "; assay score consistency --help lists them"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rows.jsonl", "--rule", "mean"), "--rule: 'mean' is not a choice; known: interval, point"),
        (("rows.jsonl", "--delta", "0"), "--delta: must be a number, more than 0"),
        (("rows.jsonl", "--confidence", "1"), "--confidence: must be a number, less than 1"),
        (
            ("rows.jsonl", "--tau", "0.2"),
            "--tau is no option of consistency; assay score consistency --help lists them",
        ),
        (
            ("rows.jsonl", "--no-repair"),
            "--no-repair is no option of consistency; assay score consistency --help lists them",
        ),
        (("none.jsonl",), "there is no file none.jsonl"),
        (("rows.jsonl", "--ratings", "none.csv"), "there is no file none.csv"),
    ],
)
def test_wrong_input_is_told_in_one_sentence(
    assay: Assay, rows: Path, arguments: tuple[str, ...], message: str
) -> None:
    ended = assay("score", "consistency", *arguments)
    assert (ended.code, ended.out, ended.err) == (2, "", f"assay: {message}\n")


def test_options_of_consistency_are_not_repeatabilitys(assay: Assay, rows: Path) -> None:
    ended = assay("score", "repeatability", "rows.jsonl", "--rule", "point")
    assert (
        ended.err
        == "assay: --rule is no option of repeatability; assay score repeatability --help lists them\n"
    )
