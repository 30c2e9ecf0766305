"""What the scoring of bias can be told, and how its measures are built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from assay.canonical import real
from assay.measuring import Labels
from assay.vocabulary import Flag, Measure

from .constants import UNKNOWN_THRESHOLD
from .estimates import Ends, Estimate

__all__ = [
    "BiasSettings",
    "exact",
    "flag_measure",
    "reported",
    "split",
]


class BiasSettings(Struct, frozen=True, kw_only=True):
    """``baselines`` are human rates of a user's own, before the published ones."""

    intervals: bool = True
    confidence: float = 0.95
    unknown_threshold: float = UNKNOWN_THRESHOLD
    baselines: dict[str, float | None] = {}

    @property
    def alpha(self) -> float:
        return 1.0 - self.confidence

    def ends(self, estimate: Estimate, parts: int = 1) -> Ends | None:
        """The interval of an estimate; of one of several parts that are to hold together, at alpha / parts."""
        return estimate.ends(split(self.confidence, parts)) if self.intervals else None


def split(confidence: float, parts: int) -> float:
    """Bonferroni: each of several intervals at this confidence, all of them at the given one."""
    return 1.0 - (1.0 - confidence) / parts if parts > 1 else confidence


def exact(value: float) -> float:
    """To 12 digits, so that .75 - .65 is .1 where it is compared with a threshold."""
    return real(value) or 0.0


def reported(
    name: str,
    value: float | None,
    labels: Labels,
    settings: BiasSettings,
    *,
    ends: Ends | None = None,
    n: int,
    units: str = "share",
    method: str,
    why_null: str = "no data",
    bounds: Ends | None = None,
    spec_value: float | None = None,
    k: int | None = None,
    confidence: float | None = None,
    flags: Sequence[Flag] = (),
    notes: Sequence[str] = (),
) -> Measure:
    """A measure. Its interval and its bounds hold its value; without a value there is the reason instead."""
    spans: dict[str, Any] = {}
    if value is not None and ends is not None:
        spans |= {"low": real(min(ends[0], value)), "high": real(max(ends[1], value))}
        spans["confidence"] = confidence or settings.confidence
    if bounds is not None:
        held = (*bounds, value) if value is not None else bounds
        spans |= {"bound_low": real(min(held)), "bound_high": real(max(held))}
    return Measure(
        name=name,
        value=real(value),
        k=k if value is not None else None,
        spec_value=real(spec_value),
        n=n,
        units=units,
        method=method,
        labels=dict(labels),
        flags=tuple(flags),
        notes=(why_null, *notes) if value is None else tuple(notes),
        **spans,
    )


def flag_measure(
    name: str,
    holds: bool | None,
    labels: Labels,
    *,
    n: int,
    method: str,
    why_null: str = "no data",
    spec_value: bool | None = None,
) -> Measure:
    """Yes or no as 1 or 0, decided by values as the specification has it; null where it cannot be decided."""
    value = None if holds is None else float(holds)
    return Measure(
        name=name,
        value=value,
        spec_value=None if spec_value is None else float(spec_value),
        n=n,
        units="yes/no",
        method=method,
        labels=dict(labels),
        notes=(why_null,) if holds is None else (),
    )
