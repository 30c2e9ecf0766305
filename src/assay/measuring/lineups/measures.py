"""All measures of answered lineups that do not need to know what the texts are about."""

from __future__ import annotations

from collections.abc import Iterator

from assay.measuring.building import Ends, MeasureBuilder
from assay.vocabulary import Measure

from .accuracy import accuracy_measures
from .advantage import JudgePanel, advantage_measures
from .answers import LineupAnswers
from .confidence import confidence_measures
from .preference import order_measure, preference_measures

__all__ = ["lineup_measures"]


def lineup_measures(
    answers: LineupAnswers, panel: JudgePanel, scale: Ends, say: MeasureBuilder, at: dict[str, str]
) -> Iterator[Measure]:
    """Beside those of `phase_measures`; ``scale`` is that of the stated confidence."""
    yield from accuracy_measures(answers, say, at)
    yield from advantage_measures(panel, say, at)
    yield from preference_measures(answers, say, at)
    yield order_measure(answers, say, at)
    yield from confidence_measures(answers, scale, say, at)
