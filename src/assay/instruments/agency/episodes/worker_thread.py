"""What takes a while is done aside, so that the calls of other trials go on meanwhile.

A step of git takes tens of milliseconds. All that is done in one episode is done by one thread, in its order: whoever
opened a database may use it, and the same decisions give the same episode.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count
from typing import TypeVar

from assay.worlds import Family

__all__ = ["WorkerThread"]

T = TypeVar("T")
THREADS = 4  # so many real worlds are at work at once
_turn = count()


@cache
def _thread(number: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, f"assay-world-{number}")


class WorkerThread:
    """Where one episode of a family is played: in a thread where its state is real, on the spot where it is not."""

    def __init__(self, family: Family) -> None:
        self._thread = _thread(next(_turn) % THREADS) if family.real else None

    async def make(self, call: Callable[[], T], undo: Callable[[T], object]) -> T:
        """Make something that has to be undone, also where nobody waits for it any more."""
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
        """Do it even where the episode is being broken off: after whatever is still at work.

        Nobody waits for it: an episode that is over could else be cut off by its time limit while it is tidied up.
        """
        if self._thread is None:
            call()
        else:
            self._thread.submit(call)
