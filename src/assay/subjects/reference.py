"""``reference:NAME``: a subject whose truth is known, to try things out and to calibrate instruments.

References are offered by instruments under the entry point ``assay.references``: a mapping of names to
policies. A policy answers a conversation with the help of a stream of draws and nothing else, so the same
trial gets the same answer everywhere. Those under the name of an instrument are made for it: another one would
read silence in their answers, and refuses them. Those under any other name serve all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from assay.errors import InputError, UnknownName
from assay.registry import broken, load_all, names
from assay.streams import Stream
from assay.study.model import SubjectSpec
from assay.vocabulary import Reply, Request, Usage

from .base import Call, wire_messages

__all__ = ["Policy", "ReferenceSubject", "broken_references", "references", "references_for"]


class Policy(Protocol):
    """Answers a conversation, with a text, or with a ``Reply`` where it calls tools.

    ``about`` says in one line what its truth is. A policy that wants to see the tools it is offered has a method
    ``answer_with_tools(messages, tools, stream)`` besides.
    """

    about: str

    def answer(self, messages: list[dict[str, Any]], stream: Stream) -> str | Reply: ...


def references() -> dict[str, Policy]:
    """Every reference subject of every installed package that can be loaded."""
    return {name: policy for policies in _offered().values() for name, policy in policies.items()}


def references_for(instrument: str) -> list[str]:
    """The reference subjects that are made for an instrument, or for none in particular."""
    installed = names("assay.instruments")
    offers = _offered().items()
    return [name for maker, mine in offers if maker == instrument or maker not in installed for name in mine]


def broken_references() -> dict[str, str]:
    """What is installed under ``assay.references`` and cannot be used, and why."""
    wrong = {name: _NO_MAPPING for name, found in load_all(_GROUP).items() if not isinstance(found, Mapping)}
    return {**broken(_GROUP), **wrong}


_GROUP = "assay.references"
_NO_MAPPING = "it is no mapping of names to policies"


def _offered() -> dict[str, Mapping[str, Policy]]:
    return {name: found for name, found in load_all(_GROUP).items() if isinstance(found, Mapping)}


class ReferenceSubject:
    """Runs in the measuring process: it is our own code."""

    stateful = False
    caveats: tuple[str, ...] = ()

    def __init__(self, spec: SubjectSpec) -> None:
        self.spec = spec
        self.connections = spec.connections or 8
        policies = references()
        if spec.name not in policies:
            raise _unknown(spec.name, policies)
        self._policy = policies[spec.name]

    def refusal(self, instrument: str) -> str:
        """Why it cannot serve an instrument: it was made for another one."""
        makers = [maker for maker, mine in _offered().items() if self.spec.name in mine]
        serving = references_for(instrument)
        if not makers or self.spec.name in serving:
            return ""
        able = ", ".join(f"reference:{name}" for name in serving) or "none that is installed"
        return f"it is made for {makers[0]}; references for {instrument}: {able}"

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


def _unknown(name: str, policies: Mapping[str, Policy]) -> InputError:
    """An unknown name; where a package is broken, it may be one of its own."""
    error = UnknownName("reference subject", name, policies)
    lost = "; ".join(f"{maker}: {why}" for maker, why in broken_references().items())
    return InputError(f"{error}. References that cannot be loaded: {lost}") if lost else error
