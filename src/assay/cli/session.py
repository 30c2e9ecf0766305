"""One session of a run on the command line: begin or resume, show progress, close, report."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.errors import AssayError

from .output import command_of, complain, keep_secret, print_json, say

if TYPE_CHECKING:
    from assay.bench import Instrument, RunFolder
    from assay.study import Budget, Lock

__all__ = ["run_session"]

INTERRUPTED = 130
STOPPED = 3


def run_session(
    folder: RunFolder,
    lock: Lock,
    *,
    as_json: bool,
    unconfined: bool,
    key: Path | None,
    budget: Budget | None = None,
) -> int:
    """Run to the end or to a clean stop; returns the exit code."""
    from assay.api.session import Session

    from .display import watch

    session = Session(folder, lock, allow_unconfined_code=unconfined, budget=budget)
    keep_secret(session.subjects)
    session.check_sandbox()
    stopped = asyncio.run(session.measure(lambda progress: watch(progress, quiet=as_json), _stop_on_signals))
    if stopped is not None:
        return _stopped(folder, lock, stopped.reason, as_json)
    return _close(folder, lock, session.instruments, as_json, key)


def _stopped(folder: RunFolder, lock: Lock, reason: str, as_json: bool) -> int:
    code = INTERRUPTED if reason == "interrupted" else STOPPED
    if as_json:
        from .output import safe

        print_json({"run": str(folder.path), "finished": False, "reason": safe(reason)})
        return code
    say(f"Stopped: {reason.rstrip('.')}.")
    say(f"What is recorded is safe. Go on with: {command_of('resume', folder.path, lock)}")
    return code


def _close(
    folder: RunFolder, lock: Lock, instruments: list[Instrument], as_json: bool, key: Path | None
) -> int:
    """Readings, records and manifest; then the report. A run that is closed already is only shown again."""
    from assay.api.session import close_run
    from assay.report.publish import write_report

    found = close_run(folder, lock, instruments, key=key, again=command_of("resume", folder.path, lock))
    try:
        path, presentations = write_report(folder, lock, instruments, found)
    except AssayError:
        raise
    except Exception as error:
        # The measurement is closed and safe; only its picture failed. Say so and let the user try again.
        complain(
            f"assay: the report could not be drawn ({type(error).__name__}: {error}); "
            f"the readings are in {folder.path}, try again with: {command_of('report', folder.path, lock)}"
        )
        return 2
    if as_json:
        print_json({"run": str(folder.path), "finished": True, "readings": [one.reading for one in found]})
        return 0
    for presentation in presentations:
        _headline(presentation)
    say(f"\nRun      {folder.path}\nReport   {path}\nAudit    {command_of('audit', folder.path, lock)}")
    return 0


def _headline(presentation: Any) -> None:
    from rich.console import Console

    from assay.report.terminal import headline_text, plain_text

    console = Console()
    if console.is_terminal:
        console.print(headline_text(presentation))
    else:
        typer.echo(plain_text(presentation))


def _stop_on_signals(stop: Any) -> None:
    """The first signal stops cleanly; a second one ends the process at once. Nothing recorded is lost."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM)

    def first() -> None:
        stop("interrupted")
        for number in numbers:
            loop.remove_signal_handler(number)
            signal.signal(number, second)
        complain("\nstopping: waiting for replies under way (press Ctrl-C again to leave at once)")

    def second(*_: object) -> None:
        if os.isatty(2):
            os.write(2, b"\x1b[?25h\n")  # the live table hides the cursor
        os._exit(INTERRUPTED)

    for number in numbers:
        with contextlib.suppress(NotImplementedError, ValueError):
            loop.add_signal_handler(number, first)
