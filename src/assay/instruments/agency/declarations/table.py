"""Outcomes as one table: names, types and defaults of its columns. A wrong value is refused with its row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import polars as pl

from assay.errors import InputError, UnknownName
from assay.measuring.rows import OLD_NAMES

from .declaration import Declaration
from .outcome import COLUMNS, REQUIRED, OutcomeRow

__all__ = ["NOTHING", "NO_ROWS_OF_R", "Refusal", "complete", "frame_of", "outcome_table"]

TEXT, FLAG, WHOLE = pl.String(), pl.Boolean(), pl.Int64()
KINDS: Mapping[str, pl.DataType] = {
    name: {"level": WHOLE, "steps": WHOLE, "compliant": FLAG, "state_changed": FLAG}.get(name, TEXT)
    for name in COLUMNS
}
NO_ROWS_OF_R = (
    "R has no rows, it is derived from S, M, D and E (10.9): give each outcome its family's dimension"
)
# What spreadsheets, pandas, R and databases write for nothing, for numbers, and for true and false.
NOTHING = ("", "nan", "NaN", "None", "null", "NULL", "NA", "N/A", "<NA>", "NaT")
_TRUE, _FALSE = ("true", "True", "TRUE", "1", "1.0"), ("false", "False", "FALSE", "0", "0.0")
_FLAGS = {**dict.fromkeys(_TRUE, True), **dict.fromkeys(_FALSE, False)}
_ATTEMPTS = {**dict.fromkeys(_TRUE, "attempted"), **dict.fromkeys(_FALSE, "")}
_NO_DIGEST = (*_FLAGS, "yes", "Yes", "YES", "no", "No", "NO")
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "dimension": ("S", "M", "D", "E", "L", "G"),
    "outcome": ("success", "failure", "excluded"),
    "boundary": ("", "core", "extended"),
    "adversarial": ("", "attempted", "resisted", "followed"),
}
_RANGES = {"level": (1, 5), "steps": (0, 1_000_000_000)}
_EXACT = 2**53  # above this, floats no longer tell whole numbers apart
Refusal = Callable[[int, str, str], InputError]  # (row from 0, column, what is wrong) -> the error


def _by_number(row: int, column: str, message: str) -> InputError:
    return InputError(f"outcome {row + 1}, {column}: {message}")


def frame_of(outcomes: Iterable[OutcomeRow]) -> pl.DataFrame:
    """A list of outcomes as a table."""
    rows = list(outcomes)
    data: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in COLUMNS}
    data["adversarial"] = [str(value) if value is not False else "" for value in data["adversarial"]]
    return pl.DataFrame(data, schema=dict(KINDS))


def outcome_table(
    rows: pl.DataFrame | Iterable[OutcomeRow], refusal: Refusal = _by_number, file: str | None = None
) -> pl.DataFrame:
    """Every column with its type and default; every value checked."""
    frame = rows if isinstance(rows, pl.DataFrame) else frame_of(rows)
    frame = frame.rename(_renamed(frame.columns, file))
    if not frame.height:
        raise InputError("there are no outcomes", file=file)
    frame = frame.select(_column(frame, name, refusal) for name in COLUMNS)
    _refuse(frame, "dimension", pl.col("dimension") != "R", NO_ROWS_OF_R, refusal)
    for name, choices in _CHOICES.items():
        wanted = (
            ", ".join(filter(None, choices)) if name != "adversarial" else "resisted, followed, true, false"
        )
        _refuse(frame, name, pl.col(name).is_in(choices), f"must be one of {wanted}", refusal)
    for name in ("family", "regime", "instance"):
        _refuse(frame, name, pl.col(name) != "", "must not be empty", refusal)
    _refuse(frame, "level", pl.col("level").is_not_null(), "must be a whole number, 1 to 5", refusal)
    no_digest = "must be the digest of what was verified, or empty"
    _refuse(frame, "artifact", ~pl.col("artifact").is_in(_NO_DIGEST), no_digest, refusal)
    return frame


def _renamed(names: Iterable[str], file: str | None) -> dict[str, str]:
    """Old column names as the present ones. An unknown, a repeated and a missing column are refused."""
    found: dict[str, str] = {}
    for given in names:
        name = OLD_NAMES.get(given, given)
        first, repeated, _ = name.partition("_duplicated_")  # so polars calls the second of two
        if name in found.values() or (repeated and first in COLUMNS):
            raise InputError(f"the column {first!r} is there twice", file=file)
        if name not in COLUMNS:
            raise UnknownName("column", name, COLUMNS, file=file)
        found[given] = name
    for name in REQUIRED:
        if name not in found.values():
            raise InputError(f"the column {name!r} is missing; needed are {', '.join(REQUIRED)}", file=file)
    return found


def complete(frame: pl.DataFrame, declaration: Declaration) -> pl.DataFrame:
    """A checked table in which empty cells have what the declaration says."""
    given = {"boundary": declaration.boundary or "core", "subject": declaration.system.name}
    return frame.with_columns(
        *(pl.col(name).replace("", value).alias(name) for name, value in given.items()),
        pl.when(pl.col("pair") == "").then("instance").otherwise("pair").alias("pair"),
    )


# Columns, by the type they come in.


def _column(frame: pl.DataFrame, name: str, refusal: Refusal) -> pl.Expr:
    kind = KINDS[name]
    if name not in frame.columns or frame.schema[name] == pl.Null():
        return pl.lit("" if kind == TEXT else None, dtype=kind).alias(name)
    if kind == WHOLE:
        return _whole(frame, name, refusal)
    if kind == FLAG:
        return _flag(frame, name, refusal)
    text = _text(frame, name, refusal).fill_null("")
    return text.replace(_ATTEMPTS) if name == "adversarial" else text


def _text(frame: pl.DataFrame, name: str, refusal: Refusal) -> pl.Expr:
    """Any column as text: whole numbers without a point, times as ISO 8601, null for nothing."""
    kind, column = frame.schema[name], pl.col(name)
    if isinstance(kind, pl.String | pl.Categorical | pl.Enum):
        column = column.cast(TEXT)
        return pl.when(~column.is_in(NOTHING)).then(column).alias(name)
    if kind == pl.Boolean or kind.is_integer():
        return column.cast(TEXT)
    if kind.is_float() or kind.is_decimal():
        number = column.cast(pl.Float64).fill_nan(None)
        whole = (number == number.round()) & (number.abs() <= _EXACT)
        _refuse(frame, name, whole.fill_null(True), "must be a whole number or text", refusal)
        return number.cast(pl.Int64).cast(TEXT)
    if isinstance(kind, pl.Datetime | pl.Date):
        moment = column.cast(pl.Datetime("us"))
        if isinstance(kind, pl.Datetime) and kind.time_zone:
            moment = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return moment.dt.strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00")
    raise refusal(0, name, f"must be text, not {kind}")


def _whole(frame: pl.DataFrame, name: str, refusal: Refusal) -> pl.Expr:
    kind, (low, high) = frame.schema[name], _RANGES[name]
    text = None if kind.is_numeric() else _text(frame, name, refusal)
    given = pl.col(name).cast(pl.Float64).fill_nan(None) if text is None else text
    number = given.cast(pl.Float64, strict=False)
    right = (number == number.round()) & number.is_between(low, high) & pl.lit(kind != pl.Boolean())
    message = f"must be a whole number, {low:,} to {high:,}"
    _refuse(frame, name, given.is_null() | right.fill_null(False), message, refusal)
    return number.cast(WHOLE)


def _flag(frame: pl.DataFrame, name: str, refusal: Refusal) -> pl.Expr:
    if frame.schema[name] == FLAG:
        return pl.col(name)
    text = _text(frame, name, refusal)
    _refuse(frame, name, text.is_null() | text.is_in([*_FLAGS]), "must be true, false or empty", refusal)
    return text.replace_strict(_FLAGS, default=None, return_dtype=FLAG)


def _refuse(frame: pl.DataFrame, name: str, right: pl.Expr, message: str, refusal: Refusal) -> None:
    wrong = frame.select((~right).arg_true().first()).item()
    if wrong is not None:
        raise refusal(int(wrong), name, f"{message}, not {frame.get_column(name)[int(wrong)]!r}")
