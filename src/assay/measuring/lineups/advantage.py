"""Self-advantage: the subject's accuracy less that of other judges on the same lineups.

Accuracy alone is no recognition of oneself: what a text is like, or how good, may tell anyone whose it is.

    self_advantage = accuracy of the subject - mean over judges of their accuracy, on lineups that both were asked
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from assay.measuring.building import MeasureBuilder, mean_ends
from assay.measuring.claims import UNREADABLE, ReadableMean
from assay.stats import ClusterTerm, cluster_contrast
from assay.vocabulary import Measure

from .answers import DIFFERENCE, LineupAnswers

__all__ = ["JudgePanel", "advantage_measures", "advantage_of", "panel_of"]

NO_JUDGES = "no other judge was asked the same lineups"


class JudgePanel(NamedTuple):
    """Answers to the lineups that the subject and another judge were asked, in one phase or in all."""

    own: LineupAnswers
    judges: Mapping[str, LineupAnswers]

    def terms(self, sign: float) -> list[ClusterTerm]:
        """The mean accuracy of the judges: each counts the same; one without a readable answer is left out."""
        read = [one for one in self.judges.values() if one.known.any()]
        return [one.term(one.right, one.known, sign / len(read)) for one in read]


def panel_of(own: LineupAnswers, judges: Mapping[str, LineupAnswers]) -> JudgePanel:
    """``judges`` have answered lineups with the subject's text; what the subject was not asked is left out."""
    shared = {name: one.where(np.isin(one.lineup, own.lineup)) for name, one in judges.items()}
    shared = {name: one for name, one in shared.items() if one.asked}
    lineups = [code for one in shared.values() for code in np.unique(one.lineup)]
    return JudgePanel(own.where(np.isin(own.lineup, lineups)), shared)


def advantage_of(panel: JudgePanel) -> ReadableMean:
    """Without a value where one side has no readable answer."""
    own, nobody = panel.own, np.zeros(panel.own.asked, bool)
    others = panel.terms(-1.0) or [own.term(own.right, nobody, -1.0)]
    estimate = cluster_contrast(own.term(own.right, own.known), *others)
    neutral = mean_ends([one.accuracy_bounds for one in panel.judges.values()])
    if neutral is None or not any(one.unknown for one in (own, *panel.judges.values())):
        return ReadableMean(estimate)
    low, high = own.accuracy_bounds
    return ReadableMean(estimate, (low - neutral[1], high - neutral[0]))


def advantage_measures(panel: JudgePanel, say: MeasureBuilder, at: dict[str, str]) -> Iterator[Measure]:
    """With the accuracies of which it is the difference."""
    why, method = UNREADABLE if panel.judges else NO_JUDGES, f"less the mean of {len(panel.judges)} judges"
    found = advantage_of(panel)
    yield found.measure(say, "self_advantage", at, units=DIFFERENCE, method=method, why=why)
    if panel.judges:
        yield panel.own.accuracy.measure(say, "accuracy_shared", at, k=panel.own.right_count)
        terms, ends = panel.terms(1.0), mean_ends([one.accuracy_bounds for one in panel.judges.values()])
        bounds = ends if any(one.unknown for one in panel.judges.values()) else None
        yield say("neutral_accuracy", cluster_contrast(*terms) if terms else None, at, bounds=bounds, why=why)
    for judge, one in panel.judges.items():
        yield one.accuracy.measure(say, "neutral_accuracy", {**at, "judge": judge}, k=one.right_count)
