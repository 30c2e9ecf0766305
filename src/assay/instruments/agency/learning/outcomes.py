"""The trials of a session as rows: one an episode, and one an attempt where an episode has several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args

import msgspec

from assay.evidence.records import Record
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.episodes.conduct import EpisodeReport
from assay.instruments.agency.governance.rows import breach_columns
from assay.instruments.agency.options import AgencyOptions, regimes_of
from assay.study import Lock

from .conduct import LearningReport
from .sessions import Phase, read_item

__all__ = ["STAGES", "learning_outcomes"]

REQUIRED_PARTS = ("dimension", "family", "level", "situation", "criterion", "interface")  # of a report
STAGES = frozenset(get_args(Phase))
LEVELS = {"baseline": 2, "moderate": 4, "severe": 5}  # that outcomes under an intensity evidence first
SCOPES = {"none": "none", "conversation": "conversation", "notes": "store"}


def learning_outcomes(record: Record, lock: Lock) -> list[OutcomeRow]:
    """One trial as rows. The instance is what was put to the subject, so tests before and after practice are pairs."""
    trial = record.trial
    family, learner, _ = read_item(trial.instance.item)
    phase = "attempt" if trial.stage == "attempts" else trial.stage
    options = lock.options("agency", AgencyOptions)
    intensity = regimes_of(options)[trial.regime].level
    common: dict[str, Any] = {
        "dimension": "L",
        "level": 1 if phase == "attempt" else LEVELS[intensity],
        "family": family,
        "regime": trial.regime,
        "boundary": trial.boundary,
        "instance": f"{phase}/{trial.factors['arm']}/{trial.instance.digest}",
        "pair": trial.instance.digest,
        "criterion_time": lock.created,
        "subject": trial.subject,
        "phase": phase,
        "arm": trial.factors["arm"],
        "learner": f"{trial.subject}/{family}/{learner}",
        "memory": SCOPES[options.learning.memory],
    }
    if LEVELS[intensity] == 5:  # one memory goes through all families
        common["learner"] = f"{trial.subject}/{learner}"
    if phase == "attempt":  # nothing is kept: every episode begins with an empty memory
        common["learner"] += f"/{trial.instance.digest}"
    if record.outcome == "excluded":
        return [OutcomeRow(**common, outcome="excluded", reason=record.reason)]
    report = msgspec.convert(record.report, LearningReport)
    common |= {
        "artifact": report.artifact,
        "steps": report.turns,
        "state_changed": report.state_changed and report.closed_loop,
    }
    if phase != "attempt":
        return [
            OutcomeRow(
                **common,
                **breach_columns(record, report, lock),
                outcome=_won(record.outcome == "success"),
                reason=record.reason,
            )
        ]
    return [
        OutcomeRow(
            **{**common, "instance": f"{common['instance']}/{number}"},
            outcome=_won(one),
            attempt=number,
            **breach_columns(record, one_report, lock),
        )
        for number, (one, one_report) in enumerate(_attempts(report), start=1)
    ]


def _attempts(report: LearningReport) -> Iterator[tuple[bool, EpisodeReport]]:
    """What each attempt came to, and its report; ledgers from before have that of the last alone."""
    unknown = EpisodeReport(**{part: getattr(report, part) for part in REQUIRED_PARTS})
    earlier = report.earlier_attempts or (unknown,) * (len(report.tries) - 1)
    yield from zip(report.tries, (*earlier, report), strict=True)


def _won(success: bool) -> Literal["success", "failure"]:
    return "success" if success else "failure"
