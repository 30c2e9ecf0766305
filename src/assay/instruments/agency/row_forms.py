"""The forms in which tables of outcomes come, brought to the one that ``frames.py`` has.

A spreadsheet writes TRUE and 3.0, pandas writes NaN and a float where a number is missing, people write S3 and Core.
What can be read in one way is taken; anything else is told with its row, column, and what would be right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from assay.canonical import clean_text
from assay.errors import InputError, UnknownName

from .declared_words import folded
from .frames import KINDS, NO_ROWS_OF_R, Where
from .outcome import COLUMNS, REQUIRED

__all__ = ["named_columns", "plain", "plain_row"]

NOTHING = ("", "null", "none", "nan", "nat", "na", "n/a", "<na>", "-")
_WORDS: Mapping[str, bool] = {
    **dict.fromkeys(("true", "1", "yes", "1.0"), True),
    **dict.fromkeys(("false", "0", "no", "0.0"), False),
}
_ATTEMPTS = {**{word: str(value).lower() for word, value in _WORDS.items()}, **dict.fromkeys(NOTHING, "")}
_FLAGS = "must be true, false or empty (1, 0, yes and no will do)"
_TEXTS = tuple(name for name, kind in KINDS.items() if kind == pl.String())
_NO_DIGEST = "must be the digest of what was verified, or empty"
_POINTED = r"^\d+\.0$"
_WHOLE, _LEVEL = r"^[+]?(\d{1,9})(?:\.0+)?$", r"^(?:[A-Za-z]\s*=?\s*)?(\d{1,9})(?:\.0+)?$"


def named_columns(names: Iterable[str], path: Path) -> dict[str, str]:
    """Each column's own name; unknown, doubled and missing ones are told."""
    found: dict[str, str] = {}
    for given in names:
        name = folded(given)
        if name not in COLUMNS:
            raise UnknownName("column", given, COLUMNS, file=str(path))
        if name in found.values():
            raise InputError(f"the column {name!r} is there twice", file=str(path))
        found[given] = name
    for name in REQUIRED:
        if name not in found.values():
            needed = ", ".join(REQUIRED)
            raise InputError(f"the column {name!r} is missing; needed are {needed}", file=str(path))
    return found


def plain(frame: pl.DataFrame, where: Where) -> pl.DataFrame:
    """The table with the types of ``frames.KINDS``."""
    for name in frame.columns:
        if name in _TEXTS:
            frame = _as_attempt(frame, where) if name == "adversarial" else _as_text(frame, name, where)
    for name in frame.columns:
        if name in ("level", "steps"):
            frame = _as_whole(frame, name, where)
        elif name not in _TEXTS:
            frame = _as_flag(frame, name, where)
    return frame


_MOST = 1_000_000_000
_EXACT = 2**53  # beyond it numbers with a point are not told apart

# Columns.


def _spelled(frame: pl.DataFrame, name: str, where: Where) -> pl.Expr:
    """Any column as text: whole numbers without a point, times as ISO 8601, nothing as an empty text."""
    kind, column = frame.get_column(name).dtype, pl.col(name)
    if isinstance(kind, pl.String | pl.Categorical | pl.Enum | pl.Null):
        return column.cast(pl.String).fill_null("").str.strip_chars()
    if kind == pl.Boolean or kind.is_integer():
        return column.cast(pl.String).fill_null("")
    if kind.is_float() or kind.is_decimal():
        number = column.cast(pl.Float64)
        some = number.is_not_nan() & number.is_not_null()
        whole = (number == number.round()) & (number.abs() <= _EXACT)
        _told(frame, name, ~some | whole, "must be a whole number or text", where)
        return pl.when(some).then(number.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(pl.lit(""))
    if isinstance(kind, pl.Datetime | pl.Date):
        moment = column.cast(pl.Datetime("us"))
        if isinstance(kind, pl.Datetime) and kind.time_zone:
            moment = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return moment.dt.strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00").fill_null("")
    raise where(0, name, f"must be text, not {kind}")


def _as_text(frame: pl.DataFrame, name: str, where: Where) -> pl.DataFrame:
    text = _spelled(frame, name, where)
    if name == "dimension":
        text = text.str.to_uppercase()
    elif name in ("outcome", "boundary"):
        text = text.str.to_lowercase().str.strip_suffix("boundary").str.strip_chars()
    if name == "artifact":
        _told(frame, name, ~text.str.to_lowercase().is_in([*_WORDS]), _NO_DIGEST, where)
    if name in ("instance", "pair"):
        text = _unpointed(frame, text)
    if name not in REQUIRED:
        text = pl.when(text.str.to_lowercase().is_in(NOTHING)).then(pl.lit("")).otherwise(text)
    return frame.with_columns(text.alias(name))


def _unpointed(frame: pl.DataFrame, text: pl.Expr) -> pl.Expr:
    """Numbers that became 7.0 in a whole column of text, as pandas writes them where some are missing, are 7 again."""
    given = ~text.str.to_lowercase().is_in(NOTHING)
    pointed = (text.str.contains(_POINTED) | ~given).all() & given.any()
    few = frame.head(100).select(pointed | ~given.any()).item()  # mostly settled by these
    return text.str.strip_suffix(".0") if few and frame.select(pointed).item() else text


def _as_flag(frame: pl.DataFrame, name: str, where: Where) -> pl.DataFrame:
    if frame.get_column(name).dtype == pl.Boolean:
        return frame
    low = _spelled(frame, name, where).str.to_lowercase()
    _told(frame, name, low.is_in([*_WORDS, *NOTHING]), _FLAGS, where)
    return frame.with_columns(low.replace_strict(_WORDS, default=None, return_dtype=pl.Boolean).alias(name))


def _as_whole(frame: pl.DataFrame, name: str, where: Where) -> pl.DataFrame:
    if frame.get_column(name).dtype.is_integer():
        near = pl.col(name).is_between(-_MOST, _MOST).fill_null(True)
        _told(frame, name, near, f"must be at most {_MOST:,}", where)
        return frame
    text = _spelled(frame, name, where)
    pattern = _LEVEL if name == "level" else _WHOLE
    known = text.str.contains(pattern) | text.str.to_lowercase().is_in(NOTHING)
    _told(frame, name, known, "must be a whole number", where)
    if name == "level" and "dimension" in frame.columns:
        letter = text.str.extract(r"^([A-Za-z])").str.to_uppercase()
        _told(
            frame,
            name,
            (letter == pl.col("dimension")).fill_null(True),
            "must be of its row's dimension",
            where,
        )
    return frame.with_columns(text.str.extract(pattern).cast(pl.Int64, strict=False).alias(name))


def _as_attempt(frame: pl.DataFrame, where: Where) -> pl.DataFrame:
    low = _spelled(frame, "adversarial", where).str.to_lowercase()
    known = low.is_in([*_ATTEMPTS, "attempted", "resisted", "followed"])
    _told(frame, "adversarial", known, "must be resisted, followed, true, false or empty", where)
    return frame.with_columns(low.replace({**_ATTEMPTS, "attempted": "true"}).alias("adversarial"))


def _told(frame: pl.DataFrame, name: str, right: pl.Expr, message: str, where: Where) -> None:
    wrong = frame.select((~right).arg_true().first()).item()
    if wrong is not None:
        raise where(int(wrong), name, f"{message}, not {frame.get_column(name)[int(wrong)]!r}")


# One row of JSON.


def plain_row(value: dict[str, Any]) -> dict[str, Any]:
    """A row as the types have it, as far as it can be read in one way; the rest is left for them to refuse."""
    row = {folded(name): one for name, one in value.items()}
    if len(row) < len(value):
        raise ValueError("a column is there twice")
    found: dict[str, Any] = {}
    for name, one in row.items():
        if one is None or (isinstance(one, float) and math.isnan(one)):
            if name in REQUIRED:
                found[name] = None
            continue
        found[name] = _READ.get(name, _text)(one)
    if found.get("dimension") == "R":
        raise ValueError(f"dimension: {NO_ROWS_OF_R}")
    letter = (
        row["level"].strip()[0].upper() if isinstance(row.get("level"), str) and row["level"].strip() else ""
    )
    if letter.isalpha() and isinstance(found["level"], int) and letter != found.get("dimension"):
        raise ValueError(f"level: {row['level']!r} is of another dimension")
    return found


def _text(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and clean_text(value)[1]:
        raise ValueError("text that is not valid Unicode")
    return value.strip() if isinstance(value, str) else value


def _upper(value: Any) -> Any:
    return value.strip().upper() if isinstance(value, str) else value


def _lower(value: Any) -> Any:
    return value.strip().lower().removesuffix("boundary").strip() if isinstance(value, str) else value


def _number(pattern: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        told = re.match(pattern, value.strip()) if isinstance(value, str) else None
        return int(told[1]) if told else None if _nothing(value) else value

    return read


def _nothing(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in NOTHING


def _flag(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    return None if _nothing(value) else _WORDS.get(str(value).strip().lower(), value)


def _attempt(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    low = str(value).strip().lower()
    return "" if low in NOTHING else True if low == "attempted" else _WORDS.get(low, low)


_READ: Mapping[str, Callable[[Any], Any]] = {
    "dimension": _upper,
    "outcome": _lower,
    "boundary": _lower,
    "level": _number(_LEVEL),
    "steps": _number(_WHOLE),
    "compliant": _flag,
    "state_changed": _flag,
    "adversarial": _attempt,
}
