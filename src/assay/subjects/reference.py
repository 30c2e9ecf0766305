"""``reference:NAME``: a subject whose truth is known, to try things out and to calibrate instruments.

References are offered by instruments under the entry point ``assay.references``: a mapping of names to
policies. A policy answers a conversation with the help of a stream of draws and nothing else, so the same
trial gets the same answer everywhere.
"""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from assay.errors import UnknownName
from assay.registry import load_all
from assay.streams import Stream
from assay.study.model import SubjectSpec
from assay.vocabulary import Reply, Request, Usage

from .base import Call, wire_messages

__all__ = ["Policy", "ReferenceSubject", "references"]


class Policy(Protocol):
    """Answers a conversation, with a text, or with a ``Reply`` where it calls tools.

    ``about`` says in one line what its truth is. A policy that wants to see the tools it is offered has a method
    ``answer_with_tools(messages, tools, stream)`` besides.
    """

    about: str

    def answer(self, messages: list[dict[str, Any]], stream: Stream) -> str | Reply: ...


def references() -> dict[str, Policy]:
    """Every reference subject of every installed instrument."""
    found: dict[str, Policy] = {}
    for policies in load_all("assay.references").values():
        found.update(policies)
    return found


class ReferenceSubject:
    """Runs in the measuring process: it is our own code."""

    stateful = False
    caveats: tuple[str, ...] = ()

    def __init__(self, spec: SubjectSpec) -> None:
        self.spec = spec
        self.connections = spec.connections or 8
        policies = references()
        if spec.name not in policies:
            raise UnknownName("reference subject", spec.name, policies)
        self._policy = policies[spec.name]

    def secrets(self) -> tuple[str, ...]:
        return ()

    def wire(self, request: Request) -> dict[str, Any]:
        sampling = msgspec.to_builtins(request.sampling)
        wire = {"messages": wire_messages(request), "sampling": sampling, "seed": request.seed}
        return {**wire, "tools": list(request.tools)} if request.tools else wire

    async def open(self) -> dict[str, Any]:
        return {"reference": self.spec.name, "about": self._policy.about}

    async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
        # With a declared seed the draw follows it ("same seed" is a condition of its own), else the trial.
        key = (wire["seed"],) if wire["seed"] is not None else (call.trial, call.ordinal)
        draws = Stream("reference", self.spec.name, *key)
        with_tools = getattr(self._policy, "answer_with_tools", None)
        if with_tools is not None and "tools" in wire:
            answer = with_tools(wire["messages"], wire["tools"], draws)
        else:
            answer = self._policy.answer(wire["messages"], draws)
        reply = answer if isinstance(answer, Reply) else Reply(answer)
        words = sum(len(message["content"].split()) for message in wire["messages"])
        return msgspec.structs.replace(
            reply,
            finish="tool_calls" if reply.tool_calls else "stop",
            usage=Usage(words, len(reply.text.split())),
            model=self.spec.name,
        )

    async def forget(self, session: str) -> None:
        return None

    async def close(self) -> None:
        return None
