"""Sentences that say of something whether it counts, put together from parts, and read back.

Which words stand in a sentence does not tell, nor does their order: what others claim is said in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from assay.streams import Stream

from .templates import table

__all__ = ["read_standing", "sentence", "sentences", "standing"]

_SPLIT = re.compile(r"(?<=[.!?:]) (?=[A-Z])|\n(?:- )?")
_OTHER = {"holds": "lapsed", "lapsed": "holds"}


def sentence(said: str) -> str:
    """With a capital at its beginning."""
    return said[0].upper() + said[1:]


def sentences(said: str) -> list[str]:
    return _SPLIT.split(said)


def standing(stream: Stream, subject: str, *, holds: bool) -> str:
    """A sentence that says of something, named by a subject in the singular, whether it counts."""
    parts, kind = table("standing"), "holds" if holds else "lapsed"
    contrast = bool(stream.below(4))
    other = stream.choice(parts["verdicts"][_OTHER[kind] if contrast else stream.choice([*_OTHER])])
    source = stream.choice(parts["sources"])
    said: str = stream.choice(parts["shapes"]["contrast" if contrast else "any"]).format(
        subject=subject,
        verdict=stream.choice(parts["verdicts"][kind]),
        other=other,
        source=source,
        claim=stream.choice(parts["claims"]).format(verdict=other, source=source),
    )
    return sentence(said)


def _one_of(options: Sequence[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, options))})"


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Every shape with either kind of verdict."""
    parts = table("standing")
    verdicts = parts["verdicts"]
    either = _one_of([verdict for some in verdicts.values() for verdict in some])
    source = _one_of(parts["sources"])
    claim = _one_of(parts["claims"]).replace(r"\{verdict\}", either)
    found = []
    for shape in (shape for some in parts["shapes"].values() for shape in some):
        for kind, own in verdicts.items():
            said = re.escape(shape).replace(r"\{subject\}", "(?P<subject>.+?)")
            said = said.replace(r"\{verdict\}", _one_of(own)).replace(r"\{claim\}", claim)
            said = said.replace(r"\{other\}", either).replace(r"\{source\}", source)
            found.append((re.compile(said), kind))
    return found


def read_standing(said: str) -> Iterator[tuple[str, bool]]:
    """Every subject that a text speaks of in such sentences, and whether it counts."""
    for one in sentences(said):
        for pattern, kind in _patterns():
            if found := pattern.fullmatch(one[0].lower() + one[1:]):
                yield found["subject"], kind == "holds"
                break
