"""The lines of a file, plain or gzipped, and JSON Lines."""

from __future__ import annotations

import contextlib
import gzip
import json
import stat
import zlib
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, cast

from assay.errors import InputError

from .base import Rows
from .json_text import decode_json, why_not_json
from .values import FieldError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MARK", "JsonLines", "open_bytes", "read_lines"]

GZIP = b"\x1f\x8b"
MARK = b"\xef\xbb\xbf"  # the byte order mark that spreadsheets write
SPLIT = "the object does not end on its line; write each on one line, as jq -c does"


@contextlib.contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked where it is gzipped; what hinders reading is an InputError."""
    try:
        with _opened(path) as raw:
            packed = raw.peek(2)[:2] == GZIP
            with cast(BinaryIO, gzip.open(raw, "rb")) if packed else raw as file:
                yield file
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"the gzip file is damaged: {error}", file=str(path)) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None


def _opened(path: Path) -> BufferedReader:
    """A pipe is refused: what is read of it once is gone, and rows are gone through more than once.

    So is a device, which may have no end.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISFIFO(mode):
            raise InputError(f"{path} is a pipe, which can be read only once; write the rows into a file")
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise InputError(f"{path} is not an ordinary file; write the rows into one")
        return path.open("rb")
    except ValueError as error:  # a NUL in the name
        raise InputError(f"{str(path)!r} cannot be read: {error}") from None


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers, without line ends and a byte order mark."""
    with open_bytes(path) as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(MARK) if number == 1 else line
            if text.strip():
                yield number, text.rstrip(b"\r\n")


class JsonLines(Rows):
    """One JSON object a line."""

    place: ClassVar[str] = "line"

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path

    def _read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in read_lines(self.path):
            yield number, self.row_of(number, line)

    def frame(self, columns: Sequence[str] | None = None, own: Sequence[str] | None = None) -> pl.DataFrame:
        from .frames import frame_of_lines, frame_of_rows

        return frame_of_rows(self) if columns is None else frame_of_lines(self, columns, own)

    def numbers(self) -> Iterator[int]:
        return (number for number, _ in read_lines(self.path))

    def row_of(self, number: int, line: bytes) -> dict[str, Any]:
        """One line as a mapping."""
        try:
            value = decode_json(line)
        except FieldError as error:
            raise self.error(number, error.field, error.message) from None
        except RecursionError:
            raise self.error(number, "", "not a row: nested too deeply") from None
        except ValueError as error:
            open_end = isinstance(error, json.JSONDecodeError) and error.pos >= len(error.doc.rstrip())
            why = SPLIT if open_end else why_not_json(error)
            raise self.error(number, "", f"not a row: {why}") from None
        if not isinstance(value, dict):
            raise self.error(number, "", "not a row: write a JSON object on each line")
        return value
