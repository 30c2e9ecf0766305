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

__all__ = ["Answered", "BiasCells", "Slot", "answered_by", "cells_of"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_DOMAINS: tuple[str, ...] = DOMAINS


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

    def at(self, condition: str, *intensities: str, method: str = "") -> list[int]:
        """The slots of a condition; without intensities, or with an empty one, of all."""
        wanted, all_of_them = set(intensities), not any(intensities)
        return [
            place
            for place, slot in enumerate(self.slots)
            if slot.condition == condition
            and (all_of_them or slot.intensity in wanted)
            and method in ("", slot.method)
        ]

    def group(self, places: Sequence[int], domain: str = "") -> ClusterAnswers:
        """The answers of some slots; in one domain, or in all."""
        rows, arrays = list(places), (self.total, self.known, self.sum)
        found = ClusterAnswers(*(array[rows].sum(axis=0) for array in arrays))
        return found.where(self.domain == _DOMAINS.index(domain)) if domain else found

    def treatment(self, *intensities: str) -> ClusterAnswers:
        return self.group(self.at("treatment", *intensities))

    @property
    def control(self) -> ClusterAnswers:
        return self.group(self.at("control"))

    @property
    def intensities(self) -> list[str]:
        """Those at which a treatment was asked, in their order."""
        return [one for one in INTENSITIES if self.at("treatment", one)]

    @property
    def asked(self) -> int:
        return int(self.total.sum())

    @property
    def unknown_rate(self) -> float:
        return 1.0 - float(self.known.sum()) / self.asked

    @property
    def domains(self) -> list[str]:
        return [_DOMAINS[place] for place in np.unique(self.domain)]


_ORDER = {
    "domain": pl.Enum(DOMAINS),
    "condition": pl.Enum(CONDITIONS),
    "intensity": pl.Enum(("", *INTENSITIES)),
}
_OF_INSTANCES = ("confident", "both", "confidence", "correct", "brier")
_KEYS = ("subject", "bias", "domain", "instance", "condition", "intensity", "method")


def _numbers() -> dict[str, pl.Expr]:
    """Of a cell, by the name of the field of `BiasCells`; scores are in order within it."""
    score, confidence, correct = pl.col("score"), pl.col("confidence"), pl.col("correct")
    known, both = score.count().cast(pl.Float64), confidence.is_not_null() & correct.is_not_null()
    # The sum of |a - b| over pairs is the sum of (2 rank - n - 1) a.
    apart = ((2.0 * score.rank("ordinal") - known - 1.0) * score).sum()
    return {
        "total": pl.len(),
        "known": known,
        "sum": score.sum(),
        "square": (score**2).sum(),
        "near": known * (known - 1.0) / 2.0 - apart,
        "confident": confidence.count(),
        "both": both.sum(),
        "confidence": confidence.filter(both).sum(),
        "correct": correct.filter(both).sum(),
        "brier": ((confidence - correct) ** 2).sum(),
    }


def cells_of(answers: pl.DataFrame) -> Iterator[BiasCells]:
    """By subject, then by bias, in the order of their names, whatever the order of the rows."""
    numbers = _numbers()
    found = (
        answers.with_columns(
            pl.col("correct").cast(pl.Float64), *(pl.col(n).cast(k) for n, k in _ORDER.items())
        )
        .sort(*_KEYS, "score", "confidence", "correct")
        .group_by(_KEYS, maintain_order=True)
        .agg(**numbers, kind=pl.col("kind").max(), baseline=pl.col("baseline").max())
        .with_columns(
            place=(pl.col("instance").rank("dense") - 1) * len(DOMAINS) + pl.col("domain").to_physical()
        )
    )
    for part in found.partition_by("subject", "bias", maintain_order=True):
        varied = part.select("condition", "intensity", "method")
        slots = varied.unique().sort(pl.all()).rows()
        places, column = np.unique(part.get_column("place").to_numpy(), return_inverse=True)
        cells = np.zeros((len(numbers), len(slots), len(places)))
        row = [slots.index(slot) for slot in varied.rows()]
        cells[:, row, column] = part.select(*numbers).to_numpy().T
        arrays = dict(zip(numbers, cells, strict=True))
        yield BiasCells(
            subject=part.item(0, "subject"),
            bias=part.item(0, "bias"),
            instance=places.astype(np.int64),
            domain=places.astype(np.int64) % len(DOMAINS),
            slots=tuple(Slot(*slot) for slot in slots),
            kinds=dict(part.filter(pl.col("kind") != "").select("method", "kind").rows()),
            baseline=part.select(pl.col("baseline").max()).item(),
            **{name: one.sum(axis=0) if name in _OF_INSTANCES else one for name, one in arrays.items()},
        )


class Answered(NamedTuple):
    """Numbers of a subject's answers over all biases, with the instance of each."""

    labels: dict[str, str]  # the subject
    instance: Ints
    columns: list[Floats]


def answered_by(answers: pl.DataFrame, columns: Sequence[str]) -> Iterator[Answered]:
    """By subject, the answers that have all of these columns."""
    place = pl.concat_str("bias", "domain", "instance", separator="\n").rank("dense").cast(pl.Int64)
    part = answers.drop_nulls(columns).with_columns(pl.col(columns).cast(pl.Float64), place=place)
    for own in part.sort("subject", maintain_order=True).partition_by("subject", maintain_order=True):
        instance, *numbers = (own.get_column(name).to_numpy() for name in ("place", *columns))
        yield Answered({"subject": own.item(0, "subject")}, instance, numbers)
