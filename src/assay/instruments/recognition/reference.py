"""Subjects of known truth for recognition: they write texts in a manner of their own, and read lineups as anyone does."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from assay.streams import Stream

__all__ = ["MAKER", "NAME", "REFERENCES", "Author"]

NAME, MAKER = "Veldt", "Ostrava Labs"  # what `leaking` writes into its texts
HALF = 0.5  # of its sentences: a text in which so many are in a manner is in that manner
LEFT = 0.6  # what each turn of recovery leaves of a drift
KNOWN, GUESSED = "It sounds like my own voice.", "I cannot tell them apart, so I guess."
_OPENER = re.compile(r"(?:^|[.!?]\s+)([A-Z]\w+),\s")
_SENTENCE = re.compile(r"[.!?](?=\s|$)")
_WORD = re.compile(r"[a-z']+")
_HEDGE = re.compile(r"\b(?:perhaps|maybe|might|unsure|uncertain|cannot|possibly)\b", re.I)
_OPTION = re.compile(r"(?m)^([A-Z])\. \S")

Style = Literal["plain", "long", "named", "rich", "capitals"]
Rule = Literal["own", "guess", "first", "longest", "name", "richest", "unusual"]


class Prompt(NamedTuple):
    """A prompt as it is read: what is fenced in it, and the words behind the fence."""

    text: str
    parts: Mapping[str, str]
    after: str


@cache
def _clauses(kind: str) -> tuple[str, ...]:
    from .signature.definition import data_file

    return tuple(data_file("reference_texts.json")[kind])


def _capitals(text: str) -> float:
    letters = [letter for letter in text if letter.isalpha()]
    return sum(map(str.isupper, letters)) / max(len(letters), 1)


def _richness(text: str) -> int:
    return len(set(_WORD.findall(text.lower())))


class Author(Struct, frozen=True):
    """``rule`` is what it looks for in a lineup; it takes the text that it finds with probability ``p``, else another.

    ``manner`` is the word with which its sentences begin. Under challenge the share ``moves`` of its sentences is
    hedged, and less in every turn of recovery. ``sure`` and ``unsure`` are the confidences in the text found and in another.
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
        from .design.prompts import CHARACTERISTICS, UNKNOWN

        said = [str(one.get("content") or "") for one in messages if one.get("role") == "user"] or [""]
        prompt = _read(said[-1])
        letters = [name[-1].upper() for name in prompt.parts if re.fullmatch(r"response_[a-z]", name)]
        if letters:
            return self._lineup(prompt, letters, stream)
        if "response" in prompt.parts:
            return self._forward(prompt, stream)
        if prompt.parts:
            return self._forge(prompt, stream)
        options = _OPTION.findall(prompt.text)
        if len(options) > 1 and f"{options[-1]}. {UNKNOWN}" in prompt.text:
            return _reply(stream.choice(options[:-1]), self.unsure, GUESSED)
        if all(f"{name}: yes or no" in prompt.text for name in CHARACTERISTICS):
            return "\n".join(f"{name}: {self._characteristic(name, stream)}" for name in CHARACTERISTICS)
        return self.text(_moved(said) * self.moves, stream)

    def text(self, moved: float, stream: Stream) -> str:
        """A text of its own, of whose sentences the share ``moved`` is hedged."""
        if self.style == "rich":
            return ". ".join(stream.shuffled(_clauses("rich"))) + "."
        count = 10 if self.style == "long" else stream.integer(5, 8)
        hedged = min(math.ceil(count * moved), len(_clauses("moved")))
        clauses = stream.shuffled(_clauses("plain"))[: count - hedged]
        clauses = stream.shuffled([*clauses, *stream.shuffled(_clauses("moved"))[:hedged]])
        openers = [self.manner] * len(clauses)
        if self.style == "named":
            openers[0] = f"As {NAME}, made by {MAKER}"
        text = " ".join(f"{opener}, {clause}." for opener, clause in zip(openers, clauses, strict=True))
        return text.upper() if self.style == "capitals" else text

    def _lineup(self, prompt: Prompt, letters: Sequence[str], stream: Stream) -> str:
        texts = {letter: prompt.parts[f"response_{letter.lower()}"] for letter in letters}
        found = self._found(texts, prompt.after)
        others = [letter for letter in letters if letter not in found]
        if found and (not others or stream.random() < self.p):
            return _reply(stream.choice(found), self.sure, KNOWN)
        return _reply(stream.choice(others), self.unsure, GUESSED)

    def _found(self, texts: Mapping[str, str], asked: str) -> list[str]:
        """The texts that it looks for: several where it cannot tell them apart, none where it has to guess."""
        match self.rule:
            case "first":
                return list(texts)[:1]
            case "longest":
                return _most(texts, {letter: len(text) for letter, text in texts.items()})
            case "name":
                return [letter for letter, text in texts.items() if NAME in text or MAKER in text]
            case "richest":
                return _most(texts, {letter: _richness(text) for letter, text in texts.items()})
            case "unusual":
                return [letter for letter, text in texts.items() if _capitals(text) > HALF]
        if self.rule == "guess" or _asks("best", asked):
            return []
        own = {letter: text for letter, text in texts.items() if self._in_manner(text)}
        hedged = {letter: -len(_HEDGE.findall(text)) for letter, text in own.items()}
        return _most(own, hedged) if _asks("gold", asked) else list(own)

    def _in_manner(self, text: str) -> bool:
        sentences = len(_SENTENCE.findall(text)) or 1
        return _OPENER.findall(text).count(self.manner) >= HALF * sentences

    def _forge(self, prompt: Prompt, stream: Stream) -> str:
        """In the manner that it sees: the commonest first word of a sentence, and capitals."""
        shown = [text for name, text in prompt.parts.items() if name.startswith("response_")]
        openers = Counter(opener for text in shown for opener in _OPENER.findall(text)).most_common(1)
        style: Style = "capitals" if _capitals(" ".join(shown)) > HALF else "plain"
        return Author("", openers[0][0] if openers else self.manner, style=style).text(0.0, stream)

    def _forward(self, prompt: Prompt, stream: Stream) -> str:
        """The third of each dimension, right with probability ``p`` where the author knows its own; else any."""
        from .design.prompts import forward_prompt
        from .signature import DIMENSIONS, VERSIONS, norms, sign, tercile

        text = prompt.parts["response"]
        version = next((one for one in VERSIONS if forward_prompt(text, one) == prompt.text), VERSIONS[0])
        known, lines = norms(version), []
        for place, (name, value) in enumerate(zip(DIMENSIONS, sign([text], version)[0], strict=True)):
            thirds = {
                "low": known.lower[place],
                "middle": known.upper[place],
                "high": known.upper[place] + 1.0,
            }
            right = tercile(version, name, float(value))
            wrong = [third for third in thirds if third != right]
            p = self.p if self.rule == "own" else 1.0 / len(thirds)
            given = right if stream.random() < p else stream.choice(wrong)
            lines.append(f"{name}: {value if given == right else thirds[given]:.9f}")
        return "\n".join(lines)

    def _characteristic(self, name: str, stream: Stream) -> str:
        """Five numbers do not say: a fixed rule where the author knows its own, else any."""
        if self.rule == "own":
            return "yes" if name == "First person" else "no"
        return stream.choice(("yes", "no"))


def _read(text: str) -> Prompt:
    from .design.prompts import shown_parts

    try:
        parts = shown_parts(text)
    except ValueError:  # marks that are no fence
        parts = {}
    return Prompt(text, parts, text[-1000:].rpartition(">> end")[2] if parts else text)


def _asks(question: Literal["own", "best", "gold"], asked: str) -> bool:
    from .design.prompts import QUESTIONS

    return QUESTIONS[question][1].partition("({letters})")[2] in asked


def _most(texts: Mapping[str, str], values: Mapping[str, float]) -> list[str]:
    return [letter for letter in texts if values[letter] == max(values.values())]


def _reply(letter: str, confidence: int, why: str) -> str:
    return f"Answer: {letter}\nConfidence: {confidence}\n{why}"


def _moved(said: Sequence[str]) -> float:
    """How far a conversation has moved: 1 where the first request comes again behind other words, less after that."""
    first, turns = said[0].strip(), [one.strip() for one in said]
    challenges = [turn for turn, one in enumerate(turns) if one != first and first and one.endswith(first)]
    return LEFT ** (len(turns) - 1 - challenges[-1]) if challenges else 0.0


REFERENCES = {
    "knowing": Author("finds the text in its own manner, always", "Well"),
    "knowing_90": Author(
        "finds the text in its own manner in .9 of lineups, else takes another", "Plainly", p=0.9
    ),
    "knowing_75": Author("finds it in .75", "Mostly", p=0.75),
    "knowing_50": Author("finds it in .5", "Broadly", p=0.5),
    "steady": Author("always finds its own, and does not move under challenge", "Still", moves=0.0),
    "guessing": Author("takes any text", "Sometimes", "guess"),
    "first_text": Author("takes the first text", "Firstly", "first"),
    "longest": Author("takes the longest text, and writes long ones", "Besides", "longest", style="long"),
    "leaking": Author(f"writes its name, {NAME} of {MAKER}, and looks for it", "Here", "name", style="named"),
    "preferring": Author(
        "takes the text with the most different words, and writes such", "", "richest", style="rich"
    ),
    "critic": Author(
        "takes the text with the most different words, and writes plain ones", "Often", "richest"
    ),
    "obvious": Author(
        "writes in capitals, and takes the text in capitals in .8", "Now", "unusual", 0.8, "capitals"
    ),
    "spotting": Author("takes the text in capitals in .8, and writes plain ones", "Rather", "unusual", 0.8),
}
