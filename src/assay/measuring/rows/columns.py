"""The columns of a frame, checked: text, whole numbers, true and false, whatever type they came in."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import polars as pl

from assay.errors import InputError
from assay.study.labels import LOOKS_ALIKE, invisible_in, label_key

from .values import FALSE, NOTHING, TRUE

__all__ = [
    "FLAG",
    "FLAGS",
    "REAL",
    "TEXT",
    "WHOLE",
    "Refusal",
    "flag_column",
    "real_column",
    "real_range",
    "refuse",
    "refuse_labels",
    "text_column",
    "typed_column",
    "whole_column",
    "without_points",
]

TEXT, FLAG, WHOLE, REAL = pl.String(), pl.Boolean(), pl.Int64(), pl.Float64()
FLAGS = {**dict.fromkeys(TRUE, True), **dict.fromkeys(FALSE, False)}
Refusal = Callable[[int, str, str], InputError]  # (row from 0, column, what is wrong) -> the error
_EXACT = 2**53  # above this, floats no longer tell whole numbers apart


def typed_column(
    frame: pl.DataFrame,
    name: str,
    kind: pl.DataType,
    refusal: Refusal,
    low: float = 0,
    high: float = 1,
    *,
    filled: bool = False,
) -> pl.Expr:
    """A column as one of the kinds above, numbers within bounds. Absent is empty of text, else null.

    ``filled``: of a real number the message says that there has to be one; that there is one is not checked here.
    """
    if name not in frame.columns or frame.schema[name] == pl.Null():
        return pl.lit("" if kind == TEXT else None, dtype=kind).alias(name)
    if kind == TEXT:
        text = text_column(frame, name, refusal).fill_null("")
        if name == "subject":
            refuse_labels(frame.select(text.str.strip_chars().alias(name)), (name,), refusal)
        return text
    if kind == FLAG:
        return flag_column(frame, name, refusal)
    if kind == WHOLE:
        return whole_column(frame, name, refusal, int(low), int(high))
    return real_column(frame, name, refusal, real_range(low, high, filled=filled), low, high)


def text_column(frame: pl.DataFrame, name: str, refusal: Refusal) -> pl.Expr:
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
        refuse(frame, name, whole.fill_null(True), "must be a whole number or text", refusal)
        return number.cast(pl.Int64).cast(TEXT)
    if isinstance(kind, pl.Datetime | pl.Date):
        moment = column.cast(pl.Datetime("us"))
        if isinstance(kind, pl.Datetime) and kind.time_zone:
            moment = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return moment.dt.strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00")
    raise refusal(0, name, f"must be text, not {kind}")


def whole_column(frame: pl.DataFrame, name: str, refusal: Refusal, low: int, high: int) -> pl.Expr:
    """A column of whole numbers within bounds, null for nothing; text of such numbers is taken."""
    kind = frame.schema[name]
    text = None if kind.is_numeric() else text_column(frame, name, refusal)
    given = pl.col(name).cast(pl.Float64).fill_nan(None) if text is None else text
    number = given.cast(pl.Float64, strict=False)
    right = (number == number.round()) & number.is_between(low, high) & pl.lit(kind != pl.Boolean())
    message = f"must be a whole number, {low:,} to {high:,}"
    refuse(frame, name, given.is_null() | right.fill_null(False), message, refusal)
    return number.cast(WHOLE)


def real_range(low: float, high: float, *, filled: bool) -> str:
    """What a real number must be, in words."""
    return f"must be a number from {low:g} to {high:g}{'' if filled else ', or empty'}"


def real_column(
    frame: pl.DataFrame, name: str, refusal: Refusal, message: str, low: float, high: float
) -> pl.Expr:
    """A column of numbers within bounds, null for an empty one. NaN is refused: it does not say what is absent."""
    kind = frame.schema[name]
    if kind.is_numeric():
        given = pl.col(name).cast(pl.Float64)
        right = given.is_null() | (given.is_finite() & given.is_between(low, high))
        refuse(frame, name, right, message, refusal)
        return given
    text = text_column(frame, name, refusal)
    refuse(frame, name, ~pl.col(name).cast(TEXT).is_in(("nan", "NaN")).fill_null(False), message, refusal)
    number = text.cast(pl.Float64, strict=False)
    right = (number.is_finite() & number.is_between(low, high) & pl.lit(kind != FLAG)).fill_null(False)
    refuse(frame, name, text.is_null() | right, message, refusal)
    return number


def flag_column(frame: pl.DataFrame, name: str, refusal: Refusal) -> pl.Expr:
    """A column of true and false, null for nothing, as people write them."""
    if frame.schema[name] == FLAG:
        return pl.col(name)
    text = text_column(frame, name, refusal)
    refuse(frame, name, text.is_null() | text.is_in([*FLAGS]), "must be true, false or empty", refusal)
    return text.replace_strict(FLAGS, default=None, return_dtype=FLAG)


def refuse_labels(frame: pl.DataFrame, names: Iterable[str], refusal: Refusal) -> None:
    """Refuse labels with invisible characters, and those that look like another one of these columns."""
    first: dict[str, str] = {}
    for name in names:
        labels = frame.with_row_index("at").group_by(name).agg(pl.col("at").min()).sort("at")
        for label, at in labels.select(name, "at").iter_rows():
            if unseen := invisible_in(label):
                raise refusal(at, name, unseen)
            if first.setdefault(label_key(label), label) != label:
                raise refusal(at, name, f"{label!r} {LOOKS_ALIKE}")


def refuse(frame: pl.DataFrame, name: str, right: pl.Expr, message: str, refusal: Refusal) -> None:
    """Refuse the first value for which ``right`` does not hold."""
    wrong = frame.select((~right).arg_true().first()).item()
    if wrong is not None:
        value = frame.get_column(name)[int(wrong)]
        raise refusal(int(wrong), name, "is missing" if value in (None, "") else f"{message}, not {value!r}")


def without_points(frame: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Ids without ".0" where all of a column are such: pandas writes whole numbers so where some are missing."""
    ids = [name for name in names if name in frame.columns and _pointed(frame[name])]
    return frame.with_columns(pl.col(ids).str.strip_suffix(".0")) if ids else frame


def _pointed(ids: pl.Series) -> bool:
    if ids.dtype != TEXT:
        return False
    given = ids.filter(~ids.is_in(NOTHING))
    return bool(len(given) and given.str.contains(r"^\d+\.0$").all())
