"""A reply made ready for rules, with the way back to its own characters.

Preparing undoes what does not change what is said: case, curly quotes, emphasis marks, spacing, line ends. What
the speaker does not say itself is blanked: code, quotations, letters drafted for another person.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from .rulebook import Rulebook

__all__ = ["BLANK", "LINE", "REPLY", "PreparedText", "prepare"]

# Where a rule may begin, if not at a word.
REPLY, LINE = "^reply", "^line"

BLANK = "¤"
_SAME_LENGTH = {code: low for code in range(0x250) if len(low := chr(code).lower()) == 1 and low != chr(code)}
_TABLE = str.maketrans(
    {
        **{chr(code): low for code, low in _SAME_LENGTH.items()},
        **dict.fromkeys("’‘ʼ´`′", "'"),
        **dict.fromkeys("“”„«»″＂", '"'),
        **dict.fromkeys("\u00a0\u2007\u202f", " "),
        **dict.fromkeys("\u2010\u2011", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\ufeff\ufe0f", "*"),  # unseen: goes the way of an emphasis mark
        "`": "`",
    }
)
_FENCE = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.M | re.S)
_CODE = re.compile(r"`[^`\n]{1,200}`")
_BLOCK = re.compile(r"(?:^ {0,3}>[^\n]*(?:\n|\Z))+", re.M)
_QUOTED = re.compile(r'(?<!\w)"[^"\n]{1,1000}"')
# 'I can't,' he said: an apostrophe inside a word neither opens nor closes.
_SINGLE = re.compile(r"(?<![\w'])'(?=\w)(?:[^'\n]|'(?=\w)){1,400}?[.,!?…-]'(?!\w)")
# Runs of space and marks that are not the one plain space between words.
_LOOSE = re.compile(r"[\s*_~`#]{2,}|[^\S ]|[*_~`#]")
_WORD = re.compile(r"\w+")
_DRAFTS = Rulebook("detectors/drafts")
_LINE_END = re.compile(r"\n")
_INK = re.compile(r"[^\n]")
# A line of verse: short, no item of a list, no heading.
_VERSE = re.compile(r"[ \t*_]{0,4}[a-z'\"(][^\n]{8,72}")
_ENDED = re.compile(r"[.:;?!][\s*_\"']{0,4}$")
STANZA = 4  # lines
# A run of marks is tried at its first mark only: from every mark of a long run, work would grow with its square.
_SENTENCE_END = re.compile(r"(?<![.!?])[.!?]++[\"')\]]{0,2} |[。！？]|\n|[.!?]$")


class PreparedText:
    """The text for rules, and where each of its characters stands in the reply."""

    __slots__ = ("_here", "_there", "sentences", "starts", "text")

    def __init__(self, text: str, here: list[int], there: list[int]) -> None:
        self.text, self._here, self._there = text, here, there
        self.starts = _starts(text)
        self.sentences = _sentences(text)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the reply that a span of the prepared text stands for."""
        return self._at(start), self._at(end - 1) + 1

    def _at(self, position: int) -> int:
        piece = bisect_right(self._here, position) - 1
        return self._there[piece] + position - self._here[piece]


def _starts(text: str) -> dict[str, list[int]]:
    """Where each word begins, and where lines do."""
    starts: dict[str, list[int]] = {REPLY: [0]}
    for found in _WORD.finditer(text):
        starts.setdefault(found.group(), []).append(found.start())
    starts[LINE] = [0, *(found.end() for found in _LINE_END.finditer(text))]
    return starts


def _sentences(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences; a line is at least one."""
    spans, begin = [], 0
    for found in _SENTENCE_END.finditer(text):
        spans.append((begin, found.end()))
        begin = found.end()
    return [*spans, (begin, len(text))] if begin < len(text) else spans


def prepare(reply: str) -> PreparedText:
    text = _blank(reply.translate(_TABLE))
    at = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    pieces: list[str] = []
    here, there = [0], [at]
    size = 0

    def keep(piece: str, origin: int) -> None:
        nonlocal size
        if piece:
            here.append(size)
            there.append(origin)
            pieces.append(piece)
            size += len(piece)

    for found in _LOOSE.finditer(text, at, end):
        keep(text[at : found.start()], at)
        run, at = found.group(), found.end()
        if size and at < end:  # nothing is kept of the edges
            keep("\n" if "\n" in run or "\r" in run else " " if run.strip("*_~`#") else "", at - 1)
    keep(text[at:end], at)
    return PreparedText("".join(pieces), here, there)


def _blank(text: str) -> str:
    """The same text with blanks where another voice speaks."""
    whole = len(text.strip())

    def blanks(found: re.Match[str]) -> str:
        passage = found.group()
        if len(passage.strip()) == whole and (passage[0] != '"' or _DRAFTS["own"].match(passage)):
            return passage
        return _INK.sub(BLANK, passage)

    for pattern in (_FENCE, _BLOCK, _CODE, _QUOTED, _SINGLE):
        text = pattern.sub(blanks, text)  # a quotation that is the whole reply is the reply
    text = _blank_verse(text)
    addressed = _DRAFTS["addressed"].match(text)
    if addressed and not _DRAFTS["closing"].search(text, addressed.end()):
        addressed = None
    if letter := addressed or _DRAFTS["letter"].search(text):
        closing = _DRAFTS["closing"].search(text, letter.end())
        start, end = letter.start(), closing.end() if closing else len(text)
        text = text[:start] + _INK.sub(BLANK, text[start:end]) + text[end:]
    return _DRAFTS["draft"].sub(lambda draft: draft["lead"] + _INK.sub(BLANK, draft["said"]), text)


def _blank_verse(text: str) -> str:
    """The same text with blanks where at least four lines in a row are verse: short, and most do not end a sentence."""
    lines = text.split("\n")
    begin = 0
    for at in range(len(lines) + 1):
        if at < len(lines) and _VERSE.fullmatch(lines[at]):
            continue
        run = lines[begin:at]
        if len(run) >= STANZA and sum(_ENDED.search(line) is None for line in run) * 2 >= len(run):
            lines[begin:at] = [_INK.sub(BLANK, line) for line in run]
        begin = at + 1
    return "\n".join(lines)
