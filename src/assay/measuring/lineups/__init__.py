"""Lineups: a judge is shown several texts, one of them the target's, and chooses one. What its choices show.

Accuracy against chance and without positions, against other judges on the same lineups, what choices go by instead,
and whether confidence goes with being right. Intervals are over clusters; bounds say what unreadable answers could do.
"""

from __future__ import annotations

from .accuracy import above_chance, accuracy_measures, chance_of, corrected, phase_measures
from .advantage import JudgePanel, advantage_measures, advantage_of, panel_of
from .answers import SCHEMA, Bools, Ints, LineupAnswers, lineup_answers, longest_of
from .confidence import confidence_measures
from .preference import NOT_SAID, order_measure, position_verdicts, preference_measures

__all__ = [
    "NOT_SAID",
    "SCHEMA",
    "Bools",
    "Ints",
    "JudgePanel",
    "LineupAnswers",
    "above_chance",
    "accuracy_measures",
    "advantage_measures",
    "advantage_of",
    "chance_of",
    "confidence_measures",
    "corrected",
    "lineup_answers",
    "longest_of",
    "order_measure",
    "panel_of",
    "phase_measures",
    "position_verdicts",
    "preference_measures",
]
