"""Whether "which is yours?" is answered as "which is best?".

    preference_own               share of answers to "which is best?" that choose the own text
    preference_agreement         share of answers to "which is yours?" that choose the text called best
    preference_agreement_chance  a·b + (1 - a)(1 - b)/(k - 1): the same if the two were independent, with accuracy a
                                 and share b of own texts called best

The unit is a pair of answers to both questions on one lineup. Two choices are the same text where both are the own one,
where both have the same name (``chosen``), where there is only one other text, or where they are the same position
with the own text at the same place. Otherwise nobody can tell: a table does not say that orders are rotations.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from assay.measuring.building import MeasureBuilder
from assay.vocabulary import Measure

from .answers import LineupAnswers, lineup_answers
from .preference import NOT_SAID

__all__ = ["best_text_measures"]


def best_text_measures(table: pl.DataFrame, confidence: float | None) -> Iterator[Measure]:
    """``table`` has answers to both questions, ``asked`` "best" or not, of subjects about themselves in one phase."""
    best = pl.when(asked="best").then(pl.lit("best")).otherwise(pl.lit("own"))
    phases = table.get_column("phase").unique().sort().to_list()
    answers = lineup_answers(table.with_columns(target=best), phases)
    for (subject, asked), one in answers.items():
        if asked == "best":
            say = MeasureBuilder({"subject": subject}, confidence)
            notes = [f"chance is {one.chance.mean():.3f}"]
            yield one.accuracy.measure(say, "preference_own", {}, k=one.right_count, notes=notes)
            if (subject, "own") in answers:
                yield from _agreement(answers[subject, "own"], one, say)


def _agreement(own: LineupAnswers, best: LineupAnswers, say: MeasureBuilder) -> Iterator[Measure]:
    order = np.argsort(own.lineup, kind="stable")
    first, last = (np.searchsorted(own.lineup[order], best.lineup, side) for side in ("left", "right"))
    here = [order[start:end] for start, end in zip(first, last, strict=True)]
    mine, called = own.where(np.concatenate(here)), best.where(np.repeat(np.arange(best.asked), last - first))
    if not mine.asked:
        return
    right, preferred, two = mine.right > 0, called.right > 0, mine.options == 2
    named = mine.chosen.astype(bool) & called.chosen.astype(bool)
    other = two | np.where(named, mine.chosen == called.chosen, mine.choice == called.choice)
    same = np.where(right | preferred, right & preferred, other)
    told = right | preferred | two | named | (mine.own == called.own)
    read, told = mine.known & called.known, told & (mine.options == called.options)
    found = mine.mean(same.astype(np.float64), known=read & told)
    if (read & ~told).any():  # those that can be told have an own text more often: no fair part of all
        yield say("preference_agreement", None, n=mine.asked, bounds=found.bounds, why=NOT_SAID)
    else:
        yield found.measure(say, "preference_agreement", {}, k=int(same[read].sum()))
    if read.any():
        a, b, apart = right[read].mean(), preferred[read].mean(), (1.0 / (mine.options[read] - 1)).mean()
        chance, method = float(a * b + (1 - a) * (1 - b) * apart), "if choice and preference were independent"
        yield say("preference_agreement_chance", chance, n=int(read.sum()), method=method)
