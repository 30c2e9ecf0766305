"""Rows as frames of polars: Parquet, frames that somebody brings, and the frame of any other rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import NoneType
from typing import Any

import msgspec
import polars as pl

from assay.canonical import clean_text
from assay.errors import InputError, nearest

from .base import NO_ROWS, Rows
from .fields import OLD_NAMES
from .lines import JsonLines, read_lines
from .records import RecordList
from .values import FieldError, plain_value

__all__ = ["FrameRows", "frame_of_lines", "frame_of_rows", "frame_rows", "named_columns", "read_parquet"]

_INDEX = re.compile(r"__index_level_\d+__")  # pandas' index, where Arrow carries it
_Scalar = str | bool | int | float | None


class FrameRows(Rows):
    """A frame, or a Parquet file."""

    def __init__(self, frame: pl.DataFrame, name: str = "frame") -> None:
        super().__init__(name)
        if not frame.height:
            raise InputError(NO_ROWS, file=name)
        short = frame.select(pl.selectors.by_dtype(pl.Float32)).columns
        self._frame = frame.with_columns(pl.col(short).cast(pl.String).cast(pl.Float64))  # .7 stays .7

    def _read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        yield from enumerate(self._frame.iter_rows(named=True), 1)

    def frame(self, columns: Sequence[str] | None = None, own: Sequence[str] | None = None) -> pl.DataFrame:
        names = named_columns(self, self._frame.columns, columns, own)
        given = self._frame.columns
        return self._frame.rename({given[place]: name for place, name in names.items()})


def frame_rows(data: Any) -> Rows:
    """Rows of a frame of polars, of pandas, or of anything with Arrow's stream."""
    if isinstance(data, pl.DataFrame):
        return FrameRows(data)
    columns = getattr(data, "columns", None)
    if columns is not None and len(names := [str(name) for name in columns]) != len(set(names)):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InputError(f"{twice}: the column is there twice", file="frame")
    try:
        frame = pl.DataFrame(data)
    except Exception as error:  # of pyarrow, which may lack, or of columns that Arrow has no type for
        if hasattr(data, "to_dict"):
            rows = ({k: None if v != v else v for k, v in row.items()} for row in data.to_dict("records"))
            return RecordList(list(rows), "frame")
        raise InputError(f"the frame cannot be read: {error}") from None
    if type(data).__module__.partition(".")[0] == "pandas":
        frame = frame.fill_nan(None)  # pandas writes nothing as NaN
    return FrameRows(frame.drop([name for name in frame.columns if _INDEX.fullmatch(name)]))


def read_parquet(path: Path) -> Rows:
    frame = _loaded(path, lambda: pl.read_parquet(path))
    return FrameRows(frame, str(path))


def _loaded(path: Path, read: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    try:
        return read()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        first = (str(error).strip().splitlines() or ["damaged"])[0]
        raise InputError(f"the Parquet file cannot be read: {first}", file=str(path)) from None


def named_columns(
    rows: Rows, names: Iterable[str], columns: Sequence[str] | None, own: Sequence[str] | None = None
) -> dict[int, str]:
    """The places of columns with the names they have now. With ``columns``, any other is refused, unless ``own``."""
    found: dict[int, str] = {}
    first = 1 if rows.place == "line" else None
    for place, given in enumerate(names):
        name = given if columns is None else OLD_NAMES.get(given, given)
        if columns is not None and not name:
            raise rows.error(first, "", f"column {place + 1} has no name; write the file without row numbers")
        if columns is not None and own is None and name not in columns:
            raise rows.error(first, name, f"unknown column{nearest(name, columns)}")
        if name and name in found.values():
            raise rows.error(first, name, "the column is there twice")
        if name:
            found[place] = name
    return found


def frame_of_rows(
    rows: Rows, columns: Sequence[str] | None = None, own: Sequence[str] | None = None
) -> pl.DataFrame:
    """The frame of rows that are mappings."""
    records = [(number, _single(rows, number, row, columns, own)) for number, row in rows]
    names = columns or list(dict.fromkeys(name for _, row in records for name in row))
    return pl.DataFrame([_series(name, [row.get(name) for _, row in records]) for name in names])


def _single(
    rows: Rows, number: int, row: dict[str, Any], columns: Sequence[str] | None, own: Sequence[str] | None
) -> dict[str, Any]:
    """A row under the present names with plain values; with ``columns``, single ones."""
    found: dict[str, Any] = {}
    for given, value in row.items():
        name = given if columns is None else OLD_NAMES.get(given, given)
        if columns is not None and name not in columns:
            if own is not None:
                continue
            raise rows.error(number, name, f"unknown column{nearest(name, columns)}")
        if name in found:
            raise rows.error(number, given, f"is the old name of {name}, and both are given")
        if columns is not None and isinstance(value, list | dict | tuple):
            raise rows.error(number, name, "must be a single value")
        if columns is not None and isinstance(value, str) and clean_text(value)[1]:
            raise rows.error(number, name, "text that is not valid Unicode")
        try:
            found[name] = plain_value(value, (name,))
        except FieldError as error:
            raise rows.error(number, error.field, error.message) from None
        except RecursionError:
            raise rows.error(number, name, "is nested too deeply") from None
    return found


def _series(name: str, values: list[Any]) -> pl.Series:
    """A column of one type, or of text where its values have several types or are too large."""
    kinds = {*map(type, values)} - {NoneType}
    try:
        if len(kinds) < 2:
            return pl.Series(name, values)
    except (OverflowError, TypeError, pl.exceptions.PolarsError):
        pass
    whole = (int(v) if isinstance(v, float) and v.is_integer() else v for v in values)
    return pl.Series(name, [None if v is None else str(v) for v in whole], dtype=pl.String)


def frame_of_lines(rows: JsonLines, columns: Sequence[str], own: Sequence[str] | None = None) -> pl.DataFrame:
    """The frame of JSON Lines with known columns: as ``frame_of_rows``, and many times as fast."""
    old = [name for name, new in OLD_NAMES.items() if new in columns]
    kind: Any = msgspec.defstruct(
        "Line",
        [
            *((name, _Scalar | msgspec.UnsetType, msgspec.UNSET) for name in (*columns, *old)),
            *((name, Any, msgspec.UNSET) for name in own or ()),
        ],
        forbid_unknown_fields=own is None,
    )
    decode = msgspec.json.Decoder(kind).decode
    lines: list[Any] = []
    written, countable = 0, True  # keys, as far as they can be counted without reading them
    for number, line in read_lines(rows.path):
        written += line.count(b'":')
        countable = countable and not any(space in line for space in (b'" ', b'"\t', b'"\r'))
        try:
            lines.append(decode(line))
        except (ValueError, RecursionError):
            lines.append(kind(**_single(rows, number, rows.row_of(number, line), columns, own)))
            countable = False
    if not lines:
        raise InputError(NO_ROWS, file=rows.name)
    found = {name: [getattr(line, name) for line in lines] for name in (*columns, *old)}
    extra = ([getattr(line, name) for line in lines] for name in own or ())
    read = sum(len(lines) - values.count(msgspec.UNSET) for values in (*found.values(), *extra))
    if not countable or read != written:  # a key may be there twice, which the decoder does not say
        for number, line in read_lines(rows.path):
            _single(rows, number, rows.row_of(number, line), columns, own)
    for name in old:
        _take_over(rows, found, name)
    return pl.DataFrame([_series(name, _given(found[name])) for name in columns])


def _take_over(rows: Rows, found: dict[str, list[Any]], old: str) -> None:
    """Values under an old name, under the present one; a row with both is refused."""
    values, new = found.pop(old), found[OLD_NAMES[old]]
    if values.count(msgspec.UNSET) == len(values):
        return
    for index, value in enumerate(values):
        if value is not msgspec.UNSET:
            if new[index] is not msgspec.UNSET:
                both = f"is the old name of {OLD_NAMES[old]}, and both are given"
                raise rows.error(rows.number_at(index), old, both)
            new[index] = value


def _given(values: list[Any]) -> list[Any]:
    if (absent := values.count(msgspec.UNSET)) == 0:
        return values
    if absent == len(values):
        return [None] * absent
    return [None if value is msgspec.UNSET else value for value in values]
