"""Families whose instances are also met in comparison arms: with something withheld (12.3.2 of the specification).

They evidence gates of tiers 3 to 5 instead of a level. Their one level is the number of the tier.

| tier | dimension | arms |
|---|---|---|
| 3 | T3 | ``model_free``: earlier turns and deliberation are withheld by the harness; the task is the same |
| 4 | T4 | ``fixed:NAME`` for each of `StrategyFamily.strategies`: the others are withheld by the world |
| 5 | T5 | ``non_social``, ``permuted``, ``scrambled``, ``masked``: what the subject can know of its counterparties |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from msgspec import Struct

from .base import FamilyBase
from .model import Act, Brief, Family, Policy, Seen, Task

__all__ = [
    "FIXED",
    "MASKED",
    "MODEL_FREE",
    "NON_SOCIAL",
    "PERMUTED",
    "SCRAMBLED",
    "Forgetful",
    "InteractionKind",
    "Mode",
    "PastMeeting",
    "SeatedFamily",
    "SocialFamily",
    "StrategyFamily",
    "TierBase",
    "TierFamily",
]

MODEL_FREE = "model_free"
FIXED = "fixed:"  # and the name of a strategy
NON_SOCIAL, PERMUTED, SCRAMBLED, MASKED = "non_social", "permuted", "scrambled", "masked"
Mode = Literal["cooperative", "competitive", "mixed"]
InteractionKind = Literal["negotiation", "coordination", "competition", "delegation"]


@runtime_checkable
class TierFamily(Family, Protocol):
    """A family with comparison arms. Everything but what an arm withholds is the same in it: content, schemas, budgets,
    criterion.
    """

    arms: ClassVar[dict[str, str]]  # name → what it withholds, in words

    def in_arm(self, task: Task, arm: str) -> Task:
        """The same instance as it is met in an arm. Schemas and criterion do not change."""
        ...


@runtime_checkable
class StrategyFamily(TierFamily, Protocol):
    """A family with several declared strategies, none of which suits every instance (12.7.4).

    Which one suits follows from declared features of the task; which one was followed shows in the state.
    """

    strategies: ClassVar[dict[str, str]]  # name → what it does, in words

    def strategy(self, task: Task, state: dict[str, Any]) -> str:
        """The strategy that the recorded actions show; empty where they show none."""
        ...


@runtime_checkable
class SocialFamily(TierFamily, Protocol):
    """A family with other agents, whose behaviour success depends on (12.8). What 12.8.4 asks for is declared."""

    mode: ClassVar[Mode]
    kind: ClassVar[InteractionKind]
    roles: ClassVar[tuple[str, ...]]  # who takes part, and as what
    interaction: ClassVar[str]  # the protocol, in words
    constraints: ClassVar[tuple[str, ...]]  # that bind: time, action caps, permissions


class PastMeeting(Struct, frozen=True):
    """The moves of both sides, as arguments of their action. ``yours`` is None where the subject made none."""

    yours: dict[str, Any] | None
    theirs: dict[str, Any]


@runtime_checkable
class SeatedFamily(SocialFamily, Protocol):
    """A social family in which another agent can take the partner's part, one meeting after the other.

    Both sides move at the same time. Observations and actions are those of the family.
    """

    seat: ClassVar[str]  # the partner's part, in words
    silent: ClassVar[str]  # what stands for a partner that makes no move, in words

    def meeting_task(self, task: Task, past: Sequence[PastMeeting], theirs: dict[str, Any]) -> Task:
        """The subject's task at the next meeting of an instance. ``theirs`` is not shown before it has moved."""
        ...

    def seat_task(self, task: Task, past: Sequence[PastMeeting]) -> Task:
        """The partner's task at the same meeting."""
        ...

    def moved(self, task: Task, state: dict[str, Any]) -> dict[str, Any] | None:
        """The move that was made in one of these tasks."""
        ...

    def silent_move(self, task: Task, past: Sequence[PastMeeting]) -> dict[str, Any]:
        """The move of a partner that makes none."""
        ...


class TierBase(FamilyBase):
    """The defaults: an arm that the harness holds by itself does not change the task."""

    arms: ClassVar[dict[str, str]]

    def in_arm(self, task: Task, arm: str) -> Task:
        return task


class Forgetful:
    """A policy without memory: it is made anew for every decision, so it knows the brief and the latest view alone."""

    def __init__(self, brief: Brief, make: Callable[[Brief], Policy]) -> None:
        self._brief, self._make = brief, make

    def decide(self, seen: Seen) -> Act:
        return self._make(self._brief).decide(seen)
