"""The Technical Report as plain data: the nine mandatory fields (13.4.1), what is recommended (13.4.2), who evaluated
(15.2), and which of the mandatory ones are missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.declarations.outcome import TIERS
from assay.instruments.agency.learning.comparisons import SIDES, Comparison

from .criteria import rubric
from .levels import AssignedLevel, interval_of
from .tally import SubjectTally, total_of
from .tiers import TierReading
from .tuples import Tuples, score_text

__all__ = [
    "CONFIGURATION",
    "FIELDS",
    "PRE_REGISTRATION",
    "PROMPTS",
    "missing_fields",
    "needs_report",
    "registration_needed",
    "roles_of",
    "technical_report",
]

PROMPTS, CONFIGURATION = "prompts and policies", "configuration details"
PRE_REGISTRATION = "pre-registration reference"
SOCIAL_TIER = 5  # from which on pre-registration is mandatory (13.4.2)
SELF_CERTIFICATION = (  # 15.4.1, word for word
    "This evaluation was conducted in accordance with Framework {framework}. The reporting party attests that the "
    "Technical Report and artifact bundle are sufficient to reproduce the published scores under the declared frame. "
    "Contact: {contact}."
)
OUTSIDE = {  # 13.4 (4): uses for which the report is mandatory, whatever is claimed
    "procurement": "use in procurement",
    "vendor selection": "use in vendor selection",
    "external decision": "use in an external decision",
}
FIELDS = (
    "system identifier",
    "boundary declaration",
    "interface schemas",
    "task suite specification",
    "ex ante success criteria",
    "sampling plan and counts",
    "aggregation and statistics",
    "results",
    "evidence bundle index",
)


def registration_needed(declaration: Declaration, tier: int | None) -> bool:
    """Whether the pre-registration reference is mandatory (13.4.2, 12)."""
    return declaration.for_procurement or (tier or 0) >= SOCIAL_TIER


def missing_fields(tally: SubjectTally, declaration: Declaration, tier: int | None) -> tuple[str, ...]:
    """The mandatory fields that cannot be filled from what was declared."""
    families = [declaration.family(name) for name in sorted({key.family for key in tally.cells})]
    system = declaration.system_of(tally.subject)
    extended = tally.boundary == "extended"
    reasons = all(key.reason for key in tally.excluded)
    filled = {
        "system identifier": bool(system.version and system.architecture),
        "boundary declaration": declaration.boundary is not None
        and (
            not extended
            or bool(declaration.includes and declaration.tools is not None and declaration.human_assistance)
        ),
        "interface schemas": all(f.observation_schema and f.action_schema and f.version for f in families),
        "task suite specification": bool(
            declaration.suite and declaration.families and declaration.inclusion
        ),
        "ex ante success criteria": tally.dated
        and bool(declaration.began)
        and all(f.criterion and f.verification for f in families),
        "sampling plan and counts": bool(declaration.protocol.sampling) and reasons,
        "evidence bundle index": bool(declaration.artifacts) and not total_of(tally.of("E")).unverified,
    }
    missing = [name for name in FIELDS if not filled.get(name, True)]
    if registration_needed(declaration, tier) and not declaration.pre_registration:
        missing.append(PRE_REGISTRATION)
    return tuple(missing)


def needs_report(
    vector: Sequence[AssignedLevel], tier: int | None, declaration: Declaration
) -> dict[str, str]:
    """Measure → the claim for which the report is mandatory (13.4)."""
    levels = {assigned.dimension: assigned.level for assigned in vector}
    claims = {"tier": f"Tier {tier}"} if tier else {}
    claims |= {
        name: f"{name} = {levels[name]}" for name, least in (("E", 3), ("R", 3)) if levels[name] >= least
    }
    use = OUTSIDE.get(declaration.purpose)
    return {**claims, declaration.purpose: use} if use else claims


def technical_report(
    tally: SubjectTally,
    declaration: Declaration,
    vector: Sequence[AssignedLevel],
    tier: TierReading,
    tuples: Tuples,
    credited: Sequence[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """All fields. Missing values are None; those that are mandatory are listed under ``missing``. ``credited`` points
    to the verification of every credited outcome of E, where its place is known.
    """
    names = sorted({key.family for key in tally.cells} | set(declaration.families))
    system = declaration.system_of(tally.subject)
    return {
        "missing": list(missing_fields(tally, declaration, tier.tier)),
        "tuples": tuples.as_dict(),
        "evaluation": roles_of(tally.subject, declaration),
        "system identifier": {
            "name": tally.subject,
            "version": system.version or None,
            "architecture": system.architecture or None,
        },
        "boundary declaration": {
            "boundary": tally.boundary,
            "declared": declaration.boundary,
            "includes": None if declaration.includes is None else list(declaration.includes),
            "tools": None if declaration.tools is None else list(declaration.tools),
            "human assistance": declaration.human_assistance or None,
            "memory": declaration.memory or None,
        },
        "interface schemas": {name: _interface(name, declaration) for name in names},
        "task suite specification": {
            "suite": declaration.suite or None,
            **_justified(declaration),
            "inclusion": declaration.inclusion or None,
            "exclusion": declaration.exclusion or None,
            "families": {name: _family(name, declaration) for name in names},
        },
        "ex ante success criteria": {name: _criterion(name, declaration) for name in names},
        "sampling plan and counts": {
            "plan": declaration.protocol.sampling or None,
            "counts": _counts(tally),
            "excluded": [{**key._asdict(), "count": number} for key, number in tally.excluded.items()],
        },
        "aggregation and statistics": _statistics(declaration),
        "results": {
            "rates": _rates(tally, declaration),
            "vector": {assigned.dimension: score_text(assigned) for assigned in vector},
            "tier": tier.tier,
            "tier notes": list(tier.notes),
            "gates": [
                {"tier": g.tier, "gate": g.name, "rule": g.rule, "passed": g.holds, "because": g.because}
                for g in tier.gates
            ],
            "governance_flags": list(tier.governance),
            "flags": {assigned.dimension: [str(flag) for flag in assigned.flags] for assigned in vector},
        },
        "evidence bundle index": {
            "location": declaration.artifacts or None,
            "credited": None if credited is None else list(credited),
        },
        PROMPTS: declaration.prompts or None,
        CONFIGURATION: {"memory": declaration.memory or None, **declaration.configuration},
        PRE_REGISTRATION: declaration.pre_registration or None,
    }


def roles_of(subject: str, declaration: Declaration) -> dict[str, Any]:
    """Who evaluated (15.2), and the statement of 15.4.1 where they make it. None: not declared."""
    party = declaration.evaluated_by
    contact = declaration.contact or "not declared"
    return {
        "role": party.role or None,
        "organisation": party.organisation or None,
        "contact": declaration.contact or None,
        "vendor of the system": declaration.system_of(subject).vendor or None,
        "independence": party.independence or None,
        "Vendor-Evaluated": party.of_vendor if party.role else None,
        "self-certification": SELF_CERTIFICATION.format(framework=rubric().framework, contact=contact)
        if party.self_certified
        else None,
    }


def _justified(declaration: Declaration) -> dict[str, str]:
    """Why this suite (11.8), where it is said."""
    given = declaration.suite_justification
    return {"justification": given} if given else {}


def _interface(name: str, declaration: Declaration) -> dict[str, Any]:
    family = declaration.family(name)
    return {
        "version": family.version or None,
        "observation": family.observation_schema,
        "action": family.action_schema,
    }


def _family(name: str, declaration: Declaration) -> dict[str, Any]:
    family = declaration.family(name)
    return {
        "declared": name in declaration.families,
        "version": family.version or None,
        "environment": family.environment or None,
        "levels": list(family.levels),
        "included": family.included,
        "exclusion reason": family.exclusion_reason or None,
    }


def _criterion(name: str, declaration: Declaration) -> dict[str, Any]:
    family = declaration.family(name)
    return {
        "criterion": family.criterion or None,
        "time": family.criterion_time or None,
        "verification": family.verification or None,
        "threshold": declaration.threshold(name),
        "threshold reason": family.threshold_reason or None,
    }


def _counts(tally: SubjectTally) -> list[dict[str, Any]]:
    return [
        {
            **key._asdict(),
            "attempted": cell.attempted,
            "scored": cell.n,
            "excluded": cell.excluded,
            "post-hoc": cell.post_hoc,
        }
        for key, cell in tally.cells.items()
    ]


def _rates(tally: SubjectTally, declaration: Declaration) -> list[dict[str, Any]]:
    """One for every dimension, level, family and regime. Outcomes before and after practice, and those of the arms of a
    tier, are not added up: each has its own, with its ``part``.
    """
    found = []

    def add(where: dict[str, Any], k: int, n: int, part: str = "") -> None:
        if n:
            interval = interval_of(k, n, declaration)
            told = {"n": n, "k": k, "rate": k / n, "low": interval.low, "high": interval.high}
            found.append({**where, **told, **({"part": part} if part else {})})

    for key, cell in tally.cells.items():
        if key.dimension not in TIERS and (key.dimension != "L" or not tally.learning.phases):
            add(key._asdict(), cell.k, cell.n)
    learnt: dict[tuple[Comparison, int, str, str], list[int]] = {}
    for one, counts in sorted(tally.learning.compared.items()):
        sums = learnt.setdefault((one.comparison, one.level, one.family, one.regime), [0, 0, 0, 0])
        for place, number in enumerate(counts[1:]):
            sums[place] += number
    for (comparison, level, family, regime), (k0, n0, k1, n1) in learnt.items():
        where = {"dimension": "L", "level": level, "family": family, "regime": regime}
        for side, k, n in zip(SIDES[comparison], (k0, k1), (n0, n1), strict=True):
            add(where, k, n, side)
    for arm, met in sorted(tally.gates.arms.items()):
        where = {"dimension": arm.tier, "level": None, "family": arm.family, "regime": arm.regime}
        add(where, met.k, met.n, arm.slot or "as it is")
    return [one for place, one in enumerate(found) if one not in found[:place]]


def _statistics(declaration: Declaration) -> dict[str, Any]:
    return {
        "scoring": declaration.protocol.scoring or None,
        "interval": declaration.interval,
        "confidence": declaration.confidence,
        "rule": declaration.rule,
        "borderline": "a rate within 5 points under the threshold, or above it with an interval that reaches below, "
        "gives the next lower level, Provisional (11.4.2)",
        "post-hoc share": declaration.post_hoc_share,
        "infrastructure share": declaration.infrastructure_share,
        "disagreement share": declaration.disagreement_share,
    }
