"""What choices go by beside the own text: positions, length, another author, the order of the texts.

A preference is the share of choices of a position less what the accuracy a alone would give it: a where the own text
stands there, (1 - a) / (k - 1) where it does not. Where own texts stand equally often everywhere, that is 1/k.

Orders are told apart by the place of the own text. Two choices are the same text where both are the own one, where
both have the same name (``chosen``), or where there is only one other text.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.measuring.building import Claimed, MeasureBuilder
from assay.measuring.claims import ReadableMean
from assay.stats import ClusterTerm, cluster_contrast
from assay.vocabulary import Measure, Verdict

from .answers import DIFFERENCE, Bools, Floats, Ints, LineupAnswers

__all__ = ["NOT_SAID", "order_measure", "position_verdicts", "preference_measures"]

ONE_ORDER = "no lineup has readable answers with the own text at several positions"
NOT_SAID = "rows do not say which wrong text was chosen (chosen)"
NOT_TOLD = "no answer could be read, or the own text always stands at the same place"


def _preference(answers: LineupAnswers, place: Ints | int) -> ReadableMean:
    """For one position in every lineup. Where own texts stand is a matter of design, and taken as given."""
    own, there = answers.own == place, answers.options >= place
    elsewhere = np.where(own, 0.0, there / (answers.options - 1))

    def among(rows: Bools) -> ReadableMean:
        """An answer adds [chosen] - lean·[right] - elsewhere; unreadable, it may be own, here or neither."""
        lean = float(np.mean((own - elsewhere)[rows]))  # what a right answer adds to the expected share
        at_own = own - lean
        neither = np.where(own | (answers.options > 2), 0.0, at_own)
        added = np.stack([at_own, np.where(own, at_own, there), neither]) - elsewhere
        told = answers.known & bool(
            np.ptp(added) > 1e-9
        )  # not where the own text and the place are always one
        values = (answers.choice == place) - lean * answers.right - elsewhere
        return answers.mean(values, added.min(axis=0), added.max(axis=0), known=told)

    everything = np.ones(answers.asked, bool)
    found = among(answers.known if answers.known.any() else everything)
    return ReadableMean(found.estimate, among(everything).bounds if answers.unknown else None)


def preference_measures(answers: LineupAnswers, say: MeasureBuilder, at: dict[str, str]) -> Iterator[Measure]:
    for place in range(1, int(answers.options.max()) + 1):
        labels, there = {**at, "position": str(place)}, (answers.options >= place).astype(np.float64)
        hit, own = np.asarray(answers.choice == place, np.float64), answers.own == place
        share = answers.mean(hit, 0.0, there, limits=(0.0, 1.0))
        notes = [f"chance is {float(np.mean((answers.named >= place) * answers.chance)):.3f}"]
        yield share.measure(say, "position_share", labels, k=int(hit.sum()), notes=notes)
        k, n = int(own.sum()), answers.asked
        yield say("own_share", k / n, labels, k=k, n=n, method="where own texts stand")
        found = _preference(answers, place)
        yield found.measure(say, "position_preference", labels, units=DIFFERENCE, why=NOT_TOLD)
    measured = answers.where(answers.longest > 0)
    if measured.asked:
        left, hit = (
            answers.asked - measured.asked,
            np.asarray(measured.choice == measured.longest, np.float64),
        )
        notes = [f"{left} answers without one longest text"] if left else []
        yield measured.mean(hit).measure(say, "longest_share", at, k=int(hit.sum()), notes=notes)
        found = _preference(measured, measured.longest)
        yield found.measure(say, "longest_preference", at, units=DIFFERENCE, why=NOT_TOLD, notes=notes)
    chosen = answers.chosen.astype(str)  # whose text, where rows say so
    for name in np.unique(chosen[chosen != ""]):
        hit, labels = np.asarray(chosen == name, np.float64), {**at, "chosen": str(name)}
        found = answers.mean(hit, known=chosen != "")
        yield found.measure(say, "confusion", labels, k=int(hit.sum()))


def position_verdicts(answers: LineupAnswers, say: MeasureBuilder) -> Iterator[Verdict]:
    """Which positions are preferred or avoided, by Holm over them."""
    found = []
    for place in range(1, int(answers.options.max()) + 1):
        claim = f"{say.labels['subject']} prefers or avoids position {place}, whatever stands there"
        found.append(Claimed(claim, *_preference(answers, place), {"position": str(place)}))
    return say.verdicts("position_preference", found, "positions", NOT_TOLD)


def _texts(answers: LineupAnswers) -> Floats:
    """A code of the text that was chosen: 0 the own one, above 0 another; NaN where it is not said which."""
    names, code = np.unique(answers.chosen.astype(str), return_inverse=True)
    named = np.where(names == "", np.nan, np.arange(1.0, len(names) + 1))[code]
    other = np.where(answers.options == 2, 0.5, named)  # there is only one
    return np.where(answers.choice == answers.own, 0.0, other)


def order_measure(answers: LineupAnswers, say: MeasureBuilder, at: dict[str, str]) -> Measure:
    """The share of lineups in which one text was chosen in every order."""
    texts, order, found = _texts(answers), np.argsort(answers.lineup, kind="stable"), []
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
    k, bounds = int(same[known].sum()), None if whole.all() else bounds
    return say(name, estimate, at, k=k, method=method, bounds=bounds, why=ONE_ORDER)
