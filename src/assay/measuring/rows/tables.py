"""Rows as a table of declared columns, checked: whoever scores a million rows works on this.

Nothing is left out in silence. What is wrong is refused with its place, its column and what would be right; fields of
a user's own are let pass, but not one that is nearly a declared one.
"""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
from msgspec import Struct

from assay.errors import nearest

from .base import Rows
from .columns import REAL, TEXT, Refusal, real_range, refuse, typed_column, without_points
from .fields import NEAR, OLD_NAMES
from .frames import FrameRows
from .lines import read_lines

__all__ = ["TableShape", "read_table", "refusal_of", "refuse_differing", "table_records"]

LOOKED_AT = 1000  # rows whose own fields are let pass; JSON has no header


class TableShape(Struct, frozen=True, kw_only=True):
    """``columns`` have the kinds of ``rows.columns``; a text that is absent is empty, all else is null.

    ``filled`` are the columns that no row may lack, ``key`` tells one row from another (empty: rows may be alike),
    ``names`` are all that a column may say, ``ranges`` are of numbers (0 to 1 where none is given), ``aliases`` are
    other names of columns.
    """

    columns: Mapping[str, pl.DataType]
    needed: tuple[str, ...]
    filled: tuple[str, ...]
    key: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]] = {}
    ranges: Mapping[str, tuple[float, float]] = {}
    aliases: Mapping[str, str] = {}


def refusal_of(rows: Rows) -> Refusal:
    """Errors that name the place of a row by its index in the table."""
    return lambda row, column, message: rows.error(rows.number_at(row), column, message)


def table_records(rows: Rows, table: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """One record a row: its number, and what was read in it."""
    for number, row in zip(rows.numbers(), table.iter_rows(named=True), strict=False):
        yield {"row": number, **row}


def read_table(rows: Rows, shape: TableShape) -> pl.DataFrame:
    """The rows with just the declared columns; no two rows have the same key."""
    _refuse_nan(rows, shape)
    refusal = refusal_of(rows)
    seen = dict.fromkeys(name for _, row in itertools.islice(rows, LOOKED_AT) for name in row)
    frame = _renamed(rows.frame((*shape.columns, *shape.aliases), _own(seen, rows, shape)), rows, shape)
    if rows.cells:
        frame = without_points(frame, [name for name in shape.filled if shape.columns[name] == TEXT])
    for name in shape.needed:
        if name not in frame.columns or (name not in seen and not frame.get_column(name).count()):
            raise rows.error(None, name, f"the column is missing; needed are {', '.join(shape.needed)}")
    table = frame.select(
        typed_column(
            frame, name, kind, refusal, *shape.ranges.get(name, (0, 1)), filled=name in shape.filled
        ).alias(name)
        for name, kind in shape.columns.items()
    ).with_columns(pl.selectors.string().str.strip_chars())
    for name in shape.filled:
        there = pl.col(name) != "" if table.schema[name] == TEXT else pl.col(name).is_not_null()
        refuse(table, name, there, "is missing", refusal)
    for name, known in shape.names.items():
        wrong = table.select((~pl.col(name).is_in(["", *known])).arg_true().first()).item()
        if wrong is not None:
            given = table.get_column(name)[int(wrong)]
            raise refusal(int(wrong), name, f"{given!r} is none of its names{nearest(given, known)}")
    if shape.key:
        _refuse_repeated(table, rows, shape.key)
    return table


def refuse_differing(table: pl.DataFrame, name: str, owner: tuple[str, ...], refusal: Refusal) -> None:
    """Refuse a second value of a column for the same owner; empty ones do not count."""
    given = table.with_row_index("at").filter(pl.col(name).is_not_null() & (pl.col(name).cast(TEXT) != ""))
    other = given.filter(pl.col(name) != pl.col(name).first().over(owner))
    if other.height:
        value = other.get_column(name)[0]
        message = f"{value!r} here, and another one before for the same {owner[-1]}"
        raise refusal(other["at"][0], name, message)


def _own(found: Iterable[str], rows: Rows, shape: TableShape) -> list[str]:
    """The fields of a user's own; one that is nearly a declared one is a typing error."""
    known = (*shape.columns, *shape.aliases, *OLD_NAMES)
    own = [name for name in found if name and name not in known]
    for name in own:
        absent = [one for one in shape.columns if one not in found]
        if near := difflib.get_close_matches(name.lower(), absent, 1, NEAR):
            raise rows.error(None, name, f"unknown field; did you mean {near[0]!r}?")
    return own


def _refuse_nan(rows: Rows, shape: TableShape) -> None:
    """A NaN in JSON or in a list of mappings, which a frame would show as nothing; elsewhere columns are checked."""
    path = getattr(rows, "path", None)
    if rows.cells or isinstance(rows, FrameRows) or (path is not None and not _has_nan(path)):
        return
    reals = [name for name, kind in shape.columns.items() if kind == REAL]
    names = [*reals, *(old for old, new in shape.aliases.items() if new in reals)]
    for number, row in rows:
        for name in names:
            value = row.get(name)
            if isinstance(value, float) and math.isnan(value):
                column = shape.aliases.get(name, name)
                range_of = real_range(*shape.ranges.get(column, (0, 1)), filled=column in shape.filled)
                raise rows.error(number, name, f"{range_of}, not nan")


def _has_nan(path: Path) -> bool:
    return any(b"NaN" in line for _, line in read_lines(path))


def _renamed(frame: pl.DataFrame, rows: Rows, shape: TableShape) -> pl.DataFrame:
    for old, new in shape.aliases.items():
        if old in frame.columns:
            both = new in frame.columns and frame.get_column(new).null_count() < frame.height
            if both and frame.get_column(old).null_count() < frame.height:
                raise rows.error(None, old, f"is another name of {new}, and both are given")
            frame = frame.drop(old) if both else frame.drop(new, strict=False).rename({old: new})
    return frame


def _refuse_repeated(table: pl.DataFrame, rows: Rows, key: tuple[str, ...]) -> None:
    again = table.select(pl.struct(key).is_duplicated().arg_true()).to_series()
    if len(again):
        named = table.select(key).with_row_index("at")[again]
        later = named.filter(~pl.struct(key).is_first_distinct()).row(0, named=True)
        first = named.filter(pl.all_horizontal(pl.col(name).eq_missing(later[name]) for name in key))["at"][0]
        raise rows.error(
            rows.number_at(later["at"]),
            "",
            f"the same answer again, after {rows.place} {rows.number_at(first)}",
        )
