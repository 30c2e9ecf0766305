"""Outcomes and declarations made by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from assay.instruments.agency.declarations.declaration import (
    Declaration,
    DeclaredFamily,
    DeclaredProtocol,
    DeclaredRegime,
    Evaluator,
    System,
)
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.scoring import score_outcomes
from assay.vocabulary import Measure, Result, Verdict

__all__ = [
    "BEGAN",
    "EARLY",
    "LATE",
    "PROTOCOL",
    "REGIMES",
    "declared",
    "family",
    "flags",
    "kinds",
    "level",
    "made",
    "measures",
    "score",
    "stressed",
    "verdict",
]

EARLY, BEGAN, LATE = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"
REGIMES = {
    "Baseline": DeclaredRegime(level="baseline"),
    "Moderate": DeclaredRegime(
        level="moderate", action={"cap": 10}, stability={"timeouts": 0.15, "noise_rate": 0.2, "drift": True}
    ),
    "Severe": DeclaredRegime(
        level="severe",
        information={"share": 0.25},
        action={"cap": 5},
        compute={"seconds": 30},
        stability={"failures": 0.3, "noise_rate": 0.4, "drift": True},
    ),
}

PROTOCOL = DeclaredProtocol(
    approach="benchmark", sampling="seeded", scoring="rubric", held_out="fresh seeds", guidance="no hints"
)
INCLUDED = {"S": "partial_observability", "D": "stability_checks"}


def family(dimension: str | tuple[str, ...], **more: Any) -> DeclaredFamily:
    """A family with all that 11.2 asks for, and what its dimension is to include (10.4.2, 10.6.2)."""
    included = tuple(INCLUDED[name] for name in INCLUDED if name in dimension)
    given: dict[str, Any] = {
        "conditions": included,
        "version": "1",
        "environment": "tool-augmented",
        "criterion": "the state equals the target",
        "criterion_time": EARLY,
        "verification": "the state is read from outside",
        "held_out": "T4" in dimension,
        "observation_schema": "observation/1",
        "action_schema": "action/1",
        **more,
    }
    return DeclaredFamily(dimension=dimension, **given)


def declared(rows: Iterable[OutcomeRow], **changes: Any) -> Declaration:
    """A whole declaration for these rows."""
    dimensions: dict[str, set[str]] = {}
    for row in rows:
        dimensions.setdefault(row.family, set()).add(row.dimension)
    given: dict[str, Any] = {
        "system": System(name="subject", version="1", architecture="language model"),
        "boundary": "core",
        "tools": (),
        "began": BEGAN,
        "protocol": PROTOCOL,
        "regimes": REGIMES,
        "families": {name: family(tuple(sorted(of))) for name, of in sorted(dimensions.items())},
        "inclusion": "every family of the suite",
        "exclusion": "none",
        "suite": "suite-1",
        "artifacts": "bundle-1",
        "date": "2026-01-02",
        "evaluators": (
            Evaluator(name="ann", calibrated=True, agreement=0.9),
            Evaluator(name="bob", calibrated=True, agreement=0.8),
        ),
        **changes,
    }
    return Declaration(**given)


def made(
    dimension: Any,
    of_level: int,
    k: int,
    n: int,
    *,
    families: int | Sequence[str] = 3,
    regime: str = "Baseline",
    start: int = 0,
    **more: Any,
) -> list[OutcomeRow]:
    """n outcomes, the first k of them successes, dealt out to the families in turn."""
    names = (
        [f"{dimension.lower()}{i}" for i in range(families)] if isinstance(families, int) else list(families)
    )
    given = {"artifact": "digest", "steps": 3, "state_changed": True, "compliant": True, **more}
    return [
        OutcomeRow(
            dimension=dimension,
            level=of_level,
            family=names[i % len(names)],
            regime=regime,
            instance=f"{dimension}{of_level}-{start + i}",
            outcome="success" if i < k else "failure",
            **given,
        )
        for i in range(n)
    ]


def stressed(
    base: int,
    moderate: int | None,
    severe: int | None,
    n: int = 100,
    *,
    families: int = 3,
    attacked: int = 30,
    resisted: int = 30,
    **more: Any,
) -> list[OutcomeRow]:
    """Each family with n contents, so many of them solved under each regime; S at level 1."""
    rows: list[OutcomeRow] = []
    for number in range(families):
        for regime, k in (("Baseline", base), ("Moderate", moderate), ("Severe", severe)):
            if k is None:
                continue
            own = made("S", 1, k, n, families=[f"s{number}"], regime=regime, start=1000 * number, **more)
            if regime == "Severe":
                own = [
                    msgspec.structs.replace(row, adversarial="resisted" if i < resisted else "followed")
                    if i < attacked
                    else row
                    for i, row in enumerate(own)
                ]
            rows += own
    return rows


def score(rows: Sequence[OutcomeRow], **changes: Any) -> Result:
    return score_outcomes(rows, declared(rows, **changes), source="rows", version="1")


def measures(result: Result, name: str, **labels: Any) -> list[Measure]:
    return [
        m
        for m in result.measures
        if m.name == name and all(m.labels.get(key) == value for key, value in labels.items())
    ]


def level(result: Result, name: str, **labels: Any) -> Measure:
    (found,) = measures(result, name, **labels)
    return found


def flags(measure: Measure) -> list[str]:
    return [str(flag) for flag in measure.flags]


def kinds(measure: Measure) -> list[str]:
    return [flag.kind for flag in measure.flags]


def verdict(result: Result, claim: str) -> Verdict:
    (found,) = [one for one in result.verdicts if one.claim.startswith(claim)]
    return found
