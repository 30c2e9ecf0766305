"""Whether confidence goes with being right: the specification's weighted score, Brier's, and the reliability curve.

    confidence_weighted  mean of +confidence / HIGH where right, -confidence / HIGH where wrong
    brier                mean of (confidence - right)², on the probability scale
    overconfidence       mean of confidence - right, on the probability scale

Over answers that have a confidence. The curve is over the scale from its lower end, 0, to its upper, 1.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.measuring.building import Ends, MeasureBuilder
from assay.measuring.choices import reliability_measures
from assay.vocabulary import Measure

from .answers import DIFFERENCE, LineupAnswers

__all__ = ["confidence_measures"]

NONE_READ = "no readable answer has a confidence"


def confidence_measures(
    answers: LineupAnswers, scale: Ends, say: MeasureBuilder, at: dict[str, str]
) -> Iterator[Measure]:
    low, high = scale
    absent = np.isnan(answers.confidence)
    yield answers.whole(absent).measure(say, "missing_confidence_rate", at, k=int(absent.sum()))
    sure = answers.where(~absent)
    given, right = sure.confidence, sure.right
    stated, units = sure.whole(given, scale), f"scale of {low:g} to {high:g}"
    yield stated.measure(say, "mean_confidence", at, units=units, why="no answer has a confidence")
    part = given / high
    weighted = sure.mean(np.where(right > 0, part, -part), -part, part, limits=(-1.0, 1.0))
    yield weighted.measure(say, "confidence_weighted", at, units="score", why=NONE_READ)
    if scale == (0.0, 1.0):
        ends = given**2, (given - 1.0) ** 2
        brier = sure.mean((given - right) ** 2, np.minimum(*ends), np.maximum(*ends), limits=(0.0, 1.0))
        yield brier.measure(say, "brier", at, units="score", why=NONE_READ)
        over = sure.mean(given - right, given - 1.0, given, limits=(-1.0, 1.0))
        yield over.measure(say, "overconfidence", at, units=DIFFERENCE, why=NONE_READ)
    if not at:
        correct = np.where(sure.known, right, np.nan)
        yield from reliability_measures(say, sure.cluster, (given - low) / (high - low), correct)
