"""One encoding and one digest for everything that is hashed, compared or signed.

Canonical JSON here: UTF-8, keys sorted, no white space, integers exact, reals in their shortest
round-trip form. ``NaN`` and infinities have no place in evidence and are refused.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any

import msgspec

from .errors import InputError

__all__ = ["clean_text", "decode", "digest", "encode", "real", "sha256_hex"]

_encode = msgspec.json.Encoder(order="sorted", enc_hook=lambda value: _refuse(value)).encode

decode = msgspec.json.decode


def encode(value: Any) -> bytes:
    """The canonical encoding; what has none is refused."""
    try:
        data = _encode(value)
    except UnicodeEncodeError:
        raise InputError("text with lone surrogates is not valid Unicode and cannot be recorded") from None
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"a value that JSON cannot hold cannot be recorded: {error}") from None
    if b"null" in data:  # msgspec writes NaN and infinities as null: only then is it worth looking
        _refuse_infinite(msgspec.to_builtins(value, enc_hook=_refuse))
    return data


def _refuse(value: object) -> Any:
    raise InputError(f"a value of type {type(value).__name__} cannot be recorded")


def _refuse_infinite(value: Any) -> None:
    rest = [value]
    while rest:
        item = rest.pop()
        if isinstance(item, float) and not math.isfinite(item):
            raise InputError(f"{item} is not a number that can be recorded")
        if isinstance(item, dict):
            rest.extend(item.values())
        elif isinstance(item, list | tuple):
            rest.extend(item)


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 over the canonical encoding."""
    return hashlib.sha256(encode(value)).hexdigest()


def real(value: float | None) -> float | None:
    """A real as it stands in a result: 12 significant digits, no negative zero."""
    if value is None:
        return None
    if not math.isfinite(value):
        raise InputError(f"{value} is not a number that can be reported")
    return float(f"{value:.12g}") + 0.0


def clean_text(text: str) -> tuple[str, bool]:
    """Text that UTF-8 can carry, and whether lone surrogates had to be replaced by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # surrogatepass pairs up halves that belong together before the rest is replaced
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), True
    return text, False
