"""Measures, verdicts, trials and replies as frames of polars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from assay.evidence.trial_reader import TrialReader
from assay.report.frames import frame_of
from assay.report.trial_rows import CALL_COLUMNS, TRIAL_COLUMNS, call_rows, trial_row
from assay.vocabulary import Result

from .gate import accompanying_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["measure_frame", "reply_frame", "trial_frame", "verdict_frame"]

# Columns that are there whatever was measured, with their types.
_MEASURE = {
    "instrument": str, "name": str, "value": float, "low": float, "high": float, "confidence": float,
    "bound_low": float, "bound_high": float, "spec_value": float, "k": int, "n": int, "units": str,
    "method": str, "flags": str, "notes": str,
}  # fmt: skip
_VERDICT = {
    "instrument": str, "name": str, "kind": str, "holds": bool, "claim": str, "because": str, "rule": str,
}  # fmt: skip


def _labelled(row: dict[str, Any], labels: Mapping[str, Any]) -> dict[str, Any]:
    """The labels as columns; one that has the name of another column is called ``label_NAME``."""
    return row | {f"label_{name}" if name in row else name: value for name, value in labels.items()}


def measure_frame(results: Iterable[Result]) -> pl.DataFrame:
    """One row a measure, its labels as columns."""
    rows = (
        _labelled(
            {name: getattr(m, name) for name in _MEASURE if name not in ("instrument", "flags", "notes")}
            | {
                "instrument": result.instrument,
                "flags": "; ".join(map(str, m.flags)),
                "notes": "; ".join(m.notes),
            },
            m.labels,
        )
        for result in results
        for m in result.measures
    )
    return _labels_first(frame_of(rows, _MEASURE), _MEASURE, 2)


def verdict_frame(results: Iterable[Result]) -> pl.DataFrame:
    """One row a verdict; ``holds`` is null where it is not established. What must stand beside it stands beside it."""
    rows = (
        _labelled(
            {"instrument": result.instrument}
            | {name: getattr(v, name) for name in _VERDICT if name != "instrument"}
            | ({"accompanying": beside} if beside else {}),
            v.labels,
        )
        for result in results
        for beside in ["; ".join(accompanying_of(result))]
        for v in result.verdicts
    )
    return _labels_first(frame_of(rows, _VERDICT), _VERDICT, 3)


def _labels_first(frame: pl.DataFrame, fixed: Mapping[str, type], after: int) -> pl.DataFrame:
    """Labels say what a number is of: they stand beside its name."""
    labels = [name for name in frame.columns if name not in fixed]
    names = list(fixed)
    return frame.select(*names[:after], *labels, *names[after:])


def reply_frame(reader: TrialReader) -> pl.DataFrame:
    """One row an exchange with a subject, of all attempts, in the order of the trials' ids.

    What a trial is of is recorded with its outcome: of a trial that is not finished only the exchanges are known.
    """
    return frame_of((row for trial in reader for row in call_rows(trial.read())), CALL_COLUMNS).sort(
        "trial", maintain_order=True
    )


def trial_frame(reader: TrialReader) -> pl.DataFrame:
    """One row a trial, in the order of their ids."""
    return frame_of((trial_row(trial.read()) for trial in reader), TRIAL_COLUMNS).sort("trial")
