"""Matrix: a heat map with its numbers, such as who was taken for whom, or subjects against items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.report.presentation import Picture
from assay.report.text import label
from assay.report.wording import first_of, listed, no_data_text, value_text
from assay.vocabulary import Measure

from .drawing import BLUE, INK, ORANGE, WIDTH, Box, draw_blocks, drawing, new_figure, svg_later
from .marks import Key, figure_alt, text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["matrix"]

MOST_ROWS = 80
MOST_COLUMNS = 20
CROWDED = 12  # columns, from which numbers are smaller and names shorter
SHADES = 12
STRONGEST = 0.6  # opacity: ink on it is readable on light and on dark paper
CELL = 0.95  # inches at most

Place = tuple[int, int]  # row, column


def matrix(
    measures: Sequence[Measure],
    *,
    title: str,
    caption: str,
    rows: Key,
    columns: Key,
    row_axis: str = "",
    column_axis: str = "",
) -> Picture | None:
    """A cell for every row and column, in the order of the measures; of several measures for a cell the first.

    Blue is above zero and orange below, the stronger the farther. A measure without a value is hatched, and what was
    not measured is left empty. None without a measure.
    """
    if not measures:
        return None
    across = list(dict.fromkeys(text_of(columns, m) for m in measures))
    down = list(dict.fromkeys(text_of(rows, m) for m in measures))
    cells: dict[Place, Measure] = {}
    for m in measures:
        row, column = down.index(text_of(rows, m)), across.index(text_of(columns, m))
        if row < MOST_ROWS and column < MOST_COLUMNS:
            cells.setdefault((row, column), m)
    down_shown, across_shown = down[:MOST_ROWS], across[:MOST_COLUMNS]
    with drawing():
        names = [label(name, 24) for name in across_shown]
        crowded = len(names) > CROWDED
        steep = max(map(len, names)) > 9 or len(names) > 10
        head = 0.3 + (0.055 * max(map(len, names)) if steep else 0.0) + (0.2 if column_axis else 0.0)
        figure = new_figure(WIDTH, 0.3 + head + 0.3 * len(down_shown))
        axes = figure.subplots()
        _shade(axes, cells)
        _hatch(axes, [place for place, m in cells.items() if m.value is None])
        for (row, column), m in cells.items():
            if m.value is not None:
                text = f"{value_text(m, 2)}{'*' if m.flags else ''}"
                axes.text(column, row, text, ha="center", va="center", fontsize=6.5 if crowded else 8.5)
        axes.set_yticks(range(len(down_shown)), [label(name, 24 if crowded else 40) for name in down_shown])
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        if steep:
            axes.set_xticks(range(len(names)), names, rotation=35, ha="left", rotation_mode="anchor")
        else:
            axes.set_xticks(range(len(names)), names)
        axes.set_ylim(len(down_shown) - 0.5, -0.5)
        axes.set_xlim(-0.5, max(len(names), round(6.5 / CELL)) - 0.5)
        axes.set_xlabel(label(column_axis, 60), loc="left", labelpad=9)
        axes.set_ylabel(label(row_axis, 60))
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    left_out = (
        first_of(len(down_shown), len(down), "rows"),
        first_of(len(across_shown), len(across), "columns"),
    )
    said = " ".join(filter(None, (caption, *_said(cells, len(down_shown) * len(across_shown)), *left_out)))
    named = [
        (f"{down[row]}, {across[column]}", m)
        for (row, column), m in sorted(cells.items(), key=lambda c: c[0])
    ]
    return Picture(title, svg_later(figure), said, f"{title}. {figure_alt(named)}")


def _said(cells: Mapping[Place, Measure], room: int) -> list[str]:
    said = []
    if any(m.value is not None and m.value < 0 for m in cells.values()):
        said.append("Blue is above zero, orange below; the stronger the colour, the farther from it.")
    else:
        said.append("The stronger the colour, the higher the value.")
    if flags := list(dict.fromkeys(f.kind for m in cells.values() if m.value is not None for f in m.flags)):
        said.append(f"A star marks a value with a flag ({listed(flags)}).")
    if reasons := list(dict.fromkeys(no_data_text(m) for m in cells.values() if m.value is None)):
        said.append(f"Hatched: {'; '.join(reasons[:3])}{' …' if len(reasons) > 3 else ''}.")
    if len(cells) < room:
        said.append("Empty: not measured.")
    return said


def _shade(axes: Axes, cells: Mapping[Place, Measure]) -> None:
    """A few shades, each one path: a page with a thousand cells stays small."""
    values = {place: m.value for place, m in cells.items() if m.value is not None}
    most = max((abs(value) for value in values.values()), default=0.0)
    most = 1.0 if most <= 1 and all(value >= 0 for value in values.values()) else most or 1.0
    boxes: dict[tuple[str, int], list[Box]] = {}
    for place, value in values.items():
        shade = round(SHADES * min(abs(value) / most, 1.0))
        boxes.setdefault((BLUE if value >= 0 else ORANGE, shade), []).append(_box(place))
    for (colour, shade), own in sorted(boxes.items()):
        draw_blocks(axes, own, "", color=colour, alpha=0.04 + (STRONGEST - 0.04) * shade / SHADES)


def _box(place: Place) -> Box:
    row, column = place
    return column - 0.48, row - 0.46, 0.96, 0.92


def _hatch(axes: Axes, places: Sequence[Place]) -> None:
    """Strokes drawn one by one: a pattern of SVG would be taken out of the page."""
    draw_blocks(axes, [_box(place) for place in places], "", color=INK, alpha=0.05)
    for row, column in places:
        for slant in (-0.36, -0.12, 0.12, 0.36):
            xs, ys = [column + slant - 0.1, column + slant + 0.1], [row + 0.42, row - 0.42]
            axes.plot(xs, ys, color=INK, linewidth=0.7, alpha=0.4)
