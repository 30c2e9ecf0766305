"""Texts as hashed counts of character and word n-grams.

Each n-gram falls into one of ``BUCKETS`` columns with a sign, by a hash that is the same everywhere; collisions then
cancel on average (Weinberger et al. 2009, "Feature hashing for large scale multitask learning"). Nothing is fitted, so
texts are turned into numbers once, and not in every fold.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["BUCKETS", "CHARACTERS", "WORDS", "hashed_ngrams"]

BUCKETS = 4096
CHARACTERS, WORDS = (2, 3, 4), (1, 2)
_TOKEN = re.compile(r"\w+|[^\w\s]")
_MULTIPLIER, _SHIFT, _TOP = np.uint64(0x9E3779B97F4A7C15), np.uint64(29), np.uint64(20)


def hashed_ngrams(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """A row for each text: log counts, every length of n-gram scaled to the same length, summed."""
    rows = np.zeros((len(texts), BUCKETS), dtype=np.float32)
    seen: dict[str, int] = {}
    for row, text in enumerate(texts):
        plain = " ".join(text.lower().split())
        letters = np.frombuffer(f" {plain} ".encode("utf-32-le", "replace"), dtype="<u4").astype(np.uint64)
        words = [_code(seen, word) for word in _TOKEN.findall(plain)]
        for codes, lengths, salt in (
            (letters, CHARACTERS, 1000),
            (np.array(words, dtype=np.uint64), WORDS, 2000),
        ):
            for n in lengths:
                if len(codes) >= n:
                    rows[row] += _counts(codes, n, salt + n)
    return rows


def _code(seen: dict[str, int], word: str) -> int:
    found = seen.get(word)
    if found is None:
        found = seen[word] = zlib.crc32(word.encode("utf-8", "replace"))
    return found


def _counts(codes: npt.NDArray[np.uint64], n: int, salt: int) -> npt.NDArray[np.float64]:
    size = len(codes) - n + 1
    hashes = np.full(size, salt, dtype=np.uint64)
    for place in range(n):
        hashes = (hashes ^ codes[place : size + place]) * _MULTIPLIER  # wraps around, as hashes do
        hashes ^= hashes >> _SHIFT
    bins = ((hashes >> _TOP) % np.uint64(2 * BUCKETS)).astype(np.int64)
    counted = np.log1p(np.bincount(bins, minlength=2 * BUCKETS))
    signed = counted[:BUCKETS] - counted[BUCKETS:]
    length = float(np.sqrt(signed @ signed))
    return np.asarray(signed / length if length else signed)
