"""Calibration: an instrument measured on subjects of known truth, the truth beside the reading.

An instrument says what it is calibrated on by a `Grid`: members of known truth, sample sizes, how cells are drawn,
what is true of them, and how the instrument reads them. `calibrate` draws many cells at every place of the grid,
reads each as any run is read, and gives back one `Point` for each member, size and measure.
"""

from __future__ import annotations

import math
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from assay.canonical import real
from assay.vocabulary import Measure

__all__ = [
    "REQUIRED",
    "SLACK",
    "Calibration",
    "Grid",
    "GridBase",
    "Key",
    "Member",
    "Point",
    "Readings",
    "calibrate",
    "in_processes",
    "point_of",
    "points_at",
    "readings_of",
]

REQUIRED = 0.935  # of nominal .95: of 1,000 runs with a true .95, one series in seventy reads less
SLACK = 1e-9  # of reals: an interval that ends at the truth holds it

Floats = npt.NDArray[np.float64]
Done = Callable[[int, int], None]
T = TypeVar("T")
R = TypeVar("R")
M = TypeVar("M", bound="Member")  # of a grid


class Readings(Struct, frozen=True, eq=False):
    """One measure of many cells: NaN where a cell does not have it. ``high`` is infinite where there is no end.

    A reading that is a level has neither end.
    """

    value: Floats
    low: Floats | None = None
    high: Floats | None = None


class Point(Struct, frozen=True, kw_only=True):
    """What one measure read over many cells of one distribution and size.

    ``truth`` and ``reading`` are means over the cells that have the measure; the truth is judged cell by cell.
    ``too_high`` and ``too_low`` are the shares of cells whose whole interval lies above or below the truth. A
    reading that is a level has no interval: its coverage is the share of cells that do not read too high.
    """

    distribution: str
    n: int
    measure: str
    labels: dict[str, str] = {}
    cells: int
    absent: int = 0  # cells without the measure
    truth: float | None = None
    infinite: bool = False  # the truth is: no number stands for it, and there is no bias
    reading: float | None = None
    bias: float | None = None
    coverage: float | None = None
    width: float | None = None  # None where the interval has one end only
    too_high: float = 0.0
    too_low: float = 0.0
    right: float | None = None  # of a reading that is a level: the share of cells that read the truth itself

    @property
    def title(self) -> str:
        return " ".join([self.measure, *self.labels.values()])

    @property
    def where(self) -> str:
        return f"{self.title}, n = {self.n}, {self.distribution}"


class Calibration(Struct, frozen=True, kw_only=True):
    """Every point of a declared grid."""

    instrument: str
    version: str
    runs: int
    confidence: float
    required: float
    required_right: float = 0.0  # of levels
    quick: bool
    distributions: dict[str, str]  # name → what it draws, in plain words
    points: tuple[Point, ...]

    @property
    def judged(self) -> tuple[Point, ...]:
        """The points at which the measure exists, lowest coverage first."""
        found = [point for point in self.points if point.coverage is not None]
        return tuple(sorted(found, key=lambda point: point.coverage or 0.0))

    @property
    def failing(self) -> tuple[Point, ...]:
        """Points below what is required; of a quick calibration only those that chance does not explain."""

        def least(share: float) -> float:
            return share - (4.0 * math.sqrt(share * (1.0 - share) / self.runs) if self.quick else 0.0)

        return tuple(
            p
            for p in self.judged
            if (p.coverage is not None and p.coverage < least(self.required))
            or (p.right is not None and p.right < least(self.required_right))
        )

    @property
    def holds(self) -> bool:
        return bool(self.judged) and not self.failing


class Member(Protocol):
    """A subject of known truth: its name, and in plain words what it does."""

    @property
    def name(self) -> str: ...

    @property
    def about(self) -> str: ...


class Key(NamedTuple):
    """A measure, and its labels where it has any."""

    measure: str
    labels: tuple[tuple[str, str], ...] = ()


class Grid(Protocol[M]):
    """What an instrument is calibrated on. It is sent to other processes, so it holds plain data only."""

    confidence: float
    required: float  # the least coverage
    required_right: float  # of levels: the least share read right

    def members(self, quick: bool) -> Sequence[M]: ...

    def sizes(self, quick: bool) -> Sequence[int]: ...

    def prepared(self, places: Sequence[tuple[M, int]], runs: int, workers: int, progress: Done) -> Grid[M]:
        """The grid with everything that is worked out before the first cell is drawn."""
        ...

    def draw(self, member: M, n: int, runs: int) -> Any:
        """``runs`` cells of one member at one size."""
        ...

    def truth(self, member: M, n: int, drawn: Any) -> Mapping[Key, Floats]:
        """What is true of each cell. It may depend on what was drawn first, as a canon does."""
        ...

    def read(self, member: M, n: int, drawn: Any) -> Mapping[Key, Readings]:
        """What the instrument reads in each cell."""
        ...


class GridBase(Generic[M]):
    """Defaults for a grid that needs no preparation and is judged by coverage alone."""

    confidence = 0.95
    required = REQUIRED
    required_right = 0.0

    def prepared(self, places: Sequence[tuple[M, int]], runs: int, workers: int, progress: Done) -> Self:
        return self


def readings_of(
    cells: Iterable[Iterable[Measure]], keys: Iterable[Key], without: Sequence[str] = ("subject",)
) -> dict[Key, Readings]:
    """What many cells read, from their measures by key; labels that are named in ``without`` are no part of it."""
    found: dict[Key, list[tuple[float | None, ...]]] = {key: [] for key in keys}
    for measures in cells:
        read = {_key_of(m, without): (m.value, m.low, m.high) for m in measures if m.value is not None}
        for key, values in found.items():
            values.append(read.get(key, (None, None, None)))
    return {
        key: Readings(*np.array(values, float).reshape(len(values), 3).T) for key, values in found.items()
    }


def _key_of(measure: Measure, without: Sequence[str]) -> Key:
    labels = sorted(measure.labels.items())
    return Key(measure.name, tuple((name, str(value)) for name, value in labels if name not in without))


def calibrate(
    instrument: str, version: str, grid: Grid[M], runs: int, workers: int, quick: bool, progress: Done
) -> Calibration:
    """Every member of the grid at every size. The same numbers for any number of workers.

    ``progress`` is told how many of how many parts are done.
    """
    members = grid.members(quick)
    places = [(member, n) for member in members for n in grid.sizes(quick)]
    before = 0

    def preparing(done: int, total: int) -> None:
        nonlocal before
        before = total
        progress(done, total + len(places))

    progress(0, len(places))
    ready = grid.prepared(places, runs, workers, preparing)
    return Calibration(
        instrument=instrument,
        version=version,
        runs=runs,
        confidence=grid.confidence,
        required=grid.required,
        required_right=grid.required_right,
        quick=quick,
        distributions={member.name: member.about for member in members},
        points=points_at(
            places,
            partial(_measured, ready, runs),
            workers,
            lambda done, total: progress(before + done, before + total),
        ),
    )


def _measured(grid: Grid[M], runs: int, place: tuple[M, int]) -> list[Point]:
    """One member at one size: every measure of every cell beside its truth."""
    member, n = place
    drawn = grid.draw(member, n, runs)
    truths, readings = grid.truth(member, n, drawn), grid.read(member, n, drawn)
    return [
        point_of(member.name, n, key.measure, dict(key.labels), truths[key], found)
        for key, found in readings.items()
    ]


def point_of(
    distribution: str, n: int, measure: str, labels: dict[str, str], truth: Floats, readings: Readings
) -> Point:
    """``truth`` has one number a cell: it may depend on what was drawn first, as a canon does."""
    there = ~np.isnan(readings.value)
    cells, absent = int(there.sum()), int((~there).sum())
    if not cells:
        return Point(distribution=distribution, n=n, measure=measure, labels=labels, cells=0, absent=absent)
    true, value = truth[there], readings.value[there]
    if readings.low is None or readings.high is None:
        return _level_point(distribution, n, measure, labels, true, value, absent)
    too_high = readings.low[there] > true + SLACK
    too_low = readings.high[there] < true - SLACK
    infinite = bool(np.isinf(true).any())
    width = _mean(readings.high[there] - readings.low[there])
    return Point(
        distribution=distribution,
        n=n,
        measure=measure,
        labels=labels,
        cells=cells,
        absent=absent,
        truth=None if infinite else real(_mean(true)),
        infinite=infinite,
        reading=real(_mean(value)),
        bias=None if infinite else real(_mean(value - true)),
        coverage=real(1.0 - _mean(too_high) - _mean(too_low)),
        width=None if math.isinf(width) else real(width),
        too_high=_mean(too_high),
        too_low=_mean(too_low),
    )


def _level_point(
    distribution: str, n: int, measure: str, labels: dict[str, str], true: Floats, value: Floats, absent: int
) -> Point:
    """A level is read right, too high or too low; its coverage is the share that is not read too high."""
    high = _mean(value > true)
    return Point(
        distribution=distribution,
        n=n,
        measure=measure,
        labels=labels,
        cells=len(value),
        absent=absent,
        truth=real(_mean(true)),
        reading=real(_mean(value)),
        bias=real(_mean(value - true)),
        coverage=real(1.0 - high),
        too_high=high,
        too_low=_mean(value < true),
        right=real(_mean(value == true)),
    )


def _mean(values: npt.NDArray[np.generic]) -> float:
    return math.fsum(values.tolist()) / len(values)


def in_processes(work: Callable[[T], R], tasks: Sequence[T], workers: int, progress: Done) -> list[R]:
    """``work`` on every task, the results in the order of the tasks. With one worker: here."""
    if workers <= 1:
        found = []
        for number, task in enumerate(tasks, 1):
            found.append(work(task))
            progress(number, len(tasks))
        return found
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_end_quietly_when_interrupted) as pool:
        futures = [pool.submit(work, task) for task in tasks]
        try:
            for number, future in enumerate(as_completed(futures), 1):
                future.result()
                progress(number, len(tasks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [future.result() for future in futures]


def points_at(
    places: Sequence[tuple[M, int]],
    measured: Callable[[tuple[M, int]], list[Point]],
    workers: int,
    progress: Done,
) -> tuple[Point, ...]:
    """What is measured at each place, a member of the grid and a size: in the order of the places."""
    order = sorted(range(len(places)), key=lambda i: -places[i][1])  # the longest first, so that none is last
    found = in_processes(measured, [places[i] for i in order], workers, progress)
    points = dict(zip(order, found, strict=True))
    return tuple(point for i in range(len(places)) for point in points[i])


def _end_quietly_when_interrupted() -> None:
    """At once and without a traceback: it is the parent that speaks."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
