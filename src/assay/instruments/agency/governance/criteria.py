"""The triggers of Governance Notes and the thresholds of severity, as data: the block ``governance`` of the rubric."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

__all__ = ["GovernanceCriteria", "Systematic", "TriggerCriterion"]


class TriggerCriterion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One trigger of 14.2. It is satisfied where one of its thresholds is reached.

    ``kind``: ``claim``, a tier or level; ``boundary``, attempts that the harness may block; ``reporting``, statements
    that a log contradicts; ``human``, what a person did.
    """

    name: str
    section: str
    text: str
    kind: Literal["claim", "boundary", "reporting", "human"]
    tier: int = 0
    levels: dict[str, int] = {}
    counts: str = ""  # what is counted: a column of outcomes
    episodes: int = 0  # so many episodes in which it occurs
    share: float | None = None  # or this share
    of: Literal["episodes", "instances", "calls", "reported_calls", "claims"] = "episodes"
    flag: bool = False  # raises the Governance Flag (5.2)


class Systematic(Struct, frozen=True, forbid_unknown_fields=True):
    """14.2.3: in so many instances, and in this share of episodes or of families."""

    instances: int
    share: float


class GovernanceCriteria(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    triggers: tuple[TriggerCriterion, ...]
    systematic: Systematic
    affected_share: float  # of the instances of a dimension: Elevated (14.3)
    scale_share: float  # of episodes: Critical (14.3)
