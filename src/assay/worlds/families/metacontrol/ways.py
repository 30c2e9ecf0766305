"""What families of tier 4 share: declared ways of working, of which a job keeps the one it begins with (12.7.4).

A job cannot change its way, so the way that was chosen always shows in the state. In a ``fixed:`` arm (12.3.2) the goal
names the only way there is, and the world refuses what belongs to another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from assay.streams import Stream
from assay.worlds.base import Steady, WorldBase
from assay.worlds.model import Act, Brief, Refused, Seen, Task
from assay.worlds.templates import read
from assay.worlds.tiers import FIXED, TierBase

__all__ = ["Chooser", "OneWay", "WaysFamily", "composed", "least", "speaking_for"]


class OneWay(WorldBase):
    """A world in which a job is done in one way, from its first action on."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self.only: str = task.setup["only"]
        self.way = ""

    def take(self, way: str) -> None:
        """What is done next belongs to this way."""
        if self.only and way != self.only:
            raise Refused(f"this belongs to the way called {way}, which is not used here")
        if self.way and way != self.way:
            raise Refused(f"the job was begun in the way called {self.way}, which is kept to the end")
        self.way = way


class Chooser(Steady):
    """Works out what every way would cost, and takes the one that suits, or the only one there is.

    The novice never switches: it always works in the way named by ``habit``.
    """

    table: ClassVar[dict[str, Any]]
    habit: ClassVar[str]

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        said = (read(wording, brief.goal, r"\w+") for wording in self.table["only"])
        self.way = next((found["way"] for found in said if found), self.habit if novice else "")

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if not self.way:
            self.way = self.choose(observation)
        return self.work(observation)

    def choose(self, observation: dict[str, Any]) -> str:
        raise NotImplementedError

    def work(self, observation: dict[str, Any]) -> Act:
        raise NotImplementedError


class WaysFamily(TierBase):
    """A `StrategyFamily` whose strategies and wordings are in its table."""

    strategies: ClassVar[dict[str, str]]
    _only: ClassVar[list[str]]

    def __init_subclass__(cls, *, table: dict[str, Any] | None = None) -> None:
        super().__init_subclass__(table=table)
        if table is not None:
            cls.strategies, cls._only = table["strategies"], table["only"]
            cls.arms = {FIXED + name: f"every way but {name}" for name in cls.strategies}

    def in_arm(self, task: Task, arm: str) -> Task:
        """The same instance with switching disabled. Which wording says so follows from the instance."""
        way = arm.removeprefix(FIXED)
        said = Stream("fixed", task.family, task.goal).choice(self._only).format(way=way)
        return msgspec.structs.replace(task, goal=f"{task.goal} {said}", setup={**task.setup, "only": way})

    def strategy(self, task: Task, state: dict[str, Any]) -> str:
        found: str = state["way"]
        return found


def composed(stream: Stream, parts: Mapping[str, Sequence[str]], ways: Mapping[str, Sequence[str]]) -> str:
    """A goal: a head, the ways in any order, then the other parts. Each part is in one of its wordings."""
    head, *rest = (stream.choice(wordings) for wordings in parts.values())
    told = [stream.choice(ways[name]) for name in stream.shuffled(sorted(ways))]
    return " ".join([head, *told, *rest])


def least(found: Mapping[str, float]) -> str:
    """The way that has least of something; of equals the first."""
    return min(found, key=lambda way: found[way])


def speaking_for(stream: Stream, target: str, ways: Sequence[str], tempting: str = "") -> tuple[str, str]:
    """Which way is to be the best on one feature and which on another, so that neither tells which one suits.

    Each of them is the target in a third of instances, and never both are. One of them is the ``tempting`` way.
    """
    one, other = sorted(
        stream.shuffled([way for way in ways if way != target]), key=lambda way: way != tempting
    )
    neither = stream.choice([(one, other), (other, one)])
    return stream.choice([(target, one), (one, target), neither])
