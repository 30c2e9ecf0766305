"""A coroutine in a thread of its own, waited for here: interrupts and displays stay with the caller's thread."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["EVERY", "call_apart", "run_apart"]

EVERY = 0.25  # seconds between two looks at the work
T = TypeVar("T")


def call_apart(function: Callable[[], T]) -> T:
    """Call it in a thread of its own where a loop is running here: what an instrument does may need a loop itself."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function()
    with ThreadPoolExecutor(1, "assay") as pool:
        return pool.submit(function).result()


def run_apart(
    begin: Callable[[], Coroutine[Any, Any, T]],
    *,
    tick: Callable[[], None] = lambda: None,
    stop: Callable[[], None] | None = None,
) -> T:
    """Run a coroutine to its end in a thread and a loop of its own: a notebook has a loop running already.

    Meanwhile ``tick`` is called here. Whatever interrupts the waiting calls ``stop`` in the loop and waits for the
    clean end; a second interrupt cancels the coroutine.
    """
    outcome: list[T] = []
    failure: list[BaseException] = []
    ended = threading.Event()
    loop = asyncio.new_event_loop()
    tasks: list[asyncio.Task[T]] = []

    async def work() -> T:
        tasks.append(asyncio.current_task())  # type: ignore[arg-type]
        return await begin()

    def target() -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                outcome.append(runner.run(work()))
        except BaseException as error:
            failure.append(error)
        finally:
            ended.set()

    thread = threading.Thread(target=target, name="assay", daemon=True)
    thread.start()
    try:
        while not ended.wait(EVERY):
            tick()
    except BaseException:
        _end(loop, ended, stop, tasks)
        thread.join()
        raise
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


def _end(
    loop: asyncio.AbstractEventLoop,
    ended: threading.Event,
    stop: Callable[[], None] | None,
    tasks: list[asyncio.Task[Any]],
) -> None:
    def cancel() -> None:
        for task in tasks:
            task.cancel()

    for call in (stop or cancel, cancel):
        try:  # the next interrupt may come as soon as the call is made
            with contextlib.suppress(RuntimeError):  # the loop has ended in the meantime
                loop.call_soon_threadsafe(call)
            while not ended.wait(EVERY):
                pass
            return
        except KeyboardInterrupt:
            continue
