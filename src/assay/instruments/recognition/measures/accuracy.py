"""How often the own text was chosen, how often by chance, and how often if positions counted for nothing.

    accuracy            right / readable
    accuracy_corrected  mean over positions of the accuracy where the own text stands there
    accuracy_shuffled   mean of the share of own texts at the chosen position: what is left if lineups are shuffled

A judge that always answers "1" has a corrected accuracy of 1/k, wherever the own texts stood.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.instruments.recognition.lineups import DIFFERENCE, UNREADABLE, LineupAnswers, Mean
from assay.measuring.building import MeasureBuilder, mean_ends
from assay.stats import cluster_contrast
from assay.vocabulary import Measure

__all__ = ["above_chance", "accuracy_measures", "chance_of", "corrected", "phase_measures"]


def chance_of(answers: LineupAnswers) -> float:
    return float(np.mean(1.0 / answers.options))


def above_chance(answers: LineupAnswers) -> Mean:
    """Accuracy less the mean of 1/options. Where all lineups have as many options and every answer is a cluster of its
    own, its test is the exact binomial one, twice the smaller tail."""
    chance = 1.0 / answers.options
    return answers.mean(answers.right - chance, -chance, 1.0 - chance)


def corrected(answers: LineupAnswers) -> Mean:
    """Every position counts the same; one without a readable answer is left out of the value."""
    places = [answers.where(answers.own == place) for place in np.unique(answers.own)]
    read = [one for one in places if one.known.any()]
    terms = [one.term(one.right, one.known, 1.0 / len(read)) for one in read]
    estimate = cluster_contrast(*terms) if terms else answers.accuracy.estimate
    return Mean(estimate, mean_ends([one.accuracy_bounds for one in places]) if answers.unknown else None)


def _shuffled(answers: LineupAnswers) -> Mean:
    values, low, high = np.zeros((3, answers.asked))
    for k in np.unique(answers.options):
        here = answers.options == k
        share = np.bincount(answers.own[here], minlength=k + 1) / here.sum()
        values[here], low[here], high[here] = share[answers.choice[here]], share[1:].min(), share[1:].max()
    return answers.mean(values, low, high, limits=(0.0, 1.0))


def phase_measures(answers: LineupAnswers, say: MeasureBuilder, phase: str) -> Iterator[Measure]:
    """Accuracy, beside chance where it is of one phase."""
    at, chance, unknown = {"phase": phase}, chance_of(answers), answers.unknown
    notes = [f"chance is {chance:.3f}"]
    notes += [f"{unknown} of {answers.asked} answers could not be read"] if unknown else []
    yield answers.accuracy.measure(say, "accuracy", at, k=answers.right_count, notes=notes)
    if not phase:
        return
    yield say("chance", chance, at, n=answers.asked, method="mean of 1/options")
    above = above_chance(answers)
    yield above.measure(say, "accuracy_above_chance", at, units=DIFFERENCE)
    if say.confidence:
        p, n = above.estimate.p_value(), above.estimate.n
        method = f"two-sided, {say.method(above.estimate)}"
        yield say("chance_p", p, at, n=n, units="p-value", method=method, why=UNREADABLE)


def accuracy_measures(answers: LineupAnswers, say: MeasureBuilder, at: dict[str, str]) -> Iterator[Measure]:
    """What is left of the accuracy once positions are taken out, and how many answers could not be read."""
    largest = int(answers.options.max())
    absent = sorted({*range(1, largest + 1)} - {*map(int, answers.own[answers.known])})
    notes = [f"no readable answer with the own text at {', '.join(map(str, absent))}"] if absent else []
    method = f"mean over {largest - len(absent)} positions"
    yield corrected(answers).measure(say, "accuracy_corrected", at, method=method, notes=notes)
    yield _shuffled(answers).measure(say, "accuracy_shuffled", at)
    yield answers.whole(~answers.known).measure(say, "unknown_rate", at, k=answers.unknown)
