"""The fence around texts that a rater is shown. They are untrusted: a reply may ask for a label, or forge the fence.

Every part begins with a line that holds a mark and the part's name; the last line holds the mark and ``end``. The mark
is derived from the texts and stands in none of them, so no text can end its part, and the same texts are always fenced
the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assay.canonical import sha256_hex
from assay.errors import InputError

__all__ = ["Fenced", "fenced", "fenced_parts", "mark_of"]

END = "end"
MARK = re.compile(r"<<[0-9a-f]{24}>>")
NAME = re.compile(r"[a-z][a-z0-9_]*")


class Fenced(NamedTuple):
    mark: str
    text: str


def fenced(parts: Mapping[str, str | None]) -> Fenced:
    """The parts one after the other between lines with a mark. A part that is None is not shown; an empty one is."""
    if wrong := [name for name in parts if not NAME.fullmatch(name) or name == END]:
        raise InputError(
            f"a part cannot be called {wrong[0]!r}; write a word in lower case, other than {END!r}"
        )
    mark = mark_of(text or "" for text in parts.values())
    data = "".join(f"{mark} {name}\n{text}\n" for name, text in parts.items() if text is not None)
    return Fenced(mark, f"{data}{mark} {END}")


def fenced_parts(text: str) -> dict[str, str]:
    """The parts of a fenced text, for a rater that is a rule or a reference."""
    found = MARK.match(text)
    if found is None or not text.endswith(f"{found[0]} {END}"):
        raise InputError("this is not a fenced text")
    pieces = text.split(found[0])[1:-1]
    named = (piece.removeprefix(" ").partition("\n") for piece in pieces)
    return {name: body.removesuffix("\n") for name, _, body in named}


def mark_of(texts: Iterable[str]) -> str:
    """A mark that stands in none of the texts and follows from them."""
    known = list(texts)
    seed = "\x00".join(known).encode("utf-8", "surrogatepass")
    number = 0
    while True:
        mark = f"<<{sha256_hex(seed + number.to_bytes(4, 'big'))[:24]}>>"
        if not any(mark in text for text in known):
            return mark
        number += 1
