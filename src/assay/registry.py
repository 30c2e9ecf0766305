"""Instruments, subjects and references are found by entry point, ours and anyone's alike."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from .errors import InputError, UnknownName

__all__ = ["find", "load_all", "names"]


@cache
def _points(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=group), key=lambda p: p.name)}


def names(group: str) -> list[str]:
    return list(_points(group))


def find(group: str, name: str, *, what: str, file: str | None = None, line: int | None = None) -> Any:
    """The object behind a name, imported now; an unknown name says which one is nearest."""
    points = _points(group)
    if name not in points:
        raise UnknownName(what, name, points, file=file, line=line)
    try:
        return points[name].load()
    except (ImportError, AttributeError) as error:
        raise InputError(f"{what} {name!r} ({points[name].value}) could not be loaded: {error}") from error


def load_all(group: str) -> dict[str, Any]:
    return {name: find(group, name, what=group) for name in names(group)}
