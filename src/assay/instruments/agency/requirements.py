"""What a study of agency needs before it runs, and when a tier that is required is not reached."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.measuring import Labelled, find_measure, option_error
from assay.study import Source, Study
from assay.vocabulary import Result, Verdict
from assay.worlds import all_families

from .declarations.outcome import OCCASIONS
from .gates.trials import occasion_families
from .intervention.sessions import intervention_sessions
from .intervention.structure import FILE_KINDS, is_among
from .learning.sessions import sessions_of
from .options import AgencyOptions

__all__ = ["check_memory", "check_scope", "fixed_options", "tier_required"]


def check_memory(
    study: Study, options: AgencyOptions, source: Source | None, at: tuple[str | int, ...]
) -> None:
    """Notes are more than a model: they are declared as part of the boundary (6.1, 6.3)."""
    if not sessions_of(options) or options.learning.memory != "notes":
        return
    for spec in study.specs:
        if spec.boundary == "core":
            message = (
                f"{spec.title} is measured at the core boundary, which is the model alone; with notes that it keeps "
                "it is measured at the extended one: boundary: extended, includes: [notes]"
            )
            raise option_error(source, (*at, "learning", "memory"), message)


def check_scope(
    study: Study, options: AgencyOptions, source: Source | None, at: tuple[str | int, ...]
) -> None:
    """A structure around a model is more than the model, and what it may change of it is declared (6.1, 6.3)."""
    if not intervention_sessions(options):
        return
    for name in options.self_modification.allowed:
        if name not in FILE_KINDS:
            message = f"{name!r} is none of the files of a structure: {', '.join(FILE_KINDS)}"
            raise option_error(source, (*at, "self_modification", "allowed"), message)
    for name in options.self_modification.allowed:
        if is_among(name, options.self_modification.forbidden):
            message = f"{name!r} is both allowed and forbidden (12.9.2)"
            raise option_error(source, (*at, "self_modification", "allowed"), message)
    for spec in study.specs:
        if spec.boundary == "core":
            message = (
                f"{spec.title} is measured at the core boundary, which is the model alone; with a structure that it "
                "can change it is measured at the extended one: boundary: extended, includes: [structure]"
            )
            raise option_error(source, (*at, "tiers"), message)


def fixed_options(options: AgencyOptions, materials: dict[str, Any]) -> AgencyOptions:
    """The options with every family by name: what is installed later, or elsewhere, is no part of this study."""

    def named(part: str) -> dict[str, Any]:
        found: dict[str, Any] = materials.get(part, {}).get("families", {})
        return found

    changed: dict[str, Any] = {}
    if not options.families:
        changed["families"] = tuple(materials["families"])
    if not options.gates.families:
        occasions = tuple(family.name for family in occasion_families(options))
        arms = (*(name for name, one in named("gates").items() if one.get("arms")), *occasions)
        asked = tuple(name for name in named("gates") if name not in arms)
        changed["gates"] = msgspec.structs.replace(
            options.gates, families=arms, confidence_families=options.gates.confidence_families or asked
        )
    elif not any(all_families()[name].dimension == OCCASIONS for name in options.gates.families):
        occasions = tuple(family.name for family in occasion_families(options))
        names = (*options.gates.families, *occasions)
        changed["gates"] = msgspec.structs.replace(options.gates, families=names)
    if not options.intervention.families:
        names = tuple(named("intervention"))
        changed["intervention"] = msgspec.structs.replace(options.intervention, families=names)
    if not options.learning.families:
        names = tuple(named("learning"))
        changed["learning"] = msgspec.structs.replace(options.learning, families=names)
    return msgspec.structs.replace(options, **changed)


def tier_required(verdict: Verdict, result: Result) -> Verdict:
    """A tier that is not reached fails the requirement where a gate of the next tier fails on enough instances (12.2);
    where none does, it is not established.
    """
    if (verdict.name, verdict.kind) != ("tier", "requirement") or verdict.holds:
        return verdict
    tier = find_measure(result, "tier", **verdict.labels)
    if tier is None:
        return verdict
    reached = int(tier.value or 0)
    gates = Labelled(result.verdicts).all("gate", {**verdict.labels, "tier": str(reached + 1)})
    failed = [str(gate.labels["gate"]) for gate in gates if gate.holds is False]
    said = f"Tier {reached or 'None'}"
    if failed and not tier.flags:
        return msgspec.structs.replace(verdict, holds=False, because=f"{said}; failed: {', '.join(failed)}")
    open_ = ", ".join(str(gate.labels["gate"]) for gate in gates if gate.holds is None)
    because = f"{said}; not established: {open_ or f'Tier {reached + 1} is not tested'}"
    return (
        msgspec.structs.replace(verdict, holds=None, because=because) if verdict.holds is False else verdict
    )
