"""Outcomes as one table: the names, types and defaults of its columns, and complaints that name the row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import polars as pl

from assay.errors import InputError, UnknownName

from .declaration import Declaration
from .outcome import COLUMNS, REQUIRED, Outcome

__all__ = ["KINDS", "NO_ROWS_OF_R", "Where", "as_frame", "complete", "frame_of"]

TEXT, FLAG, WHOLE = pl.String(), pl.Boolean(), pl.Int64()
KINDS: Mapping[str, pl.DataType] = {
    name: {"level": WHOLE, "steps": WHOLE, "compliant": FLAG, "state_changed": FLAG}.get(name, TEXT)
    for name in COLUMNS
}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "dimension": ("S", "M", "D", "E", "L", "G"),
    "outcome": ("success", "failure", "excluded"),
    "boundary": ("core", "extended"),
    "adversarial": ("", "attempted", "resisted", "followed"),
}
_ATTEMPTED = {"false": "", "true": "attempted"}
NO_ROWS_OF_R = (
    "R has no rows, it is derived from S, M, D and E (10.9): give each outcome its family's dimension"
)
Where = Callable[[int, str, str], InputError]  # (row from 0, column, what is wrong) -> the error


def _by_row(row: int, column: str, message: str) -> InputError:
    return InputError(f"outcome {row + 1}, {column}: {message}")


def frame_of(outcomes: Iterable[Outcome]) -> pl.DataFrame:
    """A list of outcomes as a table."""
    rows = list(outcomes)
    data: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in COLUMNS}
    data["adversarial"] = [str(value).lower() if value is not False else "" for value in data["adversarial"]]
    return pl.DataFrame(data, schema=dict(KINDS))


def as_frame(rows: pl.DataFrame | Iterable[Outcome]) -> pl.DataFrame:
    return rows if isinstance(rows, pl.DataFrame) else frame_of(rows)


def complete(frame: pl.DataFrame, declaration: Declaration, where: Where = _by_row) -> pl.DataFrame:
    """Every column, with its type and default; a wrong value is an error that names its row."""
    for name in frame.columns:
        if name not in COLUMNS:
            raise UnknownName("column", name, COLUMNS)
    for name in REQUIRED:
        if name not in frame.columns:
            raise InputError(f"the column {name!r} is missing; needed are {', '.join(REQUIRED)}")
    if not frame.height:
        raise InputError("there are no outcomes")
    frame = frame.select(_typed(frame, name, where) for name in COLUMNS)
    given = {"boundary": declaration.boundary or "core", "subject": declaration.system.name}
    frame = frame.with_columns(
        pl.col("regime").replace(_regimes(frame, declaration)),
        *(
            pl.when(pl.col(name) == "").then(pl.lit(value)).otherwise(name).alias(name)
            for name, value in given.items()
        ),
        pl.when(pl.col("pair") == "").then("instance").otherwise("pair").alias("pair"),
        pl.col("adversarial").replace(_ATTEMPTED),
    )
    _check(frame, where)
    return frame


def _regimes(frame: pl.DataFrame, declaration: Declaration) -> dict[str, str]:
    """Regimes that differ from a declared one in case alone."""
    declared: dict[str, list[str]] = {}
    for name in declaration.regimes:
        declared.setdefault(name.casefold(), []).append(name)
    seen = [name for name in frame.get_column("regime").unique() if name not in declaration.regimes]
    return {name: own[0] for name in seen if len(own := declared.get(name.casefold(), [])) == 1}


def _typed(frame: pl.DataFrame, name: str, where: Where) -> pl.Expr:
    kind = KINDS[name]
    if name not in frame.columns:
        return pl.lit("" if kind == TEXT else None, dtype=kind).alias(name)
    column = frame.get_column(name)
    if kind == TEXT:
        if name == "adversarial" and column.dtype == FLAG:
            return pl.col(name).cast(TEXT).fill_null("")
        if not isinstance(column.dtype, pl.String | pl.Categorical | pl.Enum | pl.Null):
            raise where(0, name, f"must be text, not {column.dtype}")
        return pl.col(name).cast(TEXT).fill_null("")
    if column.dtype == pl.Null or column.dtype == kind or (kind == WHOLE and column.dtype.is_integer()):
        return pl.col(name).cast(kind)
    raise where(
        0, name, f"must be {'a whole number' if kind == WHOLE else 'true or false'}, not {column.dtype}"
    )


def _check(frame: pl.DataFrame, where: Where) -> None:
    _refuse(frame, "dimension", pl.col("dimension") != "R", NO_ROWS_OF_R, where)
    for name, choices in _CHOICES.items():
        _refuse(
            frame,
            name,
            pl.col(name).is_in(choices),
            f"must be one of {', '.join(filter(None, choices))}",
            where,
        )
    for name in ("family", "regime", "instance"):
        _refuse(frame, name, pl.col(name) != "", "must not be empty", where)
    _refuse(frame, "level", pl.col("level").is_between(1, 5).fill_null(False), "must be 1 to 5", where)
    _refuse(frame, "steps", (pl.col("steps") >= 0).fill_null(True), "must be 0 or more", where)


def _refuse(frame: pl.DataFrame, name: str, right: pl.Expr, message: str, where: Where) -> None:
    wrong = frame.select((~right).arg_true().first()).item()
    if wrong is not None:
        raise where(int(wrong), name, f"{message}, not {frame.get_column(name)[int(wrong)]!r}")
