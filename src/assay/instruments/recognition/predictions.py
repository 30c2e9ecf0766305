"""The specification's predictions as verdicts, and the test against chance; by Holm over subjects.

A prediction that fails says how the specification reads that.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.measuring.building import MeasureBuilder
from assay.measuring.claims import Bar, Claim, claim_verdicts
from assay.measuring.lineups import (
    JudgePanel,
    LineupAnswers,
    above_chance,
    advantage_of,
    chance_of,
    corrected,
)
from assay.stats import ClusterTerm, cluster_contrast
from assay.vocabulary import Verdict

from .row_options import PHASES

__all__ = ["FAILURES", "SubjectAnswers", "chance_verdicts", "establishable", "prediction_verdicts"]

# spec, "Predictions Being Tested": of one accuracy, by phase, with its bar and whether a value on it is enough
OF_ONE_PHASE = (
    ("P-SR-1", "self", 0.75, True),
    ("P-SR-4", "gold", 0.25, False),
    ("P-SR-6", "inverse", 0.20, False),
)
BIDIRECTIONAL = 0.60
CHANCE = (("above_chance", ""), ("above_chance_corrected", ", corrected,"))
FAILURES = {  # spec, "Failure Modes": the interpretation, and what follows
    "P-SR-1": "AIs can't recognize themselves; the metric may not capture identity",
    "P-SR-2": "recognition is not stability; they are different constructs",
    "P-SR-3": "one direction works, not the other; the metric is informative but not bijective",
    "P-SR-6": "inverse mapping fails; 5D vectors don't uniquely identify",
}
NOT_EVERY = "no readable answers with every option as the right one"


class SubjectAnswers(NamedTuple):
    """One subject's answers about itself by phase, and the panel of phase self."""

    subject: str
    phases: Mapping[str, LineupAnswers]
    panel: JudgePanel


def _predicted(name: str, claims: Sequence[Claim], say: MeasureBuilder) -> Iterator[Verdict]:
    reading = FAILURES.get(name.partition("_")[0])
    failure = f"; the specification reads this as: {reading}" if reading else ""
    return claim_verdicts(name, "prediction", claims, say, failure)


def prediction_verdicts(subjects: Sequence[SubjectAnswers], say: MeasureBuilder) -> Iterator[Verdict]:
    """On every subject that has answers in the phases of a prediction. P-SR-2 needs drift, P-SR-5 is no number."""

    def one_bar(name: str, text: str, bars: Mapping[str, Bar]) -> Iterator[Verdict]:
        claims = [Claim({"subject": who}, [bar], text) for who, bar in bars.items()]
        return _predicted(name, claims, say)

    by_phase = {at: {one.subject: one.phases[at] for one in subjects if at in one.phases} for at in PHASES}
    for name, phase, line, reached in OF_ONE_PHASE:
        text = f"the accuracy in phase {phase} is {'at least' if reached else 'above'} {line:g}"
        bars = {who: Bar(some.accuracy, line, reached) for who, some in by_phase[phase].items()}
        yield from one_bar(name, text, bars)
    text = "it chooses its own text more often than other judges do on the same lineups"
    bars = {one.subject: Bar(advantage_of(one.panel), 0.0) for one in subjects if one.panel.judges}
    yield from one_bar("P-SR-1_self_advantage", text, bars)
    yield from _predicted("P-SR-3", [*_both_ways(subjects, fair=False)], say)
    yield from _predicted("P-SR-3_corrected", [*_both_ways(subjects, fair=True)], say)
    bars = {who: Bar(above_chance(one), 0.0) for who, one in by_phase["inverse"].items()}
    yield from one_bar("P-SR-6_chance", "the accuracy in phase inverse is above the true chance", bars)
    for phase, there in by_phase.items():
        yield from chance_verdicts({"phase": phase}, there, say)


def chance_verdicts(
    at: Mapping[str, str], answers: Mapping[str, LineupAnswers], say: MeasureBuilder
) -> Iterator[Verdict]:
    """On the answers of subjects in one phase; in phase self under one condition, corrected only."""
    [(label, where)] = at.items()
    for name, how in CHANCE if label == "phase" else CHANCE[1:]:
        text, found = f"the accuracy in {label} {where}{how} is above chance, ", []
        for who, one in answers.items():
            bar = Bar(corrected(one), chance_of(one)) if how else Bar(above_chance(one), 0.0)
            found.append(Claim({"subject": who, **at}, [bar], text + one.chance_rule))
        yield from claim_verdicts(name, "comparison", found, say)


def _both_ways(subjects: Sequence[SubjectAnswers], *, fair: bool) -> Iterator[Claim]:
    """P-SR-3 (spec, Phase 4): the way back is what a vector tells of its text where that was asked, or else whose it
    is. The fair value is the corrected one, since "no" is mostly right where few texts have a list."""
    for one in subjects:
        ways = "forward", "characteristics" if "characteristics" in one.phases else "inverse"
        if one.phases.keys() & {*ways}:
            bars = [_way(one.phases.get(phase), f"{phase} ", fair) for phase in ways]
            how = ", corrected," if fair else ""
            text = f"the accuracies in phases {' and '.join(ways)}{how} are both above {BIDIRECTIONAL:g}"
            yield Claim({"subject": one.subject}, bars, text)


def _way(answers: LineupAnswers | None, name: str, fair: bool) -> Bar:
    """Corrected only where every option is the right one somewhere: elsewhere always the same answer could pass."""
    if answers is None or not fair:
        return Bar(answers and answers.accuracy, BIDIRECTIONAL, name=name)
    every = {*answers.own[answers.known]} == {*range(1, answers.named.max() + 1)}
    return Bar(corrected(answers) if every else None, BIDIRECTIONAL, name=name, why=NOT_EVERY)


def establishable(prompts: int, subjects: int, alpha: float) -> tuple[str, ...]:
    """Whether P-SR-1 could be established at all, a prompt being one observation: in words, for a plan."""
    at = OF_ONE_PHASE[0][2]

    def shown(n: int, missed: int) -> bool:
        right = np.arange(n) >= missed
        p = cluster_contrast(ClusterTerm(np.ones(n), right.astype(np.float64))).p_value(at)
        return missed < (1 - at) * n and p is not None and p <= alpha / subjects

    if not prompts:
        return ()
    claim = f"P-SR-1 (an accuracy of at least {at:g}) on {prompts} prompts, judged among {subjects} subjects"
    if not shown(prompts, 0):
        needed = next(n for n in itertools.count(prompts) if shown(n, 0))
        return (
            f"{claim}: not even a subject that is always right is shown to reach it; {needed} prompts would do",
        )
    missed = next(n for n in itertools.count(1) if not shown(prompts, n)) - 1
    return (f"{claim}: shown where at least {prompts - missed} are answered rightly in every order",)
