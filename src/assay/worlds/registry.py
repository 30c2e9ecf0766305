"""Families by name, shipped and third-party, found by the entry point ``assay.families``.

A family that cannot be loaded or does not keep the contract's form is named and left out; the others are not touched.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from assay.errors import InputError, UnknownName
from assay.registry import find, names
from assay.streams import Stream

from .conformance import form_of
from .family_calls import FamilyFault, drawn_task, plain
from .model import Family, Task, WorldSource

__all__ = ["all_families", "family_named", "left_out"]

GROUP = "assay.families"


def all_families() -> dict[str, Family]:
    """Every installed family that keeps the contract's form, by name."""
    return _found()[0]


def left_out() -> dict[str, str]:
    """Installed families that are not used, and why."""
    return _found()[1]


@cache
def _found() -> tuple[dict[str, Family], dict[str, str]]:
    good: dict[str, Family] = {}
    bad: dict[str, str] = {}
    for name in names(GROUP):
        try:
            family = find(GROUP, name, what="family")()
        except InputError as error:
            bad[name] = str(error)
        except Exception as error:  # third-party code may fail in any way
            bad[name] = f"it cannot be made: {type(error).__name__}: {error}"
        else:
            wrong = _wrong(name, family)
            if wrong:
                bad[name] = wrong
            else:
                good[name] = family
    return good, bad


def _same(task: Task) -> Task:
    return task


def _wrong(name: str, family: Any) -> str:
    missing = [part for part in _PARTS if not hasattr(family, part)]
    if missing:
        return f"it has no {', '.join(missing)}"
    if family.name != name:
        return f"it calls itself {family.name!r}"
    try:
        wrong = "; ".join(form_of(family))
        if not wrong:
            for level in family.levels:
                task = drawn_task(family, level, Stream("loading", name))
                plain(name, f"draw of level {level}", partial(_same, task), Task)
    except FamilyFault as fault:
        return str(fault)
    except Exception as error:  # a part may be of any type
        return f"its form cannot be read: {type(error).__name__}: {error}"
    return wrong


def family_named(name: str) -> Family:
    if name in left_out():
        raise InputError(
            f"the family {name!r} is left out, it does not keep the contract: {left_out()[name]}"
        )
    if name not in all_families():
        raise UnknownName("family", name, all_families())
    return all_families()[name]


_PARTS = [
    part
    for contract in (WorldSource, Family)
    for part in (*contract.__annotations__, *vars(contract))
    if not part.startswith("_")
]
