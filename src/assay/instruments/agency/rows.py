"""Scoring outcomes that a user already has: rows in, a result out.

A row is one judged episode (``outcome.py``). A mistake is refused with file, row, column, and what would be right.
Plain rows were not declared before they were made, so every result of them is of limited comparability.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from assay.measuring.rows import RowData, open_rows
from assay.measuring.rows.columns import without_points
from assay.vocabulary import Flag, Result

from .declarations.declaration import Declaration, System, read_declaration
from .declarations.outcome import COLUMNS
from .declarations.table import outcome_table
from .scoring import score_outcomes

__all__ = ["read_outcomes", "score_rows", "undeclared"]

NOT_DECLARED = Flag("Limited Comparability", "not declared first")


def score_rows(data: RowData, declaration: Path | Declaration | None = None, *, version: str) -> Result:
    """Score the outcomes of rows under a declaration; without one the result is exploratory."""
    notes: tuple[str, ...] = ()
    if declaration is None:
        declared = undeclared()
        notes = ("2.5: there is no declaration, so nothing comparable can be claimed",)
    else:
        declared = declaration if isinstance(declaration, Declaration) else read_declaration(declaration)
    return score_outcomes(
        read_outcomes(data), declared, source="rows", version=version, flags=(NOT_DECLARED,), notes=notes
    )


def undeclared() -> Declaration:
    """The declaration of rows that come without one."""
    return Declaration(system=System(name="unnamed system"), purpose="exploratory")


def read_outcomes(data: RowData) -> pl.DataFrame:
    """The checked rows as a table."""
    rows = open_rows(data)
    frame = rows.frame(COLUMNS)
    if rows.cells:
        frame = without_points(frame, ("instance", "pair"))
    return outcome_table(
        frame, lambda row, column, message: rows.error(rows.number_at(row), column, message), rows.name
    )
