"""Reading outside the event loop: signals, time limits and other trials do not wait for a long text."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["SHORT", "in_thread", "read_text"]

T = TypeVar("T")
SHORT = 8_192  # characters that are read at once: a thread would take longer


async def read_text(text: str, reader: Callable[[str], T]) -> T:
    """What a reader finds in a text: at once in a short one, in a thread of its own in a long one."""
    return reader(text) if len(text) <= SHORT else await in_thread(lambda: reader(text))


async def in_thread(work: Callable[[], T]) -> T:
    """Do it in a thread that holds nothing up.

    A trial that is ended meanwhile leaves its thread behind, and so does the process when it ends.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def deliver(give: Callable[[Any], None], value: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(lambda: None if done.done() else give(value))

    def run() -> None:
        try:
            found = work()
        except BaseException as error:
            deliver(done.set_exception, error)
        else:
            deliver(done.set_result, found)

    threading.Thread(target=run, name="assay-reading", daemon=True).start()
    return await done
