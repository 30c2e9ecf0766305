"""A canary made ready to be looked for: its letters and digits, and what can stand for them."""

from __future__ import annotations

from bisect import bisect_left
from functools import cache, lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from .folding import folded_words
from .number_words import MOST_DIGITS, spellings

__all__ = ["PASSAGE", "Canary", "canaries_of", "word_canary"]

PASSAGE = 7  # words: so many and more are a passage
LONG_WORD = 6  # letters: a canary with a word so long, or with a digit, is not made of everyday words


class _Data(Struct, frozen=True, forbid_unknown_fields=True):
    letters: tuple[str, ...]
    units: frozenset[str]
    scales: dict[int, tuple[str, ...]]


@cache
def _data() -> _Data:
    place = files("assay.instruments.consistency").joinpath("data", "canaries", "spelling.yaml")
    return msgspec.yaml.decode(place.read_bytes(), type=_Data)


class Canary:
    """``skeleton`` are its letters and digits alone; an offset is a place in it. ``tight``: it stands together."""

    def __init__(self, text: str, *, tight: bool = False) -> None:
        self.text, self.tight = text, tight
        self.words = _words(text)
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


def _words(text: str) -> list[str]:
    """Its words, without units beside a number, and a short one without its article."""
    words = [word.text for word in folded_words(text)]
    told = [word for word in words if word not in _data().units]
    words = told if any(word.isdigit() for word in told) else words
    return words[1:] if 1 < len(words) < PASSAGE and words[0] in ("a", "an", "the") else words


@lru_cache(maxsize=1024)
def canaries_of(text: str) -> tuple[Canary, ...]:
    """The canary, and a round number in the other ways to write it: 18,400 as 18.4 thousand, 2.4 million in digits."""
    found = [Canary(text)]
    whole = found[0].words
    for scale, names in _data().scales.items():
        if (
            len(whole) == 1
            and whole[0].isdigit()
            and int(whole[0]) % (scale // 100) == 0
            and int(whole[0]) >= scale
        ):
            many = f"{int(whole[0]) / scale:g}"
            found += [Canary(f"{many} {name}", tight=True) for name in names]
        elif len(whole) in (2, 3) and whole[-1] in names and all(map(str.isdigit, whole[:-1])):
            number = float(".".join(whole[:-1])) * scale
            found += [Canary(f"{number:.0f}")]
    return tuple(found)


@lru_cache(maxsize=1024)
def word_canary(word: str) -> Canary:
    """One word of a canary by itself."""
    return Canary(word)
