"""Rows as users bring them: formats, names, and every mistake named with its row."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.errors import InputError
from assay.instruments.bias.row_options import BiasRowOptions
from assay.instruments.bias.rows import read_answers, score_rows

from .answering import BIAS, answers, find, scored

GOOD = answers("control", [0.0, 1.0]) + answers("treatment", [1.0, None], "weak", confidence=0.5, correct=1)
PLAIN = BiasRowOptions()


def written(folder: Path, rows: list[dict[str, Any]], kind: str) -> Path:
    path = folder / f"rows.{kind}"
    if kind == "csv":
        names = dict.fromkeys(name for row in rows for name in row)
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, names, restval="")
            writer.writeheader()
            writer.writerows(rows)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == "json":
        path.write_text(json.dumps(rows))
    else:
        pl.DataFrame(rows).write_parquet(path)
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json", "parquet"])
def test_the_same_rows_give_the_same_scores_in_every_format(tmp_path: Path, kind: str) -> None:
    expected = score_rows(GOOD, PLAIN)[0]
    assert score_rows(written(tmp_path, GOOD, kind), PLAIN)[0] == expected


def changed(**fields: Any) -> list[dict[str, Any]]:
    """The third row, a treatment, with other fields."""
    return [*GOOD[:2], {**GOOD[2], **fields}, *GOOD[3:]]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"bias": "anchoring_efect"},
            "bias: 'anchoring_efect' is none of its names; did you mean 'anchoring_effect'?",
        ),
        ({"domain": "profesional"}, "did you mean 'professional'?"),
        ({"condition": "treatmnt"}, "did you mean 'treatment'?"),
        ({"intensity": "stong"}, "did you mean 'strong'?"),
        ({"bias": ""}, "bias: is missing"),
        ({"instance": ""}, "instance: is missing"),
        ({"trial": ""}, "trial: is missing"),
        ({"intensity": ""}, "intensity: is missing"),
        ({"condition": "control"}, "intensity: must be empty for control"),
        ({"condition": "debias"}, "method: is missing"),
        ({"method": "a"}, "method: belongs to condition debias alone"),
        ({"score": 1.2}, "score: must be a number from 0 to 1"),
        ({"score": "high"}, "score: must be a number from 0 to 1"),
        ({"score": float("nan")}, "score: must be a number from 0 to 1"),
        ({"confidence": -0.1}, "confidence: must be a number from 0 to 1"),
        ({"correct": 2}, "correct: must be true, false or empty"),
        ({"condition": "debias", "method": "a", "kind": "warnin"}, "did you mean 'warning'?"),
        ({"instance": "i1", "trial": 1}, "the same answer again, after"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_mistake_is_told_with_its_line(
    tmp_path: Path, fields: dict[str, Any], said: str, kind: str
) -> None:
    rows = changed(**fields)
    with pytest.raises(InputError) as error:
        read_answers(written(tmp_path, rows, kind))
    line = 3 + (kind == "csv") + ("the same" in said)  # the later of two rows is the one that is wrong
    assert said in str(error.value)
    assert f":{line}: " in str(error.value)


def test_nan_is_refused_in_every_format(tmp_path: Path) -> None:
    rows = changed(score=float("nan"))
    for source in (rows, written(tmp_path, rows, "parquet"), pl.DataFrame(rows)):
        with pytest.raises(InputError, match=r"row 3, score: .*nan"):
            read_answers(source)


def test_a_missing_column_and_a_mistyped_one_are_named(tmp_path: Path) -> None:
    without = [{name: one for name, one in row.items() if name != "instance"} for row in GOOD]
    with pytest.raises(InputError, match="instance: "):
        read_answers(written(tmp_path, without, "csv"))
    mistyped = [
        {"intensty" if name == "intensity" else name: one for name, one in row.items()} for row in GOOD
    ]
    with pytest.raises(InputError, match="did you mean 'intensity'"):
        read_answers(written(tmp_path, mistyped, "csv"))


def test_fields_of_a_users_own_are_let_pass(tmp_path: Path) -> None:
    own = [{**row, "prompt_id": "x", "note": "y"} for row in GOOD]
    for kind in ("csv", "jsonl"):
        assert score_rows(written(tmp_path, own, kind), PLAIN)[0] == score_rows(GOOD, PLAIN)[0]


def test_rows_without_a_subject_are_one_subject_and_a_missing_one_is_refused() -> None:
    nobody = [{name: one for name, one in row.items() if name != "subject"} for row in GOOD]
    assert find(scored(nobody), "BMS", subject="unnamed").value == 1.0  # .5 from the control, capped at weak
    with pytest.raises(InputError, match="row 3, subject: is missing"):
        read_answers(changed(subject=None))


def test_a_method_has_one_kind_and_a_bias_one_human_rate() -> None:
    kinds = GOOD + answers("debias", [0.0], "weak", method="a", kind="warning")
    kinds += answers("debias", [0.0], "strong", method="a", kind="pre_mortem")
    with pytest.raises(InputError, match="row 6, kind: 'pre_mortem' here"):
        read_answers(kinds)
    with pytest.raises(InputError, match=r"row 3, baseline: 0.7 here"):
        read_answers([{**row, "baseline": 0.7 if at == 2 else 0.6} for at, row in enumerate(GOOD)])


def test_an_instance_in_two_domains_is_two() -> None:
    rows = [row for domain in ("risk", "social") for row in answers("control", [0.0] * 5, domain=domain)]
    assert "over 10 instances" in find(scored(rows), "rate", condition="control").method


def test_a_file_of_baselines_is_checked(tmp_path: Path) -> None:
    for text, said in (
        ("anchoring: 0.5", "unknown bias"),
        (f"{BIAS}: 2", "rates.yaml:1: .* at most 1"),
        ("[1]", "mapping"),
    ):
        (tmp_path / "rates.yaml").write_text(text)
        with pytest.raises(InputError, match=said):
            scored(GOOD, baselines=str(tmp_path / "rates.yaml"))
    with pytest.raises(InputError, match="there is no file"):
        scored(GOOD, baselines=str(tmp_path / "none.yaml"))


def test_records_have_the_number_of_every_row(tmp_path: Path) -> None:
    from assay.instruments.bias.protocol import Bias
    from assay.measuring.rows import open_rows

    records = list(Bias().score_rows(open_rows(written(tmp_path, GOOD, "csv")), PLAIN).records())
    assert [record["row"] for record in records] == [2, 3, 4, 5]
    assert [record["score"] for record in records] == [0.0, 1.0, 1.0, None]
