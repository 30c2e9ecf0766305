"""A program without its choice of names: every variable that may be renamed is called v0, v1, … by appearance.

Two programs that differ only in what they call their variables become the same tree; any other difference stays.
Every variable gets a name of its own in the whole program and none that stays in it, so nothing is captured.
Which names stay, and what counts as appearance, is said in ``scopes``.

Nothing here is recursive, so no room on the stack is needed. Printing or dumping a deep result does need it.
"""

from __future__ import annotations

import ast
from itertools import count

from .scopes import analyse

__all__ = ["alpha"]


def alpha(tree: ast.Module, keep: frozenset[str] = frozenset()) -> ast.Module:
    """The same tree, its names changed in place. Doing it twice changes nothing more."""
    names = analyse(tree, keep)
    taken = {binding.name for binding in names.bindings if binding.stays}
    taken |= names.keywords | names.exported | keep
    numbered = (name for name in (f"v{number}" for number in count()) if name not in taken)
    for binding in names.bindings:
        if not binding.stays:
            name = next(numbered)
            for place in binding.places:
                place.write(name)
    return tree
