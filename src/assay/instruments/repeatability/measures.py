"""How a cell's numbers become measures: with their interval, flags and reasons."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from msgspec import Struct, field

from assay.canonical import real
from assay.stats import Interval
from assay.vocabulary import Flag, Measure

from .cells import Cell

__all__ = ["DECLARED", "NO_CANON", "NO_OUTPUTS", "Settings", "cell_flags", "measure_of", "percent"]

NO_CANON = "no output passed the oracle, so there is no canon"
NO_OUTPUTS = "no outputs"
DECLARED = "the canon was declared"


class Settings(Struct, frozen=True):
    tau: Fraction = Fraction(1, 10)
    confidence: float = 0.95
    scope: str = "cell"  # cell, subject or contract
    excluded_share: Fraction = Fraction(1, 10)
    repair: bool = False
    require: dict[str, float] = field(default_factory=dict)


def percent(confidence: float) -> str:
    """As it was declared: 0.975 is not 98 %."""
    return f"{100 * confidence:.10g}%"


def cell_flags(cell: Cell, settings: Settings) -> tuple[Flag, ...]:
    lost = cell.planned - cell.n
    if lost <= 0:
        return ()
    cause = f"{lost} of {cell.planned} outputs excluded"
    if Fraction(lost, cell.planned) > settings.excluded_share:
        return (Flag("Invalid", f"{cause}, more than the declared share"),)
    return (Flag("Provisional", cause),)


def measure_of(
    name: str,
    interval: Interval,
    cell: Cell,
    flags: tuple[Flag, ...],
    *,
    spec_value: float | None = None,
    why_null: str = NO_OUTPUTS,
    units: str = "share",
    labels: Mapping[str, str | float] = MappingProxyType({}),
) -> Measure:
    empty = interval.value is None
    return Measure(
        name=name,
        value=real(interval.value),
        low=None if empty else real(interval.low),
        high=None if empty else real(interval.high),
        confidence=interval.confidence,
        spec_value=spec_value if empty else None,
        n=interval.n,
        units=units,
        method=interval.method,
        labels={**cell.key.labels, **labels},
        flags=flags,
        notes=(why_null,) if empty else (),
    )
