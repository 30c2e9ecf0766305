"""JSON Schemas of observations and actions: short ways to write them, validators compiled once, plain complaints."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jsonschema_rs

from assay.canonical import encode

from .model import Action

__all__ = [
    "BOOLEAN",
    "INTEGER",
    "STRING",
    "action",
    "array",
    "compiled",
    "complaint",
    "integer",
    "obj",
    "out_of_range",
    "string",
    "taken",
    "text",
]

BOOLEAN, INTEGER, STRING = {"type": "boolean"}, {"type": "integer"}, {"type": "string"}

LARGEST = 1 << 53  # beyond it a whole number is not exact everywhere, and sums may leave what can be recorded


@lru_cache(maxsize=4096)
def _validator(encoded: bytes) -> Any:
    return jsonschema_rs.validator_for(encoded.decode())


def complaint(schema: dict[str, Any], value: Any) -> str:
    """What is wrong with a value, or nothing."""
    validator = compiled(schema)
    if validator.is_valid(value):
        return ""
    error = next(validator.iter_errors(value))
    where = ".".join(str(part) for part in error.instance_path)
    said = error.message if len(error.message) <= 300 else error.message[:299] + "…"
    return f"{where}: {said}" if where else said


# Keywords of a declared range. A wrong type, or a name that is missing or unknown, is malformed and no such thing.
_RANGES = frozenset(
    {"const", "enum", "exclusiveMaximum", "exclusiveMinimum", "maximum", "maxItems", "maxLength", "minimum", "minItems",
     "minLength", "multipleOf", "pattern"}
)  # fmt: skip


def out_of_range(schema: dict[str, Any], value: Any) -> bool:
    """Whether something in a value lies outside its declared range (14.2.4)."""
    try:
        return any(error.kind.name in _RANGES for error in compiled(schema).iter_errors(value))
    except ValueError:  # nested without end, or a number out of all range
        return False


def taken(schema: dict[str, Any], value: Any) -> Any:
    """A valid value as a world takes it: where the schema says integer, 3.0 becomes 3.

    Raises ValueError for numbers that no world has a use for.
    """
    if isinstance(value, dict):
        parts = schema.get("properties", {})
        return {name: taken(parts.get(name, {}), item) for name, item in value.items()}
    if isinstance(value, list):
        return [taken(schema.get("items", {}), item) for item in value]
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    if abs(value) > LARGEST:
        raise ValueError(f"numbers lie between -{LARGEST} and {LARGEST}")
    whole = isinstance(value, float) and value.is_integer()
    return int(value) if whole and _is_whole(schema) else value


def _is_whole(schema: dict[str, Any]) -> bool:
    options = schema.get("enum") or ()
    return schema.get("type") == "integer" or (bool(options) and all(type(o) is int for o in options))


_BY_IDENTITY: dict[int, tuple[dict[str, Any], Any]] = {}


def compiled(schema: dict[str, Any]) -> Any:
    """The validator of a schema. Families share schema objects, so an object seen before is not encoded again."""
    known = _BY_IDENTITY.get(id(schema))
    if known is not None and known[0] is schema:
        return known[1]
    validator = _validator(encode(schema))
    if len(_BY_IDENTITY) > 4096:
        _BY_IDENTITY.clear()
    _BY_IDENTITY[id(schema)] = (schema, validator)
    return validator


def obj(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    """The schema of an object that has these properties and no others; all are required unless said."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


def text(about: str = "", *, options: list[str] | None = None, longest: int = 2000) -> dict[str, Any]:
    """The schema of a text, or of one of several."""
    found: dict[str, Any] = {"type": "string"}
    if about:
        found["description"] = about
    return {**found, "enum": options} if options else {**found, "maxLength": longest}


def string(about: str) -> dict[str, Any]:
    """The schema of a text of any length, as observations have them."""
    return {"type": "string", "description": about}


def integer(about: str = "", low: int | None = None, high: int | None = None) -> dict[str, Any]:
    """The schema of a whole number, between bounds where they are given."""
    parts = {"type": "integer", "minimum": low, "maximum": high, "description": about or None}
    return {key: value for key, value in parts.items() if value is not None}


def array(items: dict[str, Any], about: str = "") -> dict[str, Any]:
    found = {"type": "array", "items": items}
    return {**found, "description": about} if about else found


def action(
    name: str,
    about: str,
    parameters: dict[str, Any] | None = None,
    *,
    query: bool = False,
    optional: bool = False,
) -> Action:
    """An action with these parameters, all of them required."""
    return Action(name=name, about=about, parameters=obj(parameters or {}), query=query, optional=optional)
