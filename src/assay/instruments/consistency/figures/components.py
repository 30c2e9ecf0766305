"""The components of M5 by subject, and how long repairs took."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.measures.shares import COMPONENTS, ConsistencySettings
from assay.report.presentation import (
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

from .subjects import SubjectMeasures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "BLUE",
    "GREEN",
    "MOST_PANELS",
    "MOST_ROWS",
    "NAMES",
    "ORANGE",
    "draw_components",
    "draw_latency",
    "panels",
]

BLUE, ORANGE, GREEN = PALETTE[0], PALETTE[1], PALETTE[2]
NAMES = {"O": "order O", "F": "refusal F", "R": "repair R", "P": "promises P", "L": "lexicon L"}
MOST_PANELS = 6
MOST_ROWS = 40
FINEST = 0.01  # seconds: the left end of the axis
BINS = 48


def panels(figure: Figure, count: int, most: int = 3) -> list[Axes]:
    """As many axes as asked for, in lines of a few, sharing their rows."""
    lines, columns = -(-count // most), min(count, most)
    grid = list(figure.subplots(lines, columns, sharey=True, squeeze=False).flat)
    for axes in grid[count:]:
        axes.set_visible(False)
    return grid[:count]


def draw_components(found: SubjectMeasures, settings: ConsistencySettings) -> Picture | None:
    """A panel a subject: bars as long as the component, as thick as its weight, with intervals."""
    chosen = [name for name in found.subjects if found.measure(name, "M5").value is not None]
    if not chosen:
        return None
    shown = chosen[:MOST_PANELS]
    weights = {name: float(settings.weights[name]) for name in COMPONENTS}
    lines = -(-len(shown) // 3)
    figure = new_figure(9.6, 0.7 + 2.2 * lines)
    grid = panels(figure, len(shown))
    middles = _middles(weights)
    for axes, subject in zip(grid, shown, strict=True):
        _bars(axes, found, subject, weights, middles)
    grid[0].set_yticks(
        [middles[name] for name in COMPONENTS],
        [f"{NAMES[name]} · {weights[name]:.2f}" for name in COMPONENTS],
    )
    grid[0].set_ylim(1.16, -0.02)
    values = [f"{subject}: {_listed(found, subject)}" for subject in shown]
    caption = (
        "A bar is as long as the component's value and as thick as its weight in M5, so that the coloured area is M5 "
        "(where all were tested). Lines are intervals. The numbers beside the names are the weights."
    )
    if len(chosen) > len(shown):
        caption += f" The first {len(shown)} of {len(chosen)} subjects are shown; the table above has all."
    return Picture("What identity is made of", svg_text(figure), caption, "; ".join(values))


def _middles(weights: Mapping[str, float]) -> dict[str, float]:
    """Where each bar has its middle, from the top, with gaps between them."""
    at, middles = 0.0, {}
    for name in COMPONENTS:
        middles[name] = at + weights[name] / 2
        at += weights[name] + 0.035
    return middles


def _bars(
    axes: Axes,
    found: SubjectMeasures,
    subject: str,
    weights: Mapping[str, float],
    middles: Mapping[str, float],
) -> None:
    full: list[Box] = []
    rest: list[Box] = []
    for name in COMPONENTS:
        measure, y, weight = found.measure(subject, name), middles[name], weights[name]
        rest.append((0.0, y - weight / 2, 1.0, weight))
        if measure.value is None:
            axes.text(0.5, y, "not tested", ha="center", va="center", fontsize=8.5, alpha=0.8)
            continue
        full.append((0.0, y - weight / 2, measure.value, weight))
        axes.text(1.03, y, f"{measure.value:.2f}, n = {measure.n}", va="center", fontsize=8.5, alpha=0.85)
        if measure.low is not None and measure.high is not None:
            axes.hlines(y, measure.low, measure.high, color=INK, linewidth=1.2)
            axes.vlines([measure.low, measure.high], y - 0.025, y + 0.025, color=INK, linewidth=1.2)
    draw_blocks(axes, rest, "", color=INK, alpha=0.07)
    draw_blocks(axes, full, "", color=BLUE, alpha=0.75)
    axes.set_title(label(subject, 30))
    axes.set_xlim(0, 1.4)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_bounds(0, 1)


def _listed(found: SubjectMeasures, subject: str) -> str:
    values = [(NAMES[name], found.measure(subject, name).value) for name in COMPONENTS]
    return ", ".join(f"{name} {'not tested' if value is None else f'{value:.2f}'}" for name, value in values)


def draw_latency(
    repairs: Mapping[str, Sequence[ReplyJudgement]], settings: ConsistencySettings
) -> Picture | None:
    """A row a subject: the times of its repairs, and Δ. ``repairs`` are the outcomes of M3. None without a time."""
    asked = {subject: outcomes for subject, outcomes in repairs.items() if outcomes}
    times = {s: [o.seconds for o in outcomes if o.seconds is not None] for s, outcomes in asked.items()}
    if not any(times.values()):
        return None
    shown = list(asked)[:MOST_ROWS]
    delta = float(settings.delta)
    longest = max([delta, 10 * FINEST, *(time for subject in shown for time in times[subject])])
    figure = new_figure(9.6, 1.5 + 0.5 * len(shown))
    axes = figure.subplots()
    right = math.log10(longest * 1.6 / FINEST)
    missing = [_untimed(asked[subject]) for subject in shown]
    _times(axes, [times[subject] for subject in shown], missing, delta, right)
    axes.axvline(_place(delta), color=INK, linewidth=1, linestyle=(0, (4, 3)), label=f"Δ = {delta:g} s")
    name_rows(axes, shown)
    ticks = [10.0**power for power in range(-2, 7) if 10.0**power <= longest * 1.6]
    axes.set_xticks([_place(tick) for tick in ticks], [f"{tick:g} s" for tick in ticks])
    axes.set_xlim(-0.04 * right, right)
    draw_legend(figure, axes, 4)
    counts = [f"{label(subject)}: {len(times[subject])} of {len(asked[subject])}" for subject in shown]
    caption = (
        "Every repair by the time the subject took for it, on a scale where each step is ten times the one before; "
        f"{FINEST:g} s or less stands at the left end. Blocks are stacked and each row is scaled to its own peak. "
        "Replies that did not repair have no time here and are no part of the mean."
    )
    if len(asked) > len(shown):
        caption += f" The first {len(shown)} of {len(asked)} subjects are shown."
    alt = f"Repairs with a time among planted mistakes: {'; '.join(counts)}."
    return Picture("How long repairs took", svg_text(figure), caption, alt)


def _place(seconds: float) -> float:
    return math.log10(max(seconds, FINEST) / FINEST)


def _untimed(outcomes: Sequence[ReplyJudgement]) -> str:
    """Why a row has no times."""
    if any(outcome.success for outcome in outcomes):
        return "no reply carries a time"
    if len(outcomes) == 1:
        return "the planted mistake was not repaired"
    return f"none of {len(outcomes)} mistakes was repaired"


def _times(
    axes: Axes, rows: Sequence[Sequence[float]], untimed: Sequence[str], delta: float, right: float
) -> None:
    early: list[Box] = []
    late: list[Box] = []
    means: list[tuple[float, float]] = []
    step = right / BINS
    for y, (times, why) in enumerate(zip(rows, untimed, strict=True)):
        axes.hlines(y + 0.3, 0, right, color=INK, linewidth=0.5, alpha=0.4)
        if not times:
            axes.text(0.02 * right, y + 0.02, why, va="center", fontsize=8.5, alpha=0.8)
            continue
        bins = Counter(int(_place(time) / step) for time in times)
        over = Counter(int(_place(time) / step) for time in times if time > delta)
        each = 0.62 / max(bins.values())
        for at, count in sorted(bins.items()):
            top, height = y + 0.3 - each * count, each * over[at]  # late ones stand on those in time
            late += [(at * step, top, 0.86 * step, height)] if height else []
            early += (
                [(at * step, top + height, 0.86 * step, each * count - height)] if count > over[at] else []
            )
        means.append((_place(math.fsum(times) / len(times)), y + 0.3))
    draw_blocks(axes, early, "within Δ", color=BLUE, alpha=0.75)
    draw_blocks(axes, late, "later", color=ORANGE)
    axes.plot(
        [x for x, _ in means],
        [y for _, y in means],
        marker="^",
        linestyle="none",
        color=INK,
        markersize=6,
        label="mean",
    )
