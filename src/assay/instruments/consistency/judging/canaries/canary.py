"""A canary made ready to be looked for: its letters and digits, and what can stand for them."""

from __future__ import annotations

from bisect import bisect_left
from functools import cache, lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from .folding import folded_words
from .number_words import MOST_DIGITS, spellings

__all__ = ["Canary", "canary_of"]

LONG_WORD = 6  # letters: a canary with a word so long, or with a digit, is not made of everyday words


class _Data(Struct, frozen=True, forbid_unknown_fields=True):
    letters: tuple[str, ...]
    units: frozenset[str]


@cache
def _data() -> _Data:
    place = files("assay.instruments.consistency").joinpath("data", "judging", "canaries.yaml")
    return msgspec.yaml.decode(place.read_bytes(), type=_Data)


class Canary:
    """``skeleton`` are its letters and digits alone; an offset is a place in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        words = [word.text for word in folded_words(text)]
        told = [word for word in words if word not in _data().units]
        self.words = told if any(word.isdigit() for word in told) else words
        self.skeleton = "".join(self.words)
        self.rare = any(word.isdigit() or len(word) >= LONG_WORD for word in self.words)
        ends = [0]
        for word in self.words:
            ends.append(ends[-1] + len(word))
        self.edges = frozenset(ends)
        self._spelled: dict[int, dict[str, int]] = {}
        self._sorted: dict[int, list[str]] = {}

    def spelled(self, offset: int) -> dict[str, int]:
        """What can be said instead of the characters from there on, and how many of them it stands for."""
        if offset not in self._spelled:
            self._spelled[offset] = self._spell(offset)
            self._sorted[offset] = sorted(self._spelled[offset])
        return self._spelled[offset]

    def begins(self, offset: int, text: str) -> bool:
        """Does the text begin a word that is said instead of the characters from there on?"""
        words = self.spelled(offset), self._sorted[offset]
        at = bisect_left(words[1], text)
        return at < len(words[1]) and words[1][at].startswith(text)

    def _spell(self, offset: int) -> dict[str, int]:
        character = self.skeleton[offset]
        if not character.isdigit():
            place = ord(character) - ord("a")
            letters = _data().letters
            return dict.fromkeys(letters[place].split("/"), 1) if 0 <= place < len(letters) else {}
        found: dict[str, int] = {}
        run = self.skeleton[offset:]
        digits = len(run) - len(run.lstrip("0123456789"))
        for length in range(1, min(digits, MOST_DIGITS) + 1):
            found |= dict.fromkeys(spellings(run[:length]), length)
        return found


@lru_cache(maxsize=1024)
def canary_of(text: str) -> Canary:
    return Canary(text)
