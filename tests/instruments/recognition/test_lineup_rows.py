"""Rows of answered lineups as users bring them: formats, names, and every mistake named with its row."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.errors import InputError
from assay.instruments.recognition.protocol import Recognition
from assay.instruments.recognition.row_options import PHASES, RecognitionRowOptions
from assay.instruments.recognition.scoring import score_rows
from assay.measuring.lineups import read_lineups
from assay.measuring.rows import open_rows

from .answering import answer, find, scored, value

SCALE = (1.0, 5.0)
PLAIN = RecognitionRowOptions()
GOOD = [
    answer(1, 1, confidence=4, cluster="p", lengths=[9, 5, 5, 5], explanation="my way"),
    answer(2, None, confidence=None, cluster="p", lengths=[5, 5, 9, 5], explanation=""),
    answer(3, 4, confidence=1, cluster="p", lengths=[5, 9, 5, 5], explanation="It is right, by ear."),
]


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
    assert any(m.name == "longest_share" for m in expected.measures)
    assert score_rows(written(tmp_path, GOOD, kind), PLAIN)[0] == expected


def changed(**fields: Any) -> list[dict[str, Any]]:
    """The third row with other fields."""
    return [*GOOD[:2], {**GOOD[2], **fields}]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"choice": 5}, "choice: must be a position, 1 to options, not 5"),
        ({"choice": 0}, "choice: must be a number from 1 to 20, or empty, not"),
        ({"choice": 1.5}, "choice: must be a whole number, not 1.5"),
        ({"choice": "B"}, "choice: must be a number from 1 to 20, or empty, not 'B'"),
        ({"own": 5}, "own: must be a position, 1 to options, not 5"),
        ({"own": 21}, "own: must be a number from 1 to 20, not"),
        ({"own": None}, "own: is missing"),
        ({"options": 1}, "options: must be a number from 2 to 20, not"),
        ({"options": 21}, "options: must be a number from 2 to 20, not"),
        ({"options": None}, "options: is missing"),
        ({"confidence": 6}, "confidence: must be a number from 1 to 5, or empty, not"),
        ({"confidence": 0.5}, "confidence: must be a number from 1 to 5, or empty, not"),
        ({"phase": "slef"}, "phase: 'slef' is none of its names; did you mean 'self'?"),
        ({"phase": ""}, "phase: is missing"),
        ({"subject": ""}, "subject: is missing"),
        ({"target": ""}, "target: is missing"),
        ({"lineup": ""}, "lineup: is missing"),
        ({"choice": None, "chosen": "x"}, "chosen: must be empty without a choice, not 'x'"),
        ({"choice": 3, "chosen": "x"}, "chosen: must be the target where the choice is its text, not 'x'"),
        ({"lengths": [5, 9]}, "lengths: must be 4 lengths, one an option, not 2"),
        ({"lengths": [5, 9, 5, -1]}, "lengths[3]: "),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_mistake_is_told_with_its_line(
    tmp_path: Path, fields: dict[str, Any], said: str, kind: str
) -> None:
    with pytest.raises(InputError) as error:
        score_rows(written(tmp_path, changed(**fields), kind), PLAIN)
    assert said in str(error.value)
    assert f":{3 + (kind == 'csv')}: " in str(error.value)


@pytest.mark.parametrize("name", ["choice", "confidence", "own", "options"])
def test_nan_is_refused_in_every_format(tmp_path: Path, name: str) -> None:
    rows = [{**row, name: float(row[name] or 1)} for row in GOOD]
    rows[2][name] = float("nan")
    for source in (
        rows,
        written(tmp_path, rows, "jsonl"),
        written(tmp_path, rows, "parquet"),
        pl.DataFrame(rows),
    ):
        with pytest.raises(InputError, match=rf"(row |:)3(, |: ){name}: .*nan"):
            read_lineups(source, SCALE, PHASES)


def test_one_lineup_has_one_number_of_texts() -> None:
    row = {"subject": "m", "target": "m", "phase": "self", "lineup": "l", "own": 1, "choice": 1, "options": 2}
    other = {**row, "options": 3}
    with pytest.raises(
        InputError, match="row 2, options: 3 here, and another one before for the same lineup"
    ):
        read_lineups([row, other], SCALE, PHASES)
    for name, given in (("lineup", "k"), ("phase", "gold"), ("target", "n"), ("condition", "c")):
        assert read_lineups([row, {**other, name: given}], SCALE, PHASES).height == 2


def test_an_answer_that_comes_again_is_a_repetition_and_is_noted() -> None:
    """A judge at temperature 0 gives the same answer to the same lineup; only ``trial`` says that a row is a copy."""
    again = [*GOOD, GOOD[0], GOOD[1]]
    found = scored(again)
    assert find(found, "accuracy").n == 3
    assert find(found, "unknown_rate").n == 5
    assert value(found, "accuracy") == pytest.approx(2 / 3)
    assert [note for note in found.notes if "repetitions of the answer" in note]
    assert "earlier one in every field: 2." in found.notes[-1]
    told = scored([{**row, "trial": at} for at, row in enumerate(again)])
    assert told.measures == found.measures
    assert not [note for note in told.notes if "repetitions of the answer" in note]


def test_the_same_trial_twice_is_refused() -> None:
    rows = [{**row, "trial": "t1"} for row in GOOD]
    with pytest.raises(InputError, match=r"row 4, trial: must tell this answer from an earlier one"):
        read_lineups([*rows, rows[1]], SCALE, PHASES)


@pytest.mark.parametrize("scale", [(5.0, 1.0), (1.0, 1.0), (-1.0, 1.0), (0.0, float("inf"))])
def test_a_scale_is_two_numbers_in_order(scale: tuple[float, float]) -> None:
    with pytest.raises(InputError, match=r"scale: must be two numbers, 0 <= LOW < HIGH, as 1,5 or 0,1"):
        scored(GOOD, scale=scale)


def test_a_missing_column_and_a_mistyped_one_are_named(tmp_path: Path) -> None:
    without = [{name: one for name, one in row.items() if name != "own"} for row in GOOD]
    with pytest.raises(InputError, match="own: the column is missing"):
        read_lineups(written(tmp_path, without, "csv"), SCALE, PHASES)
    mistyped = [{"confidense" if n == "confidence" else n: v for n, v in row.items()} for row in GOOD]
    with pytest.raises(InputError, match="did you mean 'confidence'"):
        read_lineups(written(tmp_path, mistyped, "jsonl"), SCALE, PHASES)


@pytest.mark.parametrize("kind", ["jsonl", "json", "parquet"])
def test_fields_of_a_users_own_may_hold_anything_and_come_late(tmp_path: Path, kind: str) -> None:
    many = [answer(1 + at % 4, 1, lineup=f"l{at}") for at in range(1100)]
    own = [{**row, "texts": ["a", "b"], "source": {"file": "x", "row": 3}} for row in many]
    late = [*own[:-1], {**own[-1], "remark": ["late"]}]
    expected = score_rows(many, RecognitionRowOptions(intervals=False))[0]
    source = written(tmp_path, late if kind != "parquet" else own, kind)
    assert score_rows(source, RecognitionRowOptions(intervals=False))[0] == expected


def test_records_have_the_number_of_every_row_and_whether_it_is_right(tmp_path: Path) -> None:
    records = list(Recognition().score_rows(open_rows(written(tmp_path, GOOD, "csv")), PLAIN).records())
    assert [record["row"] for record in records] == [2, 3, 4]
    assert [record["correct"] for record in records] == [True, None, False]
    assert [record["longest"] for record in records] == [1, 3, 2]
