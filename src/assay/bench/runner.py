"""The run: waves of trials, stratum by stratum, through workers that call the subjects.

One direction: ``trials`` yields a wave, workers conduct it, every event is in the ledger before its coroutine
goes on, a wave closes when all its outcomes are final, and ``trials`` is asked again. Where the ledger already
holds a trial or a part of it, the ledger answers; so starting and resuming are the same code.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import math
import time
from collections.abc import Callable, Collection, Iterable
from typing import Any

import msgspec

from assay.canonical import encode
from assay.errors import (
    AssayError,
    ExtensionFailed,
    InputError,
    IntegrityError,
    RunStopped,
    SubjectFault,
    SubjectRefused,
    blaming,
)
from assay.evidence.events import Event
from assay.evidence.ledger import Ledger
from assay.evidence.records import Evidence, LedgerIndex
from assay.evidence.redaction import Redactor
from assay.evidence.waves import Wave
from assay.study.lock import Lock
from assay.subjects.base import Subject
from assay.vocabulary import Outcome, Trial

from .caller import OUTAGES, Caller
from .folder import RunFolder
from .history import History, StopData
from .instrument import Instrument, strata_of, wave_of
from .lanes import Lane, OpenWave, Task, Worker
from .live import Live, SandboxService
from .meter import Meter
from .pacing import Pace
from .probe import Probe
from .progress import Progress, label_of
from .retry import lost_trials, record_retries
from .serving import check_opened
from .withdrawal import withdrawals

__all__ = ["Runner"]

SYNC_SECONDS = 0.2
KEPT_IN_MEMORY = 20_000  # trials of a wave still to do; a longer wave is generated twice instead of stored


class Runner:
    """One session of a run, from a lock to the end or to a clean stop."""

    def __init__(
        self,
        lock: Lock,
        folder: RunFolder,
        instruments: Iterable[Instrument],
        subjects: Iterable[Subject],
        *,
        meter: Meter | None = None,
        sandbox: SandboxService | None = None,
        environment: Callable[[], dict[str, Any]] = dict,
        retry: Collection[str] | None = None,
    ) -> None:
        """``retry`` names the faults whose lost trials are asked again; none of them by name: all."""
        self.lock, self.folder = lock, folder
        self.instruments = list(instruments)
        self.meter = meter or Meter(lock.study.budget)
        self.progress = Progress(self.meter)
        self.stopping = asyncio.Event()
        self.stop_reason = ""
        self._failure: AssayError | None = None
        self._environment = environment
        self._retry = retry
        self.retried = 0  # lost trials that are asked again
        self._sandbox = sandbox or SandboxService()
        self._redactor = Redactor()
        self._lanes: dict[str, Lane] = {}
        paces: dict[Any, Pace] = {}  # subjects that are served by one process share its connections
        for subject in subjects:
            server = getattr(subject, "served_by", None)
            shared = None if server is None else paces.get(server)
            caller = Caller(subject, lock.study.limits, self.meter, self.stopping, self._redactor, shared)
            if server is not None:
                paces[server] = caller.pace
            self._lanes[subject.spec.title] = Lane(subject, caller)
        self.progress.waits = lambda: {
            title: lane.caller.asked_to_wait for title, lane in self._lanes.items()
        }
        self._feeding = asyncio.Lock()

    def stop(self, reason: str, failure: AssayError | None = None) -> None:
        """Let what is under way come in, begin nothing more."""
        if not self.stopping.is_set():
            self.stop_reason, self._failure = reason, failure
            self.stopping.set()

    async def run(self) -> bool:
        """True when the study is finished; False when it was stopped and can be resumed."""
        self._history = History.read(self.folder.ledger, self.lock.digest, self.meter)
        lost = lost_trials(self._history, self._retry)
        if self._history.ended and not lost:
            return True
        again = self._history.due | lost
        withdrawn = withdrawals(
            self._history, again.values(), self.folder.ledger, self.lock, self.instruments
        )
        opened = await self._open_subjects()
        try:
            self._learn_secrets()
            self._check_secrets()
            self._ledger = Ledger(self.folder.ledger, self.lock.digest, self._redactor)
            self._index = LedgerIndex(self.folder.ledger, self.lock.digest)
            callers = {title: lane.caller for title, lane in self._lanes.items()}
            self._live = Live(self._ledger, self._index, callers, self._sandbox)
            self._begin(opened, len(lost))
            self.retried = record_retries(self._ledger, self._history, again, withdrawn)
            await self._work()
            finished = not self.stopping.is_set()
            said, mend = self._redactor.clean_text(self.stop_reason), getattr(self._failure, "mend", "")
            data = None if finished else StopData(said, mend, self.meter.calls)
            self._ledger.append(Event("finished" if finished else "stopped", time.time(), data=data))
        except RunStopped as stopped:
            self.stop(str(stopped), stopped)
            finished = False
        finally:
            await self._close()
        if self._failure is not None and not isinstance(self._failure, RunStopped):
            raise self._failure
        return finished

    async def _open_subjects(self) -> dict[str, Any]:
        opened = {}
        self._learn_secrets()
        try:
            for title, lane in self._lanes.items():
                self.progress.message = f"starting {title}"
                with blaming(f"the subject {title}", "open"):
                    opened[title] = await lane.subject.open()
                    check_opened(lane.subject.spec, opened[title], self.instruments)
        except BaseException as error:
            for lane in self._lanes.values():
                await lane.subject.close()
            if isinstance(error, InputError):  # it may hold a subject's own words
                raise InputError(self._redactor.excerpt(str(error))) from None
            raise
        self.progress.message = ""
        return opened

    def _learn_secrets(self) -> None:
        """The credentials that subjects use: those of the environment, and those that opening them gave."""
        for lane in self._lanes.values():
            for secret in lane.subject.secrets():
                self._redactor.learn(secret)

    def _check_secrets(self) -> None:
        """A credential that is a word of the study itself could not be kept out."""
        declared = encode(Event("lock", data=msgspec.to_builtins(self.lock)))
        if self._redactor.active and self._redactor.clean(declared) != declared:
            raise InputError(
                "the key of a subject, or a piece of it, also stands in the study; what is kept out of the ledger "
                "could not be replayed. Use another key, or none if the endpoint needs none"
            )

    def _begin(self, opened: dict[str, Any], lost: int) -> None:
        data: dict[str, Any] = {
            "lock": self.lock.digest,
            "after": self._history.heads,
            "environment": self._environment(),
            "subjects": opened,
        }
        if self._history.torn:
            data["torn_bytes"] = self._history.torn
        if lost:
            data["retry"] = {"faults": sorted(self._retry or ()), "trials": lost}
        self._ledger.append(Event("run", time.time(), data=data))

    async def _work(self) -> None:
        tasks = [asyncio.create_task(self._keep_synced())]
        workers: list[Worker] = []
        for lane in self._lanes.values():
            for _ in range(lane.subject.connections):
                workers.append(Worker())
                workers[-1].task = asyncio.create_task(self._worker(lane, workers[-1]))
        tasks += [worker.task for worker in workers if worker.task is not None]
        tasks.append(asyncio.create_task(self._watch(workers)))
        drivers = [
            asyncio.create_task(self._drive(instrument, stratum))
            for instrument in self.instruments
            for stratum in strata_of(instrument, self.lock)
        ]
        stopping = asyncio.create_task(self.stopping.wait())
        try:
            pending: set[asyncio.Task[Any]] = set(drivers)
            while pending and not self.stopping.is_set():
                done, rest = await asyncio.wait({*pending, stopping}, return_when=asyncio.FIRST_COMPLETED)
                pending = {task for task in rest if task is not stopping}
                for task in done - {stopping}:
                    task.result()
            if self.stopping.is_set():
                await self._drain()
        finally:
            for task in [*tasks, *drivers, stopping]:
                task.cancel()
            await asyncio.gather(*tasks, *drivers, stopping, return_exceptions=True)

    async def _drain(self) -> None:
        """Replies that are on their way have been paid for: wait for them, within the call's time limit."""
        deadline = time.monotonic() + self.lock.study.limits.call_seconds
        while (
            any(lane.caller.pace.in_flight for lane in self._lanes.values()) and time.monotonic() < deadline
        ):
            await asyncio.sleep(0.02)
        await asyncio.sleep(0)  # let the last reply reach the ledger

    async def _close(self) -> None:
        for lane in self._lanes.values():
            with contextlib.suppress(Exception):
                await lane.subject.close()
        await self._sandbox.close()
        with contextlib.suppress(AttributeError):  # neither exists if opening the ledger failed
            self._index.close()
            self._ledger.close()

    async def _keep_synced(self) -> None:
        """At most 200 ms of events are lost to a power cut."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            try:
                await loop.run_in_executor(None, self._ledger.sync)
            except RunStopped as full:
                self.stop(str(full), full)

    # Waves.

    async def _drive(self, instrument: Instrument, stratum: str) -> None:
        """One stratum from its first open wave to the end."""
        earlier = self._history.waves.get((instrument.name, stratum), [])
        number = sum(wave.closed for wave in earlier)
        before = earlier[number - 1].digest if number else ""
        while not self.stopping.is_set():
            async with self._feeding:  # strata are fed in order, so that the first ones finish first
                opened = earlier[number] if number < len(earlier) else None
                evidence = Evidence(self._index, instrument.name, stratum, lock=self.lock, upto=number)
                current = await self._feed(instrument, stratum, number, opened, before, evidence)
            if current is None:
                return
            before = current.wave.digest
            await current.done.wait()
            closed = msgspec.structs.replace(current.wave, closed=True)
            self._ledger.append(Event("closed", time.time(), data=closed))
            number += 1

    async def _feed(
        self,
        instrument: Instrument,
        stratum: str,
        number: int,
        opened: Wave | None,
        before: str,
        evidence: Evidence,
    ) -> OpenWave | None:
        """Open the wave and hand its unfinished trials to the workers. ``before`` is the digest of the last one."""
        sha, total, todo = hashlib.sha256(), 0, 0
        who = f"the instrument {instrument.name} failed in trials"
        planned: dict[str, int] = {}
        kept: list[tuple[Trial, str]] = []
        seen: set[bytes] = set()
        for trial in wave_of(instrument, self.lock, evidence):
            trial_id = trial.id
            raw = bytes.fromhex(trial_id)
            sha.update(raw)
            total += 1
            if total <= KEPT_IN_MEMORY:
                if raw in seen:
                    raise ExtensionFailed(f"{who}: it yields trial {trial_id[:12]} twice in wave {number}")
                seen.add(raw)
            label = label_of(trial)
            planned[label] = planned.get(label, 0) + 1
            if raw in self._history.finished:
                self.progress.tally(label).done += 1
                continue
            todo += 1
            if todo <= KEPT_IN_MEMORY:
                kept.append((trial, trial_id))
            if total % 2000 == 0:
                await asyncio.sleep(0)
        if not total:
            return None
        wave = Wave(instrument.name, stratum, number, total, sha.hexdigest())
        if wave.digest == before:
            raise ExtensionFailed(
                f"{who}: wave {number} of {stratum!r} is the one before again; what is in evidence.waves is done"
            )
        if opened is None:
            self._ledger.append(Event("wave", time.time(), data=wave))
        elif opened.digest != wave.digest:
            raise IntegrityError(
                f"wave {number} of {stratum!r} would hold other trials than the ledger says; "
                "was Assay or an instrument changed since the run was begun?"
            )
        for label, count in planned.items():
            self.progress.tally(label).planned += count
        current = OpenWave(instrument, wave, todo)
        if todo <= KEPT_IN_MEMORY:
            for trial, trial_id in kept:
                await self._hand_over(trial, trial_id, current)
            return current
        del kept
        for trial in wave_of(instrument, self.lock, evidence):
            trial_id = trial.id
            if bytes.fromhex(trial_id) not in self._history.finished:
                await self._hand_over(trial, trial_id, current)
        return current

    async def _hand_over(self, trial: Trial, trial_id: str, wave: OpenWave) -> None:
        lane = self._lanes.get(trial.subject)
        if lane is None:
            raise InputError(
                f"the instrument {wave.instrument.name} names an undeclared subject {trial.subject!r}"
            )
        await lane.put(Task(trial, trial_id, wave, self.progress.tally(label_of(trial))))

    # Trials.

    async def _worker(self, lane: Lane, worker: Worker) -> None:
        while not self.stopping.is_set():
            task = await lane.take()
            try:
                outcome = await self._conduct(lane, task, worker)
            except InputError as error:
                # Something that cannot be recorded, or a subject that cannot be started.
                where = f"trial {task.id[:12]} of {task.wave.instrument.name}"
                self.stop(str(error), InputError(f"{where}: {error}"))
                return
            except AssayError as error:
                self.stop(str(error), error)
                return
            except (Exception, SystemExit) as error:
                # A worker must not die in silence: the run would wait for ever.
                broken = _broken(task, f"{type(error).__name__}: {error}")
                broken.__cause__ = error
                self.stop(str(broken), broken)
                return
            task.tally.done += 1
            task.tally.success += outcome == "success"
            task.tally.excluded += outcome == "excluded"
            task.wave.one_less()

    async def _conduct(self, lane: Lane, task: Task, worker: Worker) -> Outcome:
        """One attempt at one trial, to its recorded outcome."""
        trial, trial_id, wave, _ = task
        attempt, tape = self._attempt(lane.subject, trial_id)
        probe = Probe(trial, trial_id, lane.subject, self.lock, self._live, attempt=attempt, tape=tape)
        outcome: Outcome
        worker.since = time.monotonic()
        try:
            await wave.instrument.conduct(trial, probe)
            if probe.conclusion is None:
                raise _broken(task, "conduct ended without a conclusion")
            outcome, reason, report = probe.conclusion
            lane.lost_in_a_row = 0
        except SubjectFault as fault:
            if fault.name in OUTAGES:
                self._give_up(lane, trial_id, attempt, probe.next_ordinal, fault)
            outcome, reason, report = "excluded", fault.name, None
            self._count_loss(lane, fault)
        except asyncio.CancelledError:
            assert worker.task is not None
            if not worker.too_long:
                if worker.task.cancelling():
                    raise
                raise _broken(task, "CancelledError") from None  # nobody cancelled it but conduct itself
            worker.too_long = False
            worker.task.uncancel()
            if probe.conclusion is not None:  # it had only to put things away
                outcome, reason, report = probe.conclusion
            else:
                outcome, reason, report = "excluded", "trial_timeout", None
                self._count_loss(lane, SubjectFault("trial_timeout"))
        finally:
            worker.since = math.inf
            await lane.subject.forget(f"{trial_id}/{attempt}")
        data: dict[str, Any] = {
            "outcome": outcome,
            "trial": trial,
            "instrument": wave.instrument.name,
            "stratum": wave.wave.stratum,
            "wave": wave.wave.number,
        }
        if reason:
            data["reason"] = reason
        if report is not None:
            data["report"] = report
        self._ledger.append(Event("end", time.time(), trial_id, attempt, probe.next_ordinal, data))
        return outcome

    async def _watch(self, workers: list[Worker]) -> None:
        """Ends trials that take longer than declared: a limit imposed from outside, at no cost to the others."""
        limit, most = self.lock.study.limits.trial_seconds, self.meter.budget.seconds
        while True:
            await asyncio.sleep(min(1.0, limit / 4, (most or limit) / 4))
            now = time.monotonic()
            if most is not None and self.meter.seconds >= most:  # a run that only waits asks for no call
                self.stop(f"the budget of {most:g} s is used up")
            for worker in workers:
                if now - worker.since > limit and not worker.too_long and worker.task is not None:
                    worker.too_long = True
                    worker.task.cancel()

    def _attempt(self, subject: Subject, trial_id: str) -> tuple[int, list[Event]]:
        """Which attempt this is, and what is already recorded of it."""
        tape = self._history.tape(trial_id)
        if not tape:
            return self._history.passed.get(trial_id, -1) + 1, []
        attempt = tape[-1].attempt
        if any(event.kind == "abandoned" for event in tape):
            return attempt + 1, []
        if subject.stateful or any(event.kind == "clock" for event in tape):
            why = "the subject is stateful" if subject.stateful else "its clock ran on"
            last = tape[-1].ordinal + 1
            self._ledger.append(Event("abandoned", time.time(), trial_id, attempt, last, {"because": why}))
            return attempt + 1, []
        return attempt, tape

    def _give_up(self, lane: Lane, trial_id: str, attempt: int, ordinal: int, fault: SubjectFault) -> None:
        """The endpoint cannot be reached: no trial is lost to that, the run stops and the attempt is made again."""
        because = {"because": f"the endpoint could not be reached ({fault.name})"}
        self._ledger.append(Event("abandoned", time.time(), trial_id, attempt, ordinal, because))
        raise SubjectRefused(f"{lane.subject.spec.title} cannot be reached: {fault}")

    def _count_loss(self, lane: Lane, fault: SubjectFault) -> None:
        lane.lost_in_a_row += 1
        if lane.lost_in_a_row >= self.lock.study.limits.give_up_after:
            self.stop(*lane.given_up(fault))


def _broken(task: Task, what: str) -> ExtensionFailed:
    who = f"trial {task.id[:12]}: the instrument {task.wave.instrument.name}"
    return ExtensionFailed(f"{who} failed in conduct ({what}); nothing of it is scored")
