"""Rules that exchange assignments.

================================ =========================================== ===================================
rule                             condition                                   what the condition keeps out
================================ =========================================== ===================================
``x += e`` ↔ ``x = x + e``       x is a local that certainly holds a builtin ``x = []`` with another name for the
                                 number, or a str: every binding in the      same list; ``x = n`` with a
                                 function says so, nothing else sees x       parameter n; ``x = str(n)``, which
                                                                             may be of a subclass of str
``a = b = 1`` ↔ ``a = 1``,       the value is a constant                     ``a = b = []``
``b = 1``
``a, b = e, f`` ↔ ``a = e``,     distinct plain names; no value but the      ``a, b = b, a``; ``a, b = 1, f()``
``b = f``                        first mentions an earlier target. Where f   in a ``try``, or where f reads a
                                 is no constant: a is a local that nothing
                                 else sees, not within ``try`` or ``with``,
                                 no yield, await or walrus in the values
================================ =========================================== ===================================
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence, Set
from functools import lru_cache

from .forms_edit import Rewrite
from .forms_facts import Block, Facts, Function, binds, mentions

__all__ = ["ASSIGNMENTS"]

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_SUSPENDING = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_LONGEST = 4  # single assignments put into one

Kind = Callable[[ast.AST | None, Set[str], Facts], bool]


def _holds(nodes: Sequence[ast.AST], kinds: tuple[type[ast.AST], ...]) -> bool:
    return any(isinstance(one, kinds) for node in nodes for one in ast.walk(node))


# Adding in place


def _updates(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    known: dict[tuple[int, Kind], set[str]] = {}

    def certain(function: Function, kind: Kind) -> set[str]:
        if (id(function), kind) not in known:
            known[id(function), kind] = _certain(function, facts, kind)
        return known[id(function), kind]

    for block in facts.blocks:
        function = block.function
        for node in block.statements if function is not None else ():
            turned = _turned(node)
            if turned is None:
                continue
            assert function is not None
            name, op, new = turned
            if (isinstance(op, _ARITHMETIC) and name in certain(function, _number)) or (
                isinstance(op, ast.Add) and name in certain(function, _string)
            ):
                yield Rewrite((node,), (new,), block.unit)


def _turned(node: ast.stmt) -> tuple[str, ast.operator, ast.stmt] | None:
    match node:
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            whole = ast.BinOp(ast.Name(name, ast.Load()), op, value)
            return name, op, ast.Assign([ast.Name(name, ast.Store())], whole, lineno=node.lineno)
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=same), op=op, right=value)
        ) if name == same:
            return name, op, ast.AugAssign(ast.Name(name, ast.Store()), op, value)
    return None


def _certain(function: Function, facts: Facts, kind: Kind) -> set[str]:
    """The locals that hold the kind wherever they are bound: those left when none contradicts the others."""
    scope = facts.scope(function)
    bindings = _bindings(function)
    parameters = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
    names = {name for name in bindings if scope.private(name) and name not in parameters}
    while True:
        left = {name for name in names if all(kind(one, names, facts) for one in bindings[name])}
        if left == names:
            return names
        names = left


@lru_cache(
    maxsize=512
)  # for numbers and for strings, and again for proposals that leave the function as it is
def _bindings(function: Function) -> dict[str, list[ast.AST | None]]:
    """By name, what each of its bindings gives it; None where that cannot be said."""
    told: dict[int, ast.AST] = {}
    found: dict[str, list[ast.AST | None]] = {}
    for node in (one for top in function.body for one in ast.walk(top)):  # a statement before its targets
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    told.update(_pairs(target, value))
            case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
                told[id(target)] = ast.BinOp(ast.Name(target.id, ast.Load()), op, value)
            case ast.For(target=ast.Name() as target):
                told[id(target)] = node
        for name in binds(node):
            found.setdefault(name, []).append(told.get(id(node)))
    return found


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[int, ast.AST]]:
    match target, value:
        case ast.Name(), _:
            yield id(target), value
        case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
            if not any(isinstance(one, ast.Starred) for one in (*names, *values)):
                for name, one in zip(names, values, strict=True):
                    yield from _pairs(name, one)


def _number(node: ast.AST | None, names: Set[str], facts: Facts) -> bool:
    match node:
        case ast.Constant():
            return isinstance(node.value, int | float | complex)
        case ast.Name():
            return node.id in names
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            return _number(node.operand, names, facts)
        case ast.BinOp(op=op) if isinstance(op, _ARITHMETIC):
            return _number(node.left, names, facts) and _number(node.right, names, facts)
        case ast.Call(func=ast.Name(id="len")):
            return facts.free("len")
        case ast.For(iter=ast.Call(func=ast.Name(id="range"))):
            return facts.free("range")
    return False


def _string(node: ast.AST | None, names: Set[str], facts: Facts) -> bool:
    """Exactly str: ``str(x)`` and ``f"{x}"`` give what x makes of itself, which may be a subclass."""
    match node:
        case ast.Constant():
            return isinstance(node.value, str)
        case ast.Name():
            return node.id in names
        case ast.JoinedStr():
            return len(node.values) > 1
        case ast.BinOp(op=ast.Add()):
            return _string(node.left, names, facts) and _string(node.right, names, facts)
    return False


# Several at once

Pair = tuple[str, ast.expr]


def _chains(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    for block in facts.blocks:
        nodes = block.statements
        for at, node in enumerate(nodes):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
                continue
            names = _plain(node.targets)
            if len(names) > 1:
                new = [_assign(name, node.value) for name in names]
                yield Rewrite((node,), tuple(new), block.unit)
            for length in range(2, min(_LONGEST, len(nodes) - at) + 1 if len(names) == 1 else 0):
                pairs = _single(nodes[at : at + length])
                if len(pairs) == length and len({ast.dump(value) for _, value in pairs}) == 1:
                    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name, _ in pairs]
                    chain = ast.Assign(targets, node.value, lineno=node.lineno)
                    yield Rewrite(tuple(nodes[at : at + length]), (chain,), block.unit)


def _tuples(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    for block in facts.blocks:
        nodes = block.statements
        for at, node in enumerate(nodes):
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                    names = _plain(targets)
                    pairs = list(zip(names, values, strict=False))
                    if len(names) == len(values) > 1 and _apart(pairs, block, facts):
                        yield Rewrite((node,), tuple(_assign(*pair) for pair in pairs), block.unit)
                case ast.Assign(targets=[ast.Name()]):
                    for length in range(2, min(_LONGEST, len(nodes) - at) + 1):
                        pairs = _single(nodes[at : at + length])
                        if len(pairs) == length and _apart(pairs, block, facts):
                            yield Rewrite(tuple(nodes[at : at + length]), (_together(pairs),), block.unit)


def _plain(targets: Sequence[ast.expr]) -> list[str]:
    """The names, when all are names and no two the same."""
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return names if len(set(names)) == len(targets) else []


def _single(nodes: Sequence[ast.stmt]) -> list[Pair]:
    pairs: list[Pair] = []
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pairs.append((name, value))
            case _:
                return []
    return pairs if len({name for name, _ in pairs}) == len(pairs) else []


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=value.lineno)


def _together(pairs: Sequence[Pair]) -> ast.stmt:
    names: list[ast.expr] = [ast.Name(name, ast.Store()) for name, _ in pairs]
    values = ast.Tuple([value for _, value in pairs], ast.Load())
    return ast.Assign([ast.Tuple(names, ast.Store())], values, lineno=pairs[0][1].lineno)


def _apart(pairs: Sequence[Pair], block: Block, facts: Facts) -> bool:
    """Whether it is the same to bind all names at the end or each before the next value is worked out."""
    later = [value for _, value in pairs[1:]]
    if any(isinstance(value, ast.Starred) for _, value in pairs):
        return False
    if all(isinstance(value, ast.Constant) for value in later):
        return True
    if block.function is None or block.guarded or _holds([value for _, value in pairs], _SUSPENDING):
        return False
    scope = facts.scope(block.function)
    if not all(scope.private(name) for name, _ in pairs):
        return False
    return all(not mentions([value])[name] for at, value in enumerate(later) for name, _ in pairs[: at + 1])


ASSIGNMENTS = (_updates, _chains, _tuples)
