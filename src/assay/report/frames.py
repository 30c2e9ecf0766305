"""Rows as frames of polars, and as Parquet. A column has the type of its values."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["frame_of", "write_parquet"]

PART_ROWS = 5000  # of a row group, at most
PART_CHARACTERS = 16 << 20


def frame_of(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, type] | None = None) -> pl.DataFrame:
    """Rows as a frame. Columns that are not declared have the type of their values; mixed ones are text."""
    import polars as pl

    values: dict[str, list[Any]] = {name: [] for name in columns or ()}
    for count, row in enumerate(rows):
        for name, value in row.items():
            if name not in values:
                values[name] = [None] * count
            values[name].append(value)
        for name in values.keys() - row.keys():
            values[name].append(None)
    return pl.DataFrame([_series(name, found, (columns or {}).get(name)) for name, found in values.items()])


def _series(name: str, values: list[Any], declared: type | None) -> pl.Series:
    import polars as pl

    kind = declared or _kind(values)
    if kind is str:
        return pl.Series(name, [_text(value) for value in values], dtype=pl.String)
    types = {bool: pl.Boolean, int: pl.Int64, float: pl.Float64}
    return pl.Series(name, values, dtype=types[kind], strict=False)


def _kind(values: list[Any]) -> type:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return bool
    if kinds == {int}:
        return int if all(value is None or -(2**63) <= value < 2**63 for value in values) else str
    if kinds and kinds <= {int, float}:
        return float
    return str


def _text(value: Any) -> str | None:
    """Text that polars can hold: it knows no half of a surrogate pair."""
    return None if value is None else str(value).encode("utf-8", "replace").decode("utf-8")


def write_parquet(
    path: Path, rows: Iterable[dict[str, Any]], columns: Mapping[str, type] | None = None
) -> int:
    """Write the rows and return how many there were; all of them or nothing.

    Where the columns are declared, the rows are never all in memory; else their types are those of all values.

    Polars writes a Parquet file from a query: the rows go into parts beside it, and a query over the parts streams
    them into one file.
    """
    import polars as pl

    count = 0
    try:
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as beside:
            parts: list[Path] = []
            for part in _parts(rows) if columns is not None else filter(None, [_flat(rows)]):
                parts.append(Path(beside, f"{len(parts):08d}.parquet"))
                frame_of(part, columns).write_parquet(parts[-1], compression="lz4")
                count += len(part)
            whole = Path(beside, "whole.parquet")
            if parts:
                pl.scan_parquet(parts).sink_parquet(whole, row_group_size=PART_ROWS)
            else:
                frame_of([], columns).write_parquet(whole)
            whole.chmod(0o644)
            whole.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    return count


def _flat(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    found = list(rows)
    for row in found:
        for name, value in row.items():
            if isinstance(value, list | tuple | dict):
                raise InputError(
                    f"{name} has parts, which Parquet is not written with: write JSON Lines or CSV"
                )
    return found


def _parts(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    part: list[dict[str, Any]] = []
    characters = 0
    for row in rows:
        part.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(part) >= PART_ROWS or characters >= PART_CHARACTERS:
            yield part
            part, characters = [], 0
    if part:
        yield part
