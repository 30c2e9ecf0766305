"""A detector: one rule on texts that somebody already has, offered under the entry point ``assay.detectors``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from assay.errors import InputError

from .rows import decode_row, rows_of

__all__ = ["Checked", "Detector", "read_texts"]


class Checked(NamedTuple):
    """How well a detector reads the labelled texts it ships with: for machines, and as lines for people."""

    document: dict[str, Any]
    lines: list[str]


class Detector(Protocol):
    """Reads a text and says what it found, as plain data.

    ``counted`` names the findings that are yes or no, in the order in which people see them.
    """

    version: str
    counted: tuple[str, ...]

    def read(self, text: str) -> dict[str, Any]:
        """What ``--json`` prints for one text."""
        ...

    def count(self, text: str) -> dict[str, bool]:
        """A yes or no for each of ``counted``."""
        ...

    def check(self) -> Checked:
        """The detector on its own labelled texts."""
        ...


def read_texts(path: Path, field: str) -> Iterator[str]:
    """The text of ``field`` in every row, in order. A row that has none is named by its line."""
    for number, row in rows_of(path, _row):
        if field not in row:
            there = ", ".join(sorted(row)) or "nothing"
            raise InputError(
                f"the row has no field {field!r}; it has {there}; name one with --field",
                file=str(path),
                line=number,
            )
        if not isinstance(row[field], str):
            raise InputError(f"the field {field!r} must be text", file=str(path), line=number)
        yield row[field]


def _row(line: bytes) -> dict[str, Any]:
    row = decode_row(line, object)
    if not isinstance(row, dict):
        raise ValueError("write a JSON object on each line")
    return row
