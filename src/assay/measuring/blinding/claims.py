"""Names that a text claims for its writer, listed or not: "I am Veldt.", "As Veldt, made by Ostrava Labs".

A list of names can only know those of its day. What claims a name is a few turns of phrase followed by capitals.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .redaction import MARK, Redacted, redact

__all__ = ["blind", "claimed_names"]

_NAME = r"([A-Z][\w&-]{1,30}(?:[ ][A-Z0-9][\w&.-]{0,30}){0,3})"
_CLAIMS = re.compile(
    rf"\b(?:"
    rf"(?:[Mm]y[ ]name[ ]is|I[ ]am[ ](?:called|named)|(?:made|built|created|developed|trained|designed)[ ]by)[ ]{_NAME}"
    rf"|(?:I[ ]am|I['’]m|[Aa]s)[ ]{_NAME}(?=[,.;!]|[ ](?:made|built|created|developed|trained|from|by)\b)"
    rf")"
)
# Capitals that are no names: they begin sentences, or name kinds of systems, languages and peoples.
_NO_NAMES = re.compile(
    r"(?:I|AI|An?|The|This|That|It|Its|My|Your|Our|We|You|They|He|She|In|On|For|Well|Yes|No|Not|Of|So|But|And|Or|If|"
    r"Language|Large|Model|Assistant|Artificial|Intelligence|LLMs?|AIs?|Humans?|Humanity|People|Someone|Experts?|"
    r"English|French|German|Spanish|Chinese|Japanese|European|American|Western)\b.*"
)
SHORTEST = 3


def claimed_names(text: str) -> tuple[str, ...]:
    """The names, each once, in their order."""
    said = (one or other for one, other in _CLAIMS.findall(text))
    names = (name.rstrip(".") for name in said if len(name) >= SHORTEST and not _NO_NAMES.fullmatch(name))
    return tuple(dict.fromkeys(names))


def blind(text: str, names: Sequence[str]) -> Redacted:
    """``redact``, and wherever they stand the names that the text claims for its writer."""
    listed = redact(text, names)
    claimed = claimed_names(listed.text)
    if not claimed:
        return listed
    pattern = re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(claimed, key=len, reverse=True)))})(?!\w)"
    )
    return Redacted(pattern.sub(MARK, listed.text), (*listed.found, *claimed))
