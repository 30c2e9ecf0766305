"""What a package may bring along besides its protocol, shown on the drill: no line of Assay names it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay as package
from tests.cli.conftest import Assay

RUN = ("run", "drill", "-s", "reference:mumbler", "--trials", "2", "--strata", "north", "--name", "r")


def test_it_has_a_headline_of_its_own(assay: Assay) -> None:
    assert assay(*RUN).out.startswith("Targets reached in the drill\n")


@pytest.mark.parametrize(
    ("bound", "code"), [("{reached: {at_least: 0.1}}", 0), ("{reached: {at_most: 0.1}}", 1)]
)
def test_it_has_requirements_that_gate(assay: Assay, bound: str, code: int) -> None:
    assert assay(*RUN, "--require", bound).code == 0
    assert assay("check", "r").code == code


def test_a_requirement_that_cannot_hold_is_a_warning(assay: Assay) -> None:
    assert (
        "warning: drill: reached is at least 0.99 can never hold with n = 9"
        in assay(*RUN, "--require", "{reached: 0.99}").err
    )


def test_it_is_calibrated(assay: Assay) -> None:
    ended = assay("calibrate", "drill", "--quick", "--workers", "1", "--json")
    found = json.loads(ended.out)
    assert (ended.code, found["holds"]) == (0, True)
    assert set(found["distributions"]) == {"lucky_0.1", "lucky_0.5"}


def test_it_has_a_command_of_its_own(assay: Assay) -> None:
    assay(*RUN)
    assert assay("drill-count", "r").out.startswith("9 trials, ")
    assert "Count the turns of every drill" in assay("drill-count", "--help").out
    assert "drill-count" in assay("list", "commands").out


def test_it_has_a_detector(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"reply": "7 up"}\n{"reply": "none"}\n')
    assert "number" in assay("detect", "numbers", "rows.jsonl").out
    assert "2 of 2 right" in assay("detect", "numbers", "--check").out


def test_no_line_of_assay_names_it() -> None:
    sources = Path(package.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if "drill" in path.read_text("utf-8").lower()] == []
