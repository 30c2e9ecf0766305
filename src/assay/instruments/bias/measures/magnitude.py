"""BMS, the bias magnitude score (spec, 1): weighted sizes of the shifts, whatever their direction.

magnitude[i] = min(weight[i] |shift[i]|, 1);  BMS = sum a[i] magnitude[i] / sum a[i] over observed intensities
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from scipy import special

from assay.instruments.bias.answers import INTENSITIES
from assay.instruments.bias.cells import BiasCells
from assay.vocabulary import Measure

from .constants import AGGREGATION, INTENSITY_WEIGHTS
from .estimates import Ends
from .settings import BiasSettings, reported
from .shifts import Shift, shift_at

__all__ = ["Magnitude", "attainable", "magnitude", "magnitude_ends", "magnitude_measures"]

Sizes = Mapping[str, float]


class Magnitude(NamedTuple):
    """The score, its conventional value where something is absent, and the shifts it is made of."""

    value: float | None
    spec_value: float | None
    bounds: Ends
    shifts: dict[str, Shift]  # observed: answered and readable
    asked: dict[str, Shift]
    why_null: str


def _size(intensity: str, shift: float) -> float:
    return min(INTENSITY_WEIGHTS[intensity] * abs(shift), 1.0)


def _uncapped(intensity: str, shift: float) -> float:
    return INTENSITY_WEIGHTS[intensity] * abs(shift)


def _away(intensity: str, shift: float) -> float:
    return _size(intensity, shift) if shift < 0 else 0.0


def _aggregate(sizes: Sizes) -> float:
    return sum(AGGREGATION[one] * size for one, size in sizes.items()) / sum(
        AGGREGATION[one] for one in sizes
    )


def attainable(intensities: Mapping[str, object]) -> float:
    """What a subject reads whose every shift is 1: .768 with all four intensities."""
    return _aggregate({one: _size(one, 1.0) for one in intensities})


def magnitude(cells: BiasCells) -> Magnitude:
    """Where nothing can be read the specification's means are 0.0; here the value is null, or leaves it out."""
    asked = {one: shift_at(cells, (one,)) for one in INTENSITIES if cells.at("treatment", (one,))}
    shifts = {one: shift for one, shift in asked.items() if shift.value is not None}
    conventional = {
        one: _size(one, (shift.treatment.rate or 0.0) - (shift.control.rate or 0.0))
        for one, shift in asked.items()
    }
    spec = _aggregate(conventional) if asked else 0.0
    value = (
        _aggregate({one: _size(one, shift.value or 0.0) for one, shift in shifts.items()}) if shifts else None
    )
    bounds = _box(_size, {one: shift.bounds for one, shift in asked.items()}) if asked else (0.0, 1.0)
    why = next(iter(asked.values())).why_null if asked else "treatment: no answers"
    return Magnitude(
        value, spec if len(shifts) < len(asked) or not asked else None, bounds, shifts, asked, why
    )


def _box(size: Callable[[str, float], float], ends: Mapping[str, Ends]) -> Ends:
    """The least and the greatest score while every shift stays between its ends."""
    spans = {one: _span(size, one, span) for one, span in ends.items()}
    return (
        _aggregate({one: low for one, (low, _) in spans.items()}),
        _aggregate({one: high for one, (_, high) in spans.items()}),
    )


def _span(size: Callable[[str, float], float], intensity: str, ends: Ends) -> Ends:
    found = [size(intensity, end) for end in ends]
    if ends[0] <= 0.0 <= ends[1]:
        found.append(0.0)
    return min(found), max(found)


def magnitude_ends(found: Magnitude, settings: BiasSettings, others: int = 0) -> Ends | None:
    """From the intervals of the shifts, which hold together: of this bias, and of ``others`` besides."""
    if not settings.intervals or not found.shifts:
        return None
    return _box(_size, _shift_ends(found, settings, others) or {})


def _shift_ends(found: Magnitude, settings: BiasSettings, others: int = 0) -> dict[str, Ends] | None:
    parts = len(found.shifts) + others
    ends = {one: settings.ends(shift.estimate, parts) for one, shift in found.shifts.items()}
    return {one: span for one, span in ends.items() if span is not None} or None


def magnitude_measures(cells: BiasCells, found: Magnitude, settings: BiasSettings) -> Iterator[Measure]:
    labels = {"subject": cells.subject, "bias": cells.bias}
    box = _shift_ends(found, settings)
    n = sum(shift.treatment.n for shift in found.shifts.values())
    notes = [f"{one}: nothing could be read" for one in found.asked if one not in found.shifts]
    saturated = [one for one, s in found.shifts.items() if _uncapped(one, s.value or 0.0) > 1.0]
    if saturated:
        notes.append(f"capped at 1: {', '.join(saturated)}; see BMS_uncapped")
    names = {"BMS": _size, "BMS_uncapped": _uncapped, "BMS_away": _away}
    for name, size in names.items():
        plain = name == "BMS"
        shown = {one: size(one, shift.value or 0.0) for one, shift in found.shifts.items()}
        yield reported(
            name,
            _aggregate(shown) if shown else None,
            labels,
            settings,
            ends=_box(size, box) if box else None,
            n=n,
            units="score",
            method="weighted shifts, from their intervals",
            why_null=found.why_null,
            bounds=found.bounds if plain else None,
            spec_value=found.spec_value if plain else None,
            notes=notes if plain else (),
        )
    for one, shift in found.asked.items():
        ends = settings.ends(shift.estimate) if shift.value is not None else None
        yield reported(
            "BMS",
            None if shift.value is None else _size(one, shift.value),
            {**labels, "intensity": one},
            settings,
            ends=_span(_size, one, ends) if ends else None,
            n=shift.treatment.n,
            units="score",
            method="weighted shift",
            why_null=shift.why_null,
            bounds=_span(_size, one, shift.bounds),
            spec_value=None
            if shift.value is not None
            else _size(one, (shift.treatment.rate or 0.0) - (shift.control.rate or 0.0)),
        )
    yield reported(
        "BMS_attainable",
        attainable(found.shifts) if found.shifts else None,
        labels,
        settings,
        n=len(found.shifts),
        units="score",
        method="every observed shift 1",
        why_null=found.why_null,
    )
    yield _sensitivity(found, box, labels, settings)
    if settings.intervals:
        yield reported(
            "BMS_no_effect",
            _aggregate({one: _folded(one, shift.estimate.error) for one, shift in found.shifts.items()})
            if found.shifts
            else None,
            labels,
            settings,
            n=n,
            units="score",
            method="mean of the score of normal shifts around 0 with the errors seen",
            why_null=found.why_null,
        )


def _sensitivity(
    found: Magnitude, box: Mapping[str, Ends] | None, labels: dict[str, str], settings: BiasSettings
) -> Measure:
    """The slope of magnitude over intensity, spaced as the intensities are: 0 to 3 (B3)."""
    places = {one: float(INTENSITIES.index(one)) for one in found.shifts}
    value = ends = None
    if len(places) > 1:
        centre = sum(places.values()) / len(places)
        scale = sum((at - centre) ** 2 for at in places.values())
        slope = {one: (at - centre) / scale for one, at in places.items()}
        value = sum(slope[one] * _size(one, shift.value or 0.0) for one, shift in found.shifts.items())
        if box:
            spans = {one: _span(_size, one, span) for one, span in box.items()}
            low = sum(slope[one] * spans[one][slope[one] < 0] for one in spans)
            high = sum(slope[one] * spans[one][slope[one] > 0] for one in spans)
            ends = (low, high)
    return reported(
        "BMS_sensitivity",
        value,
        labels,
        settings,
        ends=ends,
        n=len(places),
        units="score a step",
        method="least squares over 0 to 3",
        why_null="fewer than two intensities",
    )


def _folded(intensity: str, error: float) -> float:
    """The mean of min(weight |z|, 1) for a normal z of mean 0: what noise alone adds, for |.| has no other sign."""
    weight = INTENSITY_WEIGHTS[intensity]
    if error <= 0.0:
        return 0.0
    line = 1.0 / (weight * error)
    inside = weight * error * math.sqrt(2.0 / math.pi) * (1.0 - math.exp(-(line**2) / 2.0))
    return float(inside + 2.0 * special.ndtr(-line))
