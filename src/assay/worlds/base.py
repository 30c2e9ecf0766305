"""What families share: defaults of the contract, and policies that keep their footing when calls fail."""

from __future__ import annotations

from typing import Any, ClassVar

from rapidfuzz import fuzz, process

from .model import Act, Brief, Effect, Program, Seen, Task
from .noise import DIGITS

__all__ = ["FamilyBase", "Fixed", "Steady", "WorldBase", "nearest", "read_number"]

_BACK = str.maketrans(
    {wrong: right for right, wrong in DIGITS.items()} | {"o": "0", "I": "1", "s": "5", "z": "2"}
)


class FamilyBase:
    """Defaults: no programs, nothing real."""

    real: ClassVar[bool] = False

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


def nearest(said: str, options: list[str]) -> str:
    """The option that a misread text most likely stands for."""
    found = process.extractOne(said, options, scorer=fuzz.ratio, processor=str.lower)
    assert found is not None, "there must be something to choose from"
    return str(found[0])


def read_number(said: str) -> str:
    """A number whose digits may have been misread as letters, as its digits and signs again."""
    return said.translate(_BACK)
