"""How a cell's numbers become measures: with their interval, flags and reasons."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from msgspec import Struct, field

from assay.instruments.repeatability.cells.cell import Cell
from assay.measuring import Bound, exclusion_flags, measure_of, percent
from assay.stats import Interval
from assay.vocabulary import Flag, Measure

__all__ = ["DECLARED", "NO_CANON", "NO_OUTPUTS", "Settings", "cell_flags", "cell_measure", "percent"]

NO_CANON = "no output passed the oracle, so there is no canon"
NO_OUTPUTS = "no outputs"
DECLARED = "the canon was declared"


class Settings(Struct, frozen=True):
    tau: Fraction = Fraction(1, 10)
    confidence: float = 0.95
    scope: str = "cell"  # cell, subject or contract
    excluded_share: Fraction = Fraction(1, 10)
    repair: bool = False
    drift_at_most: float | None = None
    require: dict[str, float | Bound] = field(default_factory=dict)


def cell_flags(cell: Cell, settings: Settings) -> tuple[Flag, ...]:
    return exclusion_flags(cell.planned - cell.n, cell.planned, settings.excluded_share, "outputs")


def cell_measure(
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
    """A measure of a cell. The specification's own value stands only where there are no outputs."""
    return measure_of(
        name,
        interval,
        {**cell.key.labels, **labels},
        units=units,
        why_null=why_null,
        spec_value=spec_value if interval.value is None else None,
        flags=flags,
    )
