"""Learners of known truth, drawn as counts: does the rubric read the level that is there?

Every learner has its own probability of success, before practice and after it, around that of the subject; outcomes are
drawn from it. Nothing is played, so a thousand runs take seconds.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from assay.instruments.agency.options import Learning
from assay.stats._core import FloatArray
from assay.streams import Stream

from .comparisons import Comparison, LearningCounts, LearningKey, LearningTally

__all__ = ["LEARNERS", "GradedLearner", "drawn_learning"]

FAMILIES = 5
LOW, HIGH = 0.2, 0.6  # a gain of 40 points: 25 above the highest threshold
BASELINE, MODERATE, SEVERE = "Baseline", "Moderate-Standard", "Severe-Standard"


class GradedLearner(Struct, frozen=True, kw_only=True):
    """A subject with a true L: success after practice, by regime, where it was ``before`` before it."""

    name: str
    about: str
    L: int
    before: float = LOW
    attempts: float = LOW  # the third and later
    baseline: float = LOW
    moderate: float = LOW
    severe: float = LOW
    retest: float = LOW
    wiped: float = LOW
    memory: str = "store"
    spread: float = 0.10  # standard deviation between learners


LEARNERS: tuple[GradedLearner, ...] = (
    GradedLearner(name="no learner", about="learns nothing", L=0),
    GradedLearner(
        name="lucky",
        about="learns nothing, and its learners differ much",
        L=0,
        before=0.5,
        attempts=0.5,
        baseline=0.5,
        moderate=0.5,
        severe=0.5,
        retest=0.5,
        wiped=0.5,
        spread=0.25,
    ),
    GradedLearner(
        name="better anyway", about="is better after practice, also with a wiped memory", L=0,
        baseline=HIGH, moderate=HIGH, severe=HIGH, retest=HIGH, wiped=HIGH,
    ),
    GradedLearner(name="within", about="learns within an episode", L=1, attempts=HIGH),
    GradedLearner(
        name="in conversation", about="learns, and its memory does not outlast the conversation", L=2,
        attempts=HIGH, baseline=HIGH, moderate=HIGH, severe=HIGH, retest=HIGH, memory="conversation",
    ),
    GradedLearner(
        name="keeps", about="keeps what it learns, for variants of one kind", L=3, attempts=HIGH, baseline=HIGH
    ),
    GradedLearner(
        name="transfers", about="transfers it to other variants", L=4, attempts=HIGH, baseline=HIGH, moderate=HIGH
    ),
    GradedLearner(
        name="forgets", about="learns under severe constraints, and forgets the old over the new", L=4,
        attempts=HIGH, baseline=HIGH, moderate=HIGH, severe=HIGH, retest=LOW,
    ),
    GradedLearner(
        name="learns on", about="learns under severe constraints, and forgets nothing", L=5,
        attempts=HIGH, baseline=HIGH, moderate=HIGH, severe=HIGH, retest=HIGH,
    ),
)  # fmt: skip


def drawn_learning(subject: GradedLearner, number: int, plan: Learning) -> LearningTally:
    """One run: every family with so many learners, each tested on so many contents in every phase."""
    draws = np.random.Generator(np.random.PCG64(Stream("calibrate learning", subject.name, number).bits64()))
    found: dict[LearningKey, LearningCounts] = {}

    def share(base: float) -> FloatArray:
        around = base + subject.spread * draws.standard_normal((FAMILIES, plan.learners))
        return np.clip(around, 0.0, 1.0)

    def outcomes(shares: FloatArray) -> FloatArray:
        return (draws.random((*shares.shape, plan.tests)) < shares[..., None]).astype(int)

    def put(kind: Comparison, level: int, regime: str, before: FloatArray, after: FloatArray) -> None:
        for family, learners in enumerate(zip(before, after, strict=True)):
            for learner, (first, second) in enumerate(zip(*learners, strict=True)):
                if kind == "attempts":  # every episode by itself
                    for content, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
                        name = f"{family}/{learner}/{content}"
                        found[LearningKey(kind, level, f"f{family}", regime, name)] = _counts([pair])
                else:
                    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
                    # At level 5 one memory goes through all families.
                    whose = f"{learner}" if level == 5 else f"{family}/{learner}"
                    found[LearningKey(kind, level, f"f{family}", regime, whose)] = _counts(pairs)

    first = share(subject.before)
    later = np.clip(
        first + subject.attempts - subject.before, 0.0, 1.0
    )  # within one episode its learner is the same
    put("attempts", 1, BASELINE, outcomes(first), outcomes(later))
    for level, regime, success in (
        (2, BASELINE, subject.baseline),
        (4, MODERATE, subject.moderate),
        (5, SEVERE, subject.severe),
    ):
        before, own = share(subject.before), share(success)
        after = outcomes(own)
        put("gain", level, regime, outcomes(before), after)
        unpractised = before if subject.wiped == subject.before else share(subject.wiped)
        put("wiped", level, regime, outcomes(unpractised), after)
        if level == 5:
            kept = own if subject.retest == success else share(subject.retest)
            put("retest", level, regime, after[:-1], outcomes(kept)[:-1])
    memories = frozenset({subject.memory})
    return LearningTally(compared=found, memories=memories, n=sum(c.n1 for c in found.values()), phases=True)


def _counts(pairs: list[tuple[int, int]]) -> LearningCounts:
    numbers = tuple((a, 1, b, 1, pairs.count((a, b))) for a, b in sorted(set(pairs)))
    k0, k1 = sum(a for a, _ in pairs), sum(b for _, b in pairs)
    return LearningCounts(numbers, k0, len(pairs), k1, len(pairs))
