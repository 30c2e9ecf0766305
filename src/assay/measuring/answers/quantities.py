"""The number, share or confidence that a reply gives."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from .answer import SEVERAL, UNREAD, Answer
from .lines import lines_of
from .numbers import FoundNumber, numbers_in
from .patterns import pattern
from .reply import PlainReply

__all__ = ["read_confidence", "read_number", "read_share"]

PERCENT = 100.0
SIGN = "№"  # where a number begins, in patterns
BOUND = 40  # characters before a number that may make it a bound
_ALONE = re.compile(r"(?:Answer: [A-H]\s{1,4})?Confidence: ([2-9]|[1-9]\d|100)\s{0,9}")
_CURRENCY = "$€£ "


class _Given(NamedTuple):
    """A number that the reply declares, and how."""

    number: FoundNumber
    path: str


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
    found = numbers_in(reply.plain)
    single = [one for one in found if one is not None]
    given = sorted(_given(reply, kind, single), key=lambda one: one.number.start)
    if given:
        return _answer(reply, given[-1], meaning)
    digits = [one for one in single if not one.word]  # "one" is a pronoun more often than a number
    if len(digits) == 1 and kind != "confidence" and not _denied(reply, digits[0]):
        return _answer(reply, _Given(digits[0], "only"), meaning)
    return Answer(None, SEVERAL if len(digits) > 1 or len(found) > len(digits) else UNREAD)


def _given(reply: PlainReply, kind: str, numbers: list[FoundNumber]) -> Iterator[_Given]:
    """The numbers that are declared: in words, by markup, by their line."""
    at = {one.start: one for one in numbers}
    yield from _found(kind, "declared", reply.plain, at)
    if kind == "confidence":
        level = pattern("level")
        yield from (_Given(one, "declared") for one in numbers if level.match(reply.plain, one.end))
    else:
        yield from _found("boxed_number", "boxed", reply.text, at)
        yield from _found("tagged_number", "tagged", reply.text, at)
        yield from _from_lines(reply, numbers)


def _found(name: str, path: str, text: str, at: Mapping[int, FoundNumber]) -> Iterator[_Given]:
    """The numbers before which a pattern ends, with a sign where each number begins."""
    signs = list(text)
    for start in at:
        signs[start] = SIGN
    ends = (found.end() for found in pattern(name).finditer("".join(signs)))
    yield from (_Given(at[end], path) for end in ends if end in at)


def _from_lines(reply: PlainReply, numbers: list[FoundNumber]) -> Iterator[_Given]:
    """A first or last line that is no more than a number."""
    lines = lines_of(reply.plain)
    for line, path in zip((lines[:1], lines[-1:]), ("first_line", "final_line"), strict=True):
        inside = [one for one in numbers if line and line[0].start <= one.start < line[0].end]
        if len(inside) == 1:
            rest = reply.plain[line[0].start : inside[0].start] + reply.plain[inside[0].end : line[0].end]
            if not any(sign.isalnum() for sign in rest):
                yield _Given(inside[0], path if len(lines) > 1 else "bare")


def _denied(reply: PlainReply, one: FoundNumber) -> bool:
    """Whether a number is a bound, or denied: "at least 42"."""
    before = reply.plain[max(0, one.start - BOUND) : one.start].rstrip(_CURRENCY)
    return pattern("not_the_number").search(before) is not None


def _answer(reply: PlainReply, given: _Given, meaning: Callable[[FoundNumber], float | None]) -> Answer:
    value = meaning(given.number)
    if value is None or not math.isfinite(value):
        return Answer(None, UNREAD)
    return Answer(value, given.path, reply.given_span(given.number.start, given.number.end))
