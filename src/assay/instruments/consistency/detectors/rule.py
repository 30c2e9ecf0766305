"""A rule: a name, a pattern, and one sentence each that it accepts and refuses.

Patterns of detectors are written for prepared text (``text.py``): lower case, straight apostrophes, no emphasis
marks, single spaces, line breaks as ``\\n``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .text import PreparedText

__all__ = ["Rule", "Span", "find"]


class Span(NamedTuple):
    """Where in the reply a rule matched: ``reply[start:end]`` is the evidence."""

    start: int
    end: int
    rule: str


class Rule:
    """A named pattern, tried only where a match can begin: at one of its ``heads``.

    ``heads`` are words, or ``REPLY`` or ``LINE`` for their beginnings. ``accepts`` and ``refuses`` are the
    rule's own examples. Tests check them, and that the heads lose no match.
    """

    def __init__(self, name: str, pattern: str, *, accepts: str, refuses: str, heads: str = "") -> None:
        self.name, self.accepts, self.refuses = name, accepts, refuses
        self.heads = tuple(heads.split())
        self._pattern = pattern

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first needed, so that listing instruments does not wait for it."""
        return re.compile(self._pattern)

    def matches(self, reply: PreparedText) -> Iterator[tuple[int, int]]:
        """Spans in the prepared text, in order, none overlapping another."""
        text, match, free = reply.text, self.pattern.match, 0
        starts = [at for head in self.heads for at in reply.starts.get(head, ())]
        for start in sorted(starts):
            if start >= free and (found := match(text, start)):
                yield found.span()
                free = found.end()


def find(rules: tuple[Rule, ...], reply: PreparedText) -> list[Span]:
    """Every match of every rule, in order of the text, then of the rule's name."""
    return sorted(Span(*at, rule.name) for rule in rules for at in rule.matches(reply))
