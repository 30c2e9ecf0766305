"""Programs that try to get out, to cheat or to bring the bench down. None succeeds, none stops the run."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.sandbox import Job, Limits, Run, Sandbox, thaw

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made for Linux")

PROGRAMS = sorted((Path(__file__).parent.parent / "hostile_programs").glob("*.py"))
SECRET = "canary-8c1f0e"
LIMITS = Limits(
    wall_seconds=20.0,  # for a loaded machine; what loops is ended by its processor time
    cpu_seconds=1,
    memory_bytes=256 << 20,
    processes=16,
    scratch_bytes=Limits().scratch_bytes,
    output_bytes=10_000,
    result_bytes=4_000_000,
)
SLEEPERS = ("endless_sleep", "stop_itself")  # use no processor time
ORDINARY = Job(
    source="def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n",
    entry_point="gcd",
    cases=({"args": [12, 18]},),
)


class Surroundings:
    """What a program would like to reach: listeners, a canary file, an environment variable."""

    def __init__(self, folder: Path) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.abstract = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.name = f"assay-test-{os.getpid()}"
        self.abstract.bind("\0" + self.name)
        self.abstract.listen()
        self.canary = folder / "canary"
        self.canary.write_text(SECRET)
        self.folder = folder
        for link in (self.tcp, self.udp, self.abstract):
            link.setblocking(False)

    def targets(self) -> dict[str, Any]:
        return {
            "tcp_port": self.tcp.getsockname()[1],
            "udp_port": self.udp.getsockname()[1],
            "abstract_name": self.name,
            "home": str(Path.home()),
            "repository": str(Path(__file__).parents[2]),
            "folder": str(self.folder),
            "canary_file": str(self.canary),
            "caller_pid": os.getpid(),
        }

    def assert_untouched(self) -> None:
        for listener in (self.tcp, self.abstract):
            with pytest.raises(BlockingIOError):
                listener.accept()
        with pytest.raises(BlockingIOError):
            self.udp.recv(100)
        assert self.canary.read_text() == SECRET
        assert self.canary.stat().st_mode & 0o777
        assert [entry.name for entry in self.folder.iterdir()] == ["canary"]

    def close(self) -> None:
        for link in (self.tcp, self.udp, self.abstract):
            link.close()


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    monkeypatch.setenv("ASSAY_CANARY", SECRET)
    found = Surroundings(tmp_path)
    yield found
    found.close()


def expected(program: Path) -> set[tuple[str, str]]:
    """The pairs (state of the run, state of its case) that the program's header allows."""
    line = re.search(r"^# Expect: (.+)$", program.read_text(), re.MULTILINE)
    assert line is not None, f"{program.name} has no '# Expect:' line"
    return {(run, case) for run, case in (pair.split() for pair in line[1].split("|"))}


def hostile_job(program: Path, surroundings: Surroundings) -> Job:
    case = {"args": [surroundings.targets()]}
    tight = msgspec.structs.replace(LIMITS, wall_seconds=1.5)
    limits = tight if program.stem in SLEEPERS else LIMITS
    return Job(source=program.read_text(), entry_point="attack", cases=(case,), limits=limits)


async def attack(sandbox: Sandbox, program: Path, surroundings: Surroundings) -> tuple[Run, Run]:
    return await sandbox.run(hostile_job(program, surroundings)), await sandbox.run(ORDINARY)


def judge(program: Path, run: Run, after: Run) -> None:
    seen = (run.state, run.cases[0].state)
    assert seen in expected(program), f"{program.name}: {run}"
    text = msgspec.json.encode(run).decode()
    assert "ESCAPED" not in text
    assert SECRET not in text
    assert len(run.output) <= LIMITS.output_bytes
    assert after.state == "ran"
    assert thaw(after.cases[0].value) == 6


def test_there_are_at_least_25_hostile_programs_and_each_says_what_it_tries() -> None:
    assert len(PROGRAMS) >= 25
    for program in PROGRAMS:
        header = program.read_text().splitlines()[:3]
        starts = ["# Tries: ", "# Success would be seen as: ", "# Expect: "]
        assert [line.startswith(start) for line, start in zip(header, starts, strict=True)] == [True] * 3


@pytest.mark.slow
def test_no_hostile_program_succeeds_and_an_ordinary_one_runs_after_each(surroundings: Surroundings) -> None:
    async def scenario() -> None:
        async with Sandbox(workers=1) as sandbox:
            worker = next(iter(sandbox._all))
            for program in PROGRAMS:
                run, after = await attack(sandbox, program, surroundings)
                judge(program, run, after)
                surroundings.assert_untouched()
            survivors = [*sandbox._all] if sandbox.confinement.name != "bubblewrap-once" else [worker]
            assert survivors == [worker], "a worker had to be replaced"

    asyncio.run(scenario())


@pytest.mark.parametrize("name", ["scratch_remembers", "read_freed_memory", "find_install_path"])
def test_a_program_sees_neither_those_before_it_nor_where_the_bench_is(
    name: str, surroundings: Surroundings
) -> None:
    program = next(program for program in PROGRAMS if program.stem == name)

    async def scenario() -> None:
        async with Sandbox(workers=1) as sandbox:
            for _ in range(3):
                run, after = await attack(sandbox, program, surroundings)
                judge(program, run, after)
                assert thaw(run.cases[0].value) == "contained"

    asyncio.run(scenario())


def test_a_value_that_claims_to_equal_everything_equals_nothing_outside(surroundings: Surroundings) -> None:
    program = next(program for program in PROGRAMS if program.stem == "hostile_equality")

    async def scenario() -> Run:
        async with Sandbox(workers=1) as sandbox:
            return (await attack(sandbox, program, surroundings))[0]

    as_list, stranger, kind = thaw(asyncio.run(scenario()).cases[0].value)
    assert as_list == []  # its builtin base, and only that
    assert as_list != [1]
    assert stranger != stranger
    assert stranger.type_name == "Any"
    assert kind.type_name == "type"
