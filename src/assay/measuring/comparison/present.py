"""A comparison for people: a table of differences, a picture of them, and what is said beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.report.figures import forest_plot
from assay.report.presentation import Cellish, Headline, Number, Picture, Presentation
from assay.report.wording import labels_text, percent
from assay.vocabulary import Measure

from .comparing import ComparedSide, SideComparison
from .difference import ALPHA, MeasureDifference

__all__ = ["difference_text", "present_comparisons", "said_beside", "verdict_text"]

MOST_ALONE = 30  # further measures that are shown unasked, where there is nothing else
EXPLAIN = (
    ("difference", "the second less the first, with its interval; below 0 the second is lower"),
    ("units", "instances that both were put, or so many of the first and of the second where none is shared"),
    (
        "p",
        f"corrected by Holm over all differences of this comparison; {ALPHA:g} or less is called different",
    ),
    (
        "no larger than",
        "the difference lies within the declared margin: two one-sided tests, corrected by Holm",
    ),
    (
        "no test",
        "from two readings alone, or of values that rules assign: no outcomes could be set side by side",
    ),
)


def present_comparisons(
    comparisons: Sequence[SideComparison], margin: float | None, *, everything: bool = False
) -> list[tuple[str, Presentation]]:
    """One presentation for every instrument and every subject that others are compared with, with its title."""
    found: dict[str, dict[ComparedSide, list[SideComparison]]] = {}
    for one in comparisons:
        found.setdefault(one.instrument, {}).setdefault(one.first, []).append(one)
    tests = sum(d.p is not None for one in comparisons for d in one.differences)
    shown = []
    for name, bases in found.items():
        among = [one for own in bases.values() for one in own]
        for base, own in bases.items():
            title = name.capitalize()
            title += f", compared with {side_text(base, among)}" if len(bases) > 1 else ""
            shown.append((title, _present(own, among, tests, margin, everything=everything)))
    return shown


def _present(
    own: Sequence[SideComparison],
    among: Sequence[SideComparison],
    tests: int,
    margin: float | None,
    *,
    everything: bool,
) -> Presentation:
    """All comparisons with one side. ``among`` are those of the instrument, in which every side has its name."""
    pictures = [picture] if (picture := _picture(own, among)) else []
    further = [(one, d) for one in own for d in one.further]
    alone = len(further) <= MOST_ALONE and not any(one.differences for one in own)
    several = len(own) > 1
    base = side_text(own[0].first, among)
    tables = []
    if further and (everything or alone):
        more = [(side_text(one.second, among), d) for one, d in further]
        title = "Further measures, from published intervals"
        title += f", compared with {base}" if len({one.first for one in among}) > 1 else ""
        tables.append(_table(title, more, several, tests, None))
    return Presentation(
        headline=_table(
            f"Compared with {base}",
            [(side_text(one.second, among), d) for one in own for d in one.differences],
            several,
            tests,
            margin,
        ),
        summary=tuple(line for one in own for line in said_beside(one)),
        tables=tuple(tables),
        pictures=tuple(pictures),
        explain=EXPLAIN,
    )


def side_text(side: ComparedSide, among: Sequence[SideComparison]) -> str:
    """The subject where it says which side it is, else the run, else both."""
    sides = {s for one in among for s in (one.first, one.second)}
    subjects = {s.subject for s in sides}
    if len(subjects) == len(sides):
        return side.subject
    return side.run if len(subjects) == 1 else f"{side.subject} in {side.run}"


def _full_text(side: ComparedSide) -> str:
    return f"{side.subject} in {side.run}" if side.subject else side.run


def said_beside(one: SideComparison) -> Iterator[str]:
    """The label, every divergence, and what must stand beside the numbers."""
    yield f"{one.label}: {_full_text(one.second)} against {_full_text(one.first)}"
    yield from (f"  {divergence}" for divergence in one.divergences)
    if one.label == "Non-Comparable":
        yield "  no comparative inference is permitted, so no difference is given"
    yield from (f"  {note}" for note in (*one.notes, *one.accompanying))
    if one.further:
        yield f"  {len(one.further)} further measures that both have are compared by their published intervals"


def verdict_text(one: MeasureDifference, margin: float | None) -> str:
    """What the tests came to, in words."""
    if one.p is None:
        return "no test"
    said = ["different"] if one.different else []
    if one.equivalent and margin is not None:
        said.append(f"no larger than {margin:g}")
    return ", ".join(said) or "not established"


def difference_text(one: MeasureDifference) -> str:
    """Which measure it is of."""
    return f"{one.name} ({labels_text(one.labels)})" if one.labels else one.name


def _units(one: MeasureDifference) -> str:
    if one.pairing == "paired":
        return f"{one.units_shared:,} {'pair' if one.units_shared == 1 else 'pairs'}"
    apart = f"{one.units_first:,} and {one.units_second:,}"
    return f"{apart}, {one.units_shared:,} pairs" if one.units_shared else apart


def _table(
    title: str,
    found: Sequence[tuple[str, MeasureDifference]],
    several: bool,
    tests: int,
    margin: float | None,
) -> Headline:
    """Differences, each with the name of its second side; ``tests`` are all that p is corrected for."""
    rows: list[tuple[Cellish, ...]] = []
    for against, one in found:
        p = "" if one.p_corrected is None else _p_text(one.p_corrected)
        note = "; ".join(one.notes)
        rows.append(
            (
                difference_text(one),
                *((against,) if several else ()),
                Number(one.first),
                Number(one.second),
                Number(one.difference, one.low, one.high, flags=one.flags, note=note),
                _units(one),
                p,
                verdict_text(one, margin),
            )
        )
    second = ("second",) if several else ()
    columns = (
        "measure",
        *second,
        "first",
        "value" if several else "second",
        "difference",
        "units",
        "p",
        "verdict",
    )
    levels = sorted({one.confidence for _, one in found if one.confidence is not None})
    ranges = (
        f"Ranges of differences are {' and '.join(map(percent, levels))} intervals, each by itself."
        if levels
        else ""
    )
    if any(one.p is not None for _, one in found):
        ranges += f" p is corrected for all {tests} tests (Holm)."
    return Headline(title, columns, tuple(rows), ranges)


def _p_text(p: float) -> str:
    return "<.001" if p < 0.001 else f"{p:.3f}"


def _picture(own: Sequence[SideComparison], among: Sequence[SideComparison]) -> Picture | None:
    """Every difference that has an interval; where several are compared with the first, a mark each."""
    several = len(own) > 1
    drawn = [
        Measure(
            name=difference_text(one),
            value=one.difference,
            low=one.low,
            high=one.high,
            confidence=one.confidence,
            n=one.units_shared or one.units_first + one.units_second,
            units="difference",
            labels={"measure": difference_text(one), "second": side_text(comparison.second, among)},
            flags=one.flags,
        )
        for comparison in own
        for one in comparison.differences
        if one.difference is not None and one.low is not None
    ]
    return forest_plot(
        drawn,
        title=f"Differences from {side_text(own[0].first, among)}",
        caption="Second less first. At the line there is no difference.",
        rows="measure",
        series="second" if several else None,
        axis="difference",
    )
