"""Forest plot: a row a thing, its value and interval along one axis, grouped, against a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.report.presentation import Picture
from assay.report.text import label
from assay.report.wording import first_of, no_data_text, short_text
from assay.vocabulary import Measure

from . import marks
from .drawing import INK, MARKERS, PALETTE, PAPER, WIDTH, draw_legend, drawing, new_figure, svg_later
from .marks import Drawn, Key, Reference, drawn_of, text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["forest_plot"]

MOST_ROWS = 80
PITCH = 0.27  # inches, of a row with one mark
LONG = 30  # characters of a heading
BESIDE = 0.55  # of a row, from one mark to the next in it

Row = tuple[str, str]  # group, name


def forest_plot(
    measures: Sequence[Measure],
    *,
    title: str,
    caption: str,
    rows: Key,
    groups: Key | None = None,
    series: Key | None = None,
    axis: str = "",
    references: Sequence[Reference] = (),
) -> Picture | None:
    """A row for every value of ``rows``, below a heading for every group; several marks in it where there are series.

    Rows, groups and series stand in the order of the measures. ``axis`` says what the values are. Where a row has
    one mark its numbers stand beside it; a measure without a value is a row that says why. None without a measure.
    """
    if not measures:
        return None
    found: dict[Row, list[Measure]] = {}
    for measure in measures:
        found.setdefault((text_of(groups, measure), text_of(rows, measure)), []).append(measure)
    order = list(dict.fromkeys(group for group, _ in found))
    shown = sorted(found, key=lambda row: order.index(row[0]))[:MOST_ROWS]
    drawn = [measure for row in shown for measure in found[row]]
    most = max(len(found[row]) for row in shown)
    tall = 1.0 if most == 1 else BESIDE * most + 0.35
    place, heads, bottom = _layout(shown, tall)
    with drawing():
        figure = new_figure(WIDTH, 0.9 + PITCH * bottom + (0.25 if series or references else 0.0))
        axes = figure.subplots()
        low, high = marks.axis_range(drawn, references)
        axes.set_xlim(low, high)
        if low < 0 < high:
            axes.axvline(0, color=INK, linewidth=0.7, alpha=0.6)
        at = [(place[row] + offset, m) for row in shown for offset, m in _offsets(found[row])]
        _draw_marks(axes, at, series)
        for reference in references:
            marks.draw_reference(axes, reference, at, 0.3 if most == 1 else 0.5 * BESIDE, upright=False)
        for y, measure in at:
            _write_numbers(axes, y, measure, text_of(series, measure), alone=most == 1)
        if most > 1:
            tops = [y - tall / 2 for y in place.values()]
            axes.hlines(tops, low, high, color=INK, linewidth=0.4, alpha=0.15)
        _name_rows(axes, place, heads, bottom)
        axes.set_xlabel(label(axis, 80))
        draw_legend(figure, axes, 4)
    said = marks.figure_caption(drawn, caption, first_of(len(shown), len(found), "rows"))
    named = [
        (", ".join(filter(None, (*row, text_of(series, measure)))), measure)
        for row in shown
        for measure in found[row]
    ]
    return Picture(title, svg_later(figure), said, f"{axis or title}. {marks.figure_alt(named)}")


def _layout(rows: Sequence[Row], tall: float) -> tuple[dict[Row, float], dict[str, float], float]:
    """Where the middle of each row and each heading is, from the top, and where it ends."""
    place: dict[Row, float] = {}
    heads: dict[str, float] = {}
    at = 0.0
    for group, name in rows:
        if group and group not in heads:
            heads[group] = at + 0.6
            at += 1.1
        place[group, name] = at + tall / 2
        at += tall
    return place, heads, at


def _offsets(own: Sequence[Measure]) -> list[tuple[float, Measure]]:
    """Above and below the middle of a row, as many as share it."""
    return [(BESIDE * (number - (len(own) - 1) / 2), measure) for number, measure in enumerate(own)]


def _draw_marks(axes: Axes, at: Sequence[tuple[float, Measure]], series: Key | None) -> None:
    for number, name in enumerate(dict.fromkeys(text_of(series, measure) for _, measure in at)):
        colour, marker = PALETTE[number % len(PALETTE)], MARKERS[number % len(MARKERS)]
        points: list[tuple[float, Drawn]] = []
        for y, measure in at:
            if text_of(series, measure) == name and (one := drawn_of([measure])) is not None:
                points.append((y, one))
        marks.draw_values(axes, points, colour, marker, upright=False)
        if series is not None:
            axes.plot([], [], linestyle="none", marker=marker, color=colour, label=label(name))


def _write_numbers(axes: Axes, y: float, measure: Measure, name: str, *, alone: bool) -> None:
    """The numbers at the right, or instead of a mark why there is none."""
    across = axes.get_yaxis_transform()
    if measure.value is None:
        said = no_data_text(measure) if alone else f"{label(name, 20)}: {no_data_text(measure)}"
        box = {"facecolor": PAPER, "linewidth": 0, "pad": 1}
        axes.text(0.01, y, label(said, 80), va="center", fontsize=8.5, transform=across, bbox=box)
    elif alone:
        flags = ", ".join(dict.fromkeys(flag.kind for flag in measure.flags))
        said = f"{short_text(measure)}{f'  {flags}' if flags else ''}"
        axes.text(1.02, y, said, va="center", fontsize=8.5, alpha=0.9, transform=across)


def _name_rows(axes: Axes, place: Mapping[Row, float], heads: Mapping[str, float], bottom: float) -> None:
    """Rows at the left of the axes, and so are headings, unless they are so long that they would take its room."""
    axes.set_yticks([*place.values()], [label(name, 44) for _, name in place])
    inside = any(len(group) > LONG for group in heads)
    for group, y in heads.items():
        box = {"facecolor": PAPER, "linewidth": 0, "pad": 1}
        axes.annotate(
            label(group, 80),
            (0, y),
            (4 if inside else -4, 0),
            xycoords=axes.get_yaxis_transform(),
            textcoords="offset points",
            ha="left" if inside else "right",
            va="center",
            fontweight="bold",
            bbox=box if inside else None,
        )
    axes.set_ylim(bottom + 0.2, -0.1)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
