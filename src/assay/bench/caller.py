"""One ask, with all its tries: pacing, retry with jitter, time limit, budget.

Only what went wrong on the way is tried again. Time spent waiting, queueing or retrying is never charged to the
subject: its time is that of the try that succeeded.
"""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any

from assay.errors import RunStopped, SubjectFault
from assay.study.model import Limits
from assay.subjects.base import Call, Subject
from assay.vocabulary import Reply

from .meter import Meter
from .pacing import Pace
from .probe import Received

__all__ = ["Caller"]

FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
PATIENCE = 5  # an endpoint that says "busy" gets this many times the ordinary tries


class Caller:
    """Calls one subject on behalf of all its trials."""

    def __init__(self, subject: Subject, limits: Limits, meter: Meter, stopping: asyncio.Event) -> None:
        self.subject, self.pace = subject, Pace(subject.connections)
        self._limits, self._meter, self._stopping = limits, meter, stopping
        self.first_wait = FIRST_WAIT

    def reserve(self) -> None:
        """Take a call from the budget. Done before an ask is announced in the ledger: none is announced in vain."""
        if self._stopping.is_set():
            raise RunStopped("the run is stopping")
        self._meter.take_call()

    async def call(self, wire: dict[str, Any], call: Call) -> Received:
        """All tries at one ask, the first of which has been reserved."""
        tries: list[dict[str, Any]] = []
        hard = 0  # tries that failed otherwise than by "busy"
        while True:
            if tries:
                self.reserve()
            outcome, seconds = await self._try(wire, call)
            if isinstance(outcome, Reply):
                cost = self._meter.take_reply(outcome.usage, self.subject.spec.price, seconds)
                return Received(tuple(tries), seconds, outcome, cost=cost)
            self._meter.faults[outcome.name] += 1
            tries.append({"fault": outcome.name, "seconds": round(seconds, 6)})
            hard += not outcome.slow_down
            spent = hard >= self._limits.tries or len(tries) >= self._limits.tries * PATIENCE
            if spent or not outcome.retriable:
                return Received(tuple(tries), 0.0, None, outcome.name, outcome.detail)
            await self._wait(len(tries), outcome.retry_after)

    async def _try(self, wire: dict[str, Any], call: Call) -> tuple[Reply | SubjectFault, float]:
        pace = self.pace
        await self._enter()
        try:
            begun = time.perf_counter()
            try:
                reply = await self.subject.call(wire, call, self._limits.call_seconds)
            except SubjectFault as fault:
                if fault.slow_down:
                    pace.slow_down(fault.retry_after)
                return fault, time.perf_counter() - begun
            seconds = time.perf_counter() - begun
            pace.succeeded()
            return reply, seconds
        finally:
            pace.leave()

    async def _enter(self) -> None:
        """Take a place; waiting for one ends at once when the run stops."""
        if self._stopping.is_set():
            raise RunStopped("the run is stopping")
        if self.pace.open:
            await self.pace.enter()
            return
        entering = asyncio.ensure_future(self.pace.enter())
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({entering, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if self._stopping.is_set():
                raise RunStopped("the run is stopping")
        except BaseException:
            if not entering.cancel() and not entering.cancelled():
                self.pace.leave()  # the place was taken already
            raise
        finally:
            stopping.cancel()

    async def _wait(self, failed: int, named: float | None) -> None:
        """Exponential back-off with jitter (the upper half of the span), not shorter than what the endpoint names."""
        most = min(LONGEST_WAIT, self.first_wait * 2 ** (failed - 1))
        wait = max(named or 0.0, random.uniform(most / 2, most))
        try:
            await asyncio.wait_for(self._stopping.wait(), wait)
        except TimeoutError:
            return
        raise RunStopped("the run is stopping")
