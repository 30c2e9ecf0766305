"""Radar: a few numbers of each subject around a circle, with their spread."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from assay.report.presentation import Picture
from assay.report.text import label
from assay.report.wording import first_of, listed, no_data_text
from assay.vocabulary import Measure

from .drawing import INK, PALETTE, WIDTH, draw_legend, drawing, new_figure, panel_grid, svg_later
from .marks import Key, figure_alt, text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["radar"]

MOST_LINES = 8
TOGETHER = 2  # lines in one circle; more have one each, for their bands would cover each other

Values = Mapping[str, float]  # by spoke
Ends = Mapping[str, tuple[float, float]]


def radar(
    measures: Sequence[Measure],
    *,
    title: str,
    caption: str,
    spokes: Key,
    line: Key = "subject",
    spreads: Sequence[Measure] = (),
    spread: str = "",
) -> Picture | None:
    """A spoke for every value of ``spokes``, a line for every value of ``line``, in the order of the measures.

    ``spreads`` have the same labels: a band reaches as far to both sides, and ``spread`` says what it is. Every spoke
    has a scale of its own. A measure without a value is a gap in its line. None with fewer than three spokes.
    """
    found, wide = _gathered(measures, spokes, line), _gathered(spreads, spokes, line)
    shown = dict(list(found.items())[:MOST_LINES])
    names = list(dict.fromkeys(name for own in shown.values() for name in own))
    if len(names) < 3:
        return None
    values = {who: _values(own) for who, own in shown.items()}
    sides = {who: _values(wide.get(who, {})) for who in shown}
    ends = {name: _ends(name, values, sides) for name in names}
    together = len(shown) <= TOGETHER
    circles = [[*shown]] if together else [[who] for who in shown]
    across = 2 if len(circles) == 4 else 3
    with drawing():
        figure = new_figure(WIDTH, 4.2 if together else 2.5 * -(-len(circles) // across))
        grid = panel_grid(figure, len(circles), across)
        for axes, whose in zip(grid, circles, strict=True):
            _draw_web(axes, ends, scales=together)
            for other in (values[who] for who in shown if who not in whose):
                axes.plot(*_outline(other, ends), color=INK, linewidth=0.6, alpha=0.3)
            for who, colour in zip(whose, PALETTE, strict=False):
                _draw_band(axes, values[who], sides[who], ends, colour)
                axes.plot(*_outline(values[who], ends), "o-", color=colour, markersize=4, label=label(who))
            axes.set_title("" if together else label(whose[0], 30), loc="center", pad=2)
        if together:
            draw_legend(figure, grid, 4)
    named = [(f"{who}, {name}", m) for who, own in shown.items() for name, m in own.items()]
    gaps = [f"{at} ({no_data_text(m)})" for at, m in named if m.value is None]
    scales = listed(f"{label(name)} {low:.3g} to {high:.3g}" for name, (low, high) in ends.items())
    named += [(f"{who}, {name}, spread", m) for who in shown for name, m in wide.get(who, {}).items()]
    said = [
        caption,
        f"The band is {spread}." if spread and any(sides.values()) else "",
        f"Every spoke has a scale of its own, from the middle to the outer ring: {scales}.",
        "" if together else "Thin lines are the others'.",
        first_of(len(shown), len(found), "lines"),
        f"A gap stands for no value: {'; '.join(gaps[:4])}." if gaps else "",
    ]
    return Picture(title, svg_later(figure), " ".join(filter(None, said)), f"{title}. {figure_alt(named)}")


def _gathered(measures: Iterable[Measure], spokes: Key, line: Key) -> dict[str, dict[str, Measure]]:
    found: dict[str, dict[str, Measure]] = {}
    for m in measures:
        found.setdefault(text_of(line, m), {}).setdefault(text_of(spokes, m), m)
    return found


def _values(own: Mapping[str, Measure]) -> dict[str, float]:
    return {name: m.value for name, m in own.items() if m.value is not None}


def _ends(name: str, values: Mapping[str, Values], sides: Mapping[str, Values]) -> tuple[float, float]:
    """From 0, or from the lowest value below it, as far as values and bands go."""
    there = [(own[name], sides[who].get(name, 0.0)) for who, own in values.items() if name in own]
    low, high = min([0.0, *(v for v, _ in there)]), max([0.0, *(v + side for v, side in there)])
    return low, high if high > low else low + 1.0


def _outline(own: Values, ends: Ends) -> tuple[list[float], list[float]]:
    """Clockwise from the top and closed; no number where there is no value, so that no line is drawn to it."""
    xs, ys = [], []
    for number, (name, (low, high)) in enumerate(ends.items()):
        far, turn = (own.get(name, math.nan) - low) / (high - low), 2 * math.pi * number / len(ends)
        xs.append(far * math.sin(turn))
        ys.append(far * math.cos(turn))
    return [*xs, xs[0]], [*ys, ys[0]]


def _draw_web(axes: Axes, ends: Ends, *, scales: bool) -> None:
    for ring in (0.25, 0.5, 0.75, 1.0):
        xs, ys = _outline({name: low + ring * (high - low) for name, (low, high) in ends.items()}, ends)
        axes.plot(xs, ys, color=INK, linewidth=0.6, alpha=0.4 if ring == 1.0 else 0.15)
    for x, y, (name, (low, high)) in zip(xs, ys, ends.items(), strict=False):
        axes.plot([0, x], [0, y], color=INK, linewidth=0.6, alpha=0.15)
        text = f"{label(name)}\n{low:.3g} to {high:.3g}" if scales else label(name, 14)
        side = "center" if abs(x) < 0.1 else "left" if x > 0 else "right"
        level = "bottom" if y > 0.9 else "top" if y < -0.5 else "center"
        axes.text(1.07 * x, 1.07 * y, text, ha=side, va=level, fontsize=8.5)
    axes.set(xlim=(-2.2, 2.2), ylim=(-1.25, 1.35), aspect="equal")
    axes.set_axis_off()


def _draw_band(axes: Axes, own: Values, sides: Values, ends: Ends, colour: str) -> None:
    """Between neighbouring spokes that both have one; below the scale it ends in the middle."""
    there = {name: (value, sides[name]) for name, value in own.items() if name in sides}
    outer = _outline({name: value + side for name, (value, side) in there.items()}, ends)
    inner = _outline({name: max(value - side, ends[name][0]) for name, (value, side) in there.items()}, ends)
    band = [[*zip(*one, strict=True)] for one in (outer, inner)]
    for far, near in zip(*map(pairwise, band), strict=True):
        xs, ys = zip(*far, *near[::-1], strict=True)
        if not any(map(math.isnan, xs)):
            axes.fill(xs, ys, color=colour, alpha=0.2, linewidth=0)
