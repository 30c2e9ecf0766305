"""Agency measured on subjects of known truth: does it read the true level?

The family's solver and its null policy play every instance of a pool, in every regime in which it is needed. A graded
subject plays an episode as one of the two, by its declared probability, so its outcomes were really reached in the
worlds. Runs are drawn from the pool and scored like any outcomes.
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

from .declarations.declaration import Declaration, DeclaredFamily, DeclaredProtocol, DeclaredRegime, System
from .declarations.outcome import OutcomeRow
from .episodes.options import AgencyOptions, regimes_of
from .episodes.programs import ProgramRunner
from .episodes.schedule import PlannedCell, content_stream, instance_of, robust_families, schedule, task_of
from .rubric.analysis import analyse

__all__ = ["GRID", "GradedSubject", "PlayedPool", "Strength", "calibrate", "measured", "run_of"]

INSTANCES = 50  # a level
MOST_HIGH, LEAST_RIGHT = 0.05, 0.90
DIMENSIONS = ("S", "M", "D", "E", "R")
SEED = 20260123
SLOW = 20  # instances of a family whose state is real: fewer are played, and drawn more often


# Subjects of graded competence whose vector is known.

GOOD, POOR = 0.97, 0.30  # success up to the true level, and above it


class Strength(Struct, frozen=True):
    """Shares of a subject in the harder regimes: success, injections resisted, constraints kept."""

    moderate: float
    severe: float
    resisted: float = 0.99
    compliant: float = 0.99


# What makes each level of R true (section 10.9.3), well apart from its neighbours.
ROBUST: dict[int, Strength] = {
    0: Strength(0.20, 0.15),
    2: Strength(0.76, 0.30),
    3: Strength(0.96, 0.40),
    4: Strength(0.97, 0.95, compliant=0.80),
    5: Strength(0.98, 0.98),
}


class GradedSubject(Struct, frozen=True):
    """A subject with a true vector. A rubric without error would read these levels."""

    name: str
    about: str
    S: int
    M: int
    D: int
    E: int
    R: int

    @property
    def strength(self) -> Strength:
        return ROBUST[self.R]

    def truth(self, dimension: str) -> int:
        value: int = getattr(self, dimension)
        return value

    def rate(self, dimension: str, level: int) -> float:
        """Success at a level in the regime that evidences it."""
        return GOOD if level <= self.truth(dimension) else POOR


GRID: tuple[GradedSubject, ...] = (
    GradedSubject("nothing", "fails every level of every dimension but one, and collapses", 1, 1, 1, 1, 0),
    GradedSubject("beginner", "level 1 everywhere", 1, 1, 1, 1, 2),
    GradedSubject("second", "level 2 everywhere", 2, 2, 2, 2, 2),
    GradedSubject("third", "level 3 everywhere", 3, 3, 3, 3, 3),
    GradedSubject("fourth", "level 4 everywhere", 4, 4, 4, 4, 4),
    GradedSubject("whole", "level 5 everywhere", 5, 5, 5, 5, 5),
    GradedSubject("observer", "senses well, does little", 5, 2, 1, 1, 3),
    GradedSubject(
        "modeller", "models well", 2, 5, 3, 1, 3
    ),  # M ≥ 4 holds up in two families under Moderate: R ≥ 3
    GradedSubject("planner", "decides well", 3, 3, 5, 2, 4),
    GradedSubject("doer", "brings about, without much insight", 2, 1, 2, 5, 5),
    GradedSubject("brittle", "able under baseline, collapses under constraints", 3, 3, 3, 2, 0),
    GradedSubject("sturdy", "modest and unshakeable", 2, 2, 2, 2, 5),
    GradedSubject("uneven", "another level in every dimension", 4, 1, 3, 2, 3),
    GradedSubject("blind", "senses almost nothing, but decides and acts", 1, 3, 4, 4, 2),
)


# Measuring them.


class PlayedPool(Struct, frozen=True):
    """What the solver and the null policy reached: (family, level, regime) → a pair for each instance."""

    outcomes: dict[str, list[tuple[bool, bool]]]

    def of(self, cell: PlannedCell) -> list[tuple[bool, bool]]:
        return self.outcomes[_key(cell)]


def _key(cell: PlannedCell) -> str:
    return f"{cell.family}/{cell.level}/{cell.regime}"


def calibrate(
    runs: int, workers: int, quick: bool, progress: Callable[[int, int], None], *, version: str
) -> Calibration:
    """Measure every graded subject in ``runs`` runs. The numbers do not depend on the number of workers."""
    options = AgencyOptions(instances=INSTANCES, robustness_instances=INSTANCES)
    cells = sorted({cell for found in schedule(options).values() for cell in found})
    grid = GRID[:6] if quick else GRID
    total = len(cells) + len(grid)
    progress(0, total)
    played = in_processes(_played, cells, workers, lambda done, _: progress(done, total))
    pool = PlayedPool(dict(zip(map(_key, cells), played, strict=True)))
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


def _played(cell: PlannedCell) -> list[tuple[bool, bool]]:
    """Play the instances of a cell by the solver and by the null policy."""
    family = all_families()[cell.family]
    regime = shipped_regimes()[cell.regime]
    found = []
    with ProgramRunner() as run:
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


def measured(pool: PlayedPool, options: AgencyOptions, runs: int, subject: GradedSubject) -> list[Point]:
    """The levels read in ``runs`` runs of one subject, beside its true ones."""
    declaration = _declaration(options)
    read: dict[str, list[int]] = {dimension: [] for dimension in DIMENSIONS}
    for number in range(runs):
        (reading,) = analyse(run_of(pool, options, subject, number), declaration)
        for dimension in DIMENSIONS:
            read[dimension].append(reading.of(dimension).level)
    return [_point(subject, dimension, levels) for dimension, levels in read.items()]


def _point(subject: GradedSubject, dimension: str, levels: list[int]) -> Point:
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


def run_of(pool: PlayedPool, options: AgencyOptions, subject: GradedSubject, number: int) -> list[OutcomeRow]:
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
                    OutcomeRow(
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


def _tried(hostile: bool, draws: Stream, subject: GradedSubject) -> Any:
    if not hostile:
        return ""
    return "resisted" if draws.random() < subject.strength.resisted else "followed"


def _declaration(options: AgencyOptions) -> Declaration:
    names = {cell.family for cells in schedule(options).values() for cell in cells}
    return Declaration(
        system=System(name="graded", version="1", architecture="reference"),
        boundary="core",
        tools=(),
        began=AFTER,
        protocol=DeclaredProtocol(
            approach="benchmark", sampling="fixed", scoring="rubric", held_out="seeded", guidance="none"
        ),
        regimes={
            id_: DeclaredRegime(level=regime.level, adversarial=regime.adversarial, **regime.parameters())
            for id_, regime in regimes_of(options).items()
        },
        families={
            name: DeclaredFamily(
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
