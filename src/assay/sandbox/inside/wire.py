"""Messages between the caller and a worker: eight bytes of length, then JSON or raw bytes."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any, Final

__all__ = ["LENGTH", "receive", "receive_bytes", "send", "send_bytes"]

LENGTH: Final = struct.Struct("!Q")


def send_bytes(line: socket.socket, *messages: bytes) -> None:
    """Messages, one after the other."""
    line.sendall(b"".join([part for data in messages for part in (LENGTH.pack(len(data)), data)]))


def send(line: socket.socket, message: dict[str, Any], *after: bytes) -> None:
    """One message of JSON, and raw ones after it."""
    send_bytes(line, json.dumps(message).encode("utf-8"), *after)


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
