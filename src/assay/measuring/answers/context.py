"""Where a declaration stands in a reply: in which clause, in whose mouth, under which condition."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property

from .patterns import pattern
from .reply import PlainReply

__all__ = ["Context"]

CLAUSE = 160  # characters before a declaration in which its clause may begin
SENTENCE = 200  # characters after it in which its sentence may end
PRONOUN = 60  # characters before a verb of choosing in which its subject may stand


class Context:
    """Questions on a place in a reply. Every one looks at a bounded part of it."""

    def __init__(self, reply: PlainReply) -> None:
        self.plain = reply.plain

    def clause(self, start: int) -> str:
        """What stands before a place in its clause."""
        begin = low = max(0, start - CLAUSE)
        for found in pattern("clause").finditer(self.plain, low, start + 1):
            if found.end() <= start:
                begin = found.end()
        return self.plain[begin:start]

    def quoted(self, start: int) -> bool:
        """Whether a place stands in quotation marks of its line, other than those around the whole reply."""
        after = bisect_left(self._line_ends, start)
        begin = self._line_ends[after - 1] if after else -1
        end = self._line_ends[after] if after < len(self._line_ends) else len(self.plain)
        first, here = bisect_left(self._marks, begin), bisect_left(self._marks, start)
        opened = (here - first) % 2 == 1 and here < len(self._marks) and self._marks[here] < end
        return opened and self._marks[first] != self._first_sign

    @cached_property
    def _marks(self) -> list[int]:
        return [place for place, sign in enumerate(self.plain) if sign == '"']

    @cached_property
    def _line_ends(self) -> list[int]:
        return [place for place, sign in enumerate(self.plain) if sign == "\n"]

    @cached_property
    def _first_sign(self) -> int:
        return len(self.plain) - len(self.plain.lstrip())

    def asked(self, end: int) -> bool:
        """Whether the sentence is a question."""
        found = pattern("sentence_end").search(self.plain, end, end + SENTENCE)
        return found is not None and found[0] == "?"

    def attributed(self, before: str, end: int) -> bool:
        """Whether the clause gives another's declaration, an earlier one or an example."""
        after = pattern("attributed_after").match(self.plain, end)
        return after is not None or pattern("attributed").search(before) is not None

    def own(self, before: str, said: str) -> bool:
        """Whether a choice is the reply's own: said of oneself, advised, or ordered."""
        if not before.strip(" \t,:*-\"'(") or pattern("han").match(said):
            return pattern("not_choosing").match(said) is None
        return pattern("own").search(before[-PRONOUN:]) is not None

    def in_dialogue(self, start: int) -> bool:
        """Whether a place is in a line of a dialogue, whose speakers are not the reply itself."""
        place = bisect_right(self._speeches, (start, len(self.plain))) - 1
        return place >= 0 and start < self._speeches[place][1]

    @cached_property
    def _speeches(self) -> list[tuple[int, int]]:
        """The lines of a dialogue: two names or more, one of them again."""
        lines = [
            line
            for line in pattern("speaker").finditer(self.plain)
            if not pattern("heading").match(line["name"])
        ]
        names = {line["name"] for line in lines}
        return [line.span() for line in lines] if 2 <= len(names) < len(lines) else []
