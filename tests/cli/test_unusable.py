"""A run that came to nothing ends with exit code 4, and says what was lost, why, and what helps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay as package
from assay.testing.stub import Faults, stub_process

from .conftest import Assay

PING = ("run", "ping", "--set", "trials=4", "--name", "r")


def test_a_run_that_lost_every_trial_says_why_and_what_helps(assay: Assay) -> None:
    with stub_process(faults=Faults.of(http_400=1.0)) as stub:
        ended = assay(*PING, "-s", "openai:stub", "--base-url", stub.url)
    assert ended.code == 4
    assert (
        "Nothing usable: ping, openai:stub: all 4 trials were lost (http_400 4); "
        "the first said: “The request was not understood.”" in ended.out
    )
    assert "assay resume runs/r --retry-lost" in ended.out
    assert assay("resume", "r").code == 4
    found = json.loads(assay("resume", "r", "--json").out)
    assert (found["finished"], found["usable"], len(found["unusable"])) == (True, False, 1)
    assert assay("check", "r").code == 1
    audited = assay("audit", "r")
    assert audited.code == 0
    lost = "doubt     ping, openai:stub: 4 of 4 trials were lost, more than the declared share of 0.1"
    assert lost in audited.out.splitlines()
    assert audited.out.endswith("finding   Contested (Evidence Insufficient)\n")


def test_one_subject_of_two_that_lost_every_trial_is_enough(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "weak.py").write_text("def answer(messages):\n    raise ValueError('no such city')\n")
    ended = assay(*PING, "-s", "python:weak:answer", "-s", "reference:mumbler")
    assert ended.code == 4
    assert "ValueError: no such city" in ended.out.split("Nothing usable:")[1]
    assert "Mend the subject" in ended.out


def test_more_lost_than_declared_is_nothing_usable_and_less_is(assay: Assay) -> None:
    with stub_process(faults=Faults.of(http_400=1.0, until=1)) as stub:
        spec = ("-s", "openai:stub", "--base-url", stub.url, "--connections", "1")
        lost = assay("run", "ping", *spec, "--set", "trials=4", "--name", "many")
        stub.reset()
        fine = assay("run", "ping", *spec, "--set", "trials=20", "--name", "few")
    assert (lost.code, fine.code) == (4, 0)
    assert "1 of 4 trials was lost" in lost.out


def test_in_python_a_property_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with stub_process(faults=Faults.of(http_400=1.0)) as stub:
        run = package.run("ping", subject="openai:stub", base_url=stub.url, trials=3, name="r", report=False)
    assert not run.usable
    assert "http_400 3" in run.unusable[0]
    assert run.unusable[0] in str(run)
    assert [fault.first.said for fault in run.faults] == ["The request was not understood."]
    whole = package.run("ping", subject="reference:mumbler", trials=3, name="w", report=False)
    assert whole.usable
    assert not whole.faults
