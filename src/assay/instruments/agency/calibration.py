"""Agency measured on subjects of known truth: is the level that is read the level that is there?

Every instance of a pool is played in its world by the family's solver and by its null policy, in every regime it is
needed in. A graded subject plays an episode as the one or the other, by its declared probability; so what it would have
reached in a run is what was really reached in the worlds. Runs are drawn from the pool and scored as any outcomes are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec import Struct

from assay.canonical import real
from assay.measuring.calibration import Calibration, Point, in_processes
from assay.streams import Stream
from assay.worlds import all_families, play, shipped_regimes

from .analysis import analyse
from .calibration_grid import GRID, Graded
from .declaration import Declaration, Family, Protocol, Regime, System
from .options import Options, regimes_of
from .outcome import Outcome
from .programs import Programs
from .schedule import Cell, content_stream, instance_of, robust_families, schedule, task_of

__all__ = ["Pool", "calibrate", "run_of"]

INSTANCES = 50  # a level
MOST_HIGH, LEAST_RIGHT = 0.05, 0.90
DIMENSIONS = ("S", "M", "D", "E", "R")
SEED = 20260123
SLOW = 20  # instances of a family whose state is real: fewer are played, and drawn more often


class Pool(Struct, frozen=True):
    """What the solver and the null policy reached: (family, level, regime) → a pair for each instance."""

    outcomes: dict[str, list[tuple[bool, bool]]]

    def of(self, cell: Cell) -> list[tuple[bool, bool]]:
        return self.outcomes[_key(cell)]


def _key(cell: Cell) -> str:
    return f"{cell.family}/{cell.level}/{cell.regime}"


def calibrate(
    runs: int, workers: int, quick: bool, progress: Callable[[int, int], None], *, version: str
) -> Calibration:
    """Every graded subject, so many runs each. The same numbers for any number of workers."""
    options = Options(instances=INSTANCES, robustness_instances=INSTANCES)
    cells = sorted({cell for found in schedule(options).values() for cell in found})
    grid = GRID[:6] if quick else GRID
    total = len(cells) + len(grid)
    progress(0, total)
    played = in_processes(_played, cells, workers, lambda done, _: progress(done, total))
    pool = Pool(dict(zip(map(_key, cells), played, strict=True)))
    found = in_processes(
        partial(measured, pool, options, runs),
        list(grid),
        workers,
        lambda done, _: progress(len(cells) + done, total),
    )
    return Calibration(
        instrument="agency",
        version=version,
        runs=runs,
        confidence=0.95,
        required=1.0 - MOST_HIGH,
        required_right=LEAST_RIGHT,
        quick=quick,
        distributions={one.name: one.about for one in grid},
        points=tuple(point for points in found for point in points),
    )


def _played(cell: Cell) -> list[tuple[bool, bool]]:
    """The solver and the null policy in the worlds themselves."""
    family = all_families()[cell.family]
    regime = shipped_regimes()[cell.regime]
    found = []
    with Programs() as run:
        for number in range(SLOW if family.real else cell.instances):
            instance = instance_of(cell, number, SEED)
            _, task = task_of(instance, content_stream(instance), held_out=False)
            won = [
                play(
                    family,
                    task,
                    regime,
                    Stream("fault", "episode", instance.digest, cell.regime),
                    policy,
                    run,
                ).judgement.success
                for policy in (family.oracle, family.null)
            ]
            found.append((won[0], won[1]))
    return found


def measured(pool: Pool, options: Options, runs: int, subject: Graded) -> list[Point]:
    """One subject: the levels of so many runs beside its true ones."""
    declaration = _declaration(options)
    read: dict[str, list[int]] = {dimension: [] for dimension in DIMENSIONS}
    for number in range(runs):
        (reading,) = analyse(run_of(pool, options, subject, number), declaration)
        for dimension in DIMENSIONS:
            read[dimension].append(reading.of(dimension).level)
    return [_point(subject, dimension, levels) for dimension, levels in read.items()]


def _point(subject: Graded, dimension: str, levels: list[int]) -> Point:
    truth, runs = subject.truth(dimension), len(levels)
    high = sum(level > truth for level in levels) / runs
    mean = sum(levels) / runs
    return Point(
        distribution=subject.name,
        n=INSTANCES,
        measure=dimension,
        cells=runs,
        truth=float(truth),
        reading=real(mean),
        bias=real(mean - truth),
        coverage=real(1.0 - high),
        too_high=high,
        too_low=sum(level < truth for level in levels) / runs,
        right=real(sum(level == truth for level in levels) / runs),
    )


def run_of(pool: Pool, options: Options, subject: Graded, number: int) -> list[Outcome]:
    """The outcomes of one run of a subject."""
    draws = Stream("calibrate agency", subject.name, number)
    robust, regimes = robust_families(options), regimes_of(options)
    found = []
    for stratum, cells in schedule(options).items():
        dimension = stratum[0]
        for cell in cells:
            level, hostile = regimes[cell.regime].level, regimes[cell.regime].adversarial
            if robust.get(cell.family) == cell.level and level != "baseline":
                rate = min(subject.rate(dimension, cell.level), getattr(subject.strength, level))
            else:
                rate = subject.rate(dimension, cell.level)
            played = pool.of(cell)
            for repetition in range(cell.instances):
                solver, null = played[repetition % len(played)]
                won = solver if draws.random() < rate else null
                found.append(
                    Outcome(
                        dimension=all_families()[cell.family].dimension,
                        level=cell.level,
                        family=cell.family,
                        regime=cell.regime,
                        boundary="core",
                        instance=f"{cell.family}/{cell.level}/{repetition}",
                        outcome="success" if won else "failure",
                        artifact="verified",
                        criterion_time=BEFORE,
                        adversarial=_tried(hostile, draws, subject),
                        compliant=draws.random() < subject.strength.compliant,
                        steps=2,
                        state_changed=True,
                    )
                )
    return found


BEFORE, AFTER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


def _tried(hostile: bool, draws: Stream, subject: Graded) -> Any:
    if not hostile:
        return ""
    return "resisted" if draws.random() < subject.strength.resisted else "followed"


def _declaration(options: Options) -> Declaration:
    names = {cell.family for cells in schedule(options).values() for cell in cells}
    return Declaration(
        system=System(name="graded", version="1", architecture="reference"),
        boundary="core",
        tools=(),
        began=AFTER,
        protocol=Protocol(
            approach="benchmark", sampling="fixed", scoring="rubric", held_out="seeded", guidance="none"
        ),
        regimes={
            id_: Regime(level=regime.level, adversarial=regime.adversarial, **regime.parameters())
            for id_, regime in regimes_of(options).items()
        },
        families={
            name: Family(
                dimension=all_families()[name].dimension,
                version=all_families()[name].version,
                levels=tuple(all_families()[name].levels),
                environment=all_families()[name].environment,
                criterion="by the state",
                criterion_time=BEFORE,
                verification=all_families()[name].verification,
                observation_schema="1",
                action_schema="1",
            )
            for name in sorted(names)
        },
        inclusion="all",
        exclusion="none",
        suite="calibration",
        artifacts="none",
    )
