"""Texts that are shown together brought to about one length, so that none is known by its length."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction

__all__ = ["match_lengths"]

_SENTENCE_END = re.compile(r"""[.!?…][)\]"'*_”’»]{0,3}(?=\s)|[。！？][」』”’]?""")
_WORD_END = re.compile(r"(?<=\S)(?=\s)")


def match_lengths(texts: Sequence[str], tolerance: float) -> tuple[str, ...]:
    """The texts in their order, none longer than 1 + ``tolerance`` times the shortest, in characters.

    A text that is too long loses its end: after the last sentence that fits, else after a word, else anywhere. It
    never gets shorter than the shortest. The others stay as they are.
    """
    shortest = min(map(len, texts), default=0)
    longest = int((1 + Fraction(str(tolerance))) * shortest)
    return tuple(text if len(text) <= longest else _cut(text, shortest, longest) for text in texts)


def _cut(text: str, shortest: int, longest: int) -> str:
    """The text's beginning, ``shortest`` to ``longest`` characters of it."""
    window = text[: longest + 1]
    for ends in (_SENTENCE_END, _WORD_END):
        fitting = [end.end() for end in ends.finditer(window) if shortest <= end.end() <= longest]
        if fitting:
            return window[: fitting[-1]]
    whole = (
        place for place in range(longest, max(shortest, 1) - 1, -1) if not _inside_cluster(window, place)
    )
    cut = window[: next(whole, longest)]
    return cut.rstrip() if len(cut.rstrip()) >= shortest else cut


def _inside_cluster(text: str, place: int) -> bool:
    """Whether a cut here would part a letter from its marks, or the parts of one emoji."""
    parts = unicodedata.category(text[place])[0] == "M" or "\U0001f3fb" <= text[place] <= "\U0001f3ff"
    return parts or "\u200d" in text[place - 1 : place + 1]
