"""The number, share or confidence that a reply gives."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from .answer import SEVERAL, UNREAD, Answer
from .lines import lines_of
from .numbers import FoundNumber, numbers_in
from .patterns import pattern
from .reply import PlainReply
from .stated_value import equation_result, stated_value

__all__ = ["read_confidence", "read_number", "read_share", "without_confidence"]

PERCENT = 100.0
SIGN = "№"  # where a number begins, in patterns
LINE, REST = 40, 400  # numbers and characters of a line that are looked at
BOUND = 40  # characters before a number that may make it a bound
_ALONE = re.compile(r"(?:Answer: [A-H]\s{1,4})?Confidence: ([2-9]|[1-9]\d|100)\s{0,9}")
_CURRENCY = "$€£ "
# An answer may follow in the line of the confidence.
_CONFIDENCE = re.compile(
    r"[ \t,;(|*_–-]{0,40}\bconfidence(?: level)?[*_ \t]{0,40}[:=](?:(?!\banswer[*_ \t]{0,4}[:=])[^\n])*", re.I
)


class _Given(NamedTuple):
    """A number that the reply declares, and how; None where the declaration is no one number."""

    number: FoundNumber | None
    path: str
    place: int
    weak: bool = False  # a range, which does not replace another declaration


def read_number(text: str) -> Answer:
    """The number that is declared last; the only one where there is just one; a range is no number."""
    return _read(text, "number", lambda one: one.value if one.whole is None else one.ratio)


def read_share(text: str) -> Answer:
    """A share between 0 and 1, from ``35 %``, ``35 percent``, ``0.35``, ``7/20`` or ``7 out of 20``.

    A bare number above 1 is a percentage. A bare 1 is none: it may be 1 % or all.
    """
    return _read(text, "share", _share)


def read_confidence(text: str, scale: float = PERCENT) -> Answer:
    """Stated confidence as a share of ``scale``: ``Confidence: 80``, ``80 % sure``, ``4/5``; no words."""

    if scale == PERCENT and (alone := _ALONE.fullmatch(text)) is not None and float(alone[1]) <= PERCENT:
        return Answer(float(alone[1]) / PERCENT, "declared", alone.span(1))  # as it would be found below

    def level(one: FoundNumber) -> float | None:
        if one.percent or one.whole is not None or scale == PERCENT:
            return _share(one)
        return one.value / scale if 0 <= one.value <= scale else None

    return _read(text, "confidence", level)


def without_confidence(text: str) -> str:
    """A reply without its stated confidence, whose number would be read as an answer."""
    return _CONFIDENCE.sub("", text)


def _share(one: FoundNumber) -> float | None:
    if one.whole is not None:
        value = one.ratio
    elif one.bare == "1":
        return None
    else:
        value = one.value / PERCENT if one.percent or one.value > 1 else one.value
    return value if value is not None and 0 <= value <= 1 else None


def _read(text: str, kind: str, meaning: Callable[[FoundNumber], float | None]) -> Answer:
    reply = PlainReply(text)
    found = numbers_in(reply.plain, reply.text)
    given = sorted(_given(reply, kind, found), key=lambda one: one.place)
    if given:
        strong = [one for one in given if not one.weak]
        return _answer(reply, (strong or given)[-1], meaning)
    if kind == "number" and (result := equation_result(reply, found)) is not None:
        return _answer(reply, _Given(result, "bare", result.start), meaning)
    digits = [one for one in found if not one.word and not one.ranged]  # "one" is a pronoun more often
    if len(digits) == 1 and not digits[0].several and kind != "confidence" and not _denied(reply, digits[0]):
        return _answer(reply, _Given(digits[0], "only", digits[0].start), meaning)
    return Answer(None, SEVERAL if len(digits) > 1 or len(found) > len(digits) else UNREAD)


def _given(reply: PlainReply, kind: str, found: list[FoundNumber]) -> Iterator[_Given]:
    """The numbers that are declared: in words, by markup, by their line."""
    numbers = [one for one in found if not one.several]
    if kind == "confidence":
        at = {one.start: one for one in numbers}
        for place in _places(kind, reply.plain, at):
            yield _Given(at[place], "declared", place)
        level = pattern("level")
        yield from (
            _Given(one, "declared", one.start) for one in numbers if level.match(reply.plain, one.end)
        )
        return
    index = {one.start: place for place, one in enumerate(found)}
    for name, path, closed in (
        (kind, "declared", "\n"),
        ("boxed_number", "boxed", "\n}"),
        ("tagged_number", "tagged", "\n<"),
    ):
        for place in _places(name, reply.plain if path == "declared" else reply.text, index):
            first = index[place]
            end = _end(reply.text, found[first].end, closed)
            value = stated_value(reply, found[first : first + LINE], end, of_percent=kind == "share")
            weak = value is None and found[first].several
            if not weak or reply.text[place - 1 : place] != "(":  # "(0-100)" says what is asked for
                yield _Given(value, path, place if value is None else value.start, weak)
    yield from _from_lines(reply, numbers)


def _places(name: str, text: str, starts: Collection[int]) -> Iterator[int]:
    """Where a pattern ends before a number, with a sign where each number begins."""
    signs = list(text)
    for start in starts:
        signs[start] = SIGN
    ends = (found.end() for found in pattern(name).finditer("".join(signs)))
    yield from (end for end in ends if end in starts)


def _end(text: str, start: int, closed: str) -> int:
    """Where the line or the box ends that a declaration stands in."""
    last = min(start + REST, len(text))
    ends = [text.find(sign, start, last) for sign in closed]
    return min((end for end in ends if end >= 0), default=last)


def _from_lines(reply: PlainReply, numbers: list[FoundNumber]) -> Iterator[_Given]:
    """A first or last line that is no more than a number."""
    lines = lines_of(reply.plain)
    for line, path in zip((lines[:1], lines[-1:]), ("first_line", "final_line"), strict=True):
        inside = [one for one in numbers if line and line[0].start <= one.start < line[0].end]
        if len(inside) == 1:
            rest = reply.plain[line[0].start : inside[0].start] + reply.plain[inside[0].end : line[0].end]
            if not any(sign.isalnum() for sign in rest):
                yield _Given(inside[0], path if len(lines) > 1 else "bare", inside[0].start)


def _denied(reply: PlainReply, one: FoundNumber) -> bool:
    """Whether a number is a bound, or denied: "at least 42"."""
    before = reply.plain[max(0, one.start - BOUND) : one.start].rstrip(_CURRENCY)
    return pattern("not_the_number").search(before) is not None


def _answer(reply: PlainReply, given: _Given, meaning: Callable[[FoundNumber], float | None]) -> Answer:
    if given.number is None:
        return Answer(None, SEVERAL)
    value = meaning(given.number)
    if value is None or not math.isfinite(value):
        return Answer(None, UNREAD)
    return Answer(value, given.path, reply.given_span(given.number.start, given.number.end))
