"""Scoring answers that a user already has: rows in, a result out.

A row is one answer. A mistake is refused with its row, its column and what would be right; nothing is left out in
silence. An answer that could not be read is a row with an empty score.
"""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from assay.errors import InputError, nearest
from assay.measuring.rows import RowData, Rows, open_rows
from assay.measuring.rows.columns import (
    FLAG,
    TEXT,
    Refusal,
    flag_column,
    real_column,
    refuse,
    text_column,
    without_points,
)

from .answers import CONDITIONS, DOMAINS, INTENSITIES, KINDS, SCHEMA, UNNAMED
from .baselines import BIASES, read_baselines
from .measures.settings import BiasSettings
from .row_options import BiasRowOptions
from .scoring import BiasScores, score_answers

__all__ = ["answer_records", "read_answers", "row_settings", "score_rows"]

TEXTS = tuple(name for name, kind in SCHEMA.items() if kind == TEXT and name != "letter")
COLUMNS = (*TEXTS, "score", "confidence", "correct", "baseline")
ALIASES = {"human_baseline": "baseline"}
NEEDED = ("bias", "domain", "condition", "instance", "trial", "score")
KEY = ("subject", "bias", "domain", "condition", "intensity", "method", "instance", "trial")
NAMES: Mapping[str, tuple[str, ...]] = {
    "bias": BIASES,
    "domain": DOMAINS,
    "condition": CONDITIONS,
    "intensity": INTENSITIES,
    "kind": KINDS,
}
LOOKED_AT = 1000  # rows whose own fields are let pass; JSON has no header
NEAR = 0.85  # how like one of ours a field must be to be a typing error


def row_settings(options: BiasRowOptions) -> BiasSettings:
    return BiasSettings(
        intervals=options.intervals,
        confidence=options.confidence,
        unknown_threshold=options.unknown_threshold,
        baselines=read_baselines(Path(options.baselines)) if options.baselines else {},
    )


def score_rows(data: RowData, options: BiasRowOptions) -> tuple[BiasScores, pl.DataFrame]:
    """The scores, and the answers they were made of."""
    settings = row_settings(options)
    answers = read_answers(data)
    return score_answers(answers, settings), answers


def answer_records(data: RowData, answers: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """One record a row: what was read in it."""
    for number, row in zip(open_rows(data).numbers(), answers.iter_rows(named=True), strict=False):
        yield {"row": number, **{name: row[name] for name in COLUMNS}}


def read_answers(data: RowData) -> pl.DataFrame:
    """The checked rows as a table of answers."""
    rows = open_rows(data)
    _refuse_nan(rows)
    frame = rows.frame((*COLUMNS, *ALIASES, *_own(rows)))

    def refusal(row: int, column: str, message: str) -> InputError:
        return rows.error(rows.number_at(row), column, message)

    frame = _renamed(frame, rows)
    if rows.cells:
        frame = without_points(frame, ("instance", "trial"))
    for name in NEEDED:
        if name not in frame.columns:
            raise rows.error(None, name, f"the column is missing; needed are {', '.join(NEEDED)}")
    frame = frame.select(_column(frame, name, refusal) for name in COLUMNS)
    _check(frame, refusal)
    _check_repeated(frame, rows)
    if (frame.get_column("subject") == "").all():
        frame = frame.with_columns(subject=pl.lit(UNNAMED))
    refuse(frame, "subject", pl.col("subject") != "", "is missing", refusal)
    empty = {name: kind for name, kind in SCHEMA.items() if name not in COLUMNS}
    return frame.with_columns(pl.lit(None, dtype=kind).alias(name) for name, kind in empty.items())


def _own(rows: Rows) -> list[str]:
    """The fields of a user's own; one that is nearly one of ours is a typing error."""
    known = (*COLUMNS, *ALIASES, "model")
    found = dict.fromkeys(name for _, row in itertools.islice(rows, LOOKED_AT) for name in row)
    own = [name for name in found if name and name not in known]
    for name in own:
        absent = [one for one in COLUMNS if one not in found]
        if near := difflib.get_close_matches(name.lower(), absent, 1, NEAR):
            raise rows.error(None, name, f"unknown field; did you mean {near[0]!r}?")
    return own


def _refuse_nan(rows: Rows) -> None:
    """A NaN in JSON or in a list of mappings; elsewhere the columns are checked."""
    path = getattr(rows, "path", None)
    if rows.cells or hasattr(rows, "_frame") or (path is not None and _without_nan(path)):
        return
    for number, row in rows:
        for name in ("score", "confidence", "baseline", *ALIASES):
            value = row.get(name)
            if isinstance(value, float) and math.isnan(value):
                raise rows.error(number, name, "must be a number from 0 to 1, or empty, not nan")


def _without_nan(path: Path) -> bool:
    from assay.measuring.rows.lines import read_lines

    return not any(b"NaN" in line for _, line in read_lines(path))


def _renamed(frame: pl.DataFrame, rows: Rows) -> pl.DataFrame:
    for old, new in ALIASES.items():
        if old in frame.columns:
            both = new in frame.columns and frame.get_column(new).null_count() < frame.height
            if both and frame.get_column(old).null_count() < frame.height:
                raise rows.error(None, old, f"is another name of {new}, and both are given")
            frame = frame.drop(old) if both else frame.drop(new, strict=False).rename({old: new})
    return frame


def _column(frame: pl.DataFrame, name: str, refusal: Refusal) -> pl.Expr:
    kind = SCHEMA[name]
    if name not in frame.columns or frame.schema[name] == pl.Null():
        return pl.lit("" if kind == TEXT else None, dtype=kind).alias(name)
    if kind == FLAG:
        return flag_column(frame, name, refusal).alias(name)
    if kind == TEXT:
        return text_column(frame, name, refusal).fill_null("").str.strip_chars().alias(name)
    return real_column(frame, name, refusal, 0.0, 1.0).alias(name)


def _check(frame: pl.DataFrame, refusal: Refusal) -> None:
    condition, intensity, method = (pl.col(name) for name in ("condition", "intensity", "method"))
    for name in ("bias", "domain", "condition", "instance", "trial"):
        refuse(frame, name, pl.col(name) != "", "is missing", refusal)
    for name, known in NAMES.items():
        wrong = frame.select((~pl.col(name).is_in(["", *known])).arg_true().first()).item()
        if wrong is not None:
            given = frame.get_column(name)[int(wrong)]
            raise refusal(int(wrong), name, f"{given!r} is none of its names{nearest(given, known)}")
    control, debias = condition == "control", condition == "debias"
    refuse(frame, "intensity", ~control | (intensity == ""), "must be empty for control", refusal)
    refuse(frame, "intensity", control | (intensity != ""), "is missing", refusal)
    refuse(frame, "method", ~debias | (method != ""), "is missing", refusal)
    for name in ("method", "kind"):
        refuse(frame, name, debias | (pl.col(name) == ""), "belongs to condition debias alone", refusal)


def _check_repeated(frame: pl.DataFrame, rows: Rows) -> None:
    """No answer twice; one kind a method, one human rate a bias."""
    again = frame.select(pl.struct(KEY).is_duplicated().arg_true()).to_series()
    if len(again):
        key = frame.select(KEY).with_row_index("at")[again]
        later = key.filter(~pl.struct(KEY).is_first_distinct()).row(0, named=True)
        first = key.filter(pl.all_horizontal(pl.col(name) == later[name] for name in KEY))["at"][0]
        raise rows.error(
            rows.number_at(later["at"]),
            "",
            f"the same answer again, after {rows.place} {rows.number_at(first)}",
        )
    for name, owner in (("kind", ("subject", "bias", "method")), ("baseline", ("subject", "bias"))):
        given = frame.with_row_index("at").filter(
            pl.col(name).is_not_null() & (pl.col(name).cast(TEXT) != "")
        )
        other = given.filter(pl.col(name) != pl.col(name).first().over(owner))
        if other.height:
            value = other.get_column(name)[0]
            message = f"{value!r} here, and another one before for the same {owner[-1]}"
            raise rows.error(rows.number_at(other["at"][0]), name, message)
