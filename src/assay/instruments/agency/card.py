"""The Agency Card (13.3): the comparison tuple, what it took, how it was verified, where the evidence lies.

Efficiency is a cost, not a capability (8.3): it stands here, and nowhere in a score.
"""

from __future__ import annotations

from math import fsum
from typing import Any

from assay.canonical import real

from .analysis import AgencyReading
from .gathering import Episodes

__all__ = ["card_of", "efficiency_of"]


def efficiency_of(mine: Episodes) -> dict[str, float | int | None]:
    """Means over finished episodes. Tokens are None where a reply did not say how many it took."""
    asks = [ask for record, _ in mine.reports for ask in record.asks]
    tries = sum(
        len(event.data.get("tries", ()))
        for record, _ in mine.reports
        for event in record.events
        if event.kind == "received"
    )
    used = [ask.reply.usage for ask in asks if ask.reply is not None]
    counted = all(usage.input is not None and usage.output is not None for usage in used)
    tokens = sum((usage.input or 0) + (usage.output or 0) for usage in used)
    episodes = len(mine.reports)

    def mean(total: float) -> float | None:
        return real(total / episodes) if episodes else None

    return {
        "episodes": episodes,
        "tokens per episode": mean(tokens) if counted else None,
        "seconds per episode": mean(fsum(ask.seconds for ask in asks)),
        "actions per episode": mean(sum(report.actions for _, report in mine.reports)),
        "calls per episode": mean(len(asks)),
        "retry rate": real((tries - len(asks)) / tries) if tries else None,
    }


def card_of(reading: AgencyReading, mine: Episodes, contact: str) -> dict[str, Any]:
    """The card of one reading. It repeats nothing of the tuple."""
    lost = sum(outcome.outcome == "excluded" for outcome in mine.outcomes)
    families = sorted({outcome.family for outcome in mine.outcomes})
    return {
        "comparison": reading.tuples.comparison_text,
        "efficiency": efficiency_of(mine),
        "verification": {
            "methods": {name: reading.declaration.family(name).verification for name in families},
            "failure rate": real(lost / len(mine.outcomes)) if mine.outcomes else None,
        },
        "artifacts": reading.declaration.artifacts or None,
        "contact": contact or None,
    }
