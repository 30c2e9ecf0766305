"""The HTTP/1.1 half of the stub endpoint: reads requests, plays out replies, knows nothing of chat.

A raw ``asyncio.Protocol`` because the stub must never be the slow side of a benchmark. What is to be sent
is a value, :class:`Wire`, so that every misbehaviour is decided without a socket and played in one place.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

import msgspec

__all__ = ["BadRequest", "HttpConnection", "RequestHead", "Wire", "error", "parse_head", "response"]

MAX_HEAD = 64 * 1024
MAX_BODY = 64 * 1024 * 1024
REASONS = {
    200: b"OK",
    302: b"Found",
    400: b"Bad Request",
    401: b"Unauthorized",
    404: b"Not Found",
    405: b"Method Not Allowed",
    411: b"Length Required",
    413: b"Content Too Large",
    429: b"Too Many Requests",
    431: b"Request Header Fields Too Large",
    500: b"Internal Server Error",
    502: b"Bad Gateway",
    503: b"Service Unavailable",
    504: b"Gateway Timeout",
    505: b"HTTP Version Not Supported",
}
_LINGER_SECONDS = 1.0
_OK_JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"


class Wire(NamedTuple):
    """What happens on the wire: wait ``before``, send the pieces ``gap`` seconds apart, then ``end``."""

    pieces: Iterable[bytes] = ()
    before: float = 0.0
    gap: float = 0.0
    end: Literal["keep", "close", "reset", "hang"] = "keep"


class RequestHead(NamedTuple):
    """A request line and what framing needs from the headers."""

    method: str
    path: str
    query: str
    raw: bytes
    length: int
    close: bool
    expects_continue: bool

    def header(self, name: str) -> str | None:
        """The first value of a header, or None."""
        at = self.raw.lower().find(b"\r\n" + name.lower().encode() + b":")
        if at < 0:
            return None
        start = at + len(name) + 3
        return self.raw[start : self.raw.index(b"\r\n", start)].strip().decode("latin-1")


class BadRequest(Exception):
    """A request whose framing cannot be trusted: answered, then the connection is closed."""

    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message
        super().__init__(message)


def response(
    status: int, body: bytes, *headers: tuple[str, str], content_type: str = "application/json"
) -> bytes:
    """One complete reply with a true Content-Length."""
    if status == 200 and not headers and content_type == "application/json":
        return _OK_JSON % (len(body), body)
    lines = [b"HTTP/1.1 %d %b" % (status, REASONS[status]), b"Content-Type: " + content_type.encode()]
    lines += [f"{name}: {value}".encode("latin-1") for name, value in headers]
    lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def error(
    status: int, message: str, *headers: tuple[str, str], code: str | None = None, type_: str = ""
) -> bytes:
    """An error reply in the API's own shape."""
    kind = type_ or ("server_error" if status >= 500 else "invalid_request_error")
    detail = {"message": message, "type": kind, "param": None, "code": code}
    return response(status, msgspec.json.encode({"error": detail}), *headers)


def parse_head(raw: bytes) -> RequestHead:
    """Read a head that ends in an empty line; raise :class:`BadRequest` when its framing is not plain."""
    words = raw[: raw.index(b"\r\n")].split(b" ")
    if len(words) != 3 or not words[0].isalpha() or not words[1].startswith(b"/"):
        raise BadRequest(400, "malformed request line")
    if words[2] not in (b"HTTP/1.1", b"HTTP/1.0"):
        raise BadRequest(505 if words[2].startswith(b"HTTP/") else 400, "only HTTP/1.1 is spoken here")
    low = raw.lower()
    if b"\r\ntransfer-encoding:" in low:
        raise BadRequest(411, "send a Content-Length; chunked requests are not taken")
    length, at = 0, low.find(b"\r\ncontent-length:")
    if at >= 0:
        digits = low[at + 17 : low.index(b"\r\n", at + 2)].strip()
        if not digits.isdigit() or len(digits) > 18 or low.find(b"\r\ncontent-length:", at + 2) >= 0:
            raise BadRequest(400, "malformed Content-Length")
        length = int(digits)
        if length > MAX_BODY:
            raise BadRequest(413, f"a request body may have {MAX_BODY} bytes")
    at = low.find(b"\r\nconnection:")
    connection = low[at + 13 : low.index(b"\r\n", at + 2)] if at >= 0 else b""
    close = b"close" in connection or (words[2] == b"HTTP/1.0" and b"keep-alive" not in connection)
    path, _, query = words[1].decode("latin-1").partition("?")
    expects = b"\r\nexpect: 100-continue" in low
    return RequestHead(words[0].decode("ascii"), path, query, raw, length, close, expects)


class HttpConnection(asyncio.Protocol):
    """One connection: requests one after another, each answered before the next is looked at.

    Pipelined requests wait in the buffer, so replies keep their order whatever their delays.
    """

    def __init__(
        self, handle: Callable[[RequestHead, bytes], bytes | Wire], connections: set[HttpConnection]
    ) -> None:
        self._handle, self._connections = handle, connections
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._head: RequestHead | None = None
        self._wire: Wire | None = None  # the reply being played, None between replies
        self._pieces: Iterator[bytes] = iter(())
        self._timer: asyncio.TimerHandle | None = None
        self._last = self._paused = self._discarding = False

    def abort(self) -> None:
        """Drop the connection now."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._connections.discard(self)
        self._buffer.clear()
        if self._timer is not None:
            self._timer.cancel()

    def eof_received(self) -> bool:
        """A client that only shut its sending side still gets the reply under way."""
        self._last = True
        return self._wire is not None and self._wire.end != "hang"

    def data_received(self, data: bytes) -> None:
        if self._discarding:
            return
        self._buffer += data
        if self._wire is None:
            self._serve()
        elif len(self._buffer) > MAX_BODY + MAX_HEAD:
            self.abort()  # a flood of pipelined requests behind an unanswered one

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        if self._wire is not None and self._timer is None:
            self._resume()

    def _serve(self) -> None:
        while self._wire is None and self._transport is not None and self._buffer:
            try:
                head = self._head or self._read_head()
            except BadRequest as bad:
                self._refuse(bad)
                return
            if head is None:
                return
            start = len(head.raw)
            if len(self._buffer) < start + head.length:
                if self._head is None and head.expects_continue:
                    self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                self._head = head
                return
            body = bytes(self._buffer[start : start + head.length])
            del self._buffer[: start + head.length]
            self._head, self._last = None, self._last or head.close
            reply = self._handle(head, body)
            if isinstance(reply, bytes) and not self._last:
                self._transport.write(reply)  # the fast way: nothing to wait for
            else:
                self._play(Wire((reply,)) if isinstance(reply, bytes) else reply)

    def _read_head(self) -> RequestHead | None:
        end = self._buffer.find(b"\r\n\r\n", 0, MAX_HEAD)
        if end >= 0:
            return parse_head(bytes(self._buffer[: end + 4]))
        if len(self._buffer) >= MAX_HEAD:
            raise BadRequest(431, f"headers may have {MAX_HEAD} bytes")
        line = self._buffer.find(b"\n")
        if line >= 0 and self._buffer[line - 1 : line] != b"\r":
            raise BadRequest(400, "malformed request line")
        return None

    def _refuse(self, bad: BadRequest) -> None:
        """Answer, then read on for a while: closing over unread bytes would reset the reply away."""
        assert self._transport is not None
        self._discarding = True
        self._buffer.clear()
        self._transport.write(error(bad.status, bad.message, ("Connection", "close")))
        if self._last:
            self._transport.close()
            return
        self._transport.write_eof()
        self._timer = self._loop.call_later(_LINGER_SECONDS, self.abort)

    def _play(self, wire: Wire) -> None:
        self._wire, self._pieces = wire, iter(wire.pieces)
        if wire.before > 0:
            self._timer = self._loop.call_later(wire.before, self._resume)
        else:
            self._step()

    def _resume(self) -> None:
        self._timer = None
        self._step()
        self._serve()

    def _step(self) -> None:
        wire, transport = self._wire, self._transport
        if wire is None or transport is None:
            return
        for piece in self._pieces:
            if self._last and piece.startswith(b"HTTP/1.1 "):
                piece = piece.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
            transport.write(piece)
            if wire.gap > 0:
                self._timer = self._loop.call_later(wire.gap, self._resume)
                return
            if self._paused:
                return  # resume_writing comes back here: a huge reply is never held whole
        if wire.end == "hang":
            return
        if wire.end == "reset":
            raw = transport.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
        elif wire.end == "close" or self._last:
            transport.close()
        else:
            self._wire = None
