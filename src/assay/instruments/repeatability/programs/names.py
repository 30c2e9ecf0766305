"""A program without its choice of names: every variable that may be renamed is called v0, v1, … by appearance.

Two programs that differ only in what they call their variables become the same tree; any other difference stays.
Every variable gets a name of its own in the whole program and none that stays in it, so nothing is captured.
Which names stay, and what counts as appearance, is told in ``scopes``.

Nothing here is recursive, so no room on the stack is needed. Printing or dumping a deep result does need it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import count
from typing import TypeVar

from .scopes import Names, Place, analyse

__all__ = ["alpha", "copied", "numbered", "renamed", "same_but_for_names", "same_tree", "twin"]

_Node = TypeVar("_Node", bound=ast.AST)
Spelling = dict[tuple[int, str], str | list[str]]  # by node and attribute, what stands there instead


def alpha(tree: ast.Module, keep: frozenset[str] = frozenset()) -> ast.Module:
    """A renamed copy; the tree that is given is left as it is. Doing it twice changes nothing more."""
    return renamed(copied(tree), keep)


def renamed(tree: ast.Module, keep: frozenset[str] = frozenset()) -> ast.Module:
    """The same tree, its names changed in place."""
    for place, name in numbered(analyse(tree, keep), keep):
        place.write(name)
    return tree


def numbered(names: Names, keep: frozenset[str]) -> Iterator[tuple[Place, str]]:
    """The new names, place by place."""
    taken = {binding.name for binding in names.bindings if binding.stays}
    taken |= names.keywords | names.exported | keep
    numbered = (name for name in (f"v{number}" for number in count()) if name not in taken)
    for binding in names.bindings:
        if not binding.stays:
            name = next(numbered)
            for place in binding.places:
                yield place, name


def copied(tree: ast.Module) -> ast.Module:
    """A copy that shares only what holds nothing (operators, contexts)."""
    fresh = twin(tree)
    stack: list[ast.AST] = [fresh]
    while stack:
        parts = stack.pop().__dict__
        for name, value in parts.items():
            if isinstance(value, ast.AST):
                if value.__dict__:
                    parts[name] = fellow = twin(value)
                    stack.append(fellow)
            elif isinstance(value, list):
                parts[name] = twins = [twin(one) if isinstance(one, ast.AST) else one for one in value]
                stack.extend(one for one in twins if isinstance(one, ast.AST))
    return fresh


def twin(node: _Node) -> _Node:
    """A copy that shares its parts."""
    fresh = type(node).__new__(type(node))
    fresh.__dict__.update(node.__dict__)
    return fresh


def same_but_for_names(one: Names, other: Names, keep: frozenset[str] = frozenset()) -> bool:
    """Whether ``alpha`` would make the same tree of two programs, whose names have been analysed."""
    return _same(one.tree, other.tree, _spelt(one, keep), _spelt(other, keep))


def _spelt(names: Names, keep: frozenset[str]) -> Spelling:
    spelt: Spelling = {}
    for (_, node, attribute, item), name in numbered(names, keep):
        if item is None:
            spelt[id(node), attribute] = name
        else:  # of a declaration
            entries = spelt.setdefault((id(node), attribute), [*getattr(node, attribute)])
            assert isinstance(entries, list)
            entries[item] = name
    return spelt


def same_tree(one: ast.AST, other: ast.AST) -> bool:
    """Whether the two would be dumped alike: same nodes, same names, same constants; positions do not count."""
    return _same(one, other, {}, {})


def _same(one: ast.AST, other: ast.AST, ones: Spelling, others: Spelling) -> bool:
    stack: list[tuple[object, object]] = [(one, other)]
    while stack:
        a, b = stack.pop()
        if type(a) is not type(b):
            return False
        if isinstance(a, ast.AST):
            for name in a._fields:
                x, y = getattr(a, name, None), getattr(b, name, None)
                if ones or others:
                    x, y = ones.get((id(a), name), x), others.get((id(b), name), y)
                if x is not y or ones or others:
                    stack.append((x, y))
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            stack.extend(zip(a, b, strict=True))
        elif a != b if isinstance(a, str | bytes | int) else repr(a) != repr(b):
            return False
    return True
