"""A text made ready once for every rule: lower case and straight quotes, each character in its own place.

Nothing is cut out, so a position in the prepared text is the same position in the reply. Words, sentences and
stems are worked out when a rule first asks for them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cache, cached_property, lru_cache

from assay.instruments.consistency.detectors.rule import Span
from assay.instruments.consistency.detectors.rulebook import Rulebook

__all__ = [
    "SENTENCE_END",
    "IndexedText",
    "content_stems",
    "lowered",
    "needed",
    "stem",
    "stop_words",
    "words_of",
]

MOST = 20  # spans kept as evidence of one thing
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# A run of marks is tried at its first one alone: a reply of dots is read in linear time.
SENTENCE_END = re.compile(r"(?<![.!?])[.!?]++[\"')\]*]{0,3}+(?=\s|\Z)|[\n\r]+")
_TABLE = str.maketrans(
    {
        **dict.fromkeys("’‘ʼ´′", "'"),
        **dict.fromkeys("“”„«»″＂", '"'),
        **dict.fromkeys("\u00a0\u2007\u202f\u200b\u200c\u200d\ufeff", " "),
        **dict.fromkeys("\u2010\u2011\u2012\u2212", "-"),
    }
)


class IndexedText:
    """One text and what the rules read off it."""

    def __init__(self, raw: str) -> None:
        low = raw.lower()
        if len(low) != len(raw):  # a few capitals have a longer small form; they stay as they are
            low = "".join(small if len(small := char.lower()) == 1 else char for char in raw)
        self.raw = raw
        self.low = low.translate(_TABLE)

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Where each word stands."""
        return [found.span() for found in _WORD.finditer(self.low)]

    @cached_property
    def words(self) -> list[str]:
        return [self.low[start:end] for start, end in self.places]

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """Spans of the sentences that hold more than space; a line is at least one."""
        spans, begin = [], 0
        for found in SENTENCE_END.finditer(self.low):
            spans.append((begin, found.end()))
            begin = found.end()
        spans.append((begin, len(self.low)))
        return [(start, end) for start, end in spans if not self.low[start:end].isspace() and start < end]

    @cached_property
    def stems(self) -> list[frozenset[str]]:
        """The stems of each sentence's words."""
        return [
            frozenset(stem(word) for word in _WORD.findall(self.low, start, end))
            for start, end in self.sentences
        ]

    @cached_property
    def _joined(self) -> tuple[str, list[int]]:
        """The words with one space between and around them, and where each begins there."""
        begins, at = [], 1
        for word in self.words:
            begins.append(at)
            at += len(word) + 1
        return f" {' '.join(self.words)} ", begins

    def phrase(self, phrase: str, name: str, most: int = MOST) -> tuple[Span, ...]:
        """Where the words of the phrase stand in a row: case, hyphens and punctuation do not matter."""
        words = words_of(phrase)
        if not words:
            return ()
        joined, begins = self._joined
        needle, at = f" {' '.join(words)} ", -1
        spans: list[Span] = []
        while len(spans) < most and (at := joined.find(needle, at + 1)) >= 0:
            first = bisect_left(begins, at + 1)
            spans.append(Span(self.places[first][0], self.places[first + len(words) - 1][1], name))
        return tuple(spans)

    def string(
        self, string: str, name: str, *, case: bool = False, most: int = MOST, start: int = 0
    ) -> tuple[Span, ...]:
        """Where the very string stands as a whole: no letter, digit or joined part before or after it."""
        text, needle = (self.raw, string) if case else (self.low, lowered(string))
        spans: list[Span] = []
        at = start - 1
        while needle and len(spans) < most and (at := text.find(needle, at + 1)) >= 0:
            end = at + len(needle)
            if not _joins(text, at - 1, -1) and not _joins(text, end, 1):
                spans.append(Span(at, end, name))
        return tuple(spans)

    def matches(self, pattern: re.Pattern[str], name: str, most: int = MOST) -> tuple[Span, ...]:
        spans: list[Span] = []
        for found in pattern.finditer(self.low):
            spans.append(Span(found.start(), found.end(), name))
            if len(spans) == most:
                break
        return tuple(spans)

    def within(self, start: int, end: int) -> list[tuple[int, int]]:
        """The places of the words from start to end."""
        return self.places[bisect_left(self.places, (start, 0)) : bisect_left(self.places, (end, 0))]

    def sentence_at(self, place: int) -> int:
        """The number of the sentence that holds the place."""
        ends = self._sentence_ends
        return min(bisect_left(ends, place + 1), len(ends) - 1)

    @cached_property
    def _sentence_ends(self) -> list[int]:
        return [end for _, end in self.sentences]

    def mentions(self, stems: frozenset[str], least: int) -> Span | None:
        """The first sentence with at least so many of the stems."""
        for (start, end), there in zip(self.sentences, self.stems, strict=True):
            if len(stems & there) >= least:
                return Span(start, end, "mention")
        return None

    def blanked(self, spans: Iterable[tuple[int, int]]) -> IndexedText:
        """The same text with space in these places."""
        pieces, at = [], 0
        for start, end in sorted(spans):
            if end > at:
                pieces += [self.raw[at : max(at, start)], " " * (end - max(at, start))]
                at = end
        return IndexedText("".join([*pieces, self.raw[at:]]))


def _joins(text: str, at: int, step: int) -> bool:
    """Does a word go on here: a letter or digit, or a hyphen or the like with one behind it."""
    if not 0 <= at < len(text):
        return False
    if text[at].isalnum():
        return True
    beyond = at + step
    return text[at] in "-_." and 0 <= beyond < len(text) and text[beyond].isalnum()


@cache
def stop_words() -> frozenset[str]:
    """Words that say nothing of their own."""
    return Rulebook("judging/common").words["stop"]


@lru_cache(maxsize=4096)
def lowered(text: str) -> str:
    """A short text as ``Text`` has it: small letters, straight quotes."""
    return IndexedText(text).low


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a short text, small and without punctuation."""
    return tuple(_WORD.findall(lowered(text)))


def stem(word: str) -> str:
    """The first five letters, or the word without a plural s: enough to know "diagnose" by "diagnosis"."""
    if len(word) > 5:
        return word[:5]
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


@lru_cache(maxsize=4096)
def content_stems(text: str, leaving_out: str = "") -> frozenset[str]:
    """Stems of the words that say something; all of them when nothing would be left."""
    left_out = {stem(word) for word in words_of(leaving_out)}
    stems = frozenset(stem(word) for word in words_of(text) if word not in stop_words() and len(word) > 1)
    return stems - left_out or stems or frozenset(map(stem, words_of(text)))


def needed(stems: frozenset[str]) -> int:
    """How many of its stems make a line recognisable: half of them, rounded up."""
    return max(1, (len(stems) + 1) // 2)
