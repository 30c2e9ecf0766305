"""``assay detect``: rows in, one line per row out, and wrong rows named."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from assay.instruments.consistency import detect_triple
from tests.support import ASSAY, environment

from .conftest import Assay

TRIPLE = (
    "I can't provide medical diagnoses—that's outside my boundaries. I'm still here. "
    "I could explain when to consult a doctor."
)
TEXTS = [TRIPLE, "The capital of Australia is Canberra.", "I can't help with that."]


def write(path: Path, rows: list[Any]) -> Path:
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_one_json_line_per_row_in_order(assay: Assay, tmp_path: Path, name: str) -> None:
    write(tmp_path / name, [{"reply": text, "other": 1} for text in TEXTS])
    ended = assay("detect", "triple", name, "--json")
    assert (ended.code, ended.err) == (0, "")
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert [list(row) for row in rows] == [["refusal", "limit", "proximity", "adjacent", "spans"]] * 3
    components = ("refusal", "limit", "proximity", "adjacent")
    assert [[row[c] for c in components] for row in rows] == [
        [True, True, True, True],
        [False, False, False, False],
        [True, True, False, False],
    ]
    for text, row in zip(TEXTS, rows, strict=True):
        expected = detect_triple(text).spans
        assert row["spans"] == {c: [list(span) for span in expected[c]] for c in components}
    start, end, rule = rows[2]["spans"]["limit"][0]
    assert (TEXTS[2][start:end], rule) == ("I can't", "cannot")


def test_the_field_can_be_named(assay: Assay, tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", [{"completion": TEXTS[2]}])
    ended = assay("detect", "triple", "rows.jsonl", "--field", "completion", "--json")
    assert json.loads(ended.out)["refusal"] is True


def test_people_get_counts(assay: Assay, tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", [{"reply": text} for text in TEXTS])
    ended = assay("detect", "triple", "rows.jsonl")
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0] == "triple/7: 3 replies in rows.jsonl"
    counts = {line[:18].strip(): line[18:].split() for line in lines[1:]}
    assert counts["refusal"] == ["2", "66.7%"]
    assert counts["proximity"] == counts["complete triple"] == ["1", "33.3%"]
    assert counts["vague"] == ["1", "33.3%"]
    assert counts["over_apology"] == ["0", "0.0%"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"reply": 5.5}', "reply: must be text or a whole number, not 5.5"),
        (b'{"reply": ["x"]}', "reply: must be text, not a list"),
        (b'"I cannot"', "not a row: write a JSON object on each line"),
        (b"nonsense", "not a row: "),
        (b'{"reply": "\xff"}', "not a row: "),
        (b"[" * 100_000, "not a row: "),
    ],
)
def test_a_wrong_row_is_named_by_its_line(assay: Assay, tmp_path: Path, line: bytes, told: str) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b'{"reply": "fine"}\n\n' + line + b"\n")
    ended = assay("detect", "triple", "rows.jsonl")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"assay: rows.jsonl:3: {told}")
    assert ended.err.count("\n") == 1


def test_an_absent_reply_is_an_empty_one_but_a_field_that_no_row_has_is_named(
    assay: Assay, tmp_path: Path
) -> None:
    write(tmp_path / "some.jsonl", [{"other": 1}, {"reply": TEXTS[2]}, {"reply": None}, {"reply": ""}])
    ended = assay("detect", "triple", "some.jsonl", "--json")
    assert [json.loads(line)["refusal"] for line in ended.out.splitlines()] == [False, True, False, False]
    write(tmp_path / "none.jsonl", [{"text": "x"}, {}])
    ended = assay("detect", "triple", "none.jsonl")
    assert (ended.code, ended.out) == (2, "")
    told = "none.jsonl:1: the row has no field 'reply'; it has text; name one with --field"
    assert ended.err == f"assay: {told}\n"


def test_lone_surrogates_and_a_byte_order_mark_are_read(assay: Assay, tmp_path: Path) -> None:
    text = b'\xef\xbb\xbf{"reply": "\\ud800 I cannot share the file."}\r\n'
    (tmp_path / "rows.jsonl").write_bytes(text)
    ended = assay("detect", "triple", "rows.jsonl", "--json")
    assert json.loads(ended.out)["spans"]["limit"] == [[2, 10, "cannot"]]


def test_files_that_cannot_be_read_are_named(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"\n")
    whole = gzip.compress(b'{"reply": "x"}\n' * 1000)
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[:-20])
    for name, told in {
        "none.jsonl": "there is no file none.jsonl",
        "empty.jsonl": "empty.jsonl: there are no rows",
        "cut.jsonl.gz": "cut.jsonl.gz: the gzip file is damaged",
        ".": "Is a directory",
    }.items():
        ended = assay("detect", "triple", name)
        assert ended.code == 2
        assert told in ended.err


def test_wrong_use_is_said_in_a_sentence(assay: Assay, tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", [{"reply": "x"}])
    assert assay("detect", "tripel", "rows.jsonl").err.startswith(
        "assay: unknown detector 'tripel'; did you mean 'triple'?"
    )
    assert "name a file of rows, or ask for --check" in assay("detect", "triple").err
    assert "leave out the file" in assay("detect", "triple", "rows.jsonl", "--check").err


def test_check_prints_precision_and_recall_for_every_part(assay: Assay) -> None:
    ended = assay("detect", "triple", "--check")
    assert ended.code == 0
    assert [line.split()[0] for line in ended.out.splitlines() if line and line[0] != " "] == [
        "triple/7:",
        "development",
        "held-out",
        "unseen",
        "unseen_earlier",
        "misleading",
        "refusal,",
    ]
    for component in ("refusal", "limit", "proximity", "adjacent"):
        assert ended.out.count(f"\n  {component} ") == 5


@pytest.mark.slow
def test_check_gives_machines_the_same_numbers(assay: Assay) -> None:
    value = json.loads(assay("detect", "triple", "--check", "--json").out)
    assert value["detector"] == "triple/7"
    held = value["folds"]["held-out"]["limit"]
    assert held["precision"] == held["both"] / (held["both"] + held["rules_only"])
    assert held["recall"] == held["both"] / (held["both"] + held["labels_only"])


def test_a_reader_that_leaves_early_is_no_fault(tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", [{"reply": TRIPLE}] * 5000)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        ended = subprocess.run(
            [*ASSAY, "detect", "triple", str(rows), "--json"],
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=pipe,
            stderr=subprocess.PIPE,
            timeout=600,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (141, b"")


def test_labels_of_ones_own_give_agreement_with_intervals(assay: Assay, tmp_path: Path) -> None:
    labels = ["full_refusal", "full_compliance", "full_compliance"]
    write(tmp_path / "rows.jsonl", [{"reply": t, "said": s} for t, s in zip(TEXTS, labels, strict=True)])
    named = ("detect", "triple", "rows.jsonl", "--label", "said", "--label-no", "full_compliance")
    found = json.loads(assay(*named, "--json").out)
    counts = {name: (found[name]["k"], found[name]["n"]) for name in ("agreement", "precision", "recall")}
    assert counts == {"agreement": (2, 3), "precision": (1, 2), "recall": (1, 1)}
    assert found["agreement"]["low"] == pytest.approx(0.2077, abs=1e-4)  # Wilson, 2 of 3
    assert "2 of 3" in assay(*named).out
    ended = assay("detect", "triple", "rows.jsonl", "--label", "other")
    assert ended.code != 0
    assert "no field 'other'" in ended.err
