"""An instrument's own options: what types they have, and how a value is read that somebody wrote or passed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import InputError

if TYPE_CHECKING:
    import msgspec

__all__ = [
    "Given",
    "fields_of",
    "is_list",
    "is_switch",
    "plain_data",
    "plain_value",
    "value_of",
    "words_of",
]


def _info(kind: Any) -> Any:
    from msgspec import inspect

    return inspect.type_info(kind)


def fields_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {field.name: field for field in _info(kind).fields}


def _plain(info: Any) -> list[Any]:
    """The types that a field may have, without their metadata."""
    from msgspec import inspect

    if isinstance(info, inspect.Metadata):
        return _plain(info.type)
    if isinstance(info, inspect.UnionType):
        return [one for part in info.types for one in _plain(part)]
    return [info]


def is_switch(info: Any) -> bool:
    from msgspec import inspect

    return any(isinstance(one, inspect.BoolType) for one in _plain(info))


def is_list(info: Any) -> bool:
    from msgspec import inspect

    kinds = (inspect.VarTupleType, inspect.TupleType, inspect.ListType)
    return any(isinstance(one, kinds) for one in _plain(info))


def words_of(info: Any) -> list[str]:
    """The words that a field may be, where it may be only certain ones."""
    from msgspec import inspect

    return [str(v) for one in _plain(info) if isinstance(one, inspect.LiteralType) for v in one.values]


def value_of(kind: type[msgspec.Struct] | None, name: str, text: str, said: str) -> Any:
    """A text as it would stand in a study: 5 is a number, ``a,b`` a list where lists are meant, text is text.

    ``a=1,b=2`` is a mapping where one is meant.
    """
    field = fields_of(kind).get(name) if kind is not None else None
    quoted = text[:1] in ("[", "{")  # says itself what it is
    if field is None:
        many = "," in text and not quoted
        return [_scalar(part, said) for part in text.split(",")] if many else _scalar(text, said)
    if _is_text(field.type):
        return text
    if is_list(field.type) and not quoted and text not in words_of(field.type):
        plain = all(_is_text(item) for item in _items(field.type))
        return [part if plain else _scalar(part, said) for part in text.split(",")]
    if _is_mapping(field.type) and not quoted and "=" in text:
        pairs = [part.partition("=") for part in text.split(",")]
        return {name.strip(): _scalar(value, said) for name, _, value in pairs}
    return _scalar(text, said)


def _is_mapping(info: Any) -> bool:
    from msgspec import inspect

    return any(isinstance(one, inspect.DictType) for one in _plain(info))


def _is_text(info: Any) -> bool:
    """Whether a field holds text or nothing: what is written is then what is meant."""
    from msgspec import inspect

    kinds = _plain(info)
    return any(isinstance(one, inspect.StrType) for one in kinds) and all(
        isinstance(one, inspect.StrType | inspect.NoneType) for one in kinds
    )


def _items(info: Any) -> list[Any]:
    """The types of a list's items."""
    found: list[Any] = []
    for one in _plain(info):
        if hasattr(one, "item_types"):
            found += one.item_types
        elif hasattr(one, "item_type"):
            found.append(one.item_type)
    return found


def _scalar(text: str, said: str) -> Any:
    from assay.study.source import parse_source

    try:
        return parse_source(text, "").value if text.strip() else None
    except InputError as error:
        raise InputError(f"{said}: {error}") from None


class Given(NamedTuple):
    """An option of an instrument's own: how it was spelled, whose it is ("" where only one can be meant), its value."""

    option: str
    instrument: str
    field: str
    value: Any  # on the command line a text that is still to be read


def plain_value(kind: type[msgspec.Struct] | None, name: str, value: Any, said: str) -> Any:
    """A value of Python as it would stand in a study. One text where a list is meant may be written with commas."""
    field = fields_of(kind).get(name) if kind is not None else None
    if isinstance(value, str) and field is not None and is_list(field.type):
        return value_of(kind, name, value, said)
    return plain_data(value, said)


def plain_data(value: Any, said: str) -> Any:
    """Mappings, lists, numbers and texts; paths become texts. Anything else has no place in a study."""
    import msgspec

    try:
        return msgspec.to_builtins(value, enc_hook=_text_of_path)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{said}: not plain data ({error})") from None


def _text_of_path(value: Any) -> str:
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # a number of numpy
        found: str = value.item()
        return found
    raise TypeError(f"a {type(value).__name__}")
