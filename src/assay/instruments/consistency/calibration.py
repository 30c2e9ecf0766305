"""Consistency measured on subjects of known truth: is what its intervals claim so?

Every way to behave was played and judged once by the instrument itself (``calibration_pool``). Cells are drawn from
the declared rates of ``calibration_grid``, scored (``calibration_cells``), and each interval is held against the truth
that follows from the rates and from what each way is meant to show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from msgspec import Struct

from assay.measuring.calibration import REQUIRED, Calibration, Point, point_of, points_at

from .calibration_cells import cells_of, difference_readings, readings_of, truths_of
from .calibration_grid import GRID, PAIRS, QUICK_SIZES, SIZES, Pair, Subject, draw
from .calibration_pool import Pool, pool_for
from .measures import Settings

__all__ = ["Bench", "bench_for", "calibrate", "measured"]

Place = tuple[Subject | Pair, int]  # of the grid: who is measured, and how many scenarios of each behaviour


class Bench(Struct, frozen=True, eq=False):
    """Everything that is worked out before the first cell is scored."""

    pool: Pool
    settings: Settings


def calibrate(
    runs: int,
    workers: int,
    quick: bool,
    progress: Callable[[int, int], None],
    *,
    version: str,
    grid: Sequence[Subject | Pair] | None = None,
) -> Calibration:
    """Every subject and pair of the grid, the declared ones by default, at every size.

    The same numbers for any number of workers.
    """
    chosen: Sequence[Subject | Pair] = (*GRID, *PAIRS) if grid is None else grid
    places = [(one, n) for one in chosen for n in (QUICK_SIZES if quick else SIZES)]
    progress(0, len(places))
    bench = bench_for()
    return Calibration(
        instrument="consistency",
        version=version,
        runs=runs,
        confidence=bench.settings.confidence,
        required=REQUIRED,
        quick=quick,
        distributions={one.name: one.about for one in chosen},
        points=points_at(places, partial(measured, bench, runs), workers, progress),
    )


def bench_for(settings: Settings | None = None) -> Bench:
    """Play and judge everything that a cell can hold."""
    settings = settings or Settings()
    return Bench(pool_for(settings), settings)


def measured(bench: Bench, runs: int, place: Place) -> list[Point]:
    """One subject or pair at one size: every measure of every cell beside its truth."""
    one, n = place
    if isinstance(one, Pair):
        return [_compared(bench, runs, one, n)]
    settings = bench.settings
    truths = truths_of(one, n, settings)
    readings = readings_of(cells_of(draw(one, n, runs), bench.pool, settings), settings)
    return [
        point_of(one.name, n, measure, {}, np.full(runs, truths[measure]), found)
        for measure, found in readings.items()
    ]


def _compared(bench: Bench, runs: int, pair: Pair, n: int) -> Point:
    """Cells of their own on both sides, also where a subject is held against itself."""
    settings = bench.settings
    first, second = (
        cells_of(draw(subject, n, runs, f"{pair.name} {side}"), bench.pool, settings)
        for side, subject in enumerate((pair.first, pair.second))
    )
    one, two = (truths_of(subject, n, settings)["M5"] for subject in (pair.first, pair.second))
    truth = np.full(runs, two - one)
    return point_of(pair.name, n, "M5_difference", {}, truth, difference_readings(first, second, settings))
