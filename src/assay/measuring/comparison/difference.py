"""How far two measurements differ: from the values of units that can be paired, or from what was published.

A value is a mean over parts of pooled rates; the difference, second less first, is a sum of such rates with signs
over the units of both (`cluster_contrast`). A unit that both have adds its own difference, so pairs count as pairs;
units that only one has add theirs alone. For paired yes/no values the p-value is McNemar's exact one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from assay.canonical import real
from assay.measuring.measures import Labels
from assay.stats import ClusterEstimate, ClusterTerm, cluster_average, cluster_contrast, holm
from assay.vocabulary import Flag, Measure

from .observation import Observation

__all__ = ["ALPHA", "MeasureDifference", "PairedSamples", "Pairing", "corrected", "published_difference"]

ALPHA = 0.05  # of all comparisons that are printed, together
CONFIDENCE = 0.95
Pairing = Literal["paired", "partly paired", "unpaired", "published"]
Fill = Literal["leave", "least", "most"]


class MeasureDifference(Struct, frozen=True, kw_only=True):
    """Second less first. ``different`` and ``equivalent`` are decided over all comparisons that are printed.

    ``pairing`` is ``published`` where no units are at hand, only the intervals of two readings. ``different`` is True
    or None: that nothing was found does not say that nothing is there. ``equivalent`` is of the margin.
    """

    name: str
    labels: dict[str, str | float]
    first: float | None
    second: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    bound_low: float | None = None
    bound_high: float | None = None
    pairing: Pairing
    units_first: int
    units_second: int
    units_shared: int = 0
    p: float | None = None
    p_corrected: float | None = None
    different: bool | None = None
    p_margin: float | None = None
    equivalent: bool | None = None
    method: str
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()


class _Tally(NamedTuple):
    """Answers of one side in one part with one sign, by unit: how many were read, their sum, how many were not."""

    known: np.ndarray[tuple[int], np.dtype[np.float64]]
    sum: np.ndarray[tuple[int], np.dtype[np.float64]]
    unknown: np.ndarray[tuple[int], np.dtype[np.float64]]

    def rate(self, fill: Fill) -> float:
        """The mean of those that were read, or if all unread ones had been 0, or 1."""
        known, total, unknown = (float(column.sum()) for column in self)
        if fill == "leave":
            return total / known
        return (total + unknown * (fill == "most")) / (known + unknown)


class PairedSamples:
    """The observations of one measure on both sides. Without ``paired`` no unit is the other side's."""

    def __init__(
        self, first: Sequence[Observation], second: Sequence[Observation], *, paired: bool = True
    ) -> None:
        signs = {
            (place, o.part, o.sign)
            for place, side in enumerate((first, second))
            for o in side
            if o.value is not None
        }
        wanted = {(part, sign) for _, part, sign in signs}
        open_ = {part for part, sign in wanted if not {(0, part, sign), (1, part, sign)} <= signs}
        self._parts = sorted({part for part, _ in wanted} - open_)  # those with every rate on both sides
        self._sides = tuple([o for o in side if o.part not in open_] for side in (first, second))
        self._keys = ("", "") if paired else ("0/", "1/")

    @cached_property
    def units(self) -> tuple[frozenset[str], frozenset[str]]:
        """The units of either side whose answers were read."""
        one, two = (
            frozenset(self._keys[place] + o.unit for o in side if o.value is not None)
            for place, side in enumerate(self._sides)
        )
        return one, two

    @cached_property
    def _tallies(self) -> dict[str, dict[tuple[int, float], _Tally]]:
        """By part, then by side and sign; the columns are the units of the part."""
        found: dict[str, dict[tuple[int, float], _Tally]] = {}
        for part in self._parts:
            own = [[o for o in side if o.part == part] for side in self._sides]
            names = sorted({self._keys[place] + o.unit for place in range(2) for o in own[place]})
            column = {name: number for number, name in enumerate(names)}
            signs = sorted({o.sign for side in own for o in side}, reverse=True)
            tallies = {
                (place, sign): _Tally(*(np.zeros(len(names)) for _ in range(3)))
                for place in range(2)
                for sign in signs
            }
            for place, side in enumerate(own):
                for one in side:
                    tally, at = tallies[place, one.sign], column[self._keys[place] + one.unit]
                    if one.value is None:
                        tally.unknown[at] += 1.0
                    else:
                        tally.known[at] += 1.0
                        tally.sum[at] += one.value
            found[part] = tallies
        return found

    def value(self, place: int, fill: Sequence[Fill] = ("leave", "leave")) -> float | None:
        """The measure of the first side (0) or the second (1); ``fill`` is for signs 1 and -1."""
        values = [
            sum(sign * tally.rate(fill[sign < 0]) for (side, sign), tally in tallies.items() if side == place)
            for tallies in self._tallies.values()
        ]
        return sum(values) / len(values) if values else None

    @cached_property
    def estimate(self) -> ClusterEstimate:
        """The difference with what every unit adds to it."""
        found = [
            cluster_contrast(
                *(
                    ClusterTerm(tally.known, tally.sum, sign if place else -sign)
                    for (place, sign), tally in tallies.items()
                )
            )
            for tallies in self._tallies.values()
        ]
        return found[0] if len(found) == 1 else cluster_average(found)

    def bounds(self) -> tuple[float | None, float | None]:
        """The difference if all that could not be read had gone one way, or the other; None where all was read."""
        if all(one.value is not None for side in self._sides for one in side):
            return None, None
        down: tuple[Fill, Fill] = ("least", "most")
        up: tuple[Fill, Fill] = ("most", "least")
        ends = [(self.value(0, one), self.value(1, two)) for one, two in ((up, down), (down, up))]
        low, high = (None if a is None or b is None else b - a for a, b in ends)
        return low, high

    def difference(
        self, name: str, labels: Labels, *, margin: float | None = None, confidence: float = CONFIDENCE
    ) -> MeasureDifference:
        """The difference before correction for the others."""
        one, two = self.units
        shared = len(one & two)
        estimate = self.estimate
        pairing: Pairing = "paired" if shared and one == two else "partly paired" if shared else "unpaired"
        low, high = estimate.ends(confidence) if estimate.value is not None else (None, None)
        bounds = self.bounds()
        unread = [sum(o.value is None for o in side) for side in self._sides]
        notes = [f"not read: {unread[0]} in the first, {unread[1]} in the second"] if any(unread) else []
        if estimate.value is None:
            notes.append("no value on one side")
        return MeasureDifference(
            name=name,
            labels=dict(labels),
            first=real(self.value(0)),
            second=real(self.value(1)),
            difference=real(estimate.value),
            low=real(low),
            high=real(high),
            confidence=confidence if low is not None else None,
            bound_low=real(bounds[0]),
            bound_high=real(bounds[1]),
            pairing=pairing,
            units_first=len(one),
            units_second=len(two),
            units_shared=shared,
            p=real(estimate.p_value()),
            p_margin=real(_outside(estimate, margin)),
            method=f"gaffke over {estimate.clusters} units",
            notes=tuple(notes),
        )


def _outside(estimate: ClusterEstimate, margin: float | None) -> float | None:
    """The p-value of a difference of the margin or more: the larger of two one-sided tests (Schuirmann 1987)."""
    if margin is None or estimate.value is None:
        return None
    if abs(estimate.value) >= margin:
        return 1.0
    tests = [estimate.p_value(end) for end in (-margin, margin)]
    return None if tests[0] is None or tests[1] is None else max(tests[0], tests[1]) / 2.0


def corrected(found: Sequence[MeasureDifference], alpha: float = ALPHA) -> list[MeasureDifference]:
    """All that are printed together, by Holm: differences one family of tests, equivalences another."""
    apart = holm([one.p for one in found], missing="drop")
    near = holm([one.p_margin for one in found], missing="drop")
    return [
        replace(
            one,
            p_corrected=real(p),
            different=True if p is not None and p <= alpha else None,
            equivalent=True if q is not None and q <= alpha else None,
        )
        for one, p, q in zip(found, apart.adjusted, near.adjusted, strict=True)
    ]


def published_difference(
    first: Measure, second: Measure, beside: Collection[str] = ("subject",)
) -> MeasureDifference:
    """From two readings alone. Each end joins an end of either interval, so its error is at most that of both.

    There is no test: which outcomes belong together, and which hang together, is not in a reading. ``beside`` are
    labels of the side, not of what is compared.
    """
    ends: tuple[float | None, float | None] = (None, None)
    confidence = None
    notes = []
    there = first.value is not None and second.value is not None
    if there and None not in (
        first.low,
        first.high,
        second.low,
        second.high,
        first.confidence,
        second.confidence,
    ):
        ends = second.low - first.high, second.high - first.low  # type: ignore[operator]
        wrong = sum(1.0 - (one.confidence or 0.0) for one in (first, second))
        confidence = max(0.0, 1.0 - wrong)
        notes.append("from the two published intervals; no test")
    elif there:
        notes.append("no interval: a difference of two values that have none")
    else:
        notes.append("no value on one side")
    return MeasureDifference(
        name=first.name,
        labels={key: value for key, value in first.labels.items() if key not in beside},
        first=first.value,
        second=second.value,
        difference=real(second.value - first.value) if there else None,  # type: ignore[operator]
        low=real(ends[0]),
        high=real(ends[1]),
        confidence=real(confidence),
        pairing="published",
        units_first=first.n,
        units_second=second.n,
        method="joined intervals" if confidence is not None else "values alone",
        flags=tuple(dict.fromkeys((*first.flags, *second.flags))),
        notes=tuple(notes),
    )


def grouped(
    observations: Iterable[Observation],
) -> dict[tuple[str, tuple[tuple[str, str | float], ...]], list[Observation]]:
    """By measure and labels, in the order in which they come."""
    found: dict[tuple[str, tuple[tuple[str, str | float], ...]], list[Observation]] = {}
    for one in observations:
        found.setdefault((one.measure, _key(one.labels)), []).append(one)
    return found


def _key(labels: Mapping[str, str | float]) -> tuple[tuple[str, str | float], ...]:
    return tuple(sorted(labels.items()))
