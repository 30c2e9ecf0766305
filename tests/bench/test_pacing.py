"""The gate in front of a subject: never more than the limit, never before the named time, no place lost."""

from __future__ import annotations

import asyncio
import contextlib
import random
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.bench.pacing import Pace


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The gate's clock, which stands still until a test sets it."""
    clock = [100.0]
    monkeypatch.setattr("assay.bench.pacing.time", SimpleNamespace(monotonic=lambda: clock[0]))
    return clock


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_as_many_go_through_as_there_are_connections() -> None:
    async def go() -> None:
        pace = Pace(3)
        tasks = [asyncio.create_task(pace.enter()) for _ in range(5)]
        await settle()
        assert (pace.in_flight, [task.done() for task in tasks]) == (3, [True] * 3 + [False] * 2)
        pace.leave()
        await settle()
        assert (pace.in_flight, tasks[3].done(), tasks[4].done()) == (3, True, False)
        pace.leave()
        await asyncio.gather(*tasks)

    asyncio.run(go())


def test_who_comes_first_goes_first_and_nobody_slips_past_the_queue() -> None:
    async def go() -> list[int]:
        pace, order = Pace(1), []

        async def one(number: int) -> None:
            await pace.enter()
            order.append(number)
            await asyncio.sleep(0)
            pace.leave()

        tasks = [asyncio.create_task(one(number)) for number in range(6)]
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(go()) == list(range(6))


def test_a_complaint_halves_the_limit_once_for_a_burst_and_never_below_one(now: list[float]) -> None:
    pace = Pace(16)
    for _ in range(10):
        pace.slow_down(None)
    assert pace.limit == 8
    for _ in range(10):
        now[0] += 10  # the burst is long past
        pace.slow_down(None)
    assert pace.limit == 1


def test_replies_let_the_limit_grow_back_to_the_declared_one_and_no_further() -> None:
    pace = Pace(8)
    pace.slow_down(None)
    assert pace.limit == 4
    grown = []
    while pace.limit < 8:
        pace.succeeded()
        grown.append(pace.limit)
        assert len(grown) < 100
    pace.succeeded()
    assert pace.limit == 8
    assert grown[0] == 4.25  # additive: one more for each full round of replies


def test_nobody_goes_through_before_the_named_time_however_they_came(now: list[float]) -> None:
    async def go() -> None:
        pace, entered = Pace(4), 0

        async def one() -> None:
            nonlocal entered
            await pace.enter()
            entered += 1
            pace.leave()

        async def look_again_at(moment: float) -> None:
            now[0] = moment
            pace._rings()
            await settle()

        await pace.enter()
        pace.slow_down(0.2)
        early = [asyncio.create_task(one()) for _ in range(3)]
        await settle()
        pace.leave()
        await look_again_at(100.1)
        pace.slow_down(0.3)  # named anew, further off
        pace.slow_down(0.01)  # a nearer time does not take it back
        late = [asyncio.create_task(one()) for _ in range(3)]
        for moment in (100.19, 100.21, 100.39):
            await look_again_at(moment)
            assert entered == 0
        now[0] = 100.41
        await asyncio.wait_for(asyncio.gather(*early, *late), 120)  # the alarm rings by itself
        assert (entered, pace.in_flight) == (6, 0)

    asyncio.run(go())


def test_a_waiter_cancelled_just_when_its_turn_comes_hands_the_place_on() -> None:
    async def go() -> None:
        pace = Pace(1)
        await pace.enter()
        first, second = asyncio.create_task(pace.enter()), asyncio.create_task(pace.enter())
        await settle()
        pace.leave()  # the place is given to the first ...
        first.cancel()  # ... which is cancelled before it could take it
        await settle()
        assert first.cancelled()
        assert second.done()
        assert pace.in_flight == 1

    asyncio.run(go())


def test_a_waiter_passed_over_while_it_is_being_cancelled_ends_as_cancelled() -> None:
    async def go() -> None:
        pace = Pace(1)
        await pace.enter()
        first, second = asyncio.create_task(pace.enter()), asyncio.create_task(pace.enter())
        await settle()
        first.cancel()
        pace.leave()  # before the cancelled one has had a chance to leave the queue
        with pytest.raises(asyncio.CancelledError):
            await first
        await second
        assert pace.in_flight == 1
        assert not pace._waiting

    asyncio.run(go())


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32), connections=st.integers(1, 5), steps=st.integers(20, 80))
def test_no_place_is_lost_or_doubled_whatever_is_cancelled_when(
    seed: int, connections: int, steps: int
) -> None:
    draw = random.Random(seed)

    async def go() -> None:
        pace, inside = Pace(connections), 0

        async def one() -> None:
            nonlocal inside
            await pace.enter()
            inside += 1
            try:
                assert inside <= connections
                for _ in range(draw.randrange(4)):
                    await asyncio.sleep(0)
                if draw.random() < 0.3:
                    pace.slow_down(draw.choice([None, 0.001]))
                else:
                    pace.succeeded()
            finally:
                inside -= 1
                pace.leave()

        tasks: list[asyncio.Task[None]] = []
        for _ in range(steps):
            tasks.append(asyncio.create_task(one()))
            if draw.random() < 0.4:
                draw.choice(tasks).cancel()
            if draw.random() < 0.5:
                await asyncio.sleep(0)
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait_for(task, 120)
        assert (pace.in_flight, inside, len(pace._waiting)) == (0, 0, 0)
        await asyncio.wait_for(pace.enter(), 120)

    asyncio.run(go())
