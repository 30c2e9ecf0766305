"""Numbers in a text: digits with signs, separators, scales and percent, fractions, small number words."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

__all__ = ["FoundNumber", "numbers_in"]

_ONES = "one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: float(value) for value, word in enumerate(f"zero {_ONES} {_TEENS}".split())}
_WORDS |= {word: float(value) for word, value in zip(_TENS.split(), range(20, 100, 10), strict=True)}
_PARTS = {"half": 2.0, "halve": 2.0, "third": 3.0, "quarter": 4.0, "fifth": 5.0, "tenth": 10.0}
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "mn": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
}
# Digits are taken whole or not at all, which keeps the search linear. Groups of three are joined by a comma, a blank,
# a thin blank or an apostrophe, always by the same; " , " is the comma of a formula without its braces.
_DIGITS = r"""(?> (?: \d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?
    | [1-9]\d{0,2}(?P<joint>\ ,\ |[\ '\u2009\u202f])\d{3}(?!\d)(?:(?P=joint)\d{3}(?!\d))*(?:\.\d+)?
    | \d+(?:\.\d+)? | \.\d+ ) (?:e[+-]?\d{1,3})? )"""
_SMALL = "|".join(_WORDS)
_TWO_WORDS = rf"(?: (?:{_TENS.replace(' ', '|')}) [\s-] (?:{_ONES.replace(' ', '|')}) | {_SMALL} )\b"
_THREE_WORDS = rf"(?: (?: (?:{_SMALL}) \s )? hundred\b (?: \s (?:and\s)? {_TWO_WORDS} )? | {_TWO_WORDS} )"
_MORE_WORDS = rf"(?: \s (?:and\s)? {_THREE_WORDS} )"
_SCALE_WORDS = r"(?: \s (?:thousand|million|billion)\b )"
_NUMBER = re.compile(
    rf"""
    (?<![\w.,]) (?P<sign> [-−–](?=[\d.$€£]) )? (?: [$€£] \s? )? (?P<digits> {_DIGITS} ) (?![\w,]*\d) (?!\.\d)
      (?: \s? (?P<scale> hundred|thousand|million|billion|trillion|bn|mn|k|m )\b )?
      (?P<percent> \s? (?: % | percent\b | per\s?cent\b | pct\b ) )?
      (?: \s? (?:/|out\s+of|in) \s? (?P<whole> \d{{1,6}}(?:\.\d+)? ) (?![\w,]*\d) )?
    | \b (?P<part> a|one|two|three|four ) [\s-] (?P<parts> half|halves|thirds?|quarters?|fifths?|tenths? )\b
    | \b (?P<words> {_THREE_WORDS}
        (?: {_SCALE_WORDS} (?: {_MORE_WORDS} (?: {_SCALE_WORDS} {_MORE_WORDS}? )? )? )? )
      (?P<word_percent> \s (?:percent|per\s?cent)\b )?
    """,
    re.I | re.X,
)
_GROUPED = re.compile(r"[\s,'\u2009\u202f]")
_RANGE = re.compile(r"\s?(?:[-–—]|to|and|or|through|bis)\s?[$€£]?(?=\.?\d)", re.I)
_POWER_OR_TIME = re.compile(r"\s?\^[\s(]{0,2}|[⁰¹²³⁴-⁹]|:(?=\d)")
_BETWEEN = re.compile(r"(?:\b(?:between|from|either)|\\[dt]?frac)\s*[$€£]?$", re.I)
_TIMES = re.compile(r"\b(?:half(?:\s(?:of|an?))?|twice|double|triple)\s*[$€£]?$", re.I)
_CURRENCY = re.compile(r"[$€£]\s?$")
BEFORE = 12  # characters before a number in which "between" may stand


class FoundNumber(NamedTuple):
    """A number and its place.

    ``whole`` is what it is a part of;
    ``bare`` are its digits where nothing says of what; ``word``: without digits.
    ``several``: a range, a power, a time or the like, which is not one value that is written out; ``ranged``: a range.
    """

    value: float
    start: int
    end: int
    percent: bool = False
    whole: float | None = None
    bare: str = ""
    word: bool = False
    several: bool = False
    ranged: bool = False

    @property
    def ratio(self) -> float | None:
        """The part of the whole."""
        return self.value / self.whole if self.whole else None


def numbers_in(plain: str, text: str) -> list[FoundNumber]:
    """Every number of a plain text; ``text`` is the same with its markup, where a sign of currency may be."""
    found: list[FoundNumber] = []
    matches = list(_NUMBER.finditer(plain))
    place = 0
    while place < len(matches):
        first = last = matches[place]
        place += 1
        low = max(0, first.start() - BEFORE)
        several = _TIMES.search(plain, low, first.start()) is not None
        ranged = not several
        if _BETWEEN.search(plain, low, first.start()):
            several, last = True, matches[min(place, len(matches) - 1)]  # the other end of the range
            place += 1
        while joint := _RANGE.match(plain, last.end()) or _POWER_OR_TIME.match(plain, last.end()):
            several, ranged = True, ranged and joint.re is _RANGE
            if place >= len(matches) or matches[place].start() > joint.end() + 1:
                break
            last = matches[place]
            place += 1
        if several:
            found.append(FoundNumber(math.nan, first.start(), last.end(), several=True, ranged=ranged))
        else:
            found.append(_number(first, text))
    return found


def _number(match: re.Match[str], text: str) -> FoundNumber:
    place = match.span()
    if match["part"]:
        part, parts = match["part"].lower(), match["parts"].lower()
        whole = _PARTS.get(parts) or _PARTS[parts.removesuffix("s")]
        return FoundNumber(_WORDS.get(part, 1.0), *place, whole=whole, word=True)
    if match["words"]:
        return FoundNumber(_of_words(match["words"]), *place, percent=bool(match["word_percent"]), word=True)
    value = float(_GROUPED.sub("", match["digits"]))
    sign = -1.0 if match["sign"] else 1.0
    if match["scale"] == "m" and not _of_money(match, text):  # minutes or metres
        return FoundNumber(sign * value, match.start(), match.end("digits"), bare=match["digits"])
    of = float(match["whole"]) if match["whole"] else None
    bare = "" if match["percent"] or of else match["digits"]
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 1.0
    return FoundNumber(sign * value * scale, *place, bool(match["percent"]), of, bare)


def _of_money(match: re.Match[str], text: str) -> bool:
    """Whether a sign of currency stands before a number; one after it as well is a formula: "$5 m$"."""
    start, end = match.start("digits"), match.end("scale")
    return _CURRENCY.search(text, max(0, start - 2), start) is not None and text[end : end + 1] != "$"


def _of_words(said: str) -> float:
    """The value of number words: "seven hundred and twenty"."""
    whole = part = 0.0
    for word in re.split(r"[\s-]+", said.lower()):
        if word == "hundred":
            part = (part or 1.0) * _SCALES[word]
        elif word in _SCALES:
            whole, part = whole + part * _SCALES[word], 0.0
        else:
            part += _WORDS.get(word, 0.0)  # "and" adds nothing
    return whole + part
