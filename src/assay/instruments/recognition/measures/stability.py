"""P-SR-2: whether subjects that recognise their texts more often are more stable (spec, "Predictions Being Tested").

r is Pearson's, over subjects, of accuracy and 1 / peak drift. Its interval, on Fisher's scale z = artanh r, is

    z ± t · max(1 / √(n - 3), standard error of z by the jackknife),   t of Student with n - 2 degrees of freedom

Fisher's error alone assumes that both are normal, and covers in .81 to .91 of simulated fleets where a few subjects are
far out; the jackknife's alone in .88 where none is. Student's quantile allows for an error that is itself estimated.
All three together cover in .935 or more of plausible fleets of 5 to 30 (tests, `proof`), in small ones far more: a
wrong verdict is worse than none. A permutation test is exact for independence, and says nothing of r = .6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from scipy import special

from assay.measuring.building import Ends, MeasureBuilder, exact
from assay.vocabulary import Measure, Verdict

__all__ = ["correlation", "correlation_ends", "stability"]

Points = npt.NDArray[np.float64]  # one row a subject: accuracy, 1 / peak drift
LEAST_R, FEWEST, NEAR_ONE = 0.60, 4, 1.0 - 1e-12
ATTENUATED = "of measured values: errors of accuracies and drifts draw r towards 0"


def correlation(points: Points) -> float | None:
    """Pearson's r; None where one side does not vary."""
    if not len(points) or (np.ptp(points, axis=0) <= 1e-12 * np.abs(points).max(0)).any():
        return None
    away = points - points.mean(0)
    scaled = away / np.sqrt((away**2).sum(0))
    return min(max(float(scaled[:, 0] @ scaled[:, 1]), -1.0), 1.0)


def correlation_ends(points: Points, confidence: float) -> Ends | None:
    """None with fewer than four different subjects, and where one side does not vary without one of them."""
    n, r = len(points), correlation(points)
    others = [correlation(np.delete(points, place, axis=0)) for place in range(n)]
    if r is None or len(np.unique(points, axis=0)) < FEWEST or None in others:
        return None
    z, *without = (math.atanh(min(max(one or 0.0, -NEAR_ONE), NEAR_ONE)) for one in (r, *others))
    jackknife = math.sqrt((n - 1) / n * math.fsum((one - z) ** 2 for one in without))
    reach = max(jackknife, 1.0 / math.sqrt(n - 3)) * float(special.stdtrit(n - 2, (1.0 + confidence) / 2.0))
    return math.tanh(z - reach), math.tanh(z + reach)


def stability(
    accuracy: Mapping[str, float], peak: Mapping[str, float], confidence: float
) -> tuple[Measure, Verdict]:
    """``stability_r`` and the verdict on it, over the subjects that have an accuracy and a peak drift above 0."""
    used = [one for one in accuracy if peak.get(one, 0.0) > 0.0]
    points = np.array(sorted((accuracy[one], 1.0 / peak[one]) for one in used), np.float64).reshape(-1, 2)
    r, ends = correlation(points), correlation_ends(points, confidence)
    low, high = ends or (-1.0, 1.0)
    notes = (
        [] if ends else [f"the fleet is too small to tell, or its {len(used)} subjects are too much alike"]
    )
    shown = [] if r is None else [f"r = {r:.3f}, interval {low:.3f} to {high:.3f}"]
    left = sorted({*accuracy, *peak}.difference(used))
    notes += [f"left out, without accuracy or without drift: {', '.join(left)}"] if left else []
    measure = MeasureBuilder({}, confidence)(
        "stability_r",
        r,
        ends=(low, high),
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
        holds=True if exact(low) >= LEAST_R else False if exact(high) < LEAST_R else None,
        because="; ".join([*shown, *notes]),
    )
