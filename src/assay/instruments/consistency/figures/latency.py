"""How long repairs took, by subject."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.measures.shares import ConsistencySettings
from assay.report.figures.drawing import (
    BLUE,
    INK,
    ORANGE,
    WIDTH,
    Box,
    draw_blocks,
    draw_legend,
    name_rows,
    new_figure,
    svg_later,
)
from assay.report.presentation import Picture
from assay.report.text import label
from assay.report.wording import first_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_latency"]

MOST_ROWS = 40
FINEST = 0.01  # seconds: the left end of the axis
BINS = 48


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
    figure = new_figure(WIDTH, 1.5 + 0.5 * len(shown))
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
    said = " ".join(filter(None, (caption, first_of(len(shown), len(asked), "subjects"))))
    alt = f"Repairs with a time among planted mistakes: {'; '.join(counts)}."
    return Picture("How long repairs took", svg_later(figure), said, alt)


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
