"""How often the own text was chosen, how often by chance, and how often if positions counted for nothing.

    accuracy            right / readable
    accuracy_corrected  mean over positions of the accuracy where the own text stands there
    balanced_accuracy   mean over true sources of the accuracy where it is the right one
    accuracy_shuffled   mean of the share of own texts at the chosen position: what is left if lineups are shuffled

A judge that always answers "1" has a corrected accuracy of 1/k, wherever the own texts stood.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from assay.measuring.building import MeasureBuilder, mean_ends
from assay.measuring.claims import UNREADABLE, ReadableMean
from assay.stats import cluster_contrast
from assay.vocabulary import Measure

from .answers import DIFFERENCE, Ints, LineupAnswers

__all__ = ["above_chance", "accuracy_measures", "chance_of", "corrected", "phase_measures"]

ONE_SOURCE = 0.8  # a larger share of guesses is noted: their accuracy is how often that source is right
NOT_NAMED = "rows do not say which source was named (chosen)"


def chance_of(answers: LineupAnswers) -> float:
    return float(np.mean(answers.chance))


def above_chance(answers: LineupAnswers) -> ReadableMean:
    """Accuracy less the mean of chance. Where it is the same in all lineups and every answer is a cluster of its
    own, its test is the exact binomial one, twice the smaller tail."""
    chance = answers.chance
    return answers.mean(answers.right - chance, -chance, 1.0 - chance)


def corrected(answers: LineupAnswers, groups: Ints | None = None) -> ReadableMean:
    """Every position, or group, counts the same; one without a readable answer is left out of the value."""
    groups = answers.own if groups is None else groups
    parts = [answers.where(groups == group) for group in np.unique(groups)]
    read = [one for one in parts if one.known.any()]
    terms = [one.term(one.right, one.known, 1.0 / len(read)) for one in read]
    estimate = cluster_contrast(*terms) if terms else answers.accuracy.estimate
    return ReadableMean(
        estimate, mean_ends([one.accuracy_bounds for one in parts]) if answers.unknown else None
    )


def _shuffled(answers: LineupAnswers) -> ReadableMean:
    values, low, high = np.zeros((3, answers.asked))
    for k in np.unique(answers.options):
        here = answers.options == k
        share = np.bincount(answers.own[here], minlength=k + 1) / here.sum()
        values[here], low[here], high[here] = share[answers.choice[here]], share[1:].min(), share[1:].max()
    return answers.mean(values, low, high, limits=(0.0, 1.0))


def phase_measures(answers: LineupAnswers, say: MeasureBuilder, at: Mapping[str, str]) -> Iterator[Measure]:
    """Accuracy, beside chance where it is of one phase or condition."""
    chance, unknown = chance_of(answers), answers.unknown
    notes = [f"chance is {chance:.3f}"]
    notes += [f"{unknown} of {answers.asked} answers could not be read"] if unknown else []
    guesses = answers.where(answers.source.astype(bool))
    names, counts = np.unique(guesses.chosen[guesses.chosen.astype(bool)], return_counts=True)
    if at and counts.max(initial=0) > ONE_SOURCE * counts.sum():
        notes.append(f"{counts.max()} of {counts.sum()} guesses name {names[counts.argmax()]}")
    yield answers.accuracy.measure(say, "accuracy", at, k=answers.right_count, notes=notes)
    if not at:
        return
    yield say("chance", chance, at, n=answers.asked, method=f"mean of {answers.chance_rule}")
    above = above_chance(answers)
    yield above.measure(say, "accuracy_above_chance", at, units=DIFFERENCE)
    if say.confidence:
        p, n = above.estimate.p_value(), above.estimate.n
        method = f"two-sided, {say.method(above.estimate)}"
        yield say("chance_p", p, at, n=n, units="p-value", method=method, why=UNREADABLE)
    offered = answers.where(answers.named < answers.options)
    if offered.asked:
        beyond = np.asarray(offered.choice > offered.named, np.float64)
        yield offered.mean(beyond).measure(say, "unknown_choice_rate", at, k=int(beyond.sum()))
    if guesses.asked:
        yield from _source_measures(guesses, say)


def _source_measures(guesses: LineupAnswers, say: MeasureBuilder) -> Iterator[Measure]:
    """Of answers whose true source is known."""
    chosen, (sources, code) = guesses.chosen.astype(str), np.unique(guesses.source, return_inverse=True)
    absent = sorted({*sources} - {*sources[code[guesses.known]]})
    notes = [f"no readable answer on {', '.join(absent)}"] if absent else []
    method = f"mean over {len(sources) - len(absent)} sources"
    yield corrected(guesses, code).measure(say, "balanced_accuracy", {}, method=method, notes=notes)
    for name in sorted({*chosen, *sources} - {""}):
        hit = np.asarray(chosen == name, np.float64)
        found = guesses.mean(hit, known=chosen != "")
        yield found.measure(say, "guess_share", {"source": str(name)}, k=int(hit.sum()), why=NOT_NAMED)


def accuracy_measures(answers: LineupAnswers, say: MeasureBuilder, at: dict[str, str]) -> Iterator[Measure]:
    """What is left of the accuracy once positions are taken out, and how many answers could not be read."""
    largest = int(answers.options.max())
    absent = sorted({*range(1, largest + 1)} - {*map(int, answers.own[answers.known])})
    notes = [f"no readable answer with the own text at {', '.join(map(str, absent))}"] if absent else []
    method = f"mean over {largest - len(absent)} positions"
    yield corrected(answers).measure(say, "accuracy_corrected", at, method=method, notes=notes)
    yield _shuffled(answers).measure(say, "accuracy_shuffled", at)
    yield answers.whole(~answers.known).measure(say, "unknown_rate", at, k=answers.unknown)
