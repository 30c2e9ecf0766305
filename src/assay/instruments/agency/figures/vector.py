"""The vector as a radar and as bars, with its flags. No level is drawn without its comparison tuple beside it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from assay.instruments.agency.declarations.outcome import DIMENSIONS
from assay.report.figures.drawing import BLUE, INK, WIDTH, Box, draw_blocks, drawing, new_figure, svg_later
from assay.report.presentation import Picture
from assay.report.text import label, visible
from assay.report.wording import first_of
from assay.vocabulary import Flag

from .readings import TITLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import SubFigure
    from matplotlib.projections.polar import PolarAxes

__all__ = ["MOST_VECTORS", "Standing", "Vector", "draw_vectors"]

MOST_VECTORS = 6
HIGHEST = 5
ROW = 3.1  # inches
WIDE = 132  # characters of a tuple in one line


class Standing(Struct, frozen=True):
    """The level of one dimension. ``value`` is None where no level is reported; the flags say why."""

    dimension: str
    value: int | None
    flags: tuple[Flag, ...] = ()


class Vector(Struct, frozen=True, kw_only=True):
    """The levels of one reading, with the comparison tuple."""

    name: str
    comparison: str
    standings: tuple[Standing, ...]


def draw_vectors(vectors: Sequence[Vector]) -> Picture | None:
    """One row for each reading: radar, bars, and their tuple. None where there is nothing to draw."""
    if not vectors:
        return None
    shown = vectors[:MOST_VECTORS]
    wrapped = [textwrap.wrap(visible(one.comparison), WIDE) for one in shown]
    heights = [ROW + 0.17 * len(lines) for lines in wrapped]
    with drawing():
        figure = new_figure(WIDTH, math.fsum(heights))
        # One subfigure for each row keeps the tuple with its drawing, also where the picture is cut out of a page.
        rows = figure.subfigures(len(shown), 1, height_ratios=heights, squeeze=False)[:, 0]
        for part, vector, lines in zip(rows, shown, wrapped, strict=True):
            _row(part, vector, lines)
    caption = (
        "The same levels twice: as a radar and as bars, from 0 to 5. A full mark is a level without a flag, a hollow "
        "one carries the flag that stands beside its bar. A dimension without a level has no mark: it is not zero, "
        f"and no line is drawn through it. Comparison tuples: {' '.join(f'{v.name}: {v.comparison}' for v in shown)}"
    )
    if left_out := first_of(len(shown), len(vectors), "readings"):
        caption += f" {left_out}"
    alt = "; ".join(f"{vector.name}: {_listed(vector)} {vector.comparison}" for vector in shown)
    return Picture("The agency vector", svg_later(figure), caption, alt)


def _listed(vector: Vector) -> str:
    parts = []
    for one in vector.standings:
        flags = f" ({', '.join(_kinds(one))})" if one.flags else ""
        parts.append(f"{one.dimension} {'none' if one.value is None else one.value}{flags}")
    return ", ".join(parts)


def _kinds(one: Standing) -> list[str]:
    return list(dict.fromkeys(flag.kind for flag in one.flags))


def _row(part: SubFigure, vector: Vector, lines: Sequence[str]) -> None:
    grid = part.add_gridspec(1, 2, width_ratios=(1, 1.5))
    radar = cast("PolarAxes", part.add_subplot(grid[0], projection="polar"))
    bars = part.add_subplot(grid[1])
    by = {one.dimension: one for one in vector.standings}
    ordered = [by[name] for name in DIMENSIONS if name in by]
    _radar(radar, ordered)
    _bars(bars, ordered)
    part.suptitle(label(vector.name, 80), x=0.02, ha="left", fontsize=10, fontweight="bold")
    part.supxlabel("\n".join(lines), x=0.02, ha="left", fontsize=8)


def _radar(axes: PolarAxes, standings: Sequence[Standing]) -> None:
    count = len(standings)
    angles = [2 * math.pi * place / count for place in range(count)]
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_ylim(0, HIGHEST)
    axes.set_yticks(range(1, HIGHEST + 1), ["1", "", "3", "", "5"], fontsize=7.5, alpha=0.7)
    axes.set_rlabel_position(180 / count)
    names = [one.dimension if one.value is not None else f"{one.dimension}\n–" for one in standings]
    axes.set_xticks(angles, names)
    axes.spines["polar"].set_alpha(0.3)
    for place, one in enumerate(standings):
        after = standings[(place + 1) % count]
        if one.value is None:
            continue
        axes.plot([angles[place]] * 2, [0, one.value], color=BLUE, linewidth=1.4, alpha=0.55)
        if after.value is not None:  # neighbours only: a line across a gap would claim what was not tested
            ends = [angles[place], angles[place] + 2 * math.pi / count]
            axes.plot(ends, [one.value, after.value], color=BLUE, linewidth=1.8)
            axes.fill([ends[0], *ends], [0, one.value, after.value], color=BLUE, alpha=0.13, linewidth=0)
    for place, one in enumerate(standings):
        if one.value is not None:
            inside = "white" if one.flags else BLUE
            style: dict[str, Any] = {
                "markerfacecolor": inside,
                "markeredgecolor": BLUE,
                "markeredgewidth": 1.6,
            }
            axes.plot(
                [angles[place]], [one.value], marker="o", markersize=6.5, clip_on=False, zorder=5, **style
            )


def _bars(axes: Axes, standings: Sequence[Standing]) -> None:
    room: list[Box] = []
    clear: list[Box] = []
    flagged: list[Box] = []
    for y, one in enumerate(standings):
        room.append((0.0, y - 0.31, float(HIGHEST), 0.62))
        kinds = ", ".join(_kinds(one))
        if one.value is None:
            words = str(one.flags[0]) if one.flags else "no level"
            axes.text(0.12, y, label(words, 60), va="center", fontsize=8.5, alpha=0.85)
            continue
        (flagged if one.flags else clear).append((0.0, y - 0.31, max(one.value, 0.04), 0.62))
        axes.text(
            HIGHEST + 0.15,
            y,
            f"{one.value}{f'  {kinds}' if kinds else ''}",
            va="center",
            fontsize=9,
            alpha=0.9,
        )
    draw_blocks(axes, room, "", color=INK, alpha=0.06)
    draw_blocks(axes, clear, "", color=BLUE, alpha=0.8)
    draw_blocks(axes, flagged, "", color=BLUE, alpha=0.3)
    for x, top, width, height in flagged:  # hollow, as in the radar
        axes.plot(
            [x, x + width, x + width, x], [top, top, top + height, top + height], color=BLUE, linewidth=1.4
        )
    axes.vlines(range(1, HIGHEST), -0.4, len(standings) - 0.6, color=INK, linewidth=0.5, alpha=0.2)
    names = [f"{one.dimension}  {TITLES[one.dimension]}" for one in standings]
    axes.set_yticks(range(len(standings)), names)
    axes.set_ylim(len(standings) - 0.5, -0.5)
    axes.set_xlim(0, HIGHEST + 3)
    axes.set_xticks(range(HIGHEST + 1))
    axes.spines["bottom"].set_bounds(0, HIGHEST)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
