"""``python:package.module:callable``: a user's own system, in a child process.

The callable takes the messages (a list of dicts with ``role`` and ``content``) and, if it accepts them as
keywords, ``temperature``, ``top_p``, ``max_tokens`` and ``seed``; it returns text, or a dict with ``text`` and
perhaps ``tool_calls``, ``finish``, ``usage``. A class is instantiated anew for every trial and may remember.
It sees what it is sent and nothing else of the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import Any

import msgspec

from assay.canonical import clean_text, encode
from assay.errors import InputError, SubjectFault
from assay.study.model import SubjectSpec
from assay.vocabulary import Reply, Request

from .base import Call, wire_messages

__all__ = ["PythonSubject"]

START_SECONDS = 60.0
LARGEST_LINE = 16 << 20


class _Host:
    """One child process; serves one session at a time."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        self.child = child

    async def ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        try:
            self.child.stdin.write(encode(message) + b"\n")
            await self.child.stdin.drain()
            line = await asyncio.wait_for(self.child.stdout.readline(), seconds)
        except TimeoutError:
            raise SubjectFault("timeout", f"no answer within {seconds:g} s", retriable=False) from None
        except (ValueError, ConnectionError) as error:
            raise SubjectFault("channel", str(error), retriable=False) from None
        if not line.endswith(b"\n"):
            raise SubjectFault("subject_died", "the subject's process ended", retriable=False)
        try:
            import json

            answer: dict[str, Any] = json.loads(line)
        except ValueError:
            raise SubjectFault("channel", "the subject wrote into the protocol", retriable=False) from None
        return answer

    async def kill(self) -> None:
        if self.child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.child.kill()
            await self.child.wait()


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
        self._idle: list[_Host] = []
        self._busy: dict[str, _Host] = {}

    def secrets(self) -> tuple[str, ...]:
        return ()

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
        self._idle.append(await self._start())
        return {"callable": self.spec.name, "stateful": self.stateful}

    async def _start(self) -> _Host:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "assay.subjects._python_host",
            self.spec.name,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=LARGEST_LINE,
        )
        host = _Host(child)
        assert child.stdout is not None
        try:
            ready = msgspec.json.decode(await asyncio.wait_for(child.stdout.readline(), START_SECONDS))
        except (TimeoutError, ValueError):
            ready = {"ready": False, "error": "it did not start"}
        if not ready.get("ready"):
            await host.kill()
            raise InputError(f"{self.spec.subject}: {ready.get('error')}")
        return host

    async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
        host = self._busy.get(call.session)
        if host is None:
            host = self._idle.pop() if self._idle else await self._start()
            self._busy[call.session] = host
        try:
            answer = await host.ask(wire, seconds)
        except (SubjectFault, asyncio.CancelledError):
            await self._busy.pop(call.session).kill()
            raise
        if "error" in answer:
            raise SubjectFault("subject_raised", str(answer["error"])[:300], retriable=False)
        return _reply(answer["reply"])

    async def forget(self, session: str) -> None:
        host = self._busy.pop(session, None)
        if host is not None and host.child.returncode is None:
            assert host.child.stdin is not None
            host.child.stdin.write(b'{"forget":true}\n')
            self._idle.append(host)

    async def close(self) -> None:
        for host in [*self._idle, *self._busy.values()]:
            await host.kill()
        self._idle.clear()
        self._busy.clear()


def _reply(value: dict[str, Any]) -> Reply:
    text, replaced = clean_text(value["text"])
    try:
        reply = msgspec.convert({**value, "text": text}, Reply)
        encode(reply)  # a lone surrogate elsewhere could not be recorded
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise SubjectFault("wrong_shape", str(error), retriable=False) from None
    return msgspec.structs.replace(reply, notes=(*reply.notes, "lone_surrogate")) if replaced else reply
