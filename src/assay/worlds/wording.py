"""What stories are made of: tables of wordings, templates that can be read back, numbers to tell things apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import msgspec
import yaml

from assay.streams import Stream

__all__ = ["numbers", "read", "read_first", "reader", "table", "table_of"]

_PLACE = re.compile(r"\\{(\w+)\\}")
T = TypeVar("T")


@cache
def table(name: str) -> dict[str, Any]:
    """The stories and wordings of a family, from ``data/NAME.yaml``."""
    found: dict[str, Any] = yaml.safe_load(
        files("assay.worlds").joinpath(f"data/{name}.yaml").read_text("utf-8")
    )
    return found


def table_of(name: str, kind: type[T]) -> T:
    """The same, as values of a type."""
    return msgspec.convert(table(name), kind)


def reader(template: str, filling: str = ".+?") -> re.Pattern[str]:
    """A pattern that finds a filled-in template. A place's first filling is a group; later ones are passed over."""
    seen: list[str] = []

    def gap(match: re.Match[str]) -> str:
        if match[1] in seen:
            return filling
        seen.append(match[1])
        return f"(?P<{match[1]}>{filling})"

    return re.compile(_PLACE.sub(gap, re.escape(template)))


def numbers(stream: Stream, count: int, low: int, high: int) -> list[int]:
    """So many different numbers, without shuffling all there are."""
    found: list[int] = []
    while len(found) < count:
        drawn = stream.integer(low, high)
        if drawn not in found:
            found.append(drawn)
    return found


@cache
def _pattern(template: str) -> re.Pattern[str]:
    named: list[str] = []

    def group(place: re.Match[str]) -> str:
        if place[1] in named:
            return f"(?P={place[1]})"
        named.append(place[1])
        return f"(?P<{place[1]}>.+?)"

    return re.compile(_PLACE.sub(group, re.escape(template)) + r"(?!\w)")


def read(template: str, said: str) -> dict[str, str] | None:
    """What fills the template's places, somewhere in a text. It ends where a word ends."""
    found = _pattern(template).search(said)
    return found.groupdict() if found else None


def read_first(templates: Sequence[str], said: str) -> dict[str, str]:
    """The same for several wordings of one thing, of which a text holds one."""
    for template in templates:
        found = read(template, said)
        if found is not None:
            return found
    raise AssertionError(f"none of the wordings is in: {said[:200]}")
