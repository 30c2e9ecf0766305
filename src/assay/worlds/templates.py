"""Tables of wordings, templates that are filled in and read back, numbers to tell things apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from assay.streams import Stream

__all__ = ["numbers", "partly_filled", "pattern", "read", "read_first", "story_of", "table", "worded"]

_PLACE = re.compile(r"\\{(\w+)\\}")


@cache
def table(name: str) -> dict[str, Any]:
    """The stories and wordings of a family, from ``data/NAME.yaml``."""
    found: dict[str, Any] = yaml.safe_load(
        files("assay.worlds").joinpath(f"data/{name}.yaml").read_text("utf-8")
    )
    return found


def worded(stream: Stream, wordings: Sequence[str], story: Mapping[str, Any], **gaps: Any) -> str:
    """One of several wordings, filled in from a story and what else is given."""
    return stream.choice(wordings).format_map({**story, **gaps})


def numbers(stream: Stream, count: int, low: int, high: int) -> list[int]:
    """So many different numbers, without shuffling all there are."""
    found: list[int] = []
    while len(found) < count:
        drawn = stream.integer(low, high)
        if drawn not in found:
            found.append(drawn)
    return found


@cache
def pattern(template: str, filling: str = ".+?") -> re.Pattern[str]:
    """A filled-in template as a pattern: each place is a group, and it ends where a word ends."""
    named: list[str] = []

    def group(place: re.Match[str]) -> str:
        if place[1] in named:
            return f"(?P={place[1]})"
        named.append(place[1])
        return f"(?P<{place[1]}>{filling})"

    return re.compile(_PLACE.sub(group, re.escape(template)) + r"(?!\w)")


def read(template: str, said: str, filling: str = ".+?") -> dict[str, str] | None:
    """What fills the template's places, somewhere in a text."""
    found = pattern(template, filling).search(said)
    return found.groupdict() if found else None


def read_first(templates: Sequence[str], said: str, filling: str = ".+?") -> dict[str, str]:
    """The same for several wordings of one thing, of which a text holds one."""
    for template in templates:
        found = read(template, said, filling)
        if found is not None:
            return found
    raise AssertionError(f"none of the wordings is in: {said[:200]}")


def story_of(situations: Mapping[str, Mapping[str, Any]], goal: str) -> Mapping[str, Any]:
    """The story that a goal belongs to: the one whose first words it has."""
    return next(story for story in situations.values() if story["who"] in goal)


def partly_filled(template: str, story: Mapping[str, Any]) -> str:
    """A template in which only the story's own words are filled in."""
    for key, word in story.items():
        template = template.replace("{" + key + "}", str(word))
    return template
