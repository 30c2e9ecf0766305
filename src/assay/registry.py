"""Instruments, subjects and references are found by entry point, ours and anyone's alike."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from .errors import InputError, UnknownName

__all__ = ["find", "load_all", "names"]


@cache
def _points(group: str) -> dict[str, EntryPoint]:
    points: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group), key=lambda p: p.name):
        known = points.setdefault(point.name, point)
        if known.value != point.value:
            raise InputError(
                f"{point.name!r} in {group} is claimed by both {known.value} and {point.value}; uninstall one"
            )
    return points


def names(group: str) -> list[str]:
    return list(_points(group))


def find(group: str, name: str, *, what: str, file: str | None = None, line: int | None = None) -> Any:
    """The object behind a name, imported now; an unknown name says which one is nearest."""
    points = _points(group)
    if name not in points:
        raise UnknownName(what, name, points, file=file, line=line)
    try:
        return points[name].load()
    except Exception as error:  # anybody's module: it may fail in any way
        raise InputError(f"{what} {name!r} ({points[name].value}) could not be loaded: {error}") from error


def load_all(group: str) -> dict[str, Any]:
    return {name: find(group, name, what=group) for name in names(group)}
