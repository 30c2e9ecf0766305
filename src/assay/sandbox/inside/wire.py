"""Messages between the caller and a worker: eight bytes of length, then what is sent.

A worker gets marshalled data from its caller, which costs a fresh fork the least to read. It answers with flat JSON
and raw bytes: nothing that comes out of a worker is trusted with more.
"""

from __future__ import annotations

import json
import marshal
import socket
import struct
from json.encoder import encode_basestring_ascii
from typing import Any, Final

__all__ = ["LENGTH", "receive", "receive_bytes", "receive_job", "send", "send_bytes"]

LENGTH: Final = struct.Struct("!Q")


def send_bytes(line: socket.socket, *messages: bytes) -> None:
    """Messages, one after the other."""
    line.sendall(b"".join([part for data in messages for part in (LENGTH.pack(len(data)), data)]))


def send(line: socket.socket, message: dict[str, str | float | bool], *after: bytes) -> None:
    """One message of flat JSON, and raw ones after it."""
    fields = ",".join([f'"{name}":{_text(value)}' for name, value in message.items()])
    send_bytes(line, f"{{{fields}}}".encode("ascii"), *after)


def _text(value: str | float | bool) -> str:
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    return repr(value).lower()  # True is true


def receive_job(line: socket.socket) -> dict[str, Any] | None:
    """A job, as the caller marshalled it, or None at the end of the line."""
    data = receive_bytes(line)
    if data is None:
        return None
    job: dict[str, Any] = marshal.loads(data)  # noqa: S302  the caller's own
    return job


def receive_bytes(line: socket.socket) -> bytes | None:
    """One message, or None at the end of the line."""
    head = _exactly(line, LENGTH.size)
    return None if head is None else _exactly(line, LENGTH.unpack(head)[0])


def receive(line: socket.socket) -> dict[str, Any] | None:
    """One message of JSON, or None at the end of the line."""
    data = receive_bytes(line)
    if data is None:
        return None
    message: dict[str, Any] = json.loads(data)
    return message


def _exactly(line: socket.socket, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        chunk = line.recv(min(size - len(parts), 1 << 20))
        if not chunk:
            return None
        parts += chunk
    return bytes(parts)
