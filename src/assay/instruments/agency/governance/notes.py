"""Governance Notes with their five mandatory fields (14.4), as plain data.

They document what was observed: counts, places, effects. They infer no intent, and say nothing of safety or fitness for
deployment (14.1, 2.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from assay.instruments.agency.rubric.analysis import AgencyReading

from .counts import BreachEvidence
from .triggers import TriggerReading

__all__ = ["NOTE_FIELDS", "EpisodePlace", "Places", "containment", "governance_notes", "rule_of"]

NOTE_FIELDS = ("trigger basis", "evidence index", "frame context", "impact accounting", "containment status")


class EpisodePlace(NamedTuple):
    """When an episode of a run ended, and where the ledger says so."""

    ended_at: str
    log: str


Places = Callable[[Iterable[str]], Mapping[str, EpisodePlace]]  # of episodes, by their ids


def governance_notes(reading: AgencyReading, places: Places | None = None) -> dict[str, Any]:
    """The notes of one reading. Where none are required they are the statement, and what each trigger was judged by.

    ``places`` finds episodes of a run in its ledger; rows name time and log themselves.
    """
    found = reading.governance
    notes: dict[str, Any] = {
        "system": reading.tally.subject,
        "boundary": reading.tally.boundary,
        "these hold only for": reading.tuples.comparison_text,  # 11.9.1: no tier without its tuple
        "statement": found.statement,
        "required": found.required,
        "governance flag": list(found.flag),
        "triggers": [
            {
                "name": one.name,
                "section": one.criterion.section,
                "rule": rule_of(one),
                "satisfied": one.satisfied,
                "because": one.because,
            }
            for one in found.triggers
        ],
    }
    if not found.satisfied:
        return notes
    return {
        **notes,
        "severity": found.severity,
        "escalation": str(found.escalation) if found.escalation else None,
        "trigger basis": [_basis(reading, one) for one in found.satisfied],
        "evidence index": {one.name: _index(one, places) for one in found.satisfied},
        "frame context": _context(reading),
        "impact accounting": _impact(reading),
        "containment status": {one.name: containment(one) for one in found.satisfied},
    }


def rule_of(trigger: TriggerReading) -> str:
    """The thresholds of a trigger in words."""
    one = trigger.criterion
    if one.kind == "claim":
        return f"Tier ≥ {one.tier}" if one.tier else ", ".join(f"{k} ≥ {v}" for k, v in one.levels.items())
    what = "instances" if one.of == "calls" else "episodes"  # as the text has it
    words = [f"in {one.episodes} {what}" if one.episodes > 1 else "in one episode"] if one.episodes else []
    of = {
        "instances": "scored instances",
        "calls": "tool calls",
        "reported_calls": "tool calls with a stated outcome",
    }
    unit = of.get(one.of, "verifications" if one.of == "claims" else one.of)
    words += [f"in {one.share:.0%} of {unit}"] if one.share is not None else []
    return " or ".join(words)


def _basis(reading: AgencyReading, one: TriggerReading) -> dict[str, Any]:
    severity, why = reading.governance.severities[one.name]
    counts = one.counts
    found: dict[str, Any] = {
        "trigger": one.name,
        "section": one.criterion.section,
        "what": one.criterion.text,
        "rule": rule_of(one),
        "measured": one.because,
        "severity": severity,
        "severity because": why,
    }
    if one.criterion.kind != "claim":
        found["counts"] = {
            "episodes": counts.met,
            "of episodes": counts.subset,
            "not known": counts.subset - counts.known,
            "occurrences": counts.total,
            "share": None if not counts.base else round(_numerator(one) / counts.base, 12),
            "share of": one.criterion.of,
        }
    return found


def _numerator(one: TriggerReading) -> int:
    return one.counts.met if one.criterion.of in ("episodes", "instances") else one.counts.total


def _index(one: TriggerReading, places: Places | None) -> dict[str, Any]:
    if one.criterion.kind == "claim":
        return {"episodes": 0, "listed": [], "see": "the level tests and gates of the reading"}
    found = places(e.episode for e in one.counts.evidence) if places is not None else {}
    listed = [_pointer(evidence, found.get(evidence.episode)) for evidence in one.counts.evidence]
    return {"episodes": one.counts.met, "listed": listed}


def _pointer(evidence: BreachEvidence, place: EpisodePlace | None) -> dict[str, Any]:
    """What is not known of an episode is null: id, time and log come from the harness."""
    told = {**evidence._asdict(), **(place._asdict() if place else {})}
    found = {name: None if value == "" else value for name, value in told.items()}
    return {**found, "row": None} if evidence.episode else found


def _context(reading: AgencyReading) -> dict[str, Any]:
    """Boundary, families and regimes under which it occurred, with the regimes' parameters."""
    declared = reading.declaration
    seen = [e for one in reading.governance.satisfied for e in one.counts.evidence]
    regimes = sorted({e.regime for e in seen})
    return {
        "boundary": reading.tally.boundary,
        "includes": list(declared.includes or ()),
        "human assistance": declared.human_assistance or None,
        "families": sorted({e.family for e in seen}),
        "regimes": {
            name: msgspec.to_builtins(declared.regimes[name]) if name in declared.regimes else None
            for name in regimes
        },
    }


def _impact(reading: AgencyReading) -> dict[str, Any]:
    """Scored outcomes, gates and verification (14.4, 4)."""
    found = reading.governance
    instances = {
        one.name: {name: f"{met} of {n}" for name, (met, n) in one.counts.dimensions.items() if met}
        for one in found.satisfied
        if one.counts.met
    }
    failed = next((one for one in found.satisfied if one.criterion.counts == "failed_claims"), None)
    return {
        "instances used in a score": instances,
        "levels that rest on them": list(found.resting.levels),
        "gates that rest on them": list(found.resting.gates),
        "verification": "claims that external verification refuted; no outcome rests on a claim"
        if failed
        else "no verification decision rests on it",
    }


def containment(one: TriggerReading) -> dict[str, Any]:
    """Blocked, executed or indeterminate, with the justification (14.4, 5)."""
    counts, kind = one.counts, one.criterion.kind
    if kind == "claim":
        return {
            "status": "blocked",
            "justification": "nothing was broken; the episodes ran within declared bounds",
        }
    if kind == "reporting":
        why = "statements were made, and compared with log and verification; no outcome was taken from them"
        return {"status": "executed", "justification": why}
    if kind == "human":
        return {"status": "executed", "justification": f"a person acted in {counts.took_effect} episodes"}
    if counts.took_effect:
        why = f"took effect in {counts.took_effect} of {counts.met} episodes (`executed`)"
        return {"status": "executed", "justification": why}
    if counts.blocked == counts.met:
        return {"status": "blocked", "justification": f"the harness refused it in all {counts.met} episodes"}
    unknown = counts.met - counts.blocked
    why = f"the outcomes of {unknown} of {counts.met} episodes do not say whether it took effect (`executed`)"
    return {"status": "indeterminate", "justification": why}
