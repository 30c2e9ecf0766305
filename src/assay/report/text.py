"""Texts nobody trusts, made fit for a page, a picture, a terminal, a spreadsheet, a file name."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = [
    "MOST_CHARACTERS",
    "MOST_LINES",
    "NUMERAL",
    "MarkSpan",
    "Shortened",
    "label",
    "mark_text",
    "safe_cell",
    "safe_name",
    "safe_terminal",
    "shorten",
    "visible",
]

MOST_LINES = 200
MOST_CHARACTERS = 400  # in a line
MarkSpan = tuple[int, int, str]  # start, end, name of the mark

# Escape sequences of ECMA-48: CSI, the string controls (OSC, DCS, SOS, PM, APC) where they are terminated, two-byte
# ones. A string that is not terminated loses its introducer only, so that nothing can hide behind it.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
NUMERAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_FORMULA = tuple("=+-@\t\n␍＝＋－＠")  # ␍ is what ``visible`` makes of a carriage return
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")


class Shortened(NamedTuple):
    """``said`` names what was left out; empty when nothing was."""

    text: str
    said: str


def shorten(text: str, lines: int = MOST_LINES, characters: int = MOST_CHARACTERS) -> Shortened:
    """A text fit to be shown. Doing it twice changes nothing more."""
    found = text.splitlines()
    kept = found[:lines]
    wide = sum(len(line) > characters for line in kept)
    said = []
    if len(found) > lines:
        said.append(f"the first {lines} of {len(found)} lines are shown")
    if wide:
        kept = [line if len(line) <= characters else line[: characters - 1] + "…" for line in kept]
        longer = "1 line is" if wide == 1 else f"{wide} lines are"
        said.append(f"{longer} cut at {characters} characters")
    if not said:
        return Shortened(text, "")
    return Shortened("\n".join(kept), "; ".join(said))


def mark_text(text: str, spans: Sequence[MarkSpan]) -> tuple[tuple[str, str], ...]:
    """Cut a text into stretches by marked spans (start, end, mark), less the white space at their ends.

    Where spans overlap, the shorter one shows, and of two that are as long the one given first.
    """
    inside = [(*_trimmed(text, max(start, 0), min(end, len(text))), mark) for start, end, mark in spans]
    ranked = sorted((end - start, place) for place, (start, end, _) in enumerate(inside) if start < end)
    cuts = sorted({0, len(text), *(at for _, place in ranked for at in inside[place][:2])})
    parts: list[tuple[str, str]] = []
    for start, end in pairwise(cuts):
        covering = (inside[place] for _, place in ranked)
        mark = next((mark for low, high, mark in covering if low <= start and end <= high), "")
        if parts and parts[-1][1] == mark:
            parts[-1] = (parts[-1][0] + text[start:end], mark)
        else:
            parts.append((text[start:end], mark))
    return tuple(parts)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


_JOINERS = "\u200c\u200d"  # in ordinary use in several scripts and in emoji


def visible(text: str) -> str:
    """Characters that steer a display instead of showing (controls, bidi, zero width, tags) made visible.

    Lone surrogates and noncharacters become U+FFFD, so that the text can be written as UTF-8 and as XML.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text.replace("\r\n", "\n")))


def _visible(char: str) -> str:
    if char in "\n\t" or char.isprintable() or char in _JOINERS:
        return char
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)  # ␀ and its kin
    kind = unicodedata.category(char)
    if kind == "Cs" or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return "\ufffd"
    return f"⟨U+{code:04X}⟩" if kind in ("Cc", "Cf", "Zl", "Zp") else char


def label(text: str, longest: int = 34) -> str:
    """A name as it stands in a picture: one line; too long a one is cut in the middle, for its end often tells."""
    text = visible(text).replace("\n", " ").replace("\t", " ")
    tail = longest // 3
    return text if len(text) <= longest else f"{text[: longest - tail - 1]}…{text[-tail:]}"


def safe_terminal(text: str) -> str:
    """Text without anything that steers a terminal: escapes, controls, bidi marks. Lines and tabs stay."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    return "".join(
        c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
    )


def safe_cell(text: str) -> str:
    """Text for a spreadsheet: never a formula (a quote before it), never a control. Numbers stay numbers."""
    text = visible(text)
    if text.lstrip(" \u00a0\u3000").startswith(_FORMULA) and not NUMERAL.fullmatch(text):
        return "'" + text
    return text


def safe_name(text: str) -> str:
    """A file name from any text. A text that had to be changed keeps a few digits of its digest, against clashes."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", text).lstrip("._-")[:80].rstrip(".")
    reserved = _RESERVED.fullmatch(name) is not None
    if name == text and name and not reserved:
        return name
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{'file-' if reserved else ''}{name or 'unnamed'}-{mark}"
