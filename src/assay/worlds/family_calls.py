"""Calls into third-party families. What a family raises or returns wrongly becomes a `FamilyFault` that names it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from assay.canonical import clean_text, encode
from assay.errors import AssayError, InputError
from assay.streams import Stream

from .episode import OWN
from .model import Family, Task
from .rollout import draw_task

__all__ = ["FamilyFault", "drawn_task", "guarded", "plain"]

T = TypeVar("T")
# Addresses and scratch folders differ from run to run, and a replay must say the same.
_PASSING = re.compile(r"(0x)[0-9a-fA-F]+|[^\s'\"]*assay-worlds-[^\s'\"]*")


class FamilyFault(InputError):
    """A family broke its contract. ``reason`` is short, and the same for faults of the same kind."""

    def __init__(self, family: str, where: str, kind: str, detail: str = "") -> None:
        self.family, self.where, self.kind, self.detail = family, where, kind, detail
        self.reason = f"the family {family} failed: {where} raised {kind}"
        super().__init__(f"{self.reason}{f' ({detail})' if detail else ''}")


def guarded(family: str, where: str, call: Callable[[], T]) -> T:
    """The result of a family's function. Its exceptions become faults; Assay's own errors pass through."""
    try:
        return call()
    except AssayError:
        raise
    except (Exception, SystemExit) as error:  # third-party code may fail in any way
        said = clean_text(_PASSING.sub(r"\1…", " ".join(str(error).split())))[0]
        raise FamilyFault(family, where, type(error).__name__, said[:300]) from None


def plain(family: str, where: str, call: Callable[[], Any], kind: type | None = None) -> Any:
    """The same for a result that is to be recorded: plain data, of its declared type."""

    def made() -> Any:
        found = msgspec.to_builtins(call())
        return found if kind is None else msgspec.to_builtins(msgspec.convert(found, kind))

    found = guarded(family, where, made)
    try:
        encode(found)
    except InputError as error:
        raise FamilyFault(family, where, "InputError", str(error)[:300]) from None
    return found


def drawn_task(family: Family, level: int, stream: Stream, *, held_out: bool = False) -> Task:
    """An instance of a family, checked: a Task of that family and level, whose actions an episode can offer."""

    def made() -> Task:
        task = draw_task(family, level, stream, held_out=held_out)
        if not isinstance(task, Task):
            raise TypeError(f"a {type(task).__name__} instead of a Task")
        if (task.family, task.level) != (family.name, level):
            raise ValueError(f"a task of {task.family}, level {task.level}")
        names = [action.name for action in task.actions]
        if len({*names, *OWN}) < len(names) + len(OWN):
            raise ValueError(f"actions of one name, or called {' or '.join(OWN)}, which every episode has")
        if not all(isinstance(action.parameters.get("properties"), dict) for action in task.actions):
            raise ValueError("an action whose parameters are not the schema of an object with properties")
        if "messages" in task.observation["properties"]:
            raise ValueError("an observation of its own called messages, which every episode has")
        return task

    return guarded(family.name, f"draw of level {level}", made)
