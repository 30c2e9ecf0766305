"""Any bytes under any name, and random rows through every format."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta, Struct
from msgspec.json import decode, encode

from assay.errors import InputError
from assay.instruments.agency.rows import read_outcomes
from assay.instruments.consistency.rows import read_scenarios
from assay.instruments.repeatability.rows import read_rows
from assay.measuring.rows import open_rows

from .making import OUTCOME, OUTPUT, SCENARIO, csv_bytes, parquet_bytes, written

NAMES = (
    "rows.jsonl",
    "rows.json",
    "rows.csv",
    "rows.tsv",
    "rows.csv.gz",
    "rows.jsonl.gz",
    "rows.parquet",
    "rows",
)
ROWS: tuple[dict[str, Any], ...] = (OUTPUT, OUTCOME, SCENARIO)
WHOLE = [
    data
    for row in ROWS
    for data in (
        json.dumps(row).encode() + b"\n",
        json.dumps([row]).encode(),
        csv_bytes([row]),
        parquet_bytes([row]),
    )
]


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """Noise, or a file that was right before some of its bytes were changed; some of it packed."""
    data = bytearray(draw(st.one_of(st.binary(max_size=80), st.sampled_from(WHOLE))))
    for _ in range(draw(st.integers(0, 3))):
        if data:
            place = draw(st.integers(0, len(data) - 1))
            data[place : place + draw(st.integers(0, 4))] = draw(st.binary(max_size=4))
    return gzip.compress(bytes(data)) if draw(st.booleans()) else bytes(data)


@given(contents(), st.sampled_from(NAMES))
@settings(max_examples=300)
def test_any_bytes_are_rows_or_are_refused(data: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        for read in (read_rows, read_outcomes, read_scenarios, lambda path: list(open_rows(path))):
            try:
                assert len(read(path))
            except InputError as error:
                assert folder in str(error)  # noqa: PT017


class Inner(Struct, frozen=True, omit_defaults=True):
    name: str
    size: int | None = None


class Anything(Struct, frozen=True, omit_defaults=True):
    id: Annotated[str, Meta(min_length=1)]
    text: str
    whole: int | None = None
    real: float | None = None
    flag: bool | None = None
    items: tuple[str, ...] = ()
    inner: tuple[Inner, ...] = ()


# NUL is refused in CSV, and a lone surrogate is no Unicode. A carriage return in CSV is kept only within quotes.
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
LONG = st.integers(-(2**53), 2**53)
ANYTHING = st.builds(
    Anything,
    id=TEXT.filter(lambda text: bool(text.strip())),
    text=TEXT,
    whole=st.none() | LONG,
    real=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    flag=st.none() | st.booleans(),
    items=st.lists(TEXT, max_size=3).map(tuple),
    inner=st.lists(st.builds(Inner, name=TEXT, size=st.none() | LONG), max_size=2).map(tuple),
)


@given(st.lists(ANYTHING, min_size=1, max_size=4))
@settings(max_examples=80)
def test_random_rows_are_equal_from_every_format(rows: list[Anything]) -> None:
    plain = [decode(encode(row)) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("jsonl", "json", "csv", "csv.gz", "tsv", "parquet"):
            found = open_rows(written(Path(folder), plain, ending)).typed(Anything)
            assert [row for _, row in found] == rows, ending
    assert [row for _, row in open_rows(plain).typed(Anything)] == rows
    frame = pl.DataFrame(plain, infer_schema_length=None, strict=False)
    assert [row for _, row in open_rows(frame).typed(Anything)] == rows
