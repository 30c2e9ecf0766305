"""``kill -9`` at random moments: nothing is lost, nothing recorded is asked again, the result is the same."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from assay.canonical import encode, sha256_hex
from assay.evidence import LedgerIndex, segment_paths
from assay.testing.stub import stub_process
from tests.support import ASSAY, command, environment, result_bytes, study_file


def _kill_somewhere(arguments: list[str], cwd: Path, folder: RunFolder, after: float) -> bool:
    """Start a session, kill it ``after`` seconds into its own segment; False where it ended before that."""
    before = len(segment_paths(folder.ledger)) if folder.ledger.exists() else 0
    process = subprocess.Popen(
        [*ASSAY, *arguments],
        cwd=cwd,
        env=environment(cwd),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None:
        if folder.ledger.exists() and len(segment_paths(folder.ledger)) > before:
            break
        time.sleep(0.005)
    time.sleep(after)
    process.kill()
    return process.wait() == -signal.SIGKILL


def _kill_and_finish(tmp_path: Path, *, trials: int, kills: int, latency: float, longest: float) -> None:
    draw = random.Random(20_261_115)
    with stub_process(latency=latency) as stub:
        study = study_file(tmp_path, stub.url, trials=trials)
        whole = command("run", study, "--name", "whole", cwd=tmp_path)
        assert whole.returncode == 0, whole.stderr
        done = 0
        for name in (f"killed-{number}" for number in range(kills)):  # one, unless it ends before all kills
            stub.reset()
            folder = RunFolder(tmp_path / "runs" / name)
            arguments = ["run", str(study), "--name", name]
            while done < kills and _kill_somewhere(arguments, tmp_path, folder, draw.uniform(0, longest)):
                arguments = ["resume", f"runs/{name}"]
                done += 1
            last = command("resume", f"runs/{name}", cwd=tmp_path)
            assert last.returncode == 0, last.stderr
            _nothing_was_asked_twice(folder, stub.bodies())
            assert result_bytes(folder) == result_bytes(RunFolder(tmp_path / "runs" / "whole"))
            audited = command("audit", f"runs/{name}", "--json", cwd=tmp_path)
            assert audited.returncode == 0, audited.stdout
            if done == kills:
                return
    pytest.fail(f"{kills} runs ended before {kills} kills")


def _nothing_was_asked_twice(folder: RunFolder, sent: dict[str, int]) -> None:
    """Every call that reached the endpoint was announced in the ledger, and none whose reply it held."""
    index = LedgerIndex(
        folder.ledger, json.loads(folder.reading_path("drill").read_bytes())["envelope"]["lock"]
    )
    index.refresh()
    announced: Counter[str] = Counter()
    for trial in index.trials():
        for events in index.attempts(trial).values():
            wires = {event.ordinal: event.data["wire"] for event in events if event.kind == "sent"}
            for event in events:
                if event.kind in ("sent", "resent"):
                    announced[sha256_hex(encode(wires[event.ordinal]))] += 1
    index.close()
    for body, count in sent.items():
        assert count <= announced[body], "a call was sent that the ledger does not announce"
    held: set[tuple[Any, ...]] = set()
    for path in segment_paths(folder.ledger):
        for line in path.read_bytes().splitlines():
            event = json.loads(line)["event"]
            key = (event.get("trial"), event.get("attempt", 0), event.get("ordinal", 0))
            if event["kind"] == "received":
                assert key not in held, "a reply was recorded twice"
                held.add(key)
            assert event["kind"] != "resent" or key not in held, (
                "a call was sent again although its reply was held"
            )


@pytest.mark.slow
def test_a_run_that_is_killed_five_times_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    _kill_and_finish(tmp_path, trials=30, kills=5, latency=0.03, longest=0.6)


@pytest.mark.proof
def test_two_thousand_trials_survive_fifty_kills(tmp_path: Path) -> None:
    _kill_and_finish(tmp_path, trials=126, kills=50, latency=0.05, longest=0.9)
