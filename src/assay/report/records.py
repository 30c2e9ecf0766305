"""Records as CSV or JSON Lines: one row an output, streamed, at full precision, all of it or nothing."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

import msgspec

from assay.canonical import clean_text, encode
from assay.errors import InputError
from assay.evidence.files import replacing

from .text import safe_cell

__all__ = ["check_ending", "write_into", "write_records"]

ENDINGS = (".csv", ".jsonl")


def check_ending(path: Path) -> None:
    """Refuse a name of another kind of file: what is in it would not be what it says."""
    if not path.name.lower().endswith(ENDINGS):
        raise InputError(f"{path}: records are written as {' or '.join(ENDINGS)}")


def write_records(
    path: Path,
    rows: Iterable[dict[str, Any]],
    columns: Sequence[str] | None = None,
    *,
    nested: bool = False,
    lines: bool | None = None,
) -> int:
    """Write the rows and return how many there were. Without ``columns`` the first row declares them.

    The name says how, unless ``lines`` does: one that ends in .jsonl gets an object a line.
    """
    as_lines = path.name.lower().endswith(".jsonl") if lines is None else lines
    try:
        with replacing(path) as raw:
            return write_into(raw, path.name, rows, columns, nested=nested, lines=as_lines)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def write_into(
    raw: BinaryIO,
    name: str,
    rows: Iterable[dict[str, Any]],
    columns: Sequence[str] | None = None,
    *,
    nested: bool = False,
    lines: bool = True,
) -> int:
    """Write rows into an open file: an object a line, or a table. ``name`` is what a message calls it.

    A field is a text, a number, yes or no, or nothing; ``nested`` ones may have parts, which are JSON in a table.
    """
    file = io.TextIOWrapper(raw, "utf-8", newline="")
    try:
        write = _write_lines if lines else _write_table
        return write(file, _declared(name, rows, columns), nested)
    finally:
        file.detach()  # flushes; the file itself is closed by who opened it


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


def _write_table(file: TextIO, found: _Declared, nested: bool) -> int:
    writer = csv.writer(file, lineterminator="\r\n")  # RFC 4180
    count = 0
    if found.columns:
        writer.writerow([safe_cell(column) for column in found.columns])
    for row in found.rows:
        writer.writerow([_text(row[column], nested) for column in found.columns])
        count += 1
    return count


def _write_lines(file: TextIO, found: _Declared, nested: bool) -> int:
    count = 0
    for row in found.rows:
        plain = {column: _plain(row[column], nested) for column in found.columns}
        file.write(f"{msgspec.json.encode(plain).decode()}\n")
        count += 1
    return count


def _plain(value: Any, nested: bool) -> Any:
    """A value that has one spelling: what it may be, and text that is valid Unicode."""
    if isinstance(value, str):
        return clean_text(value)[0]
    if nested and isinstance(value, list | tuple | dict):
        return value
    if value is not None and not isinstance(value, bool | int | float):
        raise TypeError(f"a field is a text, a number, yes or no, or nothing, not {type(value).__name__}")
    return value


def _text(value: Any, nested: bool) -> str:
    """Nothing is an empty field, never zero; reals in their shortest form that reads back the same."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if nested and isinstance(value, list | tuple | dict):
        return safe_cell(encode(value).decode())
    if not isinstance(value, int | str):  # how it prints may be another in every process
        raise TypeError(f"a field is a text, a number, yes or no, or nothing, not {type(value).__name__}")
    return str(value) if isinstance(value, int) else safe_cell(value)
