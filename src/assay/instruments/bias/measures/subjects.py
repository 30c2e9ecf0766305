"""Two subjects compared on the instances that both answered: the difference of their shifts, by bias and overall."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import Claimed
from assay.stats import ClusterEstimate, ClusterTerm, cluster_average, cluster_contrast
from assay.vocabulary import Measure, Verdict

from .settings import BiasSettings
from .shifts import SHIFT

__all__ = ["compare_subjects"]

NOT_SHARED = "no instance was answered by both in control and treatment"


def _difference(one: BiasCells, other: BiasCells) -> ClusterEstimate:
    """The shift of ``other`` less that of ``one``; an instance that only one of them answered is left out."""
    _, here, there = np.intersect1d(one.instance, other.instance, assume_unique=True, return_indices=True)
    terms = []
    for cells, places, sign in ((other, there, 1.0), (one, here, -1.0)):
        for condition, side in (("treatment", sign), ("control", -sign)):
            group = cells.group(cells.at(condition))
            terms.append(ClusterTerm(group.known[places], group.sum[places], side))
    return cluster_contrast(*terms)


def compare_subjects(
    subjects: Mapping[str, Sequence[BiasCells]], settings: BiasSettings
) -> tuple[list[Measure], list[Verdict]]:
    """Every pair of subjects. A verdict on the whole, and on every bias that differs by Holm over biases."""
    measures: list[Measure] = []
    verdicts: list[Verdict] = []
    for one, other in itertools.combinations(subjects, 2):
        first = {cells.bias: cells for cells in subjects[one]}
        pairs = {
            cells.bias: _difference(first[cells.bias], cells)
            for cells in subjects[other]
            if cells.bias in first
        }
        whole, say = cluster_average([*pairs.values()]), settings.builder({"subject": other, "against": one})
        for bias, found in {"": whole, **pairs}.items() if pairs else ():
            at, method = {"bias": bias}, "on shared instances"
            measures.append(say("shift_difference", found, at, units=SHIFT, method=method, why=NOT_SHARED))
        if settings.intervals and pairs:
            claim = f"{other} and {one} shift differently"
            average = Claimed(f"{claim} on average over biases", whole)
            verdicts += say.verdicts("subjects_differ", [average], why=NOT_SHARED)
            each = [Claimed(f"{claim} in {bias}", p, labels={"bias": bias}) for bias, p in pairs.items()]
            verdicts += (found for found in say.verdicts("subjects_differ", each, "biases") if found.holds)
    return measures, verdicts
