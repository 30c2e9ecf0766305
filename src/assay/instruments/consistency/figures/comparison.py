"""Several subjects side by side: M5 of each, and how pairs of them differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.instruments.consistency.measures.shares import COMPONENTS, ConsistencySettings
from assay.measuring import percent
from assay.report.presentation import (
    INK,
    Picture,
    draw_legend,
    label,
    name_rows,
    new_figure,
    svg_text,
)
from assay.vocabulary import Measure

from .components import BLUE, GREEN, MOST_PANELS, MOST_ROWS, NAMES, ORANGE, panels
from .subjects import SubjectMeasures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_differences", "draw_identities"]

DIFFERENCES = ("M5", *COMPONENTS)


def draw_identities(found: SubjectMeasures, settings: ConsistencySettings) -> Picture | None:
    """M5 of every subject with its interval, and the threshold."""
    subjects = found.subjects
    if len(subjects) < 2:
        return None
    shown = subjects[:MOST_ROWS]
    line = float(settings.threshold)
    figure = new_figure(9.6, 1.2 + 0.36 * len(shown))
    axes = figure.subplots()
    for y, subject in enumerate(shown):
        measure, verdict = found.measure(subject, "M5"), found.threshold(subject)
        _point(axes, y, measure, _colour(verdict.holds if verdict else None))
    axes.axvline(line, color=INK, linewidth=1, linestyle=(0, (4, 3)), label=f"threshold {line:g}")
    for holds, words in ((True, "holds"), (None, "not established"), (False, "fails")):
        axes.plot([], [], marker="o", linestyle="none", color=_colour(holds), label=words)
    name_rows(axes, shown)
    axes.set_xlim(-0.02, 1.02)
    draw_legend(figure, axes, 4)
    caption = f"M5 of each subject with its {percent(settings.confidence)} interval, and the threshold of the study."
    if len(subjects) > len(shown):
        caption += f" The first {len(shown)} of {len(subjects)} subjects are shown."
    values = [f"{name} {_value(found.measure(name, 'M5'))}" for name in shown]
    return Picture("Identity by subject", svg_text(figure), caption, f"M5: {', '.join(values)}")


def draw_differences(found: SubjectMeasures, settings: ConsistencySettings) -> Picture | None:
    """A panel a pair: by how much M5 and its components differ, and the band within which they are equivalent."""
    pairs = found.pairs
    if not pairs:
        return None
    shown = pairs[:MOST_PANELS]
    lines = -(-len(shown) // 3)
    figure = new_figure(9.6, 0.8 + 2.1 * lines)
    grid = panels(figure, len(shown))
    tolerance = float(settings.tolerance)
    for axes, pair in zip(grid, shown, strict=True):
        axes.axvspan(
            -tolerance, tolerance, color=GREEN, alpha=0.22, linewidth=0, label=f"within ±{tolerance:g}"
        )
        axes.axvline(0, color=INK, linewidth=0.7, alpha=0.6)
        for y, name in enumerate(DIFFERENCES):
            _point(axes, y, found.difference(pair, name), BLUE if name == "M5" else INK)
        axes.set_title(f"{label(pair[0], 26)} minus\n{label(pair[1], 26)}")
        axes.set_xlim(-1.04, 1.04)
        axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["−1", "−0.5", "0", "0.5", "1"])
        axes.axhline(0.5, color=INK, linewidth=0.5, alpha=0.3)
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    name_rows(grid[0], ["M5", *(NAMES[name] for name in COMPONENTS)])
    draw_legend(figure, grid[0], 1)
    whole = found.difference(shown[0], "M5").confidence
    caption = (
        f"Right of 0 the first-named subject is higher. Two subjects are equivalent where the interval of M5 "
        f"({'' if whole is None else f'{percent(whole)}, '}for a test from both sides) lies within the green band and "
        f"both reach the threshold; the components' {percent(settings.confidence)} intervals show where a difference "
        "comes from."
    )
    if len(pairs) > len(shown):
        caption += f" The first {len(shown)} of {len(pairs)} pairs are shown; all are among the measures."
    alt = "; ".join(
        f"{one} minus {two}: "
        + ", ".join(f"{name} {_value(found.difference((one, two), name))}" for name in DIFFERENCES)
        for one, two in shown
    )
    return Picture("How the subjects differ", svg_text(figure), caption, alt)


def _colour(holds: bool | None) -> str:
    return INK if holds is None else BLUE if holds else ORANGE


def _point(axes: Axes, y: int, measure: Measure, colour: str) -> None:
    if measure.value is None:
        axes.text(0.03, y, "no data", va="center", fontsize=8.5, alpha=0.8)
        return
    if measure.low is not None and measure.high is not None:
        axes.hlines(y, measure.low, measure.high, color=colour, linewidth=1.6)
    axes.plot([measure.value], [y], marker="o", color=colour, markersize=5.5)


def _value(measure: Measure) -> str:
    return "no data" if measure.value is None else f"{measure.value:.3f}"
