"""Agency measured on subjects of known truth: does it read the true level?

The family's solver and its null policy play every instance of a pool, in every regime in which it is needed. A graded
subject plays an episode as one of the two, by its declared probability, so its outcomes were really reached in the
worlds. Runs are drawn from the pool and scored like any outcomes. Learners are drawn as counts (``simulation``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from msgspec import Struct

from assay.measuring.calibration import Floats, GridBase, Key, Readings, in_processes
from assay.streams import Stream
from assay.worlds import all_families, drawn_task, play, shipped_regimes

from .declarations.declaration import Declaration, DeclaredFamily, DeclaredProtocol, System
from .declarations.outcome import PARTS, OutcomeRow
from .episodes.locked import conditions_of, declared_regime
from .episodes.programs import ProgramRunner
from .episodes.schedule import (
    PlannedCell,
    content_stream,
    evidencing,
    instance_of,
    possible_cells,
    robust_cells,
    robust_places,
    schedule,
    task_of,
)
from .gates.simulation import GATE_SUBJECTS, GradedStage, drawn_stage, gates_passed
from .intervention.simulation import (
    INTERVENERS,
    RESULTS,
    GradedIntervener,
    drawn_intervener,
    results_passed,
)
from .learning.comparisons import LearningTally
from .learning.simulation import LEARNERS, GradedLearner, drawn_learning
from .options import AgencyOptions, regimes_of
from .rubric.analysis import analyse
from .rubric.criteria import rubric
from .rubric.learning import learning_level
from .rubric.tally import SubjectTally

__all__ = ["GRID", "AgencyGrid", "GradedSubject", "Strength", "cell_key"]

INSTANCES = 50  # a level
MOST_HIGH, LEAST_RIGHT = 0.05, 0.90
DIMENSIONS = ("S", "M", "D", "E", "R", *PARTS)
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
    0: Strength(0.05, 0.05),  # guessing adds up to .26 of the rest
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
    G1: int = 0
    G2: int = 0
    G3: int = 0

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
    GradedSubject(
        "nothing", "fails every level of every dimension but one, and collapses", 1, 1, 1, 1, 0, 0, 0, 0
    ),
    GradedSubject("beginner", "level 1 everywhere", 1, 1, 1, 1, 2, 1, 1, 1),
    GradedSubject("second", "level 2 everywhere", 2, 2, 2, 2, 2, 2, 2, 2),
    GradedSubject("third", "level 3 everywhere", 3, 3, 3, 3, 3, 3, 3, 3),
    GradedSubject("fourth", "level 4 everywhere", 4, 4, 4, 4, 4, 4, 4, 4),
    GradedSubject("whole", "level 5 everywhere", 5, 5, 5, 5, 5, 5, 5, 5),
    GradedSubject("observer", "senses well, does little", 5, 2, 1, 1, 4, 1, 0, 0),
    # What shows a level under Moderate or Severe holds up there: a subject with a 5 is robust in that family (R ≥ 4).
    GradedSubject("modeller", "models well", 2, 5, 3, 1, 4, 5, 2, 0),
    GradedSubject("planner", "decides well", 3, 3, 5, 2, 4, 3, 5, 1),
    GradedSubject("doer", "brings about, without much insight", 2, 1, 2, 5, 5, 0, 1, 3),
    GradedSubject("brittle", "able under baseline, collapses under constraints", 3, 3, 3, 2, 0, 2, 2, 3),
    GradedSubject("sturdy", "modest and unshakeable", 2, 2, 2, 2, 5, 4, 4, 1),
    GradedSubject("uneven", "another level in every dimension", 4, 1, 3, 2, 3, 5, 0, 2),
    GradedSubject("blind", "senses almost nothing, but decides and acts", 1, 3, 4, 4, 3, 0, 3, 5),
)


# The worlds that they play in.

PlayedCells = dict[
    str, list[tuple[bool, bool]]
]  # cell → for each instance, did the solver and the null policy succeed?


def cell_key(cell: PlannedCell) -> str:
    return f"{cell.family}/{cell.level}/{cell.regime}/{cell.first}"


def _play(cell: PlannedCell) -> list[tuple[bool, bool]]:
    """Play the instances of a cell by the solver and by the null policy."""
    family = all_families()[cell.family]
    regime = shipped_regimes()[cell.regime]
    found = []
    with ProgramRunner() as run:
        for number in cell.numbers[:SLOW] if family.real else cell.numbers:
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


BEFORE, AFTER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


Graded = GradedSubject | GradedLearner | GradedStage | GradedIntervener


class AgencyGrid(GridBase[Graded]):
    """The graded subjects, each in whole runs, and the learners. ``played`` is worked out before the first run."""

    required = 1.0 - MOST_HIGH
    required_right = LEAST_RIGHT
    options = AgencyOptions(
        dimensions=("S", "M", "D", "E", "R", "G"), instances=INSTANCES, robustness_instances=INSTANCES
    )

    def __init__(self, played: PlayedCells | None = None) -> None:
        self.played = played or {}

    def members(self, quick: bool) -> tuple[Graded, ...]:
        return (*(GRID[:6] if quick else GRID), *LEARNERS, *GATE_SUBJECTS, *INTERVENERS)

    def sizes(self, quick: bool) -> tuple[int, ...]:
        return (INSTANCES,)

    def prepared(
        self,
        places: Sequence[tuple[Graded, int]],
        runs: int,
        workers: int,
        progress: Callable[[int, int], None],
    ) -> Self:
        if self.played:
            return self
        cells = sorted(set(possible_cells(self.options)))
        played = in_processes(_play, cells, workers, progress)
        return type(self)(dict(zip(map(cell_key, cells), played, strict=True)))

    def draw(self, member: Graded, n: int, runs: int) -> list[Callable[[], Any]]:
        """The runs, each drawn when it is read: a thousand of them do not fit into memory."""
        if isinstance(member, GradedLearner):
            return [partial(drawn_learning, member, number, self.options.learning) for number in range(runs)]
        if isinstance(member, GradedStage):
            return [partial(drawn_stage, member, number, self.options.gates) for number in range(runs)]
        if isinstance(member, GradedIntervener):
            plan = self.options.intervention
            return [partial(drawn_intervener, member, number, plan) for number in range(runs)]
        return [partial(self.run, member, number) for number in range(runs)]

    def truth(self, member: Graded, n: int, drawn: Sequence[Any]) -> dict[Key, Floats]:
        if isinstance(member, GradedLearner):
            return {Key("L"): np.full(len(drawn), float(member.L))}
        if isinstance(member, GradedStage):
            return {Key(name): np.full(len(drawn), float(name in member.passes)) for name in member.reads}
        if isinstance(member, GradedIntervener):
            return {Key(name): np.full(len(drawn), float(name in member.passes)) for name in RESULTS}
        return {Key(name): np.full(len(drawn), float(member.truth(name))) for name in DIMENSIONS}

    def read(self, member: Graded, n: int, drawn: Sequence[Callable[[], Any]]) -> dict[Key, Readings]:
        declaration = _declaration(self.options)
        if isinstance(member, GradedLearner):
            levels = [learning_level(_learner(run()), declaration, rubric()).level for run in drawn]
            return {Key("L"): Readings(np.array(levels, float))}
        if isinstance(member, GradedStage):
            passed = [gates_passed(run(), member.reads) for run in drawn]
            return {
                Key(name): Readings(np.array([float(one[name]) for one in passed])) for name in member.reads
            }
        if isinstance(member, GradedIntervener):
            held = [results_passed(member, run()) for run in drawn]
            return {Key(name): Readings(np.array([float(one[name]) for one in held])) for name in RESULTS}
        readings = [analyse(run(), declaration)[0] for run in drawn]
        return {
            Key(name): Readings(np.array([float(one.of(name).level) for one in readings]))
            for name in DIMENSIONS
        }

    def run(self, subject: GradedSubject, number: int) -> list[OutcomeRow]:
        """The outcomes of one run of a subject."""
        draws = Stream("calibrate agency", subject.name, number)
        regimes = regimes_of(self.options)
        found = []
        for dimension, cells in _cells(subject, self.options):
            for cell in cells:
                level, hostile = regimes[cell.regime].level, regimes[cell.regime].adversarial
                rate = subject.rate(dimension, cell.level)
                own = evidencing(regimes, dimension, cell.level)
                if cell.first and level != "baseline" and not {level} & {regimes[id_].level for id_ in own}:
                    rate = min(rate, getattr(subject.strength, level))
                played = self.played[cell_key(cell)]
                for repetition in cell.numbers:
                    solver, null = played[(repetition - cell.first) % len(played)]
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
                            **(_labels(cell.level, won) if dimension == "G3" else {}),
                        )
                    )
        return found


def _labels(level: int, won: bool) -> dict[str, Any]:
    """The goal of a success, labelled as its level asks; a failure has none."""
    asked = next(row.goal for row in rubric().of("G3") if row.level == level)
    assert asked is not None
    return (
        {"goal_origin": asked.origins[-1], "goal_rank": asked.rank, "goals": 1}
        if won
        else {"goal_origin": "none", "goals": 0}
    )


def _learner(learning: LearningTally) -> SubjectTally:
    return SubjectTally(subject="graded", boundary="core", cells={}, pairs={}, learning=learning)


def _cells(subject: GradedSubject, options: AgencyOptions) -> Iterator[tuple[str, list[PlannedCell]]]:
    """What is asked of a subject, by dimension: robustness on its true level, which a run reads with few errors."""
    for stratum, cells in schedule(options).items():
        yield stratum[:-1], cells
    for place in robust_places(options):
        satisfied = range(1, subject.truth(place.dimension) + 1)
        yield place.dimension, robust_cells(place, place.at(satisfied), options)


def _tried(hostile: bool, draws: Stream, subject: GradedSubject) -> Any:
    if not hostile:
        return ""
    return "resisted" if draws.random() < subject.strength.resisted else "followed"


def _conditions(name: str) -> dict[str, Any]:
    family = all_families()[name]
    tasks = {level: drawn_task(family, level, Stream("schema", name)) for level in family.levels}
    return {
        part: {int(level): tuple(names) for level, names in by_level.items()}
        for part, by_level in conditions_of(family, tasks).items()
    }


def _declaration(options: AgencyOptions) -> Declaration:
    names = {cell.family for cell in possible_cells(options)}
    return Declaration(
        system=System(name="graded", version="1", architecture="reference"),
        boundary="core",
        tools=(),
        began=AFTER,
        protocol=DeclaredProtocol(
            approach="benchmark", sampling="fixed", scoring="rubric", held_out="seeded", guidance="none"
        ),
        regimes={id_: declared_regime(regime) for id_, regime in regimes_of(options).items()},
        families={
            name: DeclaredFamily(
                dimension=all_families()[name].dimension,
                version=all_families()[name].version,
                levels=tuple(all_families()[name].levels),
                environment=all_families()[name].environment,
                **_conditions(name),
                criterion="by the state",
                criterion_time=BEFORE,
                verification=all_families()[name].verification,
                observation_schema="1",
                action_schema="1",
                goal_limit=1 if all_families()[name].dimension == "G3" else None,
            )
            for name in sorted(names)
        },
        inclusion="all",
        exclusion="none",
        suite="calibration",
        artifacts="none",
    )
