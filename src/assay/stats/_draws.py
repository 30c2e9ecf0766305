"""Random draws that are a pure function of a key and a number.

Philox (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3") is a counter-based generator: draw
r of a key is the same in any process, in any order, with any number of workers. Only the raw 64-bit words are
used: numpy guarantees those across versions, and not what its distributions make of them (NEP 19).
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from assay.errors import InputError
from assay.stats._core import BoolArray, IntArray, count

__all__ = ["draw_indices", "draw_signs", "philox"]


def philox(key: str | bytes, stream: int = 0) -> np.random.Philox:
    """The generator of ``key``, at the start of one of its 2**64 streams; streams never overlap.

    The 128-bit Philox key is the head of the SHA-256 of the caller's key; the stream is the top counter word.
    """
    if not isinstance(key, str | bytes) or not key:
        raise InputError("randomness needs a key: a non-empty str or bytes")
    digest = hashlib.sha256(key.encode() if isinstance(key, str) else key).digest()
    words = np.frombuffer(digest[:16], dtype="<u8").astype(np.uint64)
    top = count("stream", stream)
    return np.random.Philox(key=words, counter=np.array([0, 0, 0, top], dtype=np.uint64))


def draw_indices(key: str | bytes, stream: int, n: int, size: int) -> IntArray:
    """``size`` indices in 0..n-1, with replacement, from 53 random bits each."""
    unit = (_raw(key, stream, size) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return (unit * n).astype(np.int64)


def draw_signs(key: str | bytes, stream: int, size: int) -> BoolArray:
    """``size`` fair coins."""
    words = _raw(key, stream, -(-size // 64)).astype("<u8")
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    return bits[:size].astype(np.bool_)


def _raw(key: str | bytes, stream: int, size: int) -> npt.NDArray[np.uint64]:
    return np.asarray(philox(key, stream).random_raw(size), dtype=np.uint64)
