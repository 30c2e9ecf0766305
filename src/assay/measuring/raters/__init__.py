"""Raters: people and models label what subjects said, and their agreement is itself a measure.

`Question` and `Rating` are the nouns. A model is asked by `rating_trials` and `rate` in a wave of its own, people's
labels come from a file by `read_ratings`. `score_on_gold` leaves out raters who miss what is known,
`agreement_measures` and `contested_flag` say how far the others agree. Tables of a million labels are joined by
``raters.joint``, which is imported by its own name because it needs polars.
"""

from __future__ import annotations

from .agreement import agreement_bounds, agreement_measures, contested_flag, disagreement, joint_label
from .fence import Fenced, fenced, fenced_parts, mark_of
from .gold import GoldItem, GoldScores, calibration_flag, check_gold, score_on_gold, uncalibrated
from .question import YES_NO, Question, RatingLabel, read_label
from .rating import RatedNames, RatedThing, Rating, labels_by_question
from .ratings_file import read_ratings
from .trials import (
    LONGEST_ANSWER,
    RATING,
    RatedTrials,
    gold_of,
    gold_trials,
    rate,
    rated_thing,
    rater_of,
    rating_prompt,
    rating_trials,
    ratings_of,
)

__all__ = [
    "LONGEST_ANSWER",
    "RATING",
    "YES_NO",
    "Fenced",
    "GoldItem",
    "GoldScores",
    "Question",
    "RatedNames",
    "RatedThing",
    "RatedTrials",
    "Rating",
    "RatingLabel",
    "agreement_bounds",
    "agreement_measures",
    "calibration_flag",
    "check_gold",
    "contested_flag",
    "disagreement",
    "fenced",
    "fenced_parts",
    "gold_of",
    "gold_trials",
    "joint_label",
    "labels_by_question",
    "mark_of",
    "rate",
    "rated_thing",
    "rater_of",
    "rating_prompt",
    "rating_trials",
    "ratings_of",
    "read_label",
    "read_ratings",
    "score_on_gold",
    "uncalibrated",
]
