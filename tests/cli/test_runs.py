"""``assay list runs`` and the money of ``assay status``."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.evidence import segment_paths
from assay.study import Budget, Price, Study, SubjectSpec
from assay.testing.stub import Faults, stub_process
from tests.support import begin, record_trials

from .conftest import Assay

PING: dict[str, Any] = {"subjects": ("reference:mumbler",), "instruments": {"ping": {"trials": 4}}}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "runs"


def listed(assay: Assay, *arguments: str) -> dict[str, dict[str, Any]]:
    ended = assay("list", "runs", *arguments, "--json")
    assert ended.code == 0
    return {run["name"]: run for run in json.loads(ended.out)}


def test_runs_are_listed_newest_first_with_what_they_took(assay: Assay, runs: Path) -> None:
    assert assay("run", "ping", "-s", "reference:mumbler", "--trials", "4", "--name", "new").code == 0
    record_trials(*begin(runs, Study(**PING), "old"), ["a", "b"], finished=False)  # begun in 1970
    begin(runs, Study(**PING), "waiting")
    found = listed(assay)
    assert found["new"] | {"begun": "", "path": ""} == {
        "name": "new", "path": "", "state": "closed", "begun": "", "instruments": ["ping"],
        "subjects": ["reference:mumbler"], "trials": 4, "planned": 4, "calls": 4, "cost": None, "problem": "",
    }  # fmt: skip
    assert (found["old"]["state"], found["old"]["calls"]) == ("not finished", 2)
    assert (found["waiting"]["state"], found["waiting"]["trials"]) == ("not begun", 0)
    assert list(found)[-1] == "old"
    lines = assay("list", "runs").out.splitlines()
    assert [line.split()[0] for line in lines] == ["run", *found]


def test_a_damaged_folder_is_a_line_and_not_an_end(assay: Assay, runs: Path) -> None:
    record_trials(*begin(runs, Study(**PING), "good"), ["a"])
    for name in ("altered", "torn"):
        folder, lock = begin(runs, Study(**PING), name)
        record_trials(folder, lock, ["a", "b"])
        (path,) = segment_paths(folder.ledger)
        data = path.read_bytes()
        path.write_bytes(data.replace(b'"text":"a"', b'"text":"b"') if name == "altered" else data[:-9])
    (runs / "no lock" / "ledger").mkdir(parents=True)
    (runs / "cut lock").mkdir()
    (runs / "cut lock" / "lock.json").write_bytes(b'{"payload')
    os.symlink("/nowhere", runs / "link")
    (runs / "notes.txt").write_text("not a run")
    (runs / "\x1b[31mred").mkdir()
    (runs / "\x1b[31mred" / "lock.json").write_bytes(b"")
    found = listed(assay)
    states = {name: run["state"] for name, run in found.items()}
    assert states == {
        "good": "finished", "altered": "damaged", "torn": "not finished", "no lock": "damaged",
        "cut lock": "damaged", "\x1b[31mred": "damaged",
    }  # fmt: skip
    assert "0001.jsonl" in found["altered"]["problem"]
    shown = assay("list", "runs")
    assert shown.code == 0
    assert "\x1b" not in shown.out
    assert len(shown.out.splitlines()) == 7


def test_a_closed_run_is_told_without_its_instrument_and_its_ledger(assay: Assay, runs: Path) -> None:
    assert assay("run", "ping", "-s", "reference:mumbler", "--trials", "2", "--name", "new").code == 0
    (runs / "new" / "reading-ping.json").write_bytes(b"{}")
    assert listed(assay)["new"]["state"] == "damaged"


@pytest.mark.parametrize("damage", ["gone", "rubbish", "cut"])
def test_a_closed_run_without_its_evidence_is_damaged_everywhere(
    assay: Assay, runs: Path, damage: str
) -> None:
    assert assay("run", "ping", "-s", "reference:mumbler", "--trials", "2", "--name", "r").code == 0
    segment = runs / "r/ledger/0001.jsonl"
    if damage == "gone":
        shutil.rmtree(segment.parent)
    else:
        segment.write_bytes(b"\x00\xff\n" * 99 if damage == "rubbish" else segment.read_bytes()[:-9])
    before = sorted(path.name for path in (runs / "r").rglob("*"))
    assert listed(assay)["r"]["state"] == "damaged"
    told = assay("status", "r")
    assert (told.code, told.out.splitlines()[0]) == (1, "runs/r: damaged")
    assert "assay resume" not in told.out
    shown = assay("view", "r")
    assert shown.code == 1
    assert "damaged" in shown.err
    assert "going on" not in shown.err
    for command in (("resume", "r"), ("resume", "r", "--retry-lost"), ("export", "r"), ("report", "r")):
        assert assay(*command).code == 1, command
    assert {path.name for path in (runs / "r").rglob("*")} <= {*before, ".writer"}


def test_another_folder_and_none(assay: Assay, runs: Path, tmp_path: Path) -> None:
    assert assay("list", "runs").out == "There are no runs in runs.\n"
    begin(tmp_path / "elsewhere", Study(**PING), "there")
    assert list(listed(assay, "--out", "elsewhere")) == ["there"]
    runs.mkdir()
    assert assay("list", "runs").out.startswith("There are no runs")


def test_status_says_what_was_spent_of_the_budget_and_on_whom(assay: Assay, runs: Path) -> None:
    price = Price(1.0, 1.0)
    specs = (
        SubjectSpec("reference:mumbler", label="one", price=price),
        SubjectSpec("reference:mumbler", label="two", price=price),
    )
    study = Study(subjects=specs, instruments={"ping": {"trials": 2}}, budget=Budget(cost=4.0, calls=10))
    folder, lock = begin(runs, study, "paid")
    record_trials(folder, lock, ["a", "b", "c"], finished=False)
    (path,) = segment_paths(folder.ledger)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))  # the third has no outcome
    told = json.loads(assay("status", "paid", "--json").out)
    assert listed(assay)["paid"]["cost"] == 0.75
    assert (told["cost"], told["budget"]) == (0.75, {"calls": 10, "cost": 4.0})
    assert {name: used["cost"] for name, used in told["by_subject"].items()} == {
        "one": 0.25, "two": 0.25, "trials that are not finished": 0.25,
    }  # fmt: skip
    shown = assay("status", "paid").out
    assert "3 of 10 calls" in shown
    assert "cost    0.75 of 4 (19%)" in shown


def test_status_without_a_price_says_nothing_of_money(assay: Assay, runs: Path) -> None:
    assert assay("run", "ping", "-s", "reference:mumbler", "--trials", "2", "--name", "free").code == 0
    assert "cost" not in assay("status", "free").out
    assert json.loads(assay("status", "free", "--json").out)["cost"] is None


def test_status_counts_what_was_sent_and_says_why_a_run_stopped(
    assay: Assay, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_KEY", "wrong-key-1234")
    with stub_process(required_key="right-key-1234") as stub:
        spec = ("-s", "openai:stub", "--base-url", stub.url, "--key-env", "STUB_KEY", "--connections", "8")
        assert assay("run", "ping", *spec, "--trials", "30", "--name", "no").code == 3
        sent = stub.stats().requests
    told = json.loads(assay("status", "no", "--json").out)
    assert (told["calls"], listed(assay)["no"]["calls"]) == (sent, sent)
    assert "401" in told["stopped"]
    shown = assay("status", "no").out
    assert told["stopped"] in shown
    assert "go on with: assay resume runs/no" in shown


def test_tries_of_a_call_that_was_given_up_stay_counted(assay: Assay, runs: Path) -> None:
    with stub_process(faults=Faults.of(http_500=1.0)) as stub:
        spec = ("-s", "openai:stub", "--base-url", stub.url, "--connections", "1", "--budget", "calls=2")
        assert assay("run", "ping", *spec, "--trials", "3", "--name", "no").code == 3
        assert assay("resume", "no").code == 3
        assert stub.stats().requests == 2
    assert json.loads(assay("status", "no", "--json").out)["calls"] == 2
