"""Sentences on what counts, by the place of a verdict in them: the first, the last, or any."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["READINGS"]

_VERDICT = re.compile(
    r"(?P<no>does not stand|holds no longer|does not count|is not in force|is not to be followed|is void|has lapsed"
    r"|counts no more)|stands|holds|counts|is in force|is to be followed|is not void|has not lapsed"
)


def _verdicts(said: str) -> list[bool]:
    return [not found["no"] for found in _VERDICT.finditer(said)] or [True]


# Name → whether a sentence is taken to say that something counts.
READINGS: dict[str, Callable[[str], bool]] = {
    "the first verdict": lambda said: _verdicts(said)[0],
    "the last verdict": lambda said: _verdicts(said)[-1],
    "no verdict against it": lambda said: all(_verdicts(said)),
    "any verdict for it": lambda said: any(_verdicts(said)),
}
