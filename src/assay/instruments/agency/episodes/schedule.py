"""Which instances a subject is asked, in which regimes. A stratum is one level of one dimension: ``S3``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.instruments.agency.options import AgencyOptions, regimes_of
from assay.instruments.agency.rubric.criteria import rubric
from assay.streams import Stream
from assay.vocabulary import Instance
from assay.worlds import Family, Regime, Task, all_families, drawn_task, family_named

__all__ = [
    "PlannedCell",
    "chosen_families",
    "content_stream",
    "evidencing",
    "instance_of",
    "robust_families",
    "schedule",
    "task_of",
]

NAME = "agency"


class PlannedCell(NamedTuple):
    """The instances of a family's level in one regime. The contents are the same in every regime."""

    family: str
    level: int
    regime: str
    instances: int


def chosen_families(options: AgencyOptions) -> dict[str, Family]:
    """The families that take part, by name."""
    return {name: family_named(name) for name in options.families or sorted(all_families())}


def robust_families(options: AgencyOptions) -> dict[str, int]:
    """Family → the level at which robustness is measured."""
    if "R" not in options.dimensions:
        return {}
    chosen = chosen_families(options)
    if options.robustness_families:
        return {name: _lowest(all_families()[name], options) for name in options.robustness_families}
    found: dict[str, int] = {}
    for dimension in "SMDE":
        own = [f for f in chosen.values() if f.dimension == dimension and set(f.levels) & set(options.levels)]
        if own:
            best = min(own, key=lambda f: (_lowest(f, options), f.real, f.name))
            found[best.name] = _lowest(best, options)
    return found


def _lowest(family: Family, options: AgencyOptions) -> int:
    return min(set(family.levels) & set(options.levels) or set(family.levels))


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
    """Stratum → its cells. In sequential sampling the counts are upper limits."""
    regimes = regimes_of(options)
    chosen, robust = chosen_families(options), robust_families(options)
    whole = options.sequential.most if options.sequential else options.instances
    found: dict[str, list[PlannedCell]] = {}
    for dimension in "SMDE":
        for level in sorted(options.levels):
            names = [n for n, f in chosen.items() if f.dimension == dimension and level in f.levels]
            counts: dict[tuple[str, str], int] = {}
            if dimension in options.dimensions:
                for regime in evidencing(regimes, dimension, level):
                    for place, name in enumerate(names):
                        counts[name, regime] = _part(whole, len(names), place)
            for name in [
                n for n, at in robust.items() if at == level and all_families()[n].dimension == dimension
            ]:
                for regime in regimes:
                    counts[name, regime] = max(counts.get((name, regime), 0), options.robustness_instances)
            cells = [
                PlannedCell(name, level, regime, count) for (name, regime), count in counts.items() if count
            ]
            if cells:
                found[f"{dimension}{level}"] = cells
    return found


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
