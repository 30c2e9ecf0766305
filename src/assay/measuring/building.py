"""Measures of cluster estimates and of numbers, many with the same labels: one builder, with or without intervals.

``verdicts`` gives the verdicts on such estimates, by Holm over all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assay.canonical import real
from assay.stats import ClusterEstimate, holm, student_mean
from assay.vocabulary import Flag, Measure, Verdict

from .measures import NO_DATA

__all__ = ["Claimed", "Ends", "MeasureBuilder", "exact", "mean_ends", "split"]

Ends = tuple[float, float]  # of an interval, or of what unreadable answers could make of a value


def split(confidence: float, parts: int) -> float:
    """Bonferroni: each of several intervals at this confidence, all of them at the given one."""
    return 1.0 - (1.0 - confidence) / parts if parts > 1 else confidence


def exact(value: float) -> float:
    """To 12 digits, so that .75 - .65 is .1 where it is compared with a threshold."""
    return real(value) or 0.0


def mean_ends(spans: Sequence[Ends]) -> Ends | None:
    return (
        (sum(low for low, _ in spans) / len(spans), sum(high for _, high in spans) / len(spans))
        if spans
        else None
    )


class Claimed(NamedTuple):
    """An estimate whose difference from 0 is claimed, and what unreadable answers could make of it."""

    claim: str
    estimate: ClusterEstimate
    bounds: Ends | None = None
    labels: Mapping[str, str] = {}


class MeasureBuilder:
    """Builds measures that share their labels; without a confidence they have no intervals."""

    def __init__(
        self, labels: Mapping[str, str], confidence: float | None = 0.95, things: str = "clusters"
    ) -> None:
        self.labels, self.confidence, self.things = labels, confidence, things

    @property
    def alpha(self) -> float:
        return exact(1.0 - (self.confidence or 0.0))

    def ends(self, estimate: ClusterEstimate, parts: int = 1) -> Ends | None:
        """The interval of an estimate; of one of several parts that are to hold together, at alpha / parts."""
        return estimate.ends(split(self.confidence, parts)) if self.confidence else None

    def method(self, estimate: ClusterEstimate) -> str:
        return f"gaffke over {estimate.clusters} {self.things}"

    def __call__(
        self,
        name: str,
        found: ClusterEstimate | float | None,
        at: Mapping[str, str | float] | None = None,
        *,
        ends: Ends | None = None,
        n: int | None = None,
        units: str = "share",
        method: str = "",
        why: str = NO_DATA,
        bounds: Ends | None = None,
        spec: float | None = None,
        k: int | None = None,
        flags: Sequence[Flag] = (),
        notes: Sequence[str] = (),
    ) -> Measure:
        """A measure of an estimate, or of a number with its ``ends``; ``at`` are further labels, empty ones left out.

        Its interval and its ``bounds`` hold its value; without a value there is ``why`` instead.
        """
        value = found.value if isinstance(found, ClusterEstimate) else found
        if isinstance(found, ClusterEstimate):
            n, ends = found.n if n is None else n, self.ends(found) if ends is None else ends
            method = ", ".join(filter(None, (method, self.method(found))))
        spans: dict[str, Any] = {}
        if value is not None and ends is not None:
            spans = {"low": real(min(ends[0], value)), "high": real(max(ends[1], value))}
            spans["confidence"] = self.confidence
        if bounds is not None:
            held = (*bounds, value) if value is not None else bounds
            spans |= {"bound_low": real(min(held)), "bound_high": real(max(held))}
        return Measure(
            name=name,
            value=real(value),
            k=None if value is None else k,
            spec_value=real(spec),
            n=n or 0,
            units=units,
            method=method,
            labels={**self.labels, **{name: label for name, label in (at or {}).items() if label != ""}},
            flags=tuple(flags),
            notes=tuple(notes) if value is not None else (why, *notes),
            **spans,
        )

    def student(
        self, name: str, clusters: Sequence[Sequence[float]], notes: Sequence[str] = (), **more: Any
    ) -> Measure:
        """The mean of values without known limits, with Student's interval over clusters where there is one."""
        found = student_mean(clusters, confidence=self.confidence or 0.95)
        ends = None
        if self.confidence and found.low is not None and found.high is not None:
            ends = found.low, found.high
        elif self.confidence and found.value is not None:
            alike = ", all the same" if found.clusters > 1 else ""
            notes = [*notes, f"no interval: {found.clusters} of {self.things}{alike}"]
        method = f"student over {found.clusters} {self.things}"
        return self(name, found.value, ends=ends, n=found.n, method=method, notes=notes, **more)

    def flag(
        self, name: str, holds: bool | None, n: int, method: str, *, spec: bool | None = None, **more: Any
    ) -> Measure:
        """Yes or no as 1 or 0, decided by values; null where it cannot be decided."""
        value, conventional = (None if one is None else float(one) for one in (holds, spec))
        return self(name, value, n=n, units="yes/no", method=method, spec=conventional, **more)

    def verdicts(
        self, name: str, found: Sequence[Claimed], over: str = "", why: str = NO_DATA
    ) -> Iterator[Verdict]:
        """Which estimates differ from 0, by Holm ``over`` all of them; not where unreadable answers could undo it."""
        adjusted = holm([one.estimate.p_value() for one in found], missing="drop")
        for one, p in zip(found, adjusted.adjusted, strict=True):
            holds, because, bounds = None, why, one.bounds
            if p is not None and one.estimate.value is not None:
                held = (*bounds, one.estimate.value) if bounds else ()
                undone = bounds is not None and min(held) <= 0.0 <= max(held)
                holds = True if p <= self.alpha and not undone else None
                because = f"{one.estimate.value:+.3f}, p = {p:.3g}"
                because += ", but unreadable answers could undo it" if p <= self.alpha and undone else ""
            yield Verdict(
                name=name,
                kind="comparison",
                labels={**self.labels, **one.labels},
                claim=one.claim,
                rule=f"p at most {self.alpha:g}"
                + (f", by Holm over {adjusted.tests} {over}" if over else "")
                + (", whatever the unreadable answers were" if bounds is not None else ""),
                holds=holds,
                because=because,
            )
