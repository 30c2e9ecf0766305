"""What the linear model reads in a reply: word n-grams by place, and which rules matched where.

The opening decides more than the rest, so the first two sentences have n-grams of their own. Of a long reply its
beginning and its end are read; the work does not grow with what lies between.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .rule import Span
from .text import BLANK, PreparedText

__all__ = ["Features", "features", "opening"]

OPENING = 2  # sentences
BEGINNING, ENDING = 900, 400  # characters
LONGEST = 3  # words of an n-gram
LIMITS = ("limit", "closed", "confided", "languages", "lacks")  # the files of rules that state a limit
MANY = 3  # matches of one rule of the context
SAID = 20  # characters of a sentence that can say something
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
    context: Sequence[Span],
) -> Features:
    """``found`` has the spans by file of rules, ``decided`` what the rules alone say, ``context`` the spans of the
    rules of the context."""
    end = opening(reply)
    length = min(4, len(reply.text) // 250)
    marks = {f"length:{length}"}
    for name, spans in found.items():
        for span in spans:
            where = "opening" if span.start < end else "near" if span.start < NEAR else "far"
            marks |= {f"{name}/{span.rule}@{where}", f"{name}@{where}", name}
    for component in (name for name, holds in decided.items() if holds):
        marks |= {f"rules:{component}", f"rules:{component}@{length}"}
    for name, count in Counter(span.rule for span in context).items():
        marks.add(f"context:{name}")
        marks |= {f"context:{name}:many"} if count >= MANY else set()
    marks.add(f"unexplained:{min(3, _unexplained(reply, found))}")
    return Features(dict(_ngrams(reply)), frozenset(marks))


def _unexplained(reply: PreparedText, found: Mapping[str, list[Span]]) -> int:
    """How many sentences after the first limit neither decline, apologise nor stay: there an offer or a path may be."""
    limits = sorted(span.start for name in LIMITS for span in found[name])
    if not limits:
        return 0
    known = sorted([*limits, *(span.start for name in ("proximity", "apology") for span in found[name])])
    later = [(start, end) for start, end in reply.sentences if start > limits[0] and end - start >= SAID]
    return sum(bisect_left(known, start) == bisect_left(known, end) for start, end in later)


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
        for at in range(len(words) - 1, -1, -1):
            text, begin, _ = words[at]
            for size in range(LONGEST):
                if at + size == len(words):
                    break
                word, _, last = words[at + size]
                text = f"{text} {word}" if size else text
                span = (begin, max(last, begin + 1))
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
