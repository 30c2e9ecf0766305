"""Records of a run as transcripts: what a trial noted of its conversation, put together with the recorded replies.

A trial's report holds the thread, and who said what in which order. Replies are not repeated in it: a turn of the
subject says how many of the trial's asks it took (more than one where tools were called), and their texts and times
come from the ledger. Nor is the system message, which follows from the thread and the rules in the lock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from typing import Literal

import msgspec
from msgspec import Struct

from assay.errors import IntegrityError
from assay.evidence.records import Ask, Evidence, Record
from assay.vocabulary import Exclusion

from .content import Rules
from .establish import system_message
from .scenario import Expected, Kind, Scenario, Turn
from .thread import Thread

__all__ = ["Report", "Said", "exclusions_of", "scenario_of", "scenarios_of"]


class Said(Struct, frozen=True, omit_defaults=True):
    """One turn as a trial notes it. ``told`` is false for a system message that leaves the state to the memory."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    part: str = ""
    asks: int = 0
    told: bool = True


class Report(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The report of a finished trial."""

    kind: Kind
    variant: str
    thread: Thread
    others: tuple[Thread, ...] = ()
    expected: Expected = Expected()
    turns: tuple[Said, ...]


def scenarios_of(evidence: Evidence) -> list[Scenario]:
    """Every finished conversation, in the order of the evidence. Excluded trials are not among them."""
    rules = msgspec.convert(evidence.lock.materials[evidence.instrument]["content"]["rules"], Rules)
    return [scenario_of(record, rules) for record in evidence if record.outcome != "excluded"]


def exclusions_of(records: Iterable[Record]) -> list[Exclusion]:
    """What infrastructure lost, counted by reason and subject."""
    lost = Counter((r.reason, r.trial.subject) for r in records if r.outcome == "excluded")
    return [Exclusion(reason, count, {"subject": who}) for (reason, who), count in sorted(lost.items())]


def scenario_of(record: Record, rules: Rules) -> Scenario:
    try:
        report = msgspec.convert(record.report, Report)
    except msgspec.ValidationError as error:
        raise IntegrityError(f"trial {record.id[:12]}: a report that cannot be read ({error})") from None
    if sum(said.asks for said in report.turns) != len(record.asks):
        raise IntegrityError(f"trial {record.id[:12]}: the report tells of other asks than there were")
    extended = record.trial.boundary == "extended"
    return Scenario(
        id=record.id,
        subject=record.trial.subject,
        kind=report.kind,
        variant=report.variant,
        thread=report.thread,
        others=report.others,
        turns=tuple(_turns(report, record.asks, rules, extended=extended)),
        expected=report.expected,
        boundary="extended" if extended else "core",
    )


def _turns(report: Report, asks: Sequence[Ask], rules: Rules, *, extended: bool) -> Iterator[Turn]:
    left = iter(asks)
    for said in report.turns:
        if said.role == "system":
            text = system_message(rules, report.thread, report.others, extended=extended, told=said.told)
            yield Turn("system", text)
        elif said.asks:
            taken = [next(left) for _ in range(said.asks)]
            texts = [ask.reply.text for ask in taken if ask.reply is not None and ask.reply.text]
            # What was said between tool calls belongs to the reply, and so does the time.
            yield Turn("assistant", "\n".join(texts), said.part, fsum(ask.seconds for ask in taken))
        else:
            yield Turn(said.role, said.content, said.part)
