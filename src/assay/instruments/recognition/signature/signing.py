"""The signature of many texts at once.

Version 1 matches substrings, so "AI " counts as "i " and "time " as "me ". That is its definition, and published
numbers can be compared only where it is kept. Polars looks for a keyword in all texts at once; letters are lowered and
words are split by Python, for that is what the definition says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from assay.canonical import clean_text

from .definition import DIMENSIONS, Version, definition, norms

__all__ = ["FloatArray", "sign", "word_rates"]

FloatArray = npt.NDArray[np.float64]
IDENTITY = DIMENSIONS.index("D_identity")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def sign(texts: Sequence[str], version: Version = 1) -> FloatArray:
    """A row of five numbers for each text, in the order of ``DIMENSIONS``."""
    return _sign_1(texts) if version == 1 else word_rates(texts) / np.array(norms(2).spread)


def _sign_1(texts: Sequence[str]) -> FloatArray:
    """Version 1: presence of keywords per 100 words; for D_identity occurrences per 50 words."""
    import polars as pl

    lowered = pl.Series([clean_text(text)[0].lower() for text in texts], dtype=pl.String)
    counts = np.zeros((len(texts), len(DIMENSIONS)))
    for place, dimension in enumerate(DIMENSIONS):
        for keyword in definition(1)["keywords"][dimension]:
            if place == IDENTITY:
                counts[:, place] += lowered.str.count_matches(keyword, literal=True).to_numpy()
            else:
                counts[:, place] += lowered.str.contains(keyword, literal=True).to_numpy()
    words = np.array([len(text.split()) for text in texts], dtype=np.float64).reshape(-1, 1)
    per = np.array([50.0 if place == IDENTITY else 100.0 for place in range(len(DIMENSIONS))])
    return np.asarray(counts / np.maximum(1.0, words / per))


def word_rates(texts: Sequence[str]) -> FloatArray:
    """Version 2 before it is scaled: occurrences of whole words per 100 words."""
    dimension_of = _dimension_of()
    counts = np.zeros((len(texts), len(DIMENSIONS)))
    words = np.zeros((len(texts), 1))
    for row, text in enumerate(texts):
        found = _WORD.findall(text.lower().replace("’", "'"))
        words[row] = len(found)
        for word in filter(dimension_of.__contains__, found):
            counts[row, dimension_of[word]] += 1.0
    return counts / np.maximum(1.0, words / 100.0)


@cache
def _dimension_of() -> dict[str, int]:
    keywords = definition(2)["keywords"]
    return {word: place for place, name in enumerate(DIMENSIONS) for word in keywords[name]}
