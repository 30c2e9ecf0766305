"""What a run would ask, and what its sample sizes can show."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from assay.bench import Plan
from assay.instruments.agency.declarations.outcome import PARTS
from assay.instruments.agency.gates.trials import gate_strata, gate_task, gate_trials, match_strata
from assay.instruments.agency.intervention.sessions import TEST, intervention_item, intervention_sessions
from assay.instruments.agency.learning.sessions import item_of, secret_stream, session_size, sessions_of
from assay.instruments.agency.options import AgencyOptions
from assay.instruments.agency.rubric.criteria import rubric
from assay.instruments.agency.rubric.levels import interval_by
from assay.measuring.requirements import least_n
from assay.study import Lock
from assay.vocabulary import Instance
from assay.worlds import Task, drawn_task, family_named
from assay.worlds.learning import learning_families, learning_family

from .conduct import first_view
from .interface import opening
from .schedule import NAME, PlannedCell, content_stream, instance_of, planned_cells, schedule, task_of

PHASES, MODIFICATIONS = 3, 2  # of an intervention: tests before, after and again; once and again
OPENING = 1500  # characters of rules and actions, roughly
MATCH = 2000  # and of the goal and the log of a match

__all__ = ["never_reached", "passing", "plan_run", "power"]


def plan_run(lock: Lock, options: AgencyOptions) -> Plan:
    """The plan of a run. Calls are those of a subject that makes no detour, and whose robustness is measured on the
    highest level; others need more, or less.
    """
    trials = calls = characters = 0
    for cell in planned_cells(options):
        steps, opened = _typical(cell, lock.study.seed, held_out=options.held_out)
        trials += cell.instances
        calls += cell.instances * steps
        characters += cell.instances * steps * (opened + steps * 150)
    for count, task in _others(options, lock.study.seed):
        trials += count
        calls += count * (task.needed + 1)
        characters += count * (task.needed + 1) * (OPENING + len(task.goal) + (task.needed + 1) * 150)
    subjects = len(lock.study.specs)
    for name, stratum in ((one.places[0][0], one) for one in match_strata(options)):
        # As a subject and as a partner of every other: one call a move.
        meetings: int = lock.materials[NAME]["partners"]["families"][name]["meetings"]
        moves = 2 * meetings * stratum.instances * (subjects - 1)
        trials, calls, characters = trials + moves, calls + moves, characters + moves * (OPENING + MATCH)
    most = options.max_tokens or lock.study.sampling.planned_tokens
    return Plan(
        trials=trials * subjects,
        calls=calls * subjects,
        input_tokens=characters * subjects // 4,  # four characters a token, roughly
        output_tokens=calls * subjects * most,
        detectable=tuple(_shown(options)),
    )


def _others(options: AgencyOptions, seed: int) -> Iterator[tuple[int, Task]]:
    """Trials of learners, of gates and of interventions, with a task such as they have."""
    for session in sessions_of(options):
        name = session.families[0]
        instance = Instance(NAME, item_of(name, 1, "held_out"), 0, seed)
        family = learning_family(name)
        task = family.draw("held_out", family.secret(secret_stream(name, 1, seed)), content_stream(instance))
        yield session_size(session, options.learning), task
    for stratum in gate_strata(options):
        first = next(gate_trials(stratum))
        instance = Instance(NAME, first.item, 0, seed)
        _, task = gate_task(instance, content_stream(instance))
        yield stratum.instances * (1 + len(stratum.arms)), task
    for own in intervention_sessions(options):
        instance = Instance(NAME, intervention_item(TEST, own.family, own.level), 0, seed)
        task = drawn_task(family_named(own.family), own.level, content_stream(instance), held_out=True)
        yield PHASES * options.intervention.tests * len(own.regimes) + MODIFICATIONS, task


def _typical(cell: PlannedCell, seed: int, *, held_out: bool) -> tuple[int, int]:
    """Calls of an episode, and the length of its opening, from the first instance."""
    instance = instance_of(cell, 0, seed)
    family, task = task_of(instance, content_stream(instance), held_out=held_out)
    seen, brief = first_view(family, task, content_stream(instance))
    messages = opening(brief, seen, "text")
    return task.needed + 1, sum(len(message.content) for message in messages)


def _shown(options: AgencyOptions) -> list[str]:
    whole = options.sequential.most if options.sequential else options.instances
    said = []
    for least in sorted({row.instances for row in rubric().minimum}):
        if whole < least:
            levels = [str(row.level) for row in rubric().minimum if row.instances == least]
            said.append(f"levels {', '.join(levels)} need {least} instances; {whole} leave them Provisional")
    if options.rule == "strict":
        needed = passing(whole, options)
        if needed is None:
            said.append(f"strict: {whole} instances cannot put the lower end of the interval at 70 %")
        else:
            at = ", ".join(
                f"{share:.0%}: {power(whole, needed, share):.0%}" for share in (0.8, 0.85, 0.9, 0.95)
            )
            said.append(
                f"strict: {needed} of {whole} successes satisfy a level; a subject that succeeds in {at}"
            )
    return said


def passing(n: int, options: AgencyOptions) -> int | None:
    """The smallest number of successes whose lower end reaches the threshold."""
    bar = Fraction(str(rubric().threshold))
    low = partial(_low, n=n, options=options)
    return next((k for k in range(math.ceil(bar * n), n + 1) if low(k) >= rubric().threshold), None)


def _low(k: int, n: int, options: AgencyOptions) -> float:
    return interval_by(options.interval, k, n, options.confidence).low


def never_reached(dimension: str, level: int, options: AgencyOptions) -> str:
    """Why a level can never be reached, however good the subject is; empty where it can.

    A flawless sample of this level, or of one above it, must put the declared interval at the threshold (11.4).
    """
    if dimension not in options.dimensions:
        return f"{dimension} is not tested"
    if dimension == "R":  # what it needs depends on every regime
        return ""
    if dimension == "L":
        return _never_learnt(level, options)
    counts = [
        sum(cell.instances for cell in cells)
        for stratum, cells in schedule(options).items()
        if stratum[:-1] in _parts(dimension) and int(stratum[-1]) >= level
    ]
    if not counts:
        return f"no level from {level} up is tested"
    if options.rule == "point" or options.sequential is not None:
        return ""
    bar = min([rubric().threshold, *(own.threshold for own in options.thresholds.values())])
    enough = least_n(bar, lambda n: _low(n, n, options))
    if enough is None or max(counts) < enough:
        return f"it has at most {max(counts)} instances, and takes at least {enough}"
    return ""


def _parts(dimension: str) -> tuple[str, ...]:
    return (*PARTS,) if dimension == "G" else (dimension,)


def _never_learnt(level: int, options: AgencyOptions) -> str:
    """10.3.1 asks for families; a memory that does not outlast the conversation caps L (6.3)."""
    cap, families = rubric().memory_cap, len(options.learning.families or learning_families())
    if level > cap and options.learning.memory != "notes":
        return f"memory: {options.learning.memory} caps it at {cap} (6.3); memory: notes does not"
    needed = rubric().least(level).families
    return f"it has {families} families, and takes {needed} (10.3.1)" if families < needed else ""


def power(n: int, needed: int, share: float) -> float:
    """How often a subject with this true share gets so many successes."""
    from scipy.stats import binom

    return float(binom.sf(needed - 1, n, share))
