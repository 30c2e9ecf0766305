"""The step ``unused``: functions that nothing calls, and variables that nothing reads.

================== ================================================= ===============================================
what goes          condition                                         what the condition keeps out
================== ================================================= ===============================================
a function of the  nothing else mentions it; no decorators, its      ``@register``; a function that ``eval`` may
module             defaults are constants, its annotations plain     call; ``def f(x=start())``
an assignment to   the variable is never read, deleted or added to;  ``x = f()``, ``x = y``; ``x = 0`` with
one name           the value is made of constants                    ``x += 1`` somewhere
================== ================================================= ===============================================

A program that can look at its names is left alone. Unused imports are the matter of the step ``imports``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.instruments.repeatability.programs.parsing import PerPiece, Piece

from .program import ProgramText, Removed, without
from .reflection import sees_names
from .trees import Function, body_blocks

__all__ = ["propose_unused"]

_CONSTANT = (ast.Constant, ast.Tuple, ast.List, ast.UnaryOp, ast.USub, ast.Load)
_PLAIN = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Constant,
    ast.BinOp,
    ast.BitOr,
    ast.Tuple,
    ast.List,
    ast.Load,
)


def propose_unused(here: ProgramText, there: ProgramText) -> Iterator[str]:
    """Without what nothing needs and the canon does not have: all of it, then one by one."""
    if not _may_have(here) or sees_names(here.parsed):
        return
    found = list(_functions(here))
    inside = {node for _, one in found for node in ast.walk(one)}
    found += (pair for pair in _assignments(here) if pair[1] not in inside)
    if not found:
        return
    wanted = {there.key_of(one, docstrings=False) for _, one in _statements(there.tree)}
    gone = [pair for pair in found if here.key_of(pair[1], docstrings=False) not in wanted]
    for some in (gone, *([pair] for pair in gone if len(gone) > 1)):
        source = without(here, some) if some else None
        if source is not None:
            yield source


class _Told(NamedTuple):
    """Of a piece, names that may be unused, and names that are read."""

    inside: bool  # a name is assigned to and not read
    given: frozenset[str]  # to functions of the module
    read: frozenset[str]


def _told(piece: Piece) -> _Told:
    read = _loaded(piece.nodes)
    given = _assigned(piece.nodes)
    classes = [node for node in piece.nodes if isinstance(node, ast.ClassDef)]
    methods = ([*ast.walk(one)] for node in classes for one in node.body if isinstance(one, Function))
    inside = bool(given - read) or any(_assigned(nodes) - _loaded(nodes) for nodes in methods)
    functions = {one.name for one in piece.statements if isinstance(one, Function)}
    return _Told(inside, frozenset(functions), frozenset(read))


def _assigned(nodes: Sequence[ast.AST]) -> set[str]:
    assignments = [node for node in nodes if isinstance(node, ast.Assign)]
    return {target.id for one in assignments if isinstance(target := one.targets[0], ast.Name)}


def _loaded(nodes: Sequence[ast.AST]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


_TOLD = PerPiece(_told)


def _may_have(here: ProgramText) -> bool:
    """Whether it is worth a closer look: most programs have nothing that is unused."""
    told = _TOLD.of(here.parsed)
    read = here.keep.union(*(one.read for one in told))
    return any(one.inside or one.given - read for one in told)


def _functions(here: ProgramText) -> Iterator[Removed]:
    for statement in here.tree.body:
        if isinstance(statement, Function) and statement.name not in here.keep and _is_plain(statement):
            inside = set(ast.walk(statement))
            own = [one for one in here.names.bindings if any(place.node is statement for place in one.places)]
            if all(place.node in inside for one in own for place in one.places):
                yield here.tree.body, statement


def _is_plain(function: Function) -> bool:
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    kinds = [function.returns, *(one.annotation for one in parameters if one is not None)]
    return (
        not function.decorator_list
        and all(_made_of(one, _CONSTANT) for one in (*given.defaults, *given.kw_defaults))
        and all(_made_of(one, _PLAIN) for one in kinds)
    )


def _made_of(node: ast.expr | None, kinds: tuple[type[ast.AST], ...]) -> bool:
    return node is None or all(isinstance(one, kinds) for one in ast.walk(node))


def _assignments(here: ProgramText) -> Iterator[Removed]:
    unread = {
        place.node
        for one in here.names.bindings
        if one.scope is not None and one.scope.kind in ("module", "function") and one.roles == {"bind"}
        if one.name not in here.keep and not one.stays
        for place in one.places
    }
    if not unread:
        return
    found: list[tuple[Removed, str]] = []
    kept: set[str] = set()  # names that are deleted or added to, in whatever scope
    for block, statement in _statements(here.tree):
        match statement:
            case ast.Assign(targets=[ast.Name() as target], value=value) if target in unread:
                if _made_of(value, _CONSTANT):
                    found.append(((block, statement), target.id))
            case ast.AugAssign(target=ast.Name(id=name)):
                kept.add(name)
            case ast.Delete(targets=targets):
                kept.update(one.id for one in targets if isinstance(one, ast.Name))
    yield from (removed for removed, name in found if name not in kept)


def _statements(tree: ast.Module) -> Iterator[Removed]:
    """Every statement, with the block that it stands in."""
    waiting: list[list[ast.stmt]] = [tree.body]
    for block in waiting:
        for statement in block:
            yield block, statement
            if hasattr(statement, "body") or hasattr(statement, "cases"):
                waiting += body_blocks(statement)
