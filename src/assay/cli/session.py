"""One session of a run on the command line: begin or resume, show progress, close, report."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.bench import RunFolder
    from assay.study import Lock

__all__ = ["default_name", "run_session"]


def default_name(lock: Lock) -> str:
    from assay.report.tables import safe_name

    return safe_name(f"{time.strftime('%Y%m%d-%H%M%S')}-{lock.study.name}")


def run_session(
    folder: RunFolder,
    lock: Lock,
    *,
    as_json: bool,
    unconfined: bool,
    key: Path | None,
    budget: Any = None,
    make_report: bool = True,
) -> int:
    """Run to the end or to a clean stop; returns the exit code."""
    from assay.bench import Meter, Runner
    from assay.bench.environment import environment
    from assay.bench.live import SandboxService
    from assay.bench.prepare import instruments_of, subjects_of
    from assay.report.publish import publish, write_report
    from assay.sandbox import sandbox_report

    from .display import watch

    instruments, subjects = instruments_of(lock), subjects_of(lock)
    sandbox_report(allow_unconfined_code=unconfined)  # refuses before anything is asked and paid for

    async def go() -> tuple[bool, str]:
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
        async with watch(runner.progress, quiet=as_json):
            finished = await runner.run()
        return finished, runner.stop_reason

    finished, reason = asyncio.run(go())
    if not finished:
        _say(
            as_json,
            {"run": str(folder.path), "finished": False, "reason": reason},
            f"Stopped: {reason}.\nNothing is lost. Go on with: assay resume {folder.path}",
        )
        return 130 if reason == "interrupted" else 3
    readings = publish(folder, lock, instruments, key)
    presentations: list[Any] = []
    if make_report:
        try:
            path, presentations = write_report(folder, lock, instruments)
        except AssayError:
            raise
        except Exception as error:
            # The measurement is closed and safe; only its picture failed. Say so and let the user try again.
            print(
                f"assay: the report could not be drawn ({type(error).__name__}: {error}); "
                f"the readings are in {folder.path}, try again with: assay report {folder.path}",
                file=sys.stderr,
            )
            return 2
    if as_json:
        import msgspec

        typer.echo(
            msgspec.json.encode({"run": str(folder.path), "finished": True, "readings": readings}).decode()
        )
        return 0
    for presentation in presentations:
        _headline(presentation)
    typer.echo(f"\nRun      {folder.path}")
    if make_report:
        typer.echo(f"Report   {path}")
    typer.echo(f"Audit    assay audit {folder.path}")
    return 0


def _headline(presentation: Any) -> None:
    from rich.console import Console

    from assay.report.tables import headline_text, plain_text

    console = Console()
    if console.is_terminal:
        console.print(headline_text(presentation))
    else:
        typer.echo(plain_text(presentation))


def _say(as_json: bool, value: dict[str, Any], text: str) -> None:
    if as_json:
        import msgspec

        typer.echo(msgspec.json.encode(value).decode())
    else:
        from assay.report.tables import safe_terminal

        for line in text.splitlines():
            typer.echo(safe_terminal(line))


def _stop_on_signals(stop: Any) -> None:
    """The first signal stops cleanly; a second one ends the process at once. Nothing recorded is lost."""
    loop = asyncio.get_running_loop()

    def first() -> None:
        print(
            "\nstopping: waiting for replies under way (press Ctrl-C again to leave at once)", file=sys.stderr
        )
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        stop("interrupted")

    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, ValueError):
            loop.add_signal_handler(number, first)
