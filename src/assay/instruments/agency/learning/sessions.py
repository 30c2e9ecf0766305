"""The sessions of learners, and which trials of them come next.

A **learner** is a subject that begins with an empty memory and a secret of its own. Its session is a stratum, and a
wave follows the other: practice is serial, one episode a wave, and each is built from those before. Tests before
practice have an empty memory. Tests after it all begin with the memory that practice left, so they do not help each
other. Sessions do not wait for each other.

``L/FAMILY/N`` is a session in one family; ``L1/FAMILY`` are attempts within episodes, where nothing is kept; ``L5/N``
goes through all families one after the other, and tests the earlier ones again at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from assay.evidence.records import Evidence, Record
from assay.instruments.agency.options import AgencyOptions, Learning, regimes_of
from assay.streams import Stream
from assay.study import SubjectSpec
from assay.vocabulary import Instance
from assay.worlds.learning import Variant, learning_families

__all__ = [
    "Arm",
    "LearnerSession",
    "LearningTrial",
    "Phase",
    "item_of",
    "next_trials",
    "read_item",
    "secret_stream",
    "session_named",
    "session_size",
    "sessions_of",
]

Phase = Literal["pre", "practice", "post", "repeat", "retest", "attempts"]
Arm = Literal["feedback", "no_feedback", "wiped"]
NAME = "agency"


class LearnerSession(NamedTuple):
    """A learner's way through one or several families. ``tests``: the regime and the variant of each kind of test."""

    stratum: str
    learner: int
    families: tuple[str, ...]
    tests: tuple[tuple[str, Variant], ...]
    arms: tuple[Arm, ...]  # after whose practice is tested
    attempts: bool = False


class LearningTrial(NamedTuple):
    """One trial of a session, of any subject. ``inputs`` are the practice episodes whose memory it begins with."""

    phase: Phase
    arm: Arm
    family: str
    learner: int
    variant: Variant
    number: int
    regime: str
    inputs: tuple[str, ...] = ()
    turn: int = 0  # of practice, over all families of a session


def item_of(family: str, learner: int, variant: Variant) -> str:
    return f"{family}/{learner}/{variant}"


def read_item(item: str) -> tuple[str, int, Variant]:
    family, learner, variant = item.split("/")
    return family, int(learner), next(v for v in ("practice", "held_out", "shifted") if v == variant)


def secret_stream(family: str, learner: int, seed: int) -> Stream:
    """Draws a learner's secret: the same in all its episodes, for every subject and arm."""
    return Stream("content", "secret", Instance(NAME, f"{family}/{learner}", 0, seed).digest)


def sessions_of(options: AgencyOptions) -> list[LearnerSession]:
    """The declared sessions. A level whose regime is not declared has none."""
    if "L" not in options.dimensions:
        return []
    plan = options.learning
    families = plan.families or tuple(sorted(learning_families()))
    by_intensity: dict[str, str] = {}
    for name, regime in regimes_of(options).items():
        if not regime.adversarial:
            by_intensity.setdefault(regime.level, name)
    baseline, moderate, severe = (by_intensity.get(word) for word in ("baseline", "moderate", "severe"))
    found: list[LearnerSession] = []
    if 1 in options.levels and baseline:
        found += [
            LearnerSession(f"L1/{name}", 0, (name,), ((baseline, "held_out"),), (), True) for name in families
        ]
    tests: list[tuple[str, Variant]] = []
    if {2, 3} & set(options.levels) and baseline:
        tests.append((baseline, "held_out"))
    if 4 in options.levels and moderate:
        tests.append((moderate, "shifted"))
    if tests:
        arms: tuple[Arm, ...] = ("feedback", "no_feedback", "wiped")
        found += [
            LearnerSession(f"L/{name}/{learner}", learner, (name,), tuple(tests), arms)
            for name in families
            for learner in range(1, plan.learners + 1)
        ]
    if 5 in options.levels and severe and len(families) > 1:
        for learner in range(1, plan.learners + 1):
            turn = learner % len(families)
            order = (*families[turn:], *families[:turn])
            number = plan.learners + learner  # another learner than those of single families
            found.append(
                LearnerSession(f"L5/{learner}", number, order, ((severe, "held_out"),), ("feedback", "wiped"))
            )
    return found


def session_size(session: LearnerSession, plan: Learning) -> int:
    """The trials of a session for one subject, none of them lost."""
    if session.attempts:
        return plan.learners * plan.tests
    tests, practised = len(session.tests) * plan.tests, len([arm for arm in session.arms if arm != "wiped"])
    each = tests * (1 + len(session.arms)) + plan.practice * practised
    last = (
        tests * (len(session.families) - 1) if len(session.families) > 1 else min(plan.repeats, plan.practice)
    )
    return each * len(session.families) + last


def session_named(options: AgencyOptions, stratum: str) -> LearnerSession | None:
    return next((session for session in sessions_of(options) if session.stratum == stratum), None)


def next_trials(
    session: LearnerSession, options: AgencyOptions, evidence: Evidence, spec: SubjectSpec
) -> Iterator[LearningTrial]:
    """The next wave of a session for one subject: a step of practice, or tests before or after it."""
    plan, wave = options.learning, evidence.waves
    if session.attempts:
        if not wave:
            yield from _attempts(session, plan)
        return
    block, step = divmod(wave, plan.practice + 1)
    if block >= len(session.families):
        return
    family = session.families[block]
    if not step:
        yield from _tests(session, plan, family, "pre", "feedback")
    done = [record for record in evidence if record.trial.subject == spec.title]
    if step < plan.practice:
        baseline = next(name for name, regime in regimes_of(options).items() if regime.level == "baseline")
        for arm in session.arms:
            if arm != "wiped":
                kept = _kept(done, arm, plan)
                yield LearningTrial(
                    "practice", arm, family, session.learner, "practice", step, baseline, kept, wave
                )
        return
    for arm in session.arms:
        kept = () if arm == "wiped" else _kept(done, arm, plan)
        yield from _tests(session, plan, family, "post", arm, kept)
    kept = _kept(done, "feedback", plan)
    if len(session.families) == 1:
        for regime, _ in session.tests[:1]:
            for number in range(min(plan.repeats, plan.practice)):
                yield LearningTrial(
                    "repeat", "feedback", family, session.learner, "practice", number, regime, kept
                )
    elif block == len(session.families) - 1:
        for earlier in session.families[:-1]:
            yield from _tests(session, plan, earlier, "retest", "feedback", kept)


def _attempts(session: LearnerSession, plan: Learning) -> Iterator[LearningTrial]:
    regime, variant = session.tests[0]
    for learner in range(1, plan.learners + 1):
        for number in range(plan.tests):
            yield LearningTrial("attempts", "feedback", session.families[0], learner, variant, number, regime)


def _tests(
    session: LearnerSession, plan: Learning, family: str, phase: Phase, arm: Arm, inputs: tuple[str, ...] = ()
) -> Iterator[LearningTrial]:
    for regime, variant in session.tests:
        for number in range(plan.tests):
            yield LearningTrial(phase, arm, family, session.learner, variant, number, regime, inputs)


def _kept(done: Sequence[Record], arm: Arm, plan: Learning) -> tuple[str, ...]:
    """The practice that memory holds, in its order. Of notes the last episode has all of them; a lost one has none."""
    if plan.memory == "none":
        return ()
    practised = [
        record
        for record in done
        if record.trial.stage == "practice"
        and record.trial.factors["arm"] == arm
        and record.outcome != "excluded"
    ]
    practised.sort(key=lambda record: record.trial.factors["turn"])
    kept = tuple(record.said for record in practised)
    return kept[-1:] if plan.memory == "notes" else kept
