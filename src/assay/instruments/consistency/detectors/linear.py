"""A linear model over n-grams and rule marks, in integers, so that it decides the same everywhere.

``data/detectors/weights.tsv`` holds one feature a line, with a weight for each component. ``training`` writes it from
the labelled replies that come with Assay. A component is there when its score is above its threshold,
which differs by the length of the reply, or where the rules found it:

    score = bias + sum of marks + NGRAMS * sum of n-grams / sqrt(number of n-grams)

A short reply has too few n-grams to speak against the rules: there the rules alone decide. How short, and the
thresholds, were chosen by cross-validation over groups of authors.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from importlib.resources import files
from math import isqrt
from typing import NamedTuple

from .features import Features

__all__ = ["COMPONENTS", "NGRAMS", "Weights", "decide", "score", "shipped_weights", "threshold", "top_ngrams"]

COMPONENTS = ("refusal", "limit", "proximity", "adjacent")
NGRAMS = 5  # how much all n-grams together weigh against one mark
FEWEST = {"refusal": 80, "limit": 80, "proximity": 80, "adjacent": 110}  # n-grams; 80 are about 12 words
LENGTHS = (200, 350)  # n-grams: up to about 30 words, up to about 50, and longer
# Where the rules found the component, and where they did not. Of refusal by length: a long answer has more of the words
# in it that refusals have, too.
THRESHOLDS = {"limit": (-60, -20), "proximity": (0, -30), "adjacent": (-40, -20)}
REFUSAL = ((-100, -40), (-40, -40), (20, 20))
BIAS = "bias"
SHOWN = 3  # n-grams that stand as evidence


class Weights(NamedTuple):
    """The weights of every feature, in the order of ``COMPONENTS``; features without a line weigh nothing."""

    ngrams: dict[str, tuple[int, ...]]
    marks: dict[str, tuple[int, ...]]


@cache
def shipped_weights() -> Weights:
    place = files("assay.instruments.consistency").joinpath("data", "detectors", "weights.tsv")
    ngrams: dict[str, tuple[int, ...]] = {}
    marks: dict[str, tuple[int, ...]] = {}
    for line in place.read_text("utf-8").splitlines()[1:]:
        kind, feature, *weights = line.split("\t")
        (ngrams if kind == "ngram" else marks)[feature] = tuple(map(int, weights))
    return Weights(ngrams, marks)


def score(weights: Weights, found: Features, component: str) -> int:
    at = COMPONENTS.index(component)
    words = sum(weights.ngrams[name][at] for name in found.ngrams if name in weights.ngrams)
    marks = sum(weights.marks[name][at] for name in (BIAS, *found.marks) if name in weights.marks)
    # isqrt(n << 20) is 1024 times the root of n, in integers
    return marks + NGRAMS * 1024 * words // isqrt(max(1, len(found.ngrams)) << 20)


def decide(weights: Weights, found: Features, component: str, by_rules: bool) -> bool:
    """Is the component there?"""
    if len(found.ngrams) < FEWEST[component]:
        return by_rules
    return score(weights, found, component) > threshold(component, len(found.ngrams), by_rules)


def threshold(component: str, ngrams: int, by_rules: bool) -> int:
    """The score above which the component is there in a reply of so many n-grams."""
    by_length = REFUSAL[bisect_left(LENGTHS, ngrams)]
    with_rules, without = by_length if component == "refusal" else THRESHOLDS[component]
    return with_rules if by_rules else without


def top_ngrams(weights: Weights, found: Features, component: str) -> list[tuple[int, int]]:
    """Where the n-grams stand that speak most for the component, in order of the text."""
    at = COMPONENTS.index(component)
    by_weight = sorted(
        (-weights.ngrams[name][at], span) for name, span in found.ngrams.items() if name in weights.ngrams
    )
    return sorted({span for weight, span in by_weight[:SHOWN] if weight < 0})
