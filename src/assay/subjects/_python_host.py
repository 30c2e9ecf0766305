"""The child process of a ``python:`` subject: hosts a user's callable and speaks JSON lines.

Started as ``python -P _python_host.py MODULE:CALLABLE``. The protocol has descriptors of its own:
what the callable prints goes to standard error and cannot be mistaken for an answer, and what it reads from
standard input is empty. When the other end is gone, so is this process, whatever the callable is doing.

A callable that takes the messages is called for every ask. One that takes ``task`` and ``act`` is an agent with a
loop of its own: it runs in a thread, each of its acts is the reply to one ask, and the next ask is what came of it.
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
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

__all__ = ["main"]

LONGEST_TRACE = 32_000  # characters
SECONDS_TO_END = 1.0  # for an agent whose session is over


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


class _Gone(BaseException):
    """The session is over: an agent that is still acting in it ends. No ``except Exception`` keeps it."""


class _Solving:
    """One run of an agent's loop. Its acts stand in line: each is the reply to one ask, whoever made it."""

    def __init__(self, solver: Callable[[], Callable[..., Any]], message: dict[str, Any]) -> None:
        sampling = dict(message["sampling"])
        task = {"messages": message["messages"], "tools": sampling.pop("tools", []), "sampling": sampling}
        self._line: queue.SimpleQueue[tuple[dict[str, Any], Future[str]] | None] = queue.SimpleQueue()
        self._handed: Future[str] | None = None  # the act whose result the next ask brings
        self._final: Future[str] = Future()
        self._lock = threading.Lock()
        self._acts, self._over = 0, False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._thread = threading.Thread(target=self._run, args=(solver, task), daemon=True)
        self._thread.start()

    def answer(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        """The reply to an ask: the next act, or the final text, however often it is asked for."""
        if self._handed is not None:
            self._handed.set_result(_news(messages))
            self._handed = None
        while (step := self._line.get()) is not None:
            reply, done = step
            if done.set_running_or_notify_cancel():  # else the agent itself has given it up
                self._handed = done
                return reply
        self._line.put(None)
        return {"text": self._final.result()}

    def close(self) -> bool:
        """End it, wherever it is; tells whether it did."""
        with self._lock:
            self._over = True
        if self._handed is not None:
            self._handed.set_exception(_Gone())
        with suppress(queue.Empty):
            while True:
                step = self._line.get_nowait()
                if step is not None and step[1].set_running_or_notify_cancel():
                    step[1].set_exception(_Gone())
        if self._loop is not None and self._task is not None:
            with suppress(RuntimeError):  # closed already
                self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(SECONDS_TO_END)
        return not self._thread.is_alive()

    def _run(self, solver: Callable[[], Callable[..., Any]], task: dict[str, Any]) -> None:
        try:
            found = solver()(task=task, act=self._act)
            if inspect.isawaitable(found):
                with asyncio.Runner() as runner:
                    self._loop = runner.get_loop()
                    found = runner.run(self._awaited(found))
            if not isinstance(found, str | None):
                raise TypeError(f"the agent returned {type(found).__name__}; return text or None")
            self._final.set_result(found or "")
        except BaseException as error:  # told, or raised again, where the asks are answered
            self._final.set_exception(error)
        with self._lock:
            self._over = True
            self._line.put(None)

    async def _awaited(self, value: Any) -> Any:
        self._task = asyncio.current_task()
        return await value

    def _act(self, name: str, arguments: Mapping[str, Any] | None = None, /, **more: Any) -> Any:
        """Do one action; the text of what came of it. To be awaited where the agent is a coroutine."""
        written = _written(name, arguments, more)
        with suppress(RuntimeError):  # no loop is running here
            if asyncio.get_running_loop() is self._loop:
                return self._later(name, written)
        return self._stand_in_line(name, written).result()

    async def _later(self, name: str, written: str) -> str:
        return await asyncio.wrap_future(self._stand_in_line(name, written))

    def _stand_in_line(self, name: str, written: str) -> Future[str]:
        done: Future[str] = Future()
        with self._lock:
            if self._over:
                raise _Gone
            self._acts += 1
            call = {"id": f"call_{self._acts}", "name": name, "arguments": written}
            self._line.put(({"text": "", "tool_calls": [call]}, done))
        return done


def _written(name: str, arguments: Mapping[str, Any] | None, more: dict[str, Any]) -> str:
    """An action's arguments as JSON. What is wrong with them is the agent's to know, before anything is done."""
    if not isinstance(name, str):
        raise TypeError(f"act: the name of an action is text, not {type(name).__name__}")
    if not isinstance(arguments, Mapping | None):
        raise TypeError(f"act({name!r}): give arguments by name or as a dict, not {type(arguments).__name__}")
    try:
        return json.dumps({**(arguments or {}), **more}, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"act({name!r}): JSON cannot hold these arguments: {error}") from None


def _news(messages: list[dict[str, Any]]) -> str:
    """What was said since the subject's last word: a tool's result, or what came instead of one or with it."""
    spoke = [place for place, message in enumerate(messages) if message["role"] == "assistant"]
    since = messages[spoke[-1] + 1 :] if spoke else messages
    return "\n\n".join(message["content"] for message in since if message["role"] in ("tool", "user"))


def _takes_task(target: Any) -> bool:
    try:
        return {"task", "act"} <= inspect.signature(target).parameters.keys()
    except (TypeError, ValueError):
        return False


class _Agent:
    """An agent with a loop of its own: a function of ``task`` and ``act``, or a class with such a ``solve``."""

    def __init__(self, loaded: Any) -> None:
        self._make: Callable[[], Any] | None = loaded if inspect.isclass(loaded) else None
        self._solve = loaded
        self._instance: Any = None
        self._solving: _Solving | None = None
        if self._make is None:
            inspect.signature(loaded).bind(task=None, act=None)  # what else it may want, nobody gives it

    @staticmethod
    def is_one(loaded: Any) -> bool:
        return _takes_task(getattr(loaded, "solve", None) if inspect.isclass(loaded) else loaded)

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._solving is None:
            self._solving = _Solving(self._solver, message)
        elif not message["sampling"].get("tools") and hasattr(self._instance, "keep"):
            return self._kept(message)
        return self._solving.answer(message["messages"])

    def _kept(self, message: dict[str, Any]) -> dict[str, Any]:
        """What an agent wants to know later: asked without tools, when there is nothing more to do."""
        assert self._solving is not None
        if not self._solving.close():
            raise TimeoutError(f"solve did not end within {SECONDS_TO_END:g} s of the last action")
        found = self._instance.keep(message["messages"])
        if inspect.isawaitable(found):
            with asyncio.Runner() as runner:
                found = runner.run(_await(found))
        if not isinstance(found, str):
            raise TypeError(f"keep returned {type(found).__name__}; return text")
        return {"text": found}

    def _solver(self) -> Any:
        """Called in the loop's thread: what an instance opens there (a database, say) may be bound to it."""
        if self._make is None:
            return self._solve
        self._instance = self._make()
        return self._instance.solve

    def forget(self) -> None:
        if self._solving is not None and not self._solving.close():
            _end()  # an agent that stays would go on beside the next one
        self._solving = self._instance = None


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
    _end()


def _end() -> None:
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # and whatever the callable started
    os._exit(0)


def _is_around(file: str) -> bool:
    """Whether a file is this one or the standard library's, and not the subject's."""
    return file == __file__ or (file.startswith(os.path.dirname(os.__file__)) and "site-packages" not in file)


def _trace(error: BaseException) -> str:
    """The traceback from the first line of the subject's own code on; the end of it, should it be very long."""
    found = error.__traceback__
    while found is not None and _is_around(found.tb_frame.f_code.co_filename):
        found = found.tb_next
    try:
        lines = traceback.format_exception(type(error), error, found or error.__traceback__)
    except Exception:  # an exception may fail even at saying what it is
        return ""
    return "".join(lines)[-LONGEST_TRACE:]


def main(arguments: list[str]) -> int:
    inward, outward = _channels()
    channel = os.fdopen(outward, "w", encoding="utf-8")

    def say(value: dict[str, Any]) -> None:
        channel.write(json.dumps(value) + "\n")
        channel.flush()

    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_lines, args=(inward, lines.put), daemon=True).start()
    try:
        loaded = _load(arguments[0])
        hosted = _Agent(loaded) if _Agent.is_one(loaded) else _Hosted(loaded)
        say({"ready": True, "agent": isinstance(hosted, _Agent)})
    except BaseException as error:
        say({"ready": False, "error": f"{type(error).__name__}: {error}"})
        return 2
    while True:
        message = json.loads(lines.get())
        if message.get("forget"):
            hosted.forget()
            if isinstance(hosted, _Agent):
                say({"forgotten": True})
            continue
        try:
            say({"reply": hosted.answer(message)})
        except (Exception, asyncio.CancelledError) as error:
            with suppress(Exception):  # what it printed goes before what is said of it
                sys.stderr.flush()
            say({"error": f"{type(error).__name__}: {error}", "trace": _trace(error)})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
