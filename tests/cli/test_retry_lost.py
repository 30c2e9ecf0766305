"""`assay resume --retry-lost`: what was lost to a cause that was put right is asked again."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

import assay as package
from assay.bench import RunFolder
from assay.errors import InputError
from assay.evidence import segment_paths
from assay.testing.stub import Faults, stub_process
from tests.support import ASSAY, command, environment, ledger_events

from .conftest import Assay

RIGHT = "def answer(messages):\n    return 'yes'\n"
WRONG = "def answer(messages):\n    raise ValueError('no such city')\n"


def test_a_callable_that_was_mended_is_asked_again_and_the_reading_says_so(
    assay: Assay, tmp_path: Path
) -> None:
    (tmp_path / "weak.py").write_text(WRONG)
    assert assay("run", "ping", "-s", "python:weak:answer", "--set", "trials=3", "--name", "r").code == 4
    (tmp_path / "weak.py").write_text(RIGHT)
    assert assay("resume", "r").code == 4  # nothing is asked again without a word
    ended = assay("resume", "r", "--retry-lost")
    assert ended.code == 0
    result = json.loads((tmp_path / "runs/r/reading-ping.json").read_bytes())["result"]
    assert result["excluded"] == []
    cause = "3 trials were asked again after a loss (subject_raised 3), when the subject's own code had been changed"
    assert {"kind": "Limited Comparability", "cause": cause} in result["flags"]
    assert f"Limited Comparability: {cause}" in ended.out
    assert cause in (tmp_path / "runs/r/report.html").read_text("utf-8").replace("&#39;", "'")
    assert assay("audit", "r").code == 0
    assert assay("check", "r").code == 0
    seen = json.loads(assay("view", "r", "--json").out)
    assert [(one["outcome"], one["attempts"]) for one in seen["trials"]] == [("success", 2)] * 3


def test_a_run_that_gave_up_is_completed(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "weak.py").write_text(WRONG)
    assert assay("run", "ping", "-s", "python:weak:answer", "--set", "trials=30", "--name", "r").code == 3
    (tmp_path / "weak.py").write_text(RIGHT)
    ended = assay("resume", "r", "--retry-lost", "--json")
    assert ended.code == 0
    [reading] = json.loads(ended.out)["readings"]
    assert [m["n"] for m in reading["result"]["measures"] if m["name"] == "success"] == [30]
    assert assay("audit", "r").code == 0


def test_a_choice_by_fault_is_refused_while_another_is_under_way(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "weak.py").write_text(WRONG)
    run = ("run", "ping", "-s", "python:weak:answer", "--set", "trials=3", "--name", "r")
    assert assay(*run).code == 4
    (tmp_path / "weak.py").write_text(RIGHT)
    assert assay("resume", "r", "--retry-lost", "--budget", "calls=4").code == 3
    reading = json.loads(assay("report", "r", "--json").out)
    causes = [flag["cause"] for flag in reading["result"]["flags"] if flag["kind"] == "Provisional"]
    assert any("lost trials are being asked again" in cause for cause in causes)
    assert "lost trials are being asked again" in assay("export", "r", "--what", "records").err
    ended = assay("resume", "r", "--retry-lost", "--fault", "timeout")
    assert ended.code == 2
    assert "a retry of all that was lost is under way" in ended.err
    assert assay("resume", "r", "--budget", "calls=100").code == 0
    assert "Provisional" not in (tmp_path / "runs/r/reading-ping.json").read_text()


@pytest.mark.filterwarnings("always:no trial of this run is lost")
def test_what_is_asked_for_wrongly_is_refused(assay: Assay) -> None:
    assay("run", "ping", "-s", "reference:mumbler", "--quick", "--name", "r")
    assert assay("resume", "r", "--fault", "http_400").code == 2
    ended = assay("resume", "r", "--retry-lost")
    assert ended.code == 0
    assert "no trial of this run is lost" in ended.err


def test_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with pytest.raises(InputError, match="retry_lost goes with a run"):
        package.run("ping", subject="reference:mumbler", trials=3, retry_lost=True)
    with stub_process(faults=Faults.of(http_400=1.0, until=3)) as stub:
        run = package.run("ping", subject="openai:stub", base_url=stub.url, trials=3, name="r")
        assert not run.usable
        run = package.run("runs/r", retry_lost="http_400")
    assert run.usable
    replies = run.replies()
    assert replies.filter(counts=True).select("attempt", "outcome").unique().rows() == [(1, "success")]
    assert replies.filter(counts=False)["fault"].to_list() == ["http_400"] * 3
    assert package.audit("runs/r").holds


@pytest.mark.slow
def test_a_repeatability_run_whose_outputs_were_lost_in_part_is_completed(
    assay: Assay, tmp_path: Path
) -> None:
    """Its repairs were drawn up without the lost outputs: they are withdrawn and do not count anywhere."""
    cases = [{"args": [2], "expected": 4}]
    contract = {"prompt": "Double n.", "entry_point": "solve", "kind": "function", "test_cases": cases}
    (tmp_path / "mine.json").write_text(json.dumps({"double": contract}))
    study = ("--set", "contracts_file=mine.json", "--set", "temperatures=[0.2, 0.7]", "--repetitions", "4")
    with stub_process(answer="code:4", faults=Faults.of(http_400=1.0, until=2)) as stub:
        spec = ("-s", "openai:stub", "--base-url", stub.url, "--connections", "1")
        assert assay("run", "repeatability", *spec, *study, "--name", "r").code == 4
        assert assay("resume", "r", "--retry-lost").code == 0
    assert assay("audit", "r").code == 0
    trials = json.loads(assay("view", "r", "--json", "--limit", "100").out)["trials"]
    outputs = [one for one in trials if one["wave"] == 0]
    assert len({one["trial"] for one in trials}) == len(trials) > len(outputs) == 8
    assert {one["outcome"] for one in trials} == {"success"}
    assert {one["attempts"] for one in trials} == {1, 2}
    status = json.loads(assay("status", "r", "--json").out)
    assert (status["trials_finished"], status["trials_opened"], status["trials_begun"]) == (
        len(trials),
    ) * 2 + (0,)
    [listed] = json.loads(assay("list", "runs", "--json").out)
    assert (listed["trials"], listed["planned"]) == (len(trials), len(trials))
    assert assay("export", "r", "--out", "trials.jsonl").code == 0
    assert len((tmp_path / "trials.jsonl").read_text().splitlines()) == len(trials)
    assert package.load(tmp_path / "runs/r").trials().height == len(trials)


@pytest.mark.slow
def test_killed_while_lost_trials_are_asked_again_nothing_is_lost(tmp_path: Path) -> None:
    with stub_process(faults=Faults.of(http_400=1.0, until=20), latency=0.1) as stub:
        spec = ("-s", "openai:stub", "--base-url", stub.url, "--connections", "2")
        begun = command("run", "ping", *spec, "--set", "trials=20", "--name", "r", cwd=tmp_path)
        assert begun.returncode == 4, begun.stderr
        folder = RunFolder(tmp_path / "runs" / "r")
        arguments = ["resume", "r", "--retry-lost"]
        for kill in range(2):
            process = subprocess.Popen(
                [*ASSAY, *arguments],
                cwd=tmp_path,
                env=environment(tmp_path),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            while process.poll() is None and _answers(folder) < 4 * (kill + 1):
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
            arguments = ["resume", "r"]
        assert 8 <= _answers(folder) < 20
        ended = command("resume", "r", cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
    ends = [e for e in ledger_events(folder) if e["kind"] == "end"]
    assert sum(e["data"]["outcome"] == "excluded" for e in ends) == 20
    assert len({e["trial"] for e in ends if e["data"]["outcome"] != "excluded"}) == 20
    assert sum(e["kind"] == "received" and "reply" in e["data"] for e in ledger_events(folder)) == 20
    assert command("audit", "r", cwd=tmp_path).returncode == 0


def _answers(folder: RunFolder) -> int:
    return sum(path.read_bytes().count(b'"reply":{') for path in segment_paths(folder.ledger))
