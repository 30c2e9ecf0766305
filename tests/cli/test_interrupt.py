"""Ctrl-C and SIGTERM: a clean stop, nothing recorded is asked again; a second one leaves at once."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.bench import RunFolder
from assay.canonical import encode, sha256_hex
from assay.testing.stub import Fault, Faults, StubProcess, stub_process
from tests.support import ASSAY, command, environment, ledger_events, result_bytes

TRIALS = 32
FIRST = 12


def holding(first: int) -> Faults:
    """So many replies at once; the next four take so long that no run ends before it is interrupted."""
    return Faults((Fault("chunked", until=first), Fault("slow", seconds=10, until=first + 4)))


@contextmanager
def begun(cwd: Path, stub: StubProcess, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A run under way, some of its replies recorded."""
    arguments = ["run", "ping", "-s", "openai:stub", "--base-url", stub.url, "--set", f"trials={TRIALS}"]
    process = subprocess.Popen(
        [*ASSAY, *arguments, "--connections", "4", "--name", "r", *more],
        cwd=cwd, env=environment(cwd), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        while process.poll() is None and stub.stats().requests <= FIRST:
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def nothing_was_lost_or_asked_again(cwd: Path, stub: StubProcess, *, in_flight: int) -> None:
    """Resume, and hold the ledger against what the endpoint saw."""
    folder = RunFolder(cwd / "runs/r")
    held = {
        sha256_hex(encode(sent["data"]["wire"]))
        for sent in ledger_events(folder)
        if sent["kind"] == "sent"
        and any(
            e["kind"] == "received" and e["trial"] == sent["trial"] and "reply" in e["data"]
            for e in ledger_events(folder)
        )
    }
    before = stub.bodies()
    resumed = command("resume", "r", cwd=cwd)
    assert resumed.returncode == 0, resumed.stderr
    after = stub.bodies()
    assert held
    assert {body for body in held if after[body] > before[body]} == set()
    assert len(after) == TRIALS
    assert sum(after.values()) <= TRIALS + in_flight
    assert command("audit", "r", cwd=cwd).returncode == 0
    whole = command(
        "run", "ping", "-s", "openai:stub", "--base-url", stub.url, "--set", f"trials={TRIALS}",
        "--connections", "4", "--name", "whole", cwd=cwd,
    )  # fmt: skip
    assert whole.returncode == 0
    assert result_bytes(folder, "ping") == result_bytes(RunFolder(cwd / "runs/whole"), "ping")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_cleanly_and_resume_completes(tmp_path: Path, number: signal.Signals) -> None:
    with stub_process(faults=holding(FIRST)) as stub:
        with begun(tmp_path, stub) as process:
            if number == signal.SIGINT:
                os.killpg(process.pid, number)  # as a terminal does, children included
            else:
                process.send_signal(number)
            out, err = process.communicate(timeout=300)
        assert process.returncode == 130
        assert out == "Stopped: interrupted.\nWhat is recorded is safe. Go on with: assay resume runs/r\n"
        assert "stopping: waiting for replies under way (press Ctrl-C again to leave at once)" in err
        assert "Traceback" not in err
        events = ledger_events(RunFolder(tmp_path / "runs/r"))
        assert events[-1]["kind"] == "stopped"
        assert sum(e["kind"] == "sent" for e in events) == sum(e["kind"] == "received" for e in events)
        nothing_was_lost_or_asked_again(tmp_path, stub, in_flight=0)


@pytest.mark.slow
def test_a_second_signal_leaves_at_once_and_the_ledger_is_sound(tmp_path: Path) -> None:
    with stub_process(faults=holding(FIRST)) as fast:
        port = fast.port
        with begun(tmp_path, fast) as process:
            fast.process.send_signal(
                signal.SIGSTOP
            )  # from here on no reply comes: the run would wait for minutes
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            for line in process.stderr:
                if "stopping" in line:
                    break
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.5)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=300) == 130
            rest = process.stderr.read()
        fast.process.send_signal(signal.SIGCONT)
        assert "Traceback" not in rest
        assert fast.port == port
        nothing_was_lost_or_asked_again(tmp_path, fast, in_flight=4)


@pytest.mark.slow
def test_an_interrupted_run_tells_machines_too(tmp_path: Path) -> None:
    with stub_process(faults=holding(FIRST)) as stub, begun(tmp_path, stub, "--json") as process:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=300)
    assert process.returncode == 130
    assert out == '{"run":"runs/r","finished":false,"reason":"interrupted"}\n'


@pytest.mark.slow
def test_ctrl_c_leaves_programs_under_way_out_of_the_record(tmp_path: Path) -> None:
    program = "import time\ndef add(a, b):\n    time.sleep(0.02)\n    return a + b"
    with stub_process(answer=f"fixed:```python\n{program}\n```", faults=holding(4)) as stub:
        subject = ["repeatability", "-s", "openai:stub", "--base-url", stub.url]
        few = ["--set", "contracts=add", "--set", "repetitions=8", "--set", "temperatures=0.5", "--name", "r"]
        process = subprocess.Popen(
            [*ASSAY, "run", *subject, *few], cwd=tmp_path, env=environment(tmp_path), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        ledger = tmp_path / "runs/r/ledger/0001.jsonl"
        while process.poll() is None and not (ledger.exists() and b'"computed"' in ledger.read_bytes()):
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=300)
        assert process.returncode == 130
        assert "Traceback" not in err
        assert command("resume", "r", cwd=tmp_path).returncode == 0
    folder = RunFolder(tmp_path / "runs/r")
    reasons = {event["data"]["reason"] for event in ledger_events(folder) if event["kind"] == "end"}
    assert reasons == {"pass"}, "no program is held to have failed because we left"
    assert command("audit", "r", cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_the_terminal_gets_its_cursor_back_when_we_leave_at_once(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with stub_process(latency=60) as stub:
        arguments = ["run", "ping", "-s", "openai:stub", "--base-url", stub.url, "--quick", "--name", "r"]
        process = subprocess.Popen(
            [*ASSAY, *arguments], cwd=tmp_path, env=environment(tmp_path, TERM="xterm"),
            stdin=theirs, stdout=theirs, stderr=theirs,
        )  # fmt: skip
        os.close(theirs)
        shown = b""
        for mark in (b"0/10", b"stopping"):
            while mark not in shown:
                shown += os.read(ours, 65536)
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) == 130
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # how Linux says that the other side is gone
        pass
    finally:
        os.close(ours)
    assert b"\x1b[?25l" in shown
    assert shown.rfind(b"\x1b[?25h") > shown.rfind(b"\x1b[?25l")
