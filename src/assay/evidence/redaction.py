"""The one point where secrets are kept out of evidence.

Everything that is recorded passes through :class:`Redactor`. It knows the credentials in use and replaces
them wherever they stand, in whatever form an endpoint may echo them.
"""

from __future__ import annotations

import base64
import json
import re
from urllib.parse import quote, urlsplit, urlunsplit

__all__ = ["MARK", "Redactor", "has_userinfo", "without_userinfo"]

MARK = "[redacted]"
_SHORTEST = 6  # a shorter "key" would redact ordinary words


class Redactor:
    """Replaces known secrets in text and in encoded events."""

    def __init__(self) -> None:
        self._forms: tuple[bytes, ...] = ()

    def learn(self, secret: str) -> None:
        """From now on this never passes, plain, JSON-escaped, percent-encoded or in base64."""
        if len(secret) < _SHORTEST:
            return
        plain = secret.encode()
        forms = {
            plain,
            json.dumps(secret)[1:-1].encode(),
            json.dumps(secret, ensure_ascii=False)[1:-1].encode(),
            quote(secret, safe="").encode(),
            base64.b64encode(plain).rstrip(b"="),
            base64.urlsafe_b64encode(plain).rstrip(b"="),
        }
        self._forms = tuple(sorted({*self._forms, *forms}, key=lambda form: (-len(form), form)))

    def clean(self, data: bytes) -> bytes:
        """The same bytes when there is nothing to hide."""
        for form in self._forms:
            if form in data:
                data = data.replace(form, MARK.encode())
        return data

    def clean_text(self, text: str) -> str:
        return self.clean(text.encode("utf-8", "replace")).decode() if self._forms else text


_USERINFO = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*@")


def has_userinfo(url: str) -> bool:
    return _USERINFO.match(url) is not None


def without_userinfo(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
