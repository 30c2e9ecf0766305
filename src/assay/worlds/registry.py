"""Families by name: Assay's own and anyone's, found by the entry point ``assay.families``."""

from __future__ import annotations

from functools import cache

from assay.errors import InputError, UnknownName
from assay.registry import load_all

from .model import Family

__all__ = ["families", "family_named"]


@cache
def families() -> dict[str, Family]:
    """Every installed family, by name. One that does not keep the contract's form is refused."""
    found: dict[str, Family] = {}
    for name, made in load_all("assay.families").items():
        family = made()
        if not isinstance(family, Family) or family.name != name:
            parts = [part for part in _PARTS if not hasattr(family, part)]
            told = f"it has no {', '.join(parts)}" if parts else f"it calls itself {family.name!r}"
            raise InputError(f"the family {name!r} does not keep the contract: {told}")
        found[name] = family
    return found


def family_named(name: str) -> Family:
    known = families()
    if name not in known:
        raise UnknownName("family", name, known)
    return known[name]


_PARTS = [part for part in [*Family.__annotations__, *vars(Family)] if not part.startswith("_")]
