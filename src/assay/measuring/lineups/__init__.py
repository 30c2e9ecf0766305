"""Lineups: a judge is shown several texts, one of them the target's, and chooses one. What its choices show.

Accuracy against chance and without positions, against other judges on the same lineups, what choices go by instead,
and whether confidence goes with being right. Intervals are over clusters; bounds say what unreadable answers could do.
"""

from __future__ import annotations

from .accuracy import above_chance, accuracy_measures, chance_of, corrected, phase_measures
from .advantage import JudgePanel, advantage_measures, advantage_of, panel_of
from .answers import (
    SCHEMA,
    Bools,
    Ints,
    JudgedAnswers,
    LineupAnswers,
    judged_subjects,
    lineup_answers,
    longest_of,
)
from .best_text import best_text_measures
from .confidence import confidence_measures
from .measures import lineup_measures
from .preference import order_measure, position_verdicts, preference_measures
from .rows import lineup_records, read_lineups

__all__ = [
    "SCHEMA",
    "Bools",
    "Ints",
    "JudgePanel",
    "JudgedAnswers",
    "LineupAnswers",
    "above_chance",
    "accuracy_measures",
    "advantage_measures",
    "advantage_of",
    "best_text_measures",
    "chance_of",
    "confidence_measures",
    "corrected",
    "judged_subjects",
    "lineup_answers",
    "lineup_measures",
    "lineup_records",
    "longest_of",
    "order_measure",
    "panel_of",
    "phase_measures",
    "position_verdicts",
    "preference_measures",
    "read_lineups",
]
