"""Maps of the distinct outputs: near each other what is alike, large what came often.

Positions come from classical scaling (Torgerson 1952): the two directions that keep the most of the squared
distances. What two directions cannot keep is said beside each map.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.instruments.repeatability.cells.cell import Anchor, Cell
from assay.instruments.repeatability.measures.pairs import distance_matrix
from assay.report.figures.drawing import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    WIDTH,
    draw_legend,
    new_figure,
    panel_grid,
    svg_later,
)
from assay.report.presentation import Picture
from assay.report.text import label

from .cell_measures import alike, condition_text, noun_of
from .groups import Pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Placed", "draw_maps", "place"]

MOST_MAPS = 6
MOST_PROGRAMS = 60  # on a map
FEWEST = 3  # two programs need no map
LARGEST = 900.0  # area of a bubble that stands for every output, in square points
PASSES, CLOSED, FAILS = "passes every test", "equal to the canon after repair", "does not pass"
KINDS = {PASSES: BLUE, CLOSED: GREEN, FAILS: ORANGE}

Floats = npt.NDArray[np.float64]


class Placed(NamedTuple):
    """Points in the plane, and by how much distances between them are off, over the distances themselves."""

    points: Floats
    off: float


def place(distances: Floats) -> Placed:
    """Classical scaling into two dimensions; the first far point of each lies on its positive side."""
    n = len(distances)
    centre = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(centre @ (-0.5 * distances**2) @ centre)
    points = np.zeros((n, 2))
    for axis, which in enumerate(np.argsort(-values, kind="stable")[:2]):
        column = vectors[:, which] * np.sqrt(max(float(values[which]), 0.0))
        far = int(np.argmax(np.round(np.abs(column), 9)))  # rounded: the last digits decide nothing
        points[:, axis] = -column if column[far] < 0 else column
    points = np.round(points, 6) + 0.0
    seen = np.sqrt(((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2))
    total = float(distances.sum())
    return Placed(points, float(np.abs(seen - distances).sum()) / total if total else 0.0)


class _Program(NamedTuple):
    """A distinct output of a cell, by one of its outputs."""

    form: str
    times: int
    passes: bool
    rescued: bool  # repair made it equal to the canon

    @property
    def kind(self) -> str:
        return CLOSED if self.rescued else PASSES if self.passes else FAILS


def draw_maps(pairs: Sequence[Pair]) -> Picture | None:
    """The cells with the most distinct outputs."""
    many = [(cell, anchor) for cell, anchor in pairs if len(cell.rung_counts(_rung(cell))) >= FEWEST]
    chosen = sorted(many, key=lambda pair: -len(pair[0].rung_counts(_rung(pair[0]))))[:MOST_MAPS]
    if not chosen:
        return None
    figure = new_figure(WIDTH, 0.5 + 3.7 * -(-len(chosen) // 3))
    grid = panel_grid(figure, len(chosen), sharey=False)
    for axes, pair in zip(grid, chosen, strict=True):
        _map(axes, *pair)
    draw_legend(figure, grid, 4)
    cells = [cell for cell, _ in chosen]
    noun = noun_of(cells)
    caption = (
        f"One bubble a distinct {noun} ({alike(cells)}), its area by how often it came; the cross is the canon, the "
        f"{noun} that the others are measured against. Those that lie near each other are alike; a line leads to "
        "the canon from those that repair made equal to it. Positions are approximate: distances in the plane are off "
        "by the part that is given below each map."
    )
    if len(many) > len(chosen):
        caption += f" Of {len(many)} cells with at least {FEWEST} {noun}s those with the most are shown."
    if any(len(cell.rung_counts(_rung(cell))) > MOST_PROGRAMS for cell, _ in chosen):
        caption += f" Of more than {MOST_PROGRAMS} {noun}s the most frequent are shown."
    alt = f"Maps of the distinct {noun}s of {len(chosen)} cells, placed by distance and sized by frequency."
    return Picture(f"A map of the distinct {noun}s", svg_later(figure), caption, alt)


def _rung(cell: Cell) -> str:
    return cell.levels[-1]


def _programs(cell: Cell, canon: str | None) -> list[_Program]:
    """Most frequent first."""
    level, classes = _rung(cell), cell.ladder[_rung(cell)]
    found = []
    for number, count in sorted(Counter(classes).items(), key=lambda item: (-item[1], item[0])):
        members = [output for output, which in zip(cell.outputs, classes, strict=True) if which == number]
        form = cell.form(members[0].code, level)
        passes = all(output.passed for output in members)
        rescued = canon is not None and any(
            cell.distance(output.code, canon, level) > 0
            and cell.distance(cell.repaired(output), canon, level) == 0
            for output in members
        )
        found.append(_Program(form, count, passes, rescued))
    return found[:MOST_PROGRAMS]


def _map(axes: Axes, cell: Cell, anchor: Anchor) -> None:
    code = None if anchor.canon is None else anchor.canon.code
    programs = _programs(cell, code)
    forms = [program.form for program in programs]
    if code is not None:
        forms.append(cell.form(code, _rung(cell)))
    placed = place(distance_matrix(forms))
    points = placed.points
    if code is not None:
        for program, point in zip(programs, points, strict=False):
            if program.rescued:
                axes.plot(
                    *zip(point, points[-1], strict=True), color=GREEN, linewidth=1.1, alpha=0.8, zorder=1
                )
    for words, colour in KINDS.items():
        here = [i for i, program in enumerate(programs) if program.kind == words]
        if here:
            areas = [max(14.0, LARGEST * programs[i].times / cell.n) for i in here]
            style: dict[str, Any] = {"color": colour, "alpha": 0.75, "edgecolors": INK, "linewidths": 0.5}
            axes.scatter(points[here, 0], points[here, 1], s=areas, zorder=2, **style)
            axes.scatter([], [], s=60, label=words, **style)
    if code is not None:
        x, y = points[-1]
        axes.scatter([x], [y], s=46, marker="x", color=INK, linewidths=1.6, zorder=3, label="canon")
    _frame(axes, points)
    distinct = len(cell.rung_counts(_rung(cell)))
    where = f"{label(cell.key.contract, 22)} · {condition_text(cell.key)}"
    size = f"{distinct} {cell.kind.noun}s in {cell.n}; distances off by {placed.off:.0%}"
    axes.set_title(f"{where}\n{label(cell.key.subject, 34)}", fontsize=9.5)
    axes.set_xlabel(size, fontsize=8.5)


def _frame(axes: Axes, points: Floats) -> None:
    """A square with room for the bubbles, the same scale in both directions."""
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    half = max(float((points.max(axis=0) - points.min(axis=0)).max()) / 2 * 1.35, 0.05)
    axes.set_xlim(middle[0] - half, middle[0] + half)
    axes.set_ylim(middle[1] - half, middle[1] + half)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set(visible=True, alpha=0.25)
