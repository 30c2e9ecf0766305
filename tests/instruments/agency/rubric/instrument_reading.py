"""Drawn outcomes, as the instrument reads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from assay.instruments.agency.declarations.declaration import (
    DeclaredIntervention,
    DeclaredRegime,
    Demonstrations,
    HumanMediated,
    SchemaGap,
    SelfModification,
    System,
)
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.rubric.analysis import AgencyReading, analyse
from assay.vocabulary import Flag, Measure, Result
from tests.instruments.agency.made_outcomes import EARLY, LATE, PROTOCOL, declared, family, score

from .second_scorer import Design, Frame, Row

__all__ = ["GOALS", "by_text", "gates_of", "instrument_reading", "late", "told_of", "whole_reading"]

GOALS = ("G1", "G2", "G3", "G")
WORDS = {"b": "baseline", "m": "moderate", "s": "severe"}
LIMITS: dict[str, dict[str, Any]] = {  # as 8.2 has them
    "information": {"context_reduction": 0.75},
    "action": {"most_calls": 5},
    "compute": {"seconds": 30},
    "stability": {"timeouts": 0.3},
}


def late(row: Row) -> bool:
    return bool(row["criterion_time"] == LATE)


def dimension_of(name: str) -> str:
    """A family is named after its dimension, "S0"; of parts and tiers "G1-0"."""
    return name.split("-")[0] if "-" in name else name[0]


def fields(frame: Frame) -> dict[str, Any]:
    given: dict[str, Any] = {"environment": frame.environment, "conditions": frame.conditions}
    if frame.threshold != Frame().threshold:
        given |= {"threshold": float(frame.threshold), "threshold_reason": "drawn"}
    given |= {
        "steps": frame.steps,
        "delay": frame.delay,
        "reward": "the goods arrive" if frame.reward else "",
    }
    given |= {"held_out": frame.held_out}
    given |= {"strategies": frame.strategies, "goal_limit": frame.goal_limit}
    given |= {"mode": frame.mode, "kind": frame.kind}
    given |= {
        "roles": ("buyer", "seller") if frame.roles else (),
        "interaction": "in turns" if frame.interaction else "",
        "constraints": ("one offer",) if frame.constraints else (),
    }
    if frame.credited is not None:
        given["human_mediated"] = HumanMediated(differs=True, substantial=True, preceded=frame.credited)
    empty = {"observation_schema": None, "action_schema": None}
    return given | {field: empty.get(field, "") for field in frame.missing}


def modification(design: Design) -> dict[str, Any]:
    """What the system may change of itself, and what it changed, once and, from the clean state, again."""
    allowed = ("tool wrappers", *(["parameter updates"] * design.updates)) if design.allowed else ()
    scope = SelfModification(allowed=allowed, forbidden=("logging",) if design.forbidden else ())
    made = tuple(
        DeclaredIntervention(
            family=one.family,
            kind=one.kinds,
            identified=one.identified,
            proposed=one.proposed,
            implemented=one.implemented,
            demonstrated=one.demonstrated,
            tampered=one.tampered,
            reapplied=one.again,
            update_log="updates.jsonl" if one.logged else "",
        )
        for one in design.interventions
    )
    declared = design.allowed or design.forbidden
    defined = "trained on the log" if design.updates and design.allowed else ""
    return {
        "self_modification": scope if declared else None,
        "interventions": made,
        "demonstrations": Demonstrations(
            sandbox="" if design.shown is None else "a container",
            rollback="from an image",
            logging="every call",
            test_sets="seeds 1 to 60",
            declared=LATE if design.shown is False else EARLY,
        ),
        "protocol": msgspec.structs.replace(PROTOCOL, parameter_updates=defined),
    }


def instrument_reading(rows: list[Row], design: Design) -> Result:
    outcomes, changes = declared_rows(rows, design)
    return score(outcomes, **changes)


def whole_reading(rows: list[Row], design: Design) -> AgencyReading:
    """With its governance."""
    outcomes, changes = declared_rows(rows, design)
    (reading,) = analyse(outcomes, declared(outcomes, **changes))
    return reading


def declared_rows(rows: list[Row], design: Design) -> tuple[list[OutcomeRow], dict[str, Any]]:
    outcomes = [
        OutcomeRow(**{name: row[name] for name in row if name in OutcomeRow.__struct_fields__})
        for row in rows
    ]
    declared: dict[str, Any] = {
        "system": System(name="subject", version="1", architecture="language model"),
        "boundary": "extended",
        "includes": ("language model", "tool loop"),
        "human_assistance": "none",
        "memory": "as the rows have it",
        "tools": ("write",) if design.tools else None,
        "rule": design.rule,
        "families": {
            name: family(dimension_of(name), **fields(one)) for name, one in design.families.items()
        },
        "regimes": {
            name: DeclaredRegime(level=WORDS[of], **{axis: LIMITS[axis] for axis in axes})  # type: ignore[arg-type]
            for name, (of, axes) in design.regimes.items()
        },
        "schema_gaps": tuple(
            SchemaGap(family=name, what="a field", needed=True)
            for name, one in design.families.items()
            if one.incomplete
        ),
    }
    without: dict[str, dict[str, Any]] = {
        "version": {"system": System(name="subject", architecture="language model")},
        "boundary": {"boundary": None},
        "includes": {"includes": None},
        "human_assistance": {"human_assistance": ""},
    }
    for one in design.missing:
        declared |= without[one]
    return outcomes, declared | modification(design)


def told_of(flags: Iterable[Flag]) -> set[str]:
    """What a dimension or a tier is flagged for, without comparability."""
    found = {str(flag) if flag.kind == "Invalid" else flag.kind for flag in flags}
    return found - {"Limited Comparability"}


def by_text(measure: Measure) -> float | None:
    return measure.value if measure.spec_value is None else measure.spec_value


def gates_of(result: Result) -> dict[tuple[int, str], bool | None]:
    """By tier and name, of a claim such as "Tier 3, planning depth [subject, core]"."""
    gates = [verdict for verdict in result.verdicts if verdict.name == "gate"]
    found = {(int(one.claim[5]), one.claim.split(", ", 1)[1].split(" [")[0]): one.holds for one in gates}
    return {at: holds for at, holds in found.items() if at[0] >= 3}
