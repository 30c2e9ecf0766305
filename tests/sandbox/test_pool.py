"""The pool: many callers, dying workers, nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.sandbox import Job, Limits, Sandbox, run_all, thaw

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made for Linux")

SQUARE = "def f(x):\n    return x * x\n"
SLEEP = "import time\ndef f(x):\n    time.sleep(x)\n    return x\n"


def job(source: str, argument: float, **limits: float) -> Job:
    return Job(source=source, entry_point="f", cases=({"args": [argument]},), limits=Limits(**limits))  # type: ignore[arg-type]


def processes_of(caller: int) -> set[int]:
    """Every process that belongs to a worker started by ``caller``: forks keep the worker's arguments."""
    mark, found = f'"caller":{caller},'.encode(), set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark in (entry / "cmdline").read_bytes():
                    found.add(int(entry.name))
            except OSError:
                continue
    return found


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait for it, with a bound so generous that only a hang can miss it."""
    deadline = time.monotonic() + 120
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


def gone(caller: int) -> bool:
    return eventually(lambda: not processes_of(caller))


def open_files() -> list[str]:
    return sorted(os.listdir("/proc/self/fd"))


def test_runs_come_in_the_order_of_the_jobs() -> None:
    runs = run_all([job(SQUARE, n) for n in range(30)], workers=3)
    assert [thaw(run.cases[0].value) for run in runs] == [n * n for n in range(30)]


def test_more_callers_than_workers_take_turns() -> None:
    async def scenario() -> list[object]:
        async with Sandbox(workers=2) as sandbox:
            runs = await asyncio.gather(*[sandbox.run(job(SLEEP, 0.01 * (n % 3))) for n in range(12)])
            assert len(sandbox._all) <= 2
            return [thaw(run.cases[0].value) for run in runs]

    assert asyncio.run(scenario()) == [0.01 * (n % 3) for n in range(12)]


def test_nothing_is_left_behind() -> None:
    run_all([job(SQUARE, 1)])  # whatever is made once in a process's life is made now
    before = open_files()
    fork = "import os, time\ndef f(x):\n    if os.fork() == 0:\n        time.sleep(600)\n    return x\n"
    runs = run_all([job(fork, 1), job(SQUARE, 2), job(SLEEP, 60, wall_seconds=0.3)])
    assert [run.state for run in runs] == ["ran", "ran", "timeout"]
    assert open_files() == before
    assert gone(os.getpid())


def test_a_worker_that_dies_idle_is_replaced_and_the_job_runs() -> None:
    async def scenario() -> tuple[str, int]:
        async with Sandbox(workers=1) as sandbox:
            worker = next(iter(sandbox._all))
            worker.launched.process.kill()
            worker.launched.process.wait()
            return (await sandbox.run(job(SQUARE, 3))).state, len(sandbox._all)

    assert asyncio.run(scenario()) == ("ran", 1)


def test_a_job_whose_worker_dies_is_run_once_more(started: asyncio.Event) -> None:
    async def scenario() -> tuple[str, object]:
        async with Sandbox(workers=1) as sandbox:
            running = asyncio.create_task(sandbox.run(job(SLEEP, 0.5)))
            await started.wait()
            next(iter(sandbox._all)).launched.process.kill()
            run = await running
            return run.state, thaw(run.cases[0].value)

    assert asyncio.run(scenario()) == ("ran", 0.5)
    assert gone(os.getpid())


def test_a_job_under_which_two_workers_die_is_lost_and_not_charged(started: asyncio.Event) -> None:
    async def scenario() -> None:
        async with Sandbox(workers=1) as sandbox:
            running = asyncio.create_task(sandbox.run(job(SLEEP, 600, wall_seconds=600)))
            for _ in range(2):
                await started.wait()
                started.clear()
                next(iter(sandbox._all)).launched.process.kill()
            lost = await running
            assert (lost.state, [case.state for case in lost.cases]) == ("lost", ["not_run"])
            assert lost.environment_dependent
            assert (await sandbox.run(job(SQUARE, 3))).state == "ran"

    asyncio.run(scenario())
    assert gone(os.getpid())


def test_a_cancelled_call_ends_its_program_and_frees_its_place(started: asyncio.Event) -> None:
    async def scenario() -> str:
        async with Sandbox(workers=1) as sandbox:
            running = asyncio.create_task(sandbox.run(job(SLEEP, 600, wall_seconds=600)))
            await started.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            return (await sandbox.run(job(SQUARE, 3))).state

    assert asyncio.run(scenario()) == "ran"
    assert gone(os.getpid())


CALLER = """
import asyncio
from assay.sandbox import Job, Limits, Sandbox
STUBBORN = '''
import ctypes, signal, os
def f():
    for number in signal.valid_signals():
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
    os.fork()
    while True: signal.pause()
'''
async def main():
    async with Sandbox(workers=2) as sandbox:
        job = Job(source=STUBBORN, entry_point="f", cases=({},), limits=Limits(wall_seconds=300))
        running = asyncio.create_task(sandbox.run(job))
        print("running", flush=True)
        await running
asyncio.run(main())
"""


def test_when_the_caller_is_killed_workers_and_programs_die_too() -> None:
    with subprocess.Popen([sys.executable, "-c", CALLER], stdout=subprocess.PIPE) as caller:
        assert caller.stdout is not None
        assert caller.stdout.readline() == b"running\n"
        assert eventually(lambda: len(processes_of(caller.pid)) >= 5)
        os.kill(caller.pid, signal.SIGKILL)
    assert gone(caller.pid)


def test_a_sandbox_that_is_not_open_says_how_to_use_it() -> None:
    with pytest.raises(InputError, match="async with"):
        asyncio.run(Sandbox().run(job(SQUARE, 1)))
    with pytest.raises(InputError, match="at least 1"):
        Sandbox(workers=0)
