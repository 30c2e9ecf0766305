"""Which instances a subject is asked, in which regimes.

A stratum is a dimension: first the instances of its levels, then those of robustness on the highest level that they
satisfy (10.9).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from assay.instruments.agency.declarations.outcome import RATED, SCORED
from assay.instruments.agency.options import AgencyOptions, is_tested, regimes_of
from assay.instruments.agency.rubric.criteria import rubric
from assay.streams import Stream
from assay.vocabulary import Instance
from assay.worlds import Family, FamilyFault, Regime, Task, all_families, drawn_task, family_named

__all__ = [
    "PlannedCell",
    "RobustPlace",
    "chosen_families",
    "content_stream",
    "evidencing",
    "instance_of",
    "planned_cells",
    "possible_cells",
    "robust_cells",
    "robust_places",
    "schedule",
    "strata_of",
    "task_of",
]

NAME = "agency"
LONGEST = 10  # actions of a task of robustness: it is put in every regime, and long ones would double a study's calls


class PlannedCell(NamedTuple):
    """The instances of a family's level in one regime: so many, from ``first`` on. The contents are the same in every
    regime.
    """

    family: str
    level: int
    regime: str
    instances: int
    first: int = 0

    @property
    def numbers(self) -> range:
        return range(self.first, self.first + self.instances)


class RobustPlace(NamedTuple):
    """Where the robustness of a dimension is measured: level → family, lowest first."""

    dimension: str
    families: dict[int, str]
    chosen: bool  # the level is the highest that is satisfied; else it is the lowest

    def at(self, satisfied: Collection[int]) -> int:
        """The level to measure on: the highest satisfied one; the lowest where none is."""
        return max((level for level in self.families if level in satisfied), default=min(self.families))


def chosen_families(options: AgencyOptions) -> dict[str, Family]:
    """The families that take part, by name."""
    return {name: family_named(name) for name in options.families or sorted(all_families())}


def robust_places(options: AgencyOptions) -> list[RobustPlace]:
    """One for each named family, else one for each dimension: at every level the family to measure on."""
    if "R" not in options.dimensions:
        return []
    asked: list[tuple[str, dict[int, str]]]
    if options.robustness_families:
        named = [all_families()[name] for name in options.robustness_families]
        asked = [
            (f.dimension, dict.fromkeys(sorted(set(f.levels) & set(options.levels)), f.name)) for f in named
        ]
    else:
        asked = [(dimension, _plainest(dimension, options)) for dimension in SCORED]
    return [
        RobustPlace(dimension, families, len(families) > 1 and dimension in options.dimensions)
        for dimension, families in asked
        if families
    ]


def _plainest(dimension: str, options: AgencyOptions) -> dict[int, str]:
    """Level → the family to measure on: one whose state is not real, with the shortest tasks.

    Levels with long tasks only are left out, unless there are no others.
    """
    ranked = {
        level: sorted(
            (family.real, family.runs_code, _actions(family, level), family.name)
            for family in chosen_families(options).values()
            if family.dimension == dimension and level in family.levels
        )
        for level in sorted(options.levels)
    }
    short = {level: [one for one in found if one[2] <= LONGEST] for level, found in ranked.items()}
    chosen = short if any(short.values()) else ranked
    return {level: found[0][3] for level, found in chosen.items() if found}


def _actions(family: Family, level: int) -> int:
    """The actions of a good solution, in one instance of the level."""
    try:
        return drawn_task(family, level, Stream("schema", family.name)).needed
    except FamilyFault:  # told where its episodes are conducted
        return 0


def robust_cells(place: RobustPlace, level: int, options: AgencyOptions) -> list[PlannedCell]:
    """The instances of robustness at a level. Where the level is chosen by outcomes they are others than those which it
    was chosen by: a family that was lucky then must not seem robust, or brittle, for it.
    """
    family = place.families[level]
    first = 0
    if place.chosen:
        own = schedule(options).get(f"{place.dimension}{level}", [])
        first = max((cell.instances for cell in own if cell.family == family), default=0)
    return [
        PlannedCell(family, level, regime, options.robustness_instances, first)
        for regime in regimes_of(options)
    ]


def planned_cells(options: AgencyOptions) -> list[PlannedCell]:
    """All that a run may ask of a subject, with robustness at the highest level."""
    found = [cell for cells in schedule(options).values() for cell in cells]
    for place in robust_places(options):
        if place.chosen:
            found += robust_cells(place, max(place.families), options)
    return found


def possible_cells(options: AgencyOptions) -> list[PlannedCell]:
    """The same with robustness at every level: which it will be is not known before."""
    found = [cell for cells in schedule(options).values() for cell in cells]
    for place in robust_places(options):
        for level in place.families if place.chosen else ():
            found += robust_cells(place, level, options)
    return found


def evidencing(regimes: dict[str, Regime], dimension: str, level: int) -> list[str]:
    """The regimes in which a level must be shown: the rubric's, and the baseline too where a drop is judged."""
    row = next(row for row in rubric().of(dimension) if row.level == level)
    wanted = ["baseline", row.regime] if row.rule == "drop" else [row.regime]
    found = []
    for word in wanted:
        plain = [id_ for id_, regime in regimes.items() if regime.level == word and not regime.adversarial]
        found += plain[:1]
    return found if len(found) == len(wanted) else []


def schedule(options: AgencyOptions) -> dict[str, list[PlannedCell]]:
    """Level, such as S3 → its cells; with robustness where its level is known before. In sequential sampling the counts
    are upper limits.
    """
    regimes = regimes_of(options)
    chosen = chosen_families(options)
    robust = [place for place in robust_places(options) if not place.chosen]
    whole = options.sequential.most if options.sequential else options.instances
    found: dict[str, list[PlannedCell]] = {}
    for dimension in RATED:
        for level in sorted(options.levels):
            names = [n for n, f in chosen.items() if f.dimension == dimension and level in f.levels]
            counts: dict[tuple[str, str], int] = {}
            if is_tested(dimension, options):
                for regime in evidencing(regimes, dimension, level):
                    for place, name in enumerate(names):
                        counts[name, regime] = _part(whole, len(names), place)
            at_level = [one for one in robust if (one.dimension, one.at(())) == (dimension, level)]
            for name, regime in ((one.families[level], regime) for one in at_level for regime in regimes):
                counts[name, regime] = max(counts.get((name, regime), 0), options.robustness_instances)
            cells = [
                PlannedCell(name, level, regime, count) for (name, regime), count in counts.items() if count
            ]
            if cells:
                found[f"{dimension}{level}"] = cells
    return found


def strata_of(options: AgencyOptions) -> list[str]:
    """The dimensions that anything is asked of."""
    asked = {level[:-1] for level in schedule(options)} | {p.dimension for p in robust_places(options)}
    return [dimension for dimension in RATED if dimension in asked]


def _part(whole: int, parts: int, place: int) -> int:
    """An even share; the first ones get one more where it does not divide."""
    return whole // parts + (place < whole % parts)


def instance_of(cell: PlannedCell | Sequence[str | int], repetition: int, seed: int) -> Instance:
    return Instance(NAME, f"{cell[0]}/{cell[1]}", repetition, seed)


def task_of(instance: Instance, stream: Stream, *, held_out: bool) -> tuple[Family, Task]:
    """The family and the task of an instance."""
    name, _, level = instance.item.rpartition("/")
    family = family_named(name)
    return family, drawn_task(family, int(level), stream, held_out=held_out)


def content_stream(instance: Instance) -> Stream:
    """The stream that a probe gives for the name ``task``."""
    return Stream("content", "task", instance.digest)
