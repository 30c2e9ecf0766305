"""A command goes through the probe like any program: recorded once, run again and compared on replay."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import msgspec
import pytest

from assay.bench.probe import Probe
from assay.errors import Divergence, SandboxUnavailable, SubjectFault
from assay.evidence.events import Event
from assay.sandbox import CommandJob, CommandRun

JOB = CommandJob(command=("node", "main.js"), files={"main.js": "console.log(1)"})
RAN = CommandRun(state="ran", exit_code=0, output="1\n", seconds=0.1)


class Back:
    """Answers with the runs it is given, keeps what is recorded and noted."""

    def __init__(self, *runs: CommandRun, live: bool = True) -> None:
        self.live, self.runs = live, list(runs)
        self.events: list[Event] = []
        self.notes: list[str] = []

    def record(self, event: Event) -> Event:
        self.events.append(event)
        return event

    async def execute(self, job: object) -> CommandRun:
        return self.runs.pop(0)

    def note(self, what: str, trial: str, ordinal: int) -> None:
        self.notes.append(what)


def execute(back: Back, tape: list[Event] | None = None, job: CommandJob = JOB) -> Any:
    nothing = cast("Any", None)
    probe = Probe(nothing, "trial", nothing, nothing, cast("Any", back), tape=tape or [])
    return asyncio.run(probe.execute(job))


def recorded(run: CommandRun = RAN) -> list[Event]:
    back = Back(run)
    execute(back)
    return back.events


def test_what_is_recorded_is_everything_but_the_timing() -> None:
    [event] = recorded()
    assert event.data["result"] == RAN.comparable()
    assert event.data["result"]["output"] == "1\n"


def test_the_same_again_is_no_news_whatever_it_complains_of() -> None:
    """Complaints name the versions of interpreters."""
    back = Back(msgspec.structs.replace(RAN, seconds=9.0, errors="Node.js v99"), live=False)
    assert execute(back, recorded()) == RAN.comparable()
    assert back.notes == []


@pytest.mark.parametrize("change", [{"output": "2\n"}, {"exit_code": 1}, {"cut": True}])
def test_another_result_is_a_divergence(change: dict[str, Any]) -> None:
    other = msgspec.structs.replace(RAN, **change)
    with pytest.raises(Divergence, match="another result than was recorded"):
        execute(Back(other, other, live=False), recorded())


def test_another_job_is_a_divergence() -> None:
    other = msgspec.structs.replace(JOB, stdin="x")
    with pytest.raises(Divergence, match="something else than recorded"):
        execute(Back(RAN, live=False), recorded(), other)


def test_a_program_that_differs_from_itself_is_told_and_the_record_stands() -> None:
    back = Back(*[msgspec.structs.replace(RAN, output=text) for text in ("2\n", "3\n")], live=False)
    assert execute(back, recorded())["output"] == "1\n"
    assert back.notes == ["not deterministic"]


@pytest.mark.parametrize("state", ["timeout", "memory", "killed", "unavailable"])
def test_a_limit_or_a_missing_command_is_environment_dependent(state: Any) -> None:
    other = CommandRun(state=state, environment_dependent=True)
    back = Back(other, other, live=False)
    assert execute(back, recorded()) == RAN.comparable()
    assert back.notes == ["environment-dependent"]


def test_what_a_command_printed_before_it_was_ended_is_not_compared() -> None:
    ended = CommandRun(state="timeout", output="1\n2\n", environment_dependent=True)
    back = Back(msgspec.structs.replace(ended, output="1\n"), live=False)
    assert execute(back, recorded(ended))["output"] == "1\n2\n"
    assert back.notes == []


def test_a_missing_command_is_never_recorded() -> None:
    back = Back(CommandRun(state="unavailable", detail="the command 'node' is not here"))
    with pytest.raises(SandboxUnavailable, match="'node'"):
        execute(back)
    assert back.events == []


def test_a_lost_run_is_recorded_and_excludes_its_trial_on_replay_too() -> None:
    """Workers that were killed became failures of the subject."""
    back = Back(CommandRun(state="lost", detail="the worker process was ended", environment_dependent=True))
    with pytest.raises(SubjectFault) as fault:
        execute(back)
    assert fault.value.name == "sandbox_lost"
    assert not fault.value.retriable
    again = Back(RAN, RAN, live=False)
    with pytest.raises(SubjectFault, match="sandbox_lost"):
        execute(again, back.events)
    assert again.notes == ["environment-dependent"]
