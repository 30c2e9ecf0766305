"""Rules that exchange loops that build a list for comprehensions, and back.

================================ =========================================== ===================================
rule                             condition                                   what the condition keeps out
================================ =========================================== ===================================
``r = []``, ``for x in it:       r as a above, mentioned in no part of the   a partial list seen in ``except``;
r.append(e)`` ↔                  loop but ``r.append``; x is not read        x read behind the loop; ``super()``
``r = [e for x in it]``, with    outside it, and no lambda or generator in   or a lambda in e; a function that
one ``if`` or none               e keeps it; no yield, await, walrus,        calls itself, whose stack grows by
                                 ``super``; the function does not reach      a frame more (Python 3.11)
                                 itself again
================================ =========================================== ===================================
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .forms_edit import Rewrite
from .forms_facts import Block, Facts, Function, mentions, names_of

__all__ = ["LISTS"]

_SUSPENDING = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_KEEPING = (ast.Lambda, ast.GeneratorExp)


def _loops(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    for block in facts.blocks:
        for at in range(len(block.statements) - 1):
            match block.statements[at : at + 2]:
                case [
                    ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])),
                    ast.For(orelse=[]) as loop,
                ]:
                    built = _built(loop, name)
                    if built is None or not _sound(built, name, [loop], block, facts):
                        continue
                    new = ast.Assign([ast.Name(name, ast.Store())], built, lineno=loop.lineno)
                    yield Rewrite(tuple(block.statements[at : at + 2]), (new,), block.unit)


def _comprehensions(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    for block in facts.blocks:
        for node in block.statements:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.ListComp(generators=[one]) as built):
                    if one.is_async or len(one.ifs) > 1 or not _sound(built, name, [node], block, facts):
                        continue
                    empty = ast.Assign(
                        [ast.Name(name, ast.Store())], ast.List([], ast.Load()), lineno=node.lineno
                    )
                    yield Rewrite((node,), (empty, _looped(built, name)), block.unit)


def _built(loop: ast.For, name: str) -> ast.ListComp | None:
    """The comprehension of a loop that does nothing but append to the list."""
    tests: list[ast.expr] = []
    body = loop.body
    match body:
        case [ast.If(test=test, body=inner, orelse=[])]:
            tests, body = [test], inner
    match body:
        case [
            ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=same), attr="append"), args=[element], keywords=[]
                )
            )
        ] if same == name and not isinstance(element, ast.Starred):
            return ast.ListComp(element, [ast.comprehension(loop.target, loop.iter, tests, 0)])
    return None


def _looped(built: ast.ListComp, name: str) -> ast.For:
    one = built.generators[0]
    append = ast.Attribute(ast.Name(name, ast.Load()), "append", ast.Load())
    body: list[ast.stmt] = [ast.Expr(ast.Call(append, [built.elt], []))]
    if one.ifs:
        body = [ast.If(one.ifs[0], body, [])]
    return ast.For(one.target, one.iter, body, [], lineno=built.lineno)


def _sound(built: ast.ListComp, name: str, place: Sequence[ast.stmt], block: Block, facts: Facts) -> bool:
    """The condition of the table, the same in both directions."""
    function, one = block.function, built.generators[0]
    if function is None or block.guarded or not _plain(one.target):
        return False
    parts = [one.iter, *one.ifs, built.elt]
    inside = mentions([one.target, *parts])
    if inside[name] or inside["super"] or inside["__class__"] or _suspends(parts):
        return False
    scope = facts.scope(function)
    variables = list(mentions([one.target]))
    if not scope.private(name) or any(x in scope.declared or x in scope.captured for x in variables):
        return False
    if mentions([one.iter]).keys() & set(variables) or _read(variables, function, place):
        return False
    return not _keeps([*one.ifs, built.elt], variables) and _enters_once(function, facts)


def _plain(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return bool(target.elts) and all(_plain(one) for one in target.elts)
    return isinstance(target, ast.Name)


def _suspends(parts: Sequence[ast.AST]) -> bool:
    return any(isinstance(one, _SUSPENDING) for part in parts for one in ast.walk(part))


def _keeps(parts: Sequence[ast.AST], variables: Sequence[str]) -> bool:
    late = [one for part in parts for one in ast.walk(part) if isinstance(one, _KEEPING)]
    return any(mentions(late)[x] for x in variables)


def _read(variables: Sequence[str], function: Function, place: Sequence[ast.stmt]) -> bool:
    """Whether a variable stands elsewhere in the function, other than in the body of a loop that sets it anew."""
    here = {id(node) for node in place}
    stack: list[ast.AST] = [*function.body]
    if mentions([function.args]).keys() & set(variables):
        return True
    while stack:
        node = stack.pop()
        if id(node) in here:
            continue
        if any(x in variables for x in names_of(node)):
            return True
        if isinstance(node, ast.For) and not any(id(one) in here for one in ast.walk(node)):
            anew = set(mentions([node.target])) if _plain(node.target) else set()
            if set(variables) <= anew:
                stack += [node.iter, *node.orelse]
                continue
        stack += ast.iter_child_nodes(node)
    return False


def _enters_once(function: Function, facts: Facts) -> bool:
    """Whether the function cannot be reached from itself, so that a frame more or less is never felt.

    It has no decorator and no special name, lies in no class with bases, and is called by its name from outside
    all functions only.
    """
    name = function.name
    if function.decorator_list or name.startswith("__"):
        return False
    direct: set[int] = set()
    for node in ast.walk(facts.sheet.tree):
        match node:
            case ast.ClassDef(bases=[_, *_]) if function in node.body:
                return False
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                if any(_names(one, name) for one in ast.walk(node)):
                    return False
            case ast.Call(func=func):
                direct.add(id(func))
    return all(id(node) in direct for node in ast.walk(facts.sheet.tree) if _names(node, name))


def _names(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name():
            return node.id == name
        case ast.Attribute():
            return node.attr == name
        case ast.Constant():
            return isinstance(node.value, str) and node.value == name
    return False


LISTS = (_loops, _comprehensions)
