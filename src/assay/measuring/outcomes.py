"""Outcomes of trials by subject, counted, and the share of successes: of a run, and of rows that somebody has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any

from msgspec import Meta, Struct

from assay.study import Limits
from assay.vocabulary import Exclusion, Flag, Measure, Outcome

from .measures import exclusion_flags, lost_of, share_of_outcomes
from .rows import Rows

__all__ = [
    "NOT_DECLARED",
    "ROW_HELP",
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


class OutcomeCounts:
    """How often each subject succeeded, failed, could not be read or was lost."""

    def __init__(self, subjects: Iterable[str]) -> None:
        self._counts = {name: dict.fromkeys(("success", "failure", "unknown"), 0) for name in subjects}
        self._lost: dict[tuple[str, str], int] = {}

    def add(self, subject: str, outcome: Outcome, reason: str) -> None:
        if outcome == "excluded":
            self._lost[subject, reason] = self._lost.get((subject, reason), 0) + 1
        else:
            self._counts[subject][outcome] += 1

    @property
    def excluded(self) -> list[Exclusion]:
        return [Exclusion(reason, n, {"subject": who}) for (who, reason), n in sorted(self._lost.items())]

    def shares(self, name: str, excluded_share: Fraction | float = EXCLUDED_SHARE) -> list[Measure]:
        """The share of successes of every subject; unknown outcomes as bounds, lost trials as flags."""
        measures = []
        for who, count in self._counts.items():
            gone = lost_of(self.excluded, subject=who)
            flags = exclusion_flags(gone, gone + sum(count.values()), excluded_share, "trials")
            measures.append(share_of_outcomes(name, {"subject": who}, *count.values(), flags=flags))
        return measures


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
