"""The one point where secrets are kept out of evidence.

Everything that is recorded passes through :class:`Redactor`. It knows the credentials in use and replaces
them wherever they stand, in the forms that are in use, and pieces of them.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import quote, quote_plus

from assay.canonical import clean_text, decode, encode

from .pieces import Pieces

__all__ = ["MARK", "SHORTEST", "Redactor", "has_userinfo"]

MARK = "[redacted]"
SHORTEST = 6  # a shorter "key" would redact ordinary words
_WINDOW = 4096  # characters of a text that an excerpt is made from
_HEX_SEPARATORS = ("", " ", ":", "-", "_", ".", ",", ", ", "%", "\\x", "\\u00", " 0x", ",0x", ", 0x")
_BETWEEN = b" :-_.,%\\xu"  # all their characters but the zeros; no hexadecimal digit


class Redactor:
    """Replaces known secrets in text and in encoded events."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._written: dict[str, bool] = {}  # form → whether upper and lower case are one
        self._hexadecimal: dict[str, bool] = {}
        self._forms: dict[str, bool] = {}  # all of them, the longest first
        self._longest = 0
        # What is looked for in encoded events, of hexadecimal forms without what stands between the digits.
        self._exact: tuple[bytes, ...] = ()
        self._any_case: tuple[bytes, ...] = ()
        self._digits: tuple[bytes, ...] = ()
        self._pieces = Pieces()
        for secret in secrets:
            self.learn(secret)

    def learn(self, secret: str) -> None:
        """From now on this never passes, in none of the forms named below, nor in pieces."""
        if len(secret) < SHORTEST or clean_text(secret)[1]:  # what UTF-8 cannot carry cannot be sent either
            return
        for form, any_case in _forms(secret):
            if len(form) >= SHORTEST:
                self._written[form] = self._written.get(form, False) or any_case
        self._hexadecimal.update(dict.fromkeys(_hexadecimal_forms(secret), True))
        forms = {**self._hexadecimal, **self._written}
        self._forms = dict(sorted(forms.items(), key=lambda one: (-len(one[0]), one[0])))
        self._longest = max(map(len, forms))
        needles = [(encode(form)[1:-1], any_case) for form, any_case in self._written.items()]
        self._exact = tuple(needle for needle, any_case in needles if not any_case)
        self._any_case = tuple(dict.fromkeys(needle.lower() for needle, any_case in needles if any_case))
        self._pieces.learn(secret)
        self._digits = tuple(dict.fromkeys(f.encode().translate(None, _BETWEEN) for f in self._hexadecimal))

    @property
    def active(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self._forms)

    def clean(self, event: bytes) -> bytes:
        """An encoded event without secrets in its data; the same object when there is nothing to hide.

        Looks for them in the bytes, which is fast, but replaces them in the decoded texts and keys only: a
        secret made of digits or of quotes must not tear the JSON around it.
        """
        lower = event.lower()
        digits = lower.translate(None, _BETWEEN)
        if not (
            any(needle in event for needle in self._exact)
            or any(needle in lower for needle in self._any_case)
            or any(needle in digits for needle in self._digits)
            or self._pieces.are_in(lower)
        ):
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
        data = plain = text.encode("utf-8", "surrogatepass")
        for form, any_case in self._forms.items():
            needle = form.encode()
            data = (
                _replace_any_case(data, needle.lower()) if any_case else data.replace(needle, MARK.encode())
            )
        data = self._pieces.replaced(data, MARK.encode())
        return text if data == plain else data.decode("utf-8", "surrogatepass")

    def excerpt(self, text: str, most: int = 300) -> str:
        """The beginning of a text on one line. Secrets are taken out before it is cut, so none is left in part."""
        beginning = text[: _WINDOW + self._longest]
        cleaned = self.clean_text(beginning)
        if len(beginning) < len(text):  # a secret that goes on behind the beginning was not recognised in it
            cleaned = cleaned[: len(cleaned) - self._longest]
        return clean_text(self.clean_text(" ".join(cleaned.split()))[:most])[0]

    def ending(self, text: str, most: int = 4000) -> str:
        """The end of a text, its lines kept. One that was cut before has to be longer by more than a secret."""
        return clean_text(self.clean_text(clean_text(text)[0])[-most:])[0]


def _replace_any_case(data: bytes, needle: bytes) -> bytes:
    """Replace it however its ASCII letters are written."""
    lower = data.lower()  # of bytes: the same length
    pieces, at = [], 0
    while (found := lower.find(needle, at)) >= 0:
        pieces += [data[at:found], MARK.encode()]
        at = found + len(needle)
    return b"".join([*pieces, data[at:]]) if pieces else data


def _forms(secret: str) -> Iterator[tuple[str, bool]]:
    """A secret as text may hold it, and whether upper and lower case are one in it.

    Itself, reversed, and as the usual encoders write it: JSON, HTML, Python, percent, hexadecimal, base64.
    """
    distinctive = _is_distinctive(secret)
    yield secret, distinctive
    if distinctive:
        yield secret[::-1], True
    for escaped in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        for written in (escaped, escaped.replace("/", "\\/")):
            yield written, distinctive or written != secret
    encoders: tuple[Callable[[str], str], ...] = (
        html.escape,
        lambda text: repr(text)[1:-1],
        lambda text: quote(text, safe=""),
        quote,
        quote_plus,
    )
    for encoder in encoders:
        yield encoder(secret), distinctive or encoder(secret) != secret
    plain = secret.encode()
    for base64_encoder in (base64.b64encode, base64.urlsafe_b64encode):
        yield base64_encoder(plain).decode().rstrip("="), False
        # inside a longer text ("user:secret") it starts at any of three places of a base64 group; of the
        # characters it shares with its neighbours nothing is known
        for before in range(3):
            shared = (0, 2, 3)[before]
            whole = (before + len(plain)) * 8 // 6
            yield base64_encoder(bytes(before) + plain).decode()[shared:whole], False


def _hexadecimal_forms(secret: str) -> Iterator[str]:
    """Its bytes in hexadecimal, with everything between them that is in use."""
    plain = secret.encode()
    for separator in _HEX_SEPARATORS:
        yield separator.join(f"{byte:02x}" for byte in plain)
    yield plain.hex(" ", -2)  # as dumps of files show bytes, in pairs


def _is_distinctive(secret: str) -> bool:
    """Whether no ordinary text holds it by chance in another case or reversed.

    A key of ordinary words ("Placeholder", "my-secret") is looked for as it is written, and no other word for it.
    """
    letters_and_digits = re.search("[A-Za-z]", secret) and re.search("[0-9]", secret)
    mixed = letters_and_digits or re.search("[a-z][A-Z]", secret)
    return bool(len(secret) >= 12 and mixed) or re.search("[A-Za-z0-9]{20}", secret) is not None


_USERINFO = re.compile(r"^\s*(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/?#]*@")


def has_userinfo(url: str) -> bool:
    return _USERINFO.match(url) is not None
