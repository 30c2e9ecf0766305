"""One session of a run on the command line: begin or resume, show progress, close, report."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.errors import AssayError, StorageFull, SubjectRefused

from .output import command_of, complain, keep_secret, print_json, say

if TYPE_CHECKING:
    from assay.bench import Instrument, RunFolder
    from assay.study import Budget, Lock
    from assay.subjects.base import Subject

__all__ = ["default_name", "run_session"]

INTERRUPTED = 130
STOPPED = 3


def default_name(lock: Lock) -> str:
    from assay.report.text import safe_name

    return safe_name(f"{time.strftime('%Y%m%d-%H%M%S')}-{lock.study.name}")


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
    from assay.bench.instrument import runs_code
    from assay.bench.prepare import instruments_of, subjects_of
    from assay.sandbox import sandbox_report

    instruments, subjects = instruments_of(lock), subjects_of(lock)
    keep_secret(subjects)
    if any(runs_code(instrument, lock) for instrument in instruments):
        sandbox_report(allow_unconfined_code=unconfined)  # refuses before anything is asked and paid for
    finished, reason = asyncio.run(
        _measure(folder, lock, instruments, subjects, quiet=as_json, unconfined=unconfined, budget=budget)
    )
    if not finished:
        return _stopped(folder, lock, reason, as_json)
    return _close(folder, lock, instruments, as_json, key)


async def _measure(
    folder: RunFolder,
    lock: Lock,
    instruments: list[Instrument],
    subjects: list[Subject],
    *,
    quiet: bool,
    unconfined: bool,
    budget: Budget | None,
) -> tuple[bool, str]:
    """Whether the study is finished, and if not, why."""
    from assay.bench import Meter, Runner
    from assay.bench.environment import environment
    from assay.bench.live import SandboxService

    from .display import watch

    runner = Runner(
        lock,
        folder,
        instruments,
        subjects,
        meter=Meter(budget or lock.study.budget),
        sandbox=SandboxService(allow_unconfined_code=unconfined),
        environment=lambda: environment(allow_unconfined_code=unconfined),
    )
    _stop_on_signals(runner.stop)
    async with watch(runner.progress, quiet=quiet):
        try:
            finished = await runner.run()
        except SubjectRefused as refused:  # what was recorded before stands; put right, the run can go on
            return False, runner.stop_reason or str(refused)
    return finished, runner.stop_reason


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
    from assay.evidence.manifest import manifest_paths
    from assay.report.publish import publish, score_run, write_report

    try:
        if manifest_paths(folder.ledger):
            folder.read_sealed()
            found = score_run(folder, lock, instruments)
        else:
            found = publish(folder, lock, instruments, key)
    except (OSError, AssayError) as error:
        if isinstance(error, AssayError) and not isinstance(error.__context__, OSError):
            raise
        what = (
            str(error)
            if isinstance(error, AssayError)
            else f"{error.filename or folder.path}: {error.strerror}"
        )
        raise StorageFull(
            f"everything is measured, but the run could not be closed ({what}); "
            f"make room and close it with: {command_of('resume', folder.path, lock)}"
        ) from error
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
