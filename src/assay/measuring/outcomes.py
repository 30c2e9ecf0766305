"""Outcomes of trials by subject, counted, and the share of successes: of a run, and of rows that somebody has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any

from msgspec import Meta, Struct

from assay.study import Limits
from assay.vocabulary import Exclusion, Flag, Measure, Outcome

from .measures import Labels, exclusion_flags, lost_of, share_of_outcomes, with_flags
from .rows import Rows

__all__ = [
    "NOT_DECLARED",
    "ROW_HELP",
    "LostTrials",
    "OutcomeCounts",
    "RowOptions",
    "TrialRow",
    "read_trials",
    "trial_records",
]

NOT_DECLARED = Flag("Limited Comparability", "not declared first")
EXCLUDED_SHARE = Limits().excluded_share  # of a study that declares nothing else
ROW_HELP = (
    '{"subject": NAME, "outcome": "success", "failure", "unknown" or "excluded", "item": ID, "reason": TEXT}'
)


class RowOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """What an instrument's scoring of plain rows may be told: nothing, unless it has options of its own."""


class TrialRow(Struct, frozen=True):
    """One trial, as the records of a run have it. A row may have further fields."""

    subject: Annotated[str, Meta(min_length=1)]
    outcome: Outcome
    item: str = ""
    reason: str = ""


class LostTrials:
    """How many trials were planned, and how many were lost for what reason, by labels such as subject and bias."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._planned, self._lost = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()

    def add(self, labels: Mapping[str, str], outcome: Outcome, reason: str) -> None:
        key = tuple(labels[name] for name in self._names)
        self._planned[key] += 1
        if outcome == "excluded":
            self._lost[*key, reason] += 1

    @property
    def excluded(self) -> list[Exclusion]:
        return [Exclusion(why, n, self._labels(key)) for (*key, why), n in sorted(self._lost.items())]

    @property
    def wholly(self) -> list[Labels]:
        """The labels under which every trial was lost."""
        each = [(self._labels(key), n) for key, n in sorted(self._planned.items())]
        return [labels for labels, n in each if lost_of(self.excluded, **labels) == n]

    def flagged(self, measure: Measure, excluded_share: Fraction | float = EXCLUDED_SHARE) -> Measure:
        """The measure, flagged where trials with its labels were lost."""
        labels = {name: label for name, label in measure.labels.items() if name in self._names}
        gone = lost_of(self.excluded, **labels)
        if not gone:
            return measure
        of = labels.items()
        planned = sum(n for key, n in self._planned.items() if of <= self._labels(key).items())
        return with_flags(measure, exclusion_flags(gone, planned, excluded_share, "trials"))

    def _labels(self, key: Sequence[str]) -> dict[str, str | float]:
        return dict(zip(self._names, key, strict=True))


class OutcomeCounts:
    """How often each subject succeeded, failed, could not be read or was lost."""

    def __init__(self, subjects: Iterable[str]) -> None:
        self._counts = {name: dict.fromkeys(("success", "failure", "unknown"), 0) for name in subjects}
        self._lost = LostTrials("subject")

    def add(self, subject: str, outcome: Outcome, reason: str) -> None:
        self._lost.add({"subject": subject}, outcome, reason)
        if outcome != "excluded":
            self._counts[subject][outcome] += 1

    @property
    def excluded(self) -> list[Exclusion]:
        return self._lost.excluded

    def shares(self, name: str, excluded_share: Fraction | float = EXCLUDED_SHARE) -> list[Measure]:
        """The share of successes of every subject; unknown outcomes as bounds, lost trials as flags."""
        return [
            self._lost.flagged(share_of_outcomes(name, {"subject": who}, *count.values()), excluded_share)
            for who, count in self._counts.items()
        ]


NumberedTrials = Sequence[tuple[int, TrialRow]]


def read_trials(rows: Rows) -> tuple[NumberedTrials, OutcomeCounts]:
    """The trials of rows with their numbers, and their counts: in the order of names, whatever the order of rows."""
    trials = rows.typed(TrialRow)
    counts = OutcomeCounts(sorted({row.subject for _, row in trials}))
    for _, row in trials:
        counts.add(row.subject, row.outcome, row.reason)
    return trials, counts


def trial_records(trials: NumberedTrials) -> Iterator[dict[str, Any]]:
    """One record a row: what was read in it."""
    for number, row in trials:
        yield {
            "row": number,
            "subject": row.subject,
            "item": row.item,
            "outcome": row.outcome,
            "reason": row.reason,
        }
