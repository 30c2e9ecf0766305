"""The value that a declaring line states: "48 x 15 = 720" is 720, "1 hour 20 minutes" is no one number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from .numbers import FoundNumber
from .patterns import pattern
from .reply import PlainReply

__all__ = ["equation_result", "stated_value"]

JOINED = 60  # characters between two numbers of one formula
_UNIT = r"[\s)\]%°]{0,3}(?:(?<=\s)[a-z]{1,15}(?:\s|(?=[=≈)])|$)){0,3}[\s)\]]{0,2}"
_OPERATOR = re.compile(
    rf"{_UNIT}(?:[x×*·⋅+÷/−–-]|\\?times|\\cdot|plus|minus|(?:divided|multiplied)\sby)[\s(\[$€£]{{0,4}}", re.I
)
_EQUALS = re.compile(
    rf"(?!.{{0,60}}\b[a-z]\s?[=≈]){_UNIT}[*$]{{0,4}}[=≈]"
    r"[\s*$€£(\[~≈{]{0,8}(?:(?:about|approximately|roughly|around|exactly)\s)?[\s*$€£~≈]{0,4}",
    re.I,
)
_BRACKETS = re.compile(r"\([^()\n]{0,200}\)")
_OF = re.compile(r"\s?of\s[$€£\s]{0,2}", re.I)

_TERM = r"\d[\d,.]{0,30}"
_EQUATION = re.compile(
    rf"\s*{_TERM}(?:(?:\s*(?:[x×*·⋅+÷/]|\\times|\\cdot)\s*|\s[−–-]\s){_TERM}){{1,20}}\s*=\s*"
    rf"(?P<result>[−–-]?{_TERM}(?<=\d))\s*\.?\s*"
)


def equation_result(reply: PlainReply, numbers: Sequence[FoundNumber]) -> FoundNumber | None:
    """The last number of a reply that is one equation of figures, without a word: "48 x 15 = 720"."""
    found = _EQUATION.fullmatch(reply.plain)
    if found is None or not numbers or numbers[-1].several:
        return None
    return numbers[-1] if (numbers[-1].start, numbers[-1].end) == found.span("result") else None


def stated_value(
    reply: PlainReply, numbers: Sequence[FoundNumber], end: int, *, of_percent: bool
) -> FoundNumber | None:
    """What the declaration that begins with the first of ``numbers`` states before ``end``; None: no one value.

    The value is what stands after the last ``=``. ``of_percent``: whether "50 % of 80" is 50 %.
    """
    inside = [one for one in numbers if one.start < end]
    value, last = _of_formula(reply, inside)
    if value is None:
        return None
    after = inside[last].end
    others = [one for one in inside[last + 1 :] if _counts(reply, value, one)]
    if not others:
        return value
    if not of_percent and value.percent and _OF.fullmatch(reply.plain, value.end, others[0].start):
        return None
    return None if _in_doubt(reply.plain[after:end], [one.start - after for one in others]) else value


def _of_formula(reply: PlainReply, inside: list[FoundNumber]) -> tuple[FoundNumber | None, int]:
    """The last side of an equation that is one number, and the place of the last number of the equation."""
    value: FoundNumber | None = None
    side = [inside[0]]
    place = 0
    for place, one in enumerate(inside[1:], 1):
        between = reply.text[inside[place - 1].end : one.start]
        if len(between) > JOINED:
            break
        if pattern("aside").search(between) is None and _EQUALS.fullmatch(between):
            value, side = _later(value, _only(side)), [one]
        elif _OPERATOR.fullmatch(between):
            side.append(one)
        else:
            break
    else:
        place = len(inside)
    return _later(value, _only(side)), max(place - 1, 0)


def _later(value: FoundNumber | None, side: FoundNumber | None) -> FoundNumber | None:
    """The later side, unless it only writes a percentage as a share: "75 % = 0.75"."""
    if value is None or side is None:
        return side or value
    return value if _same(value, side) else side


def _same(value: FoundNumber, other: FoundNumber) -> bool:
    return other.value == value.value or (value.percent and math.isclose(other.value * 100, value.value))


def _only(side: list[FoundNumber]) -> FoundNumber | None:
    return side[0] if len(side) == 1 and not side[0].several else None


def _counts(reply: PlainReply, value: FoundNumber, other: FoundNumber) -> bool:
    """Whether another number of the line may be the answer as well: no repetition, no confidence, no pronoun."""
    if _same(value, other):
        return False
    if other.word and other.whole is None and (not value.word or other.value == 1):
        return False
    return pattern("level").match(reply.plain, other.end) is None


def _in_doubt(rest: str, others: list[int]) -> bool:
    """Whether the rest of the line goes on to another value; ``others`` are the places of its numbers."""
    rest = _BRACKETS.sub(lambda found: " " * len(found[0]), rest)
    others = [place for place in others if not rest[place : place + 1].isspace()]
    if not others:
        return False
    again = pattern("number_again").search(rest)
    if again is not None and others[-1] >= again.end():
        return True
    ended = pattern("number_ended").search(rest)
    stop = len(rest) if ended is None else ended.start()
    near = [place for place in others if place < stop]
    if not near:
        return False
    onward = pattern("onward").search(rest, 0, near[-1])
    aside = pattern("aside").search(rest, 0, near[0])
    return onward is not None or aside is None or pattern("in_all").search(rest, near[0], stop) is not None
