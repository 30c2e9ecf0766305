"""A plain table: as wide as the terminal, one line a row, whatever stands in its cells."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection, Sequence

from .output import line, safe, say

__all__ = ["cut", "print_grid"]

WIDE = 160  # columns where there is no terminal to ask
NARROWEST = 20  # of the last column


def cut(text: str, most: int) -> str:
    """One line of a text, safe to be shown, not longer than that."""
    text = line(safe(text[: 4 * most]))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def print_grid(grid: Sequence[Sequence[str]], right: Collection[int] = ()) -> None:
    """Print rows of cells that were `cut`, but for the last one of each, which gets what is left of the line.

    ``right`` are the places of columns with numbers.
    """
    widths = [max(len(row[place]) for row in grid) for place in range(len(grid[0]) - 1)]
    room = shutil.get_terminal_size((WIDE, 24)).columns if sys.stdout.isatty() else WIDE
    left = max(NARROWEST, room - sum(widths) - 2 * len(widths))
    for row in grid:
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        say("  ".join([*cells, cut(row[-1].strip().partition("\n")[0], left)]).rstrip())
