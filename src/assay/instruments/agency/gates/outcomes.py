"""The episodes of gates as rows."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.evidence.records import Record
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.governance.rows import breach_columns
from assay.study import Lock

from .conduct import GateReport
from .trials import CONFIDENCE, GATE, arm_of

__all__ = ["GATE_STAGES", "gate_outcome"]

GATE_STAGES = frozenset({GATE, CONFIDENCE})


def gate_outcome(record: Record, lock: Lock) -> OutcomeRow:
    """One trial as a row. All arms of an instance have the same ``pair``."""
    trial = record.trial
    name, level = trial.instance.item.removeprefix(f"{CONFIDENCE}/").split("/")
    arm, fixed = arm_of(str(trial.factors["arm"]))
    common: dict[str, Any] = {
        "dimension": lock.materials["agency"]["gates"]["families"][name]["dimension"][0],
        "level": int(level),
        "family": name,
        "regime": trial.regime,
        "boundary": trial.boundary,
        "instance": trial.instance.digest,
        "pair": trial.instance.digest,
        "criterion_time": lock.created,
        "subject": trial.subject,
        "arm": arm,
        "strategy": fixed,
    }
    if record.outcome == "excluded":
        return OutcomeRow(**common, outcome="excluded", reason=record.reason)
    report = msgspec.convert(record.report, GateReport)
    return OutcomeRow(
        **{**common, "strategy": fixed or report.strategy},
        outcome="success" if record.outcome == "success" else "failure",
        reason=record.reason,
        artifact=report.artifact,
        steps=report.turns,
        state_changed=report.state_changed and report.closed_loop,
        confidence=report.confidence,
        **breach_columns(record, report, lock),
    )
