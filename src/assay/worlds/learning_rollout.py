"""Learners as in a session: a secret, practice with feedback one episode after the other, tests after so much of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from assay.canonical import encode
from assay.streams import Stream

from .learning import LearningFamily, Variant
from .model import Brief, Policy, Task
from .regimes import shipped_regimes
from .rollout import Played, Runs, play

__all__ = ["TESTS_EACH", "Learners", "Lived", "share"]

TESTS_EACH = 4  # instances of a learner, of each kind of test


class Lived(Struct, frozen=True):
    """An episode of a learner: what it was shown, and how it went."""

    task: Task
    brief: Brief
    played: Played

    @property
    def won(self) -> bool:
        return self.played.judgement.success


class Learners:
    """So many learners of a family, each with a secret of its own."""

    def __init__(self, family: LearningFamily, learners: int, run: Runs) -> None:
        self.family, self.learners, self.run = family, learners, run
        self._practised: dict[int, list[Lived]] = {}
        self._examples: dict[int, list[dict[str, Any]]] = {}
        self._rates: dict[tuple[Variant, int, str], float] = {}

    def secret_of(self, learner: int) -> dict[str, Any]:
        return self.family.secret(Stream("conformance", "secret", self.family.name, learner))

    def draw(self, variant: Variant, learner: int, number: int, *, secret: int | None = None) -> Task:
        """An instance of a learner, or the same instance as it is for a learner with another secret."""
        stream = Stream("conformance", self.family.name, variant, learner, number)
        return self.family.draw(variant, self.secret_of(learner if secret is None else secret), stream)

    def play(
        self, task: Task, policy: Callable[[Brief], Policy], *key: str | int, regime: str = "Baseline"
    ) -> Lived:
        briefs: list[Brief] = []

        def known(brief: Brief) -> Policy:
            briefs.append(brief)
            return policy(brief)

        faults = Stream("conformance", "faults", self.family.name, regime, *key)
        played = play(self.family, task, shipped_regimes()[regime], faults, known, self.run)
        return Lived(task, briefs[0], played)

    def learn(self, task: Task, examples: Sequence[dict[str, Any]], *key: str | int, **how: str) -> Lived:
        """An episode of the family's own player with these examples."""
        stream = Stream("conformance", "player", self.family.name, *key)
        return self.play(task, lambda brief: self.family.player(brief, examples, stream), *key, **how)

    def example(self, lived: Lived, said: str) -> dict[str, Any]:
        """What is kept of an episode. Feedback stands among all that was told, and JSON keeps the example."""
        seen = lived.played.seen
        shown = [f"Observation: {encode(one.observation).decode()}" for one in seen[1:] if one.observation]
        told = "\n".join([*shown, f"The episode is over. {said} The same once more, from the beginning."])
        kept: dict[str, Any] = msgspec.json.decode(encode(self.family.example(lived.brief, seen, told)))
        return kept

    def practised(self, learner: int, episodes: int) -> list[dict[str, Any]]:
        """The examples of so many practice episodes, each played with those before."""
        lived, kept = self._practised.setdefault(learner, []), self._examples.setdefault(learner, [])
        while len(kept) < episodes:
            number = len(kept)
            one = self.learn(self.draw("practice", learner, number), kept, "practice", learner, number)
            lived.append(one)
            kept.append(self.example(one, self.family.feedback(one.task, one.played.state)))
        return kept[:episodes]

    def rate(self, variant: Variant, episodes: int, regime: str = "Baseline") -> float:
        """The share of tests that learners solve after so many episodes."""
        key = variant, episodes, regime
        if key not in self._rates:
            self._rates[key] = share(
                self.learn(
                    self.draw(variant, learner, number),
                    self.practised(learner, episodes),
                    "test", learner, number,
                    regime=regime,
                ).won
                for learner in range(self.learners)
                for number in range(TESTS_EACH)
            )  # fmt: skip
        return self._rates[key]


def share(won: Iterable[bool]) -> float:
    found = list(won)
    return sum(found) / len(found)
