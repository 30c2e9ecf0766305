"""A reply made ready for reading: typographic variants made plain, markup blanked, thinking left out.

Every step keeps positions or records what it removed, so a span can be given in the reply as it came.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache

__all__ = ["PlainReply"]

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff\u20e3]+")
_SIGNS = str.maketrans(
    "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f"
    "\u3010\u3011\u3014\u3015\u3002\u3001",
    "''''" + '"' * 9 + "[][].,",
)
# Letters in circles, squares, bold or full width, flags, and blanks that are not the usual one.
_FANCY = re.compile(
    "[\u00a0\u2100-\u214f\u2460-\u24ff\u3000\uff01-\uff5e"
    "\U0001d400-\U0001d7ff\U0001f110-\U0001f189\U0001f1e6-\U0001f1ff]"
)
# Alphabets that Unicode does not map to letters: first sign, last sign, the letter that the first stands for.
_ALPHABETS = (
    (0x1F150, 0x1F169, "A"),
    (0x1F170, 0x1F189, "A"),
    (0x1F1E6, 0x1F1FF, "A"),
    (0x249C, 0x24B5, "a"),
)
KEPT = 26  # blanks that are left of a long run: what stands beside a label matters
_BLANKS = re.compile(r"\s{32,}")
_CODE = re.compile(
    r"""
    ```(?: python|py|java|javascript|js|typescript|c|cpp|c\+\+|cs|csharp|go|rust|sql|bash|sh|r|ruby|php|swift
         | kotlin|html|haskell )\b
    (?: (?!```) [\s\S] )* (?: ``` | \Z )
    """,
    re.I | re.X,
)
_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|scratchpad|analysis|reflection)>", re.I)
# What only formats. A tag or box of an answer is read before it is blanked.
_MARKUP = re.compile(
    r"""
      ```[\w+-]{0,20}                                                    # fences
    | ~~[^~\n]{1,300}~~                                                 # what is struck out, with its text
    | \\(?:boxed|fbox|text\w{0,2}|math\w{2,4}|bf|rm|it|underline|color)\b\s?\{?
    | \\[()\[\]!,;:] | \\{2}                                           # formulas
    | </?[A-Za-z][^<>\n]{0,60}>                                         # tags
    | [`$~{}] | \*(?!(?<=\d\*)\d)                                       # emphasis; between digits it multiplies
    | ^[ \t]{0,8}(?:\#{1,6}|>{1,3})(?=[ \t])                            # headings and quotations
    | (?<![A-Za-z0-9])_+ | _+(?![A-Za-z0-9])                            # emphasis, but no part of a name
    """,
    re.M | re.X,
)


@lru_cache(maxsize=1024)
def _plain_sign(sign: str) -> str:
    """One character for one: \uff22, \U0001d401, \u24b7 and \U0001f171 are B."""
    for first, last, letter in _ALPHABETS:
        if first <= ord(sign) <= last:
            return chr(ord(letter) + ord(sign) - first)
    plain = unicodedata.normalize("NFKC", sign)
    return plain if len(plain) == 1 else " "


class _Places:
    """Where the characters of a shortened text stood: ``(new, old)`` at every cut."""

    def __init__(self) -> None:
        self._cuts: list[tuple[int, int]] = [(0, 0)]
        self._new = 0

    def keep(self, old: int, length: int) -> None:
        self._cuts.append((self._new, old))
        self._new += length

    def old(self, place: int) -> int:
        new, old = self._cuts[bisect_right(self._cuts, (place, 1 << 62)) - 1]
        return old + place - new


class PlainReply:
    """``text`` is what is read, ``plain`` the same with its markup blanked; both have the same length.

    Long runs of blanks are shortened, which keeps every search linear.
    """

    def __init__(self, given: str) -> None:
        text = given.replace("\r\n", " \n").replace("\r", "\n") if "\r" in given else given
        self._seen, self._short = _Places(), _Places()
        text = _kept(text, _INVISIBLE, self._seen, lambda run: (len(run), ""))
        if not text.isascii():
            text = _FANCY.sub(lambda found: _plain_sign(found[0]), text.translate(_SIGNS))
        text = _CODE.sub(lambda found: " " * len(found[0]), _without_thought(text))
        plain = _MARKUP.sub(lambda found: " " * len(found[0]), text)
        self.plain = _kept(plain, _BLANKS, self._short, _shortened)
        self.text = _kept(text, _BLANKS, _Places(), _shortened, like=plain)

    def given_span(self, start: int, end: int) -> tuple[int, int]:
        """A span of ``text`` in the reply as it came."""
        return self._given(start), self._given(end - 1) + 1

    def _given(self, place: int) -> int:
        return self._seen.old(self._short.old(place))


def _shortened(run: str) -> tuple[int, str]:
    """How much of a run of blanks is left out, and what stands for it."""
    return len(run) - KEPT, "\n" * min(run.count("\n"), 2)


def _kept(
    text: str,
    pattern: re.Pattern[str],
    places: _Places,
    cut: Callable[[str], tuple[int, str]],
    like: str = "",
) -> str:
    """The text without what ``pattern`` finds in it, or in a text ``like`` it."""
    parts, end = [], 0
    for found in pattern.finditer(like or text):
        gone, instead = cut(found[0])
        places.keep(end, found.start() - end)
        places.keep(found.start(), len(instead))
        parts += [text[end : found.start()], instead]
        end = found.start() + gone
    places.keep(end, len(text) - end)
    return "".join([*parts, text[end:]])


def _without_thought(text: str) -> str:
    """Deliberation between tags is no answer.

    Without its end it goes on to the last character; without its start it began at the first.
    """
    parts: list[str] = []
    done = depth = 0  # up to where the text is kept or blanked, and how many tags are open there
    for tag in _THOUGHT.finditer(text):
        if tag[1]:
            if depth == 0:
                parts, done = [], 0
            depth = max(depth - 1, 0)
            if depth == 0:
                parts.append(" " * (tag.end() - done))
                done = tag.end()
        else:
            if depth == 0:
                parts.append(text[done : tag.start()])
                done = tag.start()
            depth += 1
    rest = text[done:]
    return "".join([*parts, " " * len(rest) if depth else rest])
