"""The tools of the extended boundary: a memory that outlasts a conversation, and SHA-256.

Their work is done through the probe, so that it is in the ledger and an audit does it again. What a subject writes as
arguments is never trusted: whatever cannot be read is answered with an error message, as any endpoint would.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from assay.canonical import sha256_hex
from assay.vocabulary import ToolCall

__all__ = ["MOST_CALLS", "TOOLS", "Computes", "Toolbox"]

MOST_CALLS = 8  # in one turn; further ones are turned away, and the next reply ends the turn
LONGEST = 100_000  # characters of one argument


class Computes(Protocol):
    """The verb of a probe that the tools need."""

    async def compute(self, name: str, request: Any, run: Callable[[], Awaitable[Any]]) -> Any: ...


class _Read(Struct, forbid_unknown_fields=True):
    key: str


class _Write(Struct, forbid_unknown_fields=True):
    key: str
    value: str


class _Digest(Struct, forbid_unknown_fields=True):
    text: str


def _tool(name: str, about: str, **arguments: str) -> dict[str, Any]:
    properties = {key: {"type": "string", "description": said} for key, said in arguments.items()}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(arguments),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": about, "parameters": parameters}}


TOOLS: tuple[dict[str, Any], ...] = (
    _tool("memory_read", "Read the text that the memory keeps under a key.", key="the key"),
    _tool(
        "memory_write",
        "Keep a text in the memory under a key; an earlier one is replaced.",
        key="the key",
        value="the text to keep",
    ),
    _tool("sha256", "SHA-256 of a text's UTF-8 bytes, as 64 hexadecimal digits.", text="the text"),
)
_ARGUMENTS: dict[str, type[_Read | _Write | _Digest]] = {
    "memory_read": _Read,
    "memory_write": _Write,
    "sha256": _Digest,
}


class Toolbox:
    """The tools of one trial. Its memory lives as long as the trial, over all its conversations."""

    def __init__(self, probe: Computes) -> None:
        self._probe = probe
        self.memory: dict[str, str] = {}

    async def answer(self, call: ToolCall) -> str:
        """Do what a call asks for, and say what came of it."""

        async def run() -> str:
            return self._answer(call)

        answer: str = await self._probe.compute("tool", {"name": call.name, "arguments": call.arguments}, run)
        return answer

    def _answer(self, call: ToolCall) -> str:
        if call.name not in _ARGUMENTS:
            return f"error: there is no tool {call.name[:80]!r}; there are {', '.join(_ARGUMENTS)}"
        try:
            found = msgspec.json.decode(call.arguments.encode(), type=_ARGUMENTS[call.name])
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            return f"error: the arguments of {call.name} cannot be read ({error})"
        if any(len(text) > LONGEST for text in msgspec.structs.astuple(found)):
            return f"error: an argument of {call.name} is longer than {LONGEST} characters"
        match found:
            case _Read(key):
                return self.memory.get(key, f"error: the memory keeps nothing under {key!r}")
            case _Write(key, value):
                self.memory[key] = value
                return "kept"
            case _Digest(text):
                return sha256_hex(text.encode())
