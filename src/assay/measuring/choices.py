"""What choices show beside being right: whether confidence goes with it, and a preference for letters or places.

Answers of one subject, each with the cluster it belongs to; intervals go by clusters.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from assay.stats import ClusterTerm, cluster_contrast
from assay.vocabulary import Measure

from .building import MeasureBuilder
from .layouts import LETTERS

__all__ = ["BINS", "preference_measures", "reliability_measures"]

BINS = 10  # of the reliability curve
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def _sums(cluster: Ints, chosen: npt.NDArray[np.bool_], *values: npt.ArrayLike) -> list[Floats]:
    """Of the chosen answers, by cluster: how many there are, and the sum of each of the values."""
    _, at = np.unique(cluster[chosen], return_inverse=True)
    weights = [np.ones(len(cluster)), *(np.asarray(one, np.float64) for one in values)]
    return [np.bincount(at, one[chosen]).astype(np.float64) for one in weights]


def reliability_measures(
    say: MeasureBuilder, cluster: Ints, confidence: Floats, correct: Floats
) -> Iterator[Measure]:
    """The reliability curve: the accuracy of answers by their confidence from 0 to 1, in ten bins.

    ``correct`` is NaN where an answer could not be read: it is in the bounds alone.
    """
    known = ~np.isnan(correct)
    bins = np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
    for one in np.unique(bins):
        here = bins == one
        n, right, sure = _sums(cluster, here & known, correct, confidence)
        least, asked = float(right.sum()), int(here.sum())
        most = least + asked - float(n.sum())
        bounds = None if known[here].all() else (least / asked, most / asked)
        at = {"bin": f"{one / BINS:.1f} to {(one + 1) / BINS:.1f}"}
        yield say("reliability", cluster_contrast(ClusterTerm(n, right)), at, bounds=bounds)
        yield say("reliability_confidence", cluster_contrast(ClusterTerm(n, sure)), at)


def preference_measures(
    say: MeasureBuilder, cluster: Ints, position: Floats, letter: Floats, options: Floats
) -> Iterator[Measure]:
    """How often a choice falls on the first position or letter, whatever stands there.

    Over counterbalanced items a subject without a preference chooses each of k in 1/k of its answers. Positions and
    letters are numbers from 1, beside how many options there were.
    """
    everywhere = np.ones(len(options), bool)
    for what, picked in (("position", position), ("letter", letter)):
        n, first, chance = _sums(cluster, everywhere, picked == 1, 1.0 / options)
        excess = cluster_contrast(ClusterTerm(n, first), ClusterTerm(n, chance, -1.0))
        yield say(
            f"{what}_preference",
            excess,
            units="difference of shares",
            method="share of the first less 1/k",
            notes=["0 is no preference, where every option stands equally often in every place"],
        )
        for k in np.unique(options):
            for one in range(1, int(k) + 1):
                n, chosen = _sums(cluster, options == k, picked == one)
                name = LETTERS[one - 1] if what == "letter" else str(one)
                at: dict[str, str | float] = {"options": float(k), what: name}
                hits, notes = int(chosen.sum()), [f"chance is {1 / k:.3f}"]
                yield say(f"{what}_share", cluster_contrast(ClusterTerm(n, chosen)), at, k=hits, notes=notes)
