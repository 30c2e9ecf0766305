"""Texts of one lineup brought to the same length. All of them lose their end, the shortest too: otherwise the longest
is still the one that was longest, and the one that is whole is the shortest."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from math import ceil

__all__ = ["match_lengths"]

KEPT = Fraction(97, 100)  # of the shortest text: enough to lose a word
_WORD_END = re.compile(r"(?<=\S)(?=\s)")


def match_lengths(texts: Sequence[str], tolerance: float) -> tuple[str, ...]:
    """The beginnings of the texts, in their order. In characters the longest is at most 1 + ``tolerance`` times
    as long as the shortest. A cut falls after a word, and anywhere where no word ends near enough."""
    most = ceil(KEPT * min(map(len, texts), default=0))
    least = ceil(most / (1 + Fraction(str(tolerance))))
    return tuple(_cut(text, least, most) for text in texts)


def _cut(text: str, least: int, most: int) -> str:
    """The text's beginning, ``least`` to ``most`` characters of it."""
    fitting = [
        end.end() for end in _WORD_END.finditer(text, max(least - 1, 0), most + 1) if least <= end.end()
    ]
    if fitting and fitting[-1]:
        return text[: fitting[-1]]
    whole = (place for place in range(most, max(least, 1) - 1, -1) if not _inside_cluster(text, place))
    return text[: next(whole, most)]


def _inside_cluster(text: str, place: int) -> bool:
    """Whether a cut here would part a letter from its marks, or the parts of one emoji."""
    if place >= len(text):
        return False
    parts = unicodedata.category(text[place])[0] == "M" or "\U0001f3fb" <= text[place] <= "\U0001f3ff"
    return parts or "\u200d" in text[place - 1 : place + 1]
