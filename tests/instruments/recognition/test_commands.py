"""``assay signature`` and ``assay identify`` on files of every format."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.errors import InputError
from assay.instruments.recognition.signature import sign
from tests.support import command

ROWS = [
    {
        "id": f"{label}{group}{n}",
        "label": label,
        "group": f"{label}{group}",
        "text": f"I {word} {n}, perhaps.",
    }
    for label, word in (("a", "notice"), ("b", "refuse"))
    for group in range(3)
    for n in range(2)
]


def write(path: Path) -> Path:
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    if path.name.endswith(".gz"):
        path.write_bytes(gzip.compress(lines.encode()))
    elif path.suffix == ".jsonl":
        path.write_text(lines)
    elif path.suffix == ".csv":
        pl.DataFrame(ROWS).write_csv(path)
    else:
        pl.DataFrame(ROWS).write_parquet(path)
    return path


def assay(*words: str | Path) -> str:
    ended = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
    if ended.exception is not None and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    return ended.stdout


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz", "rows.csv", "rows.parquet"])
def test_every_format_gives_the_same_vectors_in_order(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    for version in (1, 2):
        lines = assay("signature", path, "--field", "text", "--version", str(version), "--json").splitlines()
        expected = sign([row["text"] for row in ROWS], 1 if version == 1 else 2).tolist()
        assert [json.loads(line)["d5"] for line in lines] == expected


@pytest.mark.parametrize("name", ["rows.jsonl.gz", "rows.csv"])
def test_identify_gives_every_baseline_beside_chance(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    words = ("identify", path, "--field", "text", "--label", "label", "--group", "group")
    found = json.loads(assay(*words, "--json"))
    accuracies = {
        measure["labels"]["baseline"]: measure["value"]
        for measure in found["measures"]
        if measure["name"] == "balanced_accuracy"
    }
    assert accuracies == {"chance": 0.5, "signature_1": 1.0, "signature_2": 1.0, "ngrams": 1.0}
    assert (found["rows"], found["groups"], found["labels"]) == (12, 6, {"a": 6, "b": 6})
    assert "signature_2 less signature_1" in assay(*words)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"text": "x"}', "rows.jsonl:2: label: is missing"),
        ('{"label": "a", "group": "g"}', "rows.jsonl:2: text: is missing"),
        ('{"text": null, "label": "a", "group": "g"}', "rows.jsonl:2: text: is missing"),
        ('{"text": ["x"], "label": "a", "group": "g"}', "rows.jsonl:2: text: must be text"),
        ("{", "rows.jsonl:2: not a row"),
    ],
)
def test_an_error_names_the_row(tmp_path: Path, row: str, said: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"text": "", "label": "a", "group": "g"}) + "\n" + row + "\n")
    with pytest.raises(InputError) as error:
        assay("identify", path, "--field", "text", "--label", "label", "--group", "group")
    assert said in str(error.value)


def test_a_version_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are 1 and 2"):
        assay("signature", write(tmp_path / "rows.jsonl"), "--field", "text", "--version", "3")


def test_a_user_sees_means_beside_those_of_the_corpus(tmp_path: Path) -> None:
    assert "D_identity" in assay("signature", write(tmp_path / "rows.csv"), "--field", "text")


def test_a_mistake_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    write(tmp_path / "rows.csv")
    wrong = command("identify", "rows.csv", "--label", "label", "--group", "label", cwd=tmp_path)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
