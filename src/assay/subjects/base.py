"""What every subject adapter offers: one try at a call, and nothing more.

Retry, pacing, recording and replay are the bench's. An adapter is light to construct (an audit builds it to
see what would have been sent, without model or network); ``open`` does the expensive part.
"""

from __future__ import annotations

import difflib
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from assay.errors import InputError, blaming, nearest
from assay.registry import find, names
from assay.study.model import SubjectSpec
from assay.vocabulary import Reply, Request

from .recipes import resolved

__all__ = ["Call", "Particular", "Subject", "make_subject", "wire_messages"]


class Call(Struct, frozen=True):
    """Where in the study a call stands; stateful subjects keep their sessions apart by it."""

    trial: str
    attempt: int
    ordinal: int

    @property
    def session(self) -> str:
        return f"{self.trial}/{self.attempt}"


@runtime_checkable
class Subject(Protocol):
    """A system under measurement.

    ``stateful``: it remembers earlier calls of a session, so a trial cut short cannot be continued and is
    attempted again. ``caveats``: causes for the flag Limited Comparability.
    """

    spec: SubjectSpec
    stateful: bool
    connections: int
    caveats: tuple[str, ...]

    def secrets(self) -> tuple[str, ...]:
        """Credentials in use, to be kept out of all evidence."""
        ...

    def wire(self, request: Request) -> dict[str, Any]:
        """Exactly what will be sent, as plain data. Pure."""
        ...

    async def open(self) -> dict[str, Any]:
        """Make ready; returns what is worth knowing about the system for the run's environment."""
        ...

    async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
        """One try. Raises SubjectFault for what went wrong on the way, SubjectRefused when no try can help."""
        ...

    async def forget(self, session: str) -> None:
        """The trial is over; state kept for it may go."""
        ...

    async def close(self) -> None: ...


@runtime_checkable
class Particular(Protocol):
    """A subject that serves some instruments only. The method is optional: without it a subject serves all."""

    def refusal(self, instrument: str) -> str:
        """Why it cannot serve an instrument, by that one's name; empty where it can."""
        ...


def make_subject(spec: SubjectSpec) -> Subject:
    """The adapter for a spec, not yet opened. A recipe that is not filled in yet is filled in."""
    kind, colon, name = spec.subject.partition(":")
    if not colon or not name:
        kind, slash, name = spec.subject.partition("/")
        example = f"{kind}:{name}" if slash and kind in names("assay.subjects") else "local:smollm2"
        raise InputError(f"subject {spec.subject!r}: write KIND:NAME, for example {example}")
    spec = resolved(spec)
    known = names("assay.subjects")
    if kind not in known and not difflib.get_close_matches(kind, known):
        raise InputError(
            f"unknown kind of subject {kind!r}{nearest(kind, known)}; write openai:{name} with a base_url for any "
            "other OpenAI-compatible endpoint"
        )
    adapter = find("assay.subjects", kind, what="kind of subject")
    with blaming(f"the adapter for {kind!r} subjects", "its constructor"):
        subject = adapter(spec)
    if not isinstance(subject, Subject):
        raise InputError(f"the adapter for {kind!r} subjects does not keep the contract of a subject")
    if not isinstance(subject.connections, int) or subject.connections < 1:
        raise InputError(
            f"the adapter for {kind!r} subjects has {subject.connections!r} connections; at least 1"
        )
    return subject


def wire_messages(request: Request) -> list[dict[str, Any]]:
    """Messages in the form that OpenAI-compatible endpoints take."""
    messages: list[dict[str, Any]] = []
    for message in request.messages:
        entry: dict[str, Any] = {"role": message.role, "content": message.content}
        if message.tool_calls:
            entry["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                for c in message.tool_calls
            ]
        if message.tool_call_id is not None:
            entry["tool_call_id"] = message.tool_call_id
        messages.append(entry)
    return messages
