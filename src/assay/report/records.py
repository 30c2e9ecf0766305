"""Records as CSV or JSON Lines: one row an output, streamed, at full precision, all of it or nothing."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import msgspec

from assay.canonical import clean_text
from assay.errors import InputError
from assay.evidence.files import replacing

from .text import safe_cell

__all__ = ["check_ending", "write_records"]

ENDINGS = (".csv", ".jsonl")


def check_ending(path: Path) -> None:
    """Refuse a name of another kind of file: what is in it would not be what it says."""
    if not path.name.lower().endswith(ENDINGS):
        raise InputError(f"{path}: records are written as {' or '.join(ENDINGS)}")


def write_records(path: Path, rows: Iterable[dict[str, Any]], columns: Sequence[str] | None = None) -> int:
    """Write the rows and return how many there were. Without ``columns`` the first row declares them.

    The name says how: one that ends in .jsonl gets an object a line.
    """
    write = _write_lines if path.name.lower().endswith(".jsonl") else _write_table
    try:
        with replacing(path) as raw:
            file = io.TextIOWrapper(raw, "utf-8", newline="")
            count = write(file, _declared(path.name, rows, columns))
            file.detach()  # flushes; the file itself is closed by who opened it
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    return count


class _Declared(NamedTuple):
    columns: Sequence[str]
    rows: Iterator[dict[str, Any]]  # each with just these columns


def _declared(name: str, rows: Iterable[dict[str, Any]], columns: Sequence[str] | None) -> _Declared:
    stream = iter(rows)
    if columns is None:
        first = next(stream, None)
        columns = () if first is None else tuple(first)
        stream = iter(()) if first is None else itertools.chain([first], stream)
    return _Declared(columns, _checked(name, stream, frozenset(columns)))


def _checked(name: str, rows: Iterator[dict[str, Any]], declared: frozenset[str]) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(rows, 1):
        if row.keys() != declared:
            odd = ", ".join(sorted(row.keys() ^ declared))
            raise InputError(f"{name}: row {number} does not have the declared columns ({odd})")
        yield row


def _write_table(file: TextIO, found: _Declared) -> int:
    writer = csv.writer(file, lineterminator="\r\n")  # RFC 4180
    count = 0
    if found.columns:
        writer.writerow([safe_cell(column) for column in found.columns])
    for row in found.rows:
        writer.writerow([_text(row[column]) for column in found.columns])
        count += 1
    return count


def _write_lines(file: TextIO, found: _Declared) -> int:
    count = 0
    for row in found.rows:
        plain = {column: _plain(row[column]) for column in found.columns}
        file.write(f"{msgspec.json.encode(plain).decode()}\n")
        count += 1
    return count


def _plain(value: Any) -> Any:
    """A value that has one spelling: what it may be, and text that is valid Unicode."""
    if isinstance(value, str):
        return clean_text(value)[0]
    if value is not None and not isinstance(value, bool | int | float):
        raise TypeError(f"a field is a text, a number, yes or no, or nothing, not {type(value).__name__}")
    return value


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
