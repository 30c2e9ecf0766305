"""Which instances are put to a subject, in which regimes. A stratum is one level of one dimension: ``S3``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from assay.canonical import digest
from assay.errors import InputError
from assay.instruments.agency.rubric.criteria import rubric
from assay.streams import Stream
from assay.vocabulary import Instance
from assay.worlds import Family, FamilyFault, Regime, Task, all_families, drawn_task, family_named

from .options import Options, regimes_of

__all__ = [
    "Cell",
    "changed_criteria",
    "check_families",
    "chosen_families",
    "content_stream",
    "criteria",
    "evidencing",
    "instance_of",
    "robust_families",
    "schedule",
    "task_of",
]

NAME = "agency"


class Cell(NamedTuple):
    """So many instances of a family's level in one regime; the same content in every regime."""

    family: str
    level: int
    regime: str
    instances: int


def check_families(declared: dict[str, Any]) -> None:
    """The families of a lock must be here, in its versions: what is run or replayed with others is another study."""
    for name, material in declared.items():
        here = family_named(name).version
        if material["version"] != here:
            raise InputError(
                f"the lock was made for version {material['version']} of the family {name}, here is {here}; "
                "install that version, or lock the study anew"
            )


def chosen_families(options: Options) -> dict[str, Family]:
    """The families that take part, by name."""
    return {name: family_named(name) for name in options.families or sorted(all_families())}


def robust_families(options: Options) -> dict[str, int]:
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


def _lowest(family: Family, options: Options) -> int:
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


def schedule(options: Options) -> dict[str, list[Cell]]:
    """Stratum → what is asked in it. In sequential sampling the counts are the most there can be."""
    regimes = regimes_of(options)
    chosen, robust = chosen_families(options), robust_families(options)
    whole = options.sequential.most if options.sequential else options.instances
    found: dict[str, list[Cell]] = {}
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
            cells = [Cell(name, level, regime, count) for (name, regime), count in counts.items() if count]
            if cells:
                found[f"{dimension}{level}"] = cells
    return found


def _part(whole: int, parts: int, place: int) -> int:
    """An even share; the first ones get one more where it does not divide."""
    return whole // parts + (place < whole % parts)


def instance_of(cell: Cell | Sequence[str | int], repetition: int, seed: int) -> Instance:
    return Instance(NAME, f"{cell[0]}/{cell[1]}", repetition, seed)


def task_of(instance: Instance, stream: Stream, *, held_out: bool) -> tuple[Family, Task]:
    """The task that an instance stands for."""
    name, _, level = instance.item.rpartition("/")
    family = family_named(name)
    return family, drawn_task(family, int(level), stream, held_out=held_out)


def content_stream(instance: Instance) -> Stream:
    """The stream that a probe gives for the name ``task``."""
    return Stream("content", "task", instance.digest)


def criteria(options: Options, seed: int) -> dict[str, str]:
    """Family and level → digest of the criteria of all instances that may be put. This is what a lock fixes."""
    most: dict[tuple[str, int], int] = {}
    for cells in schedule(options).values():
        for cell in cells:
            most[cell.family, cell.level] = max(most.get((cell.family, cell.level), 0), cell.instances)
    return {
        f"{name}/{level}": digest(list(_criteria(name, level, count, seed, held_out=options.held_out)))
        for (name, level), count in sorted(most.items())
    }


def changed_criteria(declared: dict[str, str], options: Options, seed: int) -> list[str]:
    """Families and levels whose criteria are others now than a lock has fixed (section 11.3.2)."""
    try:
        found = criteria(options, seed)
    except FamilyFault as fault:  # what cannot be drawn any more is not what was declared
        return [str(fault)]
    return [name for name in sorted(declared) if found.get(name) != declared[name]]


def _criteria(name: str, level: int, count: int, seed: int, *, held_out: bool) -> Iterator[str]:
    for repetition in range(count):
        instance = instance_of((name, level), repetition, seed)
        yield digest(task_of(instance, content_stream(instance), held_out=held_out)[1].criterion)
