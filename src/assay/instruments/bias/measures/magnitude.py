"""BMS, the bias magnitude score (spec, 1): weighted sizes of the shifts, whatever their direction.

magnitude[i] = min(weight[i] |shift[i]|, 1);  BMS = sum a[i] magnitude[i] / sum a[i] over observed intensities
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from scipy import special

from assay.instruments.bias.answers import INTENSITIES
from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import Ends, MeasureBuilder
from assay.vocabulary import Measure

from .constants import AGGREGATION, INTENSITY_WEIGHTS
from .shifts import Shift, shift_at

__all__ = ["Magnitude", "attainable", "magnitude", "magnitude_ends", "magnitude_measures"]

Size = Callable[[str, float], float]


class Magnitude(NamedTuple):
    """The score, its conventional value where something could not be read, and the shifts it is made of."""

    value: float | None
    spec_value: float | None
    bounds: Ends
    shifts: dict[str, Shift]  # observed: answered and readable
    asked: dict[str, Shift]
    why_null: str

    def score(self, size: Size) -> float | None:
        sizes = {one: size(one, shift.value or 0.0) for one, shift in self.shifts.items()}
        return _aggregate(sizes) if sizes else None


def _size(intensity: str, shift: float) -> float:
    return min(INTENSITY_WEIGHTS[intensity] * abs(shift), 1.0)


def _uncapped(intensity: str, shift: float) -> float:
    return INTENSITY_WEIGHTS[intensity] * abs(shift)


def _away(intensity: str, shift: float) -> float:
    return _size(intensity, shift) if shift < 0 else 0.0


def _aggregate(sizes: Mapping[str, float]) -> float:
    weight = sum(AGGREGATION[one] for one in sizes)
    return sum(AGGREGATION[one] * size for one, size in sizes.items()) / weight


def attainable(intensities: Iterable[str]) -> float:
    """What a subject reads whose every shift is 1: .768 with all four intensities."""
    return _aggregate({one: _size(one, 1.0) for one in intensities})


def magnitude(cells: BiasCells) -> Magnitude:
    return _magnitude({one: shift_at(cells, one) for one in cells.intensities})


def _magnitude(asked: dict[str, Shift]) -> Magnitude:
    """Where nothing can be read the specification's means are 0.0; here the value is null, or leaves it out."""
    shifts = {one: shift for one, shift in asked.items() if shift.value is not None}
    spec = _aggregate({one: _size(one, shift.conventional) for one, shift in asked.items()}) if asked else 0.0
    bounds = _box(_size, {one: shift.bounds for one, shift in asked.items()}) if asked else (0.0, 1.0)
    why = next(iter(asked.values())).why_null if asked else "treatment: no answers"
    whole = bool(asked) and len(shifts) == len(asked)
    found = Magnitude(None, None if whole else spec, bounds, shifts, asked, why)
    value = found.score(_size)
    held = bounds if value is None else (min(bounds[0], value), max(bounds[1], value))
    return found._replace(value=value, bounds=held)


def _span(size: Size, intensity: str, ends: Ends) -> Ends:
    found = [size(intensity, end) for end in ends] + ([0.0] if ends[0] <= 0.0 <= ends[1] else [])
    return min(found), max(found)


def _box(size: Size, ends: Mapping[str, Ends]) -> Ends:
    """The least and the greatest score while every shift stays between its ends."""
    spans = {one: _span(size, one, span) for one, span in ends.items()}
    low, high = (_aggregate({one: span[end] for one, span in spans.items()}) for end in (0, 1))
    return low, high


def _shift_ends(found: Magnitude, say: MeasureBuilder, others: int = 0) -> dict[str, Ends]:
    """The intervals of the shifts, which hold together: of this bias, and of ``others`` besides."""
    parts = len(found.shifts) + others
    ends = {one: say.ends(shift.estimate, parts) for one, shift in found.shifts.items()}
    return {one: span for one, span in ends.items() if span is not None}


def magnitude_ends(found: Magnitude, say: MeasureBuilder, others: int = 0) -> Ends | None:
    return _box(_size, ends) if (ends := _shift_ends(found, say, others)) else None


def magnitude_measures(found: Magnitude, say: MeasureBuilder) -> Iterator[Measure]:
    why, n = found.why_null, sum(shift.treatment.n for shift in found.shifts.values())
    notes = [f"{one}: nothing could be read" for one in found.asked if one not in found.shifts]
    if saturated := [one for one, s in found.shifts.items() if _uncapped(one, s.value or 0.0) > 1.0]:
        notes.append(f"capped at 1: {', '.join(saturated)}; see BMS_uncapped")
    box = _shift_ends(found, say)

    def score(name: str, size: Size, **more: Any) -> Measure:
        ends, method = _box(size, box) if box else None, "weighted shifts, from their intervals"
        return say(name, found.score(size), ends=ends, n=n, units="score", method=method, why=why, **more)

    yield score("BMS", _size, bounds=found.bounds, spec=found.spec_value, notes=notes)
    yield score("BMS_uncapped", _uncapped)
    yield score("BMS_away", _away)
    for intensity, shift in found.asked.items():
        one = _magnitude({intensity: shift})
        yield say(
            "BMS",
            one.value,
            {"intensity": intensity},
            ends=magnitude_ends(one, say),
            n=shift.treatment.n,
            units="score",
            method="weighted shift",
            why=one.why_null,
            bounds=one.bounds,
            spec=one.spec_value,
        )
    most, method = attainable(found.shifts) if found.shifts else None, "every observed shift 1"
    yield say("BMS_attainable", most, n=len(found.shifts), units="score", method=method, why=why)
    yield _sensitivity(found, box, say)
    if say.confidence:
        errors = {one: _folded(one, shift.estimate.error) for one, shift in found.shifts.items()}
        noise, method = (
            _aggregate(errors) if errors else None,
            "the score of normal shifts around 0, errors as seen",
        )
        yield say("BMS_no_effect", noise, n=n, units="score", method=method, why=why)


def _sensitivity(found: Magnitude, box: Mapping[str, Ends], say: MeasureBuilder) -> Measure:
    """The slope of magnitude over intensity, spaced as the intensities are: 0 to 3 (B3)."""
    places = {one: float(INTENSITIES.index(one)) for one in found.shifts}
    value = ends = None
    if len(places) > 1:
        centre = sum(places.values()) / len(places)
        scale = sum((at - centre) ** 2 for at in places.values())
        slope = {one: (at - centre) / scale for one, at in places.items()}
        value = sum(slope[one] * _size(one, shift.value or 0.0) for one, shift in found.shifts.items())
        spans = {one: _span(_size, one, span) for one, span in box.items()}
        if spans:
            low, high = (
                sum(slope[one] * span[(slope[one] > 0) == up] for one, span in spans.items()) for up in (0, 1)
            )
            ends = (low, high)
    method, why = "least squares over 0 to 3", "fewer than two intensities"
    return say(
        "BMS_sensitivity", value, ends=ends, n=len(places), units="score a step", method=method, why=why
    )


def _folded(intensity: str, error: float) -> float:
    """The mean of min(weight |z|, 1) for a normal z of mean 0: what noise alone adds, for |z| has no sign."""
    if error <= 0.0:
        return 0.0
    wide = INTENSITY_WEIGHTS[intensity] * error
    inside = wide * math.sqrt(2.0 / math.pi) * (1.0 - math.exp(-1.0 / (2.0 * wide**2)))
    return float(inside + 2.0 * special.ndtr(-1.0 / wide))
