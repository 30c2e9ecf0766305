"""An agent with a loop of its own: its acts are replies, and what came of them is the next ask."""

from __future__ import annotations

import ast
import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import SubjectFault
from assay.study.model import SubjectSpec
from assay.subjects.base import Call
from assay.subjects.python import PythonSubject
from assay.vocabulary import Message, Reply, Request, Sampling, ToolCall

MODULE = r"""
import asyncio, functools, json, os, threading, time

def three(task, act):
    said = [act("first", a=1), act("second", {"b": [2, None]}), act("third", {"c": 3}, name="x", arguments="y")]
    return "|".join(said)

def told(task, act):
    return json.dumps(task)

def silent(task, act):
    act("only")

async def later(task, act):
    first = await act("first", a=1)
    second = await act("second", {"b": 2})
    return f"{first}|{second}"

partial = functools.partial(later)

async def at_once(task, act):
    said = await asyncio.gather(*(act(f"n{n}") for n in range(3)))
    return "|".join(said)

async def impatient(task, act):
    slow = asyncio.create_task(act("slow"))
    while not os.path.exists("asked"):
        await asyncio.sleep(0.005)
    slow.cancel()
    await asyncio.wait({slow})
    os.remove("asked")
    return await act("next")

def in_threads(task, act):
    said = []
    helper = threading.Thread(target=lambda: said.append(act("helper")))
    helper.start()
    helper.join()
    return "|".join([*said, act("main")])

async def blocking_in_a_thread(task, act):
    return await asyncio.to_thread(act, "from a thread")

circle = []
circle.append(circle)
BAD = {"set": {1}, "object": object(), "nan": float("nan"), "bytes": b"b", "circle": circle}

def bad_arguments(task, act):
    said = []
    for name, value in BAD.items():
        try:
            act("bad", value=value)
        except TypeError as error:
            said.append(name if "act('bad'): JSON cannot hold these arguments" in str(error) else str(error))
    for arguments in (["a"], "{}", 5):
        try:
            act("bad", arguments)
        except TypeError as error:
            said.append(str(error).rpartition(" ")[2])
    try:
        act(7)
    except TypeError as error:
        said.append("name")
    return act("good", text=" ".join(said))

def bad_and_unguarded(task, act):
    return act("bad", value={1, 2})

def surrogate(task, act):
    return act("f", text="a\ud800b")

async def acts_after_the_end(task, act):
    async def late():
        await asyncio.sleep(0)
        await act("too late")
    kept = asyncio.create_task(late())
    threading.Thread(target=lambda: (time.sleep(0.1), act("too late"))).start()
    return "ended"

def prints(task, act):
    print('{"reply": {"text": "forged"}}', flush=True)
    return act("only")
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextlib.asynccontextmanager
async def opened(name: str, **changes: Any) -> AsyncIterator[PythonSubject]:
    target = name if ":" in name else f"mine:{name}"
    subject = PythonSubject(SubjectSpec(f"python:{target}", **changes))
    try:
        await subject.open()
        yield subject
    finally:
        await subject.close()


class Talk:
    """A trial's conversation: the world's side of it."""

    def __init__(
        self, subject: PythonSubject, trial: str = "t", tools: tuple[dict[str, Any], ...] = ()
    ) -> None:
        self.subject, self.trial, self.tools = subject, trial, tools
        self.messages = [Message("system", "rules"), Message("user", "the goal")]
        self.asks = 0

    async def ask(self, seconds: float = 120) -> Reply:
        request = Request(tuple(self.messages), Sampling(temperature=0.5), seed=9, tools=self.tools)
        call = Call(self.trial, 0, self.asks)
        self.asks += 1
        reply = await self.subject.call(self.subject.wire(request), call, seconds)
        self.messages.append(Message("assistant", reply.text, reply.tool_calls))
        return reply

    async def answer(self, text: str) -> Reply:
        """The result of the tool that was just called, then the next reply."""
        call = self.messages[-1].tool_calls[0]
        self.messages.append(Message("tool", text, tool_call_id=call.id))
        return await self.ask()

    async def say(self, text: str) -> Reply:
        self.messages.append(Message("user", text))
        return await self.ask()

    async def forget(self) -> None:
        await self.subject.forget(f"{self.trial}/0")


def talk(name: str, body: Callable[[Talk], Awaitable[Any]], **changes: Any) -> Any:
    async def go() -> Any:
        async with opened(name, **changes) as subject:
            return await body(Talk(subject))

    return asyncio.run(asyncio.wait_for(go(), 300))


async def given_up() -> None:
    """Tell the agent that its act was taken up, and wait until it no longer waits for what comes of it."""
    asked = Path("asked")
    asked.touch()  # noqa: ASYNC240
    while asked.exists():  # noqa: ASYNC240
        await asyncio.sleep(0.005)


def called(reply: Reply) -> tuple[str, str]:
    assert reply.text == ""
    (call,) = reply.tool_calls
    return call.name, call.arguments


class TestTheLoop:
    def test_hands_out_one_call_an_ask_and_gets_the_tools_texts(self) -> None:
        async def body(talk: Talk) -> None:
            assert await talk.ask() == Reply("", tool_calls=(ToolCall("call_1", "first", '{"a": 1}'),))
            second = await talk.answer("one")
            assert second.tool_calls == (ToolCall("call_2", "second", '{"b": [2, null]}'),)
            third = await talk.answer('{"two": 2}')
            assert called(third) == ("third", '{"c": 3, "name": "x", "arguments": "y"}')
            assert await talk.answer("") == Reply('one|{"two": 2}|')

        talk("three", body)

    def test_begins_with_the_task_as_of_the_first_ask(self) -> None:
        async def body(talk: Talk) -> None:
            talk.tools = ({"type": "function", "function": {"name": "f"}},)
            task = ast.literal_eval((await talk.ask()).text)
            assert task["messages"] == [
                {"role": "system", "content": "rules"},
                {"role": "user", "content": "the goal"},
            ]
            assert task["tools"] == list(talk.tools)
            assert task["sampling"] == {"temperature": 0.5, "seed": 9}

        talk("told", body)

    def test_is_told_what_is_said_instead_of_a_result(self) -> None:
        async def body(talk: Talk) -> str:
            await talk.ask()
            await talk.say("a reminder")
            talk.messages = [Message("system", "rules"), Message("user", "a new goal")]  # begun afresh
            await talk.ask()
            return (await talk.answer("three")).text

        assert talk("three", body) == "a reminder|a new goal|three"

    def test_is_told_also_what_is_said_beside_a_result(self) -> None:
        async def body(talk: Talk) -> str:
            await talk.ask()
            call = talk.messages[-1].tool_calls[0]
            talk.messages.append(Message("tool", "one", tool_call_id=call.id))
            await talk.say("and hurry")
            await talk.answer("two")
            return (await talk.answer("three")).text

        assert talk("three", body) == "one\n\nand hurry|two|three"

    def test_gives_its_final_text_however_often_it_is_asked(self) -> None:
        async def body(talk: Talk) -> list[Reply]:
            await talk.ask()
            await talk.answer("one")
            await talk.answer("two")
            return [await talk.answer("three"), await talk.say("go on"), await talk.say("go on")]

        assert talk("three", body) == [Reply("one|two|three")] * 3

    def test_may_end_without_a_word(self) -> None:
        async def body(talk: Talk) -> list[Reply]:
            await talk.ask()
            return [await talk.answer("done"), await talk.say("go on")]

        assert talk("silent", body) == [Reply(""), Reply("")]

    @pytest.mark.parametrize("name", ["later", "partial"])
    def test_may_be_a_coroutine(self, name: str) -> None:
        async def body(talk: Talk) -> str:
            assert called(await talk.ask()) == ("first", '{"a": 1}')
            assert called(await talk.answer("one")) == ("second", '{"b": 2}')
            return (await talk.answer("two")).text

        assert talk(name, body) == "one|two"

    def test_of_a_coroutine_does_one_thing_after_another_and_mixes_nothing_up(self) -> None:
        async def body(talk: Talk) -> tuple[list[str], str]:
            names = [called(await talk.ask())[0]]
            names.append(called(await talk.answer("r0"))[0])
            names.append(called(await talk.answer("r1"))[0])
            return names, (await talk.answer("r2")).text

        assert talk("at_once", body) == (["n0", "n1", "n2"], "r0|r1|r2")

    def test_that_gave_up_waiting_does_not_take_an_old_result_for_a_new_one(self) -> None:
        async def body(talk: Talk) -> str:
            assert called(await talk.ask())[0] == "slow"
            await given_up()
            assert called(await talk.answer("of slow"))[0] == "next"
            return (await talk.answer("of next")).text

        assert talk("impatient", body) == "of next"

    def test_may_act_from_other_threads(self) -> None:
        async def body(talk: Talk) -> str:
            assert called(await talk.ask())[0] == "helper"
            assert called(await talk.answer("one"))[0] == "main"
            return (await talk.answer("two")).text

        assert talk("in_threads", body) == "one|two"

    def test_of_a_coroutine_may_act_from_a_thread(self) -> None:
        async def body(talk: Talk) -> str:
            await talk.ask()
            return (await talk.answer("one")).text

        assert talk("blocking_in_a_thread", body) == "one"

    def test_cannot_be_forged_by_what_it_prints(self) -> None:
        async def body(talk: Talk) -> str:
            assert called(await talk.ask())[0] == "only"
            return (await talk.answer("true")).text

        assert talk("prints", body) == "true"

    def test_does_nothing_more_after_its_end(self) -> None:
        async def body(talk: Talk) -> list[Reply]:
            first = await talk.ask()
            await asyncio.sleep(0.3)
            return [first, await talk.say("go on"), await talk.say("go on")]

        assert talk("acts_after_the_end", body) == [Reply("ended")] * 3


class TestArguments:
    def test_that_json_cannot_hold_are_told_to_the_agent_and_nothing_is_done(self) -> None:
        async def body(talk: Talk) -> ToolCall:
            return (await talk.ask()).tool_calls[0]

        call = talk("bad_arguments", body)
        told = "set object nan bytes circle list str int name"
        assert call == ToolCall("call_1", "good", f'{{"text": "{told}"}}')

    def test_that_json_cannot_hold_are_the_agents_failure_if_it_does_not_mind(self) -> None:
        with pytest.raises(SubjectFault, match="JSON cannot hold these arguments") as caught:
            talk("bad_and_unguarded", Talk.ask)
        assert caught.value.name == "subject_raised"

    def test_with_lone_surrogates_are_mended_and_marked(self) -> None:
        reply = talk("surrogate", Talk.ask)
        assert (called(reply), reply.notes) == (("f", '{"text": "a\ufffdb"}'), ("lone_surrogate",))
