"""Two subjects compared on what both answered: the difference of their shifts, by bias and overall."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import Claimed, mean_ends
from assay.stats import ClusterTerm, cluster_average, cluster_contrast
from assay.vocabulary import Measure, Verdict

from .settings import BiasSettings
from .shifts import SHIFT

__all__ = ["compare_subjects"]

SHARED = "on what both answered"
NOT_SHARED = "no instance was answered readably by both in control, and in treatment at one intensity"


def _difference(one: BiasCells, other: BiasCells) -> Claimed:
    """The shift of ``other`` less that of ``one``, over cells of an instance, a condition and an intensity.

    A cell that one of them did not answer readably is left out, and has the same weight for both: the fewer of their
    answers. The bounds are over the cells that both were asked.
    """
    _, here, there = np.intersect1d(one.instance, other.instance, assume_unique=True, return_indices=True)
    terms, low, high, shared = [], 0.0, 0.0, True
    for condition, sign in (("treatment", 1.0), ("control", -1.0)):
        slots = [slot for slot in one.slots if slot.condition == condition and slot in other.slots]
        sides = []
        for cells, at in ((other, there), (one, here)):
            rows = np.ix_(np.array([cells.slots.index(slot) for slot in slots], int), at)
            sides.append((cells.total[rows], cells.known[rows], cells.sum[rows]))
        asked, read = (np.minimum(sides[0][place], sides[1][place]) for place in (0, 1))
        shared = shared and bool(asked.any())
        for (total, known, sums), side in zip(sides, (sign, -sign), strict=True):
            means = sums / np.maximum(known, 1.0)
            terms.append(ClusterTerm(read.sum(axis=0), (read * means).sum(axis=0), side))
            weight = asked / np.maximum(total, 1.0) / max(asked.sum(), 1.0)
            ends = sorted(side * float((weight * scores).sum()) for scores in (sums, sums + total - known))
            low, high = low + ends[0], high + ends[1]
    claim = f"{other.subject} and {one.subject} shift differently in {one.bias}"
    return Claimed(claim, cluster_contrast(*terms), (low, high) if shared else None, {"bias": one.bias})


def compare_subjects(
    subjects: Mapping[str, Sequence[BiasCells]], settings: BiasSettings
) -> tuple[list[Measure], list[Verdict]]:
    """Every pair of subjects. A verdict on the whole, and on every bias that differs by Holm over biases."""
    measures: list[Measure] = []
    verdicts: list[Verdict] = []
    for one, other in itertools.combinations(subjects, 2):
        first = {cells.bias: cells for cells in subjects[one]}
        pairs = [_difference(first[cells.bias], cells) for cells in subjects[other] if cells.bias in first]
        scored = [pair for pair in pairs if pair.labels["bias"] not in settings.unscored]
        bounds = mean_ends([pair.bounds for pair in scored if pair.bounds])
        claim = f"{other} and {one} shift differently on average over biases"
        whole = Claimed(claim, cluster_average([pair.estimate for pair in scored]), bounds)
        say, name = settings.builder({"subject": other, "against": one}), "shift_difference"
        for _, found, bounds, at in (whole, *pairs) if pairs else ():
            measures.append(say(name, found, at, units=SHIFT, method=SHARED, why=NOT_SHARED, bounds=bounds))
        if settings.intervals and pairs:
            verdicts += say.verdicts("subjects_differ", [whole], why=NOT_SHARED)
            verdicts += (found for found in say.verdicts("subjects_differ", scored, "biases") if found.holds)
    return measures, verdicts
