"""Texts folded for comparison: no case, no accents, no invisible characters, other digits as 0 to 9."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

__all__ = ["FoldedWord", "folded", "folded_words"]

# A number with its thousands marked is one word, so that 418,350 is not read in 1,418,350.
_WORD = re.compile(r"[0-9]{1,3}(?:[.,'][0-9]{3})+(?![0-9])|[0-9]+|[^\W\d_]+")
_QUOTES = dict.fromkeys("’ʼ′", "'")
_UNSEEN = ("Mn", "Me", "Cf")  # accents, enclosing marks, zero width and soft hyphens


class FoldedWord(NamedTuple):
    """A run of letters or of digits. ``glued`` is true where a letter or digit stands directly before it."""

    text: str
    start: int
    end: int  # in the raw text
    glued: bool


@lru_cache(maxsize=4096)
def _folded_character(character: str) -> str:
    if character in _QUOTES:
        return _QUOTES[character]
    parts = unicodedata.normalize("NFKD", character).casefold()
    kept = [one for one in parts if unicodedata.category(one) not in _UNSEEN]
    return "".join(str(unicodedata.digit(one, one)) if one.isdigit() else one for one in kept)


def folded(text: str) -> str:
    """The letters and digits of a short text, folded and written together."""
    return "".join(word.text for word in folded_words(text))


def folded_words(text: str) -> list[FoldedWord]:
    """The words of a text, each with its place in the raw text."""
    places: Sequence[int] = range(len(text))
    low = text.lower()
    if not text.isascii():
        pieces = [_folded_character(character) for character in text]
        low = "".join(pieces)
        places = [at for at, piece in enumerate(pieces) for _ in piece]
    found = []
    before = -1
    for match in _WORD.finditer(low):
        start, end = match.span()
        word = match[0] if match[0].isalnum() else re.sub("[.,']", "", match[0])
        found.append(FoldedWord(word, places[start], places[end - 1] + 1, start == before))
        before = end
    return found
