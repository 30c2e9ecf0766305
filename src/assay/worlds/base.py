"""Bases of families, worlds and policies: the defaults of the contract, so that a family writes its content only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from .model import (
    Act,
    Action,
    Brief,
    Criterion,
    Dimension,
    Effect,
    Environment,
    Judgement,
    Policy,
    Program,
    Refused,
    Seen,
    Task,
    World,
)

__all__ = ["FamilyBase", "Fixed", "PlansOnce", "Steady", "WorldBase", "entry_failures", "finish", "options"]


_DONE = Effect()


class _Description(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The part ``family`` of a family's table."""

    name: str
    version: str
    title: str
    dimension: Dimension
    environment: Environment
    verification: str
    levels: dict[int, str]
    chance: dict[int, float]
    held_out: tuple[str, ...]
    real: bool = False
    runs_code: bool = False
    drifts: tuple[int, ...] = ()
    conditions: dict[int, tuple[str, ...]] = {}


class FamilyBase:
    """A family that names its ``world`` and its ``solver``, draws tasks, and says what is wrong with a state.

    With ``table`` its description is data: the part ``family``, and the keys of ``situations``.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    title: ClassVar[str]
    dimension: ClassVar[Dimension]
    environment: ClassVar[Environment]
    levels: ClassVar[dict[int, str]]
    situations: ClassVar[tuple[str, ...]]
    held_out: ClassVar[tuple[str, ...]]
    chance: ClassVar[dict[int, float]]
    verification: ClassVar[str]
    real: ClassVar[bool] = False
    runs_code: ClassVar[bool] = False
    drifts: ClassVar[tuple[int, ...]] = ()  # levels whose rules change where the regime lets them
    conditions: ClassVar[dict[int, tuple[str, ...]]] = {}  # level → conditions of the rubric, in every regime
    world: ClassVar[type[WorldBase]]
    solver: ClassVar[type[Steady]]  # the oracle, and with ``novice`` the novice

    def __init_subclass__(cls, *, table: dict[str, Any] | None = None) -> None:
        if table is not None:
            about = msgspec.convert(table["family"], _Description)
            for part in about.__struct_fields__:
                setattr(cls, part, getattr(about, part))
            cls.situations = tuple(name for name in table["situations"] if name not in about.held_out)

    def task(
        self,
        level: int,
        situation: str,
        *,
        goal: str,
        observation: dict[str, Any],
        actions: tuple[Action, ...],
        criterion: str,
        expected: Any,
        setup: dict[str, Any],
        needed: int,
        most: int | None = None,
        queries: int | None = None,
        queries_needed: int = 0,
        noisy: tuple[str, ...] = (),
        delay: int = 0,
    ) -> Task:
        """A task of this family. Unless it says otherwise, twice the needed actions and four more are allowed."""
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=goal,
            observation=observation,
            actions=actions,
            criterion=Criterion(criterion, expected),
            setup=setup,
            needed=needed,
            most=2 * needed + 4 if most is None else most,
            queries=queries,
            queries_needed=queries_needed,
            noisy=noisy,
            delay=delay,
        )

    def open(self, task: Task, *, drift: bool) -> World:
        return self.world(task, drift=drift)

    def checks(self, task: Task, state: dict[str, Any]) -> tuple[Program, ...]:
        return ()

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        because = tuple(self.failures(task, state))
        return Judgement(not because, because)

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        """Every part of the criterion that the state does not fulfil."""
        raise NotImplementedError

    def oracle(self, brief: Brief) -> Policy:
        return self.solver(brief)

    def novice(self, brief: Brief) -> Policy:
        return self.solver(brief, novice=True)


class WorldBase:
    """A world in which the action NAME is the method ``do_NAME``, called with the action's arguments.

    A method returns the effect, or nothing where there is no more to say; it raises `Refused` instead of acting.
    """

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        self.setup, self.level = task.setup, task.level

    def look(self) -> dict[str, Any]:
        raise NotImplementedError

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        try:
            effect: Effect | None = getattr(self, "do_" + name)(**arguments)
        except Refused as refused:
            return Effect(error=str(refused))
        return effect or _DONE

    def settle(self, result: dict[str, Any]) -> Effect:
        raise AssertionError("this world runs no programs")

    def snapshot(self) -> dict[str, Any]:
        raise NotImplementedError

    def close(self) -> None:
        return None


def entry_failures(
    entries: list[dict[str, Any]], right: dict[str, Any], fields: dict[str, str], *, none: str, several: str
) -> Iterator[str]:
    """The failures of a register that should hold exactly one entry. ``fields``: field → its name in the reason."""
    if not entries:
        yield none
    elif len(entries) > 1:
        yield several
    else:
        yield from (
            f"{called} is wrong" for field, called in fields.items() if entries[0][field] != right[field]
        )


def finish(achieved: bool = True) -> Act:
    """The decision that ends an episode."""
    return Act("finish", {"achieved": achieved})


def options(brief: Brief, argument: str) -> list[str]:
    """The values that an argument of the first action may take."""
    found: list[str] = brief.actions[0].parameters["properties"][argument]["enum"]
    return found


class Steady:
    """A policy that decides on its latest observation, and looks again when an answer did not come through.

    Every step must follow from the observation: then it does not matter whether a lost action was done. A ``novice``
    makes the mistakes that the higher levels are about.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        self.brief, self.is_novice = brief, novice
        self.latest: dict[str, Any] = {}

    def decide(self, seen: Seen) -> Act:
        if seen.observation:
            self.latest = seen.observation
        if seen.fault or not self.latest:
            return Act("look", {})
        return self.step(self.latest, seen)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        raise NotImplementedError


class Fixed:
    """A policy that does the same things whatever it sees, then ends."""

    def __init__(self, *acts: Act) -> None:
        self._acts = list(acts)

    def decide(self, seen: Seen) -> Act:
        return self._acts.pop(0) if self._acts else finish()


class PlansOnce(Steady):
    """A policy that makes its plan from the first observation, carries it out once, then ends."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._acts: list[Act] | None = None

    def decide(self, seen: Seen) -> Act:
        if self._acts is None:
            self._acts = self.plan(seen.observation)
        return self._acts.pop(0) if self._acts else finish()

    def plan(self, observation: dict[str, Any]) -> list[Act]:
        raise NotImplementedError
