"""JSON as programs write it: NaN and halves of surrogate pairs are taken; a key that is there twice is refused."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from .values import FieldError, Step, spelled

__all__ = ["decode_json", "why_not_json"]

_KEY = re.compile(rb'(?<!\\)"\s*:')


def decode_json(data: bytes | str) -> Any:
    """The value of a JSON text. A ValueError or a RecursionError says why it has none.

    msgspec is fast but keeps the last of two equal keys. A value with fewer keys than its text may have lost one,
    so only then is the text read again.
    """
    text = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _decode_slowly(text)
    return value if _count_keys(text) == _keys(value) else _decode_slowly(text)


def _count_keys(text: bytes) -> int:
    """How many keys a JSON text has; -1 where that cannot be seen without reading it."""
    return -1 if b'\\\\"' in text else len(_KEY.findall(text))


def _keys(value: Any) -> int:
    """How many keys a value has, at all depths."""
    count, rest = 0, [value]
    while rest:
        one = rest.pop()
        if isinstance(one, dict):
            count += len(one)
            rest.extend(one.values())
        elif isinstance(one, list):
            rest.extend(one)
    return count


def why_not_json(error: ValueError) -> str:
    """Why ``decode_json`` found no value, and where."""
    if isinstance(error, json.JSONDecodeError):
        line = f"line {error.lineno}, " if "\n" in error.doc.strip() else ""
        return f"{error.msg.removesuffix(' at')} ({line}character {error.colno})"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return "a number has too many digits"


class _Repeated:
    """Stands for a mapping in which a key is there twice."""

    def __init__(self, name: str) -> None:
        self.name = name


def _decode_slowly(text: bytes) -> Any:
    value = json.loads(text.decode(), object_pairs_hook=_mapping)
    _refuse_repeated(value, ())
    return value


def _mapping(pairs: list[tuple[str, Any]]) -> Any:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [name for name, _ in pairs]
    return _Repeated(next(name for place, name in enumerate(names) if name in names[:place]))


def _refuse_repeated(value: Any, path: tuple[Step, ...]) -> None:
    if isinstance(value, _Repeated):
        raise FieldError(spelled((*path, value.name)), "is there twice")
    if isinstance(value, list):
        for place, one in enumerate(value):
            _refuse_repeated(one, (*path, place))
    elif isinstance(value, dict):
        for name, one in value.items():
            _refuse_repeated(one, (*path, name))
