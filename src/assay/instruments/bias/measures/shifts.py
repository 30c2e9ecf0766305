"""Rates, unreadable answers, and the signed shift: treatment less control, towards the bias where it is above 0.

A value is a difference of pooled rates. Instances, and pairs of them, enter its interval only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from assay.instruments.bias.answers import DOMAINS
from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import Ends, MeasureBuilder
from assay.stats import (
    CellSums,
    ClusterAnswers,
    ClusterEstimate,
    cluster_contrast,
    nested_variances,
)
from assay.vocabulary import Measure

__all__ = [
    "SHIFT",
    "UNREADABLE",
    "Shift",
    "rate_measures",
    "shift_at",
    "shift_measures",
    "spread_measures",
    "unknown_shift",
]

SHIFT = "difference of shares"  # units
UNREADABLE = "no answer could be read"


class Shift(NamedTuple):
    """Treatment against control, with what unreadable answers could make of it."""

    treatment: ClusterAnswers
    control: ClusterAnswers
    estimate: ClusterEstimate

    @property
    def value(self) -> float | None:
        return self.estimate.value

    @property
    def conventional(self) -> float:
        """The specification's mean of no scores is 0.0."""
        return (self.treatment.rate or 0.0) - (self.control.rate or 0.0)

    @property
    def bounds(self) -> Ends:
        """Exact: the rates of the two conditions do not depend on each other."""
        (least, most), (low, high) = self.treatment.bounds, self.control.bounds
        return least - high, most - low

    @property
    def why_null(self) -> str:
        for name, group in (("control", self.control), ("treatment", self.treatment)):
            if not group.n:
                return f"{name}: {UNREADABLE if group.asked else 'no answers'}"
        return "no data"


def shift_at(cells: BiasCells, intensity: str = "", domain: str = "") -> Shift:
    """The shift at one intensity (all without), in one domain (all without)."""
    treatment, control = cells.treatment(intensity), cells.group(cells.at("control"))
    if domain:
        chosen = cells.domain == DOMAINS.index(domain)
        treatment, control = treatment.where(chosen), control.where(chosen)
    return Shift(treatment, control, treatment.less(control))


def shift_measures(cells: BiasCells, say: MeasureBuilder) -> Iterator[Measure]:
    """By bias; by intensity; by domain, against the control of that domain; by domain and intensity."""
    for domain in ("", *cells.domains):
        for intensity in ("", *cells.intensities):
            found = shift_at(cells, intensity, domain)
            if found.treatment.asked or not domain:
                at = {"domain": domain, "intensity": intensity}
                yield say(
                    "signed_shift", found.estimate, at, units=SHIFT, why=found.why_null, bounds=found.bounds
                )


def rate_measures(cells: BiasCells, say: MeasureBuilder) -> Iterator[Measure]:
    """The rate of biased answers in every condition, always with its bounds, and how many could not be read."""
    groups = [(slot.labels, [place]) for place, slot in enumerate(cells.slots)]
    if len(treated := cells.at("treatment")) > 1:
        groups.append(({"condition": "treatment"}, treated))
    for at, places in (({}, [*range(len(cells.slots))]), *groups):
        group = cells.group(places)
        if at:
            hit = float(group.sum.sum())
            yes_no = float(cells.square[places].sum()) == hit  # 0 and 1 are their own squares
            k = round(hit) if yes_no else None
            yield say("rate", group.estimate, at, k=k, bounds=group.bounds, why=UNREADABLE)
        yield say(
            "unknown_rate",
            cluster_contrast(group.unread),
            at,
            k=group.unknown,
        )


def unknown_shift(cells: BiasCells) -> ClusterEstimate:
    """How much more often answers could not be read in the treatment than in the control."""
    treatment, control = cells.treatment(), cells.group(cells.at("control"))
    return cluster_contrast(treatment.unread, control.unread._replace(sign=-1.0))


def spread_measures(cells: BiasCells, say: MeasureBuilder) -> Iterator[Measure]:
    """How far instances differ: the standard deviation of their shifts, with and without the noise of trials."""
    of = "standard deviation of the shifts of instances"
    for intensity in ("", *cells.intensities):
        treated, controls = cells.at("treatment", (intensity,) if intensity else ()), cells.at("control")
        treatment, control = cells.group(treated), cells.group(controls)
        both = (treatment.known > 0) & (control.known > 0)
        m, raw, corrected = int(both.sum()), None, None
        why = f"{m} instances were answered in both conditions, and two are needed"
        if m > 1:
            n_t, n_c = treatment.known[both], control.known[both]
            variance = float(np.var(treatment.sum[both] / n_t - control.sum[both] / n_c, ddof=1))
            raw, noise = float(np.sqrt(variance)), (_within(cells, treated), _within(cells, controls))
            why = "no repeated trials, so the noise of trials cannot be taken out"
            if noise[0] is not None and noise[1] is not None:
                corrected = float(
                    np.sqrt(max(0.0, variance - float(np.mean(noise[0] / n_t + noise[1] / n_c))))
                )
        at = {"intensity": intensity}
        yield say("instance_spread", corrected, at, n=m, units=SHIFT, method=f"{of}, without trials", why=why)
        yield say("instance_spread_raw", raw, at, n=m, units=SHIFT, method=of, why=why)
    yield from _variances(cells, say)


def _within(cells: BiasCells, places: Sequence[int]) -> float | None:
    """The variance between trials of one cell, pooled; None without repeated trials."""
    known, total, square = (array[list(places)] for array in (cells.known, cells.sum, cells.square))
    free = float(np.maximum(known - 1.0, 0.0).sum())
    squares = square - np.divide(total**2, known, out=np.zeros_like(total), where=known > 0)
    return max(0.0, float(squares.sum()) / free) if free else None


def _variances(cells: BiasCells, say: MeasureBuilder) -> Iterator[Measure]:
    """Domain, instance within domain, trial within instance, within each intensity of the treatment."""
    places = cells.at("treatment")
    found = nested_variances(
        CellSums(cells.known[p], cells.sum[p], cells.square[p], cells.domain) for p in places
    )
    why = (
        "no repeated trials",
        "no repeated trials of several instances in a domain",
        "fewer than two domains",
    )
    n, method = cells.treatment().n, "nested sums of squares"
    for name, value, reason in zip(("trial", "instance", "domain"), found, why, strict=True):
        yield say(f"variance_{name}", value, n=n, units="variance of scores", method=method, why=reason)
