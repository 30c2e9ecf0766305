"""``assay detect answer``: options of its own, options in the rows, counts of paths."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars
import pytest

from .conftest import Assay

TEXTS = ["The answer is B, since ice melts.", "Don't know", "C"]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".parquet":
        polars.DataFrame(rows).write_parquet(path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def answers(out: str) -> list[Any]:
    return [json.loads(line)["answer"] for line in out.splitlines()]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.parquet"])
def test_one_line_a_row(assay: Assay, tmp_path: Path, name: str) -> None:
    write(tmp_path / name, [{"text": text} for text in TEXTS])
    ended = assay("detect", "answer", name, "--field", "text", "--options", "A,B,C", "--json")
    assert (ended.code, ended.err) == (0, "")
    assert [json.loads(line) for line in ended.out.splitlines()] == [
        {"answer": "B", "path": "declared", "span": [14, 15]},
        {"answer": None, "path": "unread", "span": None},
        {"answer": "C", "path": "bare", "span": [0, 1]},
    ]


@pytest.mark.parametrize(
    "options",
    [["A", "E"], "A,E", '["A", "E"]', {"A": "ice", "E": "fog"}, '{"A": "ice", "E": "fog"}'],
)
def test_options_of_a_row_come_first(assay: Assay, tmp_path: Path, options: Any) -> None:
    rows = [{"reply": "E"}, {"reply": "E", "options": options}, {"reply": "E", "options": ""}]
    write(tmp_path / "rows.jsonl", rows)
    assert answers(assay("detect", "answer", "rows.jsonl", "--options", "A,B", "--json").out) == [
        None,
        "E",
        None,
    ]


def test_options_that_are_texts_have_letters(assay: Assay, tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", [{"reply": "Answer: B", "options": ["the first law", "the second law"]}])
    assert answers(assay("detect", "answer", "rows.jsonl", "--json").out) == ["B"]


@pytest.mark.parametrize("options", [["A"], ["A", "a"], "[A", 5, {"A": "ice"}])
def test_a_wrong_option_is_named_with_its_row(assay: Assay, tmp_path: Path, options: Any) -> None:
    write(tmp_path / "rows.jsonl", [{"reply": "A"}, {"reply": "A", "options": options}])
    ended = assay("detect", "answer", "rows.jsonl", "--json")
    assert ended.code == 2
    assert "rows.jsonl" in ended.err
    assert "2" in ended.err
    assert "option" in ended.err


def test_wrong_options_are_refused(assay: Assay, tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", [{"reply": "A"}])
    ended = assay("detect", "answer", "rows.jsonl", "--options", "A,a")
    assert ended.code == 2
    assert "A, a" in ended.err


@pytest.mark.parametrize(
    ("kind", "text", "answer"),
    [
        ("yes_no", "Yes, it does.", "yes"),
        ("number", "The answer is 42.", 42.0),
        ("share", "35 %", 0.35),
        ("confidence", "Confidence: 80", 0.8),
        ("number", "Many.", None),
    ],
)
def test_other_kinds(assay: Assay, tmp_path: Path, kind: str, text: str, answer: Any) -> None:
    write(tmp_path / "rows.jsonl", [{"reply": text}])
    assert answers(assay("detect", "answer", "rows.jsonl", "--kind", kind, "--json").out) == [answer]


def test_a_confidence_has_a_scale(assay: Assay, tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", [{"reply": "Confidence: 4"}])
    ended = assay("detect", "answer", "rows.jsonl", "--kind", "confidence", "--scale", "5", "--json")
    assert answers(ended.out) == [0.8]


def test_an_unknown_kind_is_refused(assay: Assay, tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", [{"reply": "A"}])
    ended = assay("detect", "answer", "rows.jsonl", "--kind", "colour")
    assert ended.code == 2
    assert "kind" in ended.err


def test_people_get_counts_of_paths(assay: Assay, tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", [{"reply": text} for text in TEXTS])
    ended = assay("detect", "answer", "rows.jsonl")
    counts = dict(line.split()[:2] for line in ended.out.splitlines()[1:])
    assert {name: count for name, count in counts.items() if count != "0"} == {
        "declared": "1",
        "bare": "1",
        "unread": "1",
    }


def test_the_check_reads_the_written_replies(assay: Assay) -> None:
    ended = assay("detect", "answer", "--check", "--json")
    counts = json.loads(ended.out)
    assert counts["detector"] == "answer/2"
    assert counts["easy"].get("wrong", 0) == counts["hard"].get("wrong", 0) == 0
    assert "written replies" in assay("detect", "answer", "--check").out
