"""The order of a reply as an automaton: which paths the replies took, and where they left the right one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.instruments.consistency.judging import EDGES, STATES, Edge, edges_of
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.report.figures.drawing import BLUE, INK, ORANGE, WIDTH, new_figure, svg_later
from assay.report.presentation import Picture
from assay.report.text import label
from assay.report.wording import first_of

from .failures import failure_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["count_edges", "draw_automaton"]

MOST_SUBJECTS = 4
RADIUS = 0.3  # of a state, half its width
HALF = 0.22  # half its height
STEEP = 0.42  # how high an arc rises for every state it passes


def count_edges(outcomes: Sequence[ReplyJudgement]) -> Counter[Edge]:
    """How often each step was taken, from the path that each judgement of O notes."""
    return Counter(
        edge
        for outcome in outcomes
        for check in outcome.checks
        if check.note
        for edge in edges_of(check.note)
    )


def draw_automaton(exchanges: Mapping[str, Sequence[ReplyJudgement]]) -> Picture | None:
    """A panel a subject. ``exchanges`` are the outcomes of O."""
    counted = {name: count_edges(outcomes) for name, outcomes in exchanges.items()}
    chosen = [name for name in counted if counted[name]]
    if not chosen:
        return None
    shown = chosen[:MOST_SUBJECTS]
    reach = [_reach(counted[name]) for name in shown]
    tall = [high - low for low, high in reach]
    figure = new_figure(WIDTH, sum(0.75 * size + 0.35 for size in tall))
    grid = figure.subplots(len(shown), 1, squeeze=False, height_ratios=tall).flat
    for axes, name, (low, high) in zip(grid, shown, reach, strict=True):
        legal = sum(outcome.success for outcome in exchanges[name])
        axes.set_title(f"{label(name)}: {legal} of {len(exchanges[name])} replies in order")
        _draw(axes, counted[name])
        axes.set_xlim(-0.45, len(STATES) - 0.55)
        axes.set_ylim(low, high)
        axes.set_axis_off()
    caption = (
        "How replies went through Start → Name → Mirror → TinyMove → Stop. Numbers count replies. Blue: the steps of "
        "the right order. Orange, dashed: steps that leave it; above, a part was skipped; below, the parts came the "
        "other way round, or a second move followed."
    )
    caption = " ".join(filter(None, (caption, first_of(len(shown), len(chosen), "subjects"))))
    alt = ". ".join(f"{name}: {_in_words(counted[name], exchanges[name])}" for name in shown)
    return Picture("In which order the replies went", svg_later(figure), caption, alt)


def _in_words(edges: Counter[Edge], outcomes: Sequence[ReplyJudgement]) -> str:
    steps = ", ".join(f"{edge.origin} to {edge.target} {count}" for edge, count in sorted(edges.items()))
    wrong = Counter(name for outcome in outcomes for name in outcome.failures)
    names = ", ".join(f"{failure_words(name)} {count}" for name, count in sorted(wrong.items()))
    return f"{steps}; {names or 'no violation'}"


def _span(edge: Edge) -> int:
    return STATES.index(edge.target) - STATES.index(edge.origin)


def _reach(edges: Counter[Edge]) -> tuple[float, float]:
    """The room that the arcs need below and above the states."""
    others = [_span(edge) for edge in edges if edge not in EDGES]
    up = max((_height(span) for span in others if span > 1), default=HALF)
    down = min((_height(span) for span in others if span < 1), default=-HALF)
    return down - 0.3, up + 0.3


def _height(span: int) -> float:
    """Where an arc has its apex: above where states are skipped, below where the way goes back or turns in place."""
    return HALF + STEEP * (span - 1) if span > 0 else -HALF - STEEP * max(-span, 1)


def _draw(axes: Axes, edges: Counter[Edge]) -> None:
    from matplotlib.patches import FancyBboxPatch

    most = max(edges.values())
    for edge in EDGES:
        _straight(axes, edge, edges[edge], most)
    for edge, count in sorted(edges.items()):
        if edge not in EDGES:
            _arc(axes, edge, count, most)
    for place, state in enumerate(STATES):
        box = FancyBboxPatch(
            (place - RADIUS + 0.06, -HALF + 0.06),
            2 * RADIUS - 0.12,
            2 * HALF - 0.12,
            boxstyle="round,pad=0.06",
            facecolor="none",
            edgecolor=INK,
            linewidth=1,
        )
        axes.add_patch(box)
        axes.text(place, 0, state, ha="center", va="center", fontsize=10)


def _width(count: int, most: int) -> float:
    return 0.8 + 2.6 * count / most


def _straight(axes: Axes, edge: Edge, count: int, most: int) -> None:
    from matplotlib.patches import FancyArrowPatch

    start = STATES.index(edge.origin)
    faint = count == 0
    arrow = FancyArrowPatch(
        (start + RADIUS, 0.0),
        (start + 1 - RADIUS, 0.0),
        arrowstyle="-|>",
        mutation_scale=11,
        shrinkA=1,
        shrinkB=1,
        linewidth=_width(count, most),
        color=INK if faint else BLUE,
        alpha=0.35 if faint else 1.0,
    )
    axes.add_patch(arrow)
    axes.text(start + 0.5, 0.1, f"{count}", ha="center", va="bottom", fontsize=9.5)


def _arc(axes: Axes, edge: Edge, count: int, most: int) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    start, span = STATES.index(edge.origin), _span(edge)
    up, high = 1 if span > 0 else -1, _height(span)
    # leaving and arriving beside the middle, so that the heads of several arcs do not meet in one point
    aside = 0.1 if span > 0 else -0.1 if span < 0 else -0.14
    ends = (start + aside, up * HALF), (start + span - aside, up * HALF)
    # the apex of a cubic with both handles at h lies at a quarter of the ends' height and three quarters of h
    handle = (high - 0.25 * up * HALF) / 0.75
    path = Path(
        [ends[0], (ends[0][0], handle), (ends[1][0], handle), ends[1]], [Path.MOVETO, *[Path.CURVE4] * 3]
    )
    arrow = FancyArrowPatch(
        path=path,
        arrowstyle="-|>",
        mutation_scale=10,
        linewidth=_width(count, most) * 0.8,
        linestyle=(0, (4, 2)),
        color=ORANGE,
    )
    axes.add_patch(arrow)
    middle = start + span / 2
    axes.text(
        middle, high + 0.05 * up, f"{count}", ha="center", va="bottom" if up > 0 else "top", fontsize=9.5
    )
