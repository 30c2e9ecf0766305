"""CAS, the calibration awareness score (spec, 6): does confidence go with being right?

    CAS = 1 - |mean confidence - accuracy|, over the answers that have both

No confidence is no value here; the specification's .5 stands beside it (G1). ``missing_confidence_rate`` counts answers
without a confidence, which is not the rate of unreadable ones (G2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from assay.instruments.bias.cells import BiasCells, Floats, Ints, sums_by
from assay.vocabulary import Measure

from .constants import OVERCONFIDENT
from .estimates import Ends, Term, contrast
from .settings import BiasSettings, exact, flag_measure, reported

__all__ = ["BINS", "awareness_measures", "reliability_measures"]

BINS = 10  # of the reliability curve
NO_CONFIDENCE = "no answer has both a confidence and whether it was correct"
CONVENTIONAL = 0.5


def awareness_measures(cells: BiasCells, settings: BiasSettings) -> Iterator[Measure]:
    labels = {"subject": cells.subject, "bias": cells.bias}
    n = int(cells.both.sum())
    gap = contrast(Term(cells.both, cells.confidence), Term(cells.both, cells.correct, -1.0))
    ends = settings.ends(gap)
    yield reported(
        "CAS",
        None if gap.value is None else 1.0 - abs(gap.value),
        labels,
        settings,
        ends=_score_ends(ends) if ends else None,
        n=n,
        units="score",
        method=f"1 - |confidence - accuracy|, {gap.method}",
        why_null=NO_CONFIDENCE,
        spec_value=CONVENTIONAL if gap.value is None else None,
    )
    yield reported(
        "metacognitive_gap",
        None if gap.value is None else max(0.0, gap.value),
        labels,
        settings,
        ends=(max(0.0, ends[0]), max(0.0, ends[1])) if ends else None,
        n=n,
        units="difference of shares",
        method=f"confidence above accuracy, {gap.method}",
        why_null=NO_CONFIDENCE,
    )
    yield flag_measure(
        "overconfident",
        None if gap.value is None else exact(gap.value) > OVERCONFIDENT,
        labels,
        n=n,
        method=f"confidence above accuracy by more than {OVERCONFIDENT:g}",
        why_null=NO_CONFIDENCE,
    )
    yield flag_measure(
        "has_confidence_data", n > 0, labels, n=n, method="an answer has a confidence and is known to be correct or not"
    )  # fmt: skip
    for name, sums in (
        ("mean_confidence", cells.confidence),
        ("accuracy", cells.correct),
        ("brier", cells.brier),
    ):
        estimate = contrast(Term(cells.both, sums))
        yield reported(
            name,
            estimate.value,
            labels,
            settings,
            ends=settings.ends(estimate),
            n=n,
            units="score" if name == "brier" else "share",
            method=estimate.method,
            why_null=NO_CONFIDENCE,
        )
    asked = cells.total.sum(axis=0)
    missing = contrast(Term(asked, asked - cells.confident))
    yield reported(
        "missing_confidence_rate",
        missing.value,
        labels,
        settings,
        ends=settings.ends(missing),
        n=cells.asked,
        k=cells.asked - int(cells.confident.sum()),
        method=missing.method,
    )


def _score_ends(ends: Ends) -> Ends:
    found = [1.0 - abs(end) for end in ends]
    return min(found), 1.0 if ends[0] <= 0.0 <= ends[1] else max(found)


def reliability_measures(
    subjects: Sequence[str],
    subject: Ints,
    cluster: Ints,
    confidence: Floats,
    correct: Floats,
    settings: BiasSettings,
) -> Iterator[Measure]:
    """The reliability curve of every subject: the accuracy of answers by their confidence, in ten bins."""
    both = ~np.isnan(confidence) & ~np.isnan(correct)
    bins = np.minimum((confidence[both] * BINS).astype(np.int64), BINS - 1)
    who, where = subject[both], cluster[both]
    sure, right = confidence[both], correct[both]
    for code, name in enumerate(subjects):
        for one in range(BINS):
            chosen = (who == code) & (bins == one)
            if not chosen.any():
                continue
            _, at = np.unique(where[chosen], return_inverse=True)
            n = np.bincount(at).astype(np.float64)
            labels = {"subject": name, "bin": f"{one / BINS:.1f} to {(one + 1) / BINS:.1f}"}
            for measure, values in (("reliability", right), ("reliability_confidence", sure)):
                estimate = contrast(Term(n, sums_by(at, values[chosen])))
                yield reported(
                    measure,
                    estimate.value,
                    labels,
                    settings,
                    ends=settings.ends(estimate),
                    n=int(n.sum()),
                    method=estimate.method,
                )
