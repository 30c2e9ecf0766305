"""Numbers in a text: digits with signs, separators, scales and percent, fractions, small number words."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["FoundNumber", "numbers_in"]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"
_WORDS = {word: float(value) for value, word in enumerate(_ONES.split())}
_WORDS |= {word: float(value) for word, value in zip(_TENS.split(), range(30, 101, 10), strict=True)}
_PARTS = {"half": 2.0, "halve": 2.0, "third": 3.0, "quarter": 4.0, "fifth": 5.0, "tenth": 10.0}
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
# Digits are taken whole or not at all, which keeps the search linear.
_DIGITS = r"(?> (?: \d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)? | \d+(?:\.\d+)? | \.\d+ ) (?:e[+-]?\d{1,3})? )"
_NUMBER = re.compile(
    rf"""
    (?<![\w.,]) (?P<sign> [-−–](?=[\d.$€£]) )? (?: [$€£] \s? )? (?P<digits> {_DIGITS} ) (?![\w,]*\d) (?!\.\d)
      (?: \s? (?P<scale> hundred|thousand|million|billion|trillion|bn|k|m )\b )?
      (?P<percent> \s? (?: % | percent\b | per\s?cent\b | pct\b ) )?
      (?: \s? (?:/|out\s+of|in) \s? (?P<whole> \d{{1,6}}(?:\.\d+)? ) (?![\w,]*\d) )?
    | \b (?P<part> a|one|two|three|four ) \s (?P<parts> half|halves|thirds?|quarters?|fifths?|tenths? )\b
    | \b (?P<word> {"|".join(_WORDS)} )\b
      (?: \s (?P<word_scale> hundred|thousand|million|billion )\b )?
      (?P<word_percent> \s (?:percent|per\s?cent)\b )?
    """,
    re.I | re.X,
)
_RANGE = re.compile(r"\s?(?:[-–—]|to|and|or|through|bis)\s?[$€£]?(?=\.?\d)", re.I)
_BETWEEN = re.compile(r"\b(?:between|from|either)\s*[$€£]?$", re.I)
BEFORE = 12  # characters before a number in which "between" may stand


class FoundNumber(NamedTuple):
    """A number and its place.

    ``whole`` is what it is a part of;
    ``bare`` are its digits where nothing says of what; ``word``: without digits.
    """

    value: float
    start: int
    end: int
    percent: bool = False
    whole: float | None = None
    bare: str = ""
    word: bool = False

    @property
    def ratio(self) -> float | None:
        """The part of the whole."""
        return self.value / self.whole if self.whole else None


def numbers_in(plain: str) -> list[FoundNumber | None]:
    """Every number of a text; None in place of a range, which is no number."""
    found: list[FoundNumber | None] = []
    matches = _NUMBER.finditer(plain)
    for match in matches:
        between = _BETWEEN.search(plain, max(0, match.start() - BEFORE), match.start())
        if between or _RANGE.match(plain, match.end()):
            found.append(None)
            next(matches, None)  # the other end of the range
        else:
            found.append(_number(match))
    return found


def _number(match: re.Match[str]) -> FoundNumber:
    place = match.span()
    if match["part"]:
        part, parts = match["part"].lower(), match["parts"].lower()
        whole = _PARTS.get(parts) or _PARTS[parts.removesuffix("s")]
        return FoundNumber(_WORDS.get(part, 1.0), *place, whole=whole, word=True)
    if match["word"]:
        value = _WORDS[match["word"].lower()] * _scale(match["word_scale"])
        return FoundNumber(value, *place, percent=bool(match["word_percent"]), word=True)
    value = float(match["digits"].replace(",", "")) * _scale(match["scale"])
    of = float(match["whole"]) if match["whole"] else None
    bare = "" if match["percent"] or of else match["digits"]
    return FoundNumber(-value if match["sign"] else value, *place, bool(match["percent"]), of, bare)


def _scale(word: str | None) -> float:
    return _SCALES[word.lower()] if word else 1.0
