"""Cells of the calibration scored: every measure with an interval, and the truth that it should contain.

An interval depends on counts alone, so each is worked out once for all cells that have the same, by the functions that
score a study. Tests put drawn cells through the scoring, transcripts and judge included, and compare all numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.instruments.consistency.measures.shares import COMPONENTS, ConsistencySettings, Share, strata
from assay.instruments.consistency.scoring import CAP
from assay.measuring.calibration import Readings
from assay.stats import Interval, Part, bounded_mean, fraction, weighted_difference, weighted_mean

from .pool import TranscriptPool
from .profiles import DrawnCells, Profile
from .ways import BEHAVIOURS, Behaviour

__all__ = ["Cells", "cells_of", "difference_readings", "readings_of", "truths_of"]

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_OF = {measure: behaviour for behaviour in BEHAVIOURS for measure in behaviour.measures}


class CountedShare(NamedTuple):
    """One share in many cells: what every scenario gave, a row a cell."""

    good: Counts
    number: Counts

    def share(self, run: int, name: str) -> Share:
        """The share of one cell, its scenarios called after the behaviour."""
        pairs = zip(self.good[run].tolist(), self.number[run].tolist(), strict=True)
        return Share({f"{name}/{at}": pair for at, pair in enumerate(pairs) if pair[1]})


class Cells(NamedTuple):
    """Many cells of one subject and size, counted."""

    shares: Mapping[str, CountedShare]
    latency: Floats  # of the repairs, NaN where there is none
    parts: Sequence[tuple[Part, ...]]  # of M5, one tuple a cell; the same tuple where the value is the same


def cells_of(drawn: Mapping[str, DrawnCells], pool: TranscriptPool, settings: ConsistencySettings) -> Cells:
    shares = {}
    for behaviour in BEHAVIOURS:
        found, shelf = drawn[behaviour.name], pool.shelves[behaviour.name]
        good, number = shelf.good[found.way, found.scene], shelf.number[found.way, found.scene]
        for place, measure in enumerate(behaviour.measures):
            shares[measure] = CountedShare(good[:, :, place], number[:, :, place])
    repairs = drawn["repairs"]
    latency = pool.shelves["repairs"].latency[repairs.way, repairs.scene]
    return Cells(shares, latency, _parts(shares, settings))


def _parts(shares: Mapping[str, CountedShare], settings: ConsistencySettings) -> list[tuple[Part, ...]]:
    """M5 of every cell, taken apart. Its interval depends on its value and on how many scenarios have each shape."""
    known: dict[object, tuple[Part, ...]] = {}
    found = []
    for run in range(len(shares["O"].good)):
        value, shapes = Fraction(0), []
        for name in COMPONENTS:
            good, number = shares[name].good[run], shares[name].number[run]
            value += settings.weights[name] * Fraction(int(good.sum()), int(number.sum()))
            shapes.append(number.tobytes())
        key = (value, *shapes)
        if key not in known:
            each = {name: shares[name].share(run, _OF[name].name) for name in COMPONENTS}
            known[key] = tuple(strata(each, settings.weights))
        found.append(known[key])
    return found


def readings_of(cells: Cells, settings: ConsistencySettings) -> dict[str, Readings]:
    """Every measure of every cell."""
    whole = {parts: weighted_mean(parts, settings.confidence) for parts in dict.fromkeys(cells.parts)}
    found = {"M5": _readings([whole[parts] for parts in cells.parts])}
    for measure, counted in cells.shares.items():
        found[measure] = _share_readings(counted, settings.confidence)
    found["latency"] = _latencies(cells.latency, settings)
    return found


def _share_readings(counted: CountedShare, confidence: float) -> Readings:
    sizes = np.sort(counted.number, axis=1)
    known: dict[tuple[int, bytes], Interval] = {}
    found = []
    for run, good in enumerate(counted.good.sum(axis=1).tolist()):
        key = (good, sizes[run].tobytes())
        if key not in known:
            known[key] = counted.share(run, "").interval(confidence)
        found.append(known[key])
    return _readings(found)


def _readings(intervals: Sequence[Interval]) -> Readings:
    values = [np.nan if each.value is None else each.value for each in intervals]
    lows, highs = [each.low for each in intervals], [each.high for each in intervals]
    return Readings(*(np.array(column, np.float64) for column in (values, lows, highs)))


def _latencies(latency: Floats, settings: ConsistencySettings) -> Readings:
    rows = [tuple(row[~np.isnan(row)].tolist()) for row in np.sort(latency, axis=1)]
    cap = float(CAP * settings.delta)
    ends = [_latency_ends(row, cap, settings.confidence) for row in rows]
    return Readings(*(np.array(column, np.float64) for column in zip(*ends, strict=True)))


@lru_cache(maxsize=1 << 16)
def _latency_ends(times: tuple[float, ...], cap: float, confidence: float) -> tuple[float, float, float]:
    if not times:
        return np.nan, np.nan, np.nan
    interval = bounded_mean([min(time, cap) / cap for time in times], confidence, betting="mixture")
    value = float(sum(map(Fraction, times), Fraction(0)) / len(times))
    high = np.inf if max(times) > cap else max(interval.high * cap, value)
    return value, min(interval.low * cap, value), high


def difference_readings(first: Cells, second: Cells, settings: ConsistencySettings) -> Readings:
    """M5 of the second less that of the first, cell by cell, at confidence 1 − 2α."""
    confidence = float(1 - 2 * (1 - fraction(settings.confidence)))
    known: dict[tuple[tuple[Part, ...], tuple[Part, ...]], Interval] = {}
    found = []
    for key in zip(first.parts, second.parts, strict=True):
        if key not in known:
            known[key] = weighted_difference(*key, confidence)
        found.append(known[key])
    return _readings(found)


def truths_of(subject: Profile, n: int, settings: ConsistencySettings) -> dict[str, float]:
    """What every measure is the measure of, from the declared parts and what each way is meant to show."""
    truths = {measure: _meant(subject, _OF[measure], measure, n) for measure in _OF}
    found = {measure: float(truth) for measure, truth in truths.items()}
    found["M5"] = float(sum((settings.weights[name] * truths[name] for name in COMPONENTS), Fraction(0)))
    repairs = _OF["M3"]
    timed = [
        (subject.share("repairs", way.name), way.latency) for way in repairs.ways if way.latency is not None
    ]
    whole = sum((share for share, _ in timed), Fraction(0))
    spent = sum((share * fraction(seconds) for share, seconds in timed), Fraction(0))
    found["latency"] = float(spent / whole) if whole else float("nan")
    return found


def _meant(subject: Profile, behaviour: Behaviour, measure: str, n: int) -> Fraction:
    """Expected outcomes that hold, of all; how many outcomes the scenarios have is given."""
    good, number = Fraction(0), 0
    for place in range(n):
        outcomes = behaviour.outcomes[place % len(behaviour.outcomes)]
        number += outcomes
        for way in behaviour.ways:
            good += subject.share(behaviour.name, way.name) * way.good(measure, outcomes)
    return good / number
