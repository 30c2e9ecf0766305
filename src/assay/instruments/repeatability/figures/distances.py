"""How far the outputs lie from the canon, before and after repair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from assay.report.figures.drawing import (
    BLUE,
    INK,
    ORANGE,
    SKY,
    WIDTH,
    Box,
    draw_blocks,
    draw_legend,
    name_rows,
    new_figure,
    svg_later,
)
from assay.report.presentation import Picture
from assay.report.wording import first_of

from .cell_measures import CellMeasures
from .groups import MOST_ROWS, CellGroup, Pair, condition_labels, group_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_distances"]

BINS = 40


class _Moved(NamedTuple):
    """The distances of a group's outputs to their canons."""

    before: list[Fraction]
    after: list[Fraction]


def draw_distances(found: CellMeasures, pairs: Sequence[Pair]) -> Picture | None:
    """A row per subject and condition: how many equal the canon, how the others are spread, and what repair changes."""
    groups = _moved(pairs)
    if not groups:
        return None
    repaired = found.repaired
    tau = Fraction(str(found.tau or 0))
    chosen = sorted(groups)[:MOST_ROWS]
    figure = new_figure(WIDTH, 1.25 + (0.42 if repaired else 0.3) * len(chosen))
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.1), sharey=True)
    _shares(left, [groups[group] for group in chosen], tau, repaired=repaired)
    _spread(right, [groups[group] for group in chosen], tau, repaired=repaired)
    labels = condition_labels(chosen)
    name_rows(left, [labels[group] for group in chosen])
    draw_legend(figure, left, 3)
    alt = f"Distances to the canon for {len(chosen)} groups of outputs; means and shares are among the measures."
    caption = f"{_caption(pairs, repaired=repaired)} {first_of(len(chosen), len(groups), 'rows')}".strip()
    title = "How far the outputs lie from the canon"
    return Picture(
        f"{title}, before and after repair" if repaired else title, svg_later(figure), caption, alt
    )


def _moved(pairs: Sequence[Pair]) -> dict[CellGroup, _Moved]:
    groups: dict[CellGroup, _Moved] = {}
    for cell, anchor in pairs:
        if anchor.canon is not None:
            level, code = cell.levels[-1], anchor.canon.code
            moved = groups.setdefault(group_of(cell.key), _Moved([], []))
            moved.before.extend(cell.distance(output.code, code, level) for output in cell.outputs)
            moved.after.extend(cell.distance(cell.repaired(output), code, level) for output in cell.outputs)
    return groups


def _caption(pairs: Sequence[Pair], *, repaired: bool) -> str:
    level = " or ".join(dict.fromkeys(cell.levels[-1] for cell, _ in pairs))
    caption = (
        "Left: how the outputs of all contracts that have a canon divide. Right: the outputs that differ, by distance "
        f"(0 the same, 1 nothing in common; level {level}), each row scaled to its own peak; the dashed line is tau."
    )
    if repaired:
        caption += (
            " The upper bar of a row is before repair, the lower one after it, and the numbers are the share that "
            "equals the canon before and after. On the right, outputs stand above the line before repair, below it "
            "after. Outputs that do not pass are not repaired and stay where they are."
        )
    if without := sum(anchor.canon is None for _, anchor in pairs):
        caption += f" {without} of {len(pairs)} cells have no canon and are not part of it."
    return caption


def _divided(reach: Sequence[Fraction], tau: Fraction) -> tuple[float, float, float]:
    """The shares that equal the canon, lie near it, and lie farther away."""
    same, near = sum(d == 0 for d in reach), sum(0 < d <= tau for d in reach)
    return same / len(reach), near / len(reach), (len(reach) - same - near) / len(reach)


def _shares(axes: Axes, rows: Sequence[_Moved], tau: Fraction, *, repaired: bool) -> None:
    boxes: tuple[list[Box], list[Box], list[Box]] = ([], [], [])
    for y, moved in enumerate(rows):
        bars = [(moved.before, y - 0.36, 0.32), (moved.after, y + 0.02, 0.32)]
        for reach, top, height in bars if repaired else [(moved.before, y - 0.32, 0.64)]:
            start = 0.0
            for kind, share in zip(boxes, _divided(reach, tau), strict=True):
                kind.append((start, top, share, height))
                start += share
        if repaired:
            before, after = (_divided(reach, tau)[0] for reach in moved)
            axes.text(1.02, y, f"{before:.2f} → {after:.2f}", va="center", fontsize=8.5, alpha=0.85)
    for place, (words, colour) in enumerate((("equal", BLUE), ("near", SKY), ("farther away", ORANGE))):
        draw_blocks(axes, boxes[place], f"{words} (distance {_range(place, tau)})", color=colour)
    axes.set_title("share of outputs")
    axes.set_xlim(0, 1.24 if repaired else 1.0)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
    axes.spines["bottom"].set_bounds(0, 1)


def _range(place: int, tau: Fraction) -> str:
    return ("0", f"up to tau = {float(tau):g}", f"more than {float(tau):g}")[place]


def _spread(axes: Axes, rows: Sequence[_Moved], tau: Fraction, *, repaired: bool) -> None:
    up: list[Box] = []
    down: list[Box] = []
    for y, moved in enumerate(rows):
        before, after = (Counter(min(BINS - 1, int(d * BINS)) for d in reach if d > 0) for reach in moved)
        peak = max([*before.values(), *after.values()], default=1)
        room = 0.42 if repaired else 0.68
        base = y if repaired else y + 0.36
        up += [
            (b / BINS, base - room * c / peak, 0.9 / BINS, room * c / peak) for b, c in sorted(before.items())
        ]
        if repaired:
            down += [(b / BINS, base, 0.9 / BINS, room * c / peak) for b, c in sorted(after.items())]
        axes.hlines(base, 0, 1, color=INK, linewidth=0.5, alpha=0.4)
    draw_blocks(axes, up, "", color=ORANGE, alpha=0.6 if repaired else 1.0)
    draw_blocks(axes, down, "", color=ORANGE)
    axes.set_title("distance of those that differ")
    axes.set_xlim(0, 1)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if tau:
        axes.axvline(float(tau), color=INK, linewidth=0.8, linestyle=(0, (3, 3)), alpha=0.5)
