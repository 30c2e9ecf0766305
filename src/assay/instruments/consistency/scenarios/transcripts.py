"""Records of a run as transcripts: what a trial noted of its conversation, put together with the recorded replies.

A trial's report holds the thread, and who said what in which order. Replies are not repeated in it: a turn of the
subject says how many of the trial's asks it took (more than one where tools were called), and their texts and times
come from the ledger. Nor is the system message, which follows from the thread and the rules in the lock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from assay.errors import IntegrityError
from assay.evidence.records import Ask, Evidence, Record
from assay.measuring.raters import RATING
from assay.vocabulary import Exclusion

from .content import HouseRules
from .scenario import Expected, Kind, Scenario, Turn
from .scene import system_message
from .thread import Thread

__all__ = [
    "ConversationReport",
    "NotedTurn",
    "Transcripts",
    "gather",
    "rules_of",
    "scenario_of",
    "scenarios_of",
]


class NotedTurn(Struct, frozen=True, omit_defaults=True):
    """One turn as a trial notes it. ``stated`` is false where a system message leaves the state to the memory."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    part: str = ""
    asks: int = 0
    stated: bool = True


class ConversationReport(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The report of a finished trial."""

    kind: Kind
    variant: str
    thread: Thread
    others: tuple[Thread, ...] = ()
    expected: Expected = Expected()
    turns: tuple[NotedTurn, ...]


class Transcripts(NamedTuple):
    """A run's transcripts, what infrastructure lost, and notes on them."""

    scenarios: list[Scenario]
    excluded: list[Exclusion]
    notes: list[str]


def gather(records: Iterable[Record], rules: HouseRules) -> Transcripts:
    """Every finished conversation, in the order of the records; excluded ones are counted by reason and subject."""
    scenarios: list[Scenario] = []
    lost: Counter[tuple[str, str]] = Counter()
    cut = 0
    for record in records:
        if record.trial.stage == RATING:
            continue
        if record.outcome == "excluded":
            lost[record.reason, record.trial.subject] += 1
            continue
        scenarios.append(scenario_of(record, rules))
        cut += sum(reply.finish == "length" for reply in record.replies)
    excluded = [Exclusion(reason, count, {"subject": who}) for (reason, who), count in sorted(lost.items())]
    notes = [f"{cut} replies were cut by their length limit; they are scored as they came"] if cut else []
    return Transcripts(scenarios, excluded, notes)


def scenarios_of(evidence: Evidence) -> list[Scenario]:
    return gather(evidence, rules_of(evidence)).scenarios


def rules_of(evidence: Evidence) -> HouseRules:
    """The rules that the run's lock holds."""
    return msgspec.convert(evidence.lock.materials[evidence.instrument]["content"]["rules"], HouseRules)


def scenario_of(record: Record, rules: HouseRules) -> Scenario:
    try:
        report = msgspec.convert(record.report, ConversationReport)
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


def _turns(
    report: ConversationReport, asks: Sequence[Ask], rules: HouseRules, *, extended: bool
) -> Iterator[Turn]:
    left = iter(asks)
    for said in report.turns:
        if said.role == "system":
            text = system_message(rules, report.thread, report.others, extended=extended, stated=said.stated)
            yield Turn("system", text)
        elif said.asks:
            taken = [next(left) for _ in range(said.asks)]
            texts = [ask.reply.text for ask in taken if ask.reply is not None and ask.reply.text]
            # What was said between tool calls belongs to the reply, and so does the time.
            yield Turn("assistant", "\n".join(texts), said.part, fsum(ask.seconds for ask in taken))
        else:
            yield Turn(said.role, said.content, said.part)
