"""A whole agent, from a package of its own: what it brings about is seen in the world, not in its words."""

from __future__ import annotations

import ast
import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import Struct, structs

from assay.instruments.agency.episodes.interface import moves_of, opening, shown, tools_of
from assay.streams import Stream
from assay.subjects import _python_host
from assay.subjects.python import PythonSubject
from assay.vocabulary import Message
from assay.worlds import Episode, draw_task, shipped_regimes
from assay.worlds.families.inbox import Inbox
from assay.worlds.regimes import Information

from .test_python_agent import Talk, opened

SEEDS = range(6)
SEVERE = shipped_regimes()["Severe-Standard"]
# Calls fail as under Severe-Standard, and what is read is not misread: the agent copies what it reads.
REGIMES = {**shipped_regimes(), "Failing": structs.replace(SEVERE, id="Failing", information=Information())}
GOOD = ["solve", "solve_async", "Errand"]


class Run(Struct, frozen=True):
    """How an errand ended: in the state, and in the agent's words."""

    success: bool
    because: tuple[str, ...]
    claimed: bool | None
    ended: str
    undeclared: int
    faults: int
    text: str


async def errand(subject: PythonSubject, seed: int, regime: str, *, tools: tuple[str, ...] = ()) -> Run:
    """One episode. ``tools``: only these are offered."""
    family = Inbox()
    task = draw_task(family, 1, Stream("errand", seed))
    episode = Episode(family, task, REGIMES[regime], Stream("faults", seed))
    offered = tuple(t for t in tools_of(episode.brief) if not tools or t["function"]["name"] in tools)
    one = Talk(subject, f"{regime}{seed}", offered)
    one.messages = opening(episode.brief, episode.begin(), "tools")
    text = ""
    while not episode.done:
        reply = await one.ask()
        (move,) = moves_of(reply, "tools")
        if move.unreadable:
            text = reply.text
            break
        seen = episode.act(move.name, move.arguments)
        one.messages.append(Message("tool", shown(seen), tool_call_id=move.call))
    await one.forget()
    found = episode.judge(episode.snapshot())
    return Run(
        found.success,
        found.because,
        episode.claimed,
        episode.ended,
        episode.counts["undeclared"],
        sum(episode.faults.values()),
        text,
    )


def errands(name: str, regime: str = "Baseline", *, tools: tuple[str, ...] = ()) -> list[Run]:
    async def go() -> list[Run]:
        async with opened(f"errand_agent:{name}") as subject:
            runs = [await errand(subject, seed, regime, tools=tools) for seed in SEEDS]
            assert len(subject._all) == 1  # every one of them ended with its trial
            return runs

    return asyncio.run(asyncio.wait_for(go(), 300))


@pytest.mark.parametrize("name", GOOD)
def test_it_does_its_errands_and_says_so(name: str) -> None:
    assert errands(name) == [Run(True, (), True, "finished", 0, 0, "")] * len(SEEDS)


def test_it_keeps_its_footing_when_calls_fail() -> None:
    runs = errands("solve", "Failing")
    assert any(run.faults for run in runs)
    assert [run.success for run in runs] == [True] * len(SEEDS)


def test_without_a_tool_to_finish_with_it_ends_by_its_last_words() -> None:
    runs = errands("solve", tools=("register", "look"))
    assert {(run.success, run.ended, run.text) for run in runs} == {(True, "", "It is done. Actions: 1.")}


def test_without_the_tool_it_needs_it_does_not_claim_success() -> None:
    runs = errands("solve", tools=("look", "finish"))
    assert {(run.success, run.claimed) for run in runs} == {(False, False)}


def test_the_one_that_cheats_is_seen_through() -> None:
    seen_through = {(False, ("nothing was registered",), True, 1)}
    assert {(r.success, r.because, r.claimed, r.undeclared) for r in errands("boast")} == seen_through


def test_the_same_decisions_come_again() -> None:
    assert errands("Errand", "Severe-Adversarial") == errands("Errand", "Severe-Adversarial")


def test_its_package_needs_nothing_of_assay(tmp_path: Path) -> None:
    program = "import errand_agent, sys; print(*{name.partition('.')[0] for name in sys.modules})"
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    loaded = set(ran.stdout.split())
    assert "errand_agent" in loaded
    assert "assay" not in loaded


def test_its_host_is_one_file_that_needs_nothing_but_python() -> None:
    tree = ast.parse(Path(_python_host.__file__).read_text("utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [node for node in froms if node.level]
    roots = {name.partition(".")[0] for name in imported | {node.module or "" for node in froms}}
    assert roots <= sys.stdlib_module_names
    assert "asyncio" in roots
