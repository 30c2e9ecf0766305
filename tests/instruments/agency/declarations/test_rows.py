"""Outcomes that somebody brings: JSON Lines, CSV, Parquet, and what is said of mistakes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from assay.errors import InputError
from assay.instruments.agency.declarations.outcome import COLUMNS
from assay.instruments.agency.declarations.table import NO_ROWS_OF_R, frame_of
from assay.instruments.agency.rows import read_outcomes, score_rows
from assay.vocabulary import Flag
from tests.instruments.agency.made_outcomes import declared, level, made, stressed

ROWS = stressed(30, 29, 28, 32, attacked=10, resisted=9)
ROW = {
    "dimension": "S",
    "level": 1,
    "family": "inbox",
    "regime": "Baseline",
    "instance": "1",
    "outcome": "success",
}


def lines(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def csv(folder: Path, text: str) -> Path:
    path = folder / "rows.csv"
    path.write_text(text)
    return path


def refused(path: Path) -> str:
    with pytest.raises(InputError) as told:
        score_rows(path, version="1")
    return str(told.value).removeprefix(str(path))


def written(folder: Path, kind: str) -> Path:
    path = folder / f"rows.{kind}"
    frame = frame_of(ROWS)
    if kind == "parquet":
        frame.write_parquet(path)
    elif kind == "csv":
        frame.write_csv(path)
    else:
        data = b"".join(msgspec.json.encode(row) + b"\n" for row in ROWS)
        path.write_bytes(gzip.compress(data) if kind.endswith("gz") else data)
    return path


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "csv", "parquet"])
def test_every_form_gives_the_same_result(tmp_path: Path, kind: str) -> None:
    plain = score_rows(written(tmp_path, "jsonl"), declared(ROWS), version="1")
    result = score_rows(written(tmp_path, kind), declared(ROWS), version="1")
    assert msgspec.json.encode(result) == msgspec.json.encode(plain)
    assert level(result, "S").value == 1
    assert level(result, "resisted").value == 0.9


def test_rows_are_never_fully_comparable(tmp_path: Path) -> None:
    result = score_rows(written(tmp_path, "csv"), declared(ROWS), version="1")
    assert result.source == "rows"
    assert result.flags == (Flag("Limited Comparability", "not declared first"),)
    assert "Limited Comparability (not declared first)" in level(result, "S").notes[0]


def test_without_a_declaration_nothing_comparable_is_claimed(tmp_path: Path) -> None:
    result = score_rows(lines(tmp_path, ROW), version="1")
    assert "2.5: there is no declaration, so nothing comparable can be claimed" in result.notes
    assert any(flag.cause.startswith("exploratory:") for flag in result.flags)
    assert all(level(result, name).value is None for name in "SMDELRG")


def test_a_declaration_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "declaration.json"
    path.write_bytes(msgspec.json.encode(declared(ROWS)))
    assert level(score_rows(written(tmp_path, "parquet"), path, version="1"), "S").value == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"outcom": "success"}, ":2: outcom: unknown column; did you mean 'outcome'?"),
        ({"outcome": "won"}, ":2: outcome: must be one of success, failure, excluded, not 'won'"),
        ({"level": 6}, ":2: level: must be a whole number, 1 to 5, not 6"),
        ({"level": "three"}, ":2: level: must be a whole number, 1 to 5, not 'three'"),
        ({"steps": -1}, ":2: steps: must be a whole number, 0 to 1,000,000,000, not -1"),
        ({"family": ""}, ":2: family: is missing"),
        ({"family": ["a"]}, ":2: family: must be a single value"),
        ({"compliant": "maybe"}, ":2: compliant: must be true, false or empty, not 'maybe'"),
        ({"dimension": "R"}, f":2: dimension: {NO_ROWS_OF_R}, not 'R'"),
        ({"outcome": None}, ":2: outcome: is missing"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    assert refused(lines(tmp_path, ROW, {**ROW, "instance": "2", **change})).startswith(told)


@pytest.mark.parametrize("number", [10**400, 10**30, -(10**30), 2**63, True])
def test_a_number_beyond_all_bounds_is_refused(tmp_path: Path, number: int) -> None:
    with pytest.raises(InputError, match="steps"):
        read_outcomes(lines(tmp_path, {**ROW, "steps": 3}, {**ROW, "steps": number}))


@pytest.mark.parametrize("value", [None, 3, "text", [], [ROW]])
def test_a_line_that_is_no_object_is_refused(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(value))
    assert refused(path).startswith(":1: not a row: ")


def test_a_line_without_a_needed_column_is_named(tmp_path: Path) -> None:
    short = {name: value for name, value in ROW.items() if name != "outcome"}
    assert refused(lines(tmp_path, ROW, short)) == ":2: outcome: is missing"


def test_null_is_an_empty_text(tmp_path: Path) -> None:
    path = lines(tmp_path, {**ROW, "reason": None, "rater": None, "compliant": None, "pair": None})
    assert read_outcomes(path).row(0, named=True)["reason"] == ""


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("true", True),
        ("1", True),
        ("TRUE", True),
        ("false", False),
        ("0.0", False),
        ("False", False),
        ("", None),
    ],
)
def test_csv_takes_booleans_as_people_write_them(tmp_path: Path, word: str, value: bool | None) -> None:
    path = csv(
        tmp_path,
        f"dimension,level,family,regime,instance,outcome,compliant\nS,1,a,Baseline,1,success,{word}\n",
    )
    assert read_outcomes(path).row(0, named=True)["compliant"] is value


HEAD = "dimension,level,family,regime,instance,outcome"
NEEDED = "dimension, level, family, regime, instance, outcome"
LEVELS = "must be a whole number, 1 to 5"
FLAGS = "true, false or empty"
ATTEMPTS = "one of resisted, followed, true, false"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{HEAD},comliant\nS,1,a,B,1,success,1\n", "1: comliant: unknown column; did you mean 'compliant'?"),
        (
            HEAD.removesuffix(",outcome") + "\nS,1,a,B,1\n",
            f"the column 'outcome' is missing; needed are {NEEDED}",
        ),
        (
            f"{HEAD}\nS,1,a,B,1,success\nS,one,a,B,2,success\n",
            f"3: level: {LEVELS}, not 'one'",
        ),
        (f"{HEAD}\nS,1,a,B,1,success\nS,7,a,B,2,success\n", f"3: level: {LEVELS}, not '7'"),
        (f"{HEAD}\nS,,a,B,2,success\n", "2: level: is missing"),
        (
            f"{HEAD}\nQ,1,a,B,2,success\n",
            "2: dimension: must be one of S, M, D, E, L, G, G1, G2, G3, T3, T4, T5, T6, N, not 'Q'",
        ),
        (f"{HEAD},compliant\nS,1,a,B,2,success,maybe\n", f"2: compliant: must be {FLAGS}, not 'maybe'"),
        (f"{HEAD},adversarial\nS,1,a,B,2,success,oh\n", f"2: adversarial: must be {ATTEMPTS}, not 'oh'"),
        (f"{HEAD}\nS,1,,B,2,success\n", "2: family: is missing"),
        (f"{HEAD}\n", "there are no rows"),
        ("", "there are no rows"),
    ],
)
def test_a_wrong_csv_is_told_with_row_and_column(tmp_path: Path, text: str, told: str) -> None:
    assert refused(csv(tmp_path, text)) == f"{':' if told[0].isdigit() else ': '}{told}"


def test_parquet_of_wrong_types_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pl.DataFrame([{**ROW, "level": 1.5}]).write_parquet(path)
    assert refused(path) == ": row 1, level: must be a whole number, 1 to 5, not 1.5"
    pl.DataFrame([{**ROW, "family": ["a"]}]).write_parquet(path)
    assert refused(path) == ": row 1, family: must be text, not List(String)"
    pl.DataFrame([{**ROW, "steps": 2**40}]).write_parquet(path)
    assert refused(path) == f": row 1, steps: must be a whole number, 0 to 1,000,000,000, not {2**40}"
    path.write_bytes(b"nothing of the kind")
    assert refused(path) == ": is no Parquet file"
    path.write_bytes(b"PAR1 and nothing else of the kind")
    assert refused(path).startswith(": the Parquet file cannot be read: ")


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Nothing of the kind.")
    assert "rows are JSON Lines, CSV or Parquet" in refused(tmp_path / "notes.txt")
    for name in ("rows.csv", "rows.parquet", "rows.jsonl", "rows.txt"):
        with pytest.raises(InputError, match="there is no file"):
            read_outcomes(tmp_path / name)


def test_a_time_that_is_none_is_refused(tmp_path: Path) -> None:
    path = lines(tmp_path, {**ROW, "criterion_time": "soon"})
    rows = made("S", 1, 1, 1, families=["inbox"])
    with pytest.raises(InputError, match="jsonl:1: criterion_time: 'soon' is not an ISO 8601 time"):
        score_rows(path, declared(rows), version="1")


def test_the_columns_are_those_that_are_promised() -> None:
    promised = (
        "dimension level family regime boundary instance pair outcome reason artifact criterion_time adversarial "
        "compliant steps state_changed rater subject phase arm learner attempt memory "
        "goal_origin goal_rank goals goal_limit feasible confidence strategy calls unauthorised "
        "out_of_range bypass executed reported_calls misreported_calls misreported_state claimed frame_changes induced "
        "episode ended_at log"
    )
    assert set(COLUMNS) == set(promised.split())
