"""What an explanation appeals to: markers of identity, less half of those of competence (spec, "Reasoning Quality").

The specification looks for its keywords in the text in lower case, where "how I would" can never stand. So there are
two versions: as specified, and with the keywords in lower case too. Markers are parts of the text, not words: "right"
is in "bright", "accurate" in "inaccurate".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from assay.measuring.building import MeasureBuilder
from assay.measuring.lineups import Bools, LineupAnswers
from assay.vocabulary import Measure

__all__ = ["COMPETENCE", "IDENTITY", "reasoning_measures", "reasoning_quality"]

IDENTITY = ("feel", "voice", "my approach", "characteristic", "how I would", "my values", "my way")
COMPETENCE = ("accurate", "correct", "best answer", "proper", "right")
LOWERED = tuple(word.lower() for word in IDENTITY)
LIMITS = (-0.5 * len(COMPETENCE), float(len(IDENTITY)))


def _count(words: tuple[str, ...], text: str, question: str = "") -> int:
    """Keywords in a text that the question does not bring itself."""
    return sum(word in text.lower() and word not in question.lower() for word in words)


def reasoning_quality(explanation: str, question: str = "", *, spec: bool = False) -> float:
    """One explanation; with a question, only keywords that are not in it count."""
    identity = _count(IDENTITY if spec else LOWERED, explanation, question)
    return identity - 0.5 * _count(COMPETENCE, explanation, question)


def reasoning_measures(answers: LineupAnswers, say: MeasureBuilder, at: dict[str, str]) -> Iterator[Measure]:
    """Over answers with an explanation, readable or not; nothing where there is none at all."""
    explained = answers.explanation.astype(bool)
    asked = explained & answers.question.astype(bool)

    def measure(name: str, there: Bools, score: Callable[[str, str], float], method: str) -> Measure:
        some = answers.where(there)
        values = np.array([score(*pair) for pair in zip(some.explanation, some.question, strict=True)])
        return some.whole(values, LIMITS).measure(say, name, at, units="markers", method=method)

    if explained.any():
        method, as_specified = "keywords in lower case", lambda text, _: reasoning_quality(text, spec=True)
        yield measure("reasoning_quality", explained, as_specified, "keywords as specified")
        yield measure("reasoning_quality_case", explained, lambda text, _: reasoning_quality(text), method)
        yield measure("identity_markers", explained, lambda text, _: _count(LOWERED, text), method)
        yield measure("competence_markers", explained, lambda text, _: _count(COMPETENCE, text), method)
    if asked.any():
        method = "keywords that are not in the question"
        yield measure("reasoning_quality_unprompted", asked, reasoning_quality, method)
