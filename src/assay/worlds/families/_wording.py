"""Stories, and sentences with gaps: filled in when a task is drawn, read back by policies that know only the goal."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TypeVar

import msgspec
import yaml

__all__ = ["reader", "stories"]

T = TypeVar("T")
_GAP = re.compile(r"\\\{(\w+)\\\}")


def stories(name: str, kind: type[T]) -> dict[str, T]:
    """A family's situations, by name."""
    said = files("assay.worlds").joinpath(f"data/{name}.yaml").read_text("utf-8")
    return msgspec.convert(yaml.safe_load(said), dict[str, kind])  # type: ignore[valid-type]


def reader(template: str, filling: str = ".+?") -> re.Pattern[str]:
    """A pattern that finds a filled-in template. A gap's first place is a group; later ones are passed over."""
    seen: list[str] = []

    def gap(match: re.Match[str]) -> str:
        name = match[1]
        if name in seen:
            return filling
        seen.append(name)
        return f"(?P<{name}>{filling})"

    return re.compile(_GAP.sub(gap, re.escape(template)))
