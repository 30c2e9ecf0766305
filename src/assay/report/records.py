"""Records as CSV: one row an output, streamed, at full precision, all of it or nothing."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

from assay.errors import InputError
from assay.evidence.files import replacing

from .text import safe_cell

__all__ = ["write_records"]


def write_records(path: Path, rows: Iterable[dict[str, Any]], columns: Sequence[str] | None = None) -> int:
    """Write the rows and return how many there were. Without ``columns`` the first row declares them."""
    try:
        with replacing(path) as raw:
            file = io.TextIOWrapper(raw, "utf-8", newline="")
            count = _write(file, path.name, rows, columns)
            file.detach()  # flushes; the file itself is closed by who opened it
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    return count


def _write(file: TextIO, name: str, rows: Iterable[dict[str, Any]], columns: Sequence[str] | None) -> int:
    stream = iter(rows)
    count = 0
    if columns is None:
        first = next(stream, None)
        columns = () if first is None else tuple(first)
        stream = iter(()) if first is None else itertools.chain([first], stream)
    writer = csv.writer(file, lineterminator="\r\n")  # RFC 4180
    if columns:
        writer.writerow([safe_cell(column) for column in columns])
    declared = set(columns)
    for row in stream:
        if row.keys() != declared:
            odd = ", ".join(sorted(row.keys() ^ declared))
            raise InputError(f"{name}: row {count + 1} does not have the declared columns ({odd})")
        writer.writerow([_text(row[column]) for column in columns])
        count += 1
    return count


def _text(value: Any) -> str:
    """Nothing is an empty field, never zero; reals in their shortest form that reads back the same."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if not isinstance(value, int | str):  # how it prints may be another in every process
        raise TypeError(f"a field is a text, a number, yes or no, or nothing, not {type(value).__name__}")
    return str(value) if isinstance(value, int) else safe_cell(value)
