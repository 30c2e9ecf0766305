"""What a reply says: the choice and the confidence by the kit's readers, five numbers, or four times yes or no."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from assay.instruments.recognition.signature import DIMENSIONS, Version, tercile
from assay.measuring.answers import read_choice, read_confidence, without_confidence
from assay.measuring.layouts import LETTERS

from .prompts import CHARACTERISTICS

__all__ = [
    "HIGHEST",
    "ChoiceReply",
    "characteristics_of",
    "explanation_of",
    "read_characteristics",
    "read_lineup_reply",
    "read_terciles",
    "true_terciles",
]

HIGHEST = 5  # of the confidence
TERCILES = ("low", "middle", "high")
LONGEST_GAP = 40  # characters between a name and its value
_ANSWER_LINE = re.compile(r"(?mi)^[ \t*_#>-]{0,10}(?:answer|confidence)\b[^\n]{0,40}$\n?")
_NUMBER = re.compile(r"[-−]?\d{1,9}(?:[.,]\d{1,9})?")
_LIST = re.compile(r"(?m)^[ \t]{0,8}(?:[-*•–]|\d{1,3}[.)])[ \t]+\S")
_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)\b")
_SENTENCE = re.compile(r"[.!?](?=\s|$)|\n")
_YES_NO = re.compile(r"\b(yes|no)\b", re.I)


class ChoiceReply(Struct, frozen=True):
    """``choice`` is a place from 1, None where the reply declares none."""

    choice: int | None
    path: str
    confidence: float | None


def read_lineup_reply(text: str, options: int) -> ChoiceReply:
    letters = LETTERS[:options]
    found = read_choice(without_confidence(text), tuple(letters))
    stated = read_confidence(text, HIGHEST).value
    level = None if stated is None else float(stated) * HIGHEST
    return ChoiceReply(
        None if found.value is None else letters.index(str(found.value)) + 1,
        found.path,
        level if level is not None and 1 <= level <= HIGHEST else None,
    )


def explanation_of(text: str) -> str:
    """A reply without the lines of its answer and its confidence."""
    return _ANSWER_LINE.sub("", text).strip()


def _said(text: str, name: str, value: re.Pattern[str]) -> str | None:
    """What stands last behind a name, on its line."""
    found = None
    for at in re.finditer(re.escape(name), text, re.I):
        line = text[at.end() : at.end() + LONGEST_GAP].partition("\n")[0]
        given = value.search(line)
        found = given[0] if given else found
    return found


def read_terciles(text: str, version: Version) -> list[int | None]:
    """The third of the reference corpus, 1 to 3, in which each estimate lies."""
    found = [_said(text, name, _NUMBER) for name in DIMENSIONS]
    return [
        None if said is None else _third(version, name, float(said.replace("−", "-").replace(",", ".")))
        for name, said in zip(DIMENSIONS, found, strict=True)
    ]


def _third(version: Version, name: str, value: float) -> int:
    return TERCILES.index(tercile(version, name, value)) + 1


def true_terciles(vector: Sequence[float], version: Version) -> list[int]:
    return [_third(version, name, value) for name, value in zip(DIMENSIONS, vector, strict=True)]


def read_characteristics(text: str) -> list[int | None]:
    """1 for yes, 2 for no, of every characteristic."""
    said = [_said(text, f"{name}:", _YES_NO) for name in CHARACTERISTICS]
    return [None if one is None else 1 if one.lower() == "yes" else 2 for one in said]


def characteristics_of(text: str, words: int) -> list[int]:
    """What a text is like, in the same form."""
    first = _SENTENCE.split(text.strip(), maxsplit=1)[0]
    facts = (
        len(text.split()) > words,
        "?" in text,
        _LIST.search(text) is not None,
        _FIRST_PERSON.search(first) is not None,
    )
    return [1 if fact else 2 for fact in facts]
