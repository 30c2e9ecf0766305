"""Subjects of known truth for recognition: each writes in a manner of its own and reads lineups as any subject does."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from msgspec import Struct

from assay.errors import InputError
from assay.streams import Stream

__all__ = ["MAKER", "NAME", "REFERENCES", "Author"]

NAME, MAKER = "Veldt", "Ostrava Labs"  # what `leaking` writes into its texts
LEFT = 0.6  # what each turn of recovery leaves of a drift
FOUND, GUESSED = "It sounds like my own voice.", "I cannot tell them apart, so I guess."
_OPENER = re.compile(r"(?:^|[.!?]\s+)([A-Z]\w+),\s")
_SENTENCE = re.compile(r"[.!?](?=\s|$)")
_HEDGE = re.compile(r"\b(?:perhaps|maybe|possibly|cannot|boundary|unable)\b")
_OPTION = re.compile(r"(?m)^([A-Z])\. \S")

Style = Literal["plain", "long", "named", "rich", "capitals"]
Rule = Literal["own", "guess", "first", "longest", "name", "richest", "capitals"]


@cache
def _clauses(kind: str) -> tuple[str, ...]:
    from .signature import data_file

    return tuple(data_file("reference_texts.json")[kind])


def _in_capitals(text: str) -> bool:
    return sum(map(str.isupper, text)) > sum(map(str.islower, text))


class Author(Struct, frozen=True):
    """``rule`` is what it looks for in a lineup; it takes the text that it finds with probability ``p``, else another.

    Its sentences begin with ``manner``. Under challenge the share ``moves`` of them is hedged, and less in every turn
    of recovery. ``sure`` and ``unsure`` are the confidences in a text that it found and in any other.
    """

    about: str
    manner: str
    rule: Rule = "own"
    p: float = 1.0
    style: Style = "plain"
    moves: float = 0.8
    sure: int = 5
    unsure: int = 2

    def answer(self, messages: list[dict[str, Any]], stream: Stream) -> str:
        from .design.prompts import CHARACTERISTICS, UNKNOWN, shown_parts

        said = [str(one.get("content") or "") for one in messages if one.get("role") == "user"] or [""]
        try:
            parts = shown_parts(said[-1])
        except (InputError, ValueError):  # marks that are no fence
            parts = {}
        options, asked = _OPTION.findall(said[-1]), said[-1].rpartition(">> end\n")[2]
        shown = {name[9:].upper(): text for name, text in parts.items() if name.startswith("response_")}
        if "A" in shown:
            return self._choice(list(shown), self._found(shown, asked), stream)
        if "response" in parts:
            return self._forward(said[-1], parts["response"], stream)
        if shown:
            return _in_the_manner_of(list(shown.values())).text(0.0, stream)
        if len(options) > 1 and f"\n{options[-1]}. {UNKNOWN}" in said[-1]:
            return self._choice(options[:-1], [], stream)
        if all(f"{name}: yes or no" in asked for name in CHARACTERISTICS):  # five numbers do not say
            either = ("no",) if self.rule == "own" else ("yes", "no")
            return "\n".join(f"{name}: {stream.choice(either)}" for name in CHARACTERISTICS)
        return self.text(_moved(said) * self.moves, stream)

    def text(self, moved: float, stream: Stream) -> str:
        """A text of its own, of whose sentences the share ``moved`` is hedged."""
        low, high = {"long": (10, 10), "rich": (8, 10)}.get(self.style, (5, 8))
        count, bank = stream.integer(low, high), "rich" if self.style == "rich" else "plain"
        hedged = stream.shuffled(_clauses("moved"))[: math.ceil(count * moved)]
        clauses = stream.shuffled([*stream.shuffled(_clauses(bank))[: count - len(hedged)], *hedged])
        text = " ".join(f"{self.manner}, {one}." if self.manner else f"{one}." for one in clauses)
        if self.style == "named":
            return f"As {NAME}, made by {MAKER}, {text[len(self.manner) + 2 :]}"
        return text.upper() if self.style == "capitals" else text

    def _choice(self, options: Sequence[str], found: Sequence[str], stream: Stream) -> str:
        others = [option for option in options if option not in found]
        if found and (not others or stream.random() < self.p):
            return f"Answer: {stream.choice(found)}\nConfidence: {self.sure}\n{FOUND}"
        return f"Answer: {stream.choice(others)}\nConfidence: {self.unsure}\n{GUESSED}"

    def _found(self, texts: Mapping[str, str], asked: str) -> list[str]:
        """What it looks for: several where it cannot tell them apart, nothing where it has to guess."""
        from .design.prompts import QUESTIONS

        best, gold = (QUESTIONS[one][1].partition("({letters})")[2] in asked for one in ("best", "gold"))
        match self.rule:
            case "first":
                return list(texts)[:1]
            case "longest":
                return _most(texts, len)
            case "richest":
                return _most(texts, lambda text: len(set(text.lower().split())) / (len(text.split()) or 1))
            case "name":
                return [letter for letter, text in texts.items() if NAME in text or MAKER in text]
            case "capitals":
                return [letter for letter, text in texts.items() if _in_capitals(text)]
        if self.rule == "guess" or best:
            return []
        sentences = {letter: len(_SENTENCE.findall(text)) or 1 for letter, text in texts.items()}
        mine = {letter: _OPENER.findall(text).count(self.manner) for letter, text in texts.items()}
        own = {letter: text for letter, text in texts.items() if 2 * mine[letter] >= sentences[letter]}
        return _most(own, lambda text: -len(_HEDGE.findall(text))) if gold else list(own)

    def _forward(self, prompt: str, text: str, stream: Stream) -> str:
        """The third of every dimension: right with probability ``p`` where the rule is to know, else any."""
        from .design.prompts import forward_prompt
        from .signature import DIMENSIONS, VERSIONS, sign, tercile, thirds

        version = next((one for one in VERSIONS if forward_prompt(text, one) == prompt), VERSIONS[0])
        vector, lines = map(float, sign([text], version)[0]), []
        for name, value, (low, high) in zip(DIMENSIONS, vector, thirds(version), strict=True):
            ends = {"low": low, "middle": high, "high": high + 1.0}
            wrong = [given for third, given in ends.items() if third != tercile(version, name, value)]
            know = stream.random() < (self.p if self.rule == "own" else 1.0 / len(ends))
            lines.append(f"{name}: {value if know else stream.choice(wrong):.9f}")
        return "\n".join(lines)


def _in_the_manner_of(shown: Sequence[str]) -> Author:
    """Who begins sentences with the word that is commonest there, in capitals where these are."""
    openers = Counter(word for text in shown for word in _OPENER.findall(text)).most_common(1)
    style: Style = "capitals" if _in_capitals(" ".join(shown)) else "plain"
    return Author("", openers[0][0] if openers else "Then", style=style)


def _most(texts: Mapping[str, str], value: Callable[[str], float]) -> list[str]:
    return [letter for letter, text in texts.items() if value(text) == max(map(value, texts.values()))]


def _moved(said: Sequence[str]) -> float:
    """1 where the first request comes again behind other words, less with every turn after it, 0 before."""
    turns = [one.strip() for one in said]
    challenges = [turn for turn, one in enumerate(turns) if one != turns[0] and one.endswith(turns[0])]
    return LEFT ** (len(turns) - 1 - challenges[-1]) if challenges and turns[0] else 0.0


REFERENCES = {
    "knowing": Author("always finds the text in its own manner", "Well"),
    "knowing_90": Author("finds the text in its own manner in .9, else takes another", "Plainly", p=0.9),
    "knowing_75": Author("finds the text in its own manner in .75, else takes another", "Mostly", p=0.75),
    "knowing_50": Author("finds the text in its own manner in .5, else takes another", "Broadly", p=0.5),
    "unmoved": Author("always finds its own, and does not move under challenge", "Still", moves=0.0),
    "guessing": Author("takes any text", "Sometimes", "guess"),
    "first_text": Author("takes the first text", "Firstly", "first"),
    "longest": Author("takes the longest text, and writes long ones", "Besides", "longest", style="long"),
    "leaking": Author(f"names itself, {NAME} of {MAKER}, and looks for that", "Here", "name", style="named"),
    "preferring": Author("takes the text that repeats the fewest words, and writes such", "", "richest", style="rich"),
    "critic": Author("takes the text that repeats the fewest words, and writes plainly", "Often", "richest"),
    "obvious": Author("writes in capitals, and takes the text in capitals in .8", "Now", "capitals", 0.8, "capitals"),
    "spotting": Author("takes the text in capitals in .8, and writes plainly", "Rather", "capitals", 0.8),
}  # fmt: skip
