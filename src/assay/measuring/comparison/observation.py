"""What two measurements are compared by: values of one subject, each with the unit that can be paired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.evidence.records import Evidence
from assay.measuring.measures import NO_LABELS, Labels

__all__ = ["Observation", "outcome_observations"]


class Observation(NamedTuple):
    """One value in [0, 1] of a measure; None where it could not be read.

    ``unit`` is what is independent and can be paired: the instance, or what several values have in common. ``family``
    is the item it belongs to, as ``contents`` names it. A measure is the mean over its ``part``s of the rate of the
    values with sign 1, less the rate of those with sign -1 where there are any (treatment less control).
    """

    measure: str
    subject: str
    value: float | None
    unit: str
    family: str
    labels: Labels = NO_LABELS
    part: str = ""
    sign: float = 1.0


def outcome_observations(evidence: Evidence) -> Iterator[Observation]:
    """Every trial with an outcome, by instance: the share of successes."""
    for record in evidence:
        if record.outcome != "excluded":
            trial = record.trial
            value = {"success": 1.0, "failure": 0.0}.get(record.outcome)
            labels = {"regime": trial.regime} if trial.regime != "baseline" else {}
            yield Observation(
                "success", trial.subject, value, trial.instance.digest, trial.instance.item, labels
            )
