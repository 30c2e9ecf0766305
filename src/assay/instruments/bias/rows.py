"""Scoring answers that a user already has: rows in, a result out.

A row is one answer. A mistake is refused with its row, its column and what would be right; nothing is left out in
silence. An answer that could not be read is a row with an empty score.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
from msgspec import structs

from assay.measuring.rows import RowData, open_rows
from assay.measuring.rows.columns import refuse
from assay.measuring.rows.tables import TableShape, read_table, refusal_of, refuse_differing, table_records

from .answers import CHOICE, CONDITIONS, DOMAINS, INTENSITIES, KINDS, SCHEMA, UNNAMED
from .baselines import BIASES, read_baselines
from .measures.settings import BiasSettings
from .row_options import BiasRowOptions
from .scoring import BiasScores, score_answers

__all__ = ["answer_records", "read_answers", "score_rows"]

SHAPE = TableShape(
    columns={name: kind for name, kind in SCHEMA.items() if name not in CHOICE},
    needed=("bias", "domain", "condition", "instance", "trial", "score"),
    filled=("bias", "domain", "condition", "instance", "trial"),
    key=("subject", "bias", "domain", "condition", "intensity", "method", "instance", "trial"),
    names={
        "bias": BIASES,
        "domain": DOMAINS,
        "condition": CONDITIONS,
        "intensity": INTENSITIES,
        "kind": KINDS,
    },
    aliases={"human_baseline": "baseline"},
)


def score_rows(data: RowData, options: BiasRowOptions) -> tuple[BiasScores, pl.DataFrame]:
    """The scores, and the answers they were made of."""
    baselines = read_baselines(Path(options.baselines)) if options.baselines else {}
    settings = BiasSettings(**{**structs.asdict(options), "baselines": baselines})
    answers = read_answers(data)
    return score_answers(answers, settings), answers


def answer_records(data: RowData, answers: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """One record a row: what was read in it."""
    return table_records(open_rows(data), answers.select(*SHAPE.columns))


def read_answers(data: RowData) -> pl.DataFrame:
    """The checked rows as a table of answers."""
    rows = open_rows(data)
    answers, refusal = read_table(rows, SHAPE), refusal_of(rows)
    condition, intensity, method = (pl.col(name) for name in ("condition", "intensity", "method"))
    control, debias = condition == "control", condition == "debias"
    refuse(answers, "intensity", ~control | (intensity == ""), "must be empty for control", refusal)
    refuse(answers, "intensity", control | (intensity != ""), "is missing", refusal)
    refuse(answers, "method", ~debias | (method != ""), "is missing", refusal)
    for name in ("method", "kind"):
        refuse(answers, name, debias | (pl.col(name) == ""), "belongs to condition debias alone", refusal)
    refuse_differing(answers, "kind", ("subject", "bias", "method"), refusal)
    refuse_differing(answers, "baseline", ("subject", "bias"), refusal)
    if (answers.get_column("subject") == "").all():
        answers = answers.with_columns(subject=pl.lit(UNNAMED))
    refuse(answers, "subject", pl.col("subject") != "", "is missing", refusal)
    return answers.with_columns(pl.lit(None, dtype=SCHEMA[name]).alias(name) for name in CHOICE)
