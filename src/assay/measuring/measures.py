"""From numbers to measures: one builder, the flags of what was lost, and finding a measure again by its labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from assay.canonical import real
from assay.report.wording import NO_DATA, percent
from assay.stats import Interval, clopper_pearson, share_bounds
from assay.vocabulary import Exclusion, Flag, Measure, Result, Verdict

__all__ = [
    "NO_DATA",
    "Labelled",
    "Labels",
    "exclusion_flags",
    "find_measure",
    "find_verdict",
    "lost_of",
    "measure_of",
    "percent",
    "plain_measure",
    "share_of_outcomes",
    "with_flags",
]

Labels = Mapping[str, str | float]
NO_LABELS: Labels = MappingProxyType({})


def measure_of(
    name: str,
    interval: Interval,
    labels: Labels,
    *,
    value: Fraction | float | UnsetType | None = UNSET,
    k: int | None = None,
    n: int | None = None,
    units: str = "share",
    why_null: str = NO_DATA,
    bounds: tuple[float | None, float | None] = (None, None),
    spec_value: float | None = None,
    method: str | None = None,
    flags: Sequence[Flag] = (),
    notes: Sequence[str] = (),
) -> Measure:
    """A measure from its interval. Where there is no value there is no interval, and the reason stands instead.

    ``value``, ``k`` and ``n`` are the interval's own unless given: a value may count what its interval leaves out.
    """
    shown = interval.value if value is UNSET else value
    own = value is UNSET and n is None
    return Measure(
        name=name,
        value=None if shown is None else real(float(shown)),
        k=None if shown is None else interval.k if own and k is None else k,
        low=None if shown is None else real(interval.low),
        high=None if shown is None else real(interval.high),
        confidence=interval.confidence,
        bound_low=real(bounds[0]),
        bound_high=real(bounds[1]),
        spec_value=real(spec_value),
        n=interval.n if n is None else n,
        units=units,
        method=interval.method if method is None else method,
        labels=dict(labels),
        flags=tuple(flags),
        notes=(why_null, *notes) if shown is None else tuple(notes),
    )


def plain_measure(
    name: str,
    value: float | None,
    labels: Labels,
    *,
    n: int,
    units: str,
    method: str,
    why_null: str = NO_DATA,
    spec_value: float | None = None,
    flags: Sequence[Flag] = (),
    notes: Sequence[str] = (),
) -> Measure:
    """A measure without an interval: a count, a position, a level."""
    return Measure(
        name=name,
        value=real(value),
        spec_value=real(spec_value),
        n=n,
        units=units,
        method=method,
        labels=dict(labels),
        flags=tuple(flags),
        notes=(why_null, *notes) if value is None else tuple(notes),
    )


def share_of_outcomes(
    name: str,
    labels: Labels,
    successes: int,
    failures: int,
    unknown: int = 0,
    confidence: float = 0.95,
    *,
    why_null: str = NO_DATA,
    flags: Sequence[Flag] = (),
    notes: Sequence[str] = (),
) -> Measure:
    """A share of successes by Clopper and Pearson; unknown outcomes widen its bounds and are never dropped."""
    known = clopper_pearson(successes, successes + failures, confidence)
    bounds: tuple[float | None, float | None] = (None, None)
    more = list(notes)
    if unknown:
        found = share_bounds(successes, failures, unknown, confidence, method="clopper-pearson")
        bounds = (found.bound_low, found.bound_high)
        more.append(f"{unknown} of {successes + failures + unknown} outcomes are unknown")
    return measure_of(name, known, labels, why_null=why_null, bounds=bounds, flags=flags, notes=more)


def exclusion_flags(lost: int, planned: int, most: Fraction | float, things: str) -> tuple[Flag, ...]:
    """What infrastructure lost: Invalid past the declared share, Provisional below it."""
    if lost <= 0:
        return ()
    cause = f"{lost} of {planned} {things} excluded"
    if Fraction(lost, planned) > Fraction(str(most)):
        return (Flag("Invalid", f"{cause}, more than the declared share"),)
    return (Flag("Provisional", cause),)


def with_flags(measure: Measure, flags: Sequence[Flag]) -> Measure:
    return msgspec.structs.replace(measure, flags=(*measure.flags, *flags)) if flags else measure


T = TypeVar("T", Measure, Verdict)


class Labelled(Generic[T]):
    """Measures or verdicts, found by name and labels."""

    def __init__(self, things: Iterable[T]) -> None:
        self._by_name: dict[str, list[T]] = {}
        for thing in things:
            self._by_name.setdefault(thing.name, []).append(thing)

    def all(self, name: str, labels: Labels = NO_LABELS) -> list[T]:
        """Those of this name whose labels include the given ones, in their order."""
        wanted = labels.items()
        return [thing for thing in self._by_name.get(name, ()) if wanted <= thing.labels.items()]

    def get(self, name: str, labels: Labels = NO_LABELS) -> T | None:
        """The first of them."""
        return next(iter(self.all(name, labels)), None)

    def exact(self, name: str, labels: Labels) -> T | None:
        """The one with just these labels."""
        return next((t for t in self._by_name.get(name, ()) if t.labels == labels), None)

    def label_values(self, name: str, label: str) -> Iterator[str | float]:
        """The values that a label has among those of this name, each once."""
        yield from dict.fromkeys(t.labels[label] for t in self._by_name.get(name, ()) if label in t.labels)


def find_measure(result: Result, name: str, **labels: str | float) -> Measure | None:
    """The first measure of this name with these labels."""
    return Labelled(result.measures).get(name, labels)


def find_verdict(result: Result, name: str, **labels: str | float) -> Verdict | None:
    return Labelled(result.verdicts).get(name, labels)


def lost_of(excluded: Iterable[Exclusion], **labels: str | float) -> int:
    """How many trials with these labels were excluded."""
    return sum(one.count for one in excluded if labels.items() <= one.labels.items())
