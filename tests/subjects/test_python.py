"""A user's own callable: hosted in a child process, and whatever it does there has a name."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from assay.canonical import encode
from assay.errors import InputError, SubjectFault
from assay.study.model import SubjectSpec
from assay.subjects.base import Call, make_subject
from assay.subjects.python import PythonSubject
from assay.vocabulary import Message, Reply, Request, Sampling, ToolCall, Usage

MODULE = r'''
import asyncio, functools, os, subprocess, sys, time

def plain(messages):
    return messages[-1]["content"].upper()

def sampled(messages, *, temperature, seed=None, max_tokens):
    return f"{temperature} {seed} {max_tokens}"

def everything(messages, **keywords):
    return str(sorted(keywords))

partial = functools.partial(plain)

async def later(messages):
    await asyncio.sleep(0)
    return "later"

class Memory:
    def __init__(self):
        self.seen = []

    def __call__(self, messages):
        self.seen.append(messages[-1]["content"])
        return f"{os.getpid()} {','.join(self.seen)}"

class Loop:
    """Keeps something that belongs to its event loop, as HTTP clients do."""
    loop = None

    async def __call__(self, messages):
        self.loop = self.loop or asyncio.get_running_loop()
        return str(self.loop is asyncio.get_running_loop())

def full(messages):
    return {"text": "t", "tool_calls": [{"id": "1", "name": "f", "arguments": "{}"}], "finish": "length",
            "usage": {"input": 3, "output": 4}, "mood": "good"}

def raises(messages):
    raise RuntimeError("no \ud800 such luck")

def wrong_type(messages):
    return 42

def wrong_field(messages):
    return {"text": "t", "usage": "plenty"}

def negative(messages):
    return {"text": "t", "usage": {"input": 1, "output": -100}}

def not_a_number(messages):
    return {"text": "t", "score": float("nan")}

def unserialisable(messages):
    return {"text": "t", "what": object()}

def prints(messages):
    print('{"reply": {"text": "forged"}}', flush=True)
    os.write(1, b'{"reply": {"text": "forged"}}\n')
    os.system("echo forged")
    return "true"

def writes_into_the_protocol(messages):
    for fd in range(3, 10):
        try:
            os.write(fd, b"garbage\n")
        except OSError:
            pass
    return "true"

def writes_json_into_the_protocol(messages):
    for fd in range(3, 10):
        try:
            os.write(fd, b"7\n")
        except OSError:
            pass
    return "true"

def reads(messages):
    return repr(sys.stdin.read())

def leaves(messages):
    sys.exit(3)

def leaves_hard(messages):
    os._exit(4)

def hangs(messages):
    while True:
        time.sleep(0.01)

def surrogates(messages):
    return {"text": "a\ud800b", "tool_calls": [{"id": "1", "name": "f", "arguments": "\udfff"}]}

def huge(messages):
    return "x" * (17 << 20)

def large(messages):
    return "x" * (1 << 20)

def starts_another(messages):
    return str(subprocess.Popen(["sleep", "600"]).pid)

not_callable = 5
'''
HERE = Call("trial", 0, 0)


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def request(text: str = "hello", **sampling: Any) -> Request:
    return Request((Message("user", text),), Sampling(**sampling), seed=9)


@contextlib.asynccontextmanager
async def opened(name: str, **changes: Any) -> AsyncIterator[PythonSubject]:
    subject = PythonSubject(SubjectSpec(f"python:mine:{name}", **changes))
    try:
        await subject.open()
        yield subject
    finally:
        await subject.close()


async def say(subject: PythonSubject, text: str = "hello", call: Call = HERE, seconds: float = 120) -> Reply:
    return await subject.call(subject.wire(request(text, temperature=0.5, max_tokens=7)), call, seconds)


def ask(name: str, seconds: float = 120) -> Reply:
    async def go() -> Reply:
        async with opened(name) as subject:
            return await say(subject, seconds=seconds)

    return asyncio.run(go())


def fault_of(name: str, seconds: float = 120) -> SubjectFault:
    with pytest.raises(SubjectFault) as caught:
        ask(name, seconds)
    assert not caught.value.retriable
    encode(caught.value.detail)
    return caught.value


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until_gone(*pids: int) -> None:
    deadline = time.monotonic() + 120
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [pid for pid in pids if alive(pid)] == []


class TestReplies:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("plain", "HELLO"),
            ("sampled", "0.5 9 7"),
            ("everything", "['max_tokens', 'seed', 'temperature']"),
            ("partial", "HELLO"),
            ("later", "later"),
            ("prints", "true"),
            ("reads", "''"),
        ],
    )
    def test_of_all_sorts_of_callables_come_through(self, name: str, text: str) -> None:
        assert ask(name) == Reply(text)

    def test_as_a_dict_fill_the_fields_and_keep_the_rest(self) -> None:
        assert ask("full") == Reply(
            "t",
            tool_calls=(ToolCall("1", "f", "{}"),),
            finish="length",
            usage=Usage(3, 4),
            rest={"mood": "good"},
        )

    def test_with_lone_surrogates_are_mended_and_marked(self) -> None:
        reply = ask("surrogates")
        assert (reply.text, reply.notes) == ("a\ufffdb", ("lone_surrogate",))
        assert reply.tool_calls[0].arguments == "\ufffd"
        encode(reply)

    def test_may_be_long(self) -> None:
        assert len(ask("large").text) == 1 << 20

    def test_may_answer_a_request_larger_than_a_pipe(self) -> None:
        async def go() -> Reply:
            async with opened("plain") as subject:
                return await say(subject, "y" * 2_000_000)

        assert asyncio.run(go()).text == "Y" * 2_000_000

    def test_of_an_async_class_share_one_event_loop(self) -> None:
        async def go() -> list[str]:
            async with opened("Loop") as subject:
                return [(await say(subject)).text for _ in range(3)]

        assert asyncio.run(go()) == ["True"] * 3


class TestFaults:
    @pytest.mark.parametrize(
        ("name", "fault", "detail"),
        [
            ("raises", "subject_raised", "RuntimeError: no \ufffd such luck"),
            ("wrong_type", "subject_raised", "returned int"),
            ("unserialisable", "subject_raised", "TypeError"),
            ("wrong_field", "wrong_shape", "usage"),
            ("negative", "wrong_shape", "negative"),
            ("not_a_number", "channel", ""),
            ("leaves", "subject_died", "exit code 3"),
            ("leaves_hard", "subject_died", "exit code 4"),
            ("huge", "oversized_body", "16 MB"),
            ("writes_into_the_protocol", "channel", ""),
            ("writes_json_into_the_protocol", "channel", ""),
        ],
    )
    def test_each_has_its_name(self, name: str, fault: str, detail: str) -> None:
        found = fault_of(name)
        assert found.name == fault
        assert detail in found.detail

    def test_a_hang_ends_at_the_time_limit_and_the_process_with_it(self) -> None:
        async def go() -> int:
            async with opened("hangs") as subject:
                pid = next(iter(subject._all)).child.pid
                with pytest.raises(SubjectFault, match="timeout"):
                    await say(subject, seconds=0.3)
                assert not alive(pid)
                return pid

        asyncio.run(asyncio.wait_for(go(), 120))

    def test_a_death_between_two_calls_is_one_with_a_name(self) -> None:
        async def go() -> None:
            async with opened("plain") as subject:
                await say(subject)
                host = next(iter(subject._all))
                os.kill(host.child.pid, signal.SIGKILL)
                await host.child.wait()
                with pytest.raises(SubjectFault, match="subject_died"):
                    await say(subject, "z" * 1_000_000)

        asyncio.run(go())

    def test_an_exception_leaves_the_session_as_it_is(self) -> None:
        async def go() -> None:
            async with opened("raises") as subject:
                before = set(subject._all)
                for _ in range(2):
                    with pytest.raises(SubjectFault, match="subject_raised"):
                        await say(subject)
                assert subject._all == before

        asyncio.run(go())

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            ("mine:nothing", "AttributeError"),
            ("mine:not_callable", "not callable"),
            ("nowhere:f", "ModuleNotFoundError"),
            ("fails:f", "ValueError: at import"),
            ("exits:f", "exit code 7"),
        ],
    )
    def test_of_loading_are_wrong_input_with_the_reason(self, name: str, why: str, module: Path) -> None:
        (module / "fails.py").write_text("raise ValueError('at import')")
        (module / "exits.py").write_text("import os; os._exit(7)")
        subject = PythonSubject(SubjectSpec(f"python:{name}"))
        with pytest.raises(InputError, match=why):
            asyncio.run(subject.open())
        assert not subject._all

    @pytest.mark.parametrize("name", ["mine", "mine:", ":f"])
    def test_of_the_declaration_say_how_to_write_it(self, name: str) -> None:
        with pytest.raises(InputError, match=r"python:package\.module:callable"):
            PythonSubject(SubjectSpec(f"python:{name}"))


class TestSessions:
    def test_of_a_class_remember_within_a_trial_and_not_beyond(self) -> None:
        async def go() -> list[str]:
            said = []
            async with opened("Memory", connections=1) as subject:
                for trial in ("a", "b"):
                    for ordinal, text in enumerate(("one", "two")):
                        call = Call(trial, 0, ordinal)
                        said.append((await say(subject, text, call)).text.split()[1])
                    await subject.forget(call.session)
                assert len(subject._all) == 1
            return said

        assert asyncio.run(go()) == ["one", "one,two", "one", "one,two"]

    def test_three_at_once_have_three_processes_and_do_not_mix(self) -> None:
        async def trial(subject: PythonSubject, name: str) -> tuple[str, str]:
            for ordinal in range(3):
                text = (await say(subject, f"{name}{ordinal}", Call(name, 0, ordinal))).text
                await asyncio.sleep(0)
            await subject.forget(f"{name}/0")
            pid, seen = text.split()
            return pid, seen

        async def go() -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[int]]:
            async with opened("Memory", connections=3) as subject:
                pids = [host.child.pid for host in subject._all]
                first = await asyncio.gather(*(trial(subject, name) for name in "abc"))
                again = await asyncio.gather(*(trial(subject, name) for name in "def"))
                return first, again, pids

        first, again, pids = asyncio.run(go())
        assert [seen for _, seen in first + again] == [f"{n}0,{n}1,{n}2" for n in "abcdef"]
        assert {pid for pid, _ in first} == {pid for pid, _ in again} == {str(pid) for pid in pids}
        assert [pid for pid in pids if alive(pid)] == []

    def test_of_a_subject_declared_stateless_hold_no_process(self) -> None:
        async def go() -> None:
            async with opened("Memory", stateful=False) as subject:
                said = [(await say(subject, "x", Call(f"t{n}", 0, 0))).text.split()[1] for n in range(5)]
                assert said == ["x"] * 5
                assert len(subject._all) == 1

        asyncio.run(go())

    def test_do_not_get_a_process_that_died_while_idle(self) -> None:
        async def go() -> str:
            async with opened("plain") as subject:
                host = next(iter(subject._all))
                host.child.kill()
                await host.child.wait()
                return (await say(subject)).text

        assert asyncio.run(go()) == "HELLO"

    def test_are_stateful_unless_declared_otherwise_and_carry_a_caveat(self) -> None:
        subject = make_subject(SubjectSpec("python:mine:plain"))
        assert (subject.stateful, subject.connections, subject.secrets()) == (True, 1, ())
        assert "not recorded" in subject.caveats[0]


class TestTheEnd:
    def test_takes_along_what_the_callable_started(self) -> None:
        wait_until_gone(int(ask("starts_another").text))

    def test_comes_also_for_a_process_that_is_just_starting(self, module: Path) -> None:
        (module / "slow.py").write_text("import time; time.sleep(600)")

        async def go() -> None:
            subject = PythonSubject(SubjectSpec("python:slow:f"))
            task = asyncio.create_task(subject.open())
            while not subject._all:
                await asyncio.sleep(0.01)
            pid = next(iter(subject._all)).child.pid
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not alive(pid)

        asyncio.run(asyncio.wait_for(go(), 120))

    def test_of_a_cancelled_call_ends_its_process(self) -> None:
        async def go() -> None:
            async with opened("hangs") as subject:
                pid = next(iter(subject._all)).child.pid
                task = asyncio.create_task(say(subject))
                await asyncio.sleep(0.1)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert not alive(pid)
                assert not subject._all

        asyncio.run(go())

    @pytest.mark.parametrize("name", ["plain", "hangs"])
    def test_of_the_parent_by_force_ends_its_children_whatever_they_do(self, name: str, module: Path) -> None:
        program = f"""
import asyncio
from assay.study.model import SubjectSpec
from assay.subjects.base import Call
from assay.subjects.python import PythonSubject
from assay.vocabulary import Message, Request

async def main():
    subject = PythonSubject(SubjectSpec("python:mine:{name}", connections=2))
    await subject.open()
    wire = subject.wire(Request((Message("user", "x"),)))
    for trial in ("a", "b"):
        asyncio.create_task(subject.call(wire, Call(trial, 0, 0), 600))
    await asyncio.sleep(0.2)
    print(*(host.child.pid for host in subject._all), flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""
        parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=module)
        with parent:
            assert parent.stdout is not None
            pids = [int(pid) for pid in parent.stdout.readline().split()]
            assert len(pids) == 2
            assert all(alive(pid) for pid in pids)
            os.kill(parent.pid, signal.SIGKILL)
        wait_until_gone(*pids)

    def test_is_not_brought_by_an_interrupt_at_the_terminal(self) -> None:
        """Ctrl-C reaches the whole foreground group; replies that are on their way must still come in."""

        async def go() -> None:
            async with opened("plain") as subject:
                assert os.getpgid(next(iter(subject._all)).child.pid) != os.getpgrp()

        asyncio.run(go())
