"""Scoring outcomes that a user already has: rows in, a result out.

A row is one judged episode (``outcome.py``). A mistake is refused with file, row, column, and what would be right.
Plain rows were not declared before they were made, so every result of them is of limited comparability.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from assay.measuring.outcomes import NOT_DECLARED
from assay.measuring.rows import RowData, open_rows
from assay.measuring.rows.columns import without_points
from assay.measuring.scored import ScoredRows
from assay.vocabulary import Result

from .declarations.contradictions import read_declaration
from .declarations.declaration import Declaration, System
from .declarations.outcome import COLUMNS
from .declarations.table import OutcomeRefused, outcome_table
from .documents.documents import documents_of
from .documents.published import published_of_rows
from .present import present_rows
from .rubric.analysis import AgencyReading, analyse
from .rubric.outcome_records import outcome_records
from .scoring import result_of

__all__ = [
    "ScoredOutcomes",
    "published_rows",
    "read_outcomes",
    "score_rows",
    "scored_outcomes",
    "undeclared",
]


def score_rows(data: RowData, declaration: Path | Declaration | None = None, *, version: str) -> Result:
    """The result alone."""
    return scored_outcomes(data, declaration, version=version).result


class ScoredOutcomes(NamedTuple):
    """A result with what it was scored from: the checked table, and a reading for each subject and boundary."""

    result: Result
    readings: tuple[AgencyReading, ...]
    frame: pl.DataFrame
    declaration: Declaration


def scored_outcomes(
    data: RowData, declaration: Path | Declaration | None = None, *, version: str
) -> ScoredOutcomes:
    """Score the outcomes of rows under a declaration; without one the result is exploratory."""
    notes: tuple[str, ...] = ()
    if declaration is None:
        declared = undeclared()
        notes = ("2.5: there is no declaration, so nothing comparable can be claimed",)
    else:
        declared = declaration if isinstance(declaration, Declaration) else read_declaration(declaration)
    rows, flags = open_rows(data), (NOT_DECLARED,)
    frame = read_outcomes(rows)
    try:
        readings = analyse(frame, declared, flags=flags)
    except OutcomeRefused as error:
        *before, place = map(rows.number_at, error.rows)
        first = f" (first in {rows.place} {before[0]})" if before else ""
        raise rows.error(place, error.column, f"{error.message}{first}") from None
    result = result_of(readings, source="rows", version=version, flags=flags, notes=notes)
    return ScoredOutcomes(result, readings, frame, declared)


def published_rows(data: RowData, declaration: Path | None, *, version: str) -> ScoredRows:
    """The result with its records, page and documents, each made when it is asked for."""
    rows = open_rows(data)
    found = scored_outcomes(rows, declaration, version=version)

    def records() -> Iterator[dict[str, Any]]:
        return outcome_records(found.frame, found.declaration, rows.numbers())

    return ScoredRows(
        found.result,
        records,
        lambda: present_rows(found.readings, found.result, found.declaration),
        lambda: documents_of(published_of_rows(found.readings, records()), found.result),
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
