"""Rows that somebody brings: JSON Lines, plain or gzipped. A line that cannot be read is named."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from assay.errors import InputError

__all__ = ["OLD_NAMES", "Rows", "decode_row", "open_rows", "read_lines", "rows_of", "with_old_names"]

T = TypeVar("T")
OLD_NAMES = {"model": "subject"}  # columns that were called otherwise, and still may be


class Rows:
    """Rows that somebody brings."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def typed(self, kind: type[T]) -> list[tuple[int, T]]:
        """Every row as a value of ``kind``, with its number."""
        return [(number, self._convert(number, row, kind)) for number, row in self]

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        if self.path.name.lower().endswith(".csv"):
            with self.path.open(newline="", encoding="utf-8") as file:
                for number, row in enumerate(csv.DictReader(file), 2):
                    yield number, with_old_names({k: v for k, v in row.items() if v})
        else:
            yield from rows_of(self.path, lambda line: with_old_names(decode_row(line, dict[str, Any])))

    def error(self, number: int, field: str, message: str) -> InputError:
        return InputError(f"{field}: {message}", file=str(self.path), line=number)

    def _convert(self, number: int, row: dict[str, Any], kind: type[T]) -> T:
        try:
            return msgspec.convert(row, kind)
        except msgspec.ValidationError as error:
            raise InputError(
                f"not a row: {error}".replace("`", ""), file=str(self.path), line=number
            ) from None


def open_rows(data: Path | str) -> Rows:
    """Rows from a file."""
    return Rows(Path(data))


def rows_of(path: Path, read: Callable[[bytes], T]) -> Iterator[tuple[int, T]]:
    """What ``read`` makes of every line that is not blank, with its number.

    ``read`` says what is wrong with a line by a ValueError; a file without rows is an error, too.
    """
    number = 0
    for number, line in read_lines(path):
        try:
            row = read(line)
        except RecursionError:
            raise InputError("not a row: nested too deeply", file=str(path), line=number) from None
        except ValueError as error:  # of msgspec, of json, text that is not UTF-8, or of read's own
            what = str(error).replace("`", "").replace("$.", "")
            raise InputError(f"not a row: {what}", file=str(path), line=number) from None
        yield number, row
    if not number:
        raise InputError("there are no rows", file=str(path))


def decode_row(line: bytes, kind: type[T]) -> T:
    """One line as a value of ``kind``. Escaped lone surrogates, which real outputs now and then hold, are taken."""
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        value: Any = json.loads(line)
        return msgspec.convert(value, kind)


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers, without line ends and a byte order mark."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if text.strip():
                    yield number, text.rstrip(b"\r\n")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"the gzip file is damaged: {error}", file=str(path)) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None


def with_old_names(row: dict[str, Any]) -> dict[str, Any]:
    """The row with the names that columns have now; a column under both names is refused."""
    for old, new in OLD_NAMES.items():
        if old in row:
            if new in row:
                raise ValueError(f"{old} is the old name of {new}, and both are given")
            row = {new if name == old else name: value for name, value in row.items()}
    return row
