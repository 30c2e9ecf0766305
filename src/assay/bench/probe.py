"""The probe: an instrument's hands inside one trial. Whatever goes through it is in the ledger.

Verbs are of two kinds. **Recorded** (``ask``, ``clock``): what came back cannot be had again, so on replay the
ledger answers. **Recomputed** (``compute``, ``execute``, ``random``): done again on replay and held against the
record. Run, resume and audit are this one class; they differ in what stands behind it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, get_args

import msgspec

from assay.canonical import encode, sha256_hex
from assay.errors import Divergence, SandboxUnavailable, SubjectFault, blaming
from assay.evidence.events import REFER_FROM, Event
from assay.evidence.records import Record
from assay.sandbox import CommandJob, CommandRun, Job, Run
from assay.streams import Stream
from assay.study.lock import Lock
from assay.subjects.base import Call, Subject
from assay.vocabulary import Message, Outcome, Reply, Request, Trial

from .reply_limit import largest_reply

__all__ = ["Back", "Conclusion", "Probe", "Received"]


OUTCOMES: Final[tuple[str, ...]] = get_args(Outcome)


class Received(msgspec.Struct, omit_defaults=True):
    """The data of a ``received`` event: a reply, or the fault that ended the tries."""

    tries: tuple[dict[str, Any], ...]
    seconds: float = 0.0
    reply: Reply | None = None
    fault: str | None = None
    detail: str = ""
    trace: str = ""  # where code of the subject raised: the end of its traceback
    printed: str = ""  # and of what it printed
    cost: float | None = None  # None: no price is declared


class Conclusion(NamedTuple):
    outcome: Outcome
    reason: str
    report: Any


class Back(Protocol):
    """What stands behind a probe. An audit has one that only compares."""

    live: bool

    def record(self, event: Event) -> Event: ...
    def record_sent(self, event: Event, own: dict[str, str]) -> None: ...
    async def call(
        self, subject: Subject, wire: dict[str, Any], call: Call, largest: int, announce: Callable[[], object]
    ) -> Received: ...
    async def execute(self, job: Job | CommandJob) -> Run | CommandRun: ...
    def earlier(self, reference: str) -> Record: ...
    def note(self, what: str, trial: str, ordinal: int) -> None: ...


class Probe:
    """Conducts one attempt at one trial."""

    __slots__ = (
        "_back",
        "_ordinal",
        "_own",
        "_subject",
        "_tape",
        "attempt",
        "conclusion",
        "id",
        "lock",
        "subject_seconds",
        "trial",
    )

    def __init__(
        self,
        trial: Trial,
        trial_id: str,
        subject: Subject,
        lock: Lock,
        back: Back,
        *,
        attempt: int = 0,
        tape: Sequence[Event] = (),
    ) -> None:
        self.trial, self.id, self.attempt, self.lock = trial, trial_id, attempt, lock
        self.subject_seconds = 0.0  # send-to-end times of the tries that succeeded
        self.conclusion: Conclusion | None = None
        self._subject, self._back = subject, back
        self._ordinal = 0
        self._tape = {(event.ordinal, event.kind): event for event in tape} if tape else {}
        self._own: dict[str, str] = {}  # digest → text of this attempt's replies

    # Recorded verbs.

    async def ask(self, messages: Sequence[Message], *, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        """Put a conversation to the subject. A fault that outlasts the tries ends the trial as excluded."""
        ordinal = self._next("sent", "received")
        trial = self.trial
        asked = self._subject.spec.addressed(tuple(messages))
        request = Request(asked, trial.sampling, self._seed(ordinal), tuple(tools))
        with blaming(f"the subject {trial.subject}", "wire"):
            wire = self._subject.wire(request)
            if not isinstance(wire, dict):
                raise TypeError(f"it gives {type(wire).__name__}, not a dict")
        sent = known = None
        if self._tape:
            sent, known = self._tape.get((ordinal, "sent")), self._tape.get((ordinal, "received"))
        if sent is not None and encode(sent.data["wire"]) != encode(wire):
            raise Divergence(self.id, self.attempt, ordinal, "asks something else than was recorded")
        if known is not None:
            received = msgspec.convert(known.data, Received)
        else:
            self._must_be_live(ordinal, "asks where the record has ended")
            received = await self._live_ask(ordinal, wire, again=sent is not None)
        if received.reply is None:
            raise SubjectFault(received.fault or "unknown", received.detail, retriable=False)
        self.subject_seconds += received.seconds
        if len(received.reply.text) > REFER_FROM:
            self._own[sha256_hex(received.reply.text.encode())] = received.reply.text
        return received.reply

    async def _live_ask(self, ordinal: int, wire: dict[str, Any], *, again: bool) -> Received:
        back, call = self._back, Call(self.id, self.attempt, ordinal)

        def announce() -> None:
            if again:
                back.record(self._event("resent", ordinal, None))
            else:
                back.record_sent(self._event("sent", ordinal, {"wire": wire}), self._own)

        largest = largest_reply(self.lock.study.limits, self.trial.sampling)
        received = await back.call(self._subject, wire, call, largest, announce)
        event = back.record(self._event("received", ordinal, received))
        return received if event.data is received else msgspec.convert(event.data, Received)

    def clock(self) -> float:
        """Seconds since the epoch, as read when the trial was conducted."""
        ordinal = self._next("clock")
        known = self._tape.get((ordinal, "clock"))
        if known is None:
            self._must_be_live(ordinal, "reads the clock where the record has ended")
            known = self._back.record(self._event("clock", ordinal, {"seconds": time.time()}))
        seconds: float = known.data["seconds"]
        return seconds

    def earlier(self, reference: str) -> Record:
        """A finished trial of a closed wave that this trial was built from: one of its ``inputs``."""
        assert reference in self.trial.inputs, "a trial sees the evidence it names, and no other"
        return self._back.earlier(reference)

    # Recomputed verbs.

    def random(self, name: str) -> Stream:
        """Draws for content: the same for every subject, condition and regime that meets this instance."""
        return self._stream("content", name, self.trial.instance.digest)

    def random_faults(self, name: str) -> Stream:
        """Draws for faults: the same for everyone under this instance and regime."""
        return self._stream("fault", name, self.trial.instance.digest, self.trial.regime)

    def _stream(self, kind: str, name: str, *key: str) -> Stream:
        ordinal = self._next("random")
        stream = Stream(kind, name, *key)
        data = {"stream": f"{kind}/{name}", "fingerprint": stream.fingerprint}
        self._same(ordinal, "random", data)
        return stream

    async def compute(self, name: str, request: Any, run: Callable[[], Awaitable[Any]]) -> Any:
        """Do something that can be done again: a world's step, an oracle. The result is plain data."""
        ordinal, known = self._computed(name, request)
        result = await run()
        if known is None:
            return self._record_computed(ordinal, name, request, result)
        if encode(known) != encode(result):
            raise Divergence(self.id, self.attempt, ordinal, f"{name} gives another result than was recorded")
        return known

    async def execute(self, job: Job | CommandJob) -> Any:
        """Run a program nobody trusts in the sandbox. Returns the run as plain data, without its timing.

        On replay it is run again and held against the record. What exceptions say differs between versions of
        Python, so their words are not compared. A limit that falls differently, and a program that differs from
        itself when it is run twice (it read the clock, say), is told as such: it is no divergence, and the record
        stands. Whether that is so is found by running the program, never read from the record: a limit that does
        not fall here with a tenth of the time and half of the memory did not fall there either. Of a command,
        what it printed is the result, and is compared; one that this machine lacks is never recorded. A program
        whose workers died is recorded as lost, and its trial ends as excluded: nothing is known of it.
        """
        request = {"job": hashlib.sha256(encode(job)).hexdigest()}
        ordinal, known = self._computed("execute", request)
        done = await self._back.execute(job)
        if known is None:
            if done.state == "unavailable":
                raise SandboxUnavailable(done.detail)
            result = {**done.comparable(), "output": done.output}
            return _not_lost(self._record_computed(ordinal, "execute", request, result))
        essence = encode(_essence(known))
        if essence == encode(_essence(done.comparable())):
            return _not_lost(known)
        again = await self._back.execute(job)
        if encode(_essence(done.comparable())) != encode(_essence(again.comparable())):
            self._back.note("not deterministic", self.id, ordinal)
        elif done.environment_dependent or (_limited(known) and not await self._easily(job, done, known)):
            self._back.note("environment-dependent", self.id, ordinal)
        else:
            raise Divergence(self.id, self.attempt, ordinal, "execute gives another result than was recorded")
        return _not_lost(known)

    async def _easily(self, job: Job | CommandJob, done: Run | CommandRun, known: dict[str, Any]) -> bool:
        """Whether the program comes to the same with far narrower limits, so that none can have been in its way.

        A worker's death has nothing to do with limits: whether it died cannot be shown later.
        """
        if known["state"] == "lost":
            return False
        given = job.limits
        narrow = msgspec.structs.replace(
            given,
            wall_seconds=given.wall_seconds / 10,
            cpu_seconds=max(1, given.cpu_seconds // 10),
            memory_bytes=given.memory_bytes // 2,
        )
        found = await self._back.execute(msgspec.structs.replace(job, limits=narrow))
        return encode(_essence(found.comparable())) == encode(_essence(done.comparable()))

    def _computed(self, name: str, request: Any) -> tuple[int, Any]:
        """The ordinal of a recomputed verb, and the result recorded there, if any."""
        ordinal = self._next("computed")
        event = self._tape.get((ordinal, "computed"))
        if event is None:
            self._must_be_live(ordinal, f"computes {name} where the record has ended")
            return ordinal, None
        if event.data["name"] != name or encode(event.data["request"]) != encode(request):
            what = f"computes {name} of something else than recorded"
            raise Divergence(self.id, self.attempt, ordinal, what)
        return ordinal, event.data["result"]

    def _record_computed(self, ordinal: int, name: str, request: Any, result: Any) -> Any:
        data = {"name": name, "request": request, "result": result}
        return self._back.record(self._event("computed", ordinal, data)).data["result"]

    def conclude(self, outcome: Outcome, reason: str = "", report: Any = None) -> None:
        """How the trial ended. Said once, last."""
        assert self.conclusion is None, "a trial ends once"
        assert outcome in OUTCOMES, f"{outcome!r} is no outcome; known: {', '.join(OUTCOMES)}"
        assert isinstance(reason, str), f"a reason is a text, not {reason!r}"
        self.conclusion = Conclusion(outcome, reason, report)

    # The mechanics.

    def _next(self, *kinds: str) -> int:
        """The next ordinal; on replay, what stands there must be of the same kind."""
        ordinal = self._ordinal
        self._ordinal += 1
        if self._tape and (ordinal, kinds[0]) not in self._tape:
            for other in ("sent", "clock", "random", "computed", "end"):
                if (ordinal, other) in self._tape:
                    raise Divergence(self.id, self.attempt, ordinal, f"{kinds[0]} where {other} was recorded")
        return ordinal

    @property
    def next_ordinal(self) -> int:
        return self._ordinal

    def _same(self, ordinal: int, kind: str, data: Any) -> None:
        known = self._tape.get((ordinal, kind))
        if known is None:
            self._must_be_live(ordinal, f"{kind} where the record has ended")
            self._back.record(self._event(kind, ordinal, data))
        elif encode(known.data) != encode(data):
            raise Divergence(self.id, self.attempt, ordinal, f"{kind} differs from the record")

    def _must_be_live(self, ordinal: int, what: str) -> None:
        if not self._back.live:
            raise Divergence(self.id, self.attempt, ordinal, what)

    def _event(self, kind: str, ordinal: int, data: Any) -> Event:
        return Event(kind, time.time(), self.id, self.attempt, ordinal, data)

    def _seed(self, ordinal: int) -> int | None:
        """Derived from the trial, left out, or the same for all repetitions of an item; never a constant."""
        seeding = self.trial.sampling.seeding
        if seeding == "none":
            return None
        instance = self.trial.instance
        key = self.id if seeding == "derived" else f"{instance.instrument}/{instance.item}/{instance.seed}"
        return int.from_bytes(hashlib.sha256(f"{key}/{ordinal}".encode()).digest()[:4], "big") >> 1


def _essence(run: dict[str, Any]) -> Any:
    """A run without what its exceptions say and what it printed.

    Of a command that ended by itself it is what it printed, but not its complaints, which name versions; of one
    that was ended, that it was.
    """
    if "cases" not in run:
        kept = ("state", "exit_code", "output", "cut") if run["state"] == "ran" else ("state",)
        return {name: run.get(name) for name in kept}

    def silent(told: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in told.items() if name != "message"}

    cases = [silent(case) for case in run["cases"]]
    for case in cases:
        if isinstance(case["value"], list):  # a script of calls, some of which may have raised
            case["value"] = [
                silent(c) if isinstance(c, dict) and "exception" in c else c for c in case["value"]
            ]
    return {"state": run["state"], "cases": cases}


def _not_lost(run: dict[str, Any]) -> dict[str, Any]:
    """A run that came to something. One that was lost is a fault of the machine, never the subject's."""
    if run["state"] == "lost":
        raise SubjectFault("sandbox_lost", run["detail"], retriable=False)
    return run


def _limited(run: dict[str, Any]) -> bool:
    """Whether a limit of the machine that ran it took part in a recorded run."""
    return not {run["state"], *(case["state"] for case in run.get("cases", ()))}.isdisjoint(LIMITED)


LIMITED = frozenset({"timeout", "memory", "killed", "lost"})
