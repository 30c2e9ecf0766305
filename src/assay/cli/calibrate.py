"""``assay calibrate``: an instrument measured on subjects of known truth."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.errors import InputError

from .options import Json
from .output import complain, print_json, say

if TYPE_CHECKING:
    from assay.bench import Instrument
    from assay.measuring.calibration import Calibration, Point

__all__ = ["calibrate"]

RUNS, QUICK_RUNS = 1000, 100
PLAIN_EVERY = 5.0


def calibrate(
    instrument: Annotated[str, typer.Argument(help="The instrument.")],
    runs: Annotated[
        int | None, typer.Option("--runs", min=1, help="Cells a point. Default: 1000, with --quick 100.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer sizes and runs: tens of seconds, and no proof.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", min=1, help="Processes. Default: cores; an instrument in a file takes one."
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every point, not only the lowest of each measure.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write every point to this file, as JSON.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure an instrument on subjects of known truth: the truth beside the reading, and how often intervals hold.

    Exit code 1 when at some point fewer intervals hold the truth than required.
    """
    from assay.bench import named_instrument
    from assay.registry import file_of

    found: Instrument = named_instrument(instrument)
    if out is not None and not out.parent.is_dir():
        raise InputError(f"there is no folder {out.parent} to write {out.name} to")
    with _watch(quiet=as_json) as progress:
        done: Calibration = found.calibrate(
            runs or (QUICK_RUNS if quick else RUNS),
            1 if file_of(found.name) else workers or len(os.sched_getaffinity(0)),
            quick,
            progress,
        )
    if out is not None:
        import msgspec

        out.write_bytes(msgspec.json.encode(_document(done)) + b"\n")
    if as_json:
        print_json(_document(done))
    else:
        _print(done, everything=everything)
        if out is not None:
            say(f"Every point is in {out}.")
    if not done.holds:
        raise typer.Exit(1)


@contextmanager
def _watch(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """What is done is shown as a bar on a terminal, as a line now and then elsewhere."""
    if quiet:
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(_stage(0))
        yield lambda done, total: bar.update(task, description=_stage(done), completed=done, total=total)


def _stage(done: int) -> str:
    return "points scored" if done else "working out what the subjects give"


def _lines() -> Callable[[int, int], None]:
    told = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal told
        if done in (0, total) or time.monotonic() - told >= PLAIN_EVERY:
            told = time.monotonic()
            complain(f"{_stage(done)}: {done}/{total}")

    return tell


def _document(done: Calibration) -> dict[str, object]:
    import msgspec

    lowest = done.judged[0] if done.judged else None
    return {
        "holds": done.holds,
        "lowest": None if lowest is None else msgspec.to_builtins(lowest),
        **msgspec.to_builtins(done),
    }


def _print(done: Calibration, *, everything: bool) -> None:
    for name, about in done.distributions.items():
        points = [point for point in done.points if point.distribution == name]
        say(f"\n{name}: {about}")
        _table(points if everything else _lowest(points))
    for line in _summary(done):
        say(line)
    if not everything:
        shown = "Of each measure the point with the lowest coverage is shown"
        say(f"{shown}; all {len(done.points)}: --all, or --json for machines.")


def _lowest(points: list[Point]) -> list[Point]:
    """Of each measure the point whose intervals hold least often, in the order of the measures."""
    found: dict[str, Point] = {}
    for point in points:
        known = found.setdefault(point.measure, point)
        if _rank(point) < _rank(known):
            found[point.measure] = point
    return list(found.values())


def _rank(point: Point) -> float:
    return 2.0 if point.coverage is None else point.coverage


def _table(points: list[Point]) -> None:
    wide = max(len(point.title) for point in points)
    if points[0].right is not None:
        _levels(points, wide)
        return
    say(f"  {'measure':<{wide}}    n   truth  reading    bias  coverage  width")
    for point in points:
        if point.coverage is None:
            say(f"  {point.title:<{wide}}  {point.n:>3}   in none of {point.absent} cells")
            continue
        truth = "∞" if point.infinite else _number(point.truth)
        line = (
            f"  {point.title:<{wide}}  {point.n:>3}  {truth:>6}  {_number(point.reading):>7}  "
            f"{_number(point.bias, sign=True):>6}  {_number(point.coverage):>8}  {_number(point.width):>5}"
        )
        say(f"{line}  (not there in {point.absent} cells)" if point.absent else line)


def _levels(points: list[Point], wide: int) -> None:
    """Of readings that are levels: how often the truth itself is read, and how often too much."""
    say(f"  {'level':<{wide}}    n   truth  reading   right  too high")
    for point in points:
        say(
            f"  {point.title:<{wide}}  {point.n:>3}  {_number(point.truth):>6}  {_number(point.reading):>7}  "
            f"{_number(point.right):>6}  {_number(point.too_high):>8}"
        )


def _number(value: float | None, *, sign: bool = False) -> str:
    if value is None:
        return "–"
    value = round(value, 3) or 0.0  # never −.000
    text = f"{value:+.3f}" if sign else f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 0.9995 else text


def _summary(done: Calibration) -> Iterator[str]:
    judged, failing = done.judged, done.failing
    if not judged:
        yield "\nno point could be judged"
        return
    lowest = judged[0]
    if lowest.right is not None:
        yield from _summary_of_levels(done)
        return
    yield f"\nlowest coverage {_number(lowest.coverage)} ({lowest.where})"
    required = _number(done.required)
    yield (
        f"{len(judged)} points of {done.runs} runs, nominal {_number(done.confidence)}: "
        + (f"{len(failing)} below {required}" if failing else f"all at least {required}")
    )
    for point in failing[:20]:
        sides = f"{_number(point.too_high)} too high, {_number(point.too_low)} too low"
        yield f"  {_number(point.coverage)}  {point.where}: {sides}"
    yield from _doubt(done)


def _summary_of_levels(done: Calibration) -> Iterator[str]:
    high = max(done.judged, key=lambda point: point.too_high)
    low = min(done.judged, key=lambda point: point.right or 0.0)
    yield f"\nread too high most often: {_number(high.too_high)} ({high.where})"
    yield f"read right least often:   {_number(low.right)} ({low.where})"
    asked = (
        f"too high in at most {_number(1 - done.required)}, right in at least {_number(done.required_right)}"
    )
    told = f"{len(done.failing)} do not keep it" if done.failing else "all keep it"
    yield f"{len(done.judged)} levels of {done.runs} runs each; {asked}: {told}"
    for point in done.failing[:20]:
        yield f"  {point.where}: right {_number(point.right)}, too high {_number(point.too_high)}"
    yield from _doubt(done)


def _doubt(done: Calibration) -> Iterator[str]:
    if done.quick or done.runs < RUNS:
        error = 1.96 * (0.95 * 0.05 / done.runs) ** 0.5
        yield f"No proof, either way: from {done.runs} runs a coverage is known to ± {_number(error)}; take 1000."
