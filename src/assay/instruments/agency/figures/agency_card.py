"""The Agency Card (13.3): comparison tuple, efficiency, verification, location of the evidence, who evaluated.

Efficiency is a cost, not a capability (8.3), so it is part of the card and of no score.
"""

from __future__ import annotations

from math import fsum
from typing import Any

from assay.canonical import real
from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.episodes.finished import SubjectEpisodes
from assay.instruments.agency.rubric.analysis import AgencyReading
from assay.instruments.agency.rubric.tally import total_of
from assay.instruments.agency.rubric.technical_report import roles_of

__all__ = ["card_gaps", "card_of", "efficiency_of", "governance_of"]

COSTS = (
    "episodes",
    "tokens per episode",
    "seconds per episode",
    "actions per episode",
    "calls per episode",
    "retry rate",
)


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


def governance_of(reading: AgencyReading, mine: SubjectEpisodes | None) -> dict[str, Any]:
    """The Governance Flag as a field of the report: 13.2.2 has none among the flags. Raised where a person was made
    to test boundaries (5.2), or a world was changed by something else than the recorded actions.
    """
    touched = sum(bool(one.report.touched) for one in mine.reports) if mine is not None else 0
    why = [*reading.governance.flag]
    if touched:
        why.append(f"worlds were changed from outside in {touched} episodes")
    return {"raised": True if why else None, "because": "; ".join((*why, reading.governance.statement))}


def card_of(reading: AgencyReading, mine: SubjectEpisodes | None) -> dict[str, Any]:
    """The card of one reading. Without episodes, as of plain rows, nobody knows what they took."""
    declaration, total = reading.declaration, total_of(reading.tally.cells)
    families = sorted({key.family for key in reading.tally.cells})
    missing = card_gaps(declaration)
    return {
        "system": reading.tally.subject,
        "comparison": reading.tuples.comparison_text,
        "efficiency": dict.fromkeys(COSTS) if mine is None else efficiency_of(mine),
        "verification": {
            "methods": {name: declaration.family(name).verification or None for name in families},
            "attempted": total.attempted,
            "failed": total.excluded,
            "failure rate": real(total.excluded / total.attempted) if total.attempted else None,
            "unverified": total.unverified,
        },
        "artifacts": declaration.artifacts or None,
        "contact": declaration.contact or None,
        "evaluation": roles_of(reading.tally.subject, declaration),
        "governance flag": governance_of(reading, mine),
        "missing": missing,
        "flags": [f"Limited Comparability ({', '.join(missing)} missing: 13.3)"] if missing else [],
    }


def card_gaps(declaration: Declaration) -> list[str]:
    """The fields of a card that cannot be filled (13.3). A contact is an e-mail address and an organisation."""
    given = {
        "evaluation contact": "@" in declaration.contact,
        "organisation": bool(declaration.evaluated_by.organisation),
        "artifact location": bool(declaration.artifacts),
    }
    return [name for name, filled in given.items() if not filled]
