"""Answers as one table, a row an answer: the same for a run and for rows that a user has.

``score`` is 0 (normative) to 1 (fully biased), null where the answer could not be read. ``letter``, ``position`` (from
1) and ``options`` (how many there were) are those of a choice; rows that a user brings do not have them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from .items import model

__all__ = ["CHOICE", "CONDITIONS", "DOMAINS", "INTENSITIES", "KINDS", "SCHEMA", "UNNAMED", "answer_table"]

CONDITIONS = ("control", "treatment", "debias")
INTENSITIES: tuple[str, ...] = model.INTENSITIES
DOMAINS: tuple[str, ...] = model.DOMAINS
KINDS: tuple[str, ...] = model.KINDS
CHOICE = ("letter", "position", "options")  # what a choice was, and among how many
UNNAMED = "unnamed"  # the subject of rows that name none

SCHEMA: Mapping[str, pl.DataType] = {
    **dict.fromkeys(
        ("subject", "bias", "domain", "condition", "intensity", "method", "kind", "instance", "trial"),
        pl.String(),
    ),
    **dict.fromkeys(("score", "confidence"), pl.Float64()),
    "correct": pl.Boolean(),
    "baseline": pl.Float64(),
    "letter": pl.String(),
    "position": pl.Int64(),
    "options": pl.Int64(),
}


def answer_table(answers: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Answers as mappings, put into columns. A text that is absent is empty; a number that is absent is null."""
    rows = list(answers)
    columns = {
        name: pl.Series(name, [_text(row.get(name), kind) for row in rows], dtype=kind)
        for name, kind in SCHEMA.items()
    }
    return pl.DataFrame(columns)


def _text(value: Any, kind: pl.DataType) -> Any:
    return ("" if value is None else str(value)) if kind == pl.String() else value
