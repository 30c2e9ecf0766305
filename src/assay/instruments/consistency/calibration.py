"""Consistency measured on subjects of known truth: do its intervals hold as often as they claim?

Every way to behave is played and judged once by the instrument itself (``simulation``). Cells are drawn from the
declared profiles and scored, and each interval is compared with the truth that follows from the profile and from what
each way is meant to show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from assay.instruments.consistency.measures.shares import ConsistencySettings
from assay.instruments.consistency.simulation.cells import (
    Cells,
    cells_of,
    difference_readings,
    readings_of,
    truths_of,
)
from assay.instruments.consistency.simulation.pool import TranscriptPool, pool_for
from assay.instruments.consistency.simulation.profiles import (
    QUICK_SIZES,
    SIZES,
    Profile,
    ProfilePair,
    draw,
    pairs,
    profiles,
)
from assay.measuring.calibration import GridBase, Key, Readings

__all__ = ["ConsistencyGrid", "Member"]

Member = Profile | ProfilePair


class ConsistencyGrid(GridBase[Member]):
    """The declared profiles and pairs of them, each with so many scenarios of every behaviour."""

    def __init__(self, members: Sequence[Member] | None = None, pool: TranscriptPool | None = None) -> None:
        self._members, self._pool = members, pool
        self.settings = ConsistencySettings()
        self.confidence = self.settings.confidence

    def members(self, quick: bool) -> Sequence[Member]:
        return (*profiles().values(), *pairs()) if self._members is None else self._members

    def sizes(self, quick: bool) -> Sequence[int]:
        return QUICK_SIZES if quick else SIZES

    def prepared(
        self,
        places: Sequence[tuple[Member, int]],
        runs: int,
        workers: int,
        progress: Callable[[int, int], None],
    ) -> ConsistencyGrid:
        """Play and judge everything that a cell can hold."""
        return ConsistencyGrid(self._members, self._pool or pool_for(self.settings))

    def draw(self, member: Member, n: int, runs: int) -> tuple[Cells, ...]:
        """The cells of a profile; of a pair those of both sides, also where a profile is compared with itself."""
        assert self._pool is not None, "cells are drawn from a grid that is prepared"
        if isinstance(member, Profile):
            return (cells_of(draw(member, n, runs), self._pool, self.settings),)
        return tuple(
            cells_of(draw(profile, n, runs, f"{member.name} {side}"), self._pool, self.settings)
            for side, profile in enumerate((member.first, member.second))
        )

    def truth(
        self, member: Member, n: int, drawn: tuple[Cells, ...]
    ) -> Mapping[Key, npt.NDArray[np.float64]]:
        if isinstance(member, Profile):
            truths = truths_of(member, n, self.settings)
        else:
            one, two = (truths_of(each, n, self.settings)["M5"] for each in (member.first, member.second))
            truths = {"M5_difference": two - one}
        runs = len(drawn[0].parts)
        return {Key(measure): np.full(runs, truth) for measure, truth in truths.items()}

    def read(self, member: Member, n: int, drawn: tuple[Cells, ...]) -> Mapping[Key, Readings]:
        if isinstance(member, Profile):
            return {Key(name): found for name, found in readings_of(drawn[0], self.settings).items()}
        first, second = drawn
        return {Key("M5_difference"): difference_readings(first, second, self.settings)}
