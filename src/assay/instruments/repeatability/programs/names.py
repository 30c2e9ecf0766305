"""A program without its choice of names: every variable that may be renamed is called v0, v1, … by appearance.

Two programs that differ only in what they call their variables become the same tree; any other difference stays.
Every variable gets a name of its own in the whole program and none that stays in it, so nothing is captured.
Which names stay, and what counts as appearance, is said in ``scopes``.

The outputs of a cell have most pieces in common, but not what their variables are numbered: that depends on the
pieces before. So a piece is printed once, with holes where its names stand, and the holes are filled.

Nothing but printing is recursive, so only that needs room on the stack.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from .scopes import NamePlace, Names, StatementNames, analyse, bindings_of

__all__ = ["Outline", "alpha", "filled", "outlined"]

_HOLE = "hole_{}_"
_HOLES = re.compile(_HOLE.format(r"(\d+)"))

_Where = tuple[int, str, int | None]  # node, attribute and item


def alpha(tree: ast.Module, keep: frozenset[str] = frozenset()) -> ast.Module:
    """The same tree, its names changed in place. Doing it twice changes nothing more."""
    for place, name in _numbered(analyse(tree, keep), keep):
        place.write(name)
    return tree


def _numbered(names: Names, keep: frozenset[str]) -> Iterator[tuple[NamePlace, str]]:
    """The new names, place by place."""
    taken = {binding.name for binding in names.bindings if binding.stays}
    taken |= names.keywords | names.exported | keep
    numbered = (name for name in (f"v{number}" for number in count()) if name not in taken)
    for binding in names.bindings:
        if not binding.stays:
            name = next(numbered)
            for place in binding.places:
                yield place, name


class Outline(NamedTuple):
    """Statements as they are printed behind another, cut where names stand in them. Never changed in place."""

    readings: list[StatementNames]
    names: list[tuple[_Where, str]]  # in the order in which they are printed
    texts: list[str]  # before each name, and behind the last


def outlined(statements: Sequence[ast.stmt]) -> Outline | None:
    """Of statements of the caller's own; None where a text of theirs looks like a hole."""
    readings = [StatementNames(statement) for statement in statements]
    places = [  # a name that is imported stays, and may be a part of what stands at its place
        (place, name)
        for reading in readings
        for (_, name), mentions in reading.mentions.items()
        for role, place in mentions
        if role != "import"
    ]
    for number, (place, _) in enumerate(places):
        place.write(_HOLE.format(number))
    printed = _HOLES.split(ast.unparse(ast.Module([ast.Pass(), *statements], [])).removeprefix("pass"))
    for place, name in places:
        place.write(name)
    order = list(map(int, printed[1::2]))
    if sorted(order) != list(range(len(places))):
        return None
    names = [
        ((id(place.node), place.attribute, place.item), name)
        for place, name in map(places.__getitem__, order)
    ]
    return Outline(readings, names, printed[::2])


def filled(outlines: Sequence[Outline], keep: frozenset[str]) -> str:
    """The pieces below one another, variables numbered. No two may be the same: each has its own variables."""
    found = bindings_of([reading for one in outlines for reading in one.readings], keep)
    spelt: dict[_Where, str] = {
        (id(node), attribute, item): name for (_, node, attribute, item), name in _numbered(found, keep)
    }
    parts: list[str] = []
    for one in outlines:
        for text, (place, name) in zip(one.texts, one.names, strict=False):
            parts += text, spelt.get(place, name)
        parts.append(one.texts[-1])
    return "".join(parts)
