"""Worlds with real state run in worker threads, so that they do not block the calls of other trials.

A step of git takes tens of milliseconds. One thread does all steps of an episode, in their order: a database
connection may be used only by the thread that opened it, and the same decisions must give the same episode.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count
from typing import TypeVar

from assay.worlds import WorldSource

__all__ = ["WorkerThread"]

T = TypeVar("T")
THREADS = 4  # real worlds at once
_turn = count()


@cache
def _thread(number: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, f"assay-world-{number}")


class WorkerThread:
    """Runs the steps of one episode: in a thread where the family's state is real, else directly."""

    def __init__(self, family: WorldSource) -> None:
        self._thread = _thread(next(_turn) % THREADS) if family.real else None

    async def make(self, call: Callable[[], T], undo: Callable[[T], object]) -> T:
        """Make something that has to be undone even if the caller was cancelled meanwhile."""
        if self._thread is None:
            return call()
        making = self._thread.submit(call)
        try:
            return await asyncio.wrap_future(making)
        except asyncio.CancelledError:
            self._thread.submit(lambda: undo(making.result()))  # the thread comes to it after the making
            raise

    async def do(self, call: Callable[[], T]) -> T:
        if self._thread is None:
            return call()
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def last(self, call: Callable[[], object]) -> None:
        """Run the clean-up after all other steps, also for a cancelled episode.

        Nothing waits for it: otherwise the time limit of a finished episode could pass during its clean-up.
        """
        if self._thread is None:
            call()
        else:
            self._thread.submit(call)
