"""Repeatability measured on subjects of known truth: is what its intervals claim so?

Cells are drawn from the declared distributions of ``simulation``; their outputs were judged, compared and repaired
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
from assay.instruments.repeatability.programs.contracts import Contract, shipped_contracts
from assay.instruments.repeatability.simulation import readings
from assay.instruments.repeatability.simulation.distributions import (
    GRID,
    QUICK_SIZES,
    SIZES,
    Distribution,
    Roster,
    draw,
)
from assay.instruments.repeatability.simulation.outputs import (
    CanonTables,
    SimulatedOutputs,
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
    """Everything that is worked out of one contract before the first cell is scored."""

    roster: Roster
    outputs: SimulatedOutputs
    canons: CanonTables
    settings: Settings


class RepeatabilityGrid(GridBase[Distribution]):
    """Every distribution, the declared ones by default, at every size."""

    def __init__(
        self,
        distributions: Sequence[Distribution] | None = None,
        simulated: Mapping[str, Simulated] | None = None,
    ) -> None:
        self.distributions = GRID if distributions is None else distributions
        self._simulated = simulated or {}  # by contract

    def simulated(self, contract: str) -> Simulated:
        assert contract in self._simulated, "a grid is prepared before cells are drawn"
        return self._simulated[contract]

    def members(self, quick: bool) -> Sequence[Distribution]:
        return self.distributions

    def sizes(self, quick: bool) -> Sequence[int]:
        return QUICK_SIZES if quick else SIZES

    def prepared(self, places: Sequence[Place], runs: int, workers: int, progress: Done) -> Self:
        """Judge, compare and repair every output that these cells can draw."""

        async def simulate() -> dict[str, Simulated]:
            # The programs are our own: where there is no sandbox they may run without one.
            async with Sandbox(workers=workers, allow_unconfined_code=True) as sandbox:
                return {
                    name: await self._of_contract(
                        shipped_contracts()[name], [p for p in places if p[0].contract == name], runs, sandbox
                    )
                    for name in dict.fromkeys(member.contract for member, _ in places)
                }

        return type(self)(self.distributions, asyncio.run(simulate()))

    async def _of_contract(
        self, contract: Contract, places: Sequence[Place], runs: int, sandbox: Sandbox
    ) -> Simulated:
        distributions = tuple({d.name: d for d, _ in places}.values())
        roster = Roster(contract, distributions, max(n for _, n in places))
        settings = Settings(repair=True, confidence=self.confidence)
        outputs = await judged(contract, roster.codes, sandbox)
        pairs = _meeting(places, roster, outputs, runs)
        canons = await tables_of(contract, outputs, pairs, settings, sandbox)
        return Simulated(roster, outputs, canons, settings)

    def draw(self, member: Distribution, n: int, runs: int) -> Ids:
        return draw(member, self.simulated(member.contract).roster, n, runs)

    def truth(self, member: Distribution, n: int, drawn: Ids) -> Mapping[Key, Floats]:
        """Anchored measures are true of a cell given its canon."""
        found = self.simulated(member.contract)
        kinds = kinds_of(member, found.roster)
        truths = {
            _key(*key): np.full(len(drawn), truth)
            for key, truth in canon_free_truths(kinds, found.outputs, n).items()
        }
        anchored = (*PRE, *(POST if found.outputs.kind.repairs else ()))
        for level in found.outputs.levels:
            truths |= {_key(name, level): np.full(len(drawn), np.nan) for name in anchored}
        _, canon = readings.canons_of(drawn, found.outputs)
        for number in np.unique(canon[canon >= 0]).tolist():
            for key, truth in anchored_truths(kinds, found.canons, number).items():
                if key[0] in anchored:
                    truths[_key(*key)][canon == number] = truth
        return truths

    def read(self, member: Distribution, n: int, drawn: Ids) -> Mapping[Key, Readings]:
        found = self.simulated(member.contract)
        read = {
            **readings.canon_free_readings(drawn, found.outputs, self.confidence),
            **readings.anchored_readings(drawn, found.outputs, found.canons, self.confidence),
        }
        return {_key(*key): one for key, one in read.items()}


def _key(name: str, where: str) -> Key:
    label = "field" if name == "field_agreement" else "rung" if name in BY_RUNG else "level"
    return Key(name, ((label, where),) if where else ())


def _meeting(
    places: Sequence[Place], roster: Roster, outputs: SimulatedOutputs, runs: int
) -> list[tuple[int, int]]:
    """Every output with every canon it meets in some cell, or would in a longer run."""
    found: set[tuple[int, int]] = set()
    for distribution, n in places:
        ids = draw(distribution, roster, n, runs)
        _, canon = readings.canons_of(ids, outputs)
        for number in np.unique(canon[canon >= 0]).tolist():
            met = np.unique(ids[canon == number]).tolist()
            typical = [i for kind in kinds_of(distribution, roster) for i in (kind.one, kind.another)]
            found.update((output, number) for output in (*met, *typical))
    return sorted(found)
