"""A run that reads something long, or scores: it can still be interrupted, and its limits still hold."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.bench import RunFolder
from tests.support import ASSAY, command, environment, ledger_events

pytestmark = pytest.mark.slow
SOURCE = '''
import threading
import time
from pathlib import Path

from assay.bench.worker_thread import read_text
from assay.measuring import InstrumentBase
from assay.vocabulary import Message


def held(place):
    """As long as the test holds it."""
    Path(f"is-{place}").touch()
    while Path(f"hold-{place}").exists():
        time.sleep(0.01)


class Busy(InstrumentBase):
    """Reads for a long time."""

    name = "busy"

    def trials(self, lock, evidence):
        if not evidence.waves:
            for spec in lock.study.specs:
                yield self.trial(lock, spec, "word")

    async def conduct(self, trial, probe):
        reply = await probe.ask([Message("user", "Say a word.")])
        held("in-the-loop")
        await read_text(reply.text * 10_000 + "x" * 10_000, lambda text: held("outside"))
        probe.conclude("success")

    def score(self, evidence):
        held("in-scoring")
        return super().score(evidence)
'''
STUDY = """
subjects: [reference:mumbler]
instruments: [./busy.py]
limits: {trial_seconds: 1}
"""


def begun(folder: Path, *held: str, study: bool = False) -> subprocess.Popen[str]:
    (folder / "busy.py").write_text(SOURCE)
    (folder / "study.yaml").write_text(STUDY)
    for place in held:
        (folder / f"hold-{place}").touch()
    what = ("study.yaml",) if study else ("./busy.py", "-s", "reference:mumbler")
    return subprocess.Popen(
        [*ASSAY, "run", *what, "--name", "r"],
        cwd=folder, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_until(there: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    while not there() and process.poll() is None:
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("place", "number"),
    [
        ("in-the-loop", signal.SIGINT),
        ("outside", signal.SIGTERM),
        ("outside", signal.SIGHUP),
        ("in-scoring", signal.SIGHUP),
    ],
)
def test_one_signal_ends_it_and_the_run_goes_on_later(
    tmp_path: Path, place: str, number: signal.Signals
) -> None:
    process = begun(tmp_path, place)
    wait_until((tmp_path / f"is-{place}").exists, process)
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "Traceback" not in out + err
    (tmp_path / f"hold-{place}").unlink()
    resumed = command("resume", "r", "--instrument", "busy.py", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    [end] = [event for event in ledger_events(RunFolder(tmp_path / "runs/r")) if event["kind"] == "end"]
    assert end["data"]["outcome"] == "success"
    assert command("audit", "r", "--instrument", "busy.py", cwd=tmp_path).returncode == 0


def test_a_trial_ends_at_its_limit_while_its_reply_is_read(tmp_path: Path) -> None:
    process = begun(tmp_path, "outside", study=True)
    out, err = process.communicate(timeout=300)
    assert (tmp_path / "hold-outside").exists(), "the reading never ended"
    assert "Traceback" not in out + err
    [end] = [event for event in ledger_events(RunFolder(tmp_path / "runs/r")) if event["kind"] == "end"]
    assert (end["data"]["outcome"], end["data"]["reason"]) == ("excluded", "trial_timeout")


def test_a_hang_up_is_not_heard_under_nohup(tmp_path: Path) -> None:
    (tmp_path / "hold-outside").touch()
    (tmp_path / "busy.py").write_text(SOURCE)
    process = subprocess.Popen(
        ["nohup", *ASSAY, "run", "./busy.py", "-s", "reference:mumbler", "--name", "r"],
        cwd=tmp_path, env=environment(tmp_path), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_until((tmp_path / "is-outside").exists, process)
    process.send_signal(signal.SIGHUP)
    (tmp_path / "hold-outside").unlink()
    assert process.wait(timeout=300) == 0
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stderr.close()
