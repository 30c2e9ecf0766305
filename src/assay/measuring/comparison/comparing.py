"""Two subjects, or one subject twice, by one instrument: the label first, then the differences that it allows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from assay.bench import Instrument
from assay.vocabulary import Flag, Measure, Result

from .alignment import Frame, FrameAlignment, FrameDivergence, Label, align
from .difference import MeasureDifference, PairedSamples, corrected, grouped, published_difference
from .observation import Observation

__all__ = ["ComparedSide", "Measured", "SideComparison", "compare_measured", "correct_all", "nothing_shared"]

NOT_SHARED = "what has no test is of all that each side has, not only of what both have"
Cell = tuple[str, tuple[tuple[str, str | float], ...]]  # a measure's name and labels


class ComparedSide(Struct, frozen=True):
    """One subject of one run; of a reading of plain rows ``lock`` is empty."""

    run: str
    subject: str
    lock: str = ""


class Measured(NamedTuple):
    """One side as an instrument read it. Without evidence there are no observations, only what was published."""

    side: ComparedSide
    frame: Frame
    result: Result
    observations: Sequence[Observation] = ()


class SideComparison(Struct, frozen=True, kw_only=True):
    """The second side less the first. Of what is Non-Comparable there are no differences.

    ``differences`` are printed and corrected together; ``further`` are all other measures that both readings have.
    ``accompanying`` must stand beside any of these numbers.
    """

    instrument: str
    first: ComparedSide
    second: ComparedSide
    label: Label
    divergences: tuple[FrameDivergence, ...] = ()
    differences: tuple[MeasureDifference, ...] = ()
    further: tuple[MeasureDifference, ...] = ()
    accompanying: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def nothing_shared(first: ComparedSide, second: ComparedSide, one: str, two: str) -> SideComparison:
    """Two runs that no instrument measured both of."""
    apart = FrameDivergence("instrument", f"{one} against {two}", "Non-Comparable")
    return SideComparison(
        instrument=one, first=first, second=second, label="Non-Comparable", divergences=(apart,)
    )


def compare_measured(
    instrument: Instrument, first: Measured, second: Measured, margin: float | None = None
) -> SideComparison:
    """One instrument's comparison, before correction."""
    names = {label for one in (first, second) for o in one.observations for label in o.labels}
    alignment = align(first.frame, second.frame, selecting=instrument.selecting, labels=names)
    common: dict[str, Any] = {
        "instrument": instrument.name,
        "first": first.side,
        "second": second.side,
        "divergences": alignment.divergences,
    }
    if alignment.label == "Non-Comparable":
        return SideComparison(**common, label=alignment.label)
    observed = [*_observed(first, second, alignment, margin)]
    published = [*_published(first, second)]
    named = [one for one in published if one.name in instrument.compared]
    if not observed and not published:
        nothing = FrameDivergence("measures", "none that both have", "Non-Comparable")
        return SideComparison(
            **common | {"divergences": (*alignment.divergences, nothing)}, label="Non-Comparable"
        )
    return SideComparison(
        **common,
        label=alignment.label,
        differences=(*observed, *named),
        further=tuple(one for one in published if one.name not in instrument.compared),
        accompanying=tuple(_accompanying(instrument, first, second)),
        notes=(_pairing_note(observed), *(() if alignment.whole else (NOT_SHARED,))),
    )


def _observed(
    first: Measured, second: Measured, alignment: FrameAlignment, margin: float | None
) -> Iterator[MeasureDifference]:
    one, two = (grouped(_shared(side.observations, alignment)) for side in (first, second))
    for cell, values in sorted(one.items(), key=_wholes_first):
        if cell in two:
            samples = PairedSamples(values, two[cell], paired=alignment.paired)
            found = samples.difference(cell[0], dict(cell[1]), margin=margin)
            yield _flagged(found, first, second)


def _wholes_first(found: tuple[Cell, Any]) -> tuple[int, str, str]:
    """What has fewer labels is of more; the order of trials is that of their digests, and says nothing."""
    (name, labels), _ = found
    return len(labels), name, str(labels)


def _shared(observations: Sequence[Observation], alignment: FrameAlignment) -> Iterator[Observation]:
    """Of families and regimes that both have."""
    for one in observations:
        regime = one.labels.get("regime")
        if (alignment.families is None or one.family in alignment.families) and (
            regime is None or regime in alignment.regimes
        ):
            yield one


def _flagged(found: MeasureDifference, first: Measured, second: Measured) -> MeasureDifference:
    """With the flags of what was published of it. What is Invalid is shown and not tested."""
    flags = list(dict.fromkeys([*_flags(found, first), *_flags(found, second)]))
    if any(flag.kind == "Invalid" for flag in flags):
        return replace(
            found, flags=tuple(flags), p=None, p_margin=None, notes=(*found.notes, "Invalid: not tested")
        )
    return replace(found, flags=tuple(flags))


def _flags(found: MeasureDifference, measured: Measured) -> Iterator[Flag]:
    for measure in _own(measured):
        if measure.name == found.name and found.labels.items() <= measure.labels.items():
            yield from measure.flags


def _own(measured: Measured) -> list[Measure]:
    return [m for m in measured.result.measures if m.labels.get("subject") == measured.side.subject]


def _published(first: Measured, second: Measured) -> Iterator[MeasureDifference]:
    # The boundary is the side's own, like its name; rows may have both boundaries of one subject.
    beside = {"subject", *(("boundary",) if first.frame.known and second.frame.known else ())}
    two = {_cell(measure, beside): measure for measure in _own(second)}
    for measure in _own(first):
        other = two.get(_cell(measure, beside))
        if other is not None and not (measure.value is None and other.value is None):
            yield published_difference(measure, other, beside)


def _cell(measure: Measure, beside: Collection[str]) -> Cell:
    return measure.name, tuple(sorted((k, v) for k, v in measure.labels.items() if k not in beside))


def _accompanying(instrument: Instrument, first: Measured, second: Measured) -> Iterator[str]:
    for which, one in (("first", first), ("second", second)):
        own = [
            m for m in one.result.measures if m.labels.get("subject", one.side.subject) == one.side.subject
        ]
        for text in instrument.accompanying(replace(one.result, measures=tuple(own))):
            yield f"{which}: {text}"


def _pairing_note(observed: Sequence[MeasureDifference]) -> str:
    if not observed:
        return "unpaired: no outcomes are at hand, only what was published"
    kinds = {one.pairing for one in observed}
    if kinds == {"paired"}:
        return "paired by instance: both were put the same"
    if kinds == {"unpaired"}:
        return "unpaired: no instance is shared"
    return "partly paired: by instance where one is shared, see units"


def correct_all(comparisons: Sequence[SideComparison]) -> list[SideComparison]:
    """All differences that are printed are corrected together, whatever instrument and run they are of."""
    every = corrected([one for comparison in comparisons for one in comparison.differences])
    found, at = [], 0
    for comparison in comparisons:
        size = len(comparison.differences)
        found.append(replace(comparison, differences=tuple(every[at : at + size])))
        at += size
    return found
