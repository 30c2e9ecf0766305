"""JSON Schema: compiled once, told plainly."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jsonschema_rs

from assay.canonical import encode

__all__ = ["complaint", "obj", "text"]


@lru_cache(maxsize=4096)
def _validator(encoded: bytes) -> Any:
    return jsonschema_rs.validator_for(encoded.decode())


def complaint(schema: dict[str, Any], value: Any) -> str:
    """What is wrong with a value, or nothing."""
    validator = _compiled(schema)
    if validator.is_valid(value):
        return ""
    error = next(validator.iter_errors(value))
    where = ".".join(str(part) for part in error.instance_path)
    said = error.message if len(error.message) <= 300 else error.message[:299] + "…"
    return f"{where}: {said}" if where else said


_BY_IDENTITY: dict[int, tuple[dict[str, Any], Any]] = {}


def _compiled(schema: dict[str, Any]) -> Any:
    """Schemas are shared objects as a rule; one that is seen again need not be encoded again."""
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
