"""A client of the stub endpoint that sees every byte, and how the connection ended."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from assay.testing.stub import Fault, Faults, Stub

__all__ = [
    "BODY",
    "KEY",
    "Raw",
    "ask",
    "connected",
    "eventually",
    "faulty",
    "gone",
    "good",
    "request",
    "serve",
    "talk",
]

T = TypeVar("T")
KEY = "sk-secret-123"
BODY = (
    b'{"model":"m","messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hello you"}]}'
)


class Raw(NamedTuple):
    """What a client saw: the bytes, and how the connection ended (closed, reset, or still open)."""

    data: bytes
    ended: str

    @property
    def status(self) -> int:
        return int(self.data.split(b" ", 2)[1])

    @property
    def headers(self) -> list[tuple[str, str]]:
        lines = self.data.split(b"\r\n\r\n", 1)[0].decode("latin-1").split("\r\n")[1:]
        return [(name.lower(), value) for name, value in (line.split(": ", 1) for line in lines)]

    def header(self, name: str) -> str:
        return dict(self.headers)[name]

    @property
    def body(self) -> bytes:
        return self.data.split(b"\r\n\r\n", 1)[1]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def choice(self) -> Any:
        return self.json["choices"][0]


def serve(client: Callable[[Stub], T], **options: Any) -> T:
    async def go() -> T:
        async with Stub(**options) as stub:
            return await asyncio.to_thread(client, stub)

    return asyncio.run(go())


def request(body: bytes = BODY, *lines: bytes, path: bytes = b"/v1/chat/completions") -> bytes:
    head = [b"POST %b HTTP/1.1" % path, b"Host: stub", b"Authorization: Bearer " + KEY.encode()]
    return b"\r\n".join([*head, *lines, b"Content-Length: %d" % len(body), b"", b""]) + body


@contextlib.contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as sock:
        yield sock


def talk(port: int, sent: bytes, patience: float = 120) -> Raw:
    with connected(port) as sock:
        sock.sendall(sent)
        sock.settimeout(patience)
        pieces = []
        try:
            while piece := sock.recv(1 << 20):
                pieces.append(piece)
        except ConnectionResetError:
            return Raw(b"".join(pieces), "reset")
        except TimeoutError:
            return Raw(b"".join(pieces), "open")
        return Raw(b"".join(pieces), "closed")


def ask(port: int, body: bytes = BODY, patience: float = 120) -> Raw:
    return talk(port, request(body, b"Connection: close"), patience)


def faulty(fault: Fault, patience: float = 120) -> Raw:
    return serve(lambda stub: ask(stub.port, patience=patience), faults=Faults((fault,)))


def good() -> Any:
    return serve(lambda stub: ask(stub.port)).json


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait for it, with a bound so generous that only a hang can miss it."""
    deadline = time.monotonic() + 120
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.002)
    return holds()


def gone(port: int) -> bool:
    try:
        with connected(port):
            return False
    except ConnectionRefusedError:
        return True
