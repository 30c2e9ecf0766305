"""What comes next in a dimension: the instances of its levels, then robustness on the highest that they satisfy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from assay.evidence.records import Evidence
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.declarations.table import complete, outcome_table
from assay.instruments.agency.options import AgencyOptions
from assay.instruments.agency.rubric.criteria import rubric
from assay.instruments.agency.rubric.levels import level_tests
from assay.instruments.agency.rubric.tally import tallies
from assay.study import Lock, SubjectSpec

from .finished import outcome_of
from .locked import declaration_of
from .sampling import decisions, next_batch
from .schedule import PlannedCell, instance_of, robust_cells, robust_places, schedule

__all__ = ["next_wave", "robustness_begun"]

Numbered = tuple[PlannedCell, int]


def next_wave(lock: Lock, options: AgencyOptions, evidence: Evidence, spec: SubjectSpec) -> list[Numbered]:
    """The next instances of ``evidence.stratum`` for one subject; none when it is done."""
    assert evidence.stratum is not None
    cells = {of: found for of, found in schedule(options).items() if of[:-1] == evidence.stratum}
    if options.sequential is not None:
        levels = [one for of, own in cells.items() for one in next_batch(of, own, options, evidence, spec)]
    else:
        levels = [(cell, n) for own in cells.values() for cell in own for n in cell.numbers]
        levels = levels if not evidence.waves else []
    return levels or list(_robustness(lock, options, evidence, spec))


def _robustness(
    lock: Lock, options: AgencyOptions, evidence: Evidence, spec: SubjectSpec
) -> Iterator[Numbered]:
    places = [p for p in robust_places(options) if p.chosen and p.dimension == evidence.stratum]
    if not places:
        return
    outcomes = [outcome_of(record, lock) for record in evidence if record.trial.subject == spec.title]
    if robustness_begun(places[0].dimension, outcomes, options, lock.study.seed):
        return
    satisfied = _satisfied(places[0].dimension, outcomes, lock, options, spec)
    for place in places:
        for cell in robust_cells(place, place.at(satisfied), options):
            yield from ((cell, number) for number in cell.numbers)


def _satisfied(
    dimension: str, outcomes: list[OutcomeRow], lock: Lock, options: AgencyOptions, spec: SubjectSpec
) -> set[int]:
    """The levels that these outcomes satisfy, by the declared rule."""
    if not outcomes:
        return set()
    declaration = msgspec.structs.replace(
        declaration_of(lock, options, spec), decided=decisions(outcomes, options, lock.study.seed)
    )
    (tally,) = tallies(complete(outcome_table(outcomes), declaration), declaration)
    tests = level_tests(tally, dimension, declaration, rubric())
    return {test.level for test in tests if test.status == "satisfied"}


def robustness_begun(
    dimension: str, outcomes: Iterable[OutcomeRow], options: AgencyOptions, seed: int
) -> bool:
    """Was robustness on the chosen level asked? True where it is part of the levels."""
    places = [place for place in robust_places(options) if place.chosen and place.dimension == dimension]
    if not places:
        return True
    asked = {(one.regime, one.instance) for one in outcomes}
    return any(
        (cell.regime, instance_of(cell, cell.numbers[-1], seed).digest) in asked
        for place in places
        for level in place.families
        for cell in robust_cells(place, level, options)
    )
