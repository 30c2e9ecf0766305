"""A level of agency is nothing without its tuple (11.9.1): whoever prints one prints the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .output import say

if TYPE_CHECKING:
    from assay.vocabulary import Result

__all__ = ["line", "say_tuples", "tuples_of"]


def tuples_of(result: Result) -> list[str]:
    """One for each reading; none for instruments without levels."""
    if result.instrument != "agency":
        return []
    from assay.instruments.agency.figures.headline import Found

    found = Found(result)
    return [line(f"{key.name}: {found.tuple_of(key)}") for key in found.readings]


def say_tuples(result: Result) -> None:
    for text in tuples_of(result):
        say(text)


def line(text: str) -> str:
    """One line, whatever a subject is called."""
    return " ".join(text.split())
