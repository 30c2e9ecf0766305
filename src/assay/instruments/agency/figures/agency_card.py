"""The Agency Card (13.3): comparison tuple, efficiency, verification, location of the evidence.

Efficiency is a cost, not a capability (8.3), so it is part of the card and of no score.
"""

from __future__ import annotations

from math import fsum
from typing import Any

from assay.canonical import real
from assay.instruments.agency.episodes.finished import SubjectEpisodes
from assay.instruments.agency.rubric.analysis import AgencyReading

__all__ = ["card_gaps", "card_of", "efficiency_of"]


def efficiency_of(mine: SubjectEpisodes) -> dict[str, float | int | None]:
    """Means over finished episodes. Tokens are None where a reply did not report its usage."""
    costs = [one.cost for one in mine.reports]
    calls, tries = sum(cost.calls for cost in costs), sum(cost.tries for cost in costs)
    tokens = [cost.tokens for cost in costs if cost.tokens is not None]
    episodes = len(costs)

    def mean(total: float) -> float | None:
        return real(total / episodes) if episodes else None

    return {
        "episodes": episodes,
        "tokens per episode": mean(sum(tokens)) if len(tokens) == episodes else None,
        "seconds per episode": mean(fsum(cost.seconds for cost in costs)),
        "actions per episode": mean(sum(one.report.actions for one in mine.reports)),
        "calls per episode": mean(calls),
        "retry rate": real((tries - calls) / tries) if tries else None,
    }


def card_of(reading: AgencyReading, mine: SubjectEpisodes, contact: str) -> dict[str, Any]:
    """The card of one reading."""
    lost = sum(outcome.outcome == "excluded" for outcome in mine.outcomes)
    families = sorted({outcome.family for outcome in mine.outcomes})
    missing = card_gaps(contact, reading.declaration.artifacts)
    return {
        "system": reading.tally.subject,
        "comparison": reading.tuples.comparison_text,
        "efficiency": efficiency_of(mine),
        "verification": {
            "methods": {name: reading.declaration.family(name).verification for name in families},
            "failure rate": real(lost / len(mine.outcomes)) if mine.outcomes else None,
        },
        "artifacts": reading.declaration.artifacts or None,
        "contact": contact or None,
        "missing": missing,
        "flags": [f"Limited Comparability ({', '.join(missing)} missing: 13.3)"] if missing else [],
    }


def card_gaps(contact: str, artifacts: str) -> list[str]:
    """The fields of a card that cannot be filled (13.3). A contact is an e-mail address and an organisation."""
    given = {"evaluation contact": "@" in contact, "artifact location": bool(artifacts)}
    return [name for name, filled in given.items() if not filled]
