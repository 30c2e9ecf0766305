"""How the command ends when something of its own or of the machine goes wrong: a sentence, never a traceback."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import assay.bench
import assay.report.publish
from assay.testing.stub import stub_process
from tests.support import ledger_events

from .conftest import Assay

PING = ("run", "ping", "-s", "reference:mumbler", "--quick", "--name", "r")


def _broken(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("a fault\x1b[31m")


def test_a_fault_of_our_own_is_said_to_be_one(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.api.declaration.prepare", _broken)
    ended = assay(*PING)
    assert (ended.code, ended.out) == (70, "")
    assert ended.err == (
        "assay: a fault of Assay itself (ZeroDivisionError: a fault); "
        "set ASSAY_TRACEBACK=1 and run it again to see where, and please report it\n"
    )


def test_an_instrument_that_fails_is_named_with_its_trial(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay_drill.ping.Ping.conduct", _broken)
    ended = assay(*PING)
    assert ended.code == 70
    told = ended.err.splitlines()[-1]
    assert told.startswith("assay: trial ")
    assert (
        "the instrument ping failed in conduct (ZeroDivisionError: a fault); nothing of it is scored" in told
    )


def test_a_picture_that_fails_costs_a_picture(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("assay.report.publish.render_report", _broken)
        ended = assay(*PING)
    assert ended.code == 2
    assert ended.err.splitlines()[-1] == (
        "assay: the report could not be drawn (ZeroDivisionError: a fault); "
        "the readings are in runs/r, try again with: assay report runs/r"
    )
    assert assay("audit", "r").code == 0
    assert assay("report", "r") == (0, "Report   runs/r/report.html\n", "")


@pytest.mark.parametrize(
    ("step", "what"),
    {
        "assay.report.publish.write_whole": "runs/r/reading-ping.json: No space left on device",
        "assay.report.records.replacing": "runs/r/records-ping.csv cannot be written: No space left on device",
        "assay.evidence.manifest.write_whole": "the manifest runs/r/ledger/manifest-0001.json could not be written: "
        "No space left on device",
    }.items(),
)
def test_a_disk_that_is_full_when_the_run_is_closed_is_exit_code_3(
    assay: Assay, monkeypatch: pytest.MonkeyPatch, step: str, what: str
) -> None:
    def full(path: Path, *_: Any) -> None:
        raise OSError(28, os.strerror(28), str(path))

    with monkeypatch.context() as patched:
        patched.setattr(step, full)
        ended = assay(*PING)
    assert ended.code == 3
    assert ended.err.splitlines()[-1] == (
        f"assay: everything is measured, but the run could not be closed ({what}); "
        "make room and close it with: assay resume runs/r"
    )
    assert assay("resume", "r").code == 0
    assert assay("audit", "r").code == 0


def test_a_folder_that_cannot_be_read_is_named(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied", "runs/r/.writer")

    assay(*PING)
    monkeypatch.setattr("assay.bench.RunFolder.__enter__", forbidden)
    assert assay("resume", "r") == (2, "", "assay: runs/r/.writer: Permission denied\n")


def test_an_endpoint_that_refuses_us_is_exit_code_3_and_the_run_goes_on_when_put_right(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stub_process(required_key="right-key-1234") as stub:
        monkeypatch.setenv("STUB_KEY", "wrong-key-1234")
        ended = assay(
            "run", "ping", "-s", "openai:stub", "--base-url", stub.url, "--key-env", "STUB_KEY",
            "--set", "trials=20", "--name", "r",
        )  # fmt: skip
        assert ended.code == 3
        first, last = ended.out.splitlines()
        assert first.startswith("Stopped: ")
        assert "401" in first
        assert last == "What is recorded is safe. Go on with: assay resume runs/r"
        monkeypatch.setenv("STUB_KEY", "right-key-1234")
        assert assay("resume", "r").code == 0
    received = [
        e for e in ledger_events(assay_folder(tmp_path)) if e["kind"] == "received" and "reply" in e["data"]
    ]
    assert len(received) == 20
    assert assay("audit", "r").code == 0


def assay_folder(tmp_path: Path) -> assay.bench.RunFolder:
    return assay.bench.RunFolder(tmp_path / "runs/r")


def test_a_path_with_spaces_is_quoted_in_the_command_to_go_on_with(assay: Assay) -> None:
    ended = assay(*PING, "--out", "my runs", "--budget", "calls=3")
    assert ended.code == 3
    assert ended.out.endswith("Go on with: assay resume 'my runs/r'\n")
