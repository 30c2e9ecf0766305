"""Rates, unreadable answers, and the signed shift: treatment less control, towards the bias where it is above 0.

A value is a difference of pooled rates. Instances, and pairs of them, enter its interval only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import Ends, MeasureBuilder
from assay.measuring.measures import NO_DATA
from assay.stats import (
    CellSums,
    ClusterAnswers,
    ClusterEstimate,
    NestedVariances,
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
    "why_null",
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
        return why_null({"control": self.control, "treatment": self.treatment})


def why_null(groups: Mapping[str, ClusterAnswers]) -> str:
    """The first of these conditions that has no readable answer."""
    for name, group in groups.items():
        if not group.n:
            return f"{name}: {UNREADABLE if group.asked else 'no answers'}"
    return NO_DATA


def shift_at(cells: BiasCells, intensity: str = "", domain: str = "") -> Shift:
    """The shift at one intensity (all without), in one domain (all without)."""
    treatment = cells.group(cells.at("treatment", intensity), domain)
    control = cells.group(cells.at("control"), domain)
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
        yield say("unknown_rate", cluster_contrast(group.unread), at, k=group.unknown)


def unknown_shift(cells: BiasCells) -> ClusterEstimate:
    """How much more often answers could not be read in the treatment than in the control."""
    return cluster_contrast(cells.treatment().unread, cells.control.unread._replace(sign=-1.0))


def spread_measures(cells: BiasCells, say: MeasureBuilder) -> Iterator[Measure]:
    """How far instances differ: the standard deviation of their shifts, with and without the noise of trials.

    Then the variance between domains, instances within a domain and trials within an instance, at one intensity.
    """
    of = "standard deviation of the shifts of instances"
    control, noise = cells.control, _variances(cells, cells.at("control")).within
    for intensity in ("", *cells.intensities):
        treatment = cells.treatment(intensity)
        within = _variances(cells, cells.at("treatment", intensity)).within
        both = (treatment.known > 0) & (control.known > 0)
        m, raw, corrected = int(both.sum()), None, None
        why = f"{m} instances were answered in both conditions, and two are needed"
        if m > 1:
            n_t, n_c = treatment.known[both], control.known[both]
            variance = float(np.var(treatment.sum[both] / n_t - control.sum[both] / n_c, ddof=1))
            raw, why = math.sqrt(variance), "no repeated trials, so the noise of trials cannot be taken out"
            if within is not None and noise is not None:
                corrected = math.sqrt(max(0.0, variance - float(np.mean(within / n_t + noise / n_c))))
        at = {"intensity": intensity}
        yield say("instance_spread", corrected, at, n=m, units=SHIFT, method=f"{of}, without trials", why=why)
        yield say("instance_spread_raw", raw, at, n=m, units=SHIFT, method=of, why=why)
    n, found = cells.treatment().n, _variances(cells, cells.at("treatment"))
    several = "no repeated trials of several instances in a domain"
    for name, value, why in (
        ("variance_trial", found.within, "no repeated trials"),
        ("variance_instance", found.cell, several),
        ("variance_domain", found.group, "fewer than two domains"),
    ):
        yield say(name, value, n=n, units="variance of scores", method="nested sums of squares", why=why)


def _variances(cells: BiasCells, places: Sequence[int]) -> NestedVariances:
    sums = (CellSums(cells.known[p], cells.sum[p], cells.square[p], cells.domain) for p in places)
    return nested_variances(sums)
