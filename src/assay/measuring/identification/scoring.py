"""Which label a text has, found by machine baselines: balanced accuracy with whole groups left out.

The balanced accuracy is the mean of the labels' recalls. Rows of one group are not independent, so its interval, like
that of a difference of two baselines on the same rows, is over groups (`assay.stats.balanced_accuracy`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.canonical import real
from assay.errors import InputError
from assay.stats import Interval, balanced_accuracy, balanced_difference
from assay.vocabulary import Measure

from .classifiers import Classes, Features
from .folds import ridge_left_out
from .ngrams import hashed_ngrams

__all__ = ["MOST_ROWS", "NGRAMS", "Baseline", "Identification", "features_of", "identify"]

MOST_ROWS = 50_000
CHANCE = "chance"


class Baseline(NamedTuple):
    """What a baseline makes of texts, and what it predicts from that for groups that it was not fitted on."""

    features: Callable[[Sequence[str]], Features]
    left_out: Callable[[Features, Classes, npt.NDArray[np.int64]], Classes]


NGRAMS = Baseline(hashed_ngrams, ridge_left_out)


def features_of(texts: Sequence[str], baselines: Mapping[str, Baseline]) -> dict[str, Features]:
    """What every baseline makes of texts. Nothing of it is fitted, so several identifications may share it."""
    return {name: one.features(texts) for name, one in baselines.items()}


class Identification(NamedTuple):
    """``left_out``: labels that are in one group only, which cannot be learnt without it, with their rows."""

    labels: dict[str, int]
    groups: int
    rows: int
    chance: float
    left_out: dict[str, int]
    measures: tuple[Measure, ...]

    def accuracy(self, baseline: str) -> Measure:
        """The balanced accuracy of a baseline, or of ``chance``."""
        return next(
            m for m in self.measures if (m.name, m.labels.get("baseline")) == ("balanced_accuracy", baseline)
        )

    def lines(self, label: str, group: str) -> Iterator[str]:
        """For people: accuracies and differences with their intervals, and what was left out."""
        texts = f"{label} of {self.rows:,} texts, learnt without their {group} ({self.groups} in all)"
        yield f"Balanced accuracy: {texts}\n"
        for measure in self.measures:
            if measure.name == "recall" or measure.value is None:
                continue
            name = f"{measure.labels['baseline']}"
            if measure.name == "difference":
                name += f" less {measure.labels['less']}"
            ends = "" if measure.low is None else f"  [{measure.low:.3f}, {measure.high:.3f}]"
            yield f"{name:32}{measure.value:7.3f}{ends}"
        for name, rows in self.left_out.items():
            yield f"Left out: {name} ({rows:,} texts), which is in one {group} only."


def identify(
    texts: Sequence[str],
    labels: Sequence[str],
    groups: Sequence[str],
    baselines: Mapping[str, Baseline],
    *,
    confidence: float = 0.95,
    features: Mapping[str, Features] | None = None,
) -> Identification:
    """Every baseline on the same texts, each text labelled by what was fitted on the other groups.

    ``features`` are `features_of` these texts, where they are known already.
    """
    if not len(texts) == len(labels) == len(groups):
        raise InputError(
            f"{len(texts)} texts, {len(labels)} labels and {len(groups)} groups: one each is needed"
        )
    met: dict[str, set[str]] = {}
    for label, group in zip(labels, groups, strict=True):
        met.setdefault(label, set()).add(group)
    alone = {label for label, where in met.items() if len(where) < 2}
    kept = [place for place, label in enumerate(labels) if label not in alone]
    names = sorted(set(met) - alone)
    if len(names) < 2:
        raise InputError(
            f"two labels that are in two groups or more are needed, and there are {len(names)}: "
            "a label that is in one group only cannot be learnt without that group"
        )
    if len(kept) > MOST_ROWS:
        raise InputError(f"{len(kept):,} rows are more than {MOST_ROWS:,}: identify a sample of them")
    classes = np.array([names.index(labels[place]) for place in kept], dtype=np.int64)
    numbers = {group: number for number, group in enumerate(sorted({groups[place] for place in kept}))}
    numbered = np.array([numbers[groups[place]] for place in kept], dtype=np.int64)
    chosen = (
        {name: found[kept] for name, found in features.items()}
        if features
        else features_of([texts[place] for place in kept], baselines)
    )
    right = {
        name: one.left_out(chosen[name], classes, numbered) == classes for name, one in baselines.items()
    }
    score = _Score(classes, numbered, right, names, confidence)
    chance = 1.0 / len(names)
    return Identification(
        labels={name: int((classes == number).sum()) for number, name in enumerate(names)},
        groups=len(numbers),
        rows=len(kept),
        chance=chance,
        left_out={label: list(labels).count(label) for label in sorted(alone)},
        measures=(
            Measure(
                name="balanced_accuracy",
                value=real(chance),
                n=len(kept),
                units="share",
                labels={"baseline": CHANCE},
            ),
            *(score.accuracy(name) for name in right),
            *(score.recall(name, number) for name in right for number in range(len(names))),
            *(score.difference(more, less) for less, more in combinations(right, 2)),
        ),
    )


class _Score:
    """The measures of what was predicted rightly, by label and group."""

    def __init__(
        self,
        classes: Classes,
        groups: Classes,
        right: dict[str, npt.NDArray[np.bool_]],
        names: list[str],
        confidence: float,
    ) -> None:
        self.names, self.confidence = names, confidence
        self.count = np.zeros((len(names), int(groups.max()) + 1))
        np.add.at(self.count, (classes, groups), 1.0)
        self.right = {name: np.zeros_like(self.count) for name in right}
        for name, found in right.items():
            np.add.at(self.right[name], (classes, groups), found.astype(np.float64))

    def accuracy(self, baseline: str) -> Measure:
        found = balanced_accuracy(self.count, self.right[baseline], confidence=self.confidence)
        return _measure("balanced_accuracy", found, baseline=baseline)

    def difference(self, baseline: str, less: str) -> Measure:
        right, other = self.right[baseline], self.right[less]
        found = balanced_difference(self.count, right, other, confidence=self.confidence)
        return _measure("difference", found, baseline=baseline, less=less)

    def recall(self, baseline: str, number: int) -> Measure:
        here = self.count[number] > 0
        count, right = self.count[[number]][:, here], self.right[baseline][[number]][:, here]
        found = balanced_accuracy(count, right, confidence=self.confidence)
        return _measure("recall", found, baseline=baseline, label=self.names[number])


def _measure(name: str, found: Interval, **labels: str) -> Measure:
    return Measure(
        name=name,
        value=real(found.value),
        low=real(found.low),
        high=real(found.high),
        confidence=found.confidence,
        n=found.n,
        units="share",
        method=found.method,
        labels=dict(labels),
    )
