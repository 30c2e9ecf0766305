"""The specification's predictions as verdicts, and the test against chance; by Holm over subjects.

A prediction holds, or fails, where the value differs from its bar by a test and unreadable answers could not
turn it round; otherwise it is not established.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.measuring.building import MeasureBuilder, exact
from assay.stats import ClusterTerm, cluster_contrast, holm
from assay.vocabulary import Verdict, VerdictKind

from .lineups import PHASES, UNREADABLE, LineupAnswers, Mean
from .measures.accuracy import above_chance, chance_of, corrected
from .measures.advantage import JudgePanel, advantage_of

__all__ = ["SubjectAnswers", "establishable", "prediction_verdicts"]

# spec, "Predictions Being Tested": of one accuracy, by phase, with its bar and whether a value on it is enough
OF_ONE_PHASE = (
    ("P-SR-1", "self", 0.75, True),
    ("P-SR-4", "gold", 0.25, False),
    ("P-SR-6", "inverse", 0.20, False),
)
BIDIRECTIONAL = 0.60


class SubjectAnswers(NamedTuple):
    """One subject's answers about itself by phase, and the panel of phase self."""

    subject: str
    phases: Mapping[str, LineupAnswers]
    panel: JudgePanel


class Bar(NamedTuple):
    """What a claim is judged by: a mean, and the value that it has to reach or to pass."""

    mean: Mean | None
    at: float
    reached: bool = False  # whether a value on the bar is enough
    name: str = ""

    def side(self) -> int:
        """1 above, -1 below, 0 where unreadable answers could move the value over the bar."""
        if self.mean is None or self.mean.estimate.value is None:
            return 0
        ends, line = (self.mean.estimate.value, *(self.mean.bounds or ())), exact(self.at)
        low, high = exact(min(ends)) - line, exact(max(ends)) - line
        if low > 0 or (self.reached and low == 0):
            return 1
        return -1 if high < 0 or (not self.reached and high == 0) else 0

    def p_value(self) -> float | None:
        return None if self.mean is None else self.mean.estimate.p_value(self.at)

    def text(self, say: MeasureBuilder) -> str:
        if self.mean is None or self.mean.estimate.value is None:
            return f"{self.name}{UNREADABLE if self.mean else 'no answers'}"
        low, high = say.ends(self.mean.estimate) or self.mean.estimate.limits
        shown = f"{self.name}{self.mean.estimate.value:.3f}, interval {low:.3f} to {high:.3f}"
        low, high = self.mean.bounds or (0.0, 0.0)
        return shown + (f", {low:.3f} to {high:.3f} with unreadable answers" if self.mean.bounds else "")


class Claim(NamedTuple):
    """Holds where all of its bars are passed, fails where one is not."""

    labels: Mapping[str, str]
    bars: Sequence[Bar]

    def decided(self) -> tuple[float | None, bool | None]:
        """p, and what would be established by it. All must hold together; one that fails is one of several."""
        found = [(bar.side(), bar.p_value()) for bar in self.bars]
        below = [p for side, p in found if side < 0 and p is not None]
        if below:
            return min(1.0, min(below) * len(found)), False
        values = [p for _, p in found if p is not None]
        if len(values) < len(found):
            return None, None
        return max(values), True if all(side > 0 for side, _ in found) else None


def _verdicts(
    name: str, kind: VerdictKind, text: str, claims: Sequence[Claim], say: MeasureBuilder
) -> Iterator[Verdict]:
    """``text`` is the claim on a subject, to stand after its name."""
    decided = [claim.decided() for claim in claims]
    adjusted = holm([p for p, _ in decided], missing="drop")
    for claim, (_, way), p in zip(claims, decided, adjusted.adjusted, strict=True):
        because = "; ".join(bar.text(say) for bar in claim.bars)
        yield Verdict(
            name=name,
            kind=kind,
            labels=dict(claim.labels),
            claim=f"{claim.labels['subject']}: {text}",
            rule=f"p at most {say.alpha:g}, by Holm over {adjusted.tests} subjects, whatever was unreadable",
            holds=way if p is not None and p <= say.alpha else None,
            because=because if p is None else f"{because}; p = {p:.3g}",
        )


def prediction_verdicts(subjects: Sequence[SubjectAnswers], say: MeasureBuilder) -> Iterator[Verdict]:
    """On every subject that has answers in the phases of a prediction. P-SR-2 needs drift, P-SR-5 is no number."""
    for name, phase, at, reached in OF_ONE_PHASE:
        text = f"the accuracy in phase {phase} is {'at least' if reached else 'above'} {at:g}"
        there = {one.subject: one.phases[phase] for one in subjects if phase in one.phases}
        found = [Claim({"subject": who}, [Bar(some.accuracy, at, reached)]) for who, some in there.items()]
        yield from _verdicts(name, "prediction", text, found, say)
    text = "it chooses its own text more often than other judges do on the same lineups"
    panels = [(one.subject, one.panel) for one in subjects if one.panel.judges]
    found = [Claim({"subject": who}, [Bar(advantage_of(panel), 0.0)]) for who, panel in panels]
    yield from _verdicts("P-SR-1_self_advantage", "prediction", text, found, say)
    text = f"the accuracies in phases forward and inverse are both above {BIDIRECTIONAL:g}"
    both = [one for one in subjects if {"forward", "inverse"} & one.phases.keys()]
    found = [Claim({"subject": one.subject}, [_way(one, "forward"), _way(one, "inverse")]) for one in both]
    yield from _verdicts("P-SR-3", "prediction", text, found, say)
    for phase in PHASES:
        there = {one.subject: one.phases[phase] for one in subjects if phase in one.phases}
        plain = {who: Bar(above_chance(one), 0.0) for who, one in there.items()}
        fair = {who: Bar(corrected(one), chance_of(one)) for who, one in there.items()}
        for name, bars, how in (
            ("above_chance", plain, ""),
            ("above_chance_corrected", fair, ", corrected,"),
        ):
            found = [Claim({"subject": who, "phase": phase}, [bar]) for who, bar in bars.items()]
            text = f"the accuracy in phase {phase}{how} is above chance, 1/options"
            yield from _verdicts(name, "comparison", text, found, say)


def _way(one: SubjectAnswers, phase: str) -> Bar:
    there = one.phases.get(phase)
    return Bar(there.accuracy if there else None, BIDIRECTIONAL, name=f"{phase} ")


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
            f"{claim}: not even a subject that is always right is shown to reach it; {needed} lineups would do",
        )
    missed = next(n for n in itertools.count(1) if not shown(prompts, n)) - 1
    return (f"{claim}: shown where at least {prompts - missed} are answered rightly in every order",)
