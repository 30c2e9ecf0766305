"""The 5D signature of texts, version 1 (the public definition) and version 2 (ours), and what is usual in a corpus.

Version 1 matches substrings, so "AI " counts as "i " and "time " as "me ". That is its definition, and published
numbers can be compared only where it is kept. Polars looks for a keyword in all texts at once; letters are lowered and
words are split by Python, for that is what the definition says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from assay.canonical import clean_text

__all__ = [
    "DIMENSIONS",
    "VERSIONS",
    "Norms",
    "Version",
    "data_file",
    "definition",
    "highest",
    "norms",
    "sign",
    "tercile",
    "thirds",
    "word_rates",
]

Version = Literal[1, 2]
VERSIONS: tuple[Version, ...] = get_args(Version)
DIMENSIONS = ("A_pole", "B_zero", "C_meta", "D_identity", "E_hedging")
Five = tuple[float, float, float, float, float]
FloatArray = npt.NDArray[np.float64]
IDENTITY = DIMENSIONS.index("D_identity")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def data_file(name: str) -> Any:
    """A file of this instrument's data."""
    return json.loads(files("assay.instruments.recognition").joinpath("data", name).read_text("utf-8"))


@cache
def definition(version: Version) -> dict[str, Any]:
    """A version's word lists and rules. Version 1 is the public definition, unaltered."""
    found: dict[str, Any] = data_file(f"signature_{version}.json")
    return found


class Norms(msgspec.Struct, frozen=True, kw_only=True):
    """One version's numbers in the reference corpus, by dimension.

    ``spread`` is what a dimension is divided by: 1 in version 1. ``mean``, ``sd`` and the ends of the lower and middle
    thirds are of the vectors as they are given out. ``horizon`` is the drift that counts as far: 1.23 as
    published; in version 2 what one baseline turn in twenty of the corpus exceeds.
    """

    texts: int
    spread: Five
    mean: Five
    sd: Five
    lower: Five
    upper: Five
    horizon: float


@cache
def norms(version: Version) -> Norms:
    """The shipped numbers of a version."""
    return msgspec.convert(data_file("reference.json")["versions"][str(version)], Norms)


@cache
def thirds(version: Version) -> tuple[tuple[float, float], ...]:
    """Where the lower and the middle third of each dimension end, in the four digits in which prompts show them."""
    known = norms(version)
    return tuple(
        (float(f"{low:.4g}"), float(f"{high:.4g}"))
        for low, high in zip(known.lower, known.upper, strict=True)
    )


def tercile(version: Version, dimension: str, value: float) -> Literal["low", "middle", "high"]:
    """The third of the reference corpus in which a value lies. Where a third of the texts have 0, 0 is low."""
    low, high = thirds(version)[DIMENSIONS.index(dimension)]
    return "low" if value <= low else "middle" if value <= high else "high"


@cache
def highest(version: Version) -> tuple[float, ...]:
    """The most that each dimension can be: every keyword is there or, where occurrences count, every word is one."""
    if version == 2:
        return tuple(100.0 / spread for spread in norms(2).spread)
    known = definition(1)["keywords"]
    return tuple(50.0 if place == IDENTITY else len(known[name]) for place, name in enumerate(DIMENSIONS))


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
