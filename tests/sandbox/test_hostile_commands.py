"""Programs of other languages that try to get out or to bring the bench down. None succeeds."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.sandbox import CommandRun, Job, Limits, Sandbox, thaw
from tests.faults.test_hostile_programs import SECRET, Surroundings

from .commands import LANGUAGES, job_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made for Linux")

PROGRAMS = sorted((Path(__file__).parent.parent / "hostile_programs" / "commands").iterdir())
LIMITS = Limits(
    wall_seconds=20.0,  # for a loaded machine; what loops is ended by its processor time
    cpu_seconds=1,
    memory_bytes=256 << 20,
    scratch_bytes=Limits().scratch_bytes,
    output_bytes=10_000,
)
SLEEPERS = ("endless_sleep", "ignore_signals")
ORDINARY = Job(source="def f(x):\n    return x + 1\n", entry_point="f", cases=({"args": [1]},))


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    monkeypatch.setenv("ASSAY_CANARY", SECRET)
    found = Surroundings(tmp_path)
    yield found
    found.close()


def header(program: Path) -> list[str]:
    return [re.sub(r"^(//|#) ", "", line) for line in program.read_text("utf-8").splitlines()[:3]]


def judge(program: Path, run: CommandRun) -> None:
    allowed = header(program)[2].removeprefix("Expect: ").split(" | ")
    assert run.state in allowed, f"{program.name}: {run}"
    assert "ESCAPED" not in run.output, f"{program.name}: {run.output}"
    assert SECRET not in run.output + run.errors
    assert max(len(run.output), len(run.errors)) <= LIMITS.output_bytes
    assert run.environment_dependent is (run.state != "ran")


def test_each_hostile_program_says_what_it_tries() -> None:
    assert len(PROGRAMS) >= 20
    for program in PROGRAMS:
        starts = ["Tries: ", "Success would be seen as: ", "Expect: "]
        assert [line.startswith(start) for line, start in zip(header(program), starts, strict=True)] == [
            True
        ] * 3


@pytest.mark.slow
def test_no_hostile_program_succeeds_and_no_worker_goes_down(surroundings: Surroundings) -> None:
    there = [program for program in PROGRAMS if shutil.which(LANGUAGES[program.suffix][0])]
    tight = Limits(wall_seconds=0.8, output_bytes=LIMITS.output_bytes)

    async def scenario() -> None:
        async with Sandbox(workers=1) as sandbox:
            python = next(iter(sandbox._all))
            started: dict[str, object] = {}
            for program in there:
                limits = tight if program.stem in SLEEPERS else LIMITS
                run = await sandbox.run(
                    job_of(program, stdin=json.dumps(surroundings.targets()), limits=limits)
                )
                judge(program, run)
                surroundings.assert_untouched()
                after = await sandbox.run(ORDINARY)
                assert (after.state, thaw(after.cases[0].value)) == ("ran", 2)
                if sandbox.confinement.name != "bubblewrap-once":
                    assert python in sandbox._all, f"{program.name}: the Python worker had to be replaced"
                    for worker in sandbox._all - {python}:
                        assert worker.tool is not None
                        assert started.setdefault(worker.tool.executable, worker) is worker, program.name

    asyncio.run(scenario())
    absent = sorted({program.suffix for program in PROGRAMS} - {program.suffix for program in there})
    if absent:
        pytest.skip(f"the rest held; not tried for want of an interpreter: {', '.join(absent)}")
