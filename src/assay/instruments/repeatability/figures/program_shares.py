"""Which outputs came: a strip a cell, a block a distinct one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from assay.instruments.repeatability.cells.cell import Cell
from assay.report.figures.drawing import (
    BLUE,
    ORANGE,
    WIDTH,
    Box,
    draw_blocks,
    draw_legend,
    name_rows,
    new_figure,
    panel_grid,
    svg_later,
)
from assay.report.presentation import Picture
from assay.report.text import label
from assay.report.wording import first_of

from .cell_measures import alike, condition_text, noun_of
from .groups import MOST_ROWS, Pair, row_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_programs"]

RARE = Fraction(1, 50)  # narrower blocks could not be told apart
MOST_SUBJECTS = 12
MOST_COLUMNS = 3


def draw_programs(pairs: Sequence[Pair]) -> Picture | None:
    """A strip per cell: a block per distinct output, as wide as its share, coloured by whether it passes."""
    cells = [cell for cell, _ in pairs]
    if not cells:
        return None
    noun = noun_of(cells)
    subjects = list(dict.fromkeys(cell.key.subject for cell in cells))
    shown = subjects[:MOST_SUBJECTS]
    rows = sorted({(cell.key.contract, cell.key.condition, condition_text(cell.key)) for cell in cells})
    names = row_labels([(contract, text) for contract, _, text in rows[:MOST_ROWS]])
    places = {row[:2]: y for y, row in enumerate(rows[:MOST_ROWS])}
    lines = -(-len(shown) // MOST_COLUMNS)
    figure = new_figure(WIDTH, 0.5 + lines * (0.7 + 0.25 * len(places)))
    grid = panel_grid(figure, len(shown), MOST_COLUMNS)
    for subject, axes in zip(shown, grid, strict=True):
        mine = [(cell, places.get((cell.key.contract, cell.key.condition))) for cell in cells]
        _strips(axes, [(cell, y) for cell, y in mine if cell.key.subject == subject and y is not None])
        axes.set_title(label(subject, 28))
        name_rows(axes, names)
    draw_legend(figure, grid, 4)
    caption = (
        f"One strip a cell, one block a distinct {noun} ({alike(cells)}), as wide as its share of the "
        f"outputs; the number of distinct {noun}s stands at the end. One long block: always the same {noun}."
    )
    if any(", rare" in name for axes in grid for name in axes.get_legend_handles_labels()[1]):
        caption += f" {noun.capitalize()}s with less than {float(RARE):g} of the outputs each "
        caption += "are one pale block together."
    left_out = first_of(len(places), len(rows), "rows"), first_of(len(shown), len(subjects), "subjects")
    caption = " ".join(filter(None, (caption, *left_out)))
    alt = f"Distinct {noun}s and their share in {len(pairs)} cells, by whether they pass."
    return Picture(f"Which {noun}s came", svg_later(figure), caption, alt)


def _strips(axes: Axes, cells: Sequence[tuple[Cell, int]]) -> None:
    boxes: dict[tuple[bool, bool], list[Box]] = {}
    for cell, y in cells:
        blocks, distinct = _strip(cell, y)
        for kind, box in blocks:
            boxes.setdefault(kind, []).append(box)
        axes.text(1.015, y, str(distinct), va="center", fontsize=8.5, alpha=0.8)
    for passed, words, colour in ((True, "passes every test", BLUE), (False, "does not pass", ORANGE)):
        draw_blocks(axes, boxes.get((passed, False), ()), words, color=colour)
        draw_blocks(axes, boxes.get((passed, True), ()), f"{words}, rare", color=colour, alpha=0.45)
    axes.set_xlim(0, 1.1)
    axes.set_xticks([0, 0.5, 1])
    axes.spines["bottom"].set_bounds(0, 1)


def _strip(cell: Cell, y: int) -> tuple[list[tuple[tuple[bool, bool], Box]], int]:
    """Blocks from the left, passing before failing, most frequent first, each with (passed, rare).

    Outputs too rare to be told apart are one block together.
    """
    keys = {output.code: cell.kind.same(cell.forms(output.code)) for output in cell.outputs}
    counts = Counter((not output.passed, keys[output.code]) for output in cell.outputs)
    widths: list[tuple[tuple[bool, bool], int]] = []
    for (failed, _), count in sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1])):
        kind = (not failed, Fraction(count, cell.n) < RARE)
        if kind[1] and widths and widths[-1][0] == kind:
            widths[-1] = (kind, widths[-1][1] + count)
        else:
            widths.append((kind, count))
    blocks, start = [], 0
    for kind, count in widths:
        width = count / cell.n
        blocks.append((kind, (start / cell.n, y - 0.3, max(width - 0.008, width * 0.5), 0.6)))
        start += count
    return blocks, len(set(keys.values()))
