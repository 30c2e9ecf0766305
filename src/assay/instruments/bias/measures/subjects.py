"""Two subjects compared on the instances that both answered: the difference of their shifts, by bias and overall."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from assay.instruments.bias.cells import BiasCells, Group
from assay.stats import holm
from assay.vocabulary import Measure, Verdict

from .estimates import Estimate, Term, average, contrast
from .settings import BiasSettings, exact, reported

__all__ = ["compare_subjects"]

NOT_SHARED = "no instance was answered by both in control and treatment"


def _difference(one: BiasCells, other: BiasCells) -> Estimate:
    """The shift of ``other`` less that of ``one``; an instance that only one of them answered is left out."""
    _, here, there = np.intersect1d(one.instance, other.instance, assume_unique=True, return_indices=True)
    terms = []
    for cells, places, sign in ((other, there, 1.0), (one, here, -1.0)):
        for condition, side in (("treatment", sign), ("control", -sign)):
            group = cells.group(cells.at(condition))
            picked = Group(*(array[places] for array in group))
            terms.append(Term(picked.known, picked.sum, side))
    return contrast(*terms)


def compare_subjects(
    subjects: Mapping[str, Sequence[BiasCells]], settings: BiasSettings
) -> tuple[list[Measure], list[Verdict]]:
    """Every pair of subjects. A verdict on the whole, and on every bias that differs by Holm over biases."""
    measures: list[Measure] = []
    verdicts: list[Verdict] = []
    for one, other in itertools.combinations(subjects, 2):
        first = {cells.bias: cells for cells in subjects[one]}
        pairs = [
            (cells.bias, _difference(first[cells.bias], cells))
            for cells in subjects[other]
            if cells.bias in first
        ]
        if not pairs:
            continue
        labels = {"subject": other, "against": one}
        whole = average([estimate for _, estimate in pairs])
        for more, estimate in (({}, whole), *(({"bias": bias}, estimate) for bias, estimate in pairs)):
            measures.append(
                reported(
                    "shift_difference",
                    estimate.value,
                    {**labels, **more},
                    settings,
                    ends=settings.ends(estimate),
                    n=estimate.n,
                    units="difference of shares",
                    method=f"on shared instances, {estimate.method}",
                    why_null=NOT_SHARED,
                )
            )
        if settings.intervals:
            verdicts += _verdicts(labels, whole, pairs, settings)
    return measures, verdicts


def _verdicts(
    labels: dict[str, str], whole: Estimate, pairs: Sequence[tuple[str, Estimate]], settings: BiasSettings
) -> Iterator[Verdict]:
    alpha = exact(settings.alpha)
    adjusted = holm([estimate.p_value() for _, estimate in pairs], missing="drop")
    found: list[tuple[dict[str, str], Estimate, float | None, str]] = [
        ({}, whole, whole.p_value(), f"p at most {alpha:g}")
    ]
    rule = f"p by Holm over {adjusted.tests} biases at most {alpha:g}"
    found += [
        ({"bias": bias}, estimate, p, rule)
        for (bias, estimate), p in zip(pairs, adjusted.adjusted, strict=True)
        if p is not None and p <= alpha
    ]
    for more, estimate, p, said in found:
        where = f" in {more['bias']}" if more else " on average over biases"
        yield Verdict(
            name="subjects_differ",
            kind="comparison",
            labels={**labels, **more},
            claim=f"{labels['subject']} and {labels['against']} shift differently{where}",
            rule=said,
            holds=True if p is not None and p <= alpha else None,
            because=NOT_SHARED
            if estimate.value is None or p is None
            else f"{estimate.value:+.3f}, p = {p:.3g}",
        )
