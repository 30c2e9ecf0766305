"""Measures, verdicts, records and replies as frames of polars. A column has the type of its values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import IntegrityError
from assay.evidence.records import End, LedgerIndex, asks_of
from assay.vocabulary import Result

if TYPE_CHECKING:
    import polars as pl

__all__ = ["frame_of", "measure_frame", "reply_frame", "verdict_frame"]

# Columns that are there whatever was measured, with their types.
_MEASURE = {
    "instrument": str, "name": str, "value": float, "low": float, "high": float, "confidence": float,
    "bound_low": float, "bound_high": float, "spec_value": float, "k": int, "n": int, "units": str,
    "method": str, "flags": str, "notes": str,
}  # fmt: skip
_VERDICT = {
    "instrument": str, "name": str, "kind": str, "holds": bool, "claim": str, "because": str, "rule": str,
}  # fmt: skip
_REPLY = {
    "trial": str, "instrument": str, "subject": str, "item": str, "repetition": int, "stage": str,
    "regime": str, "attempt": int, "counts": bool, "turn": int, "prompt": str, "text": str, "finish": str,
    "fault": str, "detail": str, "input_tokens": int, "output_tokens": int, "seconds": float, "model": str,
    "outcome": str,
}  # fmt: skip


def frame_of(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, type] | None = None) -> pl.DataFrame:
    """Rows as a frame. Columns that are not declared have the type of their values; mixed ones are text."""
    import polars as pl

    values: dict[str, list[Any]] = {name: [] for name in columns or ()}
    for count, row in enumerate(rows):
        for name, value in row.items():
            if name not in values:
                values[name] = [None] * count
            values[name].append(value)
        for name in values.keys() - row.keys():
            values[name].append(None)
    return pl.DataFrame([_series(name, found, (columns or {}).get(name)) for name, found in values.items()])


def _series(name: str, values: list[Any], declared: type | None) -> pl.Series:
    import polars as pl

    kind = declared or _kind(values)
    if kind is str:
        return pl.Series(name, [_text(value) for value in values], dtype=pl.String)
    types = {bool: pl.Boolean, int: pl.Int64, float: pl.Float64}
    return pl.Series(name, values, dtype=types[kind], strict=False)


def _kind(values: list[Any]) -> type:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return bool
    if kinds == {int}:
        return int if all(value is None or -(2**63) <= value < 2**63 for value in values) else str
    if kinds and kinds <= {int, float}:
        return float
    return str


def _text(value: Any) -> str | None:
    """Text that polars can hold: it knows no half of a surrogate pair."""
    return None if value is None else str(value).encode("utf-8", "replace").decode("utf-8")


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
    """One row a verdict; ``holds`` is null where it is not established."""
    rows = (
        _labelled(
            {"instrument": result.instrument}
            | {name: getattr(v, name) for name in _VERDICT if name != "instrument"},
            v.labels,
        )
        for result in results
        for v in result.verdicts
    )
    return _labels_first(frame_of(rows, _VERDICT), _VERDICT, 3)


def _labels_first(frame: pl.DataFrame, fixed: Mapping[str, type], after: int) -> pl.DataFrame:
    """Labels say what a number is of: they stand beside its name."""
    labels = [name for name in frame.columns if name not in fixed]
    names = list(fixed)
    return frame.select(*names[:after], *labels, *names[after:])


def reply_frame(index: LedgerIndex) -> pl.DataFrame:
    """One row an exchange with a subject, of all attempts; ``counts`` where it is of the attempt that is scored.

    What a trial is of is recorded with its outcome: of a trial that is not finished only the exchanges are known.
    """
    index.refresh()
    return frame_of(_exchanges(index), _REPLY)


def _exchanges(index: LedgerIndex) -> Iterator[dict[str, Any]]:
    import msgspec

    for trial in index.trials():
        attempts = index.attempts(trial)
        ends = {
            number: event.data
            for number, events in attempts.items()
            for event in events
            if event.kind == "end"
        }
        counting = index.counted(trial)
        of: dict[str, Any] = {"trial": trial}
        if ends:  # while a lost trial is asked again, what it is of is known from its loss
            try:
                end = msgspec.convert(ends[max(ends) if counting is None else counting], End)
            except msgspec.MsgspecError as error:
                raise IntegrityError(
                    f"trial {trial[:12]}: an outcome that cannot be read ({error})"
                ) from None
            of |= {
                "instrument": end.instrument,
                "subject": end.trial.subject,
                "item": end.trial.instance.item,
                "repetition": end.trial.instance.repetition,
                "stage": end.trial.stage,
                "regime": end.trial.regime,
                "outcome": None if counting is None else end.outcome,
            }
        for number, events in sorted(attempts.items()):
            for turn, ask in enumerate(asks_of(trial, events)):
                reply = ask.reply
                yield of | {
                    "attempt": number,
                    "counts": number == counting,
                    "turn": turn,
                    "prompt": _prompt(ask.wire),
                    "text": reply.text if reply else None,
                    "finish": reply.finish if reply else None,
                    "fault": ask.fault,
                    "detail": ask.detail,
                    "input_tokens": reply.usage.input if reply else None,
                    "output_tokens": reply.usage.output if reply else None,
                    "seconds": ask.seconds if reply else None,
                    "model": reply.model if reply else None,
                }


def _prompt(wire: Mapping[str, Any]) -> str | None:
    """The message that was answered: the last one of the conversation."""
    messages = wire.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    content = last.get("content") if isinstance(last, dict) else None
    return content if isinstance(content, str) else None
