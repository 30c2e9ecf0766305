"""How often a family's episodes succeeded in each regime, and what is left of it as regimes get harder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.report.presentation import (
    INK,
    PALETTE,
    Picture,
    draw_legend,
    label,
    new_figure,
    svg_text,
)

from .headline import TITLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["MOST_ROWS", "Rate", "Step", "draw_degradation", "draw_families"]

MOST_ROWS = 80
HEAD = 1.2  # rows that the name of a dimension takes
MOST_LINES = 7  # families in one panel
MARKERS = "osD^vPX"
Row = tuple[str, str, int]  # dimension, family, level
HARDNESS = {"baseline": 0, "moderate": 1, "severe": 2, "adversarial": 3}


class Step(Struct, frozen=True):
    """A declared regime and how hard it is: baseline, moderate, severe or adversarial."""

    regime: str
    hardness: str


class Rate(Struct, frozen=True, kw_only=True):
    """Success of one family's level in one regime."""

    dimension: str
    family: str
    level: int
    regime: str
    value: float
    low: float
    high: float
    n: int
    threshold: float | None = None

    @property
    def row(self) -> Row:
        return self.dimension, self.family, self.level


def harder(steps: Sequence[Step]) -> list[Step]:
    """From the easiest to the hardest; the declared order within one hardness."""
    return sorted(steps, key=lambda step: HARDNESS[step.hardness])


def draw_families(name: str, rates: Sequence[Rate], steps: Sequence[Step]) -> Picture | None:
    """A row a family and level: a dot a regime, with its interval; a tick at the threshold."""
    met = {rate.regime for rate in rates}
    regimes = {step.regime: at for at, step in enumerate(harder(steps)) if step.regime in met}
    rows = sorted({rate.row for rate in rates}, key=lambda row: ("SMDELG".index(row[0]), row[2], row[1]))
    if not rows:
        return None
    shown = rows[:MOST_ROWS]
    dimensions = list(dict.fromkeys(row[0] for row in shown))
    place = {row: at + HEAD * (1 + dimensions.index(row[0])) for at, row in enumerate(shown)}
    bottom = len(shown) + HEAD * len(dimensions)
    figure = new_figure(9.6, 1.0 + 0.27 * bottom)
    axes = figure.subplots()
    _dots(axes, place, rates, regimes)
    for dimension in dimensions:
        y = min(at for row, at in place.items() if row[0] == dimension) - 0.85
        axes.text(0, y, f"{dimension}  {TITLES[dimension]}", fontweight="bold", va="center")
    axes.set_yticks([*place.values()], [f"{label(family, 26)} · {level}" for _, family, level in place])
    axes.set_ylim(bottom - 0.4, 0.3)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlim(-0.01, 1.01)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    axes.set_xlabel("share of episodes that succeeded")
    _name_regimes(figure, axes, regimes)
    caption = (
        "Episodes that succeeded, as a share. The number beside a family is the level that its episodes evidence. A "
        "mark is a regime, its line the interval; the grey tick is the threshold. What has no outcomes is not shown."
    )
    if len(rows) > len(shown):
        caption += f" The first {len(shown)} of {len(rows)} rows are shown; the table has all."
    alt = f"{name}: " + "; ".join(
        f"{rate.dimension} {rate.family} level {rate.level} in {rate.regime}: {rate.value:.2f} of {rate.n}"
        for rate in sorted(rates, key=lambda r: (*r.row, regimes[r.regime]))
        if rate.row in place
    )
    return Picture(f"Success by family and regime: {name}", svg_text(figure), caption, alt)


def _dots(axes: Axes, place: Mapping[Row, float], rates: Sequence[Rate], regimes: Mapping[str, int]) -> None:
    own = [rate for rate in rates if rate.row in place]
    beside: dict[Row, list[str]] = {}
    for rate in sorted(own, key=lambda r: regimes[r.regime]):
        beside.setdefault(rate.row, []).append(rate.regime)
    for regime, at in regimes.items():
        met = [rate for rate in own if rate.regime == regime]
        ys = [place[rate.row] + _offset(beside[rate.row], regime) for rate in met]
        style = _style(at)
        lows, highs = [r.low for r in met], [r.high for r in met]
        axes.hlines(ys, lows, highs, color=style["color"], linewidth=1.3, alpha=0.8)
        axes.plot([r.value for r in met], ys, markersize=5, clip_on=False, zorder=4, **style)
    lines = {(place[rate.row], rate.threshold) for rate in own if rate.threshold is not None}
    for y, threshold in sorted(lines):
        axes.vlines(threshold, y - 0.42, y + 0.42, color=INK, linewidth=1.1, alpha=0.45)
    axes.hlines([y + 0.5 for y in place.values()], 0, 1, color=INK, linewidth=0.4, alpha=0.15)


def _offset(beside: Sequence[str], regime: str) -> float:
    """Above and below the middle of a row, as many as share it."""
    apart = min(0.22, 0.66 / len(beside))
    return apart * (beside.index(regime) - (len(beside) - 1) / 2)


def _name_regimes(figure: Figure, axes: Axes, regimes: Mapping[str, int]) -> None:
    """Every regime that occurs once, in one legend for all panels."""
    for regime, at in regimes.items():
        axes.plot([], [], label=label(regime), markersize=5, **_style(at))
    draw_legend(figure, axes, 4)


def _style(at: int) -> dict[str, Any]:
    return {"marker": MARKERS[at % len(MARKERS)], "color": PALETTE[at % len(PALETTE)], "linestyle": "none"}


def draw_degradation(name: str, rates: Sequence[Rate], steps: Sequence[Step]) -> Picture | None:
    """A panel a dimension, a line a family and level: success from the easiest regime to the hardest."""
    ordered = harder(steps)
    regimes = [step.regime for step in ordered]
    lines = _lines(rates, ordered)
    if not lines:
        return None
    dimensions = [d for d in "SMDELG" if any(row[0] == d for row in lines)]
    across = min(2, len(dimensions))
    down = -(-len(dimensions) // across)
    figure = new_figure(9.6, 0.3 + 2.7 * down)
    grid = list(figure.subplots(down, across, sharey=True, squeeze=False).flat)
    for axes in grid[len(dimensions) :]:
        axes.set_visible(False)
    left = 0
    for axes, dimension in zip(grid, dimensions, strict=False):
        own = {row: found for row, found in lines.items() if row[0] == dimension}
        left += max(0, len(own) - MOST_LINES)
        _curves(axes, dict(list(own.items())[:MOST_LINES]), regimes)
        axes.set_title(f"{dimension}  {TITLES[dimension]}")
        axes.set_xticks(
            range(len(ordered)),
            [_tick(step) for step in ordered],
            fontsize=8,
        )
        axes.set_xlim(-0.25, len(ordered) - 0.15)
        axes.set_ylim(-0.03, 1.03)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
        axes.grid(axis="y")
    caption = (
        "Success of a family as the regime gets harder, at the levels that were put under more than one regime. "
        "Lines up and down are intervals. Robustness R is read from the falls, over the same contents."
    )
    if left:
        caption += f" {left} more lines are not drawn; the table has them."
    told = [
        f"{row[1]} level {row[2]}: {', '.join(f'{rate.regime} {rate.value:.2f}' for rate in found)}"
        for row, found in lines.items()
    ]
    return Picture(f"What constraints cost: {name}", svg_text(figure), caption, f"{name}: {'; '.join(told)}")


def _tick(step: Step) -> str:
    """A regime below its place, in lines so short that neighbours have room."""
    name = label(step.regime, 24).replace("-", "-\n", 1)
    return name if step.hardness in step.regime.casefold() else f"{name}\n({step.hardness})"


def _lines(rates: Sequence[Rate], steps: Sequence[Step]) -> dict[Row, list[Rate]]:
    """Family and level → its rates from the easiest regime on; those with a baseline and something harder."""
    place = {step.regime: at for at, step in enumerate(steps)}
    easy = {step.regime for step in steps if step.hardness == "baseline"}
    found: dict[Row, list[Rate]] = {}
    for rate in sorted(rates, key=lambda r: (*r.row, place[r.regime])):
        found.setdefault(rate.row, []).append(rate)
    return {row: own for row, own in found.items() if 0 < sum(rate.regime in easy for rate in own) < len(own)}


def _curves(axes: Axes, lines: Mapping[Row, Sequence[Rate]], regimes: Sequence[str]) -> None:
    wide = 0.05 * (len(lines) - 1)
    for number, ((_, family, level), found) in enumerate(lines.items()):
        colour = PALETTE[number % len(PALETTE)]
        xs = [regimes.index(rate.regime) + 0.1 * number - wide for rate in found]
        ys = [rate.value for rate in found]
        axes.vlines(
            xs, [r.low for r in found], [r.high for r in found], color=colour, linewidth=1, alpha=0.55
        )
        axes.plot(
            xs,
            ys,
            color=colour,
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            linewidth=1.5,
            label=f"{label(family, 20)} · {level}",
        )
    axes.legend(loc="lower left", fontsize=8, handlelength=1.6)
