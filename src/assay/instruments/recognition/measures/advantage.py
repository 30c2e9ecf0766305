"""Self-advantage: the subject's accuracy less that of other judges on the same lineups.

Accuracy alone is no recognition of oneself: what a text is like, or how good, may tell anyone whose it is.

    self_advantage = accuracy of the subject - mean over judges of their accuracy, on lineups that both were asked
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from assay.instruments.recognition.lineups import UNREADABLE, LineupAnswers, Mean
from assay.measuring.building import Ends, MeasureBuilder, mean_ends
from assay.stats import ClusterTerm, cluster_contrast
from assay.vocabulary import Measure

from .accuracy import DIFFERENCE, accuracy_bounds

__all__ = ["Panel", "advantage_measures", "advantage_of", "panel_of"]

NO_JUDGES = "no other judge was asked the same lineups"


class Panel(NamedTuple):
    """Answers to the lineups that the subject and another judge were asked, in one phase or in all."""

    own: LineupAnswers
    judges: Mapping[str, LineupAnswers]

    def terms(self, sign: float) -> list[ClusterTerm]:
        """The mean accuracy of the judges: each counts the same; one without a readable answer is left out."""
        read = [one for one in self.judges.values() if one.known.any()]
        return [one.term(one.right, one.known, sign / len(read)) for one in read]

    @property
    def bounds(self) -> Ends:
        """What unreadable answers could make of that mean."""
        return mean_ends([accuracy_bounds(one) for one in self.judges.values()]) or (0.0, 1.0)

    @property
    def unknown(self) -> int:
        return sum(one.unknown for one in self.judges.values())


def panel_of(own: LineupAnswers, judges: Mapping[str, LineupAnswers]) -> Panel:
    """``judges`` have answered lineups with the subject's text; what the subject was not asked is left out."""
    shared = {name: one.where(np.isin(one.lineup, own.lineup)) for name, one in judges.items()}
    shared = {name: one for name, one in shared.items() if one.asked}
    lineups = [code for one in shared.values() for code in np.unique(one.lineup)]
    return Panel(own.where(np.isin(own.lineup, lineups)), shared)


def advantage_of(panel: Panel) -> Mean | None:
    """None where there is nothing to compare."""
    others, own = panel.terms(-1.0), panel.own
    if not others or not own.known.any():
        return None
    estimate = cluster_contrast(own.term(own.right, own.known), *others)
    (low, high), (least, most) = accuracy_bounds(own), panel.bounds
    return Mean(estimate, (low - most, high - least) if own.unknown + panel.unknown else None)


def advantage_measures(panel: Panel, say: MeasureBuilder, at: dict[str, str]) -> Iterator[Measure]:
    """With the accuracies of which it is the difference."""
    why, units = UNREADABLE if panel.judges else NO_JUDGES, DIFFERENCE
    method = f"less the mean of {len(panel.judges)} judges"
    if found := advantage_of(panel):
        yield found.measure(say, "self_advantage", at, units=units, method=method)
    else:
        yield say("self_advantage", None, at, units=units, method=method, why=why)
    if panel.judges:
        yield panel.own.accuracy.measure(say, "accuracy_shared", at, k=panel.own.right_count)
        terms = panel.terms(1.0)
        neutral, bounds = cluster_contrast(*terms) if terms else None, panel.bounds if panel.unknown else None
        yield say("neutral_accuracy", neutral, at, bounds=bounds, why=why)
    for judge, one in panel.judges.items():
        yield one.accuracy.measure(say, "neutral_accuracy", {**at, "judge": judge}, k=one.right_count)
