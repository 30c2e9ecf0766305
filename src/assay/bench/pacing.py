"""How many calls to one subject may be under way, and when.

Additive increase, multiplicative decrease: an endpoint that says it is busy (429, 503) is asked half as much
and not before the time it names; each reply afterwards lets the limit grow back towards the declared one.
"""

from __future__ import annotations

import asyncio
import collections
import time

__all__ = ["Pace"]


class Pace:
    """A gate with a limit that breathes. ``first`` is how many go through before there is any answer."""

    def __init__(self, connections: int, *, first: int | None = None) -> None:
        self._most = connections
        self.limit = float(min(first or connections, connections))
        self._answered = False
        self.in_flight = 0
        self._not_before = 0.0
        self._last_cut = 0.0
        self._waiting: collections.deque[asyncio.Future[None]] = collections.deque()
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def open(self) -> bool:
        """Whether a call can go through at once."""
        return not self._waiting and self.in_flight < int(self.limit) and not (self._not_before and self.held)

    def enter_now(self) -> bool:
        """Take a place if there is one."""
        if self.open:
            self.in_flight += 1
            return True
        return False

    async def enter(self) -> None:
        if not self.open:
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            self._wake()
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():
                    self.in_flight -= 1
                    self._wake()
                elif place in self._waiting:  # else it was passed over while it was being cancelled
                    self._waiting.remove(place)
                raise
            return
        self.in_flight += 1

    def leave(self) -> None:
        self.in_flight -= 1
        if self._waiting:
            self._wake()

    def answered(self) -> None:
        """The endpoint serves us, well or badly: from now on the declared limit holds."""
        if not self._answered:
            self._answered = True
            self.limit = float(self._most)

    def succeeded(self) -> None:
        if self.limit < self._most:
            self.limit = min(self._most, self.limit + 1.0 / self.limit)

    def slow_down(self, retry_after: float | None) -> None:
        """Halve the limit, once for a burst of complaints, and hold all calls until the named time."""
        now = time.monotonic()
        if now - self._last_cut > 0.5:
            self._last_cut = now
            self.limit = max(1.0, self.limit / 2)
        if retry_after:
            self._not_before = max(self._not_before, now + retry_after)

    @property
    def held(self) -> float:
        """Seconds until calls are let through again."""
        return max(0.0, self._not_before - time.monotonic())

    def _wake(self) -> None:
        """Let in whoever has room. A place that is given is counted at once."""
        held = self.held
        if held > 0:
            if self._alarm is None:
                self._alarm = asyncio.get_running_loop().call_later(held, self._rings)
            return
        while self._waiting and self.in_flight < int(self.limit):
            place = self._waiting.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)

    def _rings(self) -> None:
        self._alarm = None
        self._wake()
