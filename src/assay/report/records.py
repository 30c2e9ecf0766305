"""Records as CSV: one row an output, streamed, at full precision, all of it or nothing."""

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from assay.errors import InputError

from .tables import safe_cell

__all__ = ["replacing", "write_records"]


def write_records(path: Path, rows: Iterable[dict[str, Any]], columns: Sequence[str] | None = None) -> int:
    """Write the rows and return how many there were. Without ``columns`` the first row declares them."""
    stream = iter(rows)
    count = 0
    with replacing(path) as file:
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
                raise InputError(f"{path.name}: row {count + 1} does not have the declared columns ({odd})")
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
    return str(value) if isinstance(value, int) else safe_cell(str(value))


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A text file that appears whole or not at all: written beside, synced, renamed."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with beside.open("w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        beside.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
