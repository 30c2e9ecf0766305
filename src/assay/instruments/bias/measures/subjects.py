"""Two subjects compared on the instances that both answered: the difference of their shifts, by bias and overall."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import MeasureBuilder
from assay.stats import ClusterEstimate, ClusterTerm, cluster_average, cluster_contrast, holm
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
            verdicts += _verdicts(say, whole, pairs)
    return measures, verdicts


def _verdicts(
    say: MeasureBuilder, whole: ClusterEstimate, pairs: Mapping[str, ClusterEstimate]
) -> Iterator[Verdict]:
    alpha = say.alpha
    adjusted = holm([estimate.p_value() for estimate in pairs.values()], missing="drop")
    found = {"": whole.p_value(), **dict(zip(pairs, adjusted.adjusted, strict=True))}
    for bias, p in found.items():
        if bias and (p is None or p > alpha):
            continue
        value, where = (
            (pairs[bias] if bias else whole).value,
            f"in {bias}" if bias else "on average over biases",
        )
        yield Verdict(
            name="subjects_differ",
            kind="comparison",
            labels={**say.labels, **({"bias": bias} if bias else {})},
            claim=f"{say.labels['subject']} and {say.labels['against']} shift differently {where}",
            rule=f"p at most {alpha:g}" + (f", by Holm over {adjusted.tests} biases" if bias else ""),
            holds=True if p is not None and p <= alpha else None,
            because=NOT_SHARED if value is None or p is None else f"{value:+.3f}, p = {p:.3g}",
        )
