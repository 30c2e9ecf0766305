"""Tables as spreadsheets, pandas and databases write them."""

from __future__ import annotations

import datetime
import json
import math
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.errors import InputError
from assay.instruments.agency.declarations.table import frame_of
from assay.instruments.agency.rows import read_outcomes, score_rows
from tests.instruments.agency.made_outcomes import declared, level, made, score

HEAD = "dimension,level,family,regime,instance,outcome"
ROW = {
    "dimension": "S",
    "level": 1,
    "family": "a",
    "regime": "Baseline",
    "instance": "1",
    "outcome": "success",
}


def csv(folder: Path, text: str) -> Path:
    path = folder / "rows.csv"
    path.write_bytes(text.encode())
    return path


def parquet(folder: Path, **columns: list[Any]) -> Path:
    path = folder / "rows.parquet"
    number = len(next(iter(columns.values())))
    plain = {name: [value] * number for name, value in ROW.items()}
    pl.DataFrame({**plain, "instance": [str(i) for i in range(number)], **columns}).write_parquet(path)
    return path


def line(folder: Path, **change: Any) -> dict[str, Any]:
    path = folder / "rows.jsonl"
    path.write_text(json.dumps({**ROW, **change}))
    return read_outcomes(path).row(0, named=True)


@pytest.mark.parametrize(
    "text",
    [
        f"\ufeff{HEAD}\nS,1,a,Baseline,1,success\n",
        f"\ufeff{HEAD}\nS,1,a,Baseline,1,success\n".replace(",", ";").replace("\n", "\r\n"),
        f"sep=;\n{HEAD}\nS,1,a,Baseline,1,success\n".replace(",", ";"),
        f"{HEAD}\nS,1,a,Baseline,1,success\n".replace(",", "\t"),
        f"{HEAD}\n\nS,1,a,Baseline,1,success\n,,,,,\n\n",
        "dimension,level,family,regime, instance ,outcome\nS,1.0,a, Baseline,1,success\n",
    ],
    ids=["mark", "semicolons", "sep", "tabs", "blank lines", "spaces"],
)
def test_a_spreadsheets_csv_is_read(tmp_path: Path, text: str) -> None:
    frame = read_outcomes(csv(tmp_path, text))
    assert [{name: row[name] for name in ROW} for row in frame.iter_rows(named=True)] == [ROW]


def test_utf_16_and_a_column_twice_are_told(tmp_path: Path) -> None:
    path = csv(tmp_path, "")
    path.write_bytes(HEAD.encode("utf-16"))
    with pytest.raises(InputError, match="is UTF-16 text; save it as CSV in UTF-8"):
        read_outcomes(path)
    with pytest.raises(InputError, match="level: the column is there twice"):
        read_outcomes(csv(tmp_path, f"{HEAD},level\nS,1,a,B,1,success,1\n"))


@pytest.mark.parametrize("empty", ["", "nan", "NaN", "None", "null", "N/A"])
def test_what_stands_for_nothing_is_nothing(tmp_path: Path, empty: str) -> None:
    text = f"{HEAD},artifact,steps,compliant,adversarial,rater\nE,1,a,Baseline,1,success"
    (row,) = read_outcomes(csv(tmp_path, text + f",{empty}" * 5 + "\n")).iter_rows(named=True)
    assert [row[name] for name in ("artifact", "adversarial", "rater", "steps", "compliant")] == [
        *("", "", ""),
        *(None, None),
    ]


def test_a_word_for_nothing_is_no_artifact(tmp_path: Path) -> None:
    rows = made("E", 1, 60, 60, artifact="None")
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    assert level(score_rows(path, declared(rows), version="1"), "E").value == 0


def test_pandas_numbers_with_gaps_are_read(tmp_path: Path) -> None:
    gap = float("nan")
    path = parquet(
        tmp_path,
        level=[1.0, 1.0, 1.0],
        instance=[7, 8, 9],
        steps=[3.0, gap, None],
        compliant=[1.0, 0.0, gap],
        state_changed=[1, 0, None],
        reason=[gap, gap, gap],
        adversarial=[True, False, None],
    )
    frame = read_outcomes(path)
    assert frame["instance"].to_list() == ["7", "8", "9"]
    assert (frame["level"].to_list(), frame["steps"].to_list()) == ([1, 1, 1], [3, None, None])
    assert frame["compliant"].to_list() == frame["state_changed"].to_list() == [True, False, None]
    assert (frame["reason"].to_list(), frame["adversarial"].to_list()) == (
        ["", "", ""],
        ["attempted", "", ""],
    )


def test_times_and_categories_of_parquet_are_read(tmp_path: Path) -> None:
    zone = datetime.timezone(datetime.timedelta(hours=1))
    moment = datetime.datetime(2026, 1, 2, 1, tzinfo=zone)
    frame = read_outcomes(parquet(tmp_path, criterion_time=[moment]))
    assert frame["criterion_time"][0] == "2026-01-02T00:00:00.000000+00:00"
    path = tmp_path / "kinds.parquet"
    frame = frame_of(made("S", 1, 3, 4)).with_columns(
        pl.col("family", "dimension", "outcome").cast(pl.Categorical), pl.col("level").cast(pl.UInt8)
    )
    frame.write_parquet(path)
    assert read_outcomes(path)["family"].to_list() == ["s0", "s1", "s2", "s0"]


@pytest.mark.parametrize(
    ("change", "name", "value"),
    [
        ({"level": "3"}, "level", 3),
        ({"level": 3.0}, "level", 3),
        ({"steps": "4"}, "steps", 4),
        ({"steps": math.nan}, "steps", None),
        ({"compliant": "TRUE"}, "compliant", True),
        ({"state_changed": 0}, "state_changed", False),
        ({"adversarial": True}, "adversarial", "attempted"),
        ({"instance": 12}, "instance", "12"),
        ({"model": "desk"}, "subject", "desk"),
    ],
)
def test_a_line_of_json_has_its_values_in_any_plain_type(
    tmp_path: Path, change: dict[str, Any], name: str, value: Any
) -> None:
    assert line(tmp_path, **change)[name] == value


@pytest.mark.parametrize(
    "change",
    [
        {"level": "S1"},
        {"level": True},
        {"dimension": "s"},
        {"outcome": "Success"},
        {"boundary": "Core"},
        {"compliant": "yes"},
        {"adversarial": "attempt"},
        {"Rater": "ann"},
        {"subject": "a", "model": "a"},
    ],
    ids=str,
)
def test_other_names_and_words_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        line(tmp_path, **change)
    with pytest.raises(InputError):
        read_outcomes(parquet(tmp_path, **{name: [value] for name, value in change.items()}))


def test_lines_of_different_types_are_one_column(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{**ROW, "instance": 1, "adversarial": True}, {**ROW, "instance": "b", "adversarial": "resisted"}]
    path.write_text("\n".join(map(json.dumps, rows)))
    frame = read_outcomes(path)
    assert frame["instance"].to_list() == ["1", "b"]
    assert frame["adversarial"].to_list() == ["attempted", "resisted"]


def test_broken_unicode_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="text that is not valid Unicode"):
        line(tmp_path, family="a\ud800")


def test_one_row_and_rows_that_are_all_lost_have_no_level_and_no_traceback() -> None:
    one = made("S", 1, 1, 1)
    assert (level(score(one), "S").value, level(score(one), "S").n) == (0, 1)
    lost = [msgspec.structs.replace(row, outcome="excluded", reason="net") for row in made("S", 1, 0, 12)]
    found = level(score(lost), "S")
    assert (found.value, found.n) == (None, 0)
    assert "Invalid (Verification Infrastructure)" in [str(flag) for flag in found.flags]


@pytest.mark.parametrize("options", [[], ["--all"], ["--json"]])
def test_no_form_of_the_command_shows_a_level_without_its_tuple(tmp_path: Path, options: list[str]) -> None:
    rows = made("S", 1, 60, 60)
    path, declaration = tmp_path / "rows.jsonl", tmp_path / "declaration.json"
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    declaration.write_bytes(msgspec.json.encode(declared(rows)))
    told = CliRunner().invoke(
        app, ["score", "agency", str(path), "--declaration", str(declaration), *options]
    )
    assert told.exit_code == 0, told.output
    text = " ".join(told.output.split())
    assert "(Framework v.10, Core Boundary, suite-1, Baseline, Tier None, A = [1, 0, 0, 0, 0, 1, 0]" in text


@pytest.mark.parametrize("word", ["False", "no", "0", "true", "1"])
def test_a_word_for_yes_or_no_is_no_artifact(tmp_path: Path, word: str) -> None:
    told = "artifact: must be the digest of what was verified, or empty, not"
    with pytest.raises(InputError, match=told):
        read_outcomes(csv(tmp_path, f"{HEAD},artifact\nE,1,a,Baseline,1,success,{word}\n"))
    with pytest.raises(InputError, match=told):
        read_outcomes(parquet(tmp_path, artifact=[word.lower() in ("true", "1")]))


def test_numbers_with_gaps_are_the_same_ids_in_csv_as_in_parquet(tmp_path: Path) -> None:
    """pandas makes 7.0 of 7 where another row of the column has none."""
    text = f"{HEAD},pair\nS,1,a,Baseline,7,success,\nS,1,a,Moderate,8,success,7.0\n"
    assert read_outcomes(csv(tmp_path, text))["pair"].to_list() == ["", "7"]
    frame = read_outcomes(parquet(tmp_path, instance=[7, 8], pair=[None, 7.0]))
    assert frame["pair"].to_list() == ["", "7"]
    versions = f"{HEAD}\nS,1,a,Baseline,1.0,success\nS,1,a,Baseline,1.1,success\n"
    assert read_outcomes(csv(tmp_path, versions))["instance"].to_list() == ["1.0", "1.1"]


def test_decimals_of_databases_are_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    frame = frame_of(made("S", 1, 3, 4)).with_columns(
        pl.col("level").cast(pl.Decimal(38, 0)), pl.col("steps").cast(pl.Decimal(10, 2))
    )
    frame.write_parquet(path)
    assert read_outcomes(path)["steps"].to_list() == [3] * 4


@pytest.mark.parametrize("number", [math.inf, 1e300, 2.5])
def test_numbers_that_are_no_ids_are_told(tmp_path: Path, number: float) -> None:
    with pytest.raises(InputError, match="row 2, pair: must be a whole number or text"):
        read_outcomes(parquet(tmp_path, pair=[1.0, number]))
