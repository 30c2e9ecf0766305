"""What stands behind a probe in a run: the ledger, the callers, the sandbox."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any, overload

from assay.evidence.events import REFER_FROM, Event
from assay.evidence.ledger import Ledger
from assay.evidence.records import LedgerIndex
from assay.sandbox import CommandJob, CommandRun, Job, Run, Sandbox
from assay.subjects.base import Call, Subject

from .caller import Caller
from .probe import Received

__all__ = ["Live", "SandboxService"]

REMEMBERED_TEXTS = 4096


class SandboxService:
    """The sandbox, started when the first program comes."""

    def __init__(self, *, workers: int = 2, allow_unconfined_code: bool = False) -> None:
        self._options: dict[str, Any] = {"workers": workers, "allow_unconfined_code": allow_unconfined_code}
        self._stack = AsyncExitStack()
        self._sandbox: Sandbox | None = None
        self._starting = asyncio.Lock()

    @overload
    async def execute(self, job: Job) -> Run: ...
    @overload
    async def execute(self, job: CommandJob) -> CommandRun: ...
    @overload
    async def execute(self, job: Job | CommandJob) -> Run | CommandRun: ...
    async def execute(self, job: Job | CommandJob) -> Run | CommandRun:
        if self._sandbox is None:
            async with self._starting:
                if self._sandbox is None:
                    self._sandbox = await self._stack.enter_async_context(Sandbox(**self._options))
        return await self._sandbox.run(job)

    async def close(self) -> None:
        await self._stack.aclose()


class Live:
    """Records first, then lets the trial go on."""

    live = True

    def __init__(
        self, ledger: Ledger, index: LedgerIndex, callers: dict[str, Caller], sandbox: SandboxService
    ) -> None:
        self._ledger, self._callers, self._sandbox = ledger, callers, sandbox
        self.earlier = index.earlier
        self._texts: OrderedDict[str, None] = OrderedDict()
        self.record = ledger.append

    def record_sent(self, event: Event, own: dict[str, str]) -> None:
        """Long texts are written once; a request refers to them by digest."""
        wire = event.data["wire"]
        messages = wire.get("messages", ())
        for message in messages:
            if len(message.get("content") or "") > REFER_FROM:
                event.data = {"wire": {**wire, "messages": [self._referring(m, own) for m in messages]}}
                break
        self._ledger.append(event)

    def _referring(self, message: dict[str, Any], own: dict[str, str]) -> dict[str, Any]:
        content = message.get("content")
        if not isinstance(content, str) or len(content) <= REFER_FROM:
            return message
        key = hashlib.sha256(content.encode()).hexdigest()
        if key not in own:
            if key in self._texts:
                self._texts.move_to_end(key)
            else:
                self._ledger.append(Event("text", time.time(), data={"sha256": key, "text": content}))
                self._texts[key] = None
                if len(self._texts) > REMEMBERED_TEXTS:
                    self._texts.popitem(last=False)
        return {**message, "content": {"sha256": key}}

    def call(
        self, subject: Subject, wire: dict[str, Any], call: Call, largest: int, announce: Callable[[], object]
    ) -> Coroutine[Any, Any, Received]:
        return self._callers[subject.spec.title].call(wire, call, largest, announce)

    async def execute(self, job: Job | CommandJob) -> Run | CommandRun:
        return await self._sandbox.execute(job)

    def note(self, what: str, trial: str, ordinal: int) -> None:
        """On resume the record stands; an audit is where this is told."""
