"""The trials of a session as rows, and its modifications as declared interventions."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.evidence.records import Record
from assay.instruments.agency.declarations.declaration import DeclaredIntervention
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.study import Lock

from .conduct import InterventionReport
from .sessions import read_intervention_item
from .workbench import STEPS

__all__ = ["declared_intervention", "intervention_outcome"]


def intervention_outcome(record: Record, lock: Lock) -> OutcomeRow:
    """One test as a row. Tests before and after a modification and after its re-application have the same ``pair``."""
    trial = record.trial
    family, level = read_intervention_item(trial.instance.item)
    phase = str(trial.factors["phase"])
    common: dict[str, Any] = {
        "dimension": "T6",
        "level": level,
        "family": family,
        "regime": trial.regime,
        "boundary": trial.boundary,
        "instance": trial.instance.digest,
        "pair": trial.instance.digest,
        "criterion_time": lock.created,
        "subject": trial.subject,
        "phase": phase,
    }
    if record.outcome == "excluded":
        return OutcomeRow(**common, outcome="excluded", reason=record.reason)
    report = msgspec.convert(record.report, InterventionReport)
    return OutcomeRow(
        **common,
        outcome="success" if record.outcome == "success" else "failure",
        reason=record.reason,
        artifact=report.artifact,
        steps=report.turns,
        state_changed=report.state_changed and report.closed_loop,
    )


def declared_intervention(record: Record) -> DeclaredIntervention | None:
    """A modification as the log shows it; None where it was lost to infrastructure."""
    if record.outcome == "excluded":
        return None
    family, _ = read_intervention_item(record.trial.instance.item)
    report = msgspec.convert(record.report, InterventionReport)
    taken = set(report.steps)
    return DeclaredIntervention(
        family=family,
        kind=report.kinds,
        identified=STEPS[0] in taken and report.right,
        proposed=STEPS[1] in taken and report.kind in report.kinds,
        implemented=STEPS[2] in taken and bool(report.kinds),
        demonstrated=STEPS[3] in taken and report.demonstrated,
        tampered=bool(report.tampered),
        reapplied=record.trial.instance.repetition > 0,
    )
