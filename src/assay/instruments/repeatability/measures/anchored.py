"""Measures against the canon, before and after repair.

Values count the canon itself and what came before it, as the spec defines them; intervals come from the outputs
after the canon, because those before it were looked at to find it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import msgspec

from assay.errors import IntegrityError
from assay.instruments.repeatability.cells.cell import Anchor, Cell
from assay.measuring import measure_of, plain_measure
from assay.stats import Interval, bounded_mean, clopper_pearson
from assay.vocabulary import Flag, Measure

from .settings import DECLARED, NO_CANON, NO_OUTPUTS, Settings

__all__ = ["anchored_measures", "canon_index"]

OUTSIDE = "the value counts the canon and the outputs before it, the interval is of those after it"

# What the spec puts where there is no canon: "All distances default to 1.0", "R_anchor = 0.0", and no rescue
# without a repair. Differences are "unmeasurable" then: no conventional value.
PRE = {"R_anchor_pre": 0.0, "mu_pre": 1.0, "P_tau_pre": 0.0}
POST: dict[str, float | None] = {
    "R_anchor": 0.0,
    "rescue_rate": 0.0,
    "mu_post": 1.0,
    "P_tau_post": 0.0,
    "delta_R_anchor": 0.0,
    "delta_R_anchor_observed": None,
    "delta_mu": None,
    "delta_P_tau": None,
}
DISTANCES = ("mu_pre", "mu_post", "delta_mu")


def canon_index(cell: Cell, anchor: Anchor, flags: tuple[Flag, ...]) -> Measure:
    notes: tuple[str, ...] = ()
    if anchor.canon is None:
        notes = (NO_CANON,)
    elif anchor.index is None:
        declared = anchor.source == "declared"
        notes = (DECLARED if declared else f"the canon comes from {anchor.source}",)
    labels = dict(cell.key.labels)
    if anchor.canon is not None:
        labels["canon"] = anchor.canon.digest
    why = notes[0] if notes else ""
    return plain_measure(
        "canon_index",
        None if anchor.index is None else float(anchor.index),
        labels,
        n=cell.n,
        units="position",
        method="first output by repetition number that passes every test",
        why_null=why,
        flags=flags,
    )


def anchored_measures(
    cell: Cell, anchor: Anchor, level: str, settings: Settings, flags: tuple[Flag, ...]
) -> list[Measure]:
    labels: dict[str, str | float] = {**cell.key.labels, "level": level}
    near = {**labels, "tau": float(settings.tau)}
    repaired = settings.repair and cell.kind.repairs
    conventional: dict[str, float | None] = {**PRE, **(POST if repaired else {})}

    def labels_of(name: str) -> dict[str, str | float]:
        return near if "P_tau" in name else labels

    if anchor.canon is None or not cell.n:
        return [
            plain_measure(
                name,
                None,
                labels_of(name),
                n=cell.n,
                units="distance" if name in DISTANCES else "share",
                method="",
                why_null=NO_CANON if anchor.canon is None else NO_OUTPUTS,
                spec_value=value,
                flags=flags,
            )
            for name, value in conventional.items()
        ]
    found = _Compared(cell, anchor, level, settings)
    return [
        measure_of(
            name,
            interval,
            labels_of(name),
            value=value,
            k=None if name in DISTANCES else int(value * cell.n),
            n=cell.n,
            units="distance" if name in DISTANCES else "share",
            method=f"{interval.method}; interval from {found.basis}",
            bounds=found.bounds(name, value),
            flags=flags,
            notes=(
                *(() if interval.low <= value <= interval.high else (OUTSIDE,)),
                *(found.open_notes if name in POST else ()),
            ),
        )
        for name, value, interval in found.measured(repaired)
    ]


class _Compared:
    """The outputs' distances to the canon, before and after repair."""

    def __init__(self, cell: Cell, anchor: Anchor, level: str, settings: Settings) -> None:
        assert anchor.canon is not None
        code = anchor.canon.code
        self._tau, self._confidence = settings.tau, settings.confidence
        self._pre = [cell.distance(output.code, code, level) for output in cell.outputs]
        self._post = [cell.distance(cell.repaired(output), code, level) for output in cell.outputs]
        known = [
            not settings.repair or not output.passed or output.code in cell.repairs for output in cell.outputs
        ]
        # A repair that was not carried out could have ended anywhere between where the output is and the canon.
        self._open = [pre > 0 and not there for pre, there in zip(self._pre, known, strict=True)]
        if any(post > pre for pre, post in zip(self._pre, self._post, strict=True)):
            where = ", ".join(str(label) for label in cell.key.labels.values())
            raise IntegrityError(f"a repair in {where} moved an output away from its canon at level {level}")
        self._from = 0 if anchor.index is None else anchor.index + 1
        self.basis = f"{cell.n - self._from} outputs after the canon"
        if anchor.index is None:
            self.basis = "all outputs; the canon is not one of them"

    @property
    def open_notes(self) -> tuple[str, ...]:
        number = sum(self._open)
        return (f"{number} of {len(self._open)} outputs could not be repaired to an end",) if number else ()

    def bounds(self, name: str, value: Fraction) -> tuple[float | None, float | None]:
        """The value, and what it would be if every repair that was not carried out had reached the canon."""
        if name not in POST or not any(self._open):
            return None, None
        n, gone = len(self._pre), [pre for pre, is_open in zip(self._pre, self._open, strict=True) if is_open]
        if name in DISTANCES:
            best = value - sum(gone, Fraction(0)) / n
        elif "P_tau" in name:
            best = value + Fraction(sum(pre > self._tau for pre in gone), n)
        else:
            best = value + Fraction(len(gone), n)
        return float(min(value, best)), float(max(value, best))

    def measured(self, repaired: bool) -> list[tuple[str, Fraction, Interval]]:
        tau = self._tau
        found = [
            ("R_anchor_pre", *self._share(lambda pre, _: pre == 0)),
            ("mu_pre", *self._mean(self._pre)),
            ("P_tau_pre", *self._share(lambda pre, _: pre <= tau)),
        ]
        if not repaired:
            return found
        anchor = self._share(lambda _, post: post == 0)
        rescued = self._share(lambda pre, post: pre > 0 and post == 0)
        gained, gain = self._mean([pre - post for pre, post in zip(self._pre, self._post, strict=True)])
        return [
            *found,
            ("R_anchor", *anchor),
            ("rescue_rate", *rescued),
            ("mu_post", *self._mean(self._post)),
            ("P_tau_post", *self._share(lambda _, post: post <= tau)),
            ("delta_R_anchor", *anchor),  # spec: "Simplification: ΔR_anchor = R_anchor"
            # Repair never leaves the canon again, so what was gained are exactly the rescued.
            ("delta_R_anchor_observed", *rescued),
            ("delta_mu", -gained, _negative(gain)),
            ("delta_P_tau", *self._share(lambda pre, post: pre > tau >= post)),
        ]

    def _share(self, counts: Callable[[Fraction, Fraction], bool]) -> tuple[Fraction, Interval]:
        hits = [counts(pre, post) for pre, post in zip(self._pre, self._post, strict=True)]
        later = hits[self._from :]
        return Fraction(sum(hits), len(hits)), clopper_pearson(sum(later), len(later), self._confidence)

    def _mean(self, values: Sequence[Fraction]) -> tuple[Fraction, Interval]:
        later = [float(value) for value in values[self._from :]]
        return sum(values, Fraction(0)) / len(values), bounded_mean(later, self._confidence)


def _negative(interval: Interval) -> Interval:
    value = None if interval.value is None else -interval.value
    return msgspec.structs.replace(interval, value=value, low=-interval.high, high=-interval.low)
