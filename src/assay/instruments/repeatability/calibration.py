"""Repeatability measured on subjects of known truth: is what its intervals claim so?

Cells are drawn from the declared distributions of ``calibration_grid``; their programs were run, compared and
repaired once by the instrument itself (``calibration_programs``). Every cell is then scored, and each interval
held against the truth of ``calibration_truth``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from assay.measuring.calibration import REQUIRED, Calibration, Point, Readings, point_of, points_at
from assay.sandbox import Sandbox

from .calibration_cells import anchored_readings, canon_free_readings, canons_of
from .calibration_grid import (
    GRID,
    QUICK_SIZES,
    SIZES,
    Distribution,
    Roster,
    calibration_contract,
    draw,
)
from .calibration_programs import Canons, Programs, judged, tables_of
from .calibration_truth import Key, anchored_truths, canon_free_truths, kinds_of
from .measures import Settings

__all__ = ["Bench", "Place", "bench_for", "calibrate", "measured"]

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
BY_RUNG = ("R", "pairwise_agreement", "entropy", "novelty")
Place = tuple[Distribution, int]  # of the grid: what is drawn, and how many


class Bench(Struct, frozen=True):
    """Everything that is worked out before the first cell is scored."""

    roster: Roster
    programs: Programs
    canons: Canons
    settings: Settings


def calibrate(
    runs: int,
    workers: int,
    quick: bool,
    progress: Callable[[int, int], None],
    *,
    version: str,
    grid: Sequence[Distribution] | None = None,
) -> Calibration:
    """Every distribution of the grid, the declared one by default, at every size.

    The same numbers for any number of workers.
    """
    chosen = GRID if grid is None else grid
    places = [(distribution, n) for distribution in chosen for n in (QUICK_SIZES if quick else SIZES)]
    progress(0, len(places))
    bench = bench_for(places, runs, workers)
    return Calibration(
        instrument="repeatability",
        version=version,
        runs=runs,
        confidence=bench.settings.confidence,
        required=REQUIRED,
        quick=quick,
        distributions={distribution.name: distribution.about for distribution in chosen},
        points=points_at(places, partial(measured, bench, runs), workers, progress),
    )


def bench_for(places: Sequence[Place], runs: int, workers: int = 1) -> Bench:
    """Run, compare and repair every program that these cells can draw."""
    contract = calibration_contract()
    distributions = tuple({d.name: d for d, _ in places}.values())
    roster = Roster(contract, distributions, max(n for _, n in places))
    settings = Settings(repair=True)

    async def work_out() -> Bench:
        # The programs are our own: where there is no sandbox they may run without one.
        async with Sandbox(workers=workers, allow_unconfined_code=True) as sandbox:
            programs = await judged(contract, roster.codes, sandbox)
            pairs = _meeting(places, roster, programs, runs)
            canons = await tables_of(contract, programs, pairs, settings, sandbox)
        return Bench(roster, programs, canons, settings)

    return asyncio.run(work_out())


def _meeting(places: Sequence[Place], roster: Roster, programs: Programs, runs: int) -> list[tuple[int, int]]:
    """Every program with every canon it meets in some cell, or would in a longer run."""
    found: set[tuple[int, int]] = set()
    for distribution, n in places:
        ids = draw(distribution, roster, n, runs)
        _, canon = canons_of(ids, programs)
        for number in np.unique(canon[canon >= 0]).tolist():
            met = np.unique(ids[canon == number]).tolist()
            typical = [i for kind in kinds_of(distribution, roster) for i in (kind.one, kind.another)]
            found.update((program, number) for program in (*met, *typical))
    return sorted(found)


def measured(bench: Bench, runs: int, place: Place) -> list[Point]:
    """One distribution at one size: every measure of every cell beside its truth."""
    distribution, n = place
    ids = draw(distribution, bench.roster, n, runs)
    kinds = kinds_of(distribution, bench.roster)
    confidence = bench.settings.confidence
    readings = canon_free_readings(ids, bench.programs, confidence)
    truths: dict[Key, Floats] = {
        key: np.full(runs, truth) for key, truth in canon_free_truths(kinds, bench.programs, n).items()
    }
    anchored = anchored_readings(ids, bench.programs, bench.canons, confidence)
    _, canon = canons_of(ids, bench.programs)
    for key in anchored:
        truths[key] = np.full(runs, np.nan)
    for number in np.unique(canon[canon >= 0]).tolist():
        for key, truth in anchored_truths(kinds, bench.canons, number).items():
            truths[key][canon == number] = truth
    every: dict[Key, Readings] = {**readings, **anchored}
    return [
        point_of(distribution.name, n, name, _labels(name, where), truths[name, where], found)
        for (name, where), found in every.items()
    ]


def _labels(name: str, where: str) -> dict[str, str]:
    return {"rung" if name in BY_RUNG else "level": where} if where else {}
