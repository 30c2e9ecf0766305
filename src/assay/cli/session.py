"""One session of a run on the command line: begin or resume, show progress, close, report."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import threading
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.errors import AssayError

from .output import command_of, complain, keep_secret, line, print_json, safe, say

if TYPE_CHECKING:
    from assay.bench import Instrument, RunFolder
    from assay.evidence.faults import FaultSummary
    from assay.study import Budget, Lock
    from assay.vocabulary import Reading

__all__ = ["run_session"]

INTERRUPTED = 130
STOPPED = 3
UNUSABLE = 4
HEARING_SECONDS = 5.0  # for the loop to hear of a signal


def run_session(
    folder: RunFolder,
    lock: Lock,
    *,
    as_json: bool,
    unconfined: bool,
    key: Path | None,
    budget: Budget | None = None,
    retry: Collection[str] | None = None,
) -> int:
    """Run to the end or to a clean stop; returns the exit code."""
    from assay.api.session import Session

    from .display import watch

    session = Session(folder, lock, allow_unconfined_code=unconfined, budget=budget)
    keep_secret(session.subjects)
    session.check_sandbox()
    with _own_signals():
        stopped = asyncio.run(
            session.measure(lambda progress: watch(progress, quiet=as_json), _stop_on_signals, retry)
        )
        if stopped is not None:
            return _stopped(folder, lock, stopped.reason, as_json, getattr(stopped.cause, "mend", ""))
        try:
            _interrupt_on_signals()
            return _close(folder, lock, session.instruments, as_json, key)
        except KeyboardInterrupt:
            return _stopped(folder, lock, "interrupted", as_json)


def _stopped(folder: RunFolder, lock: Lock, reason: str, as_json: bool, mend: str = "") -> int:
    from assay.bench.history import met_faults

    code = INTERRUPTED if reason == "interrupted" else STOPPED
    faults = met_faults(folder.ledger, lock) if code == STOPPED else []  # who interrupts does not wait for it
    if as_json:
        state: dict[str, Any] = {"finished": False, "reason": safe(reason)}
        beside = {"mend": mend, "faults": faults}
        print_json({"run": str(folder.path), **state, **{k: v for k, v in beside.items() if v}})
        return code
    _say_faults(faults)
    say(f"Stopped: {reason.rstrip('.')}.")
    if mend:
        say("This run's lock would ask the same again: change the study and run it anew.")
        return code
    say(f"What is recorded is safe. Go on with: {command_of('resume', folder.path, lock)}")
    return code


def _close(
    folder: RunFolder, lock: Lock, instruments: list[Instrument], as_json: bool, key: Path | None
) -> int:
    """Readings, records and manifest; then the report. A run that is closed already is only shown again."""
    from assay.api.session import close_run
    from assay.bench.retry import retry_note, why_not_again
    from assay.evidence.faults import read_faults
    from assay.report.publish import write_report
    from assay.report.usable import remedy_text, unusable_in

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
    readings = [one.reading for one in found]
    share = lock.study.limits.excluded_share
    unusable = [line(safe(text)) for reading in readings for text in unusable_in(reading, share)]
    code = UNUSABLE if unusable else 0
    if as_json:
        state = {"finished": True, "usable": not unusable, "unusable": unusable}
        print_json({"run": str(folder.path), **state, "readings": readings})
        return code
    for presentation, one in zip(presentations, found, strict=True):
        _headline(presentation)
        _say_faults(read_faults(one.reading.envelope), presentation.trial_noun)
        note, limit = retry_note(one.evidence)
        if note:
            say(f"Retried  {line(note)}")
        if limit:
            say(f"         Limited Comparability: {line(limit)}")
    say(f"\nRun      {folder.path}\nReport   {path}\nAudit    {command_of('audit', folder.path, lock)}")
    if failed := _not_held(readings):
        say(f"Check    {failed}: {shlex.join(['assay', 'check', str(folder.path)])}")
    for text in unusable:
        say(f"Nothing usable: {text}")
    if unusable:
        again = f"{command_of('resume', folder.path, lock)} --retry-lost"
        say(f"{remedy_text(readings, again, why_not_again(folder, lock))}.")
    return code


def _not_held(readings: Sequence[Reading]) -> str:
    """How many of what the study requires does not hold; empty where all of it does."""
    from assay.report.wording import verdict_counts

    required = [v for one in readings for v in one.result.verdicts if v.kind == "requirement"]
    wrong = [verdict for verdict in required if not verdict.holds]
    if not wrong:
        return ""
    verb = "does" if len(wrong) == 1 else "do"
    return f"{len(wrong)} of {len(required)} requirements {verb} not hold ({verdict_counts(wrong)})"


def _headline(presentation: Any) -> None:
    from rich.console import Console

    from assay.report.terminal import headline_text, plain_text

    console = Console()
    if console.is_terminal:
        console.print(headline_text(presentation))
    else:
        typer.echo(plain_text(presentation))


def _say_faults(faults: list[FaultSummary], things: str = "trials") -> None:
    """What went wrong on the way, in the endpoint's own words."""
    from assay.report.faults import said_faults

    for one in said_faults(faults, things):
        say(f"Fault    {line(one.text)}")
        for text in one.trace.splitlines():
            say(f"           {text}")


def _signals() -> tuple[signal.Signals, ...]:
    """Those that end a session. A hang-up that was ignored before we began (nohup) stays so."""
    hang_up = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    return (signal.SIGINT, signal.SIGTERM, *hang_up)


def _stop_on_signals(stop: Any) -> None:
    """The first signal stops cleanly; a second one ends the process at once. Nothing recorded is lost.

    These are handlers of the process, not of the loop: they are called even while an instrument keeps the loop busy.
    A loop that does not hear of the first one in time is left as if there had been a second.
    """
    loop = asyncio.get_running_loop()
    numbers = _signals()
    heard = threading.Event()

    def hear() -> None:
        heard.set()
        stop("interrupted")
        complain("\nstopping: waiting for replies under way (press Ctrl-C again to leave at once)")

    def first(*_: object) -> None:
        for number in numbers:
            signal.signal(number, second)
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(hear)
            threading.Thread(target=leave_unless_heard, daemon=True).start()

    def leave_unless_heard() -> None:
        if not heard.wait(HEARING_SECONDS):
            with contextlib.suppress(OSError):
                os.write(
                    2,
                    b"\nstopped while something long was read; what is recorded is safe, and can be resumed\n",
                )
            second()

    def second(*_: object) -> None:
        if os.isatty(2):
            os.write(2, b"\x1b[?25h\n")  # the live table hides the cursor
        os._exit(INTERRUPTED)

    with contextlib.suppress(ValueError):  # not the main thread: signals are not ours
        for number in numbers:
            signal.signal(number, first)


def _interrupt_on_signals() -> None:
    """While a run is scored and closed nothing waits for a reply: every signal is an interrupt."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with contextlib.suppress(ValueError):
        for number in _signals():
            signal.signal(number, interrupt)


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """What is done about signals in the block is undone behind it."""
    before = {number: signal.getsignal(number) for number in _signals()}
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            for number, handler in before.items():
                signal.signal(number, handler)
