"""One call through the OpenAI adapter: to the stub, or to a server that does on the wire what a test wants."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec
import pytest

from assay.canonical import encode
from assay.errors import SubjectFault
from assay.study.model import SubjectSpec
from assay.subjects.base import Call, Subject
from assay.subjects.openai import OpenAISubject
from assay.testing.stub import Fault, Faults, Stub
from assay.vocabulary import Message, Reply, Request, Sampling

__all__ = ["GOOD", "REQUEST", "ask", "ask_raw", "ask_stub", "fault_of", "opened", "raw_server", "response"]
HERE = Call("t", 0, 0)
REQUEST = Request((Message("user", "say é and 😀"),), Sampling(0.5, 1.0, 20), seed=7)


@contextlib.asynccontextmanager
async def opened(url: str, **changes: Any) -> AsyncIterator[OpenAISubject]:
    subject = OpenAISubject(SubjectSpec("openai:m", base_url=url, **changes))
    await subject.open()
    try:
        yield subject
    finally:
        await subject.close()


async def ask(subject: Subject, seconds: float = 120.0) -> Reply:
    return await subject.call(subject.wire(REQUEST), HERE, seconds)


def ask_stub(fault: Fault | None, seconds: float = 120.0, **changes: Any) -> Reply:
    async def go() -> Reply:
        plan = Faults((fault,) if fault else ())
        async with Stub(answer="echo", faults=plan) as stub, opened(stub.url, **changes) as subject:
            return await ask(subject, seconds)

    return asyncio.run(go())


def fault_of(fault: Fault, seconds: float = 120.0, **changes: Any) -> SubjectFault:
    with pytest.raises(SubjectFault) as caught:
        ask_stub(fault, seconds, **changes)
    encode(caught.value.detail)
    return caught.value


Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def raw_server(handle: Handler, heads: list[bytes] | None = None) -> AsyncIterator[str]:
    """An endpoint that does on the wire exactly what a test wants."""

    seen = [] if heads is None else heads
    serving: set[asyncio.Task[Any] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.current_task())
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                seen.append(await reader.readuntil(b"\r\n\r\n"))
                await handle(reader, writer)
                writer.close()
                await writer.wait_closed()
        finally:
            writer.transport.abort()  # nothing is left to be warned of, whenever we are told to end

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()
        for task in serving:  # connections that are just ending
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task


def ask_raw(*pieces: bytes, seconds: float = 120.0) -> Reply:
    async def handle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    async def go() -> Reply:
        async with raw_server(handle) as url, opened(url) as subject:
            return await ask(subject, seconds)

    return asyncio.run(go())


def response(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


GOOD = msgspec.json.encode({"choices": [{"message": {"content": "x" * 1000}}]})
