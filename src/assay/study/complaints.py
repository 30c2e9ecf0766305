"""A validation error as a person would say it: the path as steps, the types in words, the nearest name.

msgspec finds what is wrong and where; its sentences are for programmers (``Expected `int` >= 1 - at
`$.budget.calls```). Here they become ``budget.calls: must be a whole number, at least 1``.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import inspect

from assay.errors import nearest

__all__ = ["explain"]

Path_ = tuple[str | int, ...]

_STEP = re.compile(r"\.([^.\[\]`]+)|\[(\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>.*)`", re.S)
_MISSING = re.compile(r"Object missing required field `(?P<name>.*)`", re.S)
_EXPECTED = re.compile(
    r"Expected `(?P<kinds>[^`]+)`(?: (?P<sign>[<>]=?) (?P<bound>\S+))?(?:, got `(?P<got>[^`]+)`)?"
)
_LENGTH = re.compile(r"Expected `(?P<kind>\w+)` of length (?:(?P<sign>[<>]=) )?(?P<bound>\d+)(?:, got \d+)?")
_ENUM = re.compile(r"Invalid enum value (?P<value>.*)", re.S)

_NAMES = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
_MEANT = dict.fromkeys(("api_key", "apikey", "key", "token"), "key_env")  # what others call it
_WHY = {"key_env": " It names the environment variable that holds the key"}
_SIGNS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than", "==": "exactly"}


def explain(error: msgspec.ValidationError, value: Any, to: Any) -> tuple[Path_, str]:
    """Where it is, and what is wrong there."""
    text, _, place = str(error).rpartition(" - at `")
    whole = _UNKNOWN.fullmatch(str(error))
    if not text or (whole and isinstance(value, dict) and whole["name"] in value):
        text, place = str(error), "$"  # at the top, whatever the name of the field looks like
    path = _path(place.rpartition("$")[2].rstrip("`"), str(error), value, to)
    kind = _at(inspect.type_info(to), path)
    if place.startswith("key`"):
        return path, "a key must be text; put it in quotes"
    if found := _UNKNOWN.fullmatch(text):
        meant = _MEANT.get(found["name"])
        hint = meant if meant in _fields(kind) else found["name"]
        return (*path, found["name"]), f"unknown field{nearest(hint, _fields(kind))}{_WHY.get(hint, '')}"
    if found := _MISSING.fullmatch(text):
        return path, f"{found['name']!r} is missing"
    if found := _ENUM.fullmatch(text):
        return path, _enum(found["value"], kind)
    if found := _LENGTH.fullmatch(text):
        things = "characters" if found["kind"] == "str" else "entries"
        return path, f"must have {_SIGNS[found['sign'] or '==']} {found['bound']} {things}"
    if found := _EXPECTED.fullmatch(text):
        return path, _expected(found)
    return path, text[:1].lower() + text[1:].replace("`", "")


def _expected(found: re.Match[str]) -> str:
    must = " or ".join(_NAMES.get(kind, kind) for kind in found["kinds"].split(" | "))
    if found["sign"]:
        bound = float(found["bound"])
        return f"must be {must}, {_SIGNS[found['sign']]} {bound:.12g}"
    if found["got"] == "null":
        return f"must be {must}; nothing is given"
    if found["got"]:
        got = "a decimal number" if found["got"] == "float" else _NAMES.get(found["got"], found["got"])
        return f"must be {must}, not {got}"
    return f"must be {must}"


def _enum(value: str, kind: Any) -> str:
    options = [v for k in _alternatives(kind) if isinstance(k, inspect.LiteralType) for v in k.values]
    if len(options) == 1:
        return f"must be {options[0]!r}, not {value}"
    hint = nearest(value.strip("'"), [str(option) for option in options])
    return f"{value} is not a choice{hint}"


def _path(place: str, message: str, value: Any, to: Any) -> Path_:
    """``.a.b[0]`` as steps. For "some key of a mapping" msgspec writes [...]: which one is found by trying."""
    path: Path_ = ()
    for name, index in _STEP.findall(place):
        if index == "...":
            key = next((k for k in _get(value, path) if _only(value, path, k, to) == message), None)
            if key is None:
                return path
            path = (*path, key)
        else:
            path = (*path, int(index) if index else name)
    return path


def _get(value: Any, path: Path_) -> Any:
    for step in path:
        value = value[step]
    return value


def _only(value: Any, path: Path_, key: Any, to: Any) -> str:
    """What is wrong when the mapping at ``path`` holds nothing but ``key``."""

    def thinned(part: Any, rest: Path_) -> Any:
        if not rest:
            return {key: part[key]}
        if isinstance(part, dict):
            return {k: thinned(v, rest[1:]) if k == rest[0] else v for k, v in part.items()}
        return [thinned(v, rest[1:]) if i == rest[0] else v for i, v in enumerate(part)]

    try:
        msgspec.convert(thinned(value, path), to, strict=True)
    except msgspec.ValidationError as error:
        return str(error)
    return ""


def _alternatives(kind: Any) -> tuple[Any, ...]:
    if isinstance(kind, inspect.Metadata):
        return _alternatives(kind.type)
    parts = kind.types if isinstance(kind, inspect.UnionType) else ()
    return tuple(one for part in parts for one in _alternatives(part)) or (kind,)


def _at(kind: Any, path: Path_) -> Any:
    """The type at the end of a path; None where nothing is known of it."""
    for step in path:
        kind = next((found for k in _alternatives(kind) if (found := _inside(k, step)) is not None), None)
    return kind


def _inside(kind: Any, step: str | int) -> Any:
    if isinstance(kind, inspect.StructType):
        return next((field.type for field in kind.fields if field.encode_name == step), None)
    if isinstance(kind, inspect.DictType):
        return kind.value_type
    if isinstance(kind, inspect.TupleType) and isinstance(step, int):
        return kind.item_types[step] if step < len(kind.item_types) else None
    return getattr(kind, "item_type", None)


def _fields(kind: Any) -> list[str]:
    for option in _alternatives(kind):
        if isinstance(option, inspect.StructType):
            return [field.encode_name for field in option.fields]
    return []
