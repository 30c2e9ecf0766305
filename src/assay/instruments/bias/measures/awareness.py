"""CAS, the calibration awareness score (spec, 6): does confidence go with being right?

    CAS = 1 - |mean confidence - accuracy|, over the answers that have both

No confidence is no value here; the specification's .5 stands beside it (G1). ``missing_confidence_rate`` counts answers
without a confidence, which is not the rate of unreadable ones (G2).
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import MeasureBuilder, exact
from assay.stats import ClusterTerm, cluster_contrast
from assay.vocabulary import Measure

from .constants import OVERCONFIDENT
from .shifts import SHIFT

__all__ = ["awareness_measures"]

NO_CONFIDENCE = "no answer has both a confidence and whether it was correct"
CONVENTIONAL = 0.5


def awareness_measures(cells: BiasCells, say: MeasureBuilder) -> Iterator[Measure]:
    n, why = int(cells.both.sum()), NO_CONFIDENCE
    gap = cluster_contrast(
        ClusterTerm(cells.both, cells.confidence), ClusterTerm(cells.both, cells.correct, -1.0)
    )
    ends = say.ends(gap)
    score = above = spans = None
    if gap.value is not None:
        score, above = 1.0 - abs(gap.value), max(0.0, gap.value)
        if ends:
            low, high = sorted(1.0 - abs(end) for end in ends)
            spans = (low, 1.0 if ends[0] <= 0.0 <= ends[1] else high)
    method = f"1 - |confidence - accuracy|, {say.method(gap)}"
    spec = CONVENTIONAL if score is None else None
    yield say("CAS", score, ends=spans, n=n, units="score", method=method, why=why, spec=spec)
    ends = (max(0.0, ends[0]), max(0.0, ends[1])) if ends else None
    method = f"confidence above accuracy, {say.method(gap)}"
    yield say("metacognitive_gap", above, ends=ends, n=n, units=SHIFT, method=method, why=why)
    over = None if gap.value is None else exact(gap.value) > OVERCONFIDENT
    method = f"confidence above accuracy by more than {OVERCONFIDENT:g}"
    yield say.flag("overconfident", over, n, method, why=why)
    yield say.flag("has_confidence_data", n > 0, n, "an answer has a confidence and is correct or not")
    for name, sums, units in (
        ("mean_confidence", cells.confidence, "share"),
        ("accuracy", cells.correct, "share"),
        ("brier", cells.brier, "score"),
    ):
        yield say(name, cluster_contrast(ClusterTerm(cells.both, sums)), units=units, why=why)
    asked, k = cells.total.sum(axis=0), cells.asked - int(cells.confident.sum())
    yield say("missing_confidence_rate", cluster_contrast(ClusterTerm(asked, asked - cells.confident)), k=k)
