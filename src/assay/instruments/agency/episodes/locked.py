"""What a lock fixes of the families, and the lock as a declaration."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from assay.canonical import digest
from assay.errors import InputError
from assay.instruments.agency.declarations.declaration import (
    DeclaredFamily,
    DeclaredProtocol,
    DeclaredRegime,
    LockedDeclaration,
    SelfModification,
    System,
)
from assay.instruments.agency.options import AgencyOptions, regimes_of
from assay.streams import Stream
from assay.study import Lock, SubjectSpec
from assay.worlds import Family, FamilyFault, Regime, Task, all_families, drawn_task, family_named

from .interface import INSTRUCTIONS, MOST_CALLS, interface_of
from .schedule import content_stream, instance_of, planned_cells, possible_cells, task_of

__all__ = [
    "changed_criteria",
    "check_families",
    "conditions_of",
    "criteria",
    "declaration_of",
    "declared_regime",
    "family_material",
    "materials_of",
]


MEMORY = {
    "none": "nothing lasts from one episode to the next",
    "conversation": "the episodes so far, within one conversation",
    "notes": "notes that the subject writes after each practice episode",
}


def materials_of(options: AgencyOptions, seed: int) -> dict[str, Any]:
    """What the lock fixes of the families: versions, schemas, criteria."""
    return {name: family_material(name) for name in sorted({cell.family for cell in possible_cells(options)})}


def family_material(name: str) -> dict[str, Any]:
    family = all_families()[name]
    tasks = {level: drawn_task(family, level, Stream("schema", name)) for level in family.levels}
    return {
        "version": family.version,
        "dimension": family.dimension,
        "levels": {str(level): about for level, about in family.levels.items()},
        "environment": family.environment,
        **conditions_of(family, tasks),
        "verification": family.verification,
        "criterion": {str(level): task.criterion.text for level, task in tasks.items()},
        "observation_schema": digest({str(level): task.observation for level, task in tasks.items()}),
        "action_schema": digest(
            {str(level): [msgspec.to_builtins(a) for a in task.actions] for level, task in tasks.items()}
        ),
    }


def conditions_of(family: Family, tasks: Mapping[int, Task]) -> dict[str, dict[str, list[str]]]:
    """What a family says of the rubric's conditions, by level. Third-party families may have neither attribute.

    Its rules change only at the levels of ``drifts``, and noise touches only the fields that a task names.
    """
    drifts: Collection[int] = getattr(family, "drifts", ())
    own: Mapping[int, Collection[str]] = getattr(family, "conditions", {})
    spared = {
        level: [name for name, reached in (("noise", task.noisy), ("drift", level in drifts)) if not reached]
        for level, task in tasks.items()
    }
    return {
        "conditions": {str(level): list(names) for level, names in own.items() if names},
        "untouched": {str(level): names for level, names in spared.items() if names},
    }


def check_families(declared: dict[str, Any]) -> None:
    """Refuse where a family of the lock is missing or has another version: that would be another study."""
    for name, material in declared.items():
        here = family_named(name).version
        if material["version"] != here:
            raise InputError(
                f"the lock was made for version {material['version']} of the family {name}, here is {here}; "
                "install that version, or lock the study anew"
            )


def criteria(options: AgencyOptions, seed: int) -> dict[str, str]:
    """Family and level → digest of the criteria of all instances that may be asked. A lock fixes these."""
    most: dict[tuple[str, int], int] = {}
    for cell in possible_cells(options):
        most[cell.family, cell.level] = max(most.get((cell.family, cell.level), 0), cell.numbers.stop)
    return {
        f"{name}/{level}": digest(list(_criteria(name, level, count, seed, held_out=options.held_out)))
        for (name, level), count in sorted(most.items())
    }


def changed_criteria(declared: dict[str, str], options: AgencyOptions, seed: int) -> list[str]:
    """Families and levels whose criteria differ from those that the lock has fixed (11.3.2)."""
    try:
        found = criteria(options, seed)
    except FamilyFault as fault:  # what cannot be drawn any more is not what was declared
        return [str(fault)]
    return [name for name in sorted(declared) if found.get(name) != declared[name]]


def _criteria(name: str, level: int, count: int, seed: int, *, held_out: bool) -> Iterator[str]:
    for repetition in range(count):
        instance = instance_of((name, level), repetition, seed)
        yield digest(task_of(instance, content_stream(instance), held_out=held_out)[1].criterion)


# The lock as a declaration.


def declaration_of(
    lock: Lock, options: AgencyOptions, spec: SubjectSpec, began: str = ""
) -> LockedDeclaration:
    """What the lock declares for one subject, as a declaration."""
    materials = lock.materials["agency"]
    listed = spec.includes or None  # an empty list declares nothing (11.2)
    attempted = {
        name: materials["families"][name] for name in sorted({cell.family for cell in planned_cells(options)})
    }
    learning: dict[str, Any] = materials.get("learning", {}).get("families", {})
    parts = (materials.get(part, {}).get("families", {}) for part in ("gates", "intervention"))
    gates: dict[str, Any] = {name: one for part in parts for name, one in part.items()}
    scope = materials.get("intervention", {}).get("self_modification")
    for name, material in gates.items():  # a family may evidence a level, too
        own = [attempted[name]["dimension"]] if name in attempted else []
        gates = {**gates, name: {**material, "dimension": [*own, *material["dimension"]]}}
    return LockedDeclaration(
        system=System(
            name=spec.title,
            version=digest(msgspec.to_builtins(spec))[:16],
            architecture=spec.kind,
            vendor=spec.maker or "",
        ),
        boundary=spec.boundary,
        includes=listed if spec.boundary == "extended" else None,
        tools=listed if spec.boundary == "extended" else (),
        human_assistance=options.human_assistance,
        memory=MEMORY[options.learning.memory] if learning else options.memory,
        began=began or lock.created,
        protocol=DeclaredProtocol(
            approach="benchmark",
            sampling=_sampling(options),
            scoring=f"rule {options.rule}, {options.interval} interval at {options.confidence:g}",
            held_out="situations held out are drawn"
            if options.held_out
            else "instances drawn by the study's seed",
            guidance="none; every reply counts as an action",
        ),
        purpose=options.purpose,
        regimes={id_: declared_regime(regime) for id_, regime in regimes_of(options).items()},
        families={
            name: _family(name, material, lock, options)
            for name, material in {**attempted, **learning, **gates}.items()
        },
        inclusion=options.inclusion,
        exclusion=options.exclusion,
        rule=options.rule,
        interval=options.interval,
        confidence=options.confidence,
        post_hoc_share=options.post_hoc_share,
        infrastructure_share=options.infrastructure_share,
        disagreement_share=options.disagreement_share,
        contact=lock.study.contact,
        evaluated_by=options.evaluated_by,
        prompts=_prompts(options, spec),
        configuration=_configuration(lock, options),
        pre_registration=options.pre_registration,
        suite=f"assay-agency-{lock.versions['agency']}",
        artifacts=f"ledger of the run with lock {lock.digest[:16]}",
        date=lock.created,
        self_modification=None if scope is None else msgspec.convert(scope, SelfModification),
    )


def _prompts(options: AgencyOptions, spec: SubjectSpec) -> dict[str, str]:
    """13.4.2 (10). What every episode begins with; goal, actions and observations are in the ledger."""
    return {
        "system prompt of the subject": spec.system or "none",
        "instructions of the bench": INSTRUCTIONS[interface_of(options.interface, spec.kind)],
        "refusals": "a reply in which no action can be read counts as a decision; nothing is asked again",
    }


def _configuration(lock: Lock, options: AgencyOptions) -> dict[str, str]:
    """13.4.2 (11)."""
    limits, most = lock.study.limits, options.max_tokens or lock.study.sampling.max_tokens
    faults = ", ".join(
        f"{id_} {regime.stability.fault_rate:g}" for id_, regime in regimes_of(options).items()
    )
    length = "no limit of length" if most is None else f"at most {most} tokens a reply"
    return {
        "orchestration": "one conversation an episode, from the first observation until it is finished or its actions "
        f"are used up; at most {MOST_CALLS} tool calls of one reply",
        "tool reliability": f"calls fail only where the regime says so; share of calls: {faults}",
        "rate limits": f"those of the regimes; a call has {limits.call_seconds:g} s and {limits.tries} tries",
        "sampling": f"temperature {options.temperature:g}, {length}",
    }


def _sampling(options: AgencyOptions) -> str:
    if options.sequential is None:
        return f"fixed: {options.instances} instances a level, spread over its families"
    plan = options.sequential
    return (
        f"sequential: {plan.batch} at a time to at most {plan.most} a level; one-sided test of the threshold against "
        f"{plan.alternative:g}, valid at any time, error {plan.alpha:g}"
    )


def declared_regime(regime: Regime) -> DeclaredRegime:
    parameters: dict[str, Any] = regime.parameters()
    return DeclaredRegime(level=regime.level, adversarial=regime.adversarial, **parameters)


# What is declared of families of tiers (12.6.4, 12.8.4).
PLAIN = ("steps", "delay", "reward", "mode", "kind", "interaction")


def _family(name: str, material: dict[str, Any], lock: Lock, options: AgencyOptions) -> DeclaredFamily:
    own = options.thresholds.get(name)
    return DeclaredFamily(
        dimension=material["dimension"]
        if isinstance(material["dimension"], str)
        else tuple(material["dimension"]),
        version=material["version"],
        levels=tuple(int(level) for level in material["levels"]),
        environment=material["environment"],
        conditions={int(level): tuple(names) for level, names in material["conditions"].items()},
        untouched={int(level): tuple(names) for level, names in material["untouched"].items()},
        criterion=material["criterion"],
        criterion_time=lock.created,
        verification=material["verification"],
        observation_schema=material["observation_schema"],
        action_schema=material["action_schema"],
        threshold=own.threshold if own else None,
        threshold_reason=own.reason if own else "",
        **{part: material[part] for part in PLAIN if part in material},
        strategies=tuple(material.get("strategies", ())),
        roles=tuple(material.get("roles", ())),
        constraints=tuple(material.get("constraints", ())),
    )
