"""Consistency measured on subjects of known truth: do its intervals hold as often as they claim?

Every way to behave is played and judged once by the instrument itself (``simulation``). Cells are drawn from the
declared profiles and scored, and each interval is compared with the truth that follows from the profile and from what
each way is meant to show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from msgspec import Struct

from assay.instruments.consistency.measures.shares import Settings
from assay.instruments.consistency.simulation.cells import (
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
from assay.measuring.calibration import REQUIRED, Calibration, Point, point_of, points_at

__all__ = ["Simulator", "calibrate", "measured", "simulator_for"]

Place = tuple[Profile | ProfilePair, int]  # and how many scenarios of each behaviour


class Simulator(Struct, frozen=True, eq=False):
    """Everything that is worked out before the first cell is scored."""

    pool: TranscriptPool
    settings: Settings


def calibrate(
    runs: int,
    workers: int,
    quick: bool,
    progress: Callable[[int, int], None],
    *,
    version: str,
    grid: Sequence[Profile | ProfilePair] | None = None,
) -> Calibration:
    """Every profile and pair of the grid, the declared ones by default, at every size.

    The same numbers for any number of workers.
    """
    chosen: Sequence[Profile | ProfilePair] = (*profiles().values(), *pairs()) if grid is None else grid
    places = [(one, n) for one in chosen for n in (QUICK_SIZES if quick else SIZES)]
    progress(0, len(places))
    simulator = simulator_for()
    return Calibration(
        instrument="consistency",
        version=version,
        runs=runs,
        confidence=simulator.settings.confidence,
        required=REQUIRED,
        quick=quick,
        distributions={one.name: one.about for one in chosen},
        points=points_at(places, partial(measured, simulator, runs), workers, progress),
    )


def simulator_for(settings: Settings | None = None) -> Simulator:
    """Play and judge everything that a cell can hold."""
    settings = settings or Settings()
    return Simulator(pool_for(settings), settings)


def measured(simulator: Simulator, runs: int, place: Place) -> list[Point]:
    """One profile or pair at one size: every measure of every cell beside its truth."""
    one, n = place
    if isinstance(one, ProfilePair):
        return [_compared(simulator, runs, one, n)]
    settings = simulator.settings
    truths = truths_of(one, n, settings)
    readings = readings_of(cells_of(draw(one, n, runs), simulator.pool, settings), settings)
    return [
        point_of(one.name, n, measure, {}, np.full(runs, truths[measure]), found)
        for measure, found in readings.items()
    ]


def _compared(simulator: Simulator, runs: int, pair: ProfilePair, n: int) -> Point:
    """Both sides have cells of their own, also where a profile is compared with itself."""
    settings = simulator.settings
    first, second = (
        cells_of(draw(profile, n, runs, f"{pair.name} {side}"), simulator.pool, settings)
        for side, profile in enumerate((pair.first, pair.second))
    )
    one, two = (truths_of(profile, n, settings)["M5"] for profile in (pair.first, pair.second))
    truth = np.full(runs, two - one)
    return point_of(pair.name, n, "M5_difference", {}, truth, difference_readings(first, second, settings))
