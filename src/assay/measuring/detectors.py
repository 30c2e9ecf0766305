"""A detector: one rule on texts that somebody already has, offered under the entry point ``assay.detectors``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from .rows import Rows

__all__ = ["Checked", "Detector", "compare_with_labels", "read_texts"]


class Checked(NamedTuple):
    """How well a detector reads the labelled texts it ships with: for machines, and as lines for people."""

    document: dict[str, Any]
    lines: list[str]


class Detector(Protocol):
    """Reads a text and says what it found, as plain data.

    ``counted`` names the findings that are yes or no, in the order in which people see them. A detector with options
    names their type as ``option_type``, and its constructor takes them. One whose options depend on the row has a
    method ``for_row``, which gives the detector for a row.
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


def read_texts(rows: Rows, field: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Every row with its number and the text of ``field``, in order. A row without it has an empty text."""
    given = list(rows)
    if not any(field in row for _, row in given):
        number, row = given[0]
        there = ", ".join(sorted(row)) or "nothing"
        raise rows.error(number, "", f"the row has no field {field!r}; it has {there}; name one with --field")
    kind: Any = msgspec.defstruct("TextRow", [("text", str, "")], rename={"text": field})
    for number, row in given:
        yield number, rows.convert(number, row, kind).text, row


def compare_with_labels(pairs: Sequence[tuple[bool, bool]]) -> dict[str, dict[str, Any]]:
    """Agreement, precision and recall of (found, labelled) pairs: each k of n with Wilson's interval."""
    from assay.stats import wilson

    both = pairs.count((True, True))
    counts = {
        "agreement": (both + pairs.count((False, False)), len(pairs)),
        "precision": (both, both + pairs.count((True, False))),
        "recall": (both, both + pairs.count((False, True))),
    }
    compared: dict[str, dict[str, Any]] = {}
    for name, (k, n) in counts.items():
        interval = wilson(k, n) if n else None
        ends = {"low": interval.low, "high": interval.high} if interval else {"low": None, "high": None}
        compared[name] = {"value": k / n if n else None, "k": k, "n": n, **ends}
    return compared
