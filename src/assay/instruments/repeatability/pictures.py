"""What the pictures of repeatability share: colours, groups of cells, and means over contracts."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.report.presentation import PALETTE, label
from assay.vocabulary import Measure

from .cells import Anchor, Cell, CellKey
from .headline import condition_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "BLUE",
    "GREEN",
    "MARKERS",
    "MOST_COLUMNS",
    "MOST_ROWS",
    "ORANGE",
    "SKY",
    "Group",
    "Mean",
    "Pair",
    "condition_labels",
    "fullest",
    "group_of",
    "mean_of",
    "named",
    "panels",
    "row_labels",
]

MOST_ROWS = 120
MOST_COLUMNS = 3
BLUE, ORANGE, GREEN, SKY = PALETTE[0], PALETTE[1], PALETTE[2], PALETTE[4]
MARKERS = "osD^vPX"

Pair = tuple[Cell, Anchor]


class Group(NamedTuple):
    """Cells of one subject under one condition: what is averaged over contracts."""

    subject: str
    condition: tuple[float, ...]
    text: str  # the condition in words


def group_of(key: CellKey) -> Group:
    return Group(key.subject, key.condition, condition_text(key))


class Mean(NamedTuple):
    """A mean over contracts, with the ends of their own intervals, averaged: how well one contract is known."""

    value: float
    low: float
    high: float
    values: tuple[float, ...]


def mean_of(measures: Iterable[Measure | None]) -> Mean | None:
    """None where nothing was measured."""
    got = [(m.value, m.low, m.high) for m in measures if m is not None and m.value is not None]
    if not got:
        return None
    return Mean(
        statistics.fmean(value for value, _, _ in got),
        statistics.fmean(0.0 if low is None else low for _, low, _ in got),
        statistics.fmean(1.0 if high is None else high for _, _, high in got),
        tuple(value for value, _, _ in got),
    )


def named(names: Iterable[str], many: str) -> str:
    """Up to four by name, more by number."""
    names = list(dict.fromkeys(names))
    if len(names) > 4:
        return f"{len(names)} {many}"
    if len(names) < 2:
        return names[0] if names else f"no {many}"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def condition_labels(groups: Sequence[Group]) -> dict[Group, str]:
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


def panels(figure: Figure, count: int, *, most: int = MOST_COLUMNS, sharey: bool = True) -> list[Axes]:
    """As many axes as asked for, in lines of a few."""
    lines, columns = -(-count // most), min(count, most)
    grid = list(figure.subplots(lines, columns, sharey=sharey, squeeze=False).flat)
    for axes in grid[count:]:
        axes.set_visible(False)
    return grid[:count]


def fullest(grid: Sequence[Axes]) -> Axes:
    """Of several the one whose legend tells the most."""
    return max(grid, key=lambda axes: len(axes.get_legend_handles_labels()[0]))
