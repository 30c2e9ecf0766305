"""The drill's own error: counters of known luck, read as any run is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.measuring import share_of_outcomes
from assay.measuring.calibration import GridBase, Key, Readings

REACHED = Key("reached")
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class Lucky(NamedTuple):
    name: str
    about: str
    chance: float


class DrillGrid(GridBase[Lucky]):
    def members(self, quick: bool) -> Sequence[Lucky]:
        chances = (0.1, 0.5) if quick else (0.0, 0.1, 0.5, 0.9, 1.0)
        return [Lucky(f"lucky_{c:g}", f"reaches its target with probability {c:g}", c) for c in chances]

    def sizes(self, quick: bool) -> Sequence[int]:
        return (10,) if quick else (10, 50)

    def draw(self, member: Lucky, n: int, runs: int) -> Counts:
        return np.random.default_rng([n, round(100 * member.chance)]).binomial(n, member.chance, runs)

    def truth(self, member: Lucky, n: int, drawn: Counts) -> Mapping[Key, Floats]:
        return {REACHED: np.full(len(drawn), member.chance)}

    def read(self, member: Lucky, n: int, drawn: Counts) -> Mapping[Key, Readings]:
        by_count = [share_of_outcomes("reached", {"subject": member.name}, k, n - k) for k in range(n + 1)]
        read = [by_count[k] for k in drawn]
        ends = [np.array([getattr(m, part) for m in read], dtype=float) for part in ("value", "low", "high")]
        return {REACHED: Readings(*ends)}
