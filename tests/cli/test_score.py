"""``assay score``: records and page of any instrument's rows."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.instruments.consistency.scenarios import test_rows as consistency_rows
from tests.pages import ROOT
from tests.support import ASSAY, environment

from .conftest import Assay

ADD = "def add(a, b):\n    return a + b\n"
OTHER = "def add(x, y):\n    return x + y\n"
WRONG = "def add(a, b):\n    return a - b\n"
DECLARATION = ("--declaration", str(ROOT / "examples/agency/declaration.yaml"))


def rows_of(folder: Path, instrument: str) -> tuple[str, ...]:
    """A file of rows, and the options that go with it."""
    path = folder / "rows.jsonl"
    if instrument == "agency":
        path.write_bytes((ROOT / "examples/agency/rows.jsonl").read_bytes())
        return DECLARATION
    if instrument == "consistency":
        consistency_rows.written(
            folder, consistency_rows.row("1"), consistency_rows.row("2", "I cannot do that.")
        )
        return ()
    rows: list[object] = [{"subject": "a", "outcome": "success"}, {"subject": "a", "outcome": "failure"}]
    if instrument == "repeatability":
        fenced = f"Here it is:\n```python\n{ADD}```\n"
        rows = [{"contract": "add", "subject": "m", "outputs": [fenced, OTHER, WRONG]}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ("--extract",) if instrument == "repeatability" else ()


def records(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("instrument", ["agency", "consistency", "drill", "ping", "repeatability"])
def test_every_instrument_writes_records_and_a_page(assay: Assay, tmp_path: Path, instrument: str) -> None:
    more = rows_of(tmp_path, instrument)
    asked = ("score", instrument, "rows.jsonl", *more, "--records", "r.csv", "--report", "r.html")
    ended = assay(*asked)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[-2:] == ["Records  r.csv", "Report   r.html"]
    first = (tmp_path / "r.csv").read_bytes()
    assert records(tmp_path / "r.csv")[0]["row"] == "1"
    page = (tmp_path / "r.html").read_text()
    assert "scored from rows <code>rows.jsonl</code>, not declared first" in page
    assert "SHA-256 of the file" in page
    assert f"assay score {instrument} rows.jsonl" in page
    assert "run <code>" not in page

    for_machines = assay(*asked, "--json")  # files that are there are replaced
    assert json.loads(for_machines.out)["result"]["instrument"] == instrument
    assert for_machines.err.split() == ["Records", "r.csv", "Report", "r.html"]
    assert (tmp_path / "r.csv").read_bytes() == first
    assert json.loads(assay("score", instrument, "rows.jsonl", *more, "--json").out) == json.loads(
        for_machines.out
    )


def test_records_as_json_lines_hold_the_same(assay: Assay, tmp_path: Path) -> None:
    rows_of(tmp_path, "consistency")
    for name in ("r.csv", "r.jsonl"):
        assert assay("score", "consistency", "rows.jsonl", "--records", name).code == 0
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert [line["reply"] for line in lines] == [row["reply"] for row in records(tmp_path / "r.csv")]
    assert lines[0]["seconds"] == 1.5


def test_an_output_is_recorded_with_its_place_its_tests_and_its_repair(assay: Assay, tmp_path: Path) -> None:
    more = rows_of(tmp_path, "repeatability")
    assay("score", "repeatability", "rows.jsonl", *more, "--records", "r.csv")
    first, renamed, wrong = records(tmp_path / "r.csv")
    reply = json.loads((tmp_path / "rows.jsonl").read_text())["outputs"][0]
    assert reply[int(first["program_start"]) : int(first["program_end"])] == first["program"] == ADD
    assert (first["is_canon"], first["repair_result"], first["first_failing"]) == ("true", "equal before", "")
    assert (renamed["state"], renamed["repair_steps"], renamed["repair_result"]) == ("pass", "names", "equal")
    assert (wrong["state"], wrong["first_failing"], wrong["repair_result"]) == (
        "wrong",
        "0",
        "fails its tests",
    )
    assert wrong["detail"]


def test_a_reply_is_recorded_with_its_checks_and_their_places(assay: Assay, tmp_path: Path) -> None:
    rows_of(tmp_path, "consistency")
    assay("score", "consistency", "rows.jsonl", "--records", "r.csv")
    good, bad = records(tmp_path / "r.csv")
    assert (good["id"], good["counted"], bad["not_counted"]) == ("1", "", "")
    assert (good["undecided"], bad["undecided"]) == ("M2", "M2")  # nothing says what must not be given away
    checks = {check["check"]: check for check in json.loads(good["checks"])}
    (start, end), *_ = checks["limit"]["spans"]
    assert good["reply"][start:end] == "I can't"
    missed = [check["check"] for check in json.loads(bad["checks"]) if not check["holds"]]
    assert {"proximity", "adjacent"} <= set(missed)


def test_an_outcome_is_recorded_with_how_it_was_counted_and_why(assay: Assay, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    common = {"dimension": "E", "level": 1, "family": "f", "regime": "baseline"}
    rows = [
        {"instance": "1", "outcome": "success", "artifact": "ab12"},
        {"instance": "2", "outcome": "success"},
        {"instance": "3", "outcome": "failure", "reason": "nothing was sent"},
        {"instance": "4", "outcome": "excluded", "reason": "net"},
        {"instance": "5", "outcome": "success", "artifact": "ab", "criterion_time": "post hoc"},
        {"instance": "6", "outcome": "success", "artifact": "ab", "rater": "x"},
        {"instance": "6", "outcome": "failure", "artifact": "ab", "rater": "y"},
    ]
    path.write_text("".join(json.dumps({**common, **row}) + "\n" for row in rows))
    assert assay("score", "agency", "rows.jsonl", "--records", "r.csv").code == 0
    found = records(tmp_path / "r.csv")
    assert [one["counted"] for one in found] == [
        "success", "failure", "failure", "excluded", "post hoc", "failure", "failure",
    ]  # fmt: skip
    assert [one["why"].partition(":")[0] for one in found] == [
        "", "11.7.1", "nothing was sent", "11.7.3", "11.3.2", "11.5.3", "11.5.3",
    ]  # fmt: skip
    assert [one["evidences"] for one in found] == ["E1", "E1", "E1", "", "", "E1", "E1"]
    assert [one["unverified"] for one in found[:2]] == ["false", "true"]
    assert found[5]["disagreed"] == "true"


def test_the_records_of_a_run_can_be_scored(assay: Assay, tmp_path: Path) -> None:
    for name, measure in (("ping", "success"), ("drill", "reached")):
        assert assay("run", name, "-s", "reference:mumbler", "--quick", "--name", name).code == 0
        ended = assay("score", name, f"runs/{name}/records-{name}.csv", "--json")
        again = json.loads(ended.out)["result"]["measures"]
        run = json.loads((tmp_path / "runs" / name / f"reading-{name}.json").read_text())["result"][
            "measures"
        ]
        assert again == [one for one in run if one["name"] == measure]


def test_all_measures_are_whole_where_there_is_no_terminal(assay: Assay, tmp_path: Path) -> None:
    long = "organisation/model-" * 30
    rows = [{"subject": f"{long}{end}", "outcome": "success"} for end in "ab"]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    shown = assay("score", "ping", "rows.jsonl", "--all").out
    assert f" {long}a " in shown
    assert f" {long}b " in shown


def test_a_reader_that_leaves_early_is_no_verdict(tmp_path: Path) -> None:
    rows_of(tmp_path, "ping")
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        ended = subprocess.run(
            [*ASSAY, "score", "ping", "rows.jsonl", "--all"],
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=pipe,
            stderr=subprocess.PIPE,
            timeout=600,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (141, b"")
