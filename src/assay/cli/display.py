"""The progress display: a table that refreshes on a terminal, plain lines elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from assay.errors import quote

from .output import complain, safe

if TYPE_CHECKING:
    from assay.bench import Progress

__all__ = ["status_line", "watch"]

PLAIN_EVERY = 5.0
FAULTS = 4  # kinds shown while a run goes on
ROWS = 24  # conditions shown one by one; the rest are summed up


@contextlib.asynccontextmanager
async def watch(progress: Progress, *, quiet: bool = False) -> AsyncIterator[None]:
    """Show a run's progress while the block lasts."""
    if quiet:
        yield
        return
    from rich.console import Console

    console = Console(stderr=True)
    task = asyncio.create_task(_live(progress, console) if console.is_terminal else _lines(progress))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(
            asyncio.CancelledError, OSError
        ):  # a display that fails costs no measurement
            await task


async def _lines(progress: Progress) -> None:
    last, faults = "", 0
    told = time.monotonic()
    try:
        while True:
            await asyncio.sleep(0.5)
            line = status_line(progress)
            for text in _first_faults(progress)[faults:]:
                complain(text)
                faults += 1
            if time.monotonic() - told >= PLAIN_EVERY and line != last:
                complain(line)
                last, told = line, time.monotonic()
    finally:
        complain(status_line(progress))


async def _live(progress: Progress, console: Any) -> None:
    from rich.live import Live

    with Live(_table(progress), console=console, refresh_per_second=4, transient=False) as live:
        try:
            while True:
                await asyncio.sleep(0.25)
                live.update(_table(progress))
        finally:
            live.update(_table(progress))


def status_line(progress: Progress) -> str:
    """Everything on one line."""
    from assay.api.progress import progress_of

    return safe(str(progress_of(progress))).replace("\n", " ")


def _first_faults(progress: Progress) -> list[str]:
    """The first fault of each kind that this session met, a line each."""
    found = [
        f"{who}: first {fault}: {quote(said)}" for (who, fault), said in progress.meter.first_faults.items()
    ]
    return [safe(text).replace("\n", " ") for text in found]


def _table(progress: Progress) -> Any:
    from rich import box
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("subject and condition")
    table.add_column("", width=30)
    for name in ("done", "success", "excluded"):
        table.add_column(name, justify="right")
    tallies = list(progress.tallies.values())
    for tally in tallies[:ROWS]:
        table.add_row(
            Text(safe(tally.label).replace("\n", " ")),
            ProgressBar(total=max(1, tally.planned), completed=tally.done, width=30),
            f"{tally.done}/{tally.planned}",
            str(tally.success),
            Text(str(tally.excluded), style="red" if tally.excluded else "dim"),
        )
    if len(tallies) > ROWS:
        table.add_row(f"… and {len(tallies) - ROWS} more", "", "", "", "")
    faults = [
        Text(text, style="yellow", no_wrap=True, overflow="ellipsis")
        for text in _first_faults(progress)[:FAULTS]
    ]
    return Group(table, *faults, Text(status_line(progress), style="dim"))
