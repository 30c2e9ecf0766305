"""Random rows of L for the comparison with the second scorer: tests before and after practice, and what may lack."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from tests.instruments.agency.made_outcomes import EARLY, LATE

from .second_scorer import Row

__all__ = ["learning_rows"]

REGIME = {1: "calm", 2: "calm", 4: "hard", 5: "harder"}


class Session(NamedTuple):
    """What holds for all rows of a set."""

    memory: str
    paired: bool
    good: bool  # a careful evaluation of a subject that learns
    wiped: bool
    named: bool  # learners have names


def learning_rows(seed: int) -> list[Row]:
    """No rows in a fifth of the sets. The numbers of successes are exact, so that gains meet their lines."""
    dice = random.Random(f"learning {seed}")
    if dice.random() < 0.2:
        return []
    good = dice.random() < 0.5
    memory = dice.choice(["store"] * 6 + ["conversation", "none", "", ""])
    session = Session(
        memory=memory,
        paired=dice.random() < 0.8,
        good=good,
        wiped=memory in ("store", "conversation") and dice.random() < 0.8,
        named=dice.random() < 0.8,
    )
    drawn = {dice.choice([1, 2, 2, 2, 4, 4, 5, 5]) for _ in range(dice.choice([1, 2, 3]))}
    names = [f"L{i}" for i in range(dice.choice([2, 3, 4] if good else [1, 2, 3]))]
    rows = [
        row
        for level in sorted(drawn)
        for name in names
        if good or dice.random() < 0.9
        for row in (attempts if level == 1 else tests)(dice, session, level, name)
    ]
    return rows if good else spoilt(dice, rows)


def tests(dice: random.Random, session: Session, level: int, name: str) -> Iterator[Row]:
    n = dice.choice([10, 20, 40, 60] if session.good else [4, 9, 10, 16, 20, 40])
    before = round(n * dice.choice([0, 0.1, 0.2, 0.4] if session.good else [0.1, 0.3, 0.5, 0.8, 0.9, 0.95]))
    gain = dice.choice([0.15, 0.3, 0.5, 0.6] if session.good else [-0.1, 0, 0.05, 0.1, 0.1, 0.15, 0.15, 0.4])
    after = min(n, max(0, before + round(n * gain)))
    kept = dice.choice(
        [0, 0, 0, 0, 0.5] if session.good else [0, 0, 0.3, 0.5, 1]
    )  # of the gain without memory
    parts = [
        ("pre", "feedback", before),
        ("post", dice.choice(["", "feedback"]), after),
        ("practice", "feedback", n),
        ("repeat", "feedback", n),
        ("", "feedback", n),
        ("post", "no_feedback", dice.randint(0, n)),
    ]
    if session.wiped:
        parts.append(("post", "wiped", before + round(kept * (after - before))))
    if level == 5 and dice.random() < 0.8:
        parts.append(("retest", "feedback", max(0, after - round(n * dice.choice([0, 0, 0.05, 0.1, 0.2])))))
    for phase, arm, k in parts:
        needed = arm == "wiped" or (phase in ("pre", "post", "retest") and arm != "no_feedback")
        if dice.random() < ((0 if session.good else 0.04) if needed else 0.6):
            continue
        yield from episodes(dice, session, level, name, phase, arm, k, n)


def attempts(dice: random.Random, session: Session, level: int, name: str) -> Iterator[Row]:
    """Attempts 1, 2 and 3 at each instance; now and then the third is missing everywhere."""
    n = dice.choice([4, 9, 10, 20, 50])
    first = round(n * dice.choice([0, 0.2, 0.5, 0.9, 0.95]))
    last = min(n, first + round(n * dice.choice([0, 0.05, 0.1, 0.1, 0.2, 0.5])))
    for attempt, k in ((1, first), (2, n), (3, last))[: dice.choice([2, 3, 3, 3, 3])]:
        yield from episodes(dice, session, level, name, "attempt", "feedback", k, n, attempt)


def episodes(
    dice: random.Random,
    session: Session,
    level: int,
    name: str,
    phase: str,
    arm: str,
    k: int,
    n: int,
    attempt: int | None = None,
) -> Iterator[Row]:
    won = [True] * k + [False] * (n - k)
    dice.shuffle(won)
    learners = 1 + (n + level) % 5
    for i, success in enumerate(won):
        instance = f"{level} {i} {phase} {arm} {attempt}"
        yield {
            "dimension": "L",
            "level": level,
            "family": name,
            "regime": REGIME[level],
            "instance": instance,
            "pair": f"{level} {i}" if session.paired or phase == "attempt" else instance,
            "outcome": "success" if success else "failure",
            "artifact": "digest",
            "criterion_time": EARLY,
            "adversarial": "",
            "compliant": True,
            "steps": 3,
            "state_changed": True,
            "phase": phase,
            "arm": arm,
            "learner": f"{name}/{i % learners}" if session.named else "",
            "attempt": attempt,
            "memory": session.memory,
        }


def spoilt(dice: random.Random, rows: list[Row]) -> list[Row]:
    """Episodes lost and criteria written late, now and then close to the share that makes L Invalid."""
    lost, late = dice.choice([0, 0, 0, 0.03, 0.28]), dice.choice([0, 0, 0, 0.03, 0.18])
    for row in rows:
        if dice.random() < lost:
            row["outcome"] = "excluded"
        elif dice.random() < late:
            row["criterion_time"] = LATE
    return rows
