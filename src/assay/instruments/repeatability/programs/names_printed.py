"""A program printed with its variables numbered, put together from statements that are printed once.

The outputs of a cell have most statements in common, but not what their variables are numbered: that depends on
the statements before. So a statement is printed with holes where its names stand, and the holes are filled.
The result is what printing ``names.renamed`` gives.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from .names import copied, numbered
from .scopes import Reading, analyse

__all__ = ["Outline", "filled", "outlined"]

_HOLE = "hole_{}_"
_HOLES = re.compile(_HOLE.format(r"(\d+)"))

_Place = tuple[int, str, int | None]  # node, attribute and item


class Outline(NamedTuple):
    """A statement as it is printed behind another, cut where names stand in it. It is never changed in place."""

    statement: ast.stmt
    reading: Reading
    names: list[tuple[_Place, str]]  # in the order in which they are printed
    texts: list[str]  # before each name, and behind the last


def outlined(module: ast.Module) -> Outline | None:
    """Of the last statement of a module; None where a text of the program looks like a hole."""
    fresh = copied(module)
    reading = Reading(fresh.body[-1])
    places = [  # a name that is imported stays, and may be a part of what stands at its place
        (place, name)
        for (_, name), mentions in reading.mentions.items()
        for role, place in mentions
        if role != "import"
    ]
    for number, (place, _) in enumerate(places):
        place.write(_HOLE.format(number))
    before = ast.unparse(ast.Module(fresh.body[:-1], []))
    printed = _HOLES.split(ast.unparse(fresh).removeprefix(before))
    for place, name in places:
        place.write(name)
    order = list(map(int, printed[1::2]))
    if sorted(order) != list(range(len(places))):
        return None
    names = [
        ((id(place.node), place.attribute, place.item), name)
        for place, name in map(places.__getitem__, order)
    ]
    return Outline(fresh.body[-1], reading, names, printed[::2])


def filled(outlines: Sequence[Outline], keep: frozenset[str]) -> str | None:
    """The statements below one another, variables numbered. None where two are the same: each has its own variables."""
    readings = {one.statement: one.reading for one in outlines}
    if len(readings) < len(outlines):
        return None
    found = analyse(ast.Module([*readings], []), keep, readings.__getitem__)
    spelt: dict[_Place, str] = {
        (id(node), attribute, item): name for (_, node, attribute, item), name in numbered(found, keep)
    }
    parts: list[str] = []
    for one in outlines:
        for text, (place, name) in zip(one.texts, one.names, strict=False):
            parts += text, spelt.get(place, name)
        parts.append(one.texts[-1])
    return "".join(parts)
