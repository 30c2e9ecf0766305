"""One ask, with all its tries: pacing, retry with jitter, time limit, budget.

Only what went wrong on the way is tried again. Time spent waiting, queueing or retrying is never charged to the
subject: its time is that of the try that succeeded.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from typing import Any

from assay.errors import AssayError, ExtensionFailed, InputError, RunStopped, SubjectFault, SubjectRefused
from assay.evidence.redaction import Redactor
from assay.study.model import Limits
from assay.subjects.base import Call, Subject
from assay.vocabulary import Reply

from .meter import Meter
from .pacing import Pace
from .probe import Received
from .reply_limit import bounded

__all__ = ["OUTAGES", "Caller"]

FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
OUTAGES = frozenset({"connect", "network"})  # the endpoint cannot be reached at all
GRACE = 75.0  # seconds an adapter may be late with its own time limit: it may have to start a process first
FIRST_CALLS = 2  # at once until the endpoint has answered: one that refuses us costs no more
MOST_TRACES = 100  # of a subject in a session
PATIENCE = 5  # an endpoint that says "busy" gets this many times the ordinary tries


class Caller:
    """Calls one subject on behalf of all its trials."""

    def __init__(
        self,
        subject: Subject,
        limits: Limits,
        meter: Meter,
        stopping: asyncio.Event,
        redactor: Redactor | None = None,
        pace: Pace | None = None,
    ) -> None:
        self.subject = subject
        self.pace = pace or Pace(subject.connections, first=FIRST_CALLS)
        self._redactor = redactor or Redactor(subject.secrets())
        self._limits, self._meter, self._stopping = limits, meter, stopping
        self.first_wait = FIRST_WAIT
        self._waits_until = 0.0
        self._traces = 0
        self._busy: dict[str, bool] = {}  # fault → whether it only meant "slow down"

    async def call(
        self, wire: dict[str, Any], call: Call, largest: int, announce: Callable[[], object]
    ) -> Received:
        """All tries at one ask. A reply of more characters is cut.

        A try is counted when it has its place, at the moment it is sent; the first one is then ``announced`` in the
        ledger. What waits for a place when the run stops was never sent, and nobody is told that it was.
        """
        tries: list[dict[str, Any]] = []
        pace = self.pace
        while True:
            if self._stopping.is_set() or not pace.enter_now():
                await self._enter()
            try:
                self._meter.take_call()
                if not tries:
                    announce()
                begun = time.perf_counter()
                reply = await self._try(wire, call)
            except SubjectFault as fault:
                tries.append({"fault": fault.name, "seconds": round(time.perf_counter() - begun, 6)})
                self._keep_first(fault, tries[-1])
                failed, named = fault, self._named_wait(fault)
                pace.answered()
                if fault.slow_down:
                    pace.slow_down(named)
            else:
                seconds = time.perf_counter() - begun
                pace.answered()
                pace.succeeded()
                cost = self._meter.take_reply(reply.usage, self.subject.spec.price, seconds)
                return Received(tuple(tries), seconds, bounded(reply, largest, self._redactor), cost=cost)
            finally:
                pace.leave()
            self._meter.faults[failed.name] += 1
            self._busy[failed.name] = failed.slow_down
            if not failed.retriable or self._spent(tries):
                return self._failure(tuple(tries), failed)
            await self._wait(len(tries), named)

    def _failure(self, tries: tuple[dict[str, Any], ...], failed: SubjectFault) -> Received:
        """An ask that was not answered. Of many the same, only the first keep their tracebacks and output."""
        received = Received(tries, fault=failed.name, detail=self._redactor.excerpt(failed.detail))
        if (failed.trace or failed.printed) and self._traces < MOST_TRACES:
            self._traces += 1
            received.trace = self._redactor.ending(failed.trace)
            received.printed = self._redactor.ending(failed.printed)
        return received

    def _keep_first(self, fault: SubjectFault, failed: dict[str, Any]) -> None:
        """The first fault of each kind is recorded in the endpoint's words even if another try cures it."""
        if (key := (self.subject.spec.title, fault.name)) not in self._meter.first_faults:
            said = self._meter.first_faults[key] = self._redactor.excerpt(fault.detail)
            if said:
                failed["detail"] = said

    @property
    def asked_to_wait(self) -> float:
        """Seconds for which the endpoint has still asked us to wait, for whoever watches."""
        return max(0.0, self._waits_until - time.monotonic())

    def _named_wait(self, fault: SubjectFault) -> float | None:
        """How long the endpoint asks us to wait, and at most as long as declared."""
        if fault.retry_after is None:
            return None
        wait = min(fault.retry_after, self._limits.wait_seconds)
        self._waits_until = max(self._waits_until, time.monotonic() + wait)
        return wait

    async def _try(self, wire: dict[str, Any], call: Call) -> Reply:
        """One try. Its time limit is the adapter's to keep; one that does not keep it holds nothing up for long."""
        limit = self._limits.call_seconds
        try:
            async with asyncio.timeout(limit + GRACE) as overdue:
                reply = await self.subject.call(wire, call, limit)
            if not isinstance(reply, Reply) or not isinstance(reply.text, str):
                raise TypeError(f"it gives {reply!r}, not a Reply with text")
        except InputError as refused:
            raise InputError(self._redactor.excerpt(str(refused))) from None
        except SubjectRefused as refused:
            raise SubjectRefused(self._redactor.excerpt(refused.said), mend=refused.mend) from None
        except AssayError:
            raise
        except Exception as error:
            if isinstance(error, TimeoutError) and overdue.expired():
                raise SubjectFault("timeout", f"no reply within {limit + GRACE:g} s") from None
            name = self.subject.spec.title
            said = self._redactor.excerpt(f"{type(error).__name__}: {error}")
            raise ExtensionFailed(f"the subject {name} failed in call ({said})") from error
        return reply

    def _spent(self, tries: list[dict[str, Any]]) -> bool:
        """An endpoint that only says it is busy gets more patience than one that fails."""
        hard = sum(not self._busy[one["fault"]] for one in tries)
        return hard >= self._limits.tries or len(tries) >= self._limits.tries * PATIENCE

    async def _enter(self) -> None:
        """Take a place; waiting for one ends at once when the run stops."""
        if self._stopping.is_set():
            raise RunStopped("the run is stopping")
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
