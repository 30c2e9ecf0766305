"""Values along an ordered axis: panels side by side, dose–response, trajectories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Required, TypedDict, Unpack

from assay.report.presentation import Picture
from assay.report.text import label
from assay.report.wording import first_of, label_text, listed, no_data_text
from assay.vocabulary import Measure

from . import marks
from .drawing import INK, MARKERS, PALETTE, WIDTH, draw_legend, drawing, new_figure, panel_grid, svg_later
from .marks import Drawn, Key, Reference, drawn_of, text_of, value_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["dose_response", "panels", "trajectories"]

MOST_PANELS = 9
MOST_LINES = 14  # in a panel: as many as colour and mark together tell apart
MOST_GAPS = 4  # named below the figure
ROOM = 110  # characters below the whole width

Step = str | float
Line = dict[Step, list[Measure]]
Place = tuple[str, str, Step, list[Measure]]  # panel, line, step, what was measured there


class _Lines(TypedDict, total=False):
    """What the three figures have in common."""

    title: Required[str]
    caption: Required[str]
    x: Required[Key]  # the ordered axis: numbers are sorted, words stand in the order of the measures
    line: Key  # a line each: the subject, unless said otherwise
    panel: Key | None  # a panel each
    axis: str  # what the values are
    x_axis: str
    over: str  # what several measures at one place are, such as "contracts"
    references: Sequence[Reference]
    stage: Key | None  # what a step belongs to: named above, with a line where it changes


def panels(measures: Sequence[Measure], **how: Unpack[_Lines]) -> Picture | None:
    """Small multiples: a panel a group, lines over equal steps. None without a measure.

    Several measures at one place are dots with their mean. No line is drawn across a measure without a value.
    """
    return _figure(measures, how, to_scale=False, ribbons=False)


def dose_response(measures: Sequence[Measure], **how: Unpack[_Lines]) -> Picture | None:
    """The same over a factor: doses that are numbers stand at their true distances, unless two lie too near."""
    return _figure(measures, how, to_scale=True, ribbons=False)


def trajectories(measures: Sequence[Measure], **how: Unpack[_Lines]) -> Picture | None:
    """The same over many steps: intervals are ribbons, so that lines stay readable."""
    return _figure(measures, how, to_scale=True, ribbons=True)


def _figure(measures: Sequence[Measure], how: _Lines, *, to_scale: bool, ribbons: bool) -> Picture | None:
    if not measures:
        return None
    axis, references = how.get("axis", ""), how.get("references", ())
    found = _gathered(measures, how)
    shown = {
        panel: dict(list(lines.items())[:MOST_LINES]) for panel, lines in list(found.items())[:MOST_PANELS]
    }
    where = _positions([value_of(how["x"], m) for m in measures], to_scale=to_scale)
    everywhere = [
        (panel, name, step, line[step])
        for panel, lines in shown.items()
        for name, line in lines.items()
        for step in where
        if step in line
    ]
    drawn = [m for *_, there in everywhere for m in there]
    stages = _stages(measures, how, where)
    # One legend where panels share their lines; else each has its own and begins with the first colour.
    names = list(dict.fromkeys(name for lines in shown.values() for name in lines))
    shared = len(names) <= MOST_LINES
    across = 2 if not shared or len(shown) == 2 else 4 if len(shown) == 4 else min(len(shown), 3)
    with drawing():
        figure = new_figure(WIDTH, 0.9 + (3.2 if len(shown) == 1 else 2.7 * -(-len(shown) // across)))
        grid = panel_grid(figure, len(shown), across)
        low, high = marks.axis_range(drawn, references)
        for axes, (panel, lines) in zip(grid, shown.items(), strict=True):
            axes.set_title(label(panel, 90 // across), pad=18 if stages else None)
            axes.set_ylim(low, high)
            axes.grid(axis="y")
            if low < 0 < high:
                axes.axhline(0, color=INK, linewidth=0.7, alpha=0.6)
            placed = [
                (where[step], m) for line in lines.values() for step, there in line.items() for m in there
            ]
            for reference in references:
                marks.draw_reference(axes, reference, placed, 0.35 * _gap(where), upright=True)
            _draw_lines(axes, lines, where, names if shared else [*lines], ribbons=ribbons)
            _draw_steps(axes, where, int(ROOM / across * (1.0 if shared else 0.6)))
            _draw_stages(axes, stages, where)
            axes.set_xlabel(label(how.get("x_axis", ""), 60))
            if not shared:
                axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, handlelength=1.4)
        for axes in grid[::across]:
            axes.set_ylabel(label(axis, 60))
        if shared:
            draw_legend(figure, grid, 4)
    said = marks.figure_caption(
        drawn,
        how["caption"],
        first_of(len(shown), len(found), "panels"),
        first_of(MOST_LINES, max(map(len, found.values())), "lines"),
        _gaps(everywhere),
        interval=_interval(everywhere, how.get("over", ""), ribbons=ribbons),
    )
    named = [(_named(*at, label_text(step)), m) for *at, step, there in everywhere for m in there]
    marked = "".join(f"{name} from {label_text(steps[0])}. " for name, steps in stages)
    alt = f"{axis or how['title']}. {marked}{marks.figure_alt(named)}"
    return Picture(how["title"], svg_later(figure), said, alt)


def _gathered(measures: Sequence[Measure], how: _Lines) -> dict[str, dict[str, Line]]:
    found: dict[str, dict[str, Line]] = {}
    for measure in measures:
        lines = found.setdefault(text_of(how.get("panel"), measure), {})
        line = lines.setdefault(text_of(how.get("line", "subject"), measure), {})
        line.setdefault(value_of(how["x"], measure), []).append(measure)
    return found


def _positions(steps: Sequence[Step], *, to_scale: bool) -> dict[Step, float]:
    """Words in their order, then numbers by size; to scale where there are only numbers, and none too near another."""
    words: list[Step] = [step for step in dict.fromkeys(steps) if isinstance(step, str)]
    numbers = sorted({step for step in steps if not isinstance(step, str)})
    if to_scale and not words:
        scaled: dict[Step, float] = {step: float(step) for step in numbers}
        if _gap(scaled) * 4 * len(numbers) >= numbers[-1] - numbers[0]:
            return scaled
    return {step: float(place) for place, step in enumerate([*words, *numbers])}


def _gap(where: Mapping[Step, float]) -> float:
    return min((after - before for before, after in pairwise(where.values())), default=1.0)


def _stages(
    measures: Sequence[Measure], how: _Lines, where: Mapping[Step, float]
) -> list[tuple[str, list[Step]]]:
    """Stretches of steps that belong together, in their order."""
    key = how.get("stage")
    of = {value_of(how["x"], m): text_of(key, m) for m in reversed(measures)} if key is not None else {}
    return [(name, list(steps)) for name, steps in groupby(where if of else (), key=lambda step: of[step])]


def _draw_stages(
    axes: Axes, stages: Sequence[tuple[str, Sequence[Step]]], where: Mapping[Step, float]
) -> None:
    for (_, before), (_, after) in pairwise(stages):
        between = (where[before[-1]] + where[after[0]]) / 2
        axes.axvline(between, color=INK, linewidth=0.8, linestyle=":", alpha=0.6)
    for name, steps in stages:
        middle = (where[steps[0]] + where[steps[-1]]) / 2
        above = axes.get_xaxis_transform()
        axes.text(middle, 1.02, label(name, 20), ha="center", va="bottom", fontsize=8.5, transform=above)


def _draw_lines(
    axes: Axes, lines: Mapping[str, Line], where: Mapping[Step, float], names: Sequence[str], *, ribbons: bool
) -> None:
    foot = axes.get_ylim()[0]
    for number, (name, line) in enumerate(lines.items()):
        style = names.index(name)
        colour = PALETTE[style % len(PALETTE)]
        marker = MARKERS[(style + style // len(PALETTE)) % len(MARKERS)]
        beside = min(0.09, 0.6 / len(lines)) * _gap(where) * (number - (len(lines) - 1) / 2)
        shift = 0.0 if ribbons else beside
        points = [(where[step] + shift, line[step]) for step in where if step in line]
        dots = [(at, m.value) for at, there in points if len(there) > 1 for m in there if m.value is not None]
        if dots:
            axes.scatter(
                [at for at, _ in dots], [y for _, y in dots], s=8, color=colour, alpha=0.35, linewidths=0
            )
        drawn = [(at, drawn_of(there)) for at, there in points]
        for _, stretch in groupby(drawn, key=lambda point: point[1] is None):
            known = [(at, one) for at, one in stretch if one is not None]
            _draw_stretch(axes, known, colour, marker, ribbons=ribbons)
        crosses = [at for at, one in drawn if one is None]
        if crosses:
            axes.plot(crosses, [foot] * len(crosses), "x", color=colour, clip_on=False)
        axes.plot([], [], marker="" if ribbons else marker, color=colour, linewidth=1.5, label=label(name))
    if any(drawn_of(there) is None for line in lines.values() for there in line.values()):
        axes.plot([], [], "x", color=INK, label="no data")


def _draw_stretch(
    axes: Axes, points: Sequence[tuple[float, Drawn]], colour: str, marker: str, *, ribbons: bool
) -> None:
    """A line without a gap, with its intervals."""
    axes.plot([at for at, _ in points], [one.value for _, one in points], color=colour, linewidth=1.4)
    if not ribbons:
        marks.draw_values(axes, points, colour, marker, upright=True)
        return
    ends = [(at, one.low, one.high) for at, one in points if one.low is not None and one.high is not None]
    if ends:
        places, lows, highs = zip(*ends, strict=True)
        axes.fill_between(places, lows, highs, color=colour, alpha=0.15, linewidth=0)
    bare = [
        (at, one._replace(low=None, bounds=None)) for at, one in points if one.flagged or len(points) == 1
    ]
    marks.draw_values(axes, bare, colour, marker, upright=True)


def _draw_steps(axes: Axes, where: Mapping[Step, float], room: int) -> None:
    texts = [label(label_text(step), 24) for step in where]
    crowded = len(texts) * (max(map(len, texts)) + 1) > room
    if crowded and all(step == at for step, at in where.items()):
        axes.locator_params(
            axis="x", nbins=max(3, room // 9), integer=all(at == int(at) for at in where.values())
        )
    elif crowded:
        axes.set_xticks([*where.values()], texts, rotation=30, ha="right", rotation_mode="anchor")
    else:
        axes.set_xticks([*where.values()], texts)
    beside = 0.4 * _gap(where)
    axes.set_xlim(min(where.values()) - beside, max(where.values()) + beside)


def _named(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def _interval(everywhere: Sequence[Place], over: str, *, ribbons: bool) -> str:
    if all(len(there) == 1 for *_, there in everywhere):
        return "The band around a line is its" if ribbons else "The bar through a mark is its"
    return (
        f"Marks are means over {over or 'several measures'}, which are the small dots. The bar of a mean tells how "
        "well one of them is known, not how well the mean is: its ends are the averaged ends of each one's"
    )


def _gaps(everywhere: Sequence[Place]) -> str:
    gaps: dict[tuple[str, str], list[str]] = {}
    for panel, name, step, there in everywhere:
        if drawn_of(there) is None:
            gaps.setdefault((_named(panel, name), no_data_text(there[0])), []).append(label_text(step))
    said = [f"{who} at {listed(steps)} ({why})" for (who, why), steps in list(gaps.items())[:MOST_GAPS]]
    more = f"; and {len(gaps) - MOST_GAPS} more" if len(gaps) > MOST_GAPS else ""
    return f"A cross at the foot stands for no value: {'; '.join(said)}{more}." if said else ""
