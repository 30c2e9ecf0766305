"""A rule: a name, a pattern, and one sentence each that it accepts and refuses.

Patterns of detectors are written for prepared text (``text.py``): lower case, straight apostrophes, no emphasis
marks, single spaces, line breaks as ``\\n``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .text import PreparedText

__all__ = ["Rule", "RuleIndex", "Span"]


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
        return self.matches_at(reply, [at for head in self.heads for at in reply.starts.get(head, ())])

    def matches_at(self, reply: PreparedText, starts: Iterable[int]) -> Iterator[tuple[int, int]]:
        """The same, where it is known at which places the heads of the rule stand."""
        text, match, free = reply.text, self.pattern.match, 0
        for start in sorted(starts):
            if start >= free and (found := match(text, start)):
                yield found.span()
                free = found.end()


class RuleIndex:
    """The rules of several files by their heads: only rules of which a head stands in the reply are tried."""

    def __init__(self, files: Mapping[str, Iterable[Rule]]) -> None:
        self.files = tuple(files)
        self._heads: dict[str, list[tuple[str, Rule]]] = {}
        for name, rules in files.items():
            for rule in rules:
                for head in rule.heads:
                    self._heads.setdefault(head, []).append((name, rule))

    def find(self, reply: PreparedText) -> dict[str, list[Span]]:
        """Every match of every rule by file, in order of the text, then of the rule's name."""
        places: dict[tuple[str, Rule], list[int]] = {}
        for head, starts in reply.starts.items():
            for place in self._heads.get(head, ()):
                places.setdefault(place, []).extend(starts)
        found: dict[str, list[Span]] = {name: [] for name in self.files}
        for (name, rule), starts in places.items():
            found[name] += [Span(*at, rule.name) for at in rule.matches_at(reply, starts)]
        return {name: sorted(spans) for name, spans in found.items()}
