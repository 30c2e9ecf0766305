"""The fields of a row: their names, their types, and what counts as nothing.

Every format meets the same rules here, so that the same rows give the same values however they were written.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import inspect

from assay.errors import nearest
from assay.study.complaints import explain

from .json_text import decode_json, why_not_json
from .values import FALSE, NOTHING, TRUE, FieldError, Step, checked_text, plain_value, spelled

__all__ = ["OLD_NAMES", "Field", "convert_row", "fields_of", "with_old_names"]

T = TypeVar("T")
OLD_NAMES = {"model": "subject"}  # fields that were called otherwise, and still may be
NEAR = 0.85  # how like one of ours a field must be to be a typing error: top_k is none of top_p
_WHOLE = re.compile(r"[+-]?\d{1,4000}(\.0*)?")
_REAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
_ENDLESS = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_NESTED = (
    inspect.StructType,
    inspect.ListType,
    inspect.VarTupleType,
    inspect.TupleType,
    inspect.DictType,
    inspect.SetType,
    inspect.FrozenSetType,
    inspect.AnyType,
)


class Field(NamedTuple):
    """What a type says of one field."""

    required: bool
    kind: Any
    text: bool  # takes any text
    may_be_empty: bool  # needed, and an empty text is a value: the output of a subject that said nothing
    whole: bool  # takes whole numbers, and no others
    number: bool
    flag: bool
    nested: bool


def convert_row(row: Mapping[str, Any], kind: type[T], *, cells: bool = False) -> T:
    """A row as a value of ``kind``. ``cells``: every value is the text of a cell, as in CSV."""
    fields: dict[str, Field] = fields_of(kind)  # type: ignore[arg-type]
    named = with_old_names(row, fields)
    _check_names(named, tuple(fields), ())
    values: dict[str, Any] = {}
    for name, value in named.items():
        if name not in fields:
            if not _strict(kind):
                continue
            raise FieldError(name, f"unknown field{nearest(name, fields)}")
        found = _cell(fields[name], name, value) if cells else plain_value(value, (name,))
        if (found := _fitted(fields[name], name, found)) is not None:
            _check_inner_names(found, fields[name].kind, (name,))
            values[name] = found
    for name, field in fields.items():
        if field.required and name not in values:
            raise FieldError(name, _missing(name, named, fields))
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        path, message = explain(error, values, kind)
        raise FieldError(spelled(path), message) from None


def with_old_names(row: Mapping[str, Any], fields: Iterable[str]) -> Mapping[str, Any]:
    """The row with the names that fields have now; a field under both names is refused."""
    for old, new in OLD_NAMES.items():
        if old in row and new in fields and old not in fields:
            if new in row:
                raise FieldError(old, f"is the old name of {new}, and both are given")
            row = {new if name == old else name: value for name, value in row.items()}
    return row


# Names.


def _check_names(row: Mapping[str, Any], known: tuple[str, ...], path: tuple[Step, ...]) -> None:
    """Fields of a user's own are let pass, but not a mistyped one: without it, its default would count."""
    own = [name for name in row if name not in known]
    absent = tuple(name for name in known if name not in row)
    for name in own:
        if near := _near(name, absent):
            raise FieldError(spelled((*path, name)), f"unknown field; did you mean {near!r}?")


@functools.lru_cache(1000)
def _near(name: str, names: tuple[str, ...]) -> str:
    return next(iter(difflib.get_close_matches(name.lower(), names, 1, NEAR)), "")


def _check_inner_names(value: Any, kind: Any, path: tuple[Step, ...]) -> None:
    """The same for mappings within a value."""
    if not isinstance(value, dict | list):
        return
    for option in _alternatives(kind):
        if isinstance(option, inspect.StructType) and isinstance(value, dict):
            known = {field.encode_name: field.type for field in option.fields}
            _check_names(value, tuple(known), path)
            for name, inner in known.items():
                _check_inner_names(value.get(name), inner, (*path, name))
        elif isinstance(option, inspect.ListType | inspect.VarTupleType) and isinstance(value, list):
            for place, one in enumerate(value):
                _check_inner_names(one, option.item_type, (*path, place))


def _missing(name: str, row: Mapping[str, Any], fields: Mapping[str, Field]) -> str:
    if fields[name].number and isinstance(row.get(name), float):
        return f"must be a number, not {row[name]}"
    own = [str(other) for other in row if other not in fields]
    close = difflib.get_close_matches(name, own, 1, 0.6)
    return f"is missing; is {close[0]!r} meant?" if close else "is missing"


# Values.


def _cell(field: Field, name: str, text: str) -> Any:
    """The text of a cell as a value of the field's kind."""
    if field.text:
        return checked_text(text, (name,))
    word = text.strip()
    if word in NOTHING:
        return None
    if field.nested:
        try:
            return plain_value(decode_json(word), (name,))
        except FieldError:
            raise
        except RecursionError:
            raise FieldError(name, "is nested too deeply") from None
        except ValueError as error:
            raise FieldError(name, f"must be written as JSON in a cell: {why_not_json(error)}") from None
    if field.flag and word in (*TRUE, *FALSE):
        return word in TRUE
    if field.number and _WHOLE.fullmatch(word):
        return plain_value(int(word.partition(".")[0]), (name,))
    if field.number and (_REAL.fullmatch(word) or _ENDLESS.fullmatch(word)):
        return plain_value(float(word), (name,))
    if field.number and _DECIMAL_COMMA.fullmatch(word):
        raise FieldError(name, f"must be a number with a decimal point, not {word}")
    return word


def _fitted(field: Field, name: str, value: Any) -> Any:
    """The value where only its writing differs from the field's kind; None for nothing."""
    if isinstance(value, str) and not value.strip():
        if field.text and (value or field.may_be_empty):
            return value
        return None
    if isinstance(value, bool):
        return value
    if field.text and not field.number and isinstance(value, int | float):
        if value != round(value):
            raise FieldError(name, f"must be text or a whole number, not {value}")
        return str(int(value))  # an id, which JSON and Parquet may have as a number
    if field.whole and isinstance(value, float) and value.is_integer():
        return int(value)  # pandas' whole numbers where some are missing
    return value


# Types.


@functools.cache
def fields_of(kind: Any) -> dict[str, Field]:
    """The fields of a struct by name."""
    found = inspect.type_info(kind)
    assert isinstance(found, inspect.StructType)
    return {field.encode_name: _field(field) for field in found.fields}


def _field(field: inspect.Field) -> Field:
    options = _alternatives(field.type)
    texts = [one for one in options if isinstance(one, inspect.StrType)]
    whole = any(isinstance(one, inspect.IntType) for one in options)
    real = any(isinstance(one, inspect.FloatType) for one in options)
    return Field(
        required=field.required and not any(isinstance(one, inspect.NoneType) for one in options),
        kind=field.type,
        text=bool(texts),
        may_be_empty=field.required and any(not one.min_length for one in texts),
        whole=whole and not real,
        number=whole or real,
        flag=any(isinstance(one, inspect.BoolType) for one in options),
        nested=any(isinstance(one, _NESTED) for one in options),
    )


def _strict(kind: Any) -> bool:
    return bool(kind.__struct_config__.forbid_unknown_fields)


def _alternatives(kind: Any) -> tuple[Any, ...]:
    if isinstance(kind, inspect.Metadata):
        return _alternatives(kind.type)
    if isinstance(kind, inspect.UnionType):
        return tuple(one for part in kind.types for one in _alternatives(part))
    return (kind,)
