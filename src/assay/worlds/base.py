"""What families share: defaults of the contract, and policies that keep their footing when calls fail."""

from __future__ import annotations

from typing import Any, ClassVar

from .misread import nearest, read_number
from .model import Act, Brief, Effect, Program, Seen, Task

__all__ = ["FamilyBase", "Fixed", "Steady", "WorldBase", "nearest", "read_number"]


class FamilyBase:
    """Defaults: no programs, nothing real."""

    real: ClassVar[bool] = False
    runs_code: ClassVar[bool] = False

    def checks(self, task: Task, state: dict[str, Any]) -> tuple[Program, ...]:
        return ()


class WorldBase:
    """Defaults: no programs, nothing to close."""

    def settle(self, result: dict[str, Any]) -> Effect:
        raise AssertionError("this world runs no programs")

    def close(self) -> None:
        return None


class Steady:
    """A policy that decides on what it last saw, and looks again when an answer did not come through.

    Every step must follow from the observation: then it does not matter whether a lost action was done.
    """

    def __init__(self, brief: Brief) -> None:
        self.brief = brief
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
        return self._acts.pop(0) if self._acts else Act("finish", {"achieved": True})
