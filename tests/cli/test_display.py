"""What a person sees while a run goes on: a live table on a terminal, plain lines elsewhere, never raw model text."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.bench import Meter, Progress
from assay.cli.display import status_line
from assay.study import Budget
from assay.testing.stub import stub_process
from tests.support import ASSAY, command, environment

EVIL = "\x1b]0;owned\x07\x1b[31mred\x9b2J\u202e"
_OURS = (
    re.compile(  # what rich itself uses: colours, cursor up and home, erase line, hide and show the cursor
        r"\x1b\[(?:[0-9;]*m|\d*A|2K|\?25[lh])"
    )
)


def in_a_terminal(*arguments: str, cwd: Path) -> tuple[int, str]:
    """Run ``assay`` with a pseudo-terminal of 120 columns for stdout and stderr."""
    ours, theirs = pty.openpty()
    env = environment(cwd, TERM="xterm-256color", COLUMNS="120", LINES="40")
    process = subprocess.Popen(
        [*ASSAY, *arguments], cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # how Linux says that the other side is gone
        pass
    finally:
        os.close(ours)
    return process.wait(timeout=300), shown.decode()


def evil_study(folder: Path, url: str, **more: Any) -> Path:
    spec = {"subject": "openai:stub", "base_url": url, "label": "red[bold]x[/bold]"}
    study = {"name": f"evil {EVIL}", "subjects": [spec], "instruments": {"ping": {"trials": 40}}, **more}
    path = folder / "evil.yaml"
    path.write_text(yaml.safe_dump(study))
    return path


def test_a_terminal_shows_a_live_table_and_no_escapes_but_its_own(tmp_path: Path) -> None:
    with stub_process(answer=f"fixed:{EVIL}", latency=0.1) as stub:
        code, shown = in_a_terminal("run", str(evil_study(tmp_path, stub.url)), "--name", "r", cwd=tmp_path)
    assert code == 0
    assert "subject and condition" in shown
    assert "40/40" in shown
    assert "40/40 trials · " in shown
    assert "red[bold]x[/bold]" in shown, "a label is shown as it is"
    assert shown.rstrip().endswith("assay audit runs/r")
    rest = _OURS.sub("", shown)
    assert "\x1b" not in rest
    assert not set(rest) & {"\x07", "\x9b", "\u202e"}
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h"), "the cursor is given back"


def test_elsewhere_there_are_plain_lines(tmp_path: Path) -> None:
    with stub_process(answer=f"fixed:{EVIL}") as stub:
        ended = command("run", evil_study(tmp_path, stub.url), "--name", "r", cwd=tmp_path)
    assert ended.returncode == 0
    assert ended.stderr.splitlines()[-1].startswith("40/40 trials · ")
    assert ended.stderr.endswith("\n")
    assert not set(ended.stdout + ended.stderr) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_a_subject_that_cannot_be_started_is_named_without_its_escapes(tmp_path: Path) -> None:
    study = {"subjects": [{"subject": "python:no_such:thing", "label": "[red]x"}], "instruments": ["ping"]}
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study))
    ended = command("run", "study.yaml", "--name", "r", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "starting [red]x" in ended.stderr
    assert not set(ended.stderr) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_the_line_tells_everything_and_stays_one_line() -> None:
    progress = Progress(Meter(Budget()))
    tally = progress.tally("x")
    tally.planned, tally.done = 10, 4
    progress.meter.input_tokens, progress.meter.output_tokens, progress.meter.cost = 1200, 34, 0.5
    progress.meter.faults.update(http_429=3, reset=1)
    assert status_line(progress) == (
        "4/10 trials · 0.0 calls/s · 1,234 tokens · cost 0.5000 · faults http_429 3, reset 1 · left –"
    )
    progress.message = "starting a\nb\x1b[2J"
    assert status_line(progress).startswith("starting a b · 4/10 trials")


def test_the_last_line_has_the_mean_of_the_whole_run() -> None:
    progress = Progress(Meter(Budget()))
    tally = progress.tally("x")
    tally.planned = tally.done = 10
    progress.meter.replies, progress.meter.spent_before = 30_000, 10_000.0
    assert status_line(progress) == "10/10 trials · 0.0 calls/s · 0 tokens · left –"
    progress.ended = True
    assert status_line(progress) == "10/10 trials · 3.0 calls/s · 0 tokens · left 0:00"
    tally.done = 9
    assert status_line(progress).endswith("left –")


def test_a_short_run_that_made_calls_does_not_end_with_none_a_second(tmp_path: Path) -> None:
    ended = command("run", "ping", "-s", "reference:mumbler", "--trials", "100", cwd=tmp_path)
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("100/100 trials · ")
    assert " 0.0 calls/s" not in last
    assert last.endswith("left 0:00")


@pytest.mark.slow
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_run_whose_reader_has_left_is_completed_all_the_same(tmp_path: Path, stream: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: writer}
    run = ["run", "ping", "-s", "reference:mumbler", "--quick", "--name", "r"]
    ended = subprocess.run(
        [*ASSAY, *run],
        cwd=tmp_path,
        env=environment(tmp_path),
        check=False,
        timeout=300,
        text=True,
        **streams,
    )  # type: ignore[call-overload]
    os.close(writer)
    assert ended.returncode == (141 if stream == "stdout" else 0)
    assert "Traceback" not in (ended.stderr or "")
    assert "Exception" not in (ended.stderr or "")
    assert command("audit", "r", cwd=tmp_path).returncode == 0
