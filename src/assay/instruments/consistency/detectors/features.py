"""What the linear model reads in a reply: word n-grams by place, and which rules matched where.

The opening decides more than the rest, so the first two sentences have n-grams of their own. Of a long reply its
beginning and its end are read; the work does not grow with what lies between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .rule import Span
from .text import BLANK, PreparedText

__all__ = ["Features", "features", "opening"]

OPENING = 2  # sentences
BEGINNING, ENDING = 900, 400  # characters
LONGEST = 3  # words of an n-gram
NEAR = 500  # characters: where a rule's match is still near the opening

_TOKEN = re.compile(r"[\u3040-\u9fff]|[^\W\d_\u3040-\u9fff]+(?:'[a-z]+)?|\d+|¤+|\n|[.!?,:;。！？，]")
_SAME = {"\n": "¶", "。": ".", "！": "!", "？": "?", "，": ","}


class Features(NamedTuple):
    """N-grams with the place of their first occurrence, and the marks of rules."""

    ngrams: dict[str, tuple[int, int]]
    marks: frozenset[str]


def opening(reply: PreparedText) -> int:
    """Where the opening ends."""
    return reply.sentences[min(OPENING, len(reply.sentences)) - 1][1] if reply.sentences else 0


def features(
    reply: PreparedText,
    found: Mapping[str, list[Span]],
    decided: Mapping[str, bool],
    context: Mapping[str, int],
) -> Features:
    """``found`` has the spans by file of rules, ``decided`` what the rules alone say, ``context`` how often each
    rule of the context matched."""
    end = opening(reply)
    marks = {f"length:{min(4, len(reply.text) // 250)}"}
    for name, spans in found.items():
        for span in spans:
            where = "opening" if span.start < end else "near" if span.start < NEAR else "far"
            marks |= {f"{name}/{span.rule}@{where}", f"{name}@{where}", name}
    marks |= {f"rules:{component}" for component, holds in decided.items() if holds}
    for name, count in context.items():
        marks |= {f"context:{name}"} if count else set()
        marks |= {f"context:{name}:many"} if count >= 3 else set()
    return Features(dict(_ngrams(reply)), frozenset(marks))


def _ngrams(reply: PreparedText) -> Iterator[tuple[str, tuple[int, int]]]:
    """Later occurrences come first, so that a dictionary keeps the first one."""
    far = len(reply.text) - ENDING
    read = [
        (number, start, end)
        for number, (start, end) in enumerate(reply.sentences)
        if start < BEGINNING or start >= far
    ]
    for number, start, end in reversed(read):
        words = _words(reply.text, start, min(end, start + BEGINNING))
        place = str(number + 1) if number < OPENING else ""
        for size in range(1, LONGEST + 1):
            for at in range(len(words) - size, -1, -1):
                piece = words[at : at + size]
                text = " ".join(word for word, _, _ in piece)
                span = (piece[0][1], max(piece[-1][2], piece[0][1] + 1))
                yield f"~{text}", span
                if place:
                    yield f"{place}{text}", span


def _words(text: str, start: int, end: int) -> list[tuple[str, int, int]]:
    words = [("^", start, start)]
    for found in _TOKEN.finditer(text, start, end):
        word = found.group()
        word = _SAME.get(word, BLANK if word[0] == BLANK else "0" if word.isdigit() else word)
        words.append((word, found.start(), found.end()))
    return [*words, ("$", end, end)]
