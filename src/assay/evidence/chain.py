"""The hash chain of one segment: how lines are written, and how each is checked.

A line is ``{"event":E,"hash":"H"}`` and a newline, where E is the canonical encoding of the event and
H = SHA-256(previous H ‖ E), hexadecimal. The first "previous H" is the segment's genesis. The check works on
the bytes as they stand, so any changed byte shows, white space and escapes included.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from assay.errors import IntegrityError

__all__ = [
    "LONGEST",
    "OVERHEAD",
    "LedgerLine",
    "Line",
    "Tail",
    "fault_of",
    "find_tail",
    "genesis",
    "numbered_lines",
    "read_lines",
    "seal",
]

_OPEN = b'{"event":'
_MIDDLE = b',"hash":"'
_CLOSE = b'"}\n'
_SUFFIX = len(_MIDDLE) + 64 + len(_CLOSE)
OVERHEAD = len(_OPEN) + _SUFFIX  # bytes of a line beyond its event
LONGEST = 256 << 20  # bytes of a line: more than any event has, however its texts are escaped


class Line(NamedTuple):
    number: int  # from 1
    offset: int
    event: bytes
    hash: bytes


class LedgerLine(NamedTuple):
    """Where an event stands, for people: the segment's file, and the number of the line in it."""

    segment: str
    line: int


class LineStart(NamedTuple):
    number: int  # from 1
    offset: int


class Tail(NamedTuple):
    """Where the sound part of a segment ends. ``torn`` is what a crash left behind it."""

    end: int
    lines: int
    head: bytes
    torn: int


def genesis(lock: str, segment: str) -> bytes:
    return hashlib.sha256(f"assay/ledger/1 {lock} {segment}".encode()).hexdigest().encode()


def seal(previous: bytes, event: bytes) -> tuple[bytes, bytes]:
    """The line for an event, and the new head."""
    head = hashlib.sha256(previous + event).hexdigest().encode()
    return _OPEN + event + _MIDDLE + head + _CLOSE, head


def fault_of(line: bytes, previous: bytes) -> str | None:
    """Why a line does not follow from what was before it; None when it does."""
    if not line.endswith(_CLOSE) or not line.startswith(_OPEN) or line[-_SUFFIX : -_SUFFIX + 9] != _MIDDLE:
        return "not a ledger line"
    if hashlib.sha256(previous + line[9:-_SUFFIX]).hexdigest().encode() != line[-67:-3]:
        return "its hash does not follow from the line before it"
    return None


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a segment. One that is longer than any we write comes in pieces, none of which is well formed."""
    return iter(partial(file.readline, LONGEST), b"")


def read_lines(path: Path, first: bytes, *, start: int = 0, end: int | None = None) -> Iterator[Line]:
    """Every line from byte ``start`` to byte ``end``, each checked before it is given out."""
    previous, offset, number = first, start, 0
    sha256 = hashlib.sha256
    with path.open("rb", buffering=1 << 20) as file:
        file.seek(start)
        for line in _lines(file):
            if end is not None and offset >= end:
                return
            number += 1
            event = line[9:-_SUFFIX]
            head = line[-67:-3]
            if (
                sha256(previous + event).hexdigest().encode() != head
                or line[:9] != _OPEN
                or line[-3:] != _CLOSE
                or line[-_SUFFIX:-67] != _MIDDLE
            ):
                raise IntegrityError(f"{path.name} line {number}: {fault_of(line, previous)}")
            yield Line(number, offset, event, head)
            previous = head
            offset += len(line)


def find_tail(path: Path, first: bytes) -> Tail:
    """Where a segment that was never closed ends.

    A crash can only leave a stretch of rubbish at the very end. A line that is broken while a well-formed one
    stands behind it was not torn but altered: that is refused, with the line named.
    """
    previous, end, number = first, 0, 0
    with path.open("rb", buffering=1 << 20) as file:
        lines = _lines(file)
        for line in lines:
            fault = fault_of(line, previous)
            if fault is None:
                previous, end, number = line[-67:-3], end + len(line), number + 1
                continue
            torn = 0
            for later in itertools.chain([line], lines):
                if _well_formed(later):
                    raise IntegrityError(f"{path.name} line {number + 1}: {fault}")
                torn += len(later)
            return Tail(end, number, previous, torn)
    return Tail(end, number, previous, 0)


def _well_formed(line: bytes) -> bool:
    return line.startswith(_OPEN) and line.endswith(_CLOSE) and line[-_SUFFIX:-67] == _MIDDLE


def numbered_lines(path: Path) -> Iterator[LineStart]:
    """Where the lines of a segment begin. The chain is not checked."""
    at = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            yield LineStart(number, at)
            at += len(line)
