"""Fuzzy matching: reads numbers and names back from text with misread characters, or with text appended."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from rapidfuzz import fuzz

from .noise import DIGITS

__all__ = ["alike", "among", "nearest", "number_at", "read_number", "readings"]

_BACK = str.maketrans(
    {wrong: right for right, wrong in DIGITS.items()} | {"o": "0", "I": "1", "s": "5", "z": "2"}
)
_LONGER = 1.15  # a misread character may become two
# What a character in a figure can stand for when it was misread twice at worst, as by a scan and then by a regime.
_READ = {digit: digit for digit in "0123456789.-"} | {
    "O": "04", "o": "0", "l": "1", "Z": "2", "E": "3", "C": "3", "A": "4", "S": "5", "b": "6", "h": "6", "T": "7",
    "F": "7", "B": "8", "H": "8", "g": "9", "q": "9",
}  # fmt: skip


def alike(said: str, option: str) -> float:
    """How well a text begins with an option, 0 … 100. Text that follows, such as an appended sentence, is ignored."""
    return fuzz.ratio(said[: int(len(option) * _LONGER) + 1].lower(), option.lower())


def read_number(said: str) -> str:
    """A number whose digits were misread as letters, with its digits restored."""
    return said.translate(_BACK)


def nearest(said: str, options: Sequence[str]) -> str:
    """The option that a text, misread in places, most likely begins with."""
    return max(options, key=lambda option: alike(said, option))


def among(said: str, options: Sequence[str]) -> str:
    """The option that stands, misread perhaps, somewhere in a text. Misreading does not move words."""
    words = [word.strip(".,:;") for word in said.split(" ")]

    def best(option: str) -> float:
        length = len(option.split(" "))
        return max(
            fuzz.ratio(" ".join(words[at : at + length]), option)
            for at in range(max(1, len(words) - length + 1))
        )

    return max(options, key=best)


def number_at(said: str, place: int) -> int:
    """The number that is the text's word at a place. Misreading does not move words."""
    word = read_number(said.split(" ")[place])
    return int("".join(char for char in word if char.isdigit()))


def readings(word: str) -> list[str]:
    """The numbers that a misread one can stand for, the likeliest first. Only an O has two readings: 0, or 4 by A."""
    return ["".join(signs) for signs in product(*(_READ[char] for char in word if char in _READ))]
