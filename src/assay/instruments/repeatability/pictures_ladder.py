"""How often the same program comes back: in which sense of "same", and under which condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.report.presentation import PALETTE, Picture, draw_legend, label, new_figure, svg_text
from assay.vocabulary import Measure

from .cells import Cell, CellKey
from .headline import Found
from .ladder import RUNGS
from .pictures import MARKERS, Group, fullest, group_of, mean_of, named, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_ladder", "draw_sweeps"]

MOST_PANELS = 6
MOST_SUBJECTS = 14
MOST_LINES = 7  # in a panel: as many colours as can be told apart
MOST_FAINT = 40  # single contracts in a panel
LADDER = (
    "bytes: every byte counts; text: line ends and trailing blanks do not; layout: nor do spacing and comments; ast: "
    "nor docstrings and whatever else leaves the syntax tree the same; names: nor the names of variables; behaviour: "
    "only the results do"
)
BARS = (
    "Marks: the mean over contracts. Bars: the ends of the contracts' own intervals, averaged; they tell how well "
    "one contract is known, not how well the mean is, and nothing of other contracts."
)


class _Line(NamedTuple):
    """One line of a panel: its name and the cells that are averaged."""

    name: str
    cells: list[Cell]


def draw_ladder(found: Found, cells: Sequence[Cell]) -> Picture | None:
    """R at every rung, from the narrowest sense of "same" to the widest: where outputs fall together."""
    cells = [cell for cell in cells if cell.n]
    if not cells:
        return None
    plan = _panels(cells)
    shown = list(plan.items())[:MOST_PANELS]
    figure = new_figure(9.6, 0.6 + 3.1 * -(-len(shown) // 3))
    grid = panels(figure, len(shown))
    for axes, (title, lines) in zip(grid, shown, strict=True):
        for place, line in enumerate(lines[:MOST_LINES]):
            _climb(axes, found, line, place, len(lines[:MOST_LINES]), faint=MOST_FAINT // len(lines))
        axes.set_title(label(title, 34))
        axes.set_xticks(range(len(RUNGS)), RUNGS, rotation=30, ha="right", rotation_mode="anchor")
        axes.set_xlim(-0.5, len(RUNGS) - 0.5)
        _share_axis(axes)
    draw_legend(figure, fullest(grid), 5)
    caption = (
        f"R, the share of the most common program, when less and less counts as a difference ({LADDER}). Where a "
        f"line rises, outputs differ in that respect only. {BARS} Faint: single contracts."
    )
    if any(cell.rungs != RUNGS for cell in cells):
        caption += " Of programs that are not in Python only bytes, text and behaviour are compared."
    if len(plan) > len(shown):
        caption += f" The first {len(shown)} of {len(plan)} subjects are shown."
    if any(len(lines) > MOST_LINES for _, lines in shown):
        caption += f" Of more than {MOST_LINES} lines the first are shown."
    who = named([cell.key.subject for cell in cells], "subjects")
    alt = f"Share of the most common program at each rung of the ladder of sameness, for {who}."
    return Picture("In which sense the answers are the same", svg_text(figure), caption, alt)


def _panels(cells: Sequence[Cell]) -> dict[str, list[_Line]]:
    """A panel a subject with a line a condition; where there is one condition, one panel with a line a subject."""
    groups: dict[tuple[Group, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((group_of(cell.key), cell.language), []).append(cell)
    languages = len({language for _, language in groups}) > 1
    conditions = {group.condition for group, _ in groups}
    found: dict[str, list[_Line]] = {}
    for (group, language), members in sorted(groups.items()):
        panel, name = (
            (group.subject, group.text) if len(conditions) > 1 else (group.text, label(group.subject))
        )
        found.setdefault(panel, []).append(_Line(f"{name} ({language})" if languages else name, members))
    return found


def _climb(axes: Axes, found: Found, line: _Line, place: int, lines: int, *, faint: int) -> None:
    colour = PALETTE[place % len(PALETTE)]
    shift = (place - (lines - 1) / 2) * min(0.08, 0.5 / lines)
    rungs = line.cells[0].rungs
    where = [RUNGS.index(rung) + shift for rung in rungs]
    if len(line.cells) > 1:
        for cell in line.cells[:faint]:
            steps = [found.get("R", cell.key, rung=rung) for rung in rungs]
            heights = [m.value for m in steps if m is not None and m.value is not None]
            if len(heights) == len(where):
                axes.plot(where, heights, color=colour, linewidth=0.8, alpha=0.22)
    points = []
    for x, rung in zip(where, rungs, strict=True):
        mean = mean_of(found.get("R", cell.key, rung=rung) for cell in line.cells)
        if mean is not None:
            axes.vlines(x, mean.low, mean.high, color=colour, linewidth=1.3, alpha=0.6)
            points.append((x, mean.value))
    axes.plot(
        *_columns(points), marker=MARKERS[place], markersize=4.5, color=colour, linewidth=1.6, label=line.name
    )


def draw_sweeps(found: Found, cells: Sequence[Cell]) -> Iterator[Picture]:
    """R by temperature, and by whatever else was varied."""
    cells = [cell for cell in cells if cell.n]
    varied = [axis for axis in AXES if len({axis.of(cell.key) for cell in cells}) > 1]
    for axis in varied or AXES[:1]:
        if cells:
            yield _draw_sweep(found, cells, axis)


class _Axis(NamedTuple):
    name: str
    of: Callable[[CellKey], float]  # a negative number: not set


def _temperature(key: CellKey) -> float:
    return -1.0 if key.temperature is None else key.temperature


def _top_p(key: CellKey) -> float:
    return -1.0 if key.top_p is None else key.top_p


def _wording(key: CellKey) -> float:
    return -1.0 if key.wording is None else key.wording


AXES = (_Axis("temperature", _temperature), _Axis("top_p", _top_p), _Axis("wording", _wording))


def _draw_sweep(found: Found, cells: Sequence[Cell], axis: _Axis) -> Picture:
    senses: list[tuple[str, Callable[[CellKey], Measure | None]]] = [
        ("same bytes", lambda key: found.get("R_raw", key)),
        ("same program", found.program),
        ("same behaviour", lambda key: found.get("R", key, rung="behaviour")),
    ]
    anchor = (
        ("equal to canon, repaired", "R_anchor") if found.repaired else ("equal to canon", "R_anchor_pre")
    )
    senses.append((anchor[0], lambda key: found.anchored(anchor[1], key)))
    everyone = list(dict.fromkeys(cell.key.subject for cell in cells))
    subjects = everyone[:MOST_SUBJECTS]
    ticks = sorted({axis.of(cell.key) for cell in cells})
    figure = new_figure(9.6, 3.5 + 0.2 * (len(subjects) // 3))
    grid = panels(figure, len(senses), most=len(senses))
    for axes, (title, sense) in zip(grid, senses, strict=True):
        axes.set_title(title, pad=8, fontsize=9.5)
        for place, subject in enumerate(subjects):
            mine = [cell.key for cell in cells if cell.key.subject == subject]
            _sweep(
                axes,
                axis,
                ticks,
                [(axis.of(key), sense(key)) for key in mine],
                (subject, place, len(subjects)),
            )
        _sweep_axis(axes, axis, ticks)
    draw_legend(figure, grid[0], 3)
    caption = (
        f"{BARS} Small dots: single contracts. At 1 every answer is the same; cells without a canon are left out on "
        "the right, where a value counts the canon and its interval does not."
    )
    if len(everyone) > len(subjects):
        caption += f" The first {len(subjects)} of {len(everyone)} subjects are shown."
    alt = f"Share of identical programs by {axis.name} for {named(subjects, 'subjects')}; the numbers are in the table."
    return Picture(f"How often the same comes back, by {axis.name}", svg_text(figure), caption, alt)


def _sweep(
    axes: Axes,
    axis: _Axis,
    ticks: Sequence[float],
    measured: Sequence[tuple[float, Measure | None]],
    who: tuple[str, int, int],
) -> None:
    subject, place, subjects = who
    colour = PALETTE[place % len(PALETTE)]
    shift = (place - (subjects - 1) / 2) * min(0.16 if len(ticks) > 1 else 0.3, 0.7 / subjects)
    points = []
    for x, tick in enumerate(ticks):
        mean = mean_of(measure for at, measure in measured if at == tick)
        if mean is None:
            continue
        if len(mean.values) > 1:
            axes.scatter(
                [x + shift] * len(mean.values), mean.values, s=8, color=colour, alpha=0.35, linewidths=0
            )
        axes.vlines(x + shift, mean.low, mean.high, color=colour, linewidth=1.6, alpha=0.75)
        points.append((x + shift, mean.value))
    axes.plot(
        *_columns(points),
        marker=MARKERS[(place + place // len(PALETTE)) % len(MARKERS)],
        markersize=5.5,
        label=label(subject),
        color=colour,
        linewidth=1.3 if len(points) > 1 else 0.0,
    )


def _sweep_axis(axes: Axes, axis: _Axis, ticks: Sequence[float]) -> None:
    if not axes.collections:
        text = "not established:\nno canon"
        axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", alpha=0.7)
    axes.set_xlim(-0.5, len(ticks) - 0.5)
    axes.set_xticks(range(len(ticks)), ["default" if tick < 0 else f"{tick:g}" for tick in ticks])
    axes.set_xlabel(axis.name)
    _share_axis(axes)


def _share_axis(axes: Axes) -> None:
    axes.set_ylim(-0.03, 1.03)
    axes.grid(axis="y")


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]
