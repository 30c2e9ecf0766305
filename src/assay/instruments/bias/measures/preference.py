"""Letter and position preference: how often a choice falls on the first position or letter, whatever stands there.

Over counterbalanced items a subject without a preference chooses each of k in 1/k of its answers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.instruments.bias.cells import Answered
from assay.measuring.building import MeasureBuilder
from assay.stats import ClusterTerm, cluster_contrast
from assay.vocabulary import Measure

from .shifts import SHIFT

__all__ = ["LETTERS", "preference_measures"]

LETTERS = "ABCDEFGHIJ"


def preference_measures(choices: Answered, say: MeasureBuilder) -> Iterator[Measure]:
    """Columns: the position chosen and the letter chosen, both from 1, and how many options there were."""
    position, letter, options = choices.columns
    everywhere = np.ones(len(options), bool)
    for what, picked in (("position", position), ("letter", letter)):
        n, first, chance = choices.sums(everywhere, picked == 1, 1.0 / options)
        excess = cluster_contrast(ClusterTerm(n, first), ClusterTerm(n, chance, -1.0))
        notes = ["0 is no preference, where every option stands equally often in every place"]
        yield say(
            f"{what}_preference", excess, units=SHIFT, method="share of the first less 1/k", notes=notes
        )
        for k in np.unique(options):
            for one in range(1, int(k) + 1):
                n, chosen = choices.sums(options == k, picked == one)
                at: dict[str, str | float] = {
                    "options": float(k),
                    what: LETTERS[one - 1] if what == "letter" else str(one),
                }
                hits, notes = int(chosen.sum()), [f"chance is {1 / k:.3f}"]
                yield say(f"{what}_share", cluster_contrast(ClusterTerm(n, chosen)), at, k=hits, notes=notes)
