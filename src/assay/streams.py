"""Random draws that anyone can make again: SHA-256 in counter mode, keyed by words.

Not ``random.Random``: its algorithms for choices and shuffles have changed between Python versions, and a
draw must be the same on every machine for as long as a ledger is kept.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["Stream"]

T = TypeVar("T")


class Stream:
    """A deterministic stream of draws. Equal keys give equal streams, different keys independent ones.

    A number and its decimal spelling are the same key.
    """

    __slots__ = ("_block", "_counter", "_key", "_left")

    def __init__(self, *key: str | int) -> None:
        parts = [str(part) for part in key]
        if any("\x1f" in part for part in parts):
            raise ValueError("a stream's key cannot contain U+001F, which separates its parts")
        text = "\x1f".join(parts)
        self._key = hashlib.sha256(text.encode()).digest()
        self._counter = 0
        self._block = b""
        self._left = 0

    @property
    def fingerprint(self) -> str:
        """Names the stream in a record: equal fingerprints, equal draws."""
        return self._key.hex()

    def bits64(self) -> int:
        if not self._left:
            self._block = hashlib.sha256(self._key + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
            self._left = 4
        self._left -= 1
        return int.from_bytes(self._block[self._left * 8 : self._left * 8 + 8], "big")

    def random(self) -> float:
        """Uniform on [0, 1), 53 bits."""
        return (self.bits64() >> 11) * 2.0**-53

    def below(self, n: int) -> int:
        """Uniform on 0 … n-1, without modulo bias."""
        if not 0 < n <= 1 << 64:
            raise ValueError(f"cannot draw below {n}")
        limit = (1 << 64) - (1 << 64) % n
        while (draw := self.bits64()) >= limit:
            pass
        return draw % n

    def integer(self, low: int, high: int) -> int:
        """Uniform on low … high, both included."""
        return low + self.below(high - low + 1)

    def choice(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """A Fisher–Yates shuffle, as a new list."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """One option, drawn in proportion to its weight."""
        # fsum: the built-in sum of reals rounds differently from Python 3.12 on
        total = math.fsum(weights)
        if not 0 < total < math.inf or min(weights) < 0:
            raise ValueError("weights must not be negative, and not all zero")
        point = self.random() * total
        last = options[0]
        for option, weight in zip(options, weights, strict=True):
            if weight > 0:
                last = option
                point -= weight
                if point < 0:
                    break
        return last
