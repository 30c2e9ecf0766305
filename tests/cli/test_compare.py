"""``assay compare`` and ``assay plan --difference``: what is printed, written and refused, and the exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import assay as api
from tests.support import environment

from .conftest import Assay


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs that nobody changes."""
    root = tmp_path_factory.mktemp("compare")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", environment(root)["XDG_CONFIG_HOME"])
        one = "reference:mumbler"
        for name, instrument, label in (("a", "ping", one), ("b", "ping", "other"), ("d", "drill", one)):
            subject = {"subject": one, "label": label}
            api.run(instrument, subject=subject, name=name, out=root / "runs", trials=8, report=False)
    return root / "runs"


@pytest.fixture
def runs(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "runs"))


def test_two_runs_are_printed_with_their_label_and_differences(assay: Assay, runs: Path) -> None:
    ended = assay("compare", "a", "b", "--margin", "0.9")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == "Comparable: other in runs/b against reference:mumbler in runs/a"
    assert "  paired by instance: both were put the same" in lines
    (row,) = [line for line in lines if line.startswith("success")]
    assert "8 pairs" in row
    assert "(Holm)" in ended.out


def test_machines_get_one_document(assay: Assay, runs: Path) -> None:
    found = json.loads(assay("compare", "a", "b", "--json").out)
    (one,) = found["comparisons"]
    assert (one["label"], one["differences"][0]["pairing"], found["alpha"]) == ("Comparable", "paired", 0.05)


def test_the_page_is_one_file_with_the_picture(assay: Assay, runs: Path, tmp_path: Path) -> None:
    ended = assay("compare", "a", "b", "--report", "page.html")
    assert ended.out.endswith("Report   page.html\n")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<svg" in page
    assert "Comparable: other in runs/b" in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_what_is_not_comparable_has_its_divergences_no_differences_and_code_4(
    assay: Assay, runs: Path
) -> None:
    ended = assay("compare", "a", "d")
    assert ended.code == 4
    assert "Non-Comparable: " in ended.out
    assert "instrument: ping against drill" in ended.out
    assert "difference  " not in ended.out


def test_a_reading_of_rows_is_compared_by_its_interval(assay: Assay, runs: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"subject": "reference:mumbler", "outcome": "success"}\n' * 5)
    assert assay("score", "ping", "rows.jsonl", "--out", "reading.json").code == 0
    ended = assay("compare", "a", "reading.json")
    assert ended.code == 0
    assert "Limited Comparability: " in ended.out
    assert "not declared first" in ended.out
    assert "no test" in ended.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a"], "one subject alone"),
        (["a", "b", "--margin", "3"], "between 0 and 1"),
        (["a", "nowhere"], "nowhere"),
        (["a", "b", "--subject", "othr"], "othr"),
        (["a", "b", "--report", "no/where.html"], "there is no folder"),
    ],
)
def test_wrong_input_is_said_and_ends_with_2(
    assay: Assay, runs: Path, arguments: list[str], said: str
) -> None:
    ended = assay("compare", *arguments)
    assert ended.code == 2
    assert said in ended.err


def test_an_altered_run_is_refused(assay: Assay, runs: Path) -> None:
    reading = runs / "b" / "reading-ping.json"
    reading.write_bytes(reading.read_bytes().replace(b'"value":', b'"value": '))
    assert assay("compare", "a", "b").code == 1


def test_a_plan_says_how_many_units_find_a_difference(assay: Assay, runs: Path) -> None:
    plain = assay("plan", "ping", "--subject", "reference:mumbler", "--difference", "0.2")
    assert "difference 0.2 is found with power 0.8, by" in plain.out
    against = assay(
        "plan", "ping", "--subject", "reference:mumbler", "--difference", "0.2", "--against", "a", "--json"
    )
    (one,) = json.loads(against.out)["differences"]
    assert (one["measure"], one["units"], one["instrument"]) == ("success", 8, "ping")
    assert one["paired"] > 0
    assert one["unpaired"] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--difference", "2"], "between 0 and 1"),
        (["--difference", "0.1", "--power", "1"], "between 0 and 1"),
        (["--against", "a"], "such as 0.1"),
        (["--difference", "0.1", "--against", "d"], "nothing in it tells"),
    ],
)
def test_a_plan_that_cannot_be_made_is_refused(
    assay: Assay, runs: Path, arguments: list[str], said: str
) -> None:
    ended = assay("plan", "ping", "--subject", "reference:mumbler", *arguments)
    assert (ended.code, said in ended.err) == (2, True), ended.err
