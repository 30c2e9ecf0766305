"""Time limits for many calls at once, kept by one timer.

``asyncio.timeout`` sets and cancels a timer for every call; with thousands of calls a second that is a
measurable part of each. Here a call only notes when it is due, and a tick several times a second looks for
those that are overdue. A limit is thus kept to within a quarter of a second, or an eighth of the limit.
"""

from __future__ import annotations

import asyncio

__all__ = ["Deadlines"]

TICK = 0.25


class Deadlines:
    """Cancels the task of a call that is overdue. Use: ``enter``, the call, ``leave`` in a ``finally``."""

    def __init__(self) -> None:
        self._due: dict[asyncio.Task[object], float] = {}
        self._overdue: set[asyncio.Task[object]] = set()
        self._timer: asyncio.TimerHandle | None = None

    def enter(self, seconds: float) -> asyncio.Task[object]:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None, "a call is made in a task"
        self._due[task] = loop.time() + seconds
        if self._timer is None:
            self._timer = loop.call_later(min(TICK, seconds / 8), self._tick, seconds)
        return task

    def leave(self, task: asyncio.Task[object]) -> None:
        self._due.pop(task, None)

    def was_overdue(self, task: asyncio.Task[object]) -> bool:
        """Whether a cancellation that just arrived was ours alone; if so it is taken back."""
        if task not in self._overdue:
            return False
        self._overdue.discard(task)
        return task.uncancel() == 0

    def _tick(self, seconds: float) -> None:
        self._timer = None
        if not self._due:
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        for task in [task for task, due in self._due.items() if due <= now]:
            del self._due[task]
            self._overdue.add(task)
            task.cancel()
        self._timer = loop.call_later(min(TICK, seconds / 8), self._tick, seconds)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
