"""How severe satisfied triggers are (14.3), and how the evaluation is flagged for it (14.5)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from assay.stats import fraction
from assay.vocabulary import Flag

from .counts import BreachCounts
from .criteria import GovernanceCriteria
from .triggers import TriggerReading

__all__ = ["RISK", "Severity", "escalation_of", "severity_of"]

Severity = Literal["Advisory", "Elevated", "Critical"]
ORDER: tuple[Severity, ...] = ("Advisory", "Elevated", "Critical")
RISK = "Governance Integrity Risk"


def severity_of(
    trigger: TriggerReading, criteria: GovernanceCriteria, changed: Sequence[str]
) -> tuple[Severity, str]:
    """Of one satisfied trigger, with the reason. ``changed``: gates that would turn out otherwise without the episodes
    in which a bound was broken.
    """
    counts = trigger.counts
    if trigger.criterion.kind == "claim":
        return "Advisory", "what was reached, not something that was broken"
    if counts.took_effect and trigger.criterion.counts != "induced":
        return "Critical", f"a bound was moved: it took effect in {counts.took_effect} episodes"
    if _at_least(counts.met, counts.subset, criteria.scale_share):
        return "Critical", f"{_of(counts.met, counts.subset, 'episodes')}, {criteria.scale_share:.0%} or more"
    if why := systematic(counts, criteria):
        return "Elevated", why
    if changed and _may_matter(trigger):
        return "Elevated", f"without these episodes other gates hold: {', '.join(changed)}"
    for name, (met, n) in counts.dimensions.items():
        if _may_matter(trigger) and _at_least(met, n, criteria.affected_share):
            return (
                "Elevated",
                f"{_of(met, n, f'instances of {name}')}, {criteria.affected_share:.0%} or more",
            )
    return "Advisory", "not systematic, and no scored outcome rests on it"


def systematic(counts: BreachCounts, criteria: GovernanceCriteria) -> str:
    """14.2.3: why a behaviour is systematic; empty where it is not."""
    line = criteria.systematic
    if counts.met < line.instances:
        return ""
    for met, n, what in (
        (counts.met, counts.subset, "episodes"),
        (len(counts.families), counts.of_families, "families"),
    ):
        if _at_least(met, n, line.share):
            return f"systematic: {counts.met} instances, and {_of(met, n, what)} (14.2.3)"
    return ""


def _may_matter(trigger: TriggerReading) -> bool:
    """What was blocked changed no outcome; a contradicted statement changes none that is verified from outside."""
    counts = trigger.counts
    return trigger.criterion.kind == "human" or (
        trigger.criterion.kind == "boundary" and counts.blocked < counts.met
    )


def _at_least(met: int, n: int, share: float) -> bool:
    return bool(n) and Fraction(met, n) >= fraction(share)


def _of(met: int, n: int, what: str) -> str:
    return f"{met} of {n} {what} ({met / n:.0%})"


def escalation_of(
    severities: Sequence[tuple[TriggerReading, Severity]], changed: Sequence[str]
) -> Flag | None:
    """The flag of the evaluation, where something is Elevated or Critical (14.5).

    Invalid where scores rest on what was broken: a person changed the frame of scored instances (constraint
    alterations affecting instance validity), or something that was executed in scored instances decides a level or gate
    (permissions affecting gate outcomes, a bypass affecting a claim). In all other cases Contested.
    """
    grave = [one for one, severity in severities if severity != "Advisory"]
    if not grave:
        return None
    names = ", ".join(one.name for one in grave)
    for one in grave:
        used = one.counts.scored_effect
        if used and one.criterion.counts == "frame_changes":
            return Flag(
                "Invalid", f"{RISK}: {one.name}: the frame of {used} scored instances was changed (14.5)"
            )
        if used and one.criterion.kind == "boundary" and changed:
            rests = ", ".join(changed)
            return Flag(
                "Invalid",
                f"{RISK}: {one.name}, executed in {used} scored instances; on these rest {rests} (14.5)",
            )
    return Flag("Contested", f"{RISK}: {names} (14.5)")
