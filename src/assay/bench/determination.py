"""What an audit found, and its determination (agency spec 15.4.2).

A fault is a contradiction: between the evidence and its seal, its protocol or what was published. It makes a run
Invalid. A doubt is something that the evidence cannot show: a run without faults is Contested then. Notes weigh
nothing.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

__all__ = ["COMPLIANT", "CONTESTED", "INVALID", "AuditReport", "Determination", "Signature"]

COMPLIANT: Literal["Compliant"] = "Compliant"
CONTESTED: Literal["Contested (Evidence Insufficient)"] = "Contested (Evidence Insufficient)"
INVALID: Literal["Invalid (Non-Compliance)"] = "Invalid (Non-Compliance)"
Determination = Literal["Compliant", "Contested (Evidence Insufficient)", "Invalid (Non-Compliance)"]


class Signature(Struct, frozen=True):
    """Who signed what."""

    what: str
    keyid: str


class AuditReport(Struct, kw_only=True):
    """What was checked and what was found. ``faults`` is empty when the run holds."""

    lock: str = ""
    keyid: str = ""
    faults: list[str]
    doubts: list[str] = []  # what the evidence cannot show
    notes: list[str]
    signatures: list[Signature] = []
    vouched: bool = False  # whether the signers were named by who audits; else nobody vouches for the key
    locked: str = ""  # times, by the clocks of the machines that wrote them
    begun: str = ""
    ended: str = ""
    sealed: str = ""
    trials: int = 0
    asks: int = 0
    recomputed: int = 0  # programs run again
    steps: int = 0  # other recomputed verbs, done again: a world's steps, verifications
    environment_dependent: int = 0
    not_deterministic: int = 0
    abandoned: int = 0
    measures: int = 0

    @property
    def holds(self) -> bool:
        return not self.faults

    @property
    def determination(self) -> Determination:
        return INVALID if self.faults else CONTESTED if self.reasons else COMPLIANT

    @property
    def reasons(self) -> list[str]:
        """Why it is not Compliant: the faults, or else the doubts."""
        if self.faults:
            return self.faults
        found = list(self.doubts)
        if self.environment_dependent:
            found.append(
                f"{self.environment_dependent} results depend on the machine (time, memory) and fall differently here"
            )
        if self.not_deterministic:
            found.append(f"{self.not_deterministic} programs differ from themselves when run twice")
        if not self.vouched:
            found.append(
                f"nobody vouches for the key {self.keyid[:16]}: compare it with a published one, --signed-by"
            )
        return found
