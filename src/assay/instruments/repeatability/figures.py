"""What repeatability shows people: the headline table, three pictures, the outputs that differ most.

One file longer than usual: a picture and the table it stands beside are read, and changed, together.
"""

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
    Cellish,
    Comparison,
    Headline,
    Number,
    Picture,
    Presentation,
    draw_blocks,
    draw_legend,
    drawing,
    label,
    name_rows,
    new_figure,
    shorten,
    svg_text,
)
from assay.vocabulary import Measure, Result

from .cells import Anchor, Cell, CellKey
from .normalisation import ast_key

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["present"]

LEVEL = "ast"  # of the headline; level text stands among all measures
MOST_COMPARISONS = 3
MOST_ROWS = 120  # of a picture
MOST_COLUMNS = 3
BLUE, ORANGE, GREEN, SKY = PALETTE[0], PALETTE[1], PALETTE[2], PALETTE[4]
MARKERS = "osD^vPX"

COLUMNS = (
    ("pass rate", "pass_rate", None),
    ("R_raw", "R_raw", None),
    ("R_ast", "R_ast", None),
    (f"R_anchor_pre ({LEVEL})", "R_anchor_pre", LEVEL),
    (f"mu_pre ({LEVEL})", "mu_pre", LEVEL),
    (f"P_tau_pre ({LEVEL})", "P_tau_pre", LEVEL),
)
EXPLAIN = (
    ("contract", "The program that was asked for, with the tests that decide whether an answer works."),
    ("T", "The sampling temperature. At 0 a model is asked for its single most likely answer."),
    ("n", "How many times the same request was answered in this cell."),
    ("pass rate", "The share of answers that pass every test of the contract. 1 is best."),
    (
        "R_raw",
        "The share of the most common answer, compared byte for byte. 1: always the same; 1/n: never twice.",
    ),
    (
        "R_ast",
        "The same, but layout and comments do not count: programs with the same syntax tree are the same.",
    ),
    (
        "R_anchor_pre (ast)",
        "The share of answers that equal the canon, before any repair. The canon is the first answer that "
        "passes every test. Level ast: layout, comments and docstrings do not count.",
    ),
    (
        "mu_pre (ast)",
        "How far answers lie from the canon on average: 0 is the same text, 1 nothing in common.",
    ),
    ("P_tau_pre (ast)", "The share of answers within the distance tau of the canon: the same, or nearly so."),
    (
        "interval",
        "The range, beside each value, that the data leave open for the true value. Few answers, wide range. "
        "Intervals against the canon come from the answers after it only, so a value may lie near or past "
        "their end.",
    ),
    (
        "—",
        "Not established: where no answer passes there is no canon, and nothing can be measured against it.",
    ),
)


def present(result: Result, cells: Sequence[Cell], anchors: Sequence[Anchor]) -> Presentation:
    """Everything to look at. ``cells`` and ``anchors`` go together, in the order of the result."""
    found = _Found(result)
    pairs = list(zip(cells, anchors, strict=True))
    measured = [(cell, anchor) for cell, anchor in pairs if cell.n]
    with drawing():
        pictures = [_by_temperature(found, cells), _distances(found, measured), _programs(measured)]
    return Presentation(
        headline=_headline(found, cells),
        summary=_summary(found, pairs),
        pictures=tuple(picture for picture in pictures if picture is not None),
        comparisons=_comparisons(measured),
        explain=EXPLAIN,
    )


class _Found:
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


# Words and the table.


def _headline(found: _Found, cells: Sequence[Cell]) -> Headline:
    rows: list[tuple[Cellish, ...]] = []
    for cell in cells:
        numbers = [_number(found.get(name, cell.key, level), cell.n) for _, name, level in COLUMNS]
        rows.append((cell.key.contract, cell.key.model, _degree(cell.key), str(cell.n), *numbers))
    tau, confidence = found.first("P_tau_pre", "tau"), found.confidence
    caption = f"Measures against the canon are at level {LEVEL}."
    if tau is not None:
        caption += f" Near the canon means a distance of at most {tau:g}."
    if confidence is not None:
        caption += f" Ranges are {confidence:.0%} intervals."
    columns = ("contract", "model", "T", "n", *(title for title, _, _ in COLUMNS))
    return Headline("Repeatability by contract, model and temperature", columns, tuple(rows), caption)


def _number(measure: Measure | None, n: int) -> Number:
    if measure is None:
        return Number(None, n=n, note="not measured")
    note = "; ".join(measure.notes)
    return Number(measure.value, measure.low, measure.high, measure.n, measure.flags, note)


def _degree(key: CellKey) -> str:
    return "default" if key.temperature is None else f"{key.temperature:g}"


def _cell_title(key: CellKey) -> str:
    return f"{key.contract}, {key.model}, T {_degree(key)}"


def _named(names: Sequence[str], many: str) -> str:
    names = list(dict.fromkeys(names))
    if len(names) > 4:
        return f"{len(names)} {many}"
    return (
        names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else f"no {many}"
    )


def _summary(found: _Found, pairs: Sequence[tuple[Cell, Anchor]]) -> tuple[str, ...]:
    cells = [cell for cell, _ in pairs if cell.n]
    if not cells:
        return ("There are no outputs, so nothing is established.",)
    sizes = sorted({cell.n for cell in cells})
    times = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    degrees = sorted({cell.key.temperature for cell in cells if cell.key.temperature is not None})
    at = f" at {_named([f'T {d:g}' for d in degrees], 'temperatures')}" if degrees else ""
    outputs, passed = sum(cell.n for cell in cells), sum(o.passed for c in cells for o in c.outputs)
    lines = [
        f"{_named([c.key.model for c in cells], 'models')} answered "
        f"{_named([c.key.contract for c in cells], 'contracts')}{at}, {times} times each: "
        f"{outputs} outputs in {len(cells)} {'cell' if len(cells) == 1 else 'cells'}. "
        f"{passed} of them pass every test ({passed / outputs:.1%})."
    ]
    same = [(m.value, c.key) for c in cells if (m := found.get("R_ast", c.key)) and m.value is not None]
    if same:
        (low, where), high = min(same), max(same)[0]
        middle = statistics.median(value for value, _ in same)
        text = f"The most common program makes up {middle:.3f} of a cell's outputs"
        if low < high:
            text += f" in the median cell, from {low:.3f} ({_cell_title(where)}) to {high:.3f}"
        lines.append(text + " (R_ast).")
    without = sum(anchor.canon is None for _, anchor in pairs)
    if without == len(pairs):
        lines.append("No output passes, so there is no canon, and no measure against it is established.")
    elif without:
        lines.append(
            f"In {without} of {len(pairs)} cells no output passes; there the measures against a canon are "
            "not established."
        )
    return tuple(lines)


def _comparisons(pairs: Sequence[tuple[Cell, Anchor]]) -> tuple[Comparison, ...]:
    """The output farthest from the canon in each cell; of those, the farthest."""
    farthest = []
    for position, (cell, anchor) in enumerate(pairs):
        if anchor.canon is not None:
            code = anchor.canon.code
            reach = [cell.distance(output.code, code, "text") for output in cell.outputs]
            far = max(reach)
            if far > 0:
                farthest.append((-far, position, reach.index(far)))
    return tuple(_comparison(*pairs[p], i, -d) for d, p, i in sorted(farthest)[:MOST_COMPARISONS])


def _comparison(cell: Cell, anchor: Anchor, index: int, far: Fraction) -> Comparison:
    assert anchor.canon is not None
    output = cell.outputs[index]
    left, right = shorten(anchor.canon.code), shorten(output.code)
    said = [f"{which}: {s}" for which, s in (("canon", left.said), ("output", right.said)) if s]
    origin = anchor.source
    if anchor.index is not None:
        origin = f"repetition {cell.outputs[anchor.index].repetition}"
    return Comparison(
        title=_cell_title(cell.key),
        left_label=f"canon ({origin})",
        right_label=f"repetition {output.repetition} ({output.state}, {output.tests_passed}/{output.tests} tests)",
        left=left.text,
        right=right.text,
        note="; ".join([f"distance {float(far):.3f} (level text), the farthest in its cell", *said]) + ".",
    )


# Pictures.


def _by_temperature(found: _Found, cells: Sequence[Cell]) -> Picture | None:
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
    who = _named(models, "models")
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


def _distances(found: _Found, pairs: Sequence[tuple[Cell, Anchor]]) -> Picture | None:
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


def _programs(pairs: Sequence[tuple[Cell, Anchor]]) -> Picture | None:
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
    draw_legend(figure, _fullest(grid), 2)
    caption = (
        "One strip a cell, one block a distinct program (same syntax tree), as wide as its share of the "
        "outputs; the number of distinct programs stands at the end. One long block: always the same program."
    )
    if len(rows) > MOST_ROWS:
        caption += f" The first {MOST_ROWS} of {len(rows)} rows are shown."
    alt = f"Distinct programs and their share in {len(pairs)} cells, by whether they pass."
    return Picture("Which programs came", svg_text(figure), caption, alt)


def _strips(axes: Axes, cells: Sequence[tuple[Cell, int]]) -> None:
    boxes: dict[bool, list[Box]] = {True: [], False: []}
    for cell, y in cells:
        blocks, distinct = _strip(cell, y)
        for passed, box in blocks:
            boxes[passed].append(box)
        axes.text(1.015, y, str(distinct), va="center", fontsize=8.5, alpha=0.8)
    draw_blocks(axes, boxes[True], "passes every test", color=BLUE)
    draw_blocks(axes, boxes[False], "does not pass", color=ORANGE)
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


def _strip(cell: Cell, y: int) -> tuple[list[tuple[bool, Box]], int]:
    """Blocks from the left: passing before failing, most frequent first. Slivers are drawn without a gap."""
    keys = {output.code: ast_key(output.code) for output in cell.outputs}
    counts = Counter((not output.passed, keys[output.code]) for output in cell.outputs)
    ordered = sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    blocks, x = [], 0.0
    gap = 0.008 if len(ordered) <= 40 else 0.0
    for (failed, _), count in ordered:
        width = count / cell.n
        blocks.append((not failed, (x, y - 0.3, max(width - gap, width * 0.5), 0.6)))
        x += width
    return blocks, len(set(keys.values()))
