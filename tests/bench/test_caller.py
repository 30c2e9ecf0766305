"""One ask with all its tries: what is tried again, how often, how long it waits, and what stops it."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from assay.bench import Progress
from assay.bench import caller as caller_module
from assay.bench.caller import PATIENCE, Caller
from assay.bench.meter import Meter
from assay.bench.probe import Received
from assay.cli.display import status_line
from assay.errors import BudgetReached, RunStopped, SubjectFault, SubjectRefused
from assay.study.model import Budget, Limits, Price, SubjectSpec
from assay.subjects import python
from assay.subjects.base import Call, Subject
from assay.subjects.openai import OpenAISubject
from assay.testing.stub import Fault, Faults, Stub
from assay.vocabulary import Message, Reply, Request, Usage

HERE = Call("t", 0, 0)
LARGEST = 1_000_000


async def ask(caller: Caller, wire: dict[str, Any] | None = None) -> Received:
    return await caller.call(wire or {}, HERE, LARGEST, lambda: None)


GOOD = Reply("yes", usage=Usage(10, 5))


class Scripted:
    """A subject that does in each try what the script says; the last entry is for all that follow."""

    stateful = False
    caveats: tuple[str, ...] = ()

    def __init__(self, *script: Reply | Exception, takes: float = 0.0, connections: int = 4) -> None:
        self.spec = SubjectSpec("scripted:x", price=Price(100_000.0, 200_000.0))
        self.connections, self._takes, self._script = connections, takes, list(script)
        self.arrived: list[float] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    def secrets(self) -> tuple[str, ...]:
        return ()

    def wire(self, request: Request) -> dict[str, Any]:
        return {}

    async def open(self) -> dict[str, Any]:
        return {}

    async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
        self.arrived.append(time.monotonic())
        turn = self._script[min(len(self.arrived), len(self._script)) - 1]
        await asyncio.sleep(self._takes)
        await self.may_answer.wait()
        if isinstance(turn, Reply):
            return turn
        raise turn

    async def forget(self, session: str) -> None: ...

    async def close(self) -> None: ...


def bench(
    subject: Subject,
    *,
    tries: int = 4,
    budget: Budget | None = None,
    first_wait: float = 0.001,
    wait_seconds: float = 300.0,
) -> tuple[Caller, Meter, asyncio.Event]:
    meter, stopping = Meter(budget or Budget()), asyncio.Event()
    limits = Limits(tries=tries, call_seconds=300.0, wait_seconds=wait_seconds)
    caller = Caller(subject, limits, meter, stopping)
    caller.first_wait = first_wait
    return caller, meter, stopping


def call(subject: Scripted, **options: Any) -> tuple[Received, Meter]:
    async def go() -> tuple[Received, Meter]:
        caller, meter, _ = bench(subject, **options)
        received = await ask(caller)
        assert caller.pace.in_flight == 0
        return received, meter

    return asyncio.run(go())


async def settle() -> None:
    """Let everything run that does not wait for time to pass."""
    for _ in range(20):
        await asyncio.sleep(0)


def faults(received: Received) -> list[str]:
    return [one["fault"] for one in received.tries]


class TestTries:
    def test_a_reply_at_once_needs_no_other(self) -> None:
        received, meter = call(Scripted(GOOD))
        assert (received.reply, received.tries, received.fault) == (GOOD, (), None)
        assert (meter.calls, meter.replies, meter.input_tokens, meter.output_tokens) == (1, 1, 10, 5)
        assert received.cost == meter.cost == pytest.approx(2.0)

    def test_what_went_wrong_on_the_way_is_tried_again(self) -> None:
        received, meter = call(Scripted(SubjectFault("reset"), SubjectFault("timeout"), GOOD))
        assert (received.reply, faults(received)) == (GOOD, ["reset", "timeout"])
        assert (meter.calls, meter.replies) == (3, 1)
        assert meter.faults == {"reset": 1, "timeout": 1}

    def test_what_would_only_repeat_is_not(self) -> None:
        received, meter = call(Scripted(SubjectFault("http_400", "too long", retriable=False), GOOD))
        assert (received.reply, received.fault, received.detail) == (None, "http_400", "too long")
        assert (meter.calls, received.seconds) == (1, 0.0)

    def test_a_reply_is_never_tried_again_however_odd(self) -> None:
        odd = Reply("", finish="content_filter", notes=("null_content",))
        received, meter = call(Scripted(odd, GOOD))
        assert (received.reply, meter.calls) == (odd, 1)

    @pytest.mark.parametrize("tries", [1, 2, 5])
    def test_are_as_many_as_declared(self, tries: int) -> None:
        received, meter = call(Scripted(SubjectFault("http_500", "oh")), tries=tries)
        assert (received.fault, received.detail, meter.calls) == ("http_500", "oh", tries)
        assert faults(received) == ["http_500"] * tries

    def test_are_more_for_an_endpoint_that_is_only_busy_but_not_endless(self) -> None:
        busy = SubjectFault("http_429", slow_down=True)
        received, meter = call(Scripted(busy), tries=2)
        assert (received.fault, meter.calls) == ("http_429", 2 * PATIENCE)
        received, _ = call(Scripted(busy, busy, busy, SubjectFault("reset"), busy, GOOD), tries=2)
        assert received.reply == GOOD

    def test_of_an_adapter_that_does_not_keep_its_time_limit_end_all_the_same(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(caller_module, "GRACE", -299.99)
        received, _ = call(Scripted(GOOD, takes=600), tries=2)
        assert (received.fault, faults(received)) == ("timeout", ["timeout", "timeout"])

    def test_leave_an_adapter_the_time_to_start_its_process_first(self) -> None:
        """Cut off, it would be a time-out of the subject's, and no process would ever come up."""
        assert caller_module.GRACE > python.START_SECONDS + python.EXIT_SECONDS

    def test_a_refusal_goes_straight_through_and_gives_the_place_back(self) -> None:
        async def go() -> None:
            caller, meter, _ = bench(Scripted(SubjectRefused("bad key")))
            with pytest.raises(SubjectRefused, match="bad key"):
                await ask(caller)
            assert (caller.pace.in_flight, meter.calls) == (0, 1)

        asyncio.run(go())

    def test_leave_only_the_time_of_the_one_that_succeeded_to_the_subject(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = [0.0]
        monkeypatch.setattr(time, "perf_counter", lambda: now[0])

        class Timed(Scripted):
            async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
                now[0] += 10.0 if len(self.arrived) < 2 else 0.25
                return await super().call(wire, call, seconds)

        subject = Timed(SubjectFault("reset"), SubjectFault("reset"), GOOD)
        received, meter = call(subject, first_wait=0.05)
        assert received.seconds == meter.subject_seconds == 0.25
        assert [one["seconds"] for one in received.tries] == [10.0, 10.0]


class TestWaiting:
    def test_doubles_with_jitter_within_its_bounds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        spans = []

        def uniform(low: float, high: float) -> float:
            spans.append((low, high))
            return 0.0

        monkeypatch.setattr(random, "uniform", uniform)
        monkeypatch.setattr(caller_module, "LONGEST_WAIT", 3.0)
        call(Scripted(SubjectFault("reset")), tries=6, first_wait=0.5)
        assert spans == [(0.25, 0.5), (0.5, 1.0), (1.0, 2.0), (1.5, 3.0), (1.5, 3.0)]

    def test_is_not_shorter_than_the_endpoint_says_for_anyone(self) -> None:
        busy = SubjectFault("http_429", slow_down=True, retry_after=0.3)
        subject = Scripted(busy, busy, GOOD, connections=2)

        async def go() -> list[Received]:
            caller, _, _ = bench(subject)
            return await asyncio.gather(*(ask(caller) for _ in range(6)))

        received = asyncio.run(go())
        assert all(one.reply == GOOD for one in received)
        first, second, *later = subject.arrived
        assert min(later) >= max(first, second) + 0.299

    def test_keeps_to_a_time_named_by_a_fault_that_is_no_complaint(self) -> None:
        subject = Scripted(SubjectFault("http_500", retry_after=0.3), GOOD)
        call(subject)
        assert subject.arrived[1] - subject.arrived[0] >= 0.299

    @pytest.mark.parametrize("busy", [True, False])
    def test_is_not_longer_than_declared_whatever_the_endpoint_says(self, busy: bool) -> None:
        subject = Scripted(SubjectFault("http_503", slow_down=busy, retry_after=86_400.0), GOOD)
        received, _ = call(subject, wait_seconds=0.01)
        assert received.reply == GOOD

    @pytest.mark.parametrize("busy", [True, False])
    def test_that_an_endpoint_asked_for_is_told(self, busy: bool) -> None:
        async def go() -> None:
            subject = Scripted(SubjectFault("http_503", slow_down=busy, retry_after=86_400.0))
            caller, meter, stopping = bench(subject)
            assert caller.asked_to_wait == 0
            waiting = asyncio.create_task(ask(caller))
            await settle()
            assert 0 < caller.asked_to_wait <= 300
            progress = Progress(meter)
            progress.waits = lambda: {"the\x1b[2Jsubject": caller.asked_to_wait}
            assert re.search(r"subject asks to wait: \d+ s · 0/0 trials", status_line(progress))
            assert "\x1b" not in status_line(progress)
            stopping.set()
            with pytest.raises(RunStopped):
                await waiting

        asyncio.run(go())

    @pytest.mark.parametrize("waits_for", ["back-off", "named time", "place"])
    def test_ends_at_once_when_the_run_stops(self, waits_for: str) -> None:
        fault = SubjectFault("http_429", slow_down=True, retry_after=600.0)
        subject = {
            "back-off": Scripted(SubjectFault("reset")),
            "named time": Scripted(fault),
            "place": Scripted(GOOD, connections=1),
        }[waits_for]

        async def go() -> None:
            caller, meter, stopping = bench(subject, first_wait=600.0)
            if waits_for == "place":
                subject.may_answer.clear()
            tasks = [asyncio.create_task(ask(caller)) for _ in range(3)]
            await settle()
            if waits_for == "named time":
                tasks.append(asyncio.create_task(ask(caller)))
                await settle()
            sent = meter.calls
            assert sent == len(subject.arrived)  # what waits for a place is not counted as sent
            stopping.set()
            await settle()
            subject.may_answer.set()
            done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 120)
            # A reply that is under way still comes in; whoever waited is stopped, and nothing more is sent.
            kept = [one for one in done if isinstance(one, Received)]
            stopped = [one for one in done if isinstance(one, RunStopped)]
            assert (len(kept), len(kept) + len(stopped)) == (waits_for == "place", len(tasks))
            assert (meter.calls, caller.pace.in_flight) == (sent, 0)
            with pytest.raises(RunStopped):
                await ask(caller)

        asyncio.run(go())

    def test_when_cancelled_loses_no_place(self) -> None:
        async def go() -> None:
            subject = Scripted(GOOD, takes=0.005, connections=2)
            caller, _, _ = bench(subject)
            for round_ in range(20):
                tasks = [asyncio.create_task(ask(caller)) for _ in range(8)]
                for _ in range(round_):
                    await asyncio.sleep(0.0007)
                for task in tasks[round_ % 3 :: 2]:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await asyncio.sleep(0)
                assert caller.pace.in_flight == 0
            assert (await ask(caller)).reply == GOOD

        asyncio.run(go())

    def test_stopped_just_when_a_place_is_given_loses_no_place(self) -> None:
        async def go(extra: int) -> None:
            subject = Scripted(GOOD, takes=0.01, connections=1)
            caller, _, stopping = bench(subject)
            first = asyncio.create_task(ask(caller))
            second = asyncio.create_task(ask(caller))
            await asyncio.sleep(0.002)
            while caller.pace.in_flight and not first.done():
                await asyncio.sleep(0)
            for _ in range(extra):
                await asyncio.sleep(0)
            stopping.set()
            await asyncio.gather(first, second, return_exceptions=True)
            await asyncio.sleep(0)
            assert caller.pace.in_flight == 0

        for extra in range(4):
            asyncio.run(go(extra))


class TestBudgets:
    @pytest.mark.parametrize(
        ("budget", "calls"),
        [
            (Budget(calls=5), 5),
            (Budget(tokens=61), 5),  # 15 a reply: the fifth goes past the mark, the sixth is refused
            (Budget(tokens=60), 4),
            (Budget(cost=8.0), 4),  # 2.0 a reply
            (Budget(cost=8.1), 5),
        ],
    )
    def test_stop_after_exactly_so_many_calls(self, budget: Budget, calls: int) -> None:
        async def go() -> None:
            subject = Scripted(GOOD)
            caller, meter, _ = bench(subject, budget=budget)
            for _ in range(calls):
                await ask(caller)
            with pytest.raises(BudgetReached):
                await ask(caller)
            assert len(subject.arrived) == meter.calls == meter.replies == calls
            assert caller.pace.in_flight == 0

        asyncio.run(go())

    def test_of_calls_are_exact_with_many_at_once_and_count_every_try(self) -> None:
        async def go() -> None:
            subject = Scripted(SubjectFault("reset"), SubjectFault("reset"), GOOD, takes=0.001, connections=8)
            caller, meter, _ = bench(subject, budget=Budget(calls=20))
            done = await asyncio.gather(*(ask(caller) for _ in range(40)), return_exceptions=True)
            assert len(subject.arrived) == meter.calls == 20
            assert sum(isinstance(one, Received) for one in done) == meter.replies == 18
            assert sum(isinstance(one, BudgetReached) for one in done) == 22

        asyncio.run(go())

    def test_of_seconds_stop_the_next_call(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def go() -> None:
            subject = Scripted(GOOD)
            caller, meter, _ = bench(subject, budget=Budget(seconds=100.0))
            await ask(caller)
            meter.spent_before = 100.0
            with pytest.raises(BudgetReached, match="100 s"):
                await ask(caller)
            assert len(subject.arrived) == 1

        asyncio.run(go())


class Watched(Stub):
    """A stub that notes when each request came and what it was answered with."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.came: list[tuple[float, bool]] = []
        handle: Callable[..., Any] = self._endpoint.handle

        def noting(head: Any, body: bytes) -> Any:
            before = self.stats().faults.get("http_429", 0)
            reply = handle(head, body)
            self.came.append((time.monotonic(), self.stats().faults.get("http_429", 0) > before))
            return reply

        self._endpoint.handle = noting  # type: ignore[method-assign]


class TestAStormOfComplaints:
    def test_is_waited_out_no_request_comes_early_and_the_pace_recovers(self) -> None:
        named, burst = 1.0, 8

        async def go() -> tuple[list[Received], Watched, Caller]:
            plan = Faults((Fault("http_429", until=burst, retry_after=named),))
            async with Watched(answer="fixed:ok", faults=plan, latency=0.01) as stub:
                subject = OpenAISubject(SubjectSpec("openai:m", base_url=stub.url, connections=burst))
                await subject.open()
                caller, _, _ = bench(subject)
                wire = subject.wire(Request((Message("user", "x"),)))
                received = await asyncio.gather(*(ask(caller, wire) for _ in range(200)))
                await subject.close()
                return received, stub, caller

        received, stub, caller = asyncio.run(go())
        assert all(one.reply is not None for one in received)
        complained = [moment for moment, busy in stub.came if busy]
        answered = [moment for moment, busy in stub.came if not busy]
        assert (len(complained), len(answered)) == (burst, 200)
        assert min(answered) >= max(complained) + named - 0.005
        assert (caller.pace.limit, caller.pace.in_flight) == (burst, 0)

    @pytest.mark.parametrize("seed", [1, 2])
    def test_of_every_kind_leaves_every_ask_with_its_answer(self, seed: int) -> None:
        async def go() -> list[Received]:
            plan = Faults.of(
                seed=seed, http_429=0.1, http_503=0.1, http_500=0.1, reset=0.1, malformed_json=0.1
            )
            async with Stub(answer="echo", faults=plan) as stub:
                subject = OpenAISubject(SubjectSpec("openai:m", base_url=stub.url, connections=8))
                await subject.open()
                caller, meter, _ = bench(subject, tries=30)
                wires = [subject.wire(Request((Message("user", f"n{n}"),))) for n in range(100)]
                received = await asyncio.gather(*(ask(caller, wire) for wire in wires))
                await subject.close()
                assert meter.calls == stub.stats().requests == 100 + meter.faults.total()
                return received

        received = asyncio.run(go())
        assert [one.reply and one.reply.text for one in received] == [f"n{n}" for n in range(100)]
        assert any(one.tries for one in received)
