"""Worlds whose state is real are played aside: the loop goes on, and each episode stays in its order."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from assay.instruments.agency.episodes.worker_thread import THREADS, WorkerThread
from assay.study import Study, SubjectSpec
from assay.worlds import all_families
from tests.support import audit_run, begin, go, ledger_events
from tests.worlds.counter import Button, Counter

REAL: Any = type("Real", (Counter,), {"real": True})()


def test_what_is_in_memory_is_done_on_the_spot() -> None:
    assert asyncio.run(WorkerThread(Counter()).do(threading.get_ident)) == threading.get_ident()


def test_what_is_real_is_done_in_one_other_thread_for_the_whole_episode() -> None:
    async def where() -> set[int]:
        aside = WorkerThread(REAL)
        return {await aside.do(threading.get_ident) for _ in range(5)}

    threads = asyncio.run(where())
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_the_loop_goes_on_while_a_world_is_at_work() -> None:
    """The step ends only when the loop has done something else: were it on the loop, that would be never."""
    other = threading.Event()

    async def both() -> bool:
        step = asyncio.create_task(WorkerThread(REAL).do(lambda: other.wait(30)))
        await asyncio.sleep(0)
        other.set()
        return await step

    assert asyncio.run(both())


def test_worlds_at_work_are_bounded() -> None:
    async def where() -> set[int]:
        return {await WorkerThread(REAL).do(threading.get_ident) for _ in range(3 * THREADS)}

    assert len(asyncio.run(where())) == THREADS


def test_what_is_made_for_nobody_is_undone_and_an_episode_ends_after_its_last_step() -> None:
    done: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    async def broken_off() -> None:
        aside = WorkerThread(REAL)

        def make() -> str:
            begun.set()
            go_on.wait(30)
            return "made"

        making = asyncio.create_task(aside.make(make, lambda what: done.append(f"{what}, undone")))
        await asyncio.to_thread(begun.wait, 30)
        making.cancel()
        with pytest.raises(asyncio.CancelledError):
            await making
        aside.last(lambda: done.append("last"))
        go_on.set()
        await aside.do(lambda: None)

    asyncio.run(broken_off())
    assert done == ["made, undone", "last"]


def test_an_episode_that_is_over_is_not_held_up_by_what_it_leaves_behind() -> None:
    """While it were, its time limit could still turn an outcome into a loss, and an audit would find another."""
    done: list[str] = []
    go_on = threading.Event()

    def close() -> None:
        go_on.wait(30)
        done.append("closed")

    async def over() -> list[str]:
        aside = WorkerThread(REAL)
        aside.last(close)
        at_once = list(done)
        go_on.set()
        await aside.do(lambda: None)
        return at_once

    assert asyncio.run(over()) == []
    assert done == ["closed"]


def test_what_comes_last_is_done_even_where_every_task_is_cancelled() -> None:
    """As at the end of a run that is interrupted twice."""
    done: list[str] = []
    go_on = threading.Event()

    async def interrupted() -> WorkerThread:
        aside = WorkerThread(REAL)
        working = asyncio.create_task(aside.do(lambda: go_on.wait(30)))
        await asyncio.sleep(0)
        aside.last(lambda: done.append("last"))
        working.cancel()
        return aside

    aside = asyncio.run(interrupted())
    go_on.set()
    asyncio.run(aside.do(lambda: None))
    assert done == ["last"]


def study(connections: int) -> Study:
    options = {
        "dimensions": ["E"], "families": ["records", "workspace"], "levels": [1, 2], "instances": 6,
        "regimes": ["Baseline"], "robustness_instances": 1,
    }  # fmt: skip
    subject = SubjectSpec("reference:solver", connections=connections)
    return Study(name="t", subjects=(subject,), instruments={"agency": options})


def test_many_at_once_come_to_what_one_after_the_other_comes_to(tmp_path: Path) -> None:
    found = []
    for connections in (1, 8):
        root = tmp_path / str(connections)
        root.mkdir()
        folder, lock = begin(root, study(connections))
        assert go(folder, lock)
        assert audit_run(folder, lock).faults == []
        artifacts = sorted(
            e["data"]["report"]["artifact"] for e in ledger_events(folder) if e["kind"] == "end"
        )
        found.append(artifacts)
    assert found[0] == found[1]


def test_a_real_family_of_anyone_may_use_what_belongs_to_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As connections of sqlite3 do."""

    class Kept(Button):
        def __init__(self) -> None:
            super().__init__()
            self._base = sqlite3.connect(":memory:")

        def look(self) -> dict[str, Any]:
            self._base.execute("SELECT 1")
            return super().look()

        def close(self) -> None:
            self._base.close()

    family: Any = type("Real", (Counter,), {"real": True, "open": lambda self, task, *, drift: Kept()})()
    monkeypatch.setitem(all_families(), "counter", family)
    options = {
        "families": ["counter"], "levels": [1], "instances": 6, "regimes": ["Baseline"], "robustness_instances": 1,
    }  # fmt: skip
    folder, lock = begin(
        tmp_path, Study(name="k", subjects=("reference:solver",), instruments={"agency": options})
    )
    assert go(folder, lock)
    assert {e["data"]["outcome"] for e in ledger_events(folder) if e["kind"] == "end"} == {"success"}
