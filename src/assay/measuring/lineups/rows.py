"""Answered lineups that a user already has, read from rows into the table that is scored.

A row is one answer. Rows that say the same are repetitions, unless they have the same ``trial``. A mistake is refused
with its row, its column and what would be right; nothing is left out in silence. An answer that could not be read is a
row with an empty choice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, Any

import polars as pl
from msgspec import Meta, Struct

from assay.errors import InputError
from assay.measuring.building import Ends
from assay.measuring.rows import RowData, Rows, open_rows
from assay.measuring.rows.columns import REAL, refuse, refuse_labels
from assay.measuring.rows.tables import TableShape, read_table, refusal_of, refuse_differing, table_records

from .answers import SCHEMA, longest_of

__all__ = ["lineup_records", "read_lineups"]

LENGTHS, LOOKED_AT = "lengths", 1000  # the field, and the rows in which it is looked for
NUMBERS = ("options", "own", "choice")  # the choice alone may be empty
WHOLE = (*NUMBERS, "named")
TEXTS = ("subject", "target", "phase", "lineup")


def _shape(rows: Rows, scale: Ends, phases: Sequence[str]) -> TableShape:
    """Numbers are read as reals first, which refuses NaN: an answer that could not be read is an empty choice. A
    ``source`` of several parts is a field of the user's own."""
    parts = any(isinstance(row.get("source"), dict | list) for _, row in islice(rows, LOOKED_AT))
    columns = dict(SCHEMA) | dict.fromkeys(WHOLE, REAL)
    for name in ("longest", "source") if parts else ("longest",):
        del columns[name]
    return TableShape(
        columns=columns,
        needed=(*TEXTS, *NUMBERS),
        filled=(*TEXTS, *NUMBERS[:2]),
        key=(),  # there is no field that every answer has to be told apart by
        names={"phase": tuple(phases), "asked": ("own", "best")},
        ranges={"options": (2, 20), **dict.fromkeys(WHOLE[1:], (1, 20)), "confidence": scale},
    )


def read_lineups(
    data: RowData, scale: Ends, phases: Sequence[str], of_sources: Sequence[str] = ()
) -> pl.DataFrame:
    """The checked rows as a table of answers (``SCHEMA``). Options name sources in the phases ``of_sources``."""
    low, high = scale
    if not (math.isfinite(low) and math.isfinite(high) and 0 <= low < high):
        raise InputError(f"scale: must be two numbers, 0 <= LOW < HIGH, as 1,5 or 0,1, not {low:g},{high:g}")
    rows = open_rows(data)
    table, refusal = read_table(rows, _shape(rows, scale, phases)), refusal_of(rows)
    if "source" not in table.columns:
        table = table.with_columns(source=pl.lit(""))
    for name in WHOLE:
        whole = (pl.col(name) == pl.col(name).round()).fill_null(True)
        refuse(table, name, whole, "must be a whole number", refusal)
    table = table.with_columns(pl.col(WHOLE).cast(pl.Int64))
    for name in WHOLE[1:]:
        fits = (pl.col(name) <= pl.col("options")).fill_null(True)
        refuse(table, name, fits, "must be a position, 1 to options", refusal)
    refuse_labels(table, ("subject", "target"), refusal)
    refuse_differing(table, "options", ("target", "phase", "condition", "lineup"), refusal)
    again = pl.struct(table.columns).is_duplicated() & ~pl.struct(table.columns).is_first_distinct()
    said = "must tell this answer from an earlier one that is the same in all else"
    refuse(table, "trial", ~again | (pl.col("trial") == ""), said, refusal)
    names = (pl.col("own") <= pl.col("named")).fill_null(True)
    refuse(table, "own", names, "must be a position that names a source, 1 to named", refusal)
    chosen, choice = pl.col("chosen"), pl.col("choice")
    refuse(table, "chosen", (chosen == "") | choice.is_not_null(), "must be empty without a choice", refusal)
    right, sources = choice == pl.col("own"), pl.col("phase").is_in([*of_sources]) & (pl.col("source") != "")
    for name, here in (("target", ~sources), ("source", sources)):
        fits = ~(right & here).fill_null(False) | (chosen == "") | (chosen == pl.col(name))
        refuse(table, "chosen", fits, f"must be the {name} where the choice is its text", refusal)
    return table.with_columns(longest=pl.Series(_longest(rows, table), dtype=pl.Int64)).select(*SCHEMA)


class _Lengths(Struct):
    lengths: tuple[Annotated[float, Meta(ge=0)], ...] = ()


def _longest(rows: Rows, table: pl.DataFrame) -> list[int | None]:
    """The position of the longest text of every row; None where lengths are absent, or several are the longest."""
    if not any(LENGTHS in row for _, row in islice(rows, LOOKED_AT)):
        return [None] * table.height
    found: list[int | None] = []
    for (number, row), options in zip(rows, table.get_column("options"), strict=True):
        given = {LENGTHS: row[LENGTHS]} if LENGTHS in row else {}
        lengths = rows.convert(number, given, _Lengths).lengths
        if lengths and len(lengths) != options:
            raise rows.error(number, LENGTHS, f"must be {options} lengths, one an option, not {len(lengths)}")
        found.append(longest_of(lengths))
    return found


def lineup_records(data: RowData, table: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """One record a row: what was read in it, and whether it is right."""
    return table_records(open_rows(data), table.with_columns(correct=pl.col("choice") == pl.col("own")))
