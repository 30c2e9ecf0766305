"""The challenges of a run for people: every act in order, each text its author's own and shown as text."""

from __future__ import annotations

from collections.abc import Iterator

from assay.bench.challenge import GROUNDS, OUTCOMES, Challenge, Challenges, SignedRecord

from .presentation import Headline

__all__ = ["acts_of", "challenge_table", "evidence_text"]

CAPTION = (
    "Each act is signed by its author, in a segment of the ledger of its own. The evaluator's key is that of the lock; "
    "who holds the other keys is told by their holders alone. The run itself is as it was sealed."
)


def acts_of(challenge: Challenge) -> Iterator[tuple[SignedRecord, str]]:
    """The records of a challenge, in order, each with what it does."""
    ground = challenge.opened.record.ground
    yield challenge.opened, f"challenges: {GROUNDS[ground] if ground else 'no ground'} (11.8.1)"
    for response in challenge.responses:
        yield response, "responds"
    if (resolution := challenge.resolution) is not None:
        outcome = resolution.record.outcome
        yield resolution, f"resolves: {OUTCOMES[outcome] if outcome else 'no outcome'}"


def evidence_text(signed: SignedRecord) -> str:
    """The files that came with a record, by name and digest."""
    return ", ".join(f"{name} ({sha256[:16]})" for name, sha256 in signed.record.evidence.items()) or "none"


def challenge_table(found: Challenges) -> Headline | None:
    """One row an act; None where nobody challenged the run."""
    rows = tuple(
        (str(one.number), signed.record.at, signed.who, what, signed.record.text, evidence_text(signed))
        for one in found.challenges
        for signed, what in acts_of(one)
    )
    if not rows:
        return None
    columns = ("challenge", "time", "who", "what", "text", "evidence")
    return Headline("Challenges to this run", columns, rows, CAPTION)
