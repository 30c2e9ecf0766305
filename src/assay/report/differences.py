"""Two texts side by side, line by line, with the changed stretch of a line marked."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Literal

from msgspec import Struct

__all__ = ["Beside", "DiffRow", "beside", "diff_rows"]

CONTEXT = 3
LONGEST_MARKED = 160  # within longer lines, or after so many, single characters are not compared
MOST_MARKED = 60

Kind = Literal["same", "gone", "new", "gap"]


class DiffRow(Struct, frozen=True):
    """A line: ``parts`` are its stretches in order, each with whether it changed."""

    kind: Kind
    left: int | None
    right: int | None
    parts: tuple[tuple[str, bool], ...]


def diff_rows(left: str, right: str) -> list[DiffRow]:
    """What was taken away and what was put in its place. Long stretches that are the same are folded."""
    a, b = left.splitlines(), right.splitlines()
    rows: list[DiffRow] = []
    marked = 0
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    codes = matcher.get_opcodes()
    for place, (tag, i1, i2, j1, j2) in enumerate(codes):
        if tag == "equal":
            rows += _same(a, i1, i2, j1, first=place == 0, last=place == len(codes) - 1)
            continue
        paired = min(i2 - i1, j2 - j1, MOST_MARKED - marked)
        marked += paired
        pairs = [_marks(a[i1 + k], b[j1 + k]) for k in range(paired)]
        old = [p[0] for p in pairs] + [((line, False),) for line in a[i1 + paired : i2]]
        new = [p[1] for p in pairs] + [((line, False),) for line in b[j1 + paired : j2]]
        rows += [DiffRow("gone", i1 + k + 1, None, parts) for k, parts in enumerate(old)]
        rows += [DiffRow("new", None, j1 + k + 1, parts) for k, parts in enumerate(new)]
    return rows


Beside = tuple[DiffRow | None, DiffRow | None]


def beside(rows: Sequence[DiffRow]) -> list[Beside]:
    """What was taken away at the left, what was put in its place at the right; what is the same in both."""
    pairs: list[Beside] = []
    for changed, group in groupby(rows, key=lambda row: row.kind in ("gone", "new")):
        if changed:
            stretch = list(group)
            gone = [row for row in stretch if row.kind == "gone"]
            pairs += zip_longest(gone, [row for row in stretch if row.kind == "new"])
        else:
            pairs += [(row, row) for row in group]
    return pairs


def _same(a: list[str], i1: int, i2: int, j1: int, *, first: bool, last: bool) -> Iterator[DiffRow]:
    head = 0 if first else CONTEXT
    tail = 0 if last else CONTEXT
    hidden = range(i1 + head, i2 - tail)
    for i in range(i1, i2):
        if len(hidden) > 1 and i in hidden:
            if i == hidden.start:
                yield DiffRow("gap", None, None, ((f"{len(hidden)} lines are the same", False),))
            continue
        yield DiffRow("same", i + 1, j1 + i - i1 + 1, ((a[i], False),))


Parts = tuple[tuple[str, bool], ...]


def _marks(old: str, new: str) -> tuple[Parts, Parts]:
    if max(len(old), len(new)) > LONGEST_MARKED:
        return ((old, False),), ((new, False),)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < 0.5:  # nothing much in common: marking scraps would only be noise
        return ((old, False),), ((new, False),)
    left: list[tuple[str, bool]] = []
    right: list[tuple[str, bool]] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if i2 > i1:
            left.append((old[i1:i2], tag != "equal"))
        if j2 > j1:
            right.append((new[j1:j2], tag != "equal"))
    return tuple(left), tuple(right)
