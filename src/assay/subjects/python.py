"""``python:package.module:callable``: a user's own system, in a child process.

The callable takes the messages (a list of dicts with ``role`` and ``content``) and, if it accepts them as
keywords, ``temperature``, ``top_p``, ``max_tokens`` and ``seed``; it returns text, or a dict with ``text`` and
perhaps ``tool_calls``, ``finish``, ``usage``. A class is instantiated anew for every trial and may remember.
A callable, or a class whose ``solve``, takes ``task`` and ``act`` is an agent with a loop of its own, run once a
trial: ``act(name, **arguments)`` does one action and returns the text of what came of it.
It sees what it is sent and nothing else of the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import msgspec

from assay.canonical import encode
from assay.errors import InputError, SubjectFault
from assay.evidence.redaction import Redactor
from assay.study.model import SubjectSpec
from assay.vocabulary import Reply, Request

from .base import Call, wire_messages
from .chat import clean, no_constant, text_of
from .proxy import proxy_secrets

__all__ = ["PythonSubject"]

START_SECONDS = 60.0
FORGET_SECONDS = 5.0  # the host gives an agent one second to end, and ends itself if that was not enough
EXIT_SECONDS = 10.0  # for the exit code of a process whose output has ended
LARGEST_LINE = 16 << 20
MOST_PRINTED = 1 << 16  # bytes; the bench keeps the end of it
_CREDENTIAL = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE
)  # in names of the environment
_HOST = Path(__file__).with_name("_python_host.py")  # run as a file: Assay itself is not imported there
_FIELDS = frozenset(Reply.__struct_fields__)


class _Printed:
    """The end of what a child prints, read at once: one that nobody read would stop it."""

    def __init__(self) -> None:
        self._inward, self.outward = os.pipe()
        os.set_blocking(self._inward, False)
        self._kept = b""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._inward, self._take)

    def _take(self) -> bool:
        try:
            data = os.read(self._inward, 1 << 16)
        except BlockingIOError:
            return False
        if not data:
            self._loop.remove_reader(self._inward)
        self._kept = (self._kept + data)[-MOST_PRINTED:]
        return bool(data)

    def text(self) -> str:
        if self._inward < 0:
            return self._kept.decode("utf-8", "replace")
        for _ in range(64):  # what is in the pipe; a child that prints without end is not waited for
            if not self._take():
                break
        return self._kept.decode("utf-8", "replace")

    def clear(self) -> None:
        self.text()
        self._kept = b""

    def close(self) -> None:
        if self._inward >= 0:
            self._loop.remove_reader(self._inward)
            os.close(self._inward)
            self._inward = -1


class _Host:
    """One child process; serves one session at a time."""

    def __init__(self, child: asyncio.subprocess.Process, printed: _Printed) -> None:
        self.child, self.printed = child, printed
        self.agent = False  # whether the callable has a loop of its own

    async def ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        assert self.child.stdin is not None
        try:
            async with asyncio.timeout(seconds):
                self.child.stdin.write(encode(message) + b"\n")
                with contextlib.suppress(ConnectionError):  # it died; reading will tell
                    await self.child.stdin.drain()
                return await self.read()
        except TimeoutError:
            raise SubjectFault("timeout", f"no answer within {seconds:g} s", retriable=False) from None

    async def read(self) -> dict[str, Any]:
        assert self.child.stdout is not None
        try:
            line = await self.child.stdout.readline()
        except ValueError:
            raise SubjectFault(
                "oversized_body", f"more than {LARGEST_LINE >> 20} MB", retriable=False
            ) from None
        except ConnectionError:
            line = b""
        if not line.endswith(b"\n"):
            raise SubjectFault("subject_died", f"its process ended{await self._how()}", retriable=False)
        try:
            answer = json.loads(line, parse_constant=no_constant)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise SubjectFault("channel", "the subject wrote into the protocol", retriable=False)
        return answer

    async def _how(self) -> str:
        """Its output has ended; the exit code is known a moment later, if it ended at all."""
        with contextlib.suppress(TimeoutError):
            return f" with exit code {await asyncio.wait_for(self.child.wait(), EXIT_SECONDS)}"
        return ""

    def forget(self) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(b'{"forget":true}\n')

    async def has_forgotten(self) -> bool:
        """Whether an agent's loop has really ended; a host whose agent stays ends itself."""
        try:
            return (await self.ask({"forget": True}, FORGET_SECONDS)).get("forgotten") is True
        except SubjectFault:
            return False

    async def kill(self) -> None:
        """It leads a session of its own: what it started goes with it."""
        if self.child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.child.pid, signal.SIGKILL)
            await self.child.wait()
        self.printed.close()


class PythonSubject:
    """A user's callable. Unless declared otherwise it is taken to be stateful."""

    def __init__(self, spec: SubjectSpec) -> None:
        module, colon, name = spec.name.partition(":")
        if not colon or not module or not name:
            raise InputError(f"subject {spec.subject!r}: write python:package.module:callable")
        self.spec = spec
        self.stateful = True if spec.stateful is None else spec.stateful
        self.connections = spec.connections or 1
        self.caveats: tuple[str, ...] = (
            f"{spec.title}: what it does inside, its own model calls included, is not recorded",
        )
        self._redactor: Redactor | None = None
        self._all: set[_Host] = set()
        self._idle: list[_Host] = []
        self._busy: dict[str, _Host] = {}

    def secrets(self) -> tuple[str, ...]:
        return proxy_secrets()  # its code has our environment

    def wire(self, request: Request) -> dict[str, Any]:
        sampling = request.sampling
        values = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "seed": request.seed,
        }
        wire: dict[str, Any] = {
            "messages": wire_messages(request),
            "sampling": {name: value for name, value in values.items() if value is not None},
        }
        if request.tools:
            wire["sampling"]["tools"] = list(request.tools)
        return wire

    async def open(self) -> dict[str, Any]:
        """One process for each connection, now, so that starting them is not charged to the first trials."""
        self._idle.append(await self._start())
        more = [self._start() for _ in range(self.connections - 1)]
        for host in await asyncio.gather(*more, return_exceptions=True):
            if isinstance(host, BaseException):
                raise host
            self._idle.append(host)
        agent = any(host.agent for host in self._idle)
        return {"callable": self.spec.name, "stateful": self.stateful, "own_loop": agent}

    async def _start(self) -> _Host:
        printed = _Printed()
        try:
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # our folder has no place on its path
                str(_HOST),
                self.spec.name,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=printed.outward,  # a pipe of our own: what the child started may keep it open
                limit=LARGEST_LINE,
                start_new_session=True,  # Ctrl-C is for us; replies that are on their way still come in
            )
        except BaseException:
            printed.close()
            raise
        finally:
            os.close(printed.outward)
        host = _Host(child, printed)
        self._all.add(host)
        try:
            ready = await asyncio.wait_for(host.read(), START_SECONDS)
            host.agent = ready.get("agent") is True
            if ready.get("ready") is not True:
                error = text_of(ready.get("error"))
            elif host.agent and not self.stateful:
                error = "an agent with a loop of its own remembers; leave out 'stateful: false'"
            else:
                return host
        except TimeoutError:
            error = f"it was not ready within {START_SECONDS:g} s"
        except SubjectFault as fault:
            error = str(fault)
        except BaseException:
            await self._end(host)
            raise
        await self._end(host)
        raise InputError(f"{self.spec.subject}: {error}")

    async def _end(self, host: _Host) -> None:
        await host.kill()
        self._all.discard(host)

    async def _replace(self, host: _Host) -> None:
        """Another process in its place, now: no decision is charged with starting it."""
        await self._end(host)
        with contextlib.suppress(InputError):  # the next call tries again, and tells
            self._idle.append(await self._start())

    async def _take(self) -> _Host:
        while self._idle:
            host = self._idle.pop()
            if host.child.returncode is None:
                return host
            await self._end(host)
        return await self._start()

    async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
        host = self._busy.pop(call.session, None) or await self._take()
        try:
            answer = await host.ask(wire, seconds)
        except SubjectFault as fault:
            fault.printed = host.printed.text()
            await self._replace(host)
            raise self._without_keys(fault) from None
        except BaseException:
            await self._end(host)
            raise
        printed = host.printed.text() if "error" in answer else ""
        if self.stateful:
            self._busy[call.session] = host
        else:
            self._release(host)
        if "error" in answer:
            error, trace = text_of(answer["error"]), text_of(answer.get("trace", ""))
            raised = SubjectFault("subject_raised", error, retriable=False, trace=trace, printed=printed)
            raise self._without_keys(raised)
        return _reply(answer.get("reply"))

    def _without_keys(self, fault: SubjectFault) -> SubjectFault:
        """Its code has our environment, and may say what is in it: no credential of that is recorded."""
        if self._redactor is None:
            self._redactor = Redactor(v for name, v in os.environ.items() if _CREDENTIAL.search(name))
        clean_text = self._redactor.clean_text
        fault.detail, fault.trace, fault.printed = map(clean_text, (fault.detail, fault.trace, fault.printed))
        return fault

    def _release(self, host: _Host) -> None:
        host.printed.clear()
        host.forget()
        self._idle.append(host)

    async def forget(self, session: str) -> None:
        if (host := self._busy.pop(session, None)) is None:
            return
        if not host.agent:
            self._release(host)
            return
        try:
            forgotten = await host.has_forgotten()
        except BaseException:
            await self._end(host)
            raise
        if forgotten:
            host.printed.clear()
            self._idle.append(host)
        elif host in self._all:  # else everything is being closed
            await self._replace(host)

    async def close(self) -> None:
        for host in list(self._all):
            await self._end(host)
        self._idle.clear()
        self._busy.clear()


def _reply(value: Any) -> Reply:
    """What the callable returned; fields a reply does not have are kept in ``rest``."""
    try:
        cleaned = clean(value)
        known = {name: item for name, item in cleaned.items() if name in _FIELDS}
        more = {name: item for name, item in cleaned.items() if name not in _FIELDS}
        if more:
            known["rest"] = {**more, "rest": known["rest"]} if "rest" in known else more
        reply = msgspec.convert(known, Reply)
        encode(reply)
    except (AttributeError, ValueError, TypeError, RecursionError, InputError) as error:
        raise SubjectFault("wrong_shape", text_of(str(error)), retriable=False) from None
    if min(reply.usage.input or 0, reply.usage.output or 0) < 0:
        raise SubjectFault("wrong_shape", "a negative count of tokens", retriable=False)
    return (
        msgspec.structs.replace(reply, notes=(*reply.notes, "lone_surrogate")) if cleaned != value else reply
    )
