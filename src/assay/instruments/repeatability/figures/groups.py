"""Cells as rows of a picture: those of one subject under one condition, and what they are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.instruments.repeatability.cells.cell import Anchor, Cell, CellKey
from assay.report.text import label

from .cell_measures import condition_text

__all__ = ["MOST_ROWS", "CellGroup", "Pair", "condition_labels", "group_of", "row_labels"]

MOST_ROWS = 120

Pair = tuple[Cell, Anchor]


class CellGroup(NamedTuple):
    """Cells of one subject under one condition: what is averaged over contracts."""

    subject: str
    condition: tuple[float, ...]
    text: str  # the condition in words


def group_of(key: CellKey) -> CellGroup:
    return CellGroup(key.subject, key.condition, condition_text(key))


def condition_labels(groups: Sequence[CellGroup]) -> dict[CellGroup, str]:
    """What tells groups apart: the subject, the condition, or both."""
    if len({group.subject for group in groups}) == 1:
        return {group: group.text for group in groups}
    if len({group.condition for group in groups}) == 1:
        return {group: label(group.subject) for group in groups}
    return {group: f"{label(group.subject, 28)} · {group.text}" for group in groups}


def row_labels(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Names for sorted rows of two words: the first is said once, the second only where it varies."""
    if len({second for _, second in rows}) < 2:
        return [first for first, _ in rows]
    names = []
    for y, (first, second) in enumerate(rows):
        again = y > 0 and rows[y - 1][0] == first
        names.append(second if again else f"{label(first, 28)} · {second}")
    return names
