"""What is measured: an agent is never the model alone, and an extended boundary says what it includes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.vocabulary import Flag, Reading, Result

from .conftest import Assay

AGENT = """
def solve(task, act):
    act("look")
    return "done"
"""
SMALL = ("--dimensions", "S", "--families", "inbox", "--levels", "1", "--instances", "2", "--name", "r")
AGENCY = ("run", "agency", *SMALL)
EXTENDED = ("--boundary", "extended")


@pytest.fixture
def agent(assay: Assay, tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "my_agent.py").write_text(AGENT)
    return "-s", "python:my_agent:solve"


def result(folder: Path, instrument: str) -> Result:
    path = folder / "runs/r" / f"reading-{instrument}.json"
    return msgspec.json.decode(path.read_bytes(), type=Reading).result


def ruled_out(found: Result) -> bool | None:
    (verdict,) = [one for one in found.verdicts if one.labels.get("threat") == "boundary inflation"]
    return verdict.holds


def test_an_agent_with_a_loop_of_its_own_is_never_the_model_alone(
    assay: Assay, tmp_path: Path, agent: tuple[str, str]
) -> None:
    ended = assay(*AGENCY, *agent)
    assert (ended.code, ended.out) == (2, "")
    assert "not the model alone" in ended.err
    assert "--boundary extended --includes" in ended.err
    assert not (tmp_path / "runs/r").exists(), "nothing was asked"


def test_an_agent_is_measured_with_what_its_boundary_lists(
    assay: Assay, tmp_path: Path, agent: tuple[str, str]
) -> None:
    ended = assay(*AGENCY, *agent, *EXTENDED, "--includes", "a loop of its own, a field finder")
    assert ended.code == 0
    assert ruled_out(result(tmp_path, "agency")) is True
    report = (tmp_path / "runs/r/report.html").read_text()
    assert "with a loop of its own, a field finder" in report
    assert "the model alone)" not in report


def test_a_boundary_that_lists_nothing_is_not_ruled_out_and_is_flagged(
    assay: Assay, tmp_path: Path, agent: tuple[str, str]
) -> None:
    ended = assay(*AGENCY, *agent, *EXTENDED)
    assert ended.code == 4, "the only level that was tested is Invalid"
    assert (
        "Nothing usable: agency, python:my_agent:solve: every level that was tested is Invalid" in ended.out
    )
    assert "warning: python:my_agent:solve: its extended boundary does not list what it includes" in ended.err
    assert (
        "warning: agency: every level of python:my_agent:solve will be Invalid (Missing Inputs)" in ended.err
    )
    found = result(tmp_path, "agency")
    assert ruled_out(found) is False
    (level,) = [measure for measure in found.measures if measure.name == "S"]
    assert (level.value, level.flags) == (None, (Flag("Invalid", "Missing Inputs"),))
    assert any(flag.kind == "Limited Comparability" and "not listed" in flag.cause for flag in found.flags)
    assert "the model alone)" not in (tmp_path / "runs/r/report.html").read_text()


def test_every_instrument_flags_a_boundary_that_lists_nothing(assay: Assay, tmp_path: Path) -> None:
    run = ("run", "ping", "-s", "reference:mumbler", "--trials", "2", *EXTENDED, "--name", "r")
    assert assay(*run).code == 0
    (flag,) = result(tmp_path, "ping").flags
    assert (flag.kind, "is not listed" in flag.cause) == ("Limited Comparability", True)


def test_a_list_is_enough(assay: Assay, tmp_path: Path) -> None:
    run = ("run", "ping", "-s", "reference:mumbler", "--trials", "2", *EXTENDED, "--name", "r")
    assert assay(*run, "--includes", "a memory").code == 0
    assert result(tmp_path, "ping").flags == ()


def test_an_instrument_that_asks_for_replies_refuses_an_agent_by_name(
    assay: Assay, tmp_path: Path, agent: tuple[str, str]
) -> None:
    ended = assay("run", "ping", *agent, *EXTENDED, "--includes", "a loop", "--name", "r")
    assert (ended.code, ended.out) == (2, "")
    assert "python:my_agent:solve is an agent that runs a loop of its own; ping" in ended.err
    assert "Instruments that can: agency" in ended.err
    assert not (tmp_path / "runs/r").exists(), "nothing was asked"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--includes", "a memory"), "a core boundary includes nothing"),
        ((*EXTENDED, "--includes", ""), "--includes: name what the boundary includes"),
        ((*EXTENDED, "--includes", "a memory,,"), "--includes: name what the boundary includes"),
    ],
)
def test_a_wrong_list_is_refused(assay: Assay, options: Any, said: str) -> None:
    ended = assay("plan", "ping", "-s", "reference:mumbler", *options)
    assert (ended.code, said in ended.err) == (2, True)
