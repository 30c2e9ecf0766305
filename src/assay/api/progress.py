"""How far a run is, as a value; and how a notebook shows it: one line that is written anew."""

from __future__ import annotations

import asyncio
import contextlib
import html
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

from msgspec import Struct

from assay.bench import Progress
from assay.report.text import visible

from .worker_thread import EVERY

__all__ = ["RunProgress", "Show", "Watched", "notebook_display", "progress_of"]


class RunProgress(Struct, frozen=True, kw_only=True):
    """How far a run is. ``str`` of it is one line."""

    done: int  # trials
    planned: int  # of the waves that are open
    calls: int
    tokens: int
    cost: float
    faults: dict[str, int]
    calls_per_second: float
    seconds_left: float | None
    message: str = ""

    def __str__(self) -> str:
        parts = [self.message] if self.message else []
        parts += [
            f"{self.done}/{self.planned} trials",
            f"{self.calls_per_second:.1f} calls/s",
            f"{self.tokens:,} tokens",
        ]
        if self.cost:
            parts.append(f"cost {self.cost:.4f}")
        if self.faults:
            parts.append("faults " + ", ".join(f"{name} {n}" for name, n in sorted(self.faults.items())))
        return " · ".join([*parts, f"left {_duration(self.seconds_left)}"])


Show = Callable[[RunProgress], None]


def progress_of(progress: Progress) -> RunProgress:
    """What the bench's counters say now."""
    rate, left = progress.sample()
    meter = progress.meter
    return RunProgress(
        done=progress.done,
        planned=progress.planned,
        calls=meter.calls,
        tokens=meter.input_tokens + meter.output_tokens,
        cost=meter.cost,
        faults=dict(meter.faults),
        calls_per_second=rate,
        seconds_left=left,
        message=progress.notice,
    )


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Watched:
    """The latest state of a run that goes on in another thread: written there, read here."""

    def __init__(self) -> None:
        self.latest: RunProgress | None = None

    @contextlib.asynccontextmanager
    async def watch(self, progress: Progress) -> AsyncIterator[None]:
        task = asyncio.create_task(self._follow(progress))
        try:
            yield
        finally:
            task.cancel()
            self.latest = progress_of(progress)

    async def _follow(self, progress: Progress) -> None:
        while True:
            self.latest = progress_of(progress)
            await asyncio.sleep(EVERY)


class _Line:
    """What a notebook is given to display: a bar and a line, or the line alone."""

    def __init__(self, progress: RunProgress) -> None:
        self._progress = progress

    def __repr__(self) -> str:
        return visible(str(self._progress)).replace("\n", " ")

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self._progress.done}" max="{max(1, self._progress.planned)}"></progress>'
        return f"<div>{bar} {html.escape(repr(self))}</div>"


def notebook_display() -> Show | None:
    """A line that updates itself in the running notebook; None where there is no notebook."""
    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):  # a terminal would print every line below the other
        return None
    handle: Any = None

    def show(progress: RunProgress) -> None:
        nonlocal handle
        if handle is None:
            handle = display(_Line(progress), display_id=True)
        else:
            handle.update(_Line(progress))

    return show
