"""An agent that changes a world behind its back is not credited with what its actions did not bring about."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench import RunFolder
from assay.bench.prepare import instruments_of
from assay.instruments.agency.episodes.replay import RecordedActions
from assay.report.publish import write_report
from assay.study import Lock, Study, SubjectSpec
from assay.vocabulary import Reading, Result
from assay.worlds.families.workspace import Workspace
from tests.support import audit_run, begin, go, ledger_events

AGENTS = '''
import glob, json, os, re, sqlite3, tempfile, threading, time

def below(pattern):
    """What lies in the worlds of the process that started this one; tests may run beside each other."""
    homes = glob.glob(os.path.join(tempfile.gettempdir(), "assay-worlds-*"))
    mine = f"/proc/{os.getppid()}/fd"
    held = {os.path.realpath(os.path.join(mine, fd)) for fd in os.listdir(mine)}
    homes = [home for home in homes if os.path.realpath(os.path.join(home, "owner")) in held]
    return [path for home in homes for path in glob.glob(os.path.join(home, pattern))]

def asked(task):
    from assay.worlds.families.workspace import _understood
    goal = re.search(r"^Goal: (.*)$", task["messages"][-1]["content"], re.MULTILINE)[1]
    return [(step["name"], step["text"]) for step in _understood(goal)][0]

def honest(task, act):
    name, line = asked(task)
    act("create_file", name=name, content=line)
    act("finish", achieved=True)

def planter(task, act):
    """Writes the file that was asked for straight into the folder."""
    name, line = asked(task)
    for path in below("*/"):
        open(os.path.join(path, name), "w").write(line)
    act("finish", achieved=True)

def passing(task, act):
    """Does the right thing, and leaves a trace for a moment only."""
    for path in below("*/"):
        open(os.path.join(path, "passing.txt"), "w").write("x")
    act("look")
    for path in below("*/passing.txt"):
        os.unlink(path)
    honest(task, act)

def linker(task, act):
    """Breaks the verifier's reading."""
    name, line = asked(task)
    for path in below("*/"):
        os.symlink("/etc/hostname", os.path.join(path, name))
    act("look")
    act("finish", achieved=True)

def bookkeeper(task, act):
    """Enters what was asked for straight into the database."""
    for path in below("*/world.sqlite"):
        with sqlite3.connect(path) as base:
            base.execute("PRAGMA foreign_keys=OFF")
            for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall():
                base.execute(f"DELETE FROM {table}")
    act("finish", achieved=True)

def vandal(task, act):
    for path in below("*/world.sqlite"):
        open(path, "wb").write(b"no database")
    act("look")
    act("finish", achieved=True)
'''


def options(family: str, **more: Any) -> dict[str, Any]:
    return {
        "dimensions": ["E"], "families": [family], "levels": [1], "instances": 3, "regimes": ["Baseline"],
        "human_assistance": "none: nobody takes part", **more,
    }  # fmt: skip


def spec(agent: str) -> SubjectSpec:
    """One episode at a time: the agents touch every world that they find, and another's may be gone meanwhile."""
    return SubjectSpec(
        f"python:touching:{agent}", boundary="extended", includes=("its own code",), connections=1
    )


def measured(
    root: Path, monkeypatch: pytest.MonkeyPatch, family: str, *agents: str | SubjectSpec
) -> tuple[RunFolder, Lock, Result]:
    (root / "touching.py").write_text(AGENTS)
    monkeypatch.chdir(root)
    subjects = tuple(spec(agent) if isinstance(agent, str) else agent for agent in agents)
    folder, lock = begin(root, Study(subjects=subjects, instruments={"agency": options(family)}))
    assert go(folder, lock)
    found = msgspec.json.decode(folder.reading_path("agency").read_bytes(), type=Reading).result
    return folder, lock, found


def values(found: Result, name: str, subject: str) -> list[tuple[float | None, int]]:
    return [
        (m.value, m.n)
        for m in found.measures
        if m.name == name and str(m.labels["subject"]).startswith(subject)
    ]


def ends(folder: RunFolder) -> list[dict[str, Any]]:
    return [e["data"] for e in ledger_events(folder) if e["kind"] == "end"]


def test_what_an_agent_does_by_its_actions_is_credited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, lock, found = measured(tmp_path, monkeypatch, "workspace", "honest")
    assert values(found, "rate", "python:") == [(1.0, 3)]
    assert values(found, "touched_worlds", "python:") == [(0.0, 3)]
    assert all(e["report"]["replayed"] for e in ends(folder))
    assert audit_run(folder, lock).holds


@pytest.mark.parametrize(
    ("family", "agent"),
    [
        ("workspace", "planter"),
        ("workspace", "passing"),
        ("workspace", "linker"),
        ("records", "bookkeeper"),
        ("records", "vandal"),
    ],
)
def test_a_world_that_was_touched_from_outside_is_no_success_and_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str, agent: str
) -> None:
    folder, _, found = measured(tmp_path, monkeypatch, family, agent)
    assert found.excluded == ()
    assert values(found, "rate", "python:") == [(0.0, 3)]
    assert values(found, "touched_worlds", "python:") == [(1.0, 3)]
    for end in ends(folder):
        assert "touched from outside" in end["reason"]
        assert end["report"]["counts"]["touched"] == 1
    replays = [
        e["data"]["result"] for e in ledger_events(folder) if e.get("data", {}).get("name") == "replay"
    ]
    assert len(replays) == 3
    assert all(one["touched"] for one in replays)


def test_the_report_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for agent in ("planter", "vandal"):
        root = tmp_path / agent
        root.mkdir()
        family = "workspace" if agent == "planter" else "records"
        folder, lock, _ = measured(root, monkeypatch, family, agent)
        page = write_report(folder, lock, instruments_of(lock))[0].read_text()
        assert (
            "in 3 of 3 episodes its files or database were changed from outside, not by its actions" in page
        )
        assert "its world was changed from outside" in page


def test_an_audit_names_such_an_episode_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, lock, _ = measured(tmp_path, monkeypatch, "workspace", "planter")
    faults = audit_run(folder, lock).faults
    assert len([fault for fault in faults if "another result than was recorded" in fault]) == 3


def test_another_subject_does_not_pay_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A world that somebody else could only have touched is lost to infrastructure."""
    opened, done_again = Workspace.open, RecordedActions.differs
    untouched = threading.local()  # while a world is opened to do everything again

    def open_touched(self: Any, task: Any, *, drift: bool) -> Any:
        world: Any = opened(self, task, drift=drift)
        if not getattr(untouched, "now", False):
            look = world.look
            world.look = lambda: (world._folder.replace("planted.txt", "x"), look())[1]
        return world

    def differs(self: RecordedActions, *given: Any) -> str:
        untouched.now = True
        try:
            return done_again(self, *given)
        finally:
            untouched.now = False

    _, _, found = measured(tmp_path, monkeypatch, "workspace", SubjectSpec("reference:solver"))
    assert values(found, "rate", "reference:") == [(1.0, 3)]
    assert not values(found, "touched_worlds", "reference:")
    monkeypatch.setattr(Workspace, "open", open_touched)
    monkeypatch.setattr(RecordedActions, "differs", differs)
    other = tmp_path / "other"
    other.mkdir()
    folder, lock = begin(
        other,
        Study(subjects=("reference:solver", spec("honest")), instruments={"agency": options("workspace")}),
    )
    assert go(folder, lock)
    outcomes = {
        (e["trial"]["subject"].split(":")[0], e["outcome"], e["reason"].split(":")[0]) for e in ends(folder)
    }
    assert outcomes == {
        ("reference", "excluded", "the world was touched from outside"),
        ("python", "failure", "the world was touched from outside"),
    }
