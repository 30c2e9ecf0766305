"""The three pictures of repeatability: how often the same program, how far from the canon, which programs."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from assay.instruments.presentation import (
    INK,
    PALETTE,
    Box,
    Picture,
    draw_blocks,
    draw_legend,
    label,
    name_rows,
    new_figure,
    svg_text,
)
from assay.vocabulary import Measure, Result

from .cells import Anchor, Cell, CellKey
from .normalisation import ast_key

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LEVEL", "Found", "draw_distances", "draw_programs", "draw_temperatures", "named"]

LEVEL = "ast"  # of the headline; level text stands among all measures
MOST_ROWS = 120
MOST_COLUMNS = 3
RARE = Fraction(1, 50)  # narrower blocks could not be told apart
BLUE, ORANGE, SKY = PALETTE[0], PALETTE[1], PALETTE[4]
MARKERS = "osD^vPX"


class Found:
    """The result's measures by name, cell and level."""

    def __init__(self, result: Result) -> None:
        self._by: dict[tuple[object, ...], Measure] = {}
        for measure in result.measures:
            where = (measure.labels.get(k) for k in ("contract", "model", "temperature", "level"))
            self._by[(measure.name, *where)] = measure

    def get(self, name: str, key: CellKey, level: str | None = None) -> Measure | None:
        return self._by.get((name, key.contract, key.model, key.temperature, level))

    def first(self, name: str, label: str) -> float | None:
        """A setting that is the same in every cell, from the first measure that carries it."""
        values = (m.labels[label] for m in self._by.values() if m.name == name and label in m.labels)
        value = next(values, None)
        return None if value is None else float(value)

    @property
    def confidence(self) -> float | None:
        return next((m.confidence for m in self._by.values() if m.confidence is not None), None)


def named(names: Sequence[str], many: str) -> str:
    """Up to four by name, more by number."""
    names = list(dict.fromkeys(names))
    if len(names) > 4:
        return f"{len(names)} {many}"
    return (
        names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else f"no {many}"
    )


def draw_temperatures(found: Found, cells: Sequence[Cell]) -> Picture | None:
    """R by temperature: the mean over contracts per model, each contract as a small dot."""
    names = (("R_raw", None, "R_raw: same bytes"), ("R_ast", None, "R_ast: same syntax tree"))
    panels = [*names, ("R_anchor_pre", LEVEL, f"R_anchor_pre ({LEVEL}): same as the canon")]
    models = list(dict.fromkeys(cell.key.model for cell in cells))
    degrees = sorted({_temperature(cell.key) for cell in cells})
    if not any(cell.n for cell in cells):
        return None
    figure = new_figure(9.6, 3.7)
    grid = figure.subplots(1, len(panels), sharey=True)
    for axes, (name, level, title) in zip(grid, panels, strict=True):
        axes.set_title(title, pad=10)
        by_key = {cell.key: found.get(name, cell.key, level) for cell in cells}
        _panel(axes, models, degrees, by_key)
    draw_legend(figure, grid[0], 3)
    caption = (
        "Large marks: the mean over contracts; bars: the contracts' own intervals, averaged. Small dots: "
        "single contracts. At 1 every answer is the same; cells without a canon are left out on the right."
    )
    who = named(models, "models")
    alt = f"Share of identical programs by temperature for {who}; the numbers are in the table."
    return Picture("How often the same program comes back", svg_text(figure), caption, alt)


def _panel(
    axes: Axes, models: Sequence[str], degrees: Sequence[float], measures: dict[CellKey, Measure | None]
) -> None:
    step = min(0.13 if len(degrees) > 1 else 1.0, 0.7 / len(models))
    for place, model in enumerate(models):
        shift = (place - (len(models) - 1) / 2) * step
        points = []
        for x, degree in enumerate(degrees):
            here = [m for k, m in measures.items() if k.model == model and _temperature(k) == degree]
            points += _point(axes, x + shift, here, place)
        colour, width = PALETTE[place % len(PALETTE)], 1.3 if len(points) > 1 else 0.0
        marker = MARKERS[(place + place // len(PALETTE)) % len(MARKERS)]
        axes.plot(
            *_columns(points), marker=marker, markersize=6, label=label(model), color=colour, linewidth=width
        )
    if not axes.collections:
        text = "not established:\nno canon"
        axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", alpha=0.7)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlim(-0.5, len(degrees) - 0.5)
    axes.set_xticks(range(len(degrees)), ["default" if d < 0 else f"{d:g}" for d in degrees])
    axes.set_xlabel("temperature")
    axes.grid(axis="y")


def _temperature(key: CellKey) -> float:
    return -1.0 if key.temperature is None else key.temperature


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _point(axes: Axes, x: float, measures: Sequence[Measure | None], place: int) -> list[tuple[float, float]]:
    """Draw one model at one temperature; returns where its mark goes, if there is anything to mark."""
    got = [m for m in measures if m is not None and m.value is not None]
    values = [m.value for m in got if m.value is not None]
    if not values:
        return []
    colour = PALETTE[place % len(PALETTE)]
    if len(values) > 1:
        axes.scatter([x] * len(values), values, s=9, color=colour, alpha=0.35, linewidths=0)
    low = statistics.fmean(m.low if m.low is not None else 0.0 for m in got)
    high = statistics.fmean(m.high if m.high is not None else 1.0 for m in got)
    axes.vlines(x, low, high, color=colour, linewidth=1.6, alpha=0.75)
    return [(x, statistics.fmean(values))]


def draw_distances(found: Found, pairs: Sequence[tuple[Cell, Anchor]]) -> Picture | None:
    """A row per model and temperature: how many equal the canon, and how the others are spread."""
    groups: dict[tuple[str, float], list[Fraction]] = {}
    for cell, anchor in pairs:
        if anchor.canon is not None:
            code = anchor.canon.code
            reach = [cell.distance(output.code, code, LEVEL) for output in cell.outputs]
            groups.setdefault((cell.key.model, _temperature(cell.key)), []).extend(reach)
    if not groups:
        return None
    tau = Fraction(str(found.first("P_tau_pre", "tau") or 0))
    chosen = sorted(groups)[:MOST_ROWS]
    figure = new_figure(9.6, 1.25 + 0.3 * len(chosen))
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.25), sharey=True)
    same, near, far, bars = [], [], [], []
    for y, group in enumerate(chosen):
        reach = groups[group]
        n = len(reach)
        zero, close = sum(d == 0 for d in reach) / n, sum(0 < d <= tau for d in reach) / n
        same.append((0.0, y - 0.32, zero, 0.64))
        near.append((zero, y - 0.32, close, 0.64))
        far.append((zero + close, y - 0.32, 1 - zero - close, 0.64))
        counts = Counter(min(int(d * 40), 39) for d in reach if d > 0)
        most = max(counts.values(), default=1)
        bars += [
            (b / 40, y + 0.36, 1 / 40 * 0.9, -0.74 * count / most) for b, count in sorted(counts.items())
        ]
    draw_blocks(left, same, "equal to the canon", color=BLUE)
    draw_blocks(left, near, f"within {float(tau):g}", color=SKY)
    draw_blocks(left, far, "farther away", color=ORANGE)
    draw_blocks(right, bars, "", color=ORANGE)
    right.hlines([y + 0.36 for y in range(len(chosen))], 0, 1, color=INK, linewidth=0.5, alpha=0.3)
    name_rows(left, _group_labels(chosen))
    for axes, title in ((left, "share of outputs"), (right, "distance of those that differ")):
        axes.set_title(title)
        axes.set_xlim(0, 1)
    right.spines["left"].set_visible(False)
    right.tick_params(axis="y", length=0)
    if tau:
        right.axvline(float(tau), color=INK, linewidth=0.8, linestyle=(0, (3, 3)), alpha=0.5)
    draw_legend(figure, left, 3)
    caption = (
        "Left: how the outputs of all contracts that have a canon divide. Right: the outputs that differ, by "
        f"distance (level {LEVEL}), each row scaled to its own peak; the dashed line is tau."
    )
    if without := sum(anchor.canon is None for _, anchor in pairs):
        caption += f" {without} of {len(pairs)} cells have no canon and are not part of it."
    if len(groups) > MOST_ROWS:
        caption += f" The first {MOST_ROWS} of {len(groups)} rows are shown."
    alt = f"Distances to the canon for {len(chosen)} groups of outputs; means and shares are in the table."
    return Picture("How far the outputs lie from the canon", svg_text(figure), caption, alt)


def _group_labels(groups: Sequence[tuple[str, float]]) -> list[str]:
    """What tells the rows apart: the model, the temperature, or both."""
    if len({model for model, _ in groups}) == 1:
        return [_at(degree) for _, degree in groups]
    if len({degree for _, degree in groups}) == 1:
        return [label(model) for model, _ in groups]
    return [f"{label(model, 28)} · {_at(degree)}" for model, degree in groups]


def _at(degree: float) -> str:
    return "T default" if degree < 0 else f"T {degree:g}"


def draw_programs(pairs: Sequence[tuple[Cell, Anchor]]) -> Picture | None:
    """A strip per cell: a block per distinct program, as wide as its share, coloured by whether it passes."""
    if not pairs:
        return None
    models = list(dict.fromkeys(cell.key.model for cell, _ in pairs))
    rows = sorted({(cell.key.contract, _temperature(cell.key)) for cell, _ in pairs})
    shown = {row: y for y, row in enumerate(rows[:MOST_ROWS])}
    degrees = len({degree for _, degree in rows}) > 1
    names = [_row_label(rows, y, degrees=degrees) for y in shown.values()]
    lines = -(-len(models) // MOST_COLUMNS)
    figure = new_figure(9.6, 0.5 + lines * (0.7 + 0.25 * len(shown)))
    spare = iter(figure.subplots(lines, min(len(models), MOST_COLUMNS), sharey=True, squeeze=False).flat)
    grid = []
    for model, axes in zip(models, spare, strict=False):
        mine = [(cell, shown.get((cell.key.contract, _temperature(cell.key)))) for cell, _ in pairs]
        _strips(axes, [(cell, y) for cell, y in mine if cell.key.model == model and y is not None])
        axes.set_title(label(model, 28))
        name_rows(axes, names)
        grid.append(axes)
    for axes in spare:
        axes.set_visible(False)
    draw_legend(figure, _fullest(grid), 4)
    caption = (
        "One strip a cell, one block a distinct program (same syntax tree), as wide as its share of the "
        "outputs; the number of distinct programs stands at the end. One long block: always the same program."
    )
    if any(", rare" in name for axes in grid for name in axes.get_legend_handles_labels()[1]):
        caption += (
            f" Programs with less than {float(RARE):g} of the outputs each are one pale block together."
        )
    if len(rows) > MOST_ROWS:
        caption += f" The first {MOST_ROWS} of {len(rows)} rows are shown."
    alt = f"Distinct programs and their share in {len(pairs)} cells, by whether they pass."
    return Picture("Which programs came", svg_text(figure), caption, alt)


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


def _fullest(grid: Sequence[Axes]) -> Axes:
    return max(grid, key=lambda axes: len(axes.get_legend_handles_labels()[0]))


def _row_label(rows: Sequence[tuple[str, float]], y: int, *, degrees: bool) -> str:
    contract, degree = rows[y]
    if not degrees:
        return contract
    at = _at(degree)
    return f"{label(contract, 28)} · {at}" if y == 0 or rows[y - 1][0] != contract else at


def _strip(cell: Cell, y: int) -> tuple[list[tuple[tuple[bool, bool], Box]], int]:
    """Blocks from the left, passing before failing, most frequent first, each with (passed, rare).

    Programs too rare to be told apart are one block together.
    """
    keys = {output.code: ast_key(output.code) for output in cell.outputs}
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
