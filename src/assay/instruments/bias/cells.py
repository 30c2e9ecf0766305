"""Answers grouped to counts: one cell for each instance, condition, intensity and method of a subject and a bias.

An instance is known by its domain and its id, so that one in two domains is two. It is a cluster: its trials are
not independent of each other, and control and treatment of one instance are a pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from assay.stats import ClusterAnswers

from .answers import CONDITIONS, DOMAINS, INTENSITIES

__all__ = [
    "Answered",
    "BiasCells",
    "Floats",
    "Ints",
    "Slot",
    "answered_by",
    "cells_of",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Slot(NamedTuple):
    """What was varied within an instance. ``intensity`` and ``method`` are empty where they do not apply."""

    condition: str
    intensity: str
    method: str

    @property
    def labels(self) -> dict[str, str]:
        return {name: value for name, value in self._asdict().items() if value}


class BiasCells(NamedTuple):
    """One bias of one subject. The arrays of answers have a row a slot and a column an instance."""

    subject: str
    bias: str
    instance: Ints  # codes of domain and id, the same for every subject
    domain: Ints  # place in DOMAINS
    slots: tuple[Slot, ...]
    total: Floats
    known: Floats
    sum: Floats
    square: Floats  # sum of squared scores
    near: Floats  # sum of 1 - |a - b| over the pairs of readable trials in a cell
    confident: Floats  # answers with a confidence, by instance
    both: Floats  # answers with a confidence that are known to be correct or not
    confidence: Floats  # of these: sums of confidence, of correct, of (confidence - correct)²
    correct: Floats
    brier: Floats
    kinds: dict[str, str]  # method → its declared kind, where one is declared
    baseline: float | None  # the human rate that the rows bring

    def at(self, condition: str, intensities: Sequence[str] = (), method: str = "") -> list[int]:
        """The slots of a condition; without intensities, of all."""
        return [
            place
            for place, slot in enumerate(self.slots)
            if slot.condition == condition
            and (not intensities or slot.intensity in intensities)
            and (not method or slot.method == method)
        ]

    def group(self, places: Sequence[int]) -> ClusterAnswers:
        chosen = list(places)
        return ClusterAnswers(*(array[chosen].sum(axis=0) for array in (self.total, self.known, self.sum)))

    def treatment(self, intensity: str = "") -> ClusterAnswers:
        return self.group(self.at("treatment", (intensity,) if intensity else ()))

    @property
    def intensities(self) -> list[str]:
        """Those at which a treatment was asked, in their order."""
        return [one for one in INTENSITIES if self.at("treatment", (one,))]

    @property
    def asked(self) -> int:
        return int(self.total.sum())

    @property
    def unknown_rate(self) -> float:
        return 1.0 - float(self.known.sum()) / self.asked

    @property
    def domains(self) -> list[str]:
        return [DOMAINS[place] for place in np.unique(self.domain)]


_ORDER = {
    "condition": {name: place for place, name in enumerate(CONDITIONS)},
    "intensity": {name: place for place, name in enumerate(("", *INTENSITIES))},
    "domain": {name: place for place, name in enumerate(DOMAINS)},
}


def _codes(answers: pl.DataFrame, names: Sequence[str]) -> tuple[list[Ints], list[list[str]]]:
    """Each column as whole numbers in the order of its names, and the names."""
    codes, named = [], []
    for name in names:
        column = answers.get_column(name)
        if name in _ORDER:
            coded, known = column.replace_strict(_ORDER[name], return_dtype=pl.Int64), [*_ORDER[name]]
        else:
            coded, known = column.rank("dense").cast(pl.Int64) - 1, column.unique().sort().to_list()
        codes.append(coded.to_numpy())
        named.append(known)
    return codes, named


class Answered(NamedTuple):
    """Numbers of a subject's answers over all biases, with the instance of each."""

    labels: dict[str, str]  # the subject
    instance: Ints
    columns: list[Floats]


def answered_by(answers: pl.DataFrame, columns: Sequence[str]) -> Iterator[Answered]:
    """By subject, the answers that have all of these columns."""
    part = answers.drop_nulls(columns)
    if part.height:
        (subject, bias, domain, instance), names = _codes(part, ("subject", "bias", "domain", "instance"))
        place = (bias * len(DOMAINS) + domain) * len(names[3]) + instance
        numbers = [part.get_column(name).cast(pl.Float64).to_numpy() for name in columns]
        for code, name in enumerate(names[0]):
            here = subject == code
            yield Answered({"subject": name}, place[here], [number[here] for number in numbers])


def cells_of(answers: pl.DataFrame) -> Iterator[BiasCells]:
    """By subject, then by bias, in the order of their names, whatever the order of the rows."""
    if answers.is_empty():
        return
    keys, names = _codes(
        answers, ("subject", "bias", "domain", "instance", "condition", "intensity", "method")
    )
    numbers = [
        answers.get_column(name).cast(pl.Float64).fill_null(float("nan")).to_numpy()
        for name in ("score", "confidence", "correct")
    ]
    # Scores are in order within a cell, so that sums do not depend on the order of the rows.
    order = np.lexsort((*reversed(numbers), *reversed(keys)))
    keys, numbers = [key[order] for key in keys], [number[order] for number in numbers]
    new = np.zeros(len(order), bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    starts = np.flatnonzero(new)
    counted = _counted(starts, *numbers)
    subject, bias, domain, instance, condition, intensity, method = (key[starts] for key in keys)
    places = instance * len(DOMAINS) + domain
    slots = (condition * (len(INTENSITIES) + 1) + intensity) * len(names[6]) + method
    borders = np.flatnonzero(np.diff(subject) | np.diff(bias)) + 1
    declared, baselines = _declared(answers), _baselines(answers)
    for part in np.split(np.arange(len(starts)), borders):
        who, what = names[0][subject[part[0]]], names[1][bias[part[0]]]
        here, column = np.unique(places[part], return_inverse=True)
        kinds, row = np.unique(slots[part], return_inverse=True)
        first = [part[np.argmax(row == one)] for one in range(len(kinds))]
        cells = np.zeros((len(counted), len(kinds), len(here)))
        cells[:, row, column] = counted[:, part]
        varied = (
            Slot(names[4][condition[at]], names[5][intensity[at]], names[6][method[at]]) for at in first
        )
        of_cells, of_instances = cells[:5], cells[5:].sum(axis=1)
        known = (declared.get((who, what), {}), baselines.get((who, what)))
        arrays = (*of_cells, *of_instances)
        yield BiasCells(who, what, here, here % len(DOMAINS), tuple(varied), *arrays, *known)  # type: ignore[call-arg]


def _counted(starts: Ints, score: Floats, confidence: Floats, correct: Floats) -> Floats:
    """The numbers of every cell, a row a number, in the order of the fields of `BiasCells`."""
    n = len(score)
    known = ~np.isnan(score)
    zeroed = np.where(known, score, 0.0)
    sizes = np.diff(np.append(starts, n))
    readable = np.add.reduceat(known.astype(np.float64), starts)
    # Of scores in order, the sum of |a - b| over pairs is the sum of (2 rank - n - 1) a.
    rank = np.arange(n) - np.repeat(starts, sizes) + 1.0
    apart = np.where(known, (2.0 * rank - np.repeat(readable, sizes) - 1.0) * zeroed, 0.0)
    sure = ~np.isnan(confidence)
    both = sure & ~np.isnan(correct)
    columns = (
        np.ones(n),
        known.astype(np.float64),
        zeroed,
        zeroed**2,
        -apart,
        sure.astype(np.float64),
        both.astype(np.float64),
        np.where(both, confidence, 0.0),
        np.where(both, correct, 0.0),
        np.where(both, (confidence - correct) ** 2, 0.0),
    )
    found = np.stack([np.add.reduceat(column, starts) for column in columns])
    found[4] += readable * (readable - 1.0) / 2.0
    return found


def _declared(answers: pl.DataFrame) -> dict[tuple[str, str], dict[str, str]]:
    kinds = (
        answers.filter(pl.col("kind") != "")
        .select("subject", "bias", "method", "kind")
        .unique()
        .sort(pl.all())
    )
    found: dict[tuple[str, str], dict[str, str]] = {}
    for subject, bias, method, kind in kinds.iter_rows():
        found.setdefault((subject, bias), {})[method] = kind
    return found


def _baselines(answers: pl.DataFrame) -> dict[tuple[str, str], float]:
    given = answers.filter(pl.col("baseline").is_not_null()).select("subject", "bias", "baseline").unique()
    return {(subject, bias): rate for subject, bias, rate in given.sort(pl.all()).iter_rows()}
