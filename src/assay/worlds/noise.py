"""Noise in observations: misread characters.

A misread character looks like the right one: a digit becomes a letter, never another digit, and a letter becomes a
digit or another letter. So a number can be read back, and a name be found among those it could be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.streams import Stream

__all__ = ["DIGITS", "LETTERS", "misread", "touch"]

# How a character is misread.
DIGITS = {"0": "O", "1": "l", "2": "Z", "3": "E", "4": "A", "5": "S", "6": "b", "7": "T", "8": "B", "9": "g"}
LETTERS = {
    "a": "o", "b": "h", "c": "e", "d": "cl", "e": "c", "f": "t", "g": "q", "h": "b", "i": "l", "j": "i", "k": "lc",
    "l": "1", "m": "rn", "n": "u", "o": "0", "p": "q", "q": "g", "r": "t", "s": "5", "t": "f", "u": "n", "v": "y",
    "w": "vv", "x": "z", "y": "v", "z": "2",
}  # fmt: skip
_ASCII = frozenset(DIGITS) | frozenset(LETTERS) | frozenset(letter.upper() for letter in LETTERS)


def misread(text: str, kind: str, rate: float, stream: Stream) -> str:
    """The text with wrong characters: one in so many words, or so many of all. White space stays."""
    if kind == "characters":
        return "".join(_wrong(char) if char.isalnum() and stream.random() < rate else char for char in text)
    words = text.split(" ")
    for place, word in enumerate(words):
        # Most words have a character that can be misread: where they have is worked out only for those that are.
        some = not _ASCII.isdisjoint(word) if word.isascii() else bool(_misreadable(word))
        if some and stream.random() < rate:
            index = stream.choice(_misreadable(word))
            words[place] = word[:index] + _wrong(word[index]) + word[index + 1 :]
    return " ".join(words)


def _misreadable(word: str) -> list[int]:
    return [index for index, char in enumerate(word) if char in DIGITS or char.lower() in LETTERS]


def _wrong(char: str) -> str:
    if char in DIGITS:
        return DIGITS[char]
    found = LETTERS.get(char.lower(), char)
    return found.upper() if char.isupper() and found.isalpha() else found


def touch(value: Any, keys: tuple[str, ...], change: Callable[[str], str], within: bool = False) -> Any:
    """A copy of an observation in which the texts below certain keys are changed, at any depth."""
    if isinstance(value, dict):
        return {key: touch(item, keys, change, within or key in keys) for key, item in value.items()}
    if isinstance(value, list):
        return [touch(item, keys, change, within) for item in value]
    return change(value) if within and isinstance(value, str) else value
