"""JSON as programs write it: NaN and halves of surrogate pairs are taken; a key that is there twice is refused."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from assay.canonical import clean_text

from .values import FieldError, Step, spelled

__all__ = ["decode_json", "why_not_json"]

_KEY = re.compile(rb'(?<!\\)"\s*:')


def decode_json(data: bytes | str, *, strict: bool = False) -> Any:
    """The value of a JSON text. A ValueError or a RecursionError says why it has none.

    Text that is not valid Unicode is replaced, or refused where ``strict``.

    msgspec is fast but keeps the last of two equal keys. A value with fewer keys than its text may have lost one,
    so only then is the text read again.
    """
    text = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _decode_slowly(text, strict)
    return value if _count_keys(text) == _keys(value) else _decode_slowly(text, strict)


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


def _decode_slowly(text: bytes, strict: bool) -> Any:
    return _cleaned(json.loads(text.decode(), object_pairs_hook=_mapping), (), strict)


def _mapping(pairs: list[tuple[str, Any]]) -> Any:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [name for name, _ in pairs]
    return _Repeated(next(name for place, name in enumerate(names) if name in names[:place]))


def _cleaned(value: Any, path: tuple[Step, ...], strict: bool) -> Any:
    if isinstance(value, str):
        text, changed = clean_text(value)
        if changed and strict:
            raise FieldError(spelled(path), "text that is not valid Unicode")
        return text
    if isinstance(value, list):
        return [_cleaned(one, (*path, place), strict) for place, one in enumerate(value)]
    if isinstance(value, dict):
        return {clean_text(name)[0]: _cleaned(one, (*path, name), strict) for name, one in value.items()}
    if isinstance(value, _Repeated):
        raise FieldError(spelled((*path, value.name)), "is there twice")
    return value
