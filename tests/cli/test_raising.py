"""A callable or an agent that raises is a fault of the subject: named, quoted, with its traceback and output kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from tests.support import ledger_events

from .conftest import Assay

CALLABLE = """
import os

def answer(messages):
    print("looking for the city", end="")
    return find(os.environ.get("CITY_API_KEY"))

def find(key):
    raise ValueError(f"no such city, asked with {key}")
"""
AGENT = """
def solve(task, act):
    print("about to act")
    return task["no such field"]
"""


def _received(tmp_path: Path) -> list[dict[str, Any]]:
    events = ledger_events(RunFolder(tmp_path / "runs/r"))
    return [event["data"] for event in events if event["kind"] == "received"]


def test_a_callable_that_raises_keeps_its_traceback_and_output_and_no_key(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITY_API_KEY", "sk-ab12cd34ef56")
    (tmp_path / "weak.py").write_text(CALLABLE)
    ended = assay("run", "ping", "-s", "python:weak:answer", "--set", "trials=3", "--name", "r")
    first = _received(tmp_path)[0]
    assert first["detail"] == "ValueError: no such city, asked with [redacted]"
    assert first["printed"] == "looking for the city"
    assert first["trace"].splitlines()[-2].strip().startswith("raise ValueError(")
    assert "_python_host" not in first["trace"]
    assert "the subject itself raised in 3 of 3 trials (subject_raised)" in ended.out
    assert 'raise ValueError(f"no such city' in ended.out
    assert "infrastructure" not in ended.out
    page = (tmp_path / "runs/r/report.html").read_text("utf-8")
    assert "the subject itself raised in 3 of 3 trials" in page
    for path in (tmp_path / "runs/r").rglob("*"):
        assert path.is_dir() or b"sk-ab12cd34ef56" not in path.read_bytes(), path
    assert assay("audit", "r").code == 0


def test_a_process_that_ends_keeps_what_it_printed(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "weak.py").write_text(
        "import os\ndef answer(messages):\n    print('bye', flush=True)\n    os._exit(7)\n"
    )
    assay("run", "ping", "-s", "python:weak:answer", "--set", "trials=1", "--name", "r")
    [received] = _received(tmp_path)
    assert (received["fault"], received["printed"]) == ("subject_died", "bye\n")


def test_output_of_one_trial_is_not_given_to_another(assay: Assay, tmp_path: Path) -> None:
    source = (
        "calls = []\ndef answer(messages):\n    calls.append(1)\n    print('call', len(calls))\n"
        "    if len(calls) == 3:\n        raise ValueError('third')\n    return 'yes'\n"
    )
    (tmp_path / "weak.py").write_text(source)
    assay("run", "ping", "-s", "python:weak:answer", "--set", "trials=4", "--name", "r")
    assert [one["printed"] for one in _received(tmp_path) if "printed" in one] == ["call 3\n"]


def test_a_subject_that_raises_again_and_again_is_told_to_be_mended(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "weak.py").write_text("def answer(messages):\n    raise ValueError('no such city')\n")
    ended = assay("run", "ping", "-s", "python:weak:answer", "--set", "trials=30", "--name", "r")
    assert ended.code == 3
    assert "its own code failed in 25 trials in a row" in ended.out
    assert "Mend the subject" in ended.out
    assert "in answer" in ended.out  # the end of the first traceback
    assert "infrastructure" not in ended.out
    assert "endpoint" not in ended.out


def test_how_many_episodes_raised_stands_beside_every_level(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text(AGENT)
    ended = assay(
        "run", "agency", "-s", "python:crash:solve", "-s", "reference:able", "--boundary", "extended",
        "--quick", "--set", "families=thermostat", "--name", "r",
    )  # fmt: skip
    assert ended.code == 4
    reading = json.loads((tmp_path / "runs/r/reading-agency.json").read_bytes())
    [fault] = reading["envelope"]["faults"]
    episodes = fault["of"]
    assert (fault["fault"], fault["trials"], fault["lost"]) == ("subject_raised", episodes, 0)
    rows = {line.split()[0]: line.split() for line in ended.out.splitlines() if ":" in line.partition(" ")[0]}
    assert rows["python:crash:solve"][1:4] == [str(episodes), "of", str(episodes)]
    assert rows["reference:able"][1] == "0"
    assert f"the subject itself raised in {episodes} of {episodes} episodes" in ended.out
    assert "KeyError: 'no such field'" in ended.out
    assert "run the study anew" in ended.out
    page = (tmp_path / "runs/r/report.html").read_text("utf-8")
    assert f'<td class="short">{episodes} of {episodes}</td>' in page
    assert {one["printed"] for one in _received(tmp_path) if "fault" in one} == {"about to act\n"}
