"""Subjects of known truth for bias: they read the prompt as any subject does, and answer by declared rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from assay.streams import Stream

from .items.model import INTENSITIES
from .items.parsing import ReadPrompt, shipped_parser

__all__ = ["REFERENCES", "Responder"]

UNREADABLE = "There is much to be said on both sides."
RISING = {"control": 0.05, "weak": 0.15, "moderate": 0.35, "strong": 0.55, "adversarial": 0.75}


class Responder(Struct, frozen=True):
    """``rates``: how often the biased answer is given, by control and intensity; ``by_bias`` replaces them for a bias.

    ``debiased`` are what a debiasing text leaves of the rate, by kind; ``unreadable`` how often nothing is answered.
    ``letter`` and ``place`` are how often the first letter, or the first option on the page, is taken whatever it says.
    ``sure`` and ``unsure`` are the confidences in the normative and in the biased answer.
    """

    about: str
    rates: Mapping[str, float] = {}
    by_bias: Mapping[str, Mapping[str, float]] = {}
    debiased: Mapping[str, float] = {}
    unreadable: Mapping[str, float] = {}
    letter: float = 0.0
    place: float = 0.0
    sure: int = 90
    unsure: int = 10

    def rate(self, bias: str, condition: str, method: str | None = None) -> float:
        """How often the biased answer is given where nothing else decides."""
        found = self.by_bias.get(bias, self.rates).get(condition, 0.0)
        return found * self.debiased.get(method, 1.0) if method else found

    def answer(self, messages: list[dict[str, Any]], stream: Stream) -> str:
        prompt = str(messages[-1]["content"])
        read = shipped_parser().parse(prompt)
        if read is None or stream.random() < self.unreadable.get(read.condition, 0.0):
            return UNREADABLE
        swayed = stream.random() < self.rate(read.instance.item.model.bias, read.condition, read.method)
        normative, biased = read.instance.answers
        given = self._preferred(read, stream) or (biased if swayed else normative)
        lines = [f"Answer: {given}"]
        if prompt.endswith("\nConfidence: Y"):
            lines.append(f"Confidence: {self.sure if given == normative else self.unsure}")
        return "\n".join(lines)

    def _preferred(self, read: ReadPrompt, stream: Stream) -> str:
        """A letter that is taken for its own sake, or for its place; else nothing."""
        letters = read.instance.layout.letters
        if letters and stream.random() < self.letter:
            return min(letters)
        return letters[0] if letters and stream.random() < self.place else ""


REFERENCES = {
    "rational": Responder("always gives the normative answer"),
    "swayed": Responder(
        "gives the normative answer in controls and the biased one in every treatment",
        dict.fromkeys(INTENSITIES, 1.0),
        sure=10,
        unsure=90,
    ),
    "rising": Responder(
        "gives the biased answer in .05 of controls and .15, .35, .55, .75 of treatments; a warning halves this",
        RISING,
        debiased={"warning": 0.5},
    ),
    "contrary": Responder(
        "gives the biased answer in .6 of controls and .2 of treatments",
        {"control": 0.6, **dict.fromkeys(INTENSITIES, 0.2)},
    ),
    "tossing": Responder(
        "gives the biased answer in half of all cases", dict.fromkeys(RISING, 0.5), sure=50, unsure=50
    ),
    "letter_a": Responder("takes the first letter of every choice, else the normative answer", letter=1.0),
    "first_place": Responder("takes the first option of every choice, else the normative answer", place=1.0),
    "mumbling": Responder(
        "is rational where it answers, and answers nothing in .3 of treatments",
        unreadable=dict.fromkeys(INTENSITIES, 0.3),
    ),
    "boastful": Responder("as rising, and always sure of itself", RISING, sure=99, unsure=99),
}
