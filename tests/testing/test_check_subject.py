"""``check_subject`` passes what keeps the contract, and names each rule that is broken."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

from assay.errors import SubjectFault
from assay.study import SubjectSpec
from assay.subjects import Call, wire_messages
from assay.testing import ContractBroken, check_subject
from assay.vocabulary import Reply, Request, Usage

SPEC = SubjectSpec("echo:one")


class Echo:
    """Keeps the contract."""

    stateful = False
    caveats: tuple[str, ...] = ()
    connections = 2

    def __init__(self, spec: SubjectSpec) -> None:
        self.spec = spec

    def secrets(self) -> tuple[str, ...]:
        return ("sk-very-secret",)

    def wire(self, request: Request) -> dict[str, Any]:
        return {"messages": wire_messages(request), "seed": request.seed}

    async def open(self) -> dict[str, Any]:
        return {}

    async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
        return Reply(wire["messages"][-1]["content"])

    async def forget(self, session: str) -> None:
        return None

    async def close(self) -> None:
        return None


def broken(adapter: type[Echo]) -> set[str]:
    """The rules that are broken."""
    with pytest.raises(ContractBroken) as caught:
        check_subject(adapter(SPEC), seconds=60.0)
    return {rule for rule, _ in caught.value.broken}


def test_an_adapter_that_keeps_the_contract_is_told_what_was_checked() -> None:
    report = check_subject(Echo(SPEC))
    assert report.what == "the adapter of echo:one"
    assert "wire is the same each time" in report.rules


class TestForm:
    def test_a_part_is_missing(self) -> None:
        class Bad:
            def __init__(self, spec: SubjectSpec) -> None:
                self.spec = spec

            async def close(self) -> None:
                return None

        with pytest.raises(ContractBroken, match=r"it has no .*wire"):
            check_subject(Bad(SPEC))

    @pytest.mark.parametrize(
        ("part", "value"), [("connections", 0), ("stateful", None), ("caveats", ["a"]), ("caveats", "a")]
    )
    def test_a_part_of_another_form(self, part: str, value: Any) -> None:
        assert broken(type("Bad", (Echo,), {part: value})) == {"it has every part of a subject"}


class TestWire:
    def test_what_json_cannot_hold(self) -> None:
        class Bad(Echo):
            def wire(self, request: Request) -> dict[str, Any]:
                return {**super().wire(request), "more": object()}

        assert "wire is plain data" in broken(Bad)

    def test_what_differs_each_time(self) -> None:
        numbers = itertools.count()

        class Bad(Echo):
            def wire(self, request: Request) -> dict[str, Any]:
                return {**super().wire(request), "id": next(numbers)}

        assert "wire is the same each time" in broken(Bad)

    def test_what_does_not_show_the_question(self) -> None:
        class Bad(Echo):
            def wire(self, request: Request) -> dict[str, Any]:
                return {"messages": wire_messages(request)[-1:]}

        assert broken(Bad) == {"wire shows what is asked"}

    def test_a_credential(self) -> None:
        class Bad(Echo):
            def wire(self, request: Request) -> dict[str, Any]:
                return {**super().wire(request), "key": "sk-very-secret"}

        assert broken(Bad) == {"wire holds no secret"}

    def test_half_a_sign_that_brings_it_down(self) -> None:
        class Bad(Echo):
            def wire(self, request: Request) -> dict[str, Any]:
                request.messages[0].content.encode()
                return super().wire(request)

        assert broken(Bad) == {"text that is not unicode is wrong input"}


class TestCalls:
    @pytest.mark.parametrize("told", [None, {"key": "sk-very-secret"}])
    def test_what_open_tells(self, told: Any) -> None:
        class Bad(Echo):
            async def open(self) -> Any:
                return told

        assert broken(Bad) == {"open tells plain data without secrets"}

    @pytest.mark.parametrize(
        "reply", ["text", Reply(None), Reply("half \ud83d"), Reply("", usage=Usage(-1, 0))]  # type: ignore[arg-type]
    )  # fmt: skip
    def test_what_is_no_reply(self, reply: Any) -> None:
        class Bad(Echo):
            async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Any:
                return reply

        assert "every request has a reply or a named fault" in broken(Bad)

    def test_an_error_that_is_no_fault(self) -> None:
        class Bad(Echo):
            async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
                return Reply(str(1 / len(wire["messages"][-1]["content"])))

        assert broken(Bad) == {"every request has a reply or a named fault"}

    @pytest.mark.parametrize("name", ["", "HTTP 500", "a\nb"])
    def test_a_fault_without_a_name(self, name: str) -> None:
        class Bad(Echo):
            async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
                if not wire["messages"][-1]["content"]:
                    raise SubjectFault(name)
                return await super().call(wire, call, seconds)

        assert broken(Bad) == {"every request has a reply or a named fault"}

    def test_no_reply_at_all(self) -> None:
        class Bad(Echo):
            async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
                raise SubjectFault("reset")

        assert broken(Bad) == {"every request has a reply or a named fault"}

    def test_a_call_that_changes_what_it_was_given(self) -> None:
        class Bad(Echo):
            async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
                return Reply(wire["messages"].pop()["content"])

        assert broken(Bad) == {"a call leaves what it sends alone"}

    def test_what_is_sent_is_known_only_once_it_is_open(self) -> None:
        class Bad(Echo):
            model = ""

            async def open(self) -> dict[str, Any]:
                self.model = "found"
                return {}

            def wire(self, request: Request) -> dict[str, Any]:
                return {**super().wire(request), "model": self.model}

        assert broken(Bad) == {"a call leaves what it sends alone"}

    def test_a_session_that_must_be_known_to_be_forgotten(self) -> None:
        class Bad(Echo):
            stateful = True

            def __init__(self, spec: SubjectSpec) -> None:
                super().__init__(spec)
                self.sessions: set[str] = set()

            async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
                self.sessions.add(call.session)
                return await super().call(wire, call, seconds)

            async def forget(self, session: str) -> None:
                self.sessions.remove(session)

        assert "a session goes on and is forgotten" in broken(Bad)

    def test_one_call_at_a_time(self) -> None:
        class Bad(Echo):
            busy = False

            async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
                assert not self.busy
                self.busy = True
                await asyncio.sleep(0)
                self.busy = False
                return await super().call(wire, call, seconds)

        assert "calls stand side by side" in broken(Bad)

    def test_cancelling_is_taken_for_a_fault(self) -> None:
        class Bad(Echo):
            async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
                try:
                    await asyncio.sleep(0.01)
                except asyncio.CancelledError:
                    raise SubjectFault("cancelled") from None
                return await super().call(wire, call, seconds)

        assert broken(Bad) == {"a cancelled call ends and the next is answered"}

    def test_running_out_of_time_is_no_fault(self) -> None:
        class Bad(Echo):
            async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
                async with asyncio.timeout(seconds):
                    await asyncio.sleep(0.05)
                return await super().call(wire, call, seconds)

        assert broken(Bad) == {"a call without time is a fault"}

    def test_closing_what_was_never_open(self) -> None:
        class Bad(Echo):
            async def open(self) -> dict[str, Any]:
                self.line = "open"
                return {}

            async def close(self) -> None:
                assert self.line

        assert broken(Bad) == {"it closes twice and without being opened"}
