"""Pieces of secrets: an endpoint that shows the beginning or the end of a key gives away as much of it.

A piece has eight characters or more and is one that no ordinary text holds by chance: letters and digits, or both
cases, in eight characters that are not simply in a row. So the prefix that all keys of a service have, words in a
passphrase and an alphabet pass.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Pieces"]

PIECE = 8  # characters
LONG_ENOUGH = 12  # a secret whose pieces are looked for
_IN_A_ROW = "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdef"
_PLAIN = re.compile(r"[!#-\[\]-~]+")  # what JSON writes as it is
WORD = 4  # bytes. A text is read word by word, as numbers: every piece of eight bytes holds a whole one


class _Written(NamedTuple):
    """A secret in lower case, and where in it a telling piece begins."""

    text: bytes
    telling: frozenset[int]


class Pieces:
    """Finds pieces of secrets in text, in any case, forwards and backwards."""

    def __init__(self) -> None:
        self._words: dict[int, list[tuple[_Written, int]]] = {}
        self._known: frozenset[int] = frozenset()

    def learn(self, secret: str) -> None:
        if len(secret) < LONG_ENOUGH or not _PLAIN.fullmatch(secret):
            return
        for text in {secret, secret[::-1]}:
            written = _written(text)
            for word, at in _words(written):
                places = self._words.setdefault(word, [])
                if (written, at) not in places:
                    places.append((written, at))
        self._known = frozenset(self._words)

    def are_in(self, lower: bytes) -> bool:
        """Whether a text in lower case holds a piece. Encoding an event changes no piece."""
        return next(self._spans(lower), None) is not None

    def replaced(self, data: bytes, mark: bytes) -> bytes:
        """The text with a mark in place of every piece."""
        kept, end = [], 0
        for start, stop in sorted(self._spans(data.lower())):  # of bytes: the same length
            if start >= end:
                kept += [data[end:start], mark]
            end = max(end, stop)
        return b"".join([*kept, data[end:]]) if kept else data

    def _spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        if not self._known:
            return
        words = memoryview(data)[: len(data) // WORD * WORD].cast("I")
        for word in self._known.intersection(words):
            needle = word.to_bytes(WORD, sys.byteorder)
            found = data.find(needle)
            while found >= 0:
                for written, at in self._words[word]:
                    before, behind = _around(data, found, written.text, at)
                    if not written.telling.isdisjoint(range(at - before, at + behind - PIECE + 1)):
                        yield found - before, found + behind
                found = data.find(needle, found + 1)


def _written(text: str) -> _Written:
    telling = frozenset(at for at in range(len(text) - PIECE + 1) if _tells(text[at : at + PIECE]))
    return _Written(text.lower().encode(), telling)


def _words(written: _Written) -> Iterator[tuple[int, int]]:
    """Every word of a telling piece, and where it stands."""
    for at in sorted({start + more for start in written.telling for more in range(PIECE - WORD + 1)}):
        yield int.from_bytes(written.text[at : at + WORD], sys.byteorder), at


def _tells(piece: str) -> bool:
    mixed = re.search("[A-Za-z]", piece) and re.search("[0-9]", piece)
    return bool(mixed or re.search("[a-z].*[A-Z]", piece)) and piece.lower() not in _IN_A_ROW


def _around(data: bytes, found: int, secret: bytes, at: int) -> tuple[int, int]:
    """How much of a secret stands before a place and from it on."""
    before, behind = 0, WORD
    while before < min(found, at) and data[found - before - 1] == secret[at - before - 1]:
        before += 1
    most = min(len(data) - found, len(secret) - at)
    while behind < most and data[found + behind] == secret[at + behind]:
        behind += 1
    return before, behind
