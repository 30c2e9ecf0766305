"""The child process of a ``python:`` subject: hosts a user's callable and speaks JSON lines.

Started as ``python -P _python_host.py MODULE:CALLABLE``. The protocol has descriptors of its own:
what the callable prints goes to standard error and cannot be mistaken for an answer, and what it reads from
standard input is empty. When the other end is gone, so is this process, whatever the callable is doing.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

__all__ = ["main"]


def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    sys.path.insert(0, os.getcwd())
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{target} is not callable")
    return found


def _keywords(target: Any) -> Any:
    """Callables that do not care about sampling need not accept it."""
    try:
        parameters = inspect.signature(target).parameters.values()
    except ValueError:  # written in C, and silent about what it takes
        return lambda messages, **_: target(messages)
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return target
    accepted = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    return lambda messages, **kw: target(messages, **{k: v for k, v in kw.items() if k in accepted})


async def _await(value: Any) -> Any:
    return await value


class _Hosted:
    """The callable, or the current instance of the class, and the event loop it keeps between calls."""

    def __init__(self, loaded: Any) -> None:
        self._make = loaded if inspect.isclass(loaded) else None
        self._target = None if self._make else _keywords(loaded)
        self._runner = asyncio.Runner()

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._target is None:
            assert self._make is not None
            self._target = _keywords(self._make())
        reply = self._target(message["messages"], **message["sampling"])
        if inspect.isawaitable(reply):
            reply = self._runner.run(_await(reply))
        if isinstance(reply, str):
            return {"text": reply}
        if isinstance(reply, dict) and isinstance(reply.get("text"), str):
            return reply
        raise TypeError(f"the callable returned {type(reply).__name__}; return text, or a dict with 'text'")

    def forget(self) -> None:
        if self._make is not None:
            self._target = None


def _channels() -> tuple[int, int]:
    """Take the protocol's descriptors away from where a program would find them."""
    inward, outward = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return inward, outward


def _read_lines(inward: int, put: Callable[[bytes], None]) -> None:
    """In a thread of its own, so that the end of the other side is seen while the callable runs."""
    rest = b""
    while data := os.read(inward, 1 << 16):
        *lines, rest = (rest + data).split(b"\n") if b"\n" in data else (rest + data,)
        for line in lines:
            put(line)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # and whatever the callable started
    os._exit(0)


def main(arguments: list[str]) -> int:
    inward, outward = _channels()
    channel = os.fdopen(outward, "w", encoding="utf-8")

    def say(value: dict[str, Any]) -> None:
        channel.write(json.dumps(value) + "\n")
        channel.flush()

    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_lines, args=(inward, lines.put), daemon=True).start()
    try:
        hosted = _Hosted(_load(arguments[0]))
        say({"ready": True})
    except BaseException as error:
        say({"ready": False, "error": f"{type(error).__name__}: {error}"})
        return 2
    while True:
        message = json.loads(lines.get())
        if message.get("forget"):
            hosted.forget()
            continue
        try:
            say({"reply": hosted.answer(message)})
        except Exception as error:
            traceback.print_exc()
            say({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
