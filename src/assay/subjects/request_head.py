"""What goes with every request to an endpoint beside its body: headers and the query of the URL.

A value is written as it is, or as ``env:VARIABLE``: then it is a secret, read when the run begins, and in no evidence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from assay.errors import InputError
from assay.evidence.redaction import SHORTEST
from assay.study.model import SubjectSpec

__all__ = ["check_head", "check_length", "header_lines", "query_text", "secret_values"]

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_ENV = "env:"
_REFERENCE = re.compile(r"\benv:\w|\$\{?[A-Za-z_]\w*")  # meant as one, and sent as it is written
_CLIENT = {  # what the client or the protocol says itself
    *(
        "host",
        "content-length",
        "content-type",
        "content-encoding",
        "accept",
        "accept-encoding",
        "connection",
    ),
    *("transfer-encoding", "keep-alive", "te", "trailer", "upgrade", "expect"),
    *("proxy-authorization", "proxy-connection"),
}
_SECRET = re.compile(
    r"auth|token|secret|password|cookie|signature|credential|(?:^|[-_])(?:key|sig|code)$|apikey", re.I
)


def check_head(spec: SubjectSpec) -> None:
    """Refuse what would break a request, and credentials that would stand in the lock."""
    taken = set(_CLIENT)
    key_header = spec.key_header or ("Authorization" if spec.key_env else "")
    if key_header:
        _check_name(key_header, "key_header")
        if key_header.lower() in taken:
            raise InputError(f"key_header: {key_header} is set by the client")
        taken.add(key_header.lower())
    for name, value in spec.headers.items():
        _check_name(name, "headers")
        if name.lower() in taken:
            why = (
                "the key goes there"
                if name.lower() == key_header.lower()
                else "it is set by the client, or given twice"
            )
            raise InputError(f"headers: {name} is not free: {why}")
        taken.add(name.lower())
        _check_value(f"headers: {name}", name, value)
    for name, value in spec.query.items():
        if not name.isprintable() or not name:
            raise InputError(f"query: {name!r} is no name")
        _check_value(f"query: {name}", name, value)


def _check_name(name: str, where: str) -> None:
    if not _TOKEN.fullmatch(name):
        raise InputError(f"{where}: {name!r} is no name of a header")


def _check_value(where: str, name: str, value: str) -> None:
    if value.startswith(_ENV):
        if not value.removeprefix(_ENV):
            raise InputError(f"{where}: name the environment variable, as env:VARIABLE")
    elif _REFERENCE.search(value):
        raise InputError(
            f"{where}: a variable is the whole value, written env:VARIABLE; put the rest into it, too"
        )
    elif _SECRET.search(name):
        raise InputError(f"{where}: a credential does not go into a study; write env:VARIABLE")
    elif not (value.isascii() and value.isprintable()):
        raise InputError(f"{where}: the value holds a line break or another sign that no header has")


def _values(given: Mapping[str, str], *, missing: bool) -> Iterator[tuple[str, str]]:
    """Every name with its value. A variable that is not set is left out, or else refused."""
    for name, value in given.items():
        if not value.startswith(_ENV):
            yield name, value
            continue
        variable = value.removeprefix(_ENV)
        found = os.environ.get(variable, "")
        if not found:
            if missing:
                raise InputError(
                    f"the environment variable {variable} is not set; the value of {name} goes there"
                )
        elif not (found.isascii() and found.isprintable()):
            raise InputError(f"the value in {variable} holds a line break or another sign that no header has")
        else:
            check_length(found, variable)
            yield name, found


def check_length(secret: str, variable: str) -> None:
    """A secret that is too short to be told from ordinary words could not be kept out of what is recorded."""
    if len(secret) < SHORTEST:
        raise InputError(
            f"the value in {variable} has fewer than {SHORTEST} characters: so short a secret could not be kept out "
            "of what is recorded; where an endpoint needs none, declare none"
        )


def header_lines(spec: SubjectSpec) -> dict[str, str]:
    return dict(_values(spec.headers, missing=True))


def query_text(spec: SubjectSpec) -> str:
    """``?a=b&c=d``, or nothing."""
    pairs = [
        f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in _values(spec.query, missing=True)
    ]
    return f"?{'&'.join(pairs)}" if pairs else ""


def secret_values(spec: SubjectSpec) -> tuple[str, ...]:
    """What was read from the environment for headers and query."""
    found = []
    for given in (spec.headers, spec.query):
        for value in given.values():
            if value.startswith(_ENV) and (secret := os.environ.get(value.removeprefix(_ENV))):
                found.append(secret)
    return tuple(found)
