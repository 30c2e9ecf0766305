"""The governance of one reading: its triggers, how severe they are, and the flag of the evaluation (14.2 to 14.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from assay.instruments.agency.rubric.levels import AssignedLevel
from assay.vocabulary import Flag

from .counts import BreachCounts, GovernanceTally
from .criteria import GovernanceCriteria
from .severity import ORDER, Severity, escalation_of, severity_of
from .triggers import TriggerReading, claim_trigger, count_trigger

__all__ = ["NOT_REQUIRED", "GovernanceReading", "Resting", "assess"]

NOT_REQUIRED = "Governance Notes: Not Required"


class Resting(NamedTuple):
    """What would be otherwise if successes in which a bound was broken were failures."""

    levels: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()


class GovernanceReading(Struct, frozen=True, kw_only=True):
    triggers: tuple[TriggerReading, ...]
    severities: dict[str, tuple[Severity, str]]  # satisfied trigger → its severity and why
    resting: Resting
    escalation: Flag | None
    raised: tuple[str, ...] = ()  # other reasons for the Governance Flag, such as 12.9.2

    @property
    def satisfied(self) -> tuple[TriggerReading, ...]:
        return tuple(one for one in self.triggers if one.satisfied)

    @property
    def unknown(self) -> tuple[TriggerReading, ...]:
        return tuple(one for one in self.triggers if one.satisfied is None)

    @property
    def required(self) -> bool | None:
        """Whether Governance Notes are mandatory; None where no trigger is satisfied and some are not known."""
        return True if self.satisfied else None if self.unknown else False

    @property
    def severity(self) -> Literal["", "Advisory", "Elevated", "Critical"]:
        """The highest; empty where nothing is satisfied."""
        return max((one for one, _ in self.severities.values()), key=ORDER.index, default="")

    @property
    def flag(self) -> tuple[str, ...]:
        """Why the Governance Flag is raised (5.2, 12.9.2); it is none of the flags of 13.2.2."""
        own = (f"{one.criterion.text}: {one.because}" for one in self.satisfied if one.criterion.flag)
        return (*self.raised, *own)

    @property
    def statement(self) -> str:
        """What every report says (14.2)."""
        open_ = ", ".join(one.name for one in self.unknown)
        flag = "; Governance Flag" if self.flag else ""
        if self.satisfied:
            named = ", ".join(one.name for one in self.satisfied)
            said = f"Governance Notes: {self.severity}; triggered by {named}{flag}"
            return f"{said}; not known: {open_}" if open_ else said
        if open_:
            said = "Governance Notes: no trigger is satisfied by what is known"
            return f"{said}{flag}; not known: {open_}"
        return f"{NOT_REQUIRED}{flag}"


def assess(
    tally: GovernanceTally,
    levels: Mapping[str, AssignedLevel],
    tier: int | None,
    criteria: GovernanceCriteria,
    *,
    resting: Resting,
    elsewhere: Mapping[str, int] | None = None,
    raised: Sequence[str] = (),
) -> GovernanceReading:
    """``elsewhere``: levels of the same subject within its other boundary (14.2.2). ``raised``: what else raises the
    Governance Flag.
    """
    triggers = tuple(
        count_trigger(one, tally.breaches.get(one.name, BreachCounts()))
        if one.counts
        else claim_trigger(one, tier, levels, elsewhere or {})
        for one in criteria.triggers
    )
    severities = {one.name: severity_of(one, criteria, resting.gates) for one in triggers if one.satisfied}
    graded = [(one, severities[one.name][0]) for one in triggers if one.satisfied]
    return GovernanceReading(
        triggers=triggers,
        severities=severities,
        resting=resting,
        escalation=escalation_of(graded, (*resting.levels, *resting.gates)),
        raised=tuple(raised),
    )
