"""Sessions of an agent with a loop of its own: one run of it each, which ends with its trial."""

from __future__ import annotations

import ast
import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError, SubjectFault
from assay.study.model import SubjectSpec
from assay.subjects.python import PythonSubject
from assay.vocabulary import Message, Reply

from .test_python import alive, wait_until_gone
from .test_python_agent import Talk, called, given_up, opened, talk

MODULE = r"""
import __main__, asyncio, os, sqlite3, sys, threading, time

__main__.SECONDS_TO_END = 60.0  # the host's own; however loaded the machine is, an agent that ends is seen to end
ENDED = []

def three(task, act):
    said = [act("first", a=1), act("second", {"b": [2, None]}), act("third", {"c": 3}, name="x", arguments="y")]
    return "|".join(said)

def raises(task, act):
    act("only")
    raise RuntimeError("lost the thread")

def leaves(task, act):
    act("only")
    sys.exit(3)

def dies(task, act):
    act("only")
    os._exit(4)

def wrong_type(task, act):
    return 42

async def cancels_itself(task, act):
    asyncio.current_task().cancel()
    await asyncio.sleep(60)

def notes_its_end(task, act):
    try:
        act("wait", ended=list(ENDED), threads=threading.active_count(), pid=os.getpid())
    except Exception:
        ENDED.append("an exception like any other")
    except BaseException as error:
        ENDED.append(isinstance(error, Exception))
        raise

async def notes_its_end_later(task, act):
    try:
        await act("wait", ended=list(ENDED), threads=threading.active_count(), pid=os.getpid())
    except Exception:
        ENDED.append("an exception like any other")
    except BaseException as error:
        ENDED.append(isinstance(error, Exception))
        raise

async def waits_elsewhere(task, act):
    seen = {"ended": list(ENDED), "threads": threading.active_count(), "pid": os.getpid()}
    try:
        wait = asyncio.create_task(act("wait", seen))
        while not os.path.exists("asked"):
            await asyncio.sleep(0.005)
        wait.cancel()
        await asyncio.wait({wait})
        os.remove("asked")
        await asyncio.sleep(600)
    finally:
        ENDED.append(False)

def will_not_end(task, act):
    __main__.SECONDS_TO_END = 0.2
    while True:
        try:
            act("wait", pid=os.getpid())
        except BaseException:
            time.sleep(0.01)

def hangs(task, act):
    act("only")
    while True:
        time.sleep(0.01)

class Remembers:
    made = 0

    def __init__(self):
        Remembers.made += 1
        self.seen = []

    def __call__(self, messages):
        return "not asked like this"

    def solve(self, task, act):
        for name in ("a", "b"):
            self.seen.append(act(name))
        return f"{Remembers.made} {self.seen}"

class RemembersLater(Remembers):
    async def solve(self, task, act):
        for name in ("a", "b"):
            self.seen.append(await act(name))
        return f"{Remembers.made} {self.seen}"

class KeepsADatabase:
    def __init__(self):
        self.notes = sqlite3.connect(":memory:")
        self.notes.execute("create table notes (said)")

    def solve(self, task, act):
        for name in ("a", "b"):
            self.notes.execute("insert into notes values (?)", (act(name),))
        return str(self.notes.execute("select said from notes order by said").fetchall())

class CannotBeMade:
    def __init__(self):
        raise ValueError("no such luck")

    def solve(self, task, act):
        return "never"

class TakesMessages:
    def solve(self, puzzle):
        return puzzle

    def __call__(self, messages):
        return "called"

def wants_more(task, act, model):
    return "never"
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(MODULE)
    monkeypatch.setattr("assay.subjects.python.FORGET_SECONDS", 120.0)
    monkeypatch.chdir(tmp_path)


class TestFaults:
    @pytest.mark.parametrize(
        ("name", "fault", "detail"),
        [
            ("raises", "subject_raised", "RuntimeError: lost the thread"),
            ("leaves", "subject_died", "exit code 3"),
            ("dies", "subject_died", "exit code 4"),
        ],
    )
    def test_in_the_middle_of_the_loop_have_their_names(self, name: str, fault: str, detail: str) -> None:
        async def body(talk: Talk) -> None:
            await talk.ask()
            with pytest.raises(SubjectFault, match=detail) as caught:
                await talk.answer("one")
            assert caught.value.name == fault

        talk(name, body)

    @pytest.mark.parametrize(
        ("name", "detail"),
        [
            ("wrong_type", "the agent returned int; return text or None"),
            ("cancels_itself", "CancelledError"),
            ("CannotBeMade", "ValueError: no such luck"),
        ],
    )
    def test_are_told_at_every_ask(self, name: str, detail: str) -> None:
        async def body(talk: Talk) -> None:
            before = set(talk.subject._all)
            for _ in range(2):
                with pytest.raises(SubjectFault, match=detail) as caught:
                    await talk.ask()
                assert caught.value.name == "subject_raised"
            assert talk.subject._all == before

        talk(name, body)

    def test_of_one_session_do_not_touch_the_next(self) -> None:
        async def body(talk: Talk) -> str:
            await talk.ask()
            with pytest.raises(SubjectFault, match="lost the thread"):
                await talk.answer("one")
            await talk.forget()
            return called(await Talk(talk.subject, "u").ask())[0]

        assert talk("raises", body) == "only"

    def test_a_hang_between_two_acts_ends_at_the_time_limit(self) -> None:
        async def body(talk: Talk) -> None:
            await talk.ask()
            pid = next(iter(talk.subject._all)).child.pid
            talk.messages.append(Message("tool", "one", tool_call_id="call_1"))
            with pytest.raises(SubjectFault, match="timeout"):
                await talk.ask(seconds=0.3)
            assert not alive(pid)

        talk("hangs", body)

    def test_a_death_between_two_asks_is_one_with_a_name_and_the_next_session_has_another_process(
        self,
    ) -> None:
        async def body(talk: Talk) -> str:
            await talk.ask()
            host = next(iter(talk.subject._all))
            os.kill(host.child.pid, signal.SIGKILL)
            await host.child.wait()
            with pytest.raises(SubjectFault, match="subject_died"):
                await talk.answer("one")
            await talk.forget()
            return called(await Talk(talk.subject, "u").ask())[0]

        assert talk("three", body) == "first"

    def test_a_process_that_ended_is_replaced_before_the_next_session_is_charged_with_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def body(talk: Talk) -> str:
            await talk.ask()
            with pytest.raises(SubjectFault, match="subject_died"):
                await talk.answer("one")
            monkeypatch.delattr(PythonSubject, "_start")  # nothing is started any more
            return called(await Talk(talk.subject, "u").ask())[0]

        assert talk("dies", body) == "only"

    def test_an_agent_that_wants_more_than_task_and_act_is_wrong_input(self) -> None:
        with pytest.raises(InputError, match="'model'"):
            talk("wants_more", Talk.ask)

    def test_an_agent_declared_stateless_is_wrong_input(self) -> None:
        with pytest.raises(InputError, match="leave out 'stateful: false'"):
            talk("three", Talk.ask, stateful=False)


class TestSessions:
    @pytest.mark.parametrize("name", ["Remembers", "RemembersLater"])
    def test_of_a_class_have_an_instance_each(self, name: str) -> None:
        async def body(talk: Talk) -> list[str]:
            said = []
            for trial in ("x", "y"):
                one = Talk(talk.subject, trial)
                await one.ask()
                await one.answer(f"{trial}1")
                said.append((await one.answer(f"{trial}2")).text)
                await one.forget()
            assert len(talk.subject._all) == 1
            return said

        assert talk(name, body) == ["1 ['x1', 'x2']", "2 ['y1', 'y2']"]

    def test_of_a_class_may_hold_what_belongs_to_one_thread(self) -> None:
        async def body(talk: Talk) -> str:
            await talk.ask()
            await talk.answer("one")
            return (await talk.answer("two")).text

        assert talk("KeepsADatabase", body) == "[('one',), ('two',)]"

    def test_begin_anew_wherever_the_one_before_was_cut_off(self) -> None:
        async def body(talk: Talk) -> list[tuple[str, str]]:
            first = []
            for trial in range(4):
                one = Talk(talk.subject, str(trial))
                reply = await one.ask()
                first.append((reply.tool_calls[0].id, called(reply)[0]))
                for _ in range(trial):
                    await one.answer("ok")
                await one.forget()
            assert len(talk.subject._all) == 1
            return first

        assert talk("three", body) == [("call_1", "first")] * 4

    @pytest.mark.parametrize("name", ["notes_its_end", "notes_its_end_later", "waits_elsewhere"])
    def test_end_with_their_threads_by_what_is_no_ordinary_exception(self, name: str) -> None:
        async def body(talk: Talk) -> list[dict[str, Any]]:
            found = []
            for trial in range(3):
                one = Talk(talk.subject, str(trial))
                written = called(await one.ask())[1]
                found.append(ast.literal_eval(written.replace("false", "False").replace("true", "True")))
                if name == "waits_elsewhere":
                    await given_up()
                await one.forget()
            return found

        found = talk(name, body)
        assert [one["ended"] for one in found] == [[], [False], [False, False]]
        assert len({one["threads"] for one in found}) == 1
        assert len({one["pid"] for one in found}) == 1

    def test_get_another_process_where_an_agent_will_not_end(self) -> None:
        async def body(talk: Talk) -> list[int]:
            pids = []
            for trial in range(2):
                one = Talk(talk.subject, str(trial))
                pids.append(ast.literal_eval(called(await one.ask())[1])["pid"])
                await one.forget()
                assert not alive(pids[-1])
                (ready,) = talk.subject._idle
                assert alive(ready.child.pid)
            return pids

        first, second = talk("will_not_end", body)
        assert first != second

    def test_of_several_at_once_have_a_process_each(self) -> None:
        async def one(subject: PythonSubject, trial: str) -> str:
            talk = Talk(subject, trial)
            await talk.ask()
            await talk.answer(f"{trial}1")
            await talk.answer(f"{trial}2")
            text = (await talk.answer(f"{trial}3")).text
            await talk.forget()
            return text

        async def body(talk: Talk) -> list[str]:
            return await asyncio.gather(*(one(talk.subject, trial) for trial in "abcdef"))

        assert talk("three", body, connections=3) == [f"{t}1|{t}2|{t}3" for t in "abcdef"]

    def test_that_are_forgotten_while_all_is_closed_leave_no_process(self) -> None:
        async def go() -> list[int]:
            async with opened("will_not_end") as subject:
                talk = Talk(subject)
                pid = ast.literal_eval(called(await talk.ask())[1])["pid"]
                forgetting = asyncio.create_task(talk.forget())
                await asyncio.sleep(0.1)
                await subject.close()
                await forgetting
                assert not subject._all
                return [pid]

        wait_until_gone(*asyncio.run(go()))

    def test_say_that_the_loop_is_the_agents_own(self) -> None:
        async def facts(name: str) -> Any:
            subject = PythonSubject(SubjectSpec(f"python:mine:{name}"))
            try:
                return (await subject.open())["own_loop"]
            finally:
                await subject.close()

        names = ("three", "Remembers", "TakesMessages")
        assert [asyncio.run(facts(name)) for name in names] == [True, True, False]

    def test_of_a_class_whose_solve_is_something_else_are_asked_as_ever(self) -> None:
        assert talk("TakesMessages", Talk.ask) == Reply("called")
