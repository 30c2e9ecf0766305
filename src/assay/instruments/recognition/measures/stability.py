"""P-SR-2: whether subjects that recognise their texts more often are more stable (spec, "Predictions Being Tested").

r is Pearson's, over subjects, of accuracy and 1 / peak drift; its interval is wide in small fleets, for a wrong verdict
is worse than none. A permutation test is exact for independence, and says nothing of r = .6.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.measuring.building import MeasureBuilder, exact
from assay.stats import pearson
from assay.vocabulary import Measure, Verdict

__all__ = ["stability"]

LEAST_R = 0.60
ATTENUATED = "of measured values: errors of accuracies and drifts draw r towards 0"


def stability(
    accuracy: Mapping[str, float], peak: Mapping[str, float], confidence: float
) -> tuple[Measure, Verdict]:
    """``stability_r`` and the verdict on it, over the subjects that have an accuracy and a peak drift above 0."""
    used = [one for one in accuracy if peak.get(one, 0.0) > 0.0]
    found = pearson([accuracy[one] for one in used], [1.0 / peak[one] for one in used], confidence=confidence)
    small = f"the fleet is too small to tell, or its {len(used)} subjects are too much alike"
    notes = [] if found.established else [small]
    interval = f"interval {found.low:.3f} to {found.high:.3f}"
    shown = [] if found.value is None else [f"r = {found.value:.3f}, {interval}"]
    left = sorted({*accuracy, *peak}.difference(used))
    notes += [f"left out, without accuracy or without drift: {', '.join(left)}"] if left else []
    measure = MeasureBuilder({}, confidence)(
        "stability_r",
        found.value,
        ends=(found.low, found.high),
        n=len(used),
        units="correlation",
        method="pearson over subjects, fisher's z with the larger of its error and the jackknife's",
        why="accuracy or peak drift does not vary",
        notes=[ATTENUATED, *notes],
    )
    return measure, Verdict(
        name="P-SR-2",
        kind="prediction",
        claim=f"over subjects, accuracy and 1 / peak drift correlate with r of at least {LEAST_R:g}",
        rule=f"holds where the interval begins at {LEAST_R:g} or above, fails where it ends below",
        holds=True if exact(found.low) >= LEAST_R else False if exact(found.high) < LEAST_R else None,
        because="; ".join([*shown, *notes]),
    )
