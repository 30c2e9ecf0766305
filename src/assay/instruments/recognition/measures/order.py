"""Whether the order decides: the same lineup in several orders, and whether one text was chosen in all of them.

Orders are told apart by the place of the own text. Two choices are the same text where both are the own one, where
both have the same name (``chosen``), or where there is only one other text.
"""

from __future__ import annotations

import numpy as np

from assay.instruments.recognition.lineups import Floats, LineupAnswers
from assay.measuring.building import MeasureBuilder
from assay.stats import ClusterTerm, cluster_contrast
from assay.vocabulary import Measure

__all__ = ["order_measure"]

ONE_ORDER = "no lineup has readable answers with the own text at several positions"
NOT_SAID = "rows do not say which wrong text was chosen (chosen)"


def _texts(answers: LineupAnswers) -> Floats:
    """A code of the text that was chosen: 0 the own one, above 0 another; NaN where it is not said which."""
    names, code = np.unique(answers.chosen.astype(str), return_inverse=True)
    named = np.where(names == "", np.nan, np.arange(1.0, len(names) + 1))[code]
    named = np.where(np.isnan(named) & (answers.options == 2), 0.5, named)
    return np.where(answers.choice == answers.own, 0.0, named)


def order_measure(answers: LineupAnswers, say: MeasureBuilder, at: dict[str, str]) -> Measure:
    """The share of lineups in which one text was chosen in every order."""
    texts, order = _texts(answers), np.argsort(answers.lineup, kind="stable")
    found = []
    for places in np.split(order, np.flatnonzero(np.diff(answers.lineup[order])) + 1):
        read = places[answers.known[places]]
        if len(np.unique(answers.own[places])) < 2:
            continue
        chosen = texts[read]
        named = chosen[~np.isnan(chosen)]
        unnamed = len(named) < len(chosen)
        one = len(np.unique(named)) < 2 and not (unnamed and 0.0 in named)
        several = len(np.unique(answers.own[read])) > 1
        found.append((answers.cluster[places[0]], several, one, unnamed and one, len(read) == len(places)))
    cluster, judged, same, unsure, whole = np.array(found, np.int64).reshape(-1, 5).T
    known = judged > 0
    n = np.bincount(cluster[known], minlength=answers.clusters).astype(np.float64)
    consistent = np.bincount(cluster[known], same[known], answers.clusters).astype(np.float64)
    estimate = cluster_contrast(ClusterTerm(n, consistent))
    name, count, method = "order_consistent", len(found), "lineups with one text in every order"
    bounds = (float((same * whole * (1 - unsure)).mean()), float(same.mean())) if found else None
    if unsure[known].any():
        return say(name, None, at, n=count, method=method, bounds=bounds, why=NOT_SAID)
    bounds = None if whole.all() else bounds
    k = int(same[known].sum())
    return say(name, estimate, at, k=k, method=method, bounds=bounds, why=ONE_ORDER)
