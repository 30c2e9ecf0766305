"""What a reply says: the choice and the confidence by the kit's readers, five numbers, or four times yes or no."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from assay.instruments.recognition.signature import DIMENSIONS, Version, highest, tercile
from assay.measuring.answers import SEVERAL, read_choice, read_confidence, without_confidence
from assay.measuring.layouts import LETTERS

from .prompts import CHARACTERISTICS

__all__ = [
    "HIGHEST",
    "ChoiceReply",
    "characteristics_of",
    "explanation_of",
    "read_characteristics",
    "read_estimates",
    "read_lineup_reply",
    "read_source_reply",
    "terciles_of",
]

HIGHEST = 5  # of the confidence
TERCILES = ("low", "middle", "high")
LONGEST_LINE = 200  # characters behind a name in which its value is looked for
_ANSWER_LINE = re.compile(r"(?mi)^[ \t*_#>-]{0,10}(?:answer|confidence)\b[^\n]{0,40}$\n?")
_PART = re.compile(r"\bresponse_([a-t])\b", re.I)  # as the fence calls a text
_NAMED = re.compile(r"(?mi)^[ \t*_#>-]{0,10}answer[*_ \t]{0,4}[:=]([^\n]{1,200})")
_NUMBER = re.compile(r"[-−]?(?:\d+(?:[.,]\d+)*|[.,]\d+)(?:e[+-]?\d+)?", re.I)
_READABLE = re.compile(r"(?:\d{1,9}(?:[.,]\d{1,18})?|[.,]\d{1,18})(?:e[+-]?\d{1,2})?", re.I)
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
    said = _PART.sub(lambda part: f"Response {part[1].upper()}", without_confidence(text))
    found = read_choice(said, tuple(letters))
    stated = read_confidence(text, HIGHEST).value
    level = None if stated is None else float(stated) * HIGHEST
    return ChoiceReply(
        None if found.value is None else letters.index(str(found.value)) + 1,
        found.path,
        level if level is not None and 1 <= level <= HIGHEST else None,
    )


def read_source_reply(text: str, sources: Sequence[str]) -> ChoiceReply:
    """The same where options have names: one may be answered by its name, which a reader of letters takes for none. A
    letter beside the name of another option is no answer."""
    plain, said = read_lineup_reply(text, len(sources)), without_confidence(text)
    places = {name.casefold(): place for place, name in enumerate(sources, 1)}
    for answer in reversed(_NAMED.findall(said)):
        name = answer.strip(" \t*_\"'“”().").casefold()
        letter, _, rest = name.partition(" ")
        letter = letter.strip(".):")
        lettered = places.get(rest.strip(" *_\"'“”()."), 0) if len(letter) == 1 else 0
        if lettered and letter.isalpha() and letter.upper() != LETTERS[lettered - 1]:
            return ChoiceReply(None, SEVERAL, plain.confidence)
        if place := places.get(name) or lettered:
            return ChoiceReply(place, "named", plain.confidence)
    if plain.choice is None:
        return plain
    beside = _names_beside(said, LETTERS[plain.choice - 1], sources)
    if beside <= {sources[plain.choice - 1].casefold()}:
        return plain
    return ChoiceReply(None, SEVERAL, plain.confidence)


def _names_beside(text: str, letter: str, names: Sequence[str]) -> set[str]:
    """The options' names that stand beside a letter: ``B. Name``, ``B (Name)``, ``Name (B)``. Without a mark between
    them A and I are words."""
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    mark = r"[ \t]*[.):,;(\[\]*_\"'“”=–—-][.):,;(\[\]*_\"'“”=–—\- \t]{0,6}"
    blank = "" if letter in "AI" else r"|[ \t]+"
    behind = rf"(?<!\w){letter}(?:{mark}{blank})((?i:{either}))(?!\w)"
    before = rf"(?<!\w)((?i:{either}))[*_\"'“” \t]{{0,4}}[(\[][*_ \t]{{0,4}}{letter}[*_. \t]{{0,4}}[)\]]"
    return {name.casefold() for pattern in (behind, before) for name in re.findall(pattern, text)}


def explanation_of(text: str) -> str:
    """A reply without the lines of its answer and its confidence."""
    return _ANSWER_LINE.sub("", text).strip()


def _said(text: str, name: str, value: re.Pattern[str]) -> list[str]:
    """The values that stand behind a name on its line, in the last line that has any."""
    found: list[str] = []
    marks = r"[*_\"'` \t]{0,4}(?:[:=–—-]|\(|is\b)"
    for at in re.finditer(r"[ -]".join(map(re.escape, name.split())) + marks, text, re.I):
        line = text[at.end() : at.end() + LONGEST_LINE].partition("\n")[0]
        found = value.findall(line.lower()) or found
    return found


def read_estimates(text: str, version: Version) -> list[float | None]:
    """The five numbers of an estimated signature. What no signature can have is none, and so is what is no plain
    number as a whole."""
    found = [_said(text, name, _NUMBER)[:1] for name in DIMENSIONS]
    return [_estimate(said, most) for said, most in zip(found, highest(version), strict=True)]


def _estimate(said: Sequence[str], most: float) -> float | None:
    value = float(said[0].replace(",", ".")) if said and _READABLE.fullmatch(said[0]) else None
    return value if value is not None and value <= most else None


def terciles_of(vector: Sequence[float | None], version: Version) -> list[int | None]:
    """The third of the reference corpus, 1 to 3, in which each number lies."""
    each = zip(DIMENSIONS, vector, strict=True)
    return [
        None if value is None else TERCILES.index(tercile(version, name, value)) + 1 for name, value in each
    ]


def read_characteristics(text: str) -> list[int | None]:
    """1 for yes, 2 for no, of every characteristic; both on one line are none."""
    said = [{*_said(text, name, _YES_NO)} for name in CHARACTERISTICS]
    return [None if len(one) != 1 else 1 if one == {"yes"} else 2 for one in said]


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
