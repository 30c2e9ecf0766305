"""The HTTP client against a server that writes whatever bytes a test wants."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from assay.errors import SubjectFault
from assay.subjects.http import MOST_HEADERS, HttpClient, HttpReply

Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(script: Script) -> AsyncIterator[tuple[HttpClient, list[int]]]:
    """A server that runs the script on every connection, and how many connections there were."""
    connections = [0]

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections[0] += 1
        try:
            await script(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(one, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    client = HttpClient(f"http://127.0.0.1:{port}/v1/x", {"Authorization": "Bearer k"}, largest=1000)
    try:
        yield client, connections
    finally:
        client.close()
        server.close()


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    return head, await reader.readexactly(length)


def answering(*replies: bytes, then_close: bool = False) -> Script:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in replies:
            await read_request(reader)
            writer.write(reply)
            await writer.drain()
        if not then_close:
            await reader.read()

    return script


def post(script: Script, *bodies: bytes) -> tuple[list[HttpReply], int]:
    async def go() -> tuple[list[HttpReply], int]:
        async with serving(script) as (client, connections):
            replies = [await client.post(body) for body in bodies or (b"{}",)]
            return replies, connections[0]

    return asyncio.run(asyncio.wait_for(go(), 120))


def failure(script: Script) -> SubjectFault:
    with pytest.raises(SubjectFault) as caught:
        post(script)
    return caught.value


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n\r\nhi"


def test_a_connection_is_kept_and_used_again() -> None:
    replies, connections = post(answering(OK, OK, OK), b"1", b"2", b"3")
    assert [reply.body for reply in replies] == [b"hi"] * 3
    assert replies[0].headers == {"content-length": "2", "x-a": "b"}
    assert connections == 1


def test_what_is_sent_is_one_plain_request() -> None:
    seen: list[tuple[bytes, bytes]] = []

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await read_request(reader))
        writer.write(OK)

    post(script, b'{"a":1}')
    head, body = seen[0]
    assert body == b'{"a":1}'
    assert head.startswith(b"POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1:")
    assert b"\r\nAuthorization: Bearer k\r\n" in head


@pytest.mark.parametrize("size", [1, 3, 7])
def test_a_reply_may_come_in_any_pieces(size: int) -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for start in range(0, len(OK), size):
            writer.write(OK[start : start + size])
            await writer.drain()
            await asyncio.sleep(0)
        await reader.read()

    assert post(script)[0][0].body == b"hi"


def test_chunked_bodies_are_put_together() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n"
    assert post(answering(chunked))[0][0].body == b"hi"


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    replies, connections = post(answering(b"HTTP/1.1 200 OK\r\n\r\nhi", then_close=True), b"1", b"2")
    assert [reply.body for reply in replies] == [b"hi", b"hi"]
    assert connections == 2


def test_a_reply_that_closes_is_not_followed_on_that_connection() -> None:
    closing = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"
    assert post(answering(closing, then_close=True), b"1", b"2")[1] == 2


def test_an_interim_reply_is_passed_over() -> None:
    reply = post(answering(b"HTTP/1.1 100 Continue\r\nX-B: c\r\n\r\n" + OK))[0][0]
    assert (reply.status, reply.body, "x-b" in reply.headers) == (200, b"hi", False)


def test_a_second_reply_that_nobody_asked_for_spoils_the_connection() -> None:
    replies, connections = post(answering(OK + OK, OK), b"1", b"2")
    assert [reply.body for reply in replies] == [b"hi", b"hi"]
    assert connections == 2


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        (b"", "disconnected"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", "truncated_body"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "truncated_body"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "malformed_http"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "malformed_http"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"x" * 5000, "oversized_body"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5000, "oversized_body"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * (MOST_HEADERS + 10) + b"\r\n\r\n", "malformed_http"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "malformed_http"),
    ],
)
def test_what_is_no_reply_has_a_name(reply: bytes, name: str) -> None:
    assert failure(answering(reply, then_close=True)).name == name


def test_a_line_of_headers_that_never_ends_is_not_waited_for() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            writer.write(b"y" * 4096)
            await writer.drain()

    assert failure(script).name == "malformed_http"


def test_a_body_in_the_smallest_chunks_takes_no_more_memory_than_itself() -> None:
    body = b"xy" * 400_000
    chunked = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"2\r\nxy\r\n" * 400_000 + b"0\r\n\r\n"
    )

    async def go() -> int:
        async with serving(answering(chunked)) as (client, _):
            client._largest = 4 * len(body)
            tracemalloc.start()
            try:
                assert (await client.post(b"{}")).body == body
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    assert asyncio.run(asyncio.wait_for(go(), 300)) < 12 * len(body)


def test_more_on_the_wire_than_any_body_needs_is_too_much() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;extension=")
        while True:
            writer.write(b"y" * 4096)
            await writer.drain()

    assert failure(script).name == "oversized_body"


def test_nobody_there_is_told_as_such() -> None:
    async def go() -> None:
        await HttpClient("http://127.0.0.1:1/v1", {}, largest=10).post(b"")

    with pytest.raises(SubjectFault, match="connect: "):
        asyncio.run(go())


def test_a_cancelled_call_leaves_no_connection_behind() -> None:
    async def go() -> int:
        asked, left = asyncio.Event(), asyncio.Event()

        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await read_request(reader)
            asked.set()
            await reader.read()
            left.set()

        async with serving(silent) as (client, connections):
            for _ in range(2):
                asked.clear()
                left.clear()
                call = asyncio.create_task(client.post(b""))
                await asked.wait()
                call.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await call
                await left.wait()
            return connections[0]

    assert asyncio.run(go()) == 2
