"""Answers as one table, a row an answer: the same for a run and for rows that a user has.

``score`` is 0 (normative) to 1 (fully biased), null where the answer could not be read. ``letter``, ``position`` (from
1) and ``options`` (how many there were) are those of a choice; rows that a user brings do not have them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from .item_answers import CHOICE
from .items.model import DOMAINS, INTENSITIES, KINDS

__all__ = ["CHOICE", "CONDITIONS", "DOMAINS", "INTENSITIES", "KINDS", "SCHEMA", "UNNAMED", "answer_table"]

CONDITIONS = ("control", "treatment", "debias")
UNNAMED = "unnamed"  # the subject of rows that name none

TEXTS = ("subject", "bias", "domain", "condition", "intensity", "method", "kind", "instance", "trial")
SCHEMA: Mapping[str, pl.DataType] = {
    **dict.fromkeys(TEXTS, pl.String()),
    **dict.fromkeys(("score", "confidence"), pl.Float64()),
    "correct": pl.Boolean(),
    "baseline": pl.Float64(),
    "letter": pl.String(),
    "position": pl.Int64(),
    "options": pl.Int64(),
}


def answer_table(answers: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Answers as mappings, put into columns. A text that is absent is empty; a number that is absent is null."""
    table = pl.DataFrame([{name: row.get(name) for name in SCHEMA} for row in answers], schema=dict(SCHEMA))
    return table.with_columns(pl.col(name).fill_null("") for name in TEXTS)
