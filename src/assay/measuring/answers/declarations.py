"""A declaration: a place in a reply that says what the answer is, or that there is none."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from .answer import PATHS

__all__ = ["Declared", "Weight"]


class Weight(IntEnum):
    """The last firm declaration is the answer. Of the others, the firmest count, where they agree."""

    FIRM = 3
    PLAIN = 2
    HINT = 1


class Declared(NamedTuple):
    """``value`` is None where an earlier answer is taken back, or several are named."""

    start: int
    end: int
    value: str | None
    path: str
    weight: Weight

    @property
    def order(self) -> tuple[int, int, int]:
        """By place; at one place the weightiest last, and of those the first path."""
        known = PATHS.index(self.path) if self.path in PATHS else len(PATHS)
        return self.start, int(self.weight), -known
