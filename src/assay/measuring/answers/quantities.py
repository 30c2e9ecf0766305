"""The number, share or confidence that a reply gives."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple

from .answer import SEVERAL, UNREAD, Answer
from .reply import Reply

__all__ = ["read_confidence", "read_number", "read_share"]

_WORDS = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
_WORDS |= dict(
    zip(
        ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred"],
        range(30, 101, 10),
        strict=True,
    )
)
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
}
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?"
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−–](?=[\d.$€£]))?[$€£]?\s?(?P<digits>{_DIGITS})(?![\w,]*\d)(?!\.\d)"
    r"(?:\s?(?P<scale>hundred|thousand|million|billion|trillion|bn|k|m)\b)?"
    r"(?P<percent>\s?(?:%|percent\b|per\s?cent\b|pct\b))?"
    r"(?P<of>\s?(?:/|out\s+of|in)\s?(?P<whole>\d{1,6}(?:\.\d+)?)(?![\w,]*\d))?"
    rf"|\b(?P<part>a|one|two|three|four)\s(?P<parts>half|halves|thirds?|quarters?|fifths?|tenths?)\b"
    rf"|\b(?P<word>{'|'.join(_WORDS)})\b(?:\s(?P<word_scale>hundred|thousand|million|billion)\b)?(?P<word_percent>\s(?:percent|per\s?cent)\b)?",
    re.I,
)
_ABOUT = r"(?:[\s:,=\"'(\[]|\b(?:about|approximately|around|roughly|nearly|almost|exactly|only|just|the|a|an|some|probably|likely|therefore|thus|of|at|be|would|approx|circa|ca|us|usd|eur)\b\.?|[~≈±<>]){0,10}"
_HEADS = {
    "number": r"\b(?:final\s+answer|answers?|result|estimate|guess|total|solution|value|prediction|bid|offer|price|amount|number|count|rating|score)\b",
    "share": r"\b(?:final\s+answer|answers?|result|estimate|guess|share|percentage|proportion|fraction|probability|chance|likelihood|rate|odds|prediction)\b",
    "confidence": r"\b(?:confidence|certainty|sureness|confident|certain|sure)\b",
}
_IS = r"(?:[^.!?\n:=\d]{0,60}?(?::|=|\bis\b|\bare\b|\bwould\s+be\b|\bof\b|\bat\b|→|->)|\s*\()"
_RANGE_AFTER = re.compile(rf"\s?(?:[-–—]|to|and|or|through|bis)\s?[$€£]?(?={_DIGITS})", re.I)
_BETWEEN = re.compile(r"\b(?:between|from|either)\s*[$€£]?$", re.I)
_NEGATED = re.compile(
    r"\b(?:not|n't|never|more\s+than|less\s+than|fewer\s+than|at\s+least|at\s+most|up\s+to|over|under|if|suppose)\W*$",
    re.I,
)
_BOXED = re.compile(r"\\boxed\s*\{")
_TAGGED = re.compile(r"<(?:final[_ -]?)?answer>", re.I)
_LEVEL = re.compile(r"\s*(?:confident|certain|sure|confidence|certainty)\b", re.I)


class _Found(NamedTuple):
    value: float
    start: int
    end: int
    percent: bool
    whole: float | None
    bare: str  # the digits, where nothing says of what
    word: bool = False


def read_number(text: str) -> Answer:
    """The number that is declared last; the only one where there is just one; a range is no number."""
    return _read(text, "number", lambda one: one.value if one.whole is None else _ratio(one))


def read_share(text: str) -> Answer:
    """A share between 0 and 1, from ``35 %``, ``35 percent``, ``0.35``, ``7/20`` or ``7 out of 20``.

    A bare number above 1 is a percentage. A bare 1 is none: it may be 1 % or all.
    """
    return _read(text, "share", _share)


def read_confidence(text: str, scale: float = 100.0) -> Answer:
    """Stated confidence as a share of ``scale``: ``Confidence: 80``, ``80 % sure``, ``4/5``; words alone are none."""

    def level(one: _Found) -> float | None:
        if one.percent or one.whole is not None or scale == 100.0:
            return _share(one)
        return one.value / scale if 0 <= one.value <= scale else None

    return _read(text, "confidence", level)


def _read(text: str, kind: str, meaning: Callable[[_Found], float | None]) -> Answer:
    reply = Reply(text)
    numbers = list(_numbers(reply.plain))
    single = [one for one in numbers if one is not None]
    declared: list[tuple[int, str, _Found | None]] = []
    head = re.compile(rf"{_HEADS[kind]}[\"'\])]?(?:\s*\([^()\n]{{0,40}}\))?{_IS}{_ABOUT}$", re.I)
    for one in single:
        before = reply.plain[max(0, one.start - 140) : one.start]
        if head.search(before) and not _NEGATED.search(before.rstrip("$€£ ")):
            declared.append((one.start, "declared", one))
        if kind == "confidence" and _LEVEL.match(reply.plain, one.end):
            declared.append((one.start, "declared", one))
        for path, mark in (("boxed", _BOXED), ("tagged", _TAGGED)):
            near = reply.text[max(0, one.start - 30) : one.start]
            found = None
            for found in mark.finditer(near):
                pass
            if found is not None and not re.search(r"[\d}]", near[found.end() :]):
                declared.append((one.start, path, one))
    lines = [line for line in re.compile(r"[^\n]+").finditer(reply.plain) if line[0].strip()]
    if lines and kind != "confidence":
        for line, path in ((lines[0], "first_line"), (lines[-1], "final_line")):
            inside = [one for one in numbers if one is not None and line.start() <= one.start < line.end()]
            if len(inside) == 1 and not re.sub(
                r"[\W_]", "", line[0].replace(reply.plain[inside[0].start : inside[0].end], "")
            ):
                declared.append((inside[0].start, path if len(lines) > 1 else "bare", inside[0]))
    declared.sort(key=lambda found: found[0])
    if declared:
        _, path, last = declared[-1]
        assert last is not None
        return _answer(reply, last, path, meaning)
    single = [one for one in single if not one.word]  # "one" is a pronoun more often than a number
    if (
        len(single) == 1
        and kind != "confidence"
        and not _NEGATED.search(reply.plain[: single[0].start].rstrip("$€£ "))
    ):
        return _answer(reply, single[0], "only", meaning)
    return Answer(None, SEVERAL if len(single) > 1 or len(numbers) > len(single) else UNREAD)


def _answer(reply: Reply, one: _Found, path: str, meaning: Callable[[_Found], float | None]) -> Answer:
    value = meaning(one)
    if value is None or not math.isfinite(value):
        return Answer(None, UNREAD)
    return Answer(value, path, reply.given_span(one.start, one.end))


def _numbers(plain: str) -> list[_Found | None]:
    """Every number of a text; None in place of a range."""
    found: list[_Found | None] = []
    skip = -1
    for match in _NUMBER.finditer(plain):
        if match.start() < skip:
            continue
        ranged = _RANGE_AFTER.match(plain, match.end())
        if ranged is not None or _BETWEEN.search(plain, max(0, match.start() - 12), match.start()):
            following = _NUMBER.search(plain, match.end())
            skip = following.end() if following is not None else len(plain)
            found.append(None)
            continue
        found.append(_value(match))
    return found


def _value(match: re.Match[str]) -> _Found:
    if match["part"]:
        count = {"a": 1}.get(match["part"].lower()) or _WORDS[match["part"].lower()]
        parts = match["parts"].lower()
        of = _PARTS.get(parts) or _PARTS[parts.removesuffix("s")]
        return _Found(float(count), match.start(), match.end(), False, float(of), "", True)
    if match["word"]:
        value = float(_WORDS[match["word"].lower()]) * _SCALES.get((match["word_scale"] or "").lower(), 1.0)
        return _Found(value, match.start(), match.end(), bool(match["word_percent"]), None, "", True)
    value = float(match["digits"].replace(",", "")) * _SCALES.get((match["scale"] or "").lower(), 1.0)
    if match["sign"]:
        value = -value
    whole = float(match["whole"]) if match["whole"] else None
    percent = bool(match["percent"])
    return _Found(
        value, match.start(), match.end(), percent, whole, "" if percent or whole else match["digits"]
    )


def _ratio(one: _Found) -> float | None:
    return one.value / one.whole if one.whole else None


def _share(one: _Found) -> float | None:
    if one.whole is not None:
        value = _ratio(one)
    elif one.percent:
        value = one.value / 100
    elif one.bare == "1":
        return None
    else:
        value = one.value if one.value <= 1 else one.value / 100
    return value if value is not None and 0 <= value <= 1 else None
