"""The tools of the extended boundary, and the limit on their use in one turn."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.consistency.scenarios.conduct import Conversation
from assay.instruments.consistency.scenarios.content import shipped_content
from assay.instruments.consistency.scenarios.scene import draw_scene
from assay.instruments.consistency.scenarios.tools import MOST_CALLS, TOOLS, Toolbox
from assay.streams import Stream
from assay.vocabulary import Message, Reply, ToolCall


class Hands:
    """Answers with the replies it is given, the last one again and again, and notes what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self.asked: list[list[Message]] = []
        self.offered: list[int] = []
        self.computed: list[tuple[str, Any, Any]] = []

    async def ask(self, messages: Sequence[Message], *, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        self.asked.append(list(messages))
        self.offered.append(len(tools))
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    async def compute(self, name: str, request: Any, run: Callable[[], Awaitable[Any]]) -> Any:
        result = await run()
        self.computed.append((name, request, result))
        return result


def calling(*calls: tuple[str, str], text: str = "") -> Reply:
    return Reply(
        text, tool_calls=tuple(ToolCall(f"c{n}", name, given) for n, (name, given) in enumerate(calls))
    )


def use(name: str, arguments: str, box: Toolbox | None = None) -> str:
    return asyncio.run((box or Toolbox(Hands(Reply("")))).answer(ToolCall("c", name, arguments)))


def talk(hands: Hands, *, extended: bool = True) -> Conversation:
    content = shipped_content()
    scene = draw_scene(content, (), "exchange/01", Stream("t"))
    made = Conversation(hands, content.rules, scene, extended=extended)
    made.begin()
    return made


def test_sha256_is_that_of_the_utf8_bytes() -> None:
    text = "Grüße,\nzwei Zeilen"
    assert use("sha256", json.dumps({"text": text})) == hashlib.sha256(text.encode("utf-8")).hexdigest()
    # FIPS 180-2, appendix B.1
    assert use("sha256", '{"text": "abc"}').startswith("ba7816bf8f01cfea414140de5dae2223b00361a3")


def test_the_memory_gives_back_what_was_kept_and_says_when_it_has_nothing() -> None:
    box = Toolbox(Hands(Reply("")))
    assert use("memory_read", '{"key": "a"}', box).startswith("error: the memory keeps nothing under 'a'")
    assert use("memory_write", '{"key": "a", "value": "1"}', box) == "kept"
    assert use("memory_write", '{"key": "a", "value": "2"}', box) == "kept"
    assert use("memory_read", '{"key": "a"}', box) == "2"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("sha256", ""),
        ("sha256", "not JSON"),
        ("sha256", "[]"),
        ("sha256", '{"text": 3}'),
        ("sha256", '{"text": "a", "more": "b"}'),
        ("sha256", '{"text": "\\ud800"}'),
        ("sha256", '{"text": "\ud800"}'),
        ("sha256", '{"text": ' + "[" * 100_000),
        ("sha256", json.dumps({"text": "x" * 100_001})),
        ("memory_write", '{"key": "a"}'),
        ("memory_read", "null"),
        ("delete_everything", "{}"),
    ],
)
def test_what_cannot_be_done_is_answered_with_an_error_message(name: str, arguments: str) -> None:
    assert use(name, arguments).startswith("error: ")


@given(st.sampled_from(["sha256", "memory_read", "memory_write", "x"]), st.text())
def test_no_arguments_whatever_raise(name: str, arguments: str) -> None:
    assert use(name, arguments)


def test_every_tool_that_is_offered_is_there_and_takes_what_it_says() -> None:
    for tool in TOOLS:
        function = tool["function"]
        arguments = dict.fromkeys(function["parameters"]["required"], "a")
        assert not use(function["name"], json.dumps(arguments)).startswith("error: there is no tool")
        assert not use(function["name"], json.dumps(arguments)).startswith("error: the arguments")


def test_a_turn_with_tool_calls_is_one_reply_and_its_calls_are_noted() -> None:
    hands = Hands(calling(("sha256", '{"text": "abc"}'), text="One moment."), Reply("Done."))
    one = talk(hands)
    assert asyncio.run(one.ask("hello", "reply")) == "One moment.\nDone."
    tool, reply = one.turns[2:]
    assert (reply.role, reply.part, reply.asks) == ("assistant", "reply", 2)
    assert tool.content.startswith('sha256({"text": "abc"}) gives ba7816bf')
    assert [m.role for m in hands.asked[1]] == ["system", "user", "assistant", "tool"]
    assert hands.asked[1][2].tool_calls
    assert hands.asked[1][3].tool_call_id == "c0"
    assert hands.computed[0][:2] == ("tool", {"name": "sha256", "arguments": '{"text": "abc"}'})


def test_a_subject_that_calls_for_ever_is_stopped() -> None:
    hands = Hands(calling(("sha256", '{"text": "abc"}'), text="Again."))
    asyncio.run(talk(hands).ask("hello"))
    assert len(hands.computed) == MOST_CALLS
    assert (
        len(hands.asked) == MOST_CALLS + 2
    )  # the one too many is turned away, and the next reply is the last
    assert "no more than 8 calls" in hands.asked[-1][-1].content


def test_many_calls_at_once_count_each() -> None:
    hands = Hands(calling(*[("sha256", '{"text": "a"}')] * 20), Reply("Done."))
    asyncio.run(talk(hands).ask("hello"))
    assert len(hands.computed) == MOST_CALLS
    assert len(hands.asked) == 2
    assert sum(m.role == "tool" for m in hands.asked[1]) == 20


def test_core_subjects_are_offered_no_tools_and_calls_of_theirs_are_not_answered() -> None:
    hands = Hands(calling(("sha256", '{"text": "abc"}'), text="I try."))
    assert asyncio.run(talk(hands, extended=False).ask("hello")) == "I try."
    assert hands.offered == [0]
    assert hands.computed == []
