"""How far the outputs of a cell lie from each other, pair by pair.

Version ``words/1``: edit distance over words, marks and stretches of white space of the normal form, over the
number of units of the longer. Words instead of characters, because there are as many pairs as the square of the
outputs. Where even that would take too long the units are lines, or blocks of equal size. Equal forms have distance
0 and different ones more than 0: nothing is lost in cutting a text up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

__all__ = ["PAIRS", "PairwiseMean", "distance_matrix", "mean_distance"]

PAIRS = "words/1"
MOST_TEXTS = 1_000  # different texts among which every pair is looked at: more take the square of the time
MOST_UNITS = 1_000_000  # of all texts together; the cost is their square
_UNIT = re.compile(r" ?\w+| ?[^\w\s]|\s+")
_CHUNK = 256
_STRIP = 32  # rows of a square that are worked out at a time

Matrix = npt.NDArray[np.float64]


class PairwiseMean(NamedTuple):
    """The mean over the pairs of the first ``n`` outputs; None where there is no pair."""

    mean: float | None
    n: int


def mean_distance(texts: Sequence[str]) -> PairwiseMean:
    """The mean over all pairs of outputs; equal ones are at distance 0.

    Of more than ``MOST_TEXTS`` different texts, those among the first outputs are compared: outputs are
    independent, so the first of them are a fair sample.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        if text not in counts and len(counts) == MOST_TEXTS:
            break
        counts[text] += 1
    n = counts.total()
    if n < 2:
        return PairwiseMean(None, n)
    words = _spelt(list(counts))
    weights = np.array(list(counts.values()), dtype=np.float64)
    total = 0.0
    for start in range(0, len(words), _CHUNK):
        end = start + _CHUNK
        square = _square(words[start:end])
        beyond = _distances(words[start:end], words[end:])
        # Products and sums of numpy, not of a matrix library whose threads may add in another order.
        within = (square * weights[start:end]).sum(axis=1) + 2.0 * (beyond * weights[end:]).sum(axis=1)
        total += float((weights[start:end] * within).sum())
    return PairwiseMean(min(1.0, total / (n * (n - 1))), n)


def distance_matrix(texts: Sequence[str]) -> Matrix:
    """The distances between all of a few texts."""
    return _square(_spelt(texts))


def _square(words: Sequence[str]) -> Matrix:
    """All distances among a few texts; those below the diagonal are those above it."""
    square = np.zeros((len(words), len(words)))
    for start in range(0, len(words), _STRIP):
        strip = _distances(words[start : start + _STRIP], words[start:])
        square[start : start + _STRIP, start:] = strip
        square[start:, start : start + _STRIP] = strip.T
    return square


def _distances(rows: Sequence[str], columns: Sequence[str]) -> Matrix:
    if not columns:
        return np.zeros((len(rows), 0))
    edits = cdist(rows, columns, scorer=Levenshtein.distance, dtype=np.int32, workers=1)
    longer = np.maximum.outer([len(text) for text in rows], [len(text) for text in columns])
    return np.asarray(edits / np.maximum(longer, 1), dtype=np.float64)


def _spelt(texts: Sequence[str]) -> list[str]:
    """One character a unit, so that the distance runs over units. Surrogates are left out of the alphabet."""
    size = -(-sum(map(len, texts)) // (MOST_UNITS - len(texts)))
    cuts: tuple[Callable[[str], list[str]], ...] = (
        _UNIT.findall,
        lambda text: text.splitlines(keepends=True),
        lambda text: [text[i : i + size] for i in range(0, len(text), size)],
    )
    for cut in cuts:
        pieces = [cut(text) for text in texts]
        if sum(map(len, pieces)) <= MOST_UNITS:
            break
    units: dict[str, int] = {}
    spelt = []
    for text in pieces:
        numbers = [units.setdefault(unit, len(units)) for unit in text]
        spelt.append("".join(chr(number if number < 0xD800 else number + 0x800) for number in numbers))
    return spelt
