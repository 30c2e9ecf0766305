"""Records: whole or not at all, at full precision."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.instruments.repeatability.cells.records import record_rows
from assay.report.records import write_records
from tests.instruments.repeatability.showing import cell, scored


def read(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_columns_are_declared_and_missing_values_are_empty(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    rows: list[dict[str, Any]] = [{"a": 1, "b": None, "c": True}, {"a": -2.5, "b": 'x,"y"\nz', "c": False}]
    assert write_records(path, rows, ("c", "a", "b")) == 2
    assert read(path) == [["c", "a", "b"], ["true", "1", ""], ["false", "-2.5", 'x,"y"\nz']]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_real_reads_back_the_same(tmp_path_factory: pytest.TempPathFactory, value: float) -> None:
    path = tmp_path_factory.mktemp("records") / "r.csv"
    write_records(path, [{"x": value}])
    back = float(read(path)[1][0])
    assert back == value
    assert math.copysign(1, back) == math.copysign(1, value)


def test_rows_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    alive = 0

    class Row(dict[str, Any]):
        def __init__(self) -> None:
            nonlocal alive
            alive += 1
            super().__init__(x=1)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    most = 0

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal most
        for _ in range(1000):
            most = max(most, alive)
            yield Row()

    assert write_records(path, rows()) == 1000
    assert most <= 3


def test_a_fault_on_the_way_leaves_the_old_file_and_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("old")

    def rows() -> Iterator[dict[str, Any]]:
        yield {"x": 1}
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        write_records(path, rows())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_row_with_other_columns_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"row 2 .*\(extra, x\)"):
        write_records(tmp_path / "r.csv", [{"x": 1}, {"extra": 1}])
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_records(tmp_path / "missing" / "r.csv", [{"x": 1}])


def test_no_rows_give_a_header_when_columns_are_declared(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    assert write_records(path, [], ("a", "b")) == 0
    assert read(path) == [["a", "b"]]


def test_repeatability_records_hold_distances_in_full_and_nothing_without_a_canon(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    _, cells, anchors = scored([cell(["x = 1", "x = 1 + 1"], [0]), cell(["y = ("], contract="none")])
    write_records(path, record_rows(cells, anchors))
    head, *rows = read(path)
    table = [dict(zip(head, row, strict=True)) for row in rows]
    assert [row["distance_text"] for row in table] == ["0.0", repr(4 / 9), ""]
    assert table[2]["canon"] == ""
    assert [row["unparseable"] for row in table] == ["false", "false", "true"]
