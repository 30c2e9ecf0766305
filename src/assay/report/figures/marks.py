"""How measures are drawn: mark, interval, bounds; and what is said of it below the figure and instead of it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.report.text import label
from assay.report.wording import label_text, listed, percent, short_text
from assay.vocabulary import Measure

from .drawing import GREEN, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Drawn",
    "Key",
    "Reference",
    "axis_range",
    "draw_reference",
    "draw_values",
    "drawn_of",
    "figure_alt",
    "figure_caption",
    "text_of",
    "value_of",
]

MOST_LISTED = 60  # measures in the words that stand for a figure

# What tells measures apart: the name of a label, or a function.
Key = str | Callable[[Measure], str | float]


def value_of(key: Key, measure: Measure) -> str | float:
    return measure.labels[key] if isinstance(key, str) else key(measure)


def text_of(key: Key | None, measure: Measure) -> str:
    """The value as it is shown; empty without a key."""
    return "" if key is None else label_text(value_of(key, measure))


class Reference(NamedTuple):
    """What values are compared with: a line ``at`` a value, or a band from there ``to`` another.

    Where every measure has its own, such as the level of chance of a task, ``at`` is a function.
    """

    name: str
    at: float | Callable[[Measure], float | None]
    to: float | None = None


class Drawn(NamedTuple):
    """A place in a figure: one measure, or the mean of several with the ends of their intervals, averaged."""

    value: float
    low: float | None
    high: float | None
    bounds: tuple[float, float] | None
    flagged: bool


def drawn_of(measures: Sequence[Measure]) -> Drawn | None:
    """None where no measure has a value."""
    got = [(m, m.value) for m in measures if m.value is not None]
    if not got:
        return None
    first = got[0][0]
    ends = [(m.low, m.high) for m, _ in got if m.low is not None and m.high is not None]
    bounds = None
    if len(got) == 1 and first.bound_low is not None and first.bound_high is not None:
        bounds = (first.bound_low, first.bound_high)
    return Drawn(
        statistics.fmean(value for _, value in got),
        statistics.fmean(low for low, _ in ends) if len(ends) == len(got) else None,
        statistics.fmean(high for _, high in ends) if len(ends) == len(got) else None,
        bounds,
        any(m.flags for m, _ in got),
    )


def draw_values(
    axes: Axes, points: Sequence[tuple[float, Drawn]], colour: str, marker: str, *, upright: bool
) -> None:
    """Marks at their places, with intervals; bounds of unknowns as a paler bar; what has a flag is hollow."""
    lines = axes.vlines if upright else axes.hlines
    bars = [(at, *d.bounds) for at, d in points if d.bounds is not None]
    whiskers = [(at, d.low, d.high) for at, d in points if d.low is not None and d.high is not None]
    if bars:
        places, lows, highs = zip(*bars, strict=True)
        lines(places, lows, highs, color=colour, linewidth=6, alpha=0.3)
    if whiskers:
        places, lows, highs = zip(*whiskers, strict=True)
        lines(places, lows, highs, color=colour, linewidth=1.5, alpha=0.85)
    for flagged in (False, True):
        own = [(at, d.value) for at, d in points if d.flagged is flagged]
        pairs = own if upright else [(value, at) for at, value in own]
        if pairs:
            axes.plot(
                *zip(*pairs, strict=True),
                linestyle="none",
                marker=marker,
                markersize=5.5,
                markeredgewidth=1.4,
                markeredgecolor=colour,
                markerfacecolor=PAPER if flagged else colour,
                clip_on=False,
                zorder=4,
            )


def draw_reference(
    axes: Axes,
    reference: Reference,
    placed: Sequence[tuple[float, Measure]],
    half: float,
    *,
    upright: bool,
) -> None:
    """A line or band across the axes, or a tick at every place, to both sides of it by ``half``."""
    name = label(reference.name, 60)
    if callable(reference.at):
        own = {(at, reference.at(m)) for at, m in placed if m.value is not None}
        ticks = sorted((at, value) for at, value in own if value is not None)
        values, before = [value for _, value in ticks], [at - half for at, _ in ticks]
        draw = axes.hlines if upright else axes.vlines
        draw(values, before, [at + half for at, _ in ticks], color=INK, linewidth=2, alpha=0.6, label=name)
    elif reference.to is not None:
        span = axes.axhspan if upright else axes.axvspan
        span(reference.at, reference.to, color=GREEN, alpha=0.2, linewidth=0, label=name)
    else:
        line = axes.axhline if upright else axes.axvline
        line(reference.at, color=INK, linewidth=1, linestyle=(0, (4, 3)), label=name)


def axis_range(measures: Iterable[Measure], references: Iterable[Reference]) -> tuple[float, float]:
    """From 0 to 1 for shares; else as far as the values go, and 0."""
    found: list[float | None] = [0.0]
    kept = list(measures)
    for m in kept:
        found += (m.value, m.low, m.high, m.bound_low, m.bound_high)
    for reference in references:
        at = reference.at
        found += [at(m) for m in kept] if callable(at) else [at, reference.to]
    values = [value for value in found if value is not None]
    low, high = min(values), max(values)
    if low == 0 and high <= 1:
        return 0.0, 1.0
    room = 0.06 * (high - low)
    return low - room if low < 0 else 0.0, high + room if high > 0 else 0.0


def figure_caption(
    measures: Sequence[Measure], *sentences: str, interval: str = "The bar through a mark is its"
) -> str:
    """What the instrument says of a figure, then what its bars and marks are."""
    got = [m for m in measures if m.value is not None]
    said = [*sentences]
    if whole := [m.confidence for m in got if m.low is not None]:
        one = whole[0] if len(set(whole)) == 1 else None
        said.append(f"{interval} {f'{percent(one)} ' if one else ''}interval.")
    if any(m.bound_low is not None for m in got):
        said.append(
            "A broad pale bar reaches as far as the value could if all unknown outcomes had gone one way or the other."
        )
    if kinds := list(dict.fromkeys(flag.kind for m in got for flag in m.flags)):
        said.append(f"A hollow mark carries a flag ({listed(kinds)}).")
    return " ".join(filter(None, said))


def figure_alt(named: Sequence[tuple[str, Measure]]) -> str:
    """The numbers of a figure in words; of very many the first."""
    said = [f"{name}: {short_text(measure)}" for name, measure in named[:MOST_LISTED]]
    if len(named) > MOST_LISTED:
        said.append(f"and {len(named) - MOST_LISTED} more, which are among the measures")
    return "; ".join(said)
