"""Repeatability measured on subjects of known truth: is what its intervals claim so?

Cells are drawn from the declared distributions of ``simulation``; their programs were run, compared and repaired
once by the instrument itself. Every cell is then scored as any other, and each interval held against the truth.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from assay.instruments.repeatability.measures.anchored import POST, PRE
from assay.instruments.repeatability.measures.settings import Settings
from assay.instruments.repeatability.programs.repair import LEVELS
from assay.instruments.repeatability.simulation import readings
from assay.instruments.repeatability.simulation.distributions import (
    GRID,
    QUICK_SIZES,
    SIZES,
    Distribution,
    Roster,
    calibration_contract,
    draw,
)
from assay.instruments.repeatability.simulation.outputs import (
    CanonTables,
    SimulatedPrograms,
    judged,
    tables_of,
)
from assay.instruments.repeatability.simulation.truth import anchored_truths, canon_free_truths, kinds_of
from assay.measuring.calibration import Done, GridBase, Key, Readings
from assay.sandbox import Sandbox

__all__ = ["Place", "RepeatabilityGrid", "Simulated"]

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
BY_RUNG = ("R", "pairwise_agreement", "entropy", "novelty")
Place = tuple[Distribution, int]  # of the grid: what is drawn, and how many


class Simulated(Struct, frozen=True):
    """Everything that is worked out before the first cell is scored."""

    roster: Roster
    programs: SimulatedPrograms
    canons: CanonTables
    settings: Settings


class RepeatabilityGrid(GridBase[Distribution]):
    """Every distribution, the declared ones by default, at every size."""

    def __init__(
        self, distributions: Sequence[Distribution] | None = None, simulated: Simulated | None = None
    ) -> None:
        self.distributions, self._simulated = GRID if distributions is None else distributions, simulated

    @property
    def simulated(self) -> Simulated:
        assert self._simulated is not None, "a grid is prepared before cells are drawn"
        return self._simulated

    def members(self, quick: bool) -> Sequence[Distribution]:
        return self.distributions

    def sizes(self, quick: bool) -> Sequence[int]:
        return QUICK_SIZES if quick else SIZES

    def prepared(self, places: Sequence[Place], runs: int, workers: int, progress: Done) -> Self:
        """Run, compare and repair every program that these cells can draw."""
        contract = calibration_contract()
        distributions = tuple({d.name: d for d, _ in places}.values())
        roster = Roster(contract, distributions, max(n for _, n in places))
        settings = Settings(repair=True, confidence=self.confidence)

        async def simulate() -> Simulated:
            # The programs are our own: where there is no sandbox they may run without one.
            async with Sandbox(workers=workers, allow_unconfined_code=True) as sandbox:
                programs = await judged(contract, roster.codes, sandbox)
                pairs = _meeting(places, roster, programs, runs)
                canons = await tables_of(contract, programs, pairs, settings, sandbox)
            return Simulated(roster, programs, canons, settings)

        return type(self)(self.distributions, asyncio.run(simulate()))

    def draw(self, member: Distribution, n: int, runs: int) -> Ids:
        return draw(member, self.simulated.roster, n, runs)

    def truth(self, member: Distribution, n: int, drawn: Ids) -> Mapping[Key, Floats]:
        """Anchored measures are true of a cell given its canon."""
        found = self.simulated
        kinds = kinds_of(member, found.roster)
        truths = {
            _key(*key): np.full(len(drawn), truth)
            for key, truth in canon_free_truths(kinds, found.programs, n).items()
        }
        for level in LEVELS:
            truths |= {_key(name, level): np.full(len(drawn), np.nan) for name in (*PRE, *POST)}
        _, canon = readings.canons_of(drawn, found.programs)
        for number in np.unique(canon[canon >= 0]).tolist():
            for key, truth in anchored_truths(kinds, found.canons, number).items():
                truths[_key(*key)][canon == number] = truth
        return truths

    def read(self, member: Distribution, n: int, drawn: Ids) -> Mapping[Key, Readings]:
        found = self.simulated
        read = {
            **readings.canon_free_readings(drawn, found.programs, self.confidence),
            **readings.anchored_readings(drawn, found.programs, found.canons, self.confidence),
        }
        return {_key(*key): one for key, one in read.items()}


def _key(name: str, where: str) -> Key:
    return Key(name, (("rung" if name in BY_RUNG else "level", where),) if where else ())


def _meeting(
    places: Sequence[Place], roster: Roster, programs: SimulatedPrograms, runs: int
) -> list[tuple[int, int]]:
    """Every program with every canon it meets in some cell, or would in a longer run."""
    found: set[tuple[int, int]] = set()
    for distribution, n in places:
        ids = draw(distribution, roster, n, runs)
        _, canon = readings.canons_of(ids, programs)
        for number in np.unique(canon[canon >= 0]).tolist():
            met = np.unique(ids[canon == number]).tolist()
            typical = [i for kind in kinds_of(distribution, roster) for i in (kind.one, kind.another)]
            found.update((program, number) for program in (*met, *typical))
    return sorted(found)
