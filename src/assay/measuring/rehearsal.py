"""A trial conducted with nobody at the other end, to see what would be asked.

Every reply is empty and nothing is recorded. The prompts are those of a run as far as they do not depend on
replies: good for an estimate of tokens and for showing an item, never for scoring.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from assay.bench import Instrument, Probe
from assay.bench.probe import Received
from assay.errors import SandboxUnavailable, blaming
from assay.evidence.events import Event
from assay.evidence.records import Record
from assay.sandbox import CommandJob, CommandRun, Job, Run
from assay.study import Lock
from assay.study.model import SubjectSpec
from assay.subjects.base import Call, Subject, wire_messages
from assay.vocabulary import Message, Reply, Request, Trial

__all__ = ["CHARACTERS_PER_TOKEN", "characters_of", "rehearse"]

CHARACTERS_PER_TOKEN = 4  # roughly, for English


class _Silence:
    """Behind a rehearsing probe: takes everything in and answers with nothing."""

    live = True

    def record(self, event: Event) -> Event:
        return event

    def record_sent(self, event: Event, own: dict[str, str]) -> None:
        """Nothing is kept."""

    async def call(
        self, subject: Subject, wire: dict[str, Any], call: Call, largest: int, announce: Callable[[], object]
    ) -> Received:
        return Received(tries=(), reply=Reply(""))

    async def execute(self, job: Job | CommandJob) -> Run | CommandRun:
        raise SandboxUnavailable("a rehearsal runs no programs")

    def earlier(self, reference: str) -> Record:
        raise LookupError("a rehearsal has no earlier evidence")

    def note(self, what: str, trial: str, ordinal: int) -> None:
        """Nothing is compared."""


class _Nobody:
    """The subject of a rehearsal: it is never called."""

    stateful = False
    connections = 1
    caveats: tuple[str, ...] = ()

    def __init__(self, title: str) -> None:
        self.spec = SubjectSpec(f"nobody:{title}")

    def secrets(self) -> tuple[str, ...]:
        return ()

    def wire(self, request: Request) -> dict[str, Any]:
        return {"messages": wire_messages(request)}

    async def open(self) -> dict[str, Any]:
        return {}

    async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
        return Reply("")

    async def forget(self, session: str) -> None:
        """It kept nothing."""

    async def close(self) -> None:
        """It opened nothing."""


class _Listening(Probe):
    """A probe that keeps what it was asked."""

    __slots__ = ("asked",)
    asked: list[tuple[Message, ...]]

    async def ask(self, messages: Any, *, tools: Any = ()) -> Reply:
        self.asked.append(tuple(messages))
        return await super().ask(messages, tools=tools)


def rehearse(instrument: Instrument, trial: Trial, lock: Lock) -> list[tuple[Message, ...]]:
    """Every conversation that would be put to the subject, up to where a reply is needed to go on."""
    probe = _Listening(trial, trial.id, _Nobody(trial.subject), lock, _Silence())
    probe.asked = []
    try:
        with blaming(f"the instrument {instrument.name}", "conduct"):
            asyncio.run(instrument.conduct(trial, probe))
    except (SandboxUnavailable, LookupError):
        pass  # what comes after hangs on a reply
    return list(probe.asked)


def characters_of(asked: list[tuple[Message, ...]]) -> int:
    return sum(len(message.content) for messages in asked for message in messages)
