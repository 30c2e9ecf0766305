"""What is declared, as far as the rules ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from .choices import CHOICES, Choices

__all__ = ["Design", "Frame", "Intervention", "Row"]

Row = dict[str, Any]


class Frame(NamedTuple):
    """A declared family (11.2). ``missing``: the inputs that it lacks; ``incomplete``: its schema is, materially."""

    environment: str = "tool-augmented"
    conditions: tuple[str, ...] = ()
    threshold: Fraction = Fraction(7, 10)
    missing: tuple[str, ...] = ()
    incomplete: bool = False
    steps: int | None = None
    delay: int | None = None
    reward: bool = False
    strategies: tuple[str, ...] = ()
    held_out: bool = False
    goal_limit: int | None = None
    mode: str = ""
    kind: str = ""
    roles: bool = False
    interaction: bool = False
    constraints: bool = False
    credited: bool | None = None  # 5.2: outcomes came about through people, and whether they are credited


class Intervention(NamedTuple):
    """12.9.2: what the system did to its own structure. ``family``: empty for every family of Tier 6."""

    family: str = ""
    kinds: tuple[str, ...] = ("action space",)
    identified: bool = True
    proposed: bool = True
    implemented: bool = True
    demonstrated: bool = True
    tampered: bool = False
    again: bool = False  # from the clean state, for 12.9.2 (4)
    logged: bool = False  # 12.9.3: the mechanism of an update

    @property
    def complete(self) -> bool:
        return self.identified and self.proposed and self.implemented and self.demonstrated


class Design(NamedTuple):
    """``regimes``: intensity (b, m, s) and scarce axes. A family that is not in ``families`` was not disclosed."""

    rule: str
    regimes: Mapping[str, tuple[str, tuple[str, ...]]]
    families: Mapping[str, Frame]
    left_out: tuple[str, ...] = ()  # families that are declared as excluded, with their reason
    tools: bool = True
    plain: bool = False  # gains by their plain difference (10.8.3), not by their interval
    missing: tuple[str, ...] = ()  # of the system, boundary and regimes
    post_hoc: Fraction = Fraction(1, 5)  # 11.3.2
    lost: Fraction = Fraction(3, 10)  # 11.7.3
    ceiling: Fraction = Fraction(9, 10)  # a pre-test above it leaves no room for a gain
    allowed: bool = False  # 12.9.2 (1): a set of modifications that are, and one of those that are forbidden
    forbidden: bool = False
    updates: bool = False  # 12.9.3: the protocol defines parameter updates, which are among the allowed ones
    shown: bool | None = (
        True  # 12.9.5: sandbox, rollback, log and sets are declared (or not: None), and ex ante
    )
    interventions: tuple[Intervention, ...] = ()
    choices: Choices = CHOICES

    def intensity(self, row: Row) -> str:
        return self.regimes[row["regime"]][0]

    def axes(self, row: Row) -> tuple[str, ...]:
        return self.regimes[row["regime"]][1]

    def frame(self, row: Row) -> Frame:
        return self.families.get(row["family"], Frame())

    def threshold(self, family: str) -> Fraction:
        return self.families.get(family, Frame()).threshold
