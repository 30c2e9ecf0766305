"""Replies out of a file: JSON Lines, plain or gzipped, one field of each row."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import InputError

__all__ = ["read_replies"]


def read_replies(path: Path, field: str) -> Iterator[str]:
    """The text of ``field`` in every row, in order. A row that has none is named by its line."""
    number = 0
    for number, line in _lines(path):
        yield _text(_row(line, path, number), field, path, number)
    if not number:
        raise InputError("there are no rows", file=str(path))


def _row(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        try:
            row = msgspec.json.decode(line)
        except msgspec.DecodeError:
            row = json.loads(line)  # takes escaped lone surrogates, which real outputs now and then hold
    except RecursionError:
        raise InputError("not a row: nested too deeply", file=str(path), line=number) from None
    except ValueError as error:  # not JSON, or not UTF-8
        raise InputError(f"not a row: {error}", file=str(path), line=number) from None
    if not isinstance(row, dict):
        raise InputError("not a row: write a JSON object on each line", file=str(path), line=number)
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


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if text.strip():
                    yield number, text
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"the gzip file is damaged: {error}", file=str(path)) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
