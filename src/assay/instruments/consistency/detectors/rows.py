"""Replies out of a file: JSON Lines, plain or gzipped, one field of each row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.instruments.reading_rows import decode_row, rows_of

__all__ = ["read_replies"]


def read_replies(path: Path, field: str) -> Iterator[str]:
    """The text of ``field`` in every row, in order. A row that has none is named by its line."""
    for number, row in rows_of(path, _row):
        yield _text(row, field, path, number)


def _row(line: bytes) -> dict[str, Any]:
    row = decode_row(line, object)
    if not isinstance(row, dict):
        raise ValueError("write a JSON object on each line")
    return row


def _text(row: dict[str, Any], field: str, path: Path, number: int) -> str:
    if field not in row:
        there = ", ".join(sorted(row)) or "nothing"
        raise InputError(
            f"the row has no field {field!r}; it has {there}; name one with --field",
            file=str(path),
            line=number,
        )
    value = row[field]
    if not isinstance(value, str):
        raise InputError(f"the field {field!r} must be text", file=str(path), line=number)
    return value
