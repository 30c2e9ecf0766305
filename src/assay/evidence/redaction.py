"""The one point where secrets are kept out of evidence.

Everything that is recorded passes through :class:`Redactor`. It knows the credentials in use and replaces
them wherever they stand, in whatever form an endpoint may echo them.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, quote_plus

from assay.canonical import decode, encode

__all__ = ["MARK", "Redactor", "has_userinfo"]

MARK = "[redacted]"
_SHORTEST = 6  # a shorter "key" would redact ordinary words


class Redactor:
    """Replaces known secrets in text and in encoded events."""

    def __init__(self) -> None:
        self._forms: tuple[str, ...] = ()
        self._needles: tuple[bytes, ...] = ()

    def learn(self, secret: str) -> None:
        """From now on this never passes, plain, JSON-escaped, percent-encoded or in base64."""
        if len(secret) < _SHORTEST:
            return
        forms = {*self._forms, *(form for form in _forms(secret) if len(form) >= _SHORTEST)}
        self._forms = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        self._needles = tuple(encode(form)[1:-1] for form in self._forms)

    @property
    def active(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self._needles)

    def clean(self, event: bytes) -> bytes:
        """An encoded event without secrets in its data; the same object when there is nothing to hide.

        Looks for them in the bytes, which is fast, but replaces them in the decoded texts and keys only: a
        secret made of digits or of quotes must not tear the JSON around it.
        """
        if not any(needle in event for needle in self._needles):
            return event
        value = decode(event)
        if "data" in value:
            value["data"] = self._clean_value(value["data"])
        cleaned = encode(value)
        return event if cleaned == event else cleaned

    def _clean_value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.clean_text(value)
        if isinstance(value, dict):
            return {self.clean_text(key): self._clean_value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._clean_value(item) for item in value]
        return value

    def clean_text(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, MARK)
        return text


def _forms(secret: str) -> Iterator[str]:
    """A secret as text may hold it: itself, and as the usual encoders write it."""
    yield secret
    for escaped in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        yield escaped
        yield escaped.replace("/", "\\/")
    for percent in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield percent
        yield re.sub(r"%..", lambda hexadecimal: hexadecimal[0].lower(), percent)
    plain = secret.encode()
    for encoder in (base64.b64encode, base64.urlsafe_b64encode):
        yield encoder(plain).decode().rstrip("=")
        # inside a longer text ("user:secret") it starts at any of three places of a base64 group; of the
        # characters it shares with its neighbours nothing is known
        for before in range(3):
            shared = (0, 2, 3)[before]
            whole = (before + len(plain)) * 8 // 6
            yield encoder(bytes(before) + plain).decode()[shared:whole]


_USERINFO = re.compile(r"^\s*(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/?#]*@")


def has_userinfo(url: str) -> bool:
    return _USERINFO.match(url) is not None
