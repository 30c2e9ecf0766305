"""``assay export``: trials, calls, records and rows; hostile replies stay data, and rows can be scored again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.bench import RunFolder
from assay.evidence import segment_paths
from assay.report.trial_rows import CALL_COLUMNS, TRIAL_COLUMNS
from assay.study import Lock, Study
from assay.vocabulary import Outcome, Reply, Usage
from tests.support import begin, record_trials

from .conftest import Assay

HOSTILE = "\x1b[2J<b>\x00\u202e\r\nsecond line"
REPLIES = ["yes", HOSTILE, "x" * (1 << 20), None, "", '=HYPERLINK("http://x","y")', "-1+1", "@SUM(1)"]
OUTCOMES: tuple[Outcome, ...] = ("success", "failure", "unknown")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[RunFolder, Lock]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    study = Study(subjects=("reference:mumbler",), instruments={"ping": {"trials": len(REPLIES)}})
    return begin(tmp_path / "runs", study, "seen")


def lines(text: str | bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def exported(assay: Assay, tmp_path: Path, *arguments: str, out: str = "out.jsonl") -> bytes:
    ended = assay("export", "seen", "--out", out, *arguments)
    assert ended.code == 0, ended.err
    return (tmp_path / out).read_bytes()


def test_every_format_has_the_same_trials(assay: Assay, tmp_path: Path, run: tuple[RunFolder, Lock]) -> None:
    ids = record_trials(*run, REPLIES, outcomes=OUTCOMES)
    rows = lines(exported(assay, tmp_path))
    assert [row["trial"] for row in rows] == ids
    assert [row["reply"] for row in rows] == REPLIES
    assert all(list(row) == list(TRIAL_COLUMNS) for row in rows)
    exported(assay, tmp_path, out="out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").to_dicts() == rows
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    exported(assay, tmp_path, out="out.csv")
    table = pl.read_csv(tmp_path / "out.csv", infer_schema=False).to_dicts()
    assert [row["trial"] for row in table] == ids
    assert [row["outcome"] for row in table] == [row["outcome"] for row in rows]
    cells = [cell for row in table for cell in row.values() if cell]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t")) or "\x1b" in cell]
    assert [row["reply"][:2] for row in table[5:8]] == ["'=", "'-", "'@"]


def test_a_row_says_what_was_asked_what_came_and_what_it_took(
    assay: Assay, tmp_path: Path, run: tuple[RunFolder, Lock]
) -> None:
    spoken = Reply("yes", finish="stop", usage=Usage(7, 3, 2), model="m", reasoning="because")
    record_trials(*run, [spoken, None])
    good, lost = lines(exported(assay, tmp_path))
    assert json.loads(good["messages"]) == [{"content": "Are you there?", "role": "user"}]
    assert (good["finish"], good["model"], good["input_tokens"], good["output_tokens"]) == ("stop", "m", 7, 3)
    assert (good["reasoning"], good["reasoning_tokens"]) == ("because", 2)
    assert (good["seconds"], good["cost"], good["calls"], good["tries"]) == (0.5, 0.25, 1, 1)
    assert (good["outcome"], good["item"], good["subject"]) == ("success", "item-0", "reference:mumbler")
    assert (lost["outcome"], lost["reason"], lost["reply"]) == ("excluded", "http_500", None)
    assert (lost["fault"], lost["detail"], lost["tries"]) == ("http_500", "<h1>no</h1>", 1)
    assert json.loads(lost["faults"]) == {"http_500": 1}
    assert lost["input_tokens"] is None


def test_calls_are_of_all_attempts_and_named_columns(
    assay: Assay, tmp_path: Path, run: tuple[RunFolder, Lock]
) -> None:
    record_trials(*run, ["a", "b"])
    rows = lines(exported(assay, tmp_path, "--what", "calls"))
    assert [(row["text"], row["prompt"], row["counts"]) for row in rows] == [
        ("a", "Are you there?", True),
        ("b", "Are you there?", True),
    ]
    assert all(list(row) == list(CALL_COLUMNS) for row in rows)


def test_an_unfinished_and_a_torn_run_are_written_as_far_as_they_are(
    assay: Assay, tmp_path: Path, run: tuple[RunFolder, Lock]
) -> None:
    record_trials(*run, ["a", "b"], finished=False)
    (path,) = segment_paths(run[0].ledger)
    path.write_bytes(path.read_bytes()[:-30])
    ended = assay("export", "seen", "--out", "out.jsonl", "--json")
    assert ended.code == 0
    assert json.loads(ended.out) == {"run": "runs/seen", "file": "out.jsonl", "rows": 2, "closed": False}
    assert "0001.jsonl" in ended.err
    first, second = lines((tmp_path / "out.jsonl").read_bytes())
    assert (first["outcome"], second["outcome"], second["reply"]) == ("success", None, "b")


def test_an_altered_run_is_refused_and_nothing_is_written(
    assay: Assay, tmp_path: Path, run: tuple[RunFolder, Lock]
) -> None:
    record_trials(*run, ["one", "two"])
    (path,) = segment_paths(run[0].ledger)
    path.write_bytes(path.read_bytes().replace(b'"text":"two"', b'"text":"2wo"'))
    for out in ("out.jsonl", "out.csv", "out.parquet"):
        assert assay("export", "seen", "--out", out).code == 1
        assert [one.name for one in tmp_path.iterdir()] == ["runs"] or not (tmp_path / out).exists()


def test_places_and_words_that_cannot_be(assay: Assay, tmp_path: Path, run: tuple[RunFolder, Lock]) -> None:
    record_trials(*run, ["a"])
    for arguments in (
        ("--out", "out.xlsx"),
        ("--format", "xlsx"),
        ("--what", "dreams"),
        ("--only", "drill"),
        ("--out", "runs/seen/records.jsonl"),
        ("--out", "runs/seen/../seen/ledger/0001.jsonl"),
        ("--out", "nowhere/out.csv"),
        ("--out", "-", "--format", "parquet"),
    ):
        assert assay("export", "seen", *arguments).code == 2, arguments
    assert assay("export", "seen").code == 0
    assert (tmp_path / "seen-trials.jsonl").exists()
    again = assay("export", "seen")
    assert again.code == 2
    assert "exists already" in again.err


def test_a_pipe_gets_rows_and_nothing_else(assay: Assay, run: tuple[RunFolder, Lock]) -> None:
    record_trials(*run, ["a", "b"])
    assert [row["reply"] for row in lines(assay("export", "seen", "--out", "-").out)] == ["a", "b"]
    assert assay("export", "seen", "--out", "-", "--format", "csv").out.startswith("trial,instrument,")


def measures(reading: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for m in reading["result"]["measures"]:
        key = json.dumps([m["name"], m["labels"]], sort_keys=True)
        found[key] = [m[part] for part in ("value", "k", "low", "high", "n")]
    return found


RUNS = {
    "repeatability": (
        "-s", "reference:restyled", "--contracts", "is_even", "--repetitions", "3", "--temperatures", "0.7",
    ),
    "consistency": (
        "-s", "reference:drifting", "--returns", "2", "--refusals", "2", "--near-misses", "1", "--repairs", "2",
        "--artifacts", "1", "--exchanges", "1", "--promises", "1",
    ),
    "ping": ("-s", "reference:mumbler", "--trials", "4"),
}  # fmt: skip


@pytest.mark.parametrize(
    "instrument", [pytest.param("repeatability", marks=pytest.mark.slow), "consistency", "ping"]
)
def test_rows_of_a_run_are_scored_as_the_run_was(assay: Assay, tmp_path: Path, instrument: str) -> None:
    assert assay("run", instrument, *RUNS[instrument], "--name", "seen").code == 0
    exported(assay, tmp_path, "--what", "rows", out="rows.jsonl")
    ended = assay("score", instrument, "rows.jsonl", "--json")
    assert ended.code == 0, ended.err
    again = measures(json.loads(ended.out))
    first = measures(json.loads((tmp_path / f"runs/seen/reading-{instrument}.json").read_bytes()))
    assert again
    assert {key: value for key, value in first.items() if key in again} == again
    missing = {json.loads(key)[0] for key in first if key not in again}
    assert missing == ({"R_reply"} if instrument == "repeatability" else set())  # rows have no whole replies


def test_records_are_those_of_the_run(assay: Assay, tmp_path: Path) -> None:
    assert assay("run", "ping", *RUNS["ping"], "--name", "seen").code == 0
    exported(assay, tmp_path, "--what", "records", out="out.csv")
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "runs/seen/records-ping.csv").read_bytes()
    exported(assay, tmp_path, "--what", "records", out="out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").height == 4
    for what in ("trials", "calls"):
        rows = lines(exported(assay, tmp_path, "--what", what, out=f"{what}.jsonl"))
        assert [row["cost"] for row in rows] == [None] * 4, "without a price nothing is known of money"


def test_a_file_that_is_there_is_replaced_only_by_force(
    assay: Assay, tmp_path: Path, run: tuple[RunFolder, Lock]
) -> None:
    record_trials(*run, ["a"])
    (tmp_path / "mine.csv").write_text("mine")
    refused = assay("export", "seen", "--out", "mine.csv")
    assert (refused.code, (tmp_path / "mine.csv").read_text()) == (2, "mine")
    assert "--force" in refused.err
    assert assay("export", "seen", "--out", "mine.csv", "--force").code == 0
    assert (tmp_path / "mine.csv").read_text().startswith("trial,")


def test_a_format_that_contradicts_the_name_is_refused(
    assay: Assay, tmp_path: Path, run: tuple[RunFolder, Lock]
) -> None:
    record_trials(*run, ["a"])
    assert assay("export", "seen", "--format", "csv", "--out", "y.jsonl").code == 2
    assert not (tmp_path / "y.jsonl").exists()
    assert assay("export", "seen", "--format", "csv", "--out", "y.txt").code == 0
    assert assay("export", "seen", "--format", "csv", "--out", "y.csv").code == 0
