"""What a subject adapter must keep to; one rule a function."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable, Coroutine, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar

from assay.canonical import encode
from assay.errors import InputError, SubjectFault
from assay.study import SubjectSpec
from assay.subjects import Call, Subject
from assay.vocabulary import Message, Reply, Request, Sampling, ToolCall

from .conformance import Rule

__all__ = ["CALL_RULES", "FORM_RULES", "WIRE_RULES", "Sitting"]

T = TypeVar("T")
SHORT = Sampling(max_tokens=16)
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "look_up", "description": "Looks a word up.", "parameters": {"type": "object"}},
}
HELLO = Request((Message("user", "Say hello."),), SHORT, seed=1)
REQUESTS = {
    "a plain question": HELLO,
    "another seed": Request(HELLO.messages, SHORT, seed=2),
    "no seed": Request(HELLO.messages, SHORT),
    "sampling": Request(HELLO.messages, Sampling(temperature=0.0, top_p=0.9, max_tokens=8), seed=1),
    "a system message": Request((Message("system", "Be brief."), *HELLO.messages), SHORT, seed=1),
    "an empty message": Request((Message("user", ""),), SHORT, seed=1),
    "signs of many scripts": Request(
        (Message("user", "Grüße, 你好, 🙂, \u202e\x00\x1b[2J\u2028"),), SHORT, seed=1
    ),
    "a long message": Request((Message("user", "word " * 20_000),), SHORT, seed=1),
    "a conversation": Request(
        (*HELLO.messages, Message("assistant", "Hello."), Message("user", "Again.")), SHORT, seed=1
    ),
    "tools": Request(
        (
            *HELLO.messages,
            Message("assistant", "", (ToolCall("1", "look_up", "{}"),)),
            Message("tool", "a greeting", tool_call_id="1"),
        ),
        SHORT,
        seed=1,
        tools=(TOOL,),
    ),
}
_FAULT_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Sitting:
    """An adapter, opened once and asked from one event loop."""

    def __init__(self, spec: SubjectSpec, make: Callable[[], Subject], seconds: float) -> None:
        self.spec, self.make, self.subject, self.seconds = spec, make, make(), seconds
        self.opened: Any = None
        self._loop = asyncio.Runner()
        self._trial = itertools.count()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.run(self.subject.close())
        finally:
            self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(work)

    def open(self) -> None:
        self.opened = self.run(self.subject.open())

    def new_call(self) -> Call:
        """A call in a session of its own."""
        return Call(f"{next(self._trial):064x}", 0, 0)

    async def ask(self, request: Request, seconds: float | None = None) -> Reply | SubjectFault:
        """One try in a session of its own, as the bench makes it. Only what the contract knows is caught."""
        call = self.new_call()
        try:
            wire = self.subject.wire(request)
            return await self.subject.call(wire, call, self.seconds if seconds is None else seconds)
        except SubjectFault as fault:
            return fault
        finally:
            await self.subject.forget(call.session)


def it_has_every_part_of_a_subject(sitting: Sitting) -> Iterator[str]:
    if not isinstance(sitting.subject, Subject):
        parts = [*Subject.__annotations__, *(part for part in vars(Subject) if not part.startswith("_"))]
        yield f"it has no {', '.join(part for part in parts if not hasattr(sitting.subject, part))}"
        return
    subject = sitting.subject
    if subject.spec != sitting.spec:
        yield "its spec is not the one it was made from"
    if type(subject.connections) is not int or subject.connections < 1:
        yield f"it has {subject.connections!r} connections; at least 1"
    if type(subject.stateful) is not bool:
        yield f"stateful is {subject.stateful!r}; true or false"
    for name, texts in (("caveats", subject.caveats), ("secrets", subject.secrets())):
        if not isinstance(texts, tuple) or not all(isinstance(text, str) and text for text in texts):
            yield f"{name} are {texts!r:.60}; a tuple of texts"


# What will be sent.


def wire_is_plain_data(sitting: Sitting) -> Iterator[str]:
    for name, request in REQUESTS.items():
        wire = sitting.subject.wire(request)
        if not isinstance(wire, dict):
            yield f"{name}: it is {type(wire).__name__}, not a dict"
        encode(wire)


def wire_is_the_same_each_time(sitting: Sitting) -> Iterator[str]:
    another = sitting.make()
    for name, request in REQUESTS.items():
        first = sitting.subject.wire(request)
        written = encode(first)
        first.clear()
        if not written == encode(sitting.subject.wire(request)) == encode(another.wire(request)):
            yield f"{name}: what would be sent differs when it is made again"


def wire_shows_what_is_asked(sitting: Sitting) -> Iterator[str]:
    texts = ("a plain question", "a system message", "an empty message", "a long message", "a conversation")
    sent = {name: encode(sitting.subject.wire(REQUESTS[name])) for name in texts}
    for one, other in itertools.combinations(texts, 2):
        if sent[one] == sent[other]:
            yield f"{one} and {other} would be sent alike"


def wire_holds_no_secret(sitting: Sitting) -> Iterator[str]:
    for name, request in REQUESTS.items():
        if _secret_in(sitting, sitting.subject.wire(request)):
            yield f"{name}: a credential would be recorded"


def text_that_is_not_unicode_is_wrong_input(sitting: Sitting) -> Iterator[str]:
    request = Request((Message("user", "half \ud83d of a sign"),), SHORT)
    try:
        encode(sitting.subject.wire(request))
    except InputError:
        return
    yield from ()


def _secret_in(sitting: Sitting, value: Any) -> bool:
    text = encode(value).decode()
    return any(secret in text for secret in sitting.subject.secrets())


# What comes back.


def open_tells_plain_data_without_secrets(sitting: Sitting) -> Iterator[str]:
    if not isinstance(sitting.opened, dict):
        yield f"it tells {type(sitting.opened).__name__}, not a dict"
    if _secret_in(sitting, sitting.opened):
        yield "a credential would be recorded"


def every_request_has_a_reply_or_a_named_fault(sitting: Sitting) -> Iterator[str]:
    faults = []
    for name, request in REQUESTS.items():
        found = sitting.run(sitting.ask(request))
        if isinstance(found, SubjectFault):
            faults.append(f"{name}: {found}")
        yield from (f"{name}: {wrong}" for wrong in _wrong_with(found))
    if len(faults) == len(REQUESTS):
        yield f"nothing was answered; {faults[0]}"


def _wrong_with(found: Reply | SubjectFault) -> Iterator[str]:
    if isinstance(found, SubjectFault):
        if not _FAULT_NAME.fullmatch(found.name):
            yield f"a fault is named {found.name!r}; small letters, digits and _ only, for it is counted by name"
        return
    if not isinstance(found, Reply) or not isinstance(found.text, str):
        yield f"it gives {found!r:.60}, not a Reply with text"
        return
    encode(found)
    for count in (found.usage.input, found.usage.output):
        if count is not None and (type(count) is not int or count < 0):
            yield f"a count of tokens is {count!r}"


def a_call_leaves_what_it_sends_alone(sitting: Sitting) -> Iterator[str]:
    async def asked() -> tuple[bytes, bytes]:
        call, wire = sitting.new_call(), sitting.subject.wire(HELLO)
        before = encode(wire)
        try:
            await sitting.subject.call(wire, call, sitting.seconds)
        except SubjectFault:
            pass
        finally:
            await sitting.subject.forget(call.session)
        return before, encode(wire)

    before, after = sitting.run(asked())
    if before != after:
        yield "call changes the wire it is given"
    if before != encode(sitting.make().wire(HELLO)):
        yield "what is sent is another thing once the subject is open; an audit could not make it again"


def a_session_goes_on_and_is_forgotten(sitting: Sitting) -> Iterator[str]:
    async def talk() -> list[Reply | SubjectFault]:
        first = sitting.new_call()
        said: list[Reply | SubjectFault] = []
        for ordinal, request in enumerate((HELLO, REQUESTS["a conversation"])):
            call = Call(first.trial, 0, ordinal)
            try:
                said.append(await sitting.subject.call(sitting.subject.wire(request), call, sitting.seconds))
            except SubjectFault as fault:
                said.append(fault)
        for session in (
            first.session,
            first.session,
            sitting.new_call().session,
        ):  # twice, and one never begun
            await sitting.subject.forget(session)
        return said

    for found in sitting.run(talk()):
        yield from _wrong_with(found)


def calls_stand_side_by_side(sitting: Sitting) -> Iterator[str]:
    async def together() -> list[Reply | SubjectFault]:
        many = range(min(4, sitting.subject.connections))
        return await asyncio.gather(*(sitting.ask(HELLO) for _ in many))

    for found in sitting.run(together()):
        yield from _wrong_with(found)


def a_cancelled_call_ends_and_the_next_is_answered(sitting: Sitting) -> Iterator[str]:
    async def cancelled() -> str:
        task = asyncio.create_task(sitting.ask(HELLO))
        await asyncio.sleep(0)
        if not task.cancel():  # it was quicker
            return ""
        await asyncio.wait({task}, timeout=sitting.seconds)
        if not task.done():
            return "it goes on"
        return "" if task.cancelled() else f"it ends as {task.result()!r:.60}"

    if wrong := sitting.run(cancelled()):
        yield wrong
    yield from _wrong_with(sitting.run(sitting.ask(HELLO)))


def a_call_without_time_is_a_fault(sitting: Sitting) -> Iterator[str]:
    """Or a reply, where that was quick."""
    yield from _wrong_with(sitting.run(sitting.ask(HELLO, 0.001)))
    yield from _wrong_with(sitting.run(sitting.ask(HELLO)))


def it_closes_twice_and_without_being_opened(sitting: Sitting) -> Iterator[str]:
    async def close() -> None:
        await sitting.subject.close()
        await sitting.subject.close()
        await sitting.make().close()

    sitting.run(close())
    yield from ()


FORM_RULES: tuple[Rule[Sitting], ...] = (it_has_every_part_of_a_subject,)
WIRE_RULES: tuple[Rule[Sitting], ...] = (
    wire_is_plain_data,
    wire_is_the_same_each_time,
    wire_shows_what_is_asked,
    wire_holds_no_secret,
    text_that_is_not_unicode_is_wrong_input,
)
CALL_RULES: tuple[Rule[Sitting], ...] = (
    open_tells_plain_data_without_secrets,
    every_request_has_a_reply_or_a_named_fault,
    a_call_leaves_what_it_sends_alone,
    a_session_goes_on_and_is_forgotten,
    calls_stand_side_by_side,
    a_cancelled_call_ends_and_the_next_is_answered,
    a_call_without_time_is_a_fault,
    it_closes_twice_and_without_being_opened,
)
