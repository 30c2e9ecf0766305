"""What is read of rows: names, types, nothing, and the places of errors."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
import polars as pl
import pytest
from msgspec import Meta, Struct

from assay.errors import InputError
from assay.measuring.detectors import read_texts
from assay.measuring.rows import open_rows, refuse_duplicates


class Answer(Struct, frozen=True):
    id: Annotated[str, Meta(min_length=1)]
    text: str
    score: float | None = None
    count: int = 0
    right: bool | None = None
    kind: Literal["long", "short"] = "short"
    marks: tuple[int, ...] = ()
    about: dict[str, Any] = {}


ANSWER = Answer("007", "Yes, it is.", 0.5, 3, True, "long", (1, 2), {"a": {"b": 1}})


def read(folder: Path, content: str | bytes, ending: str = "csv") -> list[Answer]:
    path = folder / f"rows.{ending}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [row for _, row in open_rows(path).typed(Answer)]


def refused(data: Any) -> str:
    with pytest.raises(InputError) as caught:
        open_rows(data).typed(Answer)
    return str(caught.value)


CELLS = '"007","Yes, it is.",0.5,3,TRUE,long,"[1, 2]","{""a"": {""b"": 1}}"'
HEAD = "id,text,score,count,right,kind,marks,about"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\n{CELLS}\n",
        f"\ufeff{HEAD}\r\n{CELLS}\r\n",
        f"sep=,\n{HEAD}\n{CELLS}",
        f"\n{HEAD}\n\n{CELLS}\n,,,,,,,\n\n",
        f" id ,text,score,count,right, kind,marks,about,note\n{CELLS},mine\n",
        f"{HEAD}\n{CELLS}\n".replace("3,TRUE,long", " 3.0, 1.0 , long "),
    ],
    ids=["plain", "mark", "sep", "blank", "own column", "spaces"],
)
def test_cells_become_values_of_their_field(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == [ANSWER]


@pytest.mark.parametrize("word", ["", "nan", "NaN", "None", "null", "NA", "<NA>"])
def test_a_word_for_nothing_is_nothing_but_in_text(tmp_path: Path, word: str) -> None:
    (row,) = read(tmp_path, f"{HEAD}\n1,{word},{word},{word},{word},,{word},{word}\n")
    assert row == Answer("1", word)


@pytest.mark.parametrize("nothing", [None, float("nan"), "", pd.NA, pd.NaT, ...])
def test_an_empty_field_is_an_absent_one(nothing: Any) -> None:
    fields = dict.fromkeys(("score", "count", "right", "kind", "marks", "about"), nothing)
    row = {"id": "1", "text": "x", **({} if nothing is ... else fields)}
    assert open_rows([row]).typed(Answer) == [(1, Answer("1", "x"))]


def test_an_empty_text_is_a_text_where_one_is_needed(tmp_path: Path) -> None:
    assert read(tmp_path, "id,text\n1,\n")[0].text == ""
    assert open_rows([{"id": "1", "text": ""}]).typed(Answer)[0][1].text == ""
    assert refused([{"id": "1", "text": None}]) == "rows: row 1, text: is missing"


def test_ids_are_text_whatever_they_came_as(tmp_path: Path) -> None:
    assert [row.id for row in read(tmp_path, "id,text\n007,x\n7.0,x\n")] == ["007", "7.0"]
    for ids in ([7, 8], [7.0, 8.0], ["7", "8"]):
        frame = pl.DataFrame({"id": ids, "text": ["x", "y"]})
        assert [row.id for _, row in open_rows(frame).typed(Answer)] == ["7", "8"]
    assert refused([{"id": True, "text": "x"}]).startswith("rows: row 1, id: must be text")


def test_a_parquet_struct_has_no_empty_members(tmp_path: Path) -> None:
    rows = [{"id": "1", "text": "x", "about": {"a": 1}}, {"id": "2", "text": "x", "about": {"b": 2}}]
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(tmp_path / "rows.parquet")
    found = open_rows(tmp_path / "rows.parquet").typed(Answer)
    assert [row.about for _, row in found] == [{"a": 1}, {"b": 2}]


def test_a_frame_of_pandas_without_arrow_is_read() -> None:
    frame = pd.DataFrame({"id": [1, 2], "text": ["x", "y"], "score": [0.5, None]}, index=[5, 9])
    assert [row for _, row in open_rows(frame).typed(Answer)] == [Answer("1", "x", 0.5), Answer("2", "y")]
    twice = pd.DataFrame([["1", "2"]], columns=["id", "id"])
    with pytest.raises(InputError, match="id: the column is there twice"):
        open_rows(twice)


class Stream:
    """A frame of another library: all that is known of it is Arrow's stream."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


def test_anything_with_arrows_stream_is_a_frame() -> None:
    data = Stream(pl.DataFrame({"id": ["1"], "text": ["x"], "__index_level_0__": [4]}))
    assert open_rows(data).typed(Answer) == [(1, Answer("1", "x"))]
    assert open_rows(data).frame().columns == ["id", "text"]


def test_numbers_are_those_of_lines_or_of_rows(tmp_path: Path) -> None:
    text = 'id,text\n1,"two\nlines"\n\n2,x\n'
    (tmp_path / "rows.csv").write_text(text)
    (tmp_path / "rows.jsonl").write_text('\n{"id": "1", "text": ""}\n\n{"id": "2", "text": ""}')
    assert [number for number, _ in open_rows(tmp_path / "rows.csv")] == [2, 5]
    assert [number for number, _ in open_rows(tmp_path / "rows.jsonl")] == [2, 4]
    assert [open_rows(tmp_path / "rows.csv").number_at(index) for index in (0, 1)] == [2, 5]
    assert [open_rows(tmp_path / "rows.jsonl").number_at(index) for index in (0, 1)] == [2, 4]
    rows = open_rows(tmp_path / "rows.csv")
    assert str(rows.error(5, "id", "is odd")) == f"{tmp_path}/rows.csv:5: id: is odd"
    assert str(open_rows([]).error(5, "id", "is odd")) == "rows: row 5, id: is odd"
    assert str(open_rows([]).error(5, "", "is odd")) == "rows: row 5: is odd"


def test_the_second_of_two_equal_rows_is_named_with_the_first() -> None:
    rows = open_rows([{"id": name, "text": "x"} for name in "aba"])
    with pytest.raises(InputError, match="row 3, id: the same row again, after row 1"):
        refuse_duplicates(rows, rows.typed(Answer), lambda row: row.id, "id")


def test_a_frame_has_the_columns_and_values_of_its_rows(tmp_path: Path) -> None:
    rows = [{"a": 1, "b": "x"}, {"a": None, "b": "y", "c": True}]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    expected = {"a": [1, None], "b": ["x", "y"], "c": [None, True]}
    assert open_rows(rows).frame().to_dict(as_series=False) == expected
    assert open_rows(tmp_path / "rows.jsonl").frame().to_dict(as_series=False) == expected
    known = open_rows(tmp_path / "rows.jsonl").frame(["b", "a", "c", "d"])
    assert known.to_dict(as_series=False) == {**expected, "d": [None, None]}


@pytest.mark.parametrize("quoted", [False, True])
def test_a_frame_of_cells_is_the_same_with_and_without_quotes(tmp_path: Path, quoted: bool) -> None:
    text = "a,b\r\n1, x \r\n\r\n,\r\n2,\r\n"
    (tmp_path / "rows.csv").write_text(text.replace("1,", '"1",') if quoted else text, newline="")
    found = open_rows(tmp_path / "rows.csv").frame()
    assert found.to_dict(as_series=False) == {"a": ["1", "2"], "b": ["x", ""]}


def test_one_column_is_a_table_and_a_long_cell_is_read(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("reply\n" + "x" * 300_000 + '\n"a, b"\n')
    found = list(read_texts(open_rows(tmp_path / "rows.csv"), "reply"))
    assert [(number, len(text)) for number, text, _ in found] == [(2, 300_000), (3, 4)]


def test_the_ending_tsv_says_that_tabs_separate(tmp_path: Path) -> None:
    (tmp_path / "rows.tsv").write_text("id\treply, as it came, whole\n1\tx\n")
    assert list(open_rows(tmp_path / "rows.tsv")) == [(2, {"id": "1", "reply, as it came, whole": "x"})]


def test_an_empty_text_is_a_row_where_there_is_one_column(tmp_path: Path) -> None:
    texts = ["x", "", "  ", "y"]
    pd.DataFrame({"reply": texts}).to_csv(tmp_path / "rows.csv", index=False)
    rows = open_rows(tmp_path / "rows.csv")
    assert [text for _, text, _ in read_texts(rows, "reply")] == texts
    assert rows.frame()["reply"].to_list() == ["x", "", "", "y"]
    assert [rows.number_at(index) for index in range(4)] == [2, 3, 4, 5]


def test_a_pipe_is_refused_for_it_can_be_read_only_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rows.csv")
    assert "pipe" in refused(tmp_path / "rows.csv")


@pytest.mark.parametrize("ending", ["jsonl", "csv", "csv.gz", "parquet"])
def test_texts_come_with_their_rows(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame({"reply": ["x", ""], "options": ["A,B", "C,D"]})
    path = tmp_path / f"rows.{ending}"
    if ending == "parquet":
        frame.write_parquet(path)
    elif ending == "jsonl":
        frame.write_ndjson(path)
    else:
        data = frame.write_csv().encode()
        path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    found = [(text, row["options"]) for _, text, row in read_texts(open_rows(path), "reply")]
    assert found == [("x", "A,B"), ("", "C,D")]


def test_a_text_may_be_a_whole_number_or_nothing(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"reply": 42}\n{"reply": NaN}\n{"reply": [1]}')
    found = read_texts(open_rows(tmp_path / "rows.jsonl"), "reply")
    assert [next(found)[1], next(found)[1]] == ["42", ""]
    with pytest.raises(InputError, match="jsonl:3: reply: must be text"):
        next(found)


def test_halves_of_surrogate_pairs_are_replaced_in_texts_and_in_names(tmp_path: Path) -> None:
    row = {"id": "1", "text": "a\ud800", "about": {"b\udc00": ["c\ud800"]}}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    for data in ([row], tmp_path / "rows.jsonl"):
        (found,) = open_rows(data).typed(Answer)
        assert found[1] == Answer("1", "a\ufffd", about={"b\ufffd": ["c\ufffd"]})


def test_a_short_float_is_the_number_that_was_written() -> None:
    frame = pl.DataFrame(
        {"id": ["1", "2"], "text": ["x", "y"], "score": pl.Series([0.7, None], dtype=pl.Float32)}
    )
    assert [row.score for _, row in open_rows(frame).typed(Answer)] == [0.7, None]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"id": "1"}, "rows are a list of mappings, not one mapping"),
        (3, "rows are a file, a list of mappings or a frame, not int"),
        (["x"], "rows: row 1: must be a mapping, not str"),
        ([{3: "x"}], "rows: row 1: the names of fields must be text"),
        ([{"id": "1", "text": b"x"}], "rows: row 1, text: must be text"),
        ([{"id": 10**5000, "text": "x"}], "rows: row 1, id: is too large a number"),
        ([{"id": float("nan"), "text": "x"}], "rows: row 1, id: is missing"),
        ([], "rows: there are no rows"),
        (pl.DataFrame({"id": []}), "frame: there are no rows"),
    ],
)
def test_data_of_another_kind_is_refused(data: Any, told: str) -> None:
    assert refused(data).startswith(told)


def test_json_lines_are_typed_without_polars(tmp_path: Path) -> None:
    row = {"contract": "add", "subject": "m", "output": "x"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    program = (
        "import sys, assay.instruments.consistency.rows\n"
        "from assay.instruments.repeatability.rows import read_rows\n"
        "print(len(read_rows('rows.jsonl')), 'polars' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["1", "False"]
