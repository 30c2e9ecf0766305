"""The values of a row: what counts as nothing, and any value as JSON would have it."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from assay.canonical import clean_text

__all__ = [
    "FALSE",
    "LONGEST_TEXT",
    "NOTHING",
    "TRUE",
    "FieldError",
    "Step",
    "checked_text",
    "plain_value",
    "spelled",
]

# What spreadsheets, pandas, R and databases write for nothing, for true and for false.
NOTHING = ("", "nan", "NaN", "None", "null", "NULL", "NA", "N/A", "<NA>", "NaT")
TRUE, FALSE = ("true", "True", "TRUE", "1", "1.0"), ("false", "False", "FALSE", "0", "0.0")
LARGEST = 1000  # bits; a real number has no more than 1024
LONGEST_TEXT = 1_000_000  # characters: no reply is longer, and all of it is read
Step = str | int


class FieldError(ValueError):
    """What is wrong with a field of a row; "" is the row as a whole."""

    def __init__(self, field: str, message: str) -> None:
        self.field, self.message = field, message
        super().__init__(f"{field}: {message}" if field else message)


def spelled(path: Iterable[Step]) -> str:
    """``turns[1].seconds``"""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def checked_text(text: str, path: tuple[Step, ...]) -> str:
    """The text, if it is not too long to be scored. It is refused, not cut: what a row says is the user's."""
    if len(text) > LONGEST_TEXT:
        raise FieldError(
            spelled(path), f"has {len(text):,} characters; at most {LONGEST_TEXT:,} are scored, so cut it"
        )
    return text


def plain_value(value: Any, path: tuple[Step, ...] = ()) -> Any:
    """A value as JSON would have it: an empty member of a mapping is absent, a time is ISO 8601 text.

    NaN is nothing, for pandas writes it so; an infinite number is refused.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if value.bit_length() > LARGEST:
            raise FieldError(spelled(path), "is too large a number")
        return int(value)
    if isinstance(value, str):
        return checked_text(clean_text(value)[0], path)
    if isinstance(value, float):
        if math.isinf(value) or (math.isnan(value) and path and isinstance(path[-1], int)):
            raise FieldError(spelled(path), f"must be a finite number, not {value}")
        return None if math.isnan(value) else value
    if isinstance(value, Mapping):
        named = ((clean_text(str(name))[0], one) for name, one in value.items())
        members = ((name, plain_value(one, (*path, name))) for name, one in named)
        return {name: one for name, one in members if one is not None}
    if isinstance(value, list | tuple):
        return [plain_value(one, (*path, place)) for place, one in enumerate(value)]
    return _foreign(value, path)


def _foreign(value: Any, path: tuple[Step, ...]) -> Any:
    """A value that JSON does not know: of Parquet, pandas or numpy."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        whole = value.is_finite() and value == value.to_integral_value()
        return plain_value(int(value) if whole else float(value), path)
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return plain_value(value.tolist(), path)
    kind = "bytes" if isinstance(value, bytes | bytearray) else type(value).__name__
    raise FieldError(spelled(path), f"must be text, a number, true, false, a list or a mapping, not {kind}")
