"""Rules that exchange statements: branches, returns, passes.

=================================== ========================================== =================================
rule                                condition                                  what the condition keeps out
=================================== ========================================== =================================
``if c: A`` ``else: B`` ↔           A always leaves (return, raise, continue,  ``if c: print(1)`` ``print(2)``
``if c: A`` and B behind it         break)
``if c: A``, B ↔ ``if not c: B``, A both leave, or B does and A is the other   ``if c: return 1`` with a B that
                                    branch; no global or nonlocal in them      runs on
``if not c: A`` ``else: B`` ↔       no global or nonlocal in them; ``not`` is  ``if a == b`` ↔ ``if a != b``
``if c: B`` ``else: A``             undone as in the rules of tests
``if c: return a``, ``return b`` ↔  in a function that is no generator         a value returned by an async
``return a if c else b``                                                       generator is no program
``if c: return True``,              c can be nothing but a bool, as            ``return c`` where c is ``a == b``
``return False`` ↔ ``return c``     certainly_bool says                        or ``a and b``
… ↔ ``return bool(c)``              bool means the builtin                     ``def bool(x): return 5``
``x = e``, ``return x`` ↔           x is a local that no nested function,      a ``finally`` that reads x; a
``return e``                        lambda, class or generator mentions, and   global x; the one binding that
                                    stands nowhere else, or is bound           makes x a local where it is
                                    elsewhere too, outside ``try`` and         read before
                                    ``with``
the last ``return`` ↔ nothing       at the end of a function that is no        an async generator
                                    generator
``return`` ↔ ``return None``        likewise
redundant ``pass``, constants       another statement is left, and no string   ``pass`` before a string, which
                                    becomes the first one                      would become the docstring
``pass`` ↔ ``...``                  the only statement of its block
=================================== ========================================== =================================
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from .forms_edit import Rewrite
from .forms_expressions import certainly_bool, negated
from .forms_facts import Block, Facts, leaves

__all__ = ["PASSES", "RETURNS", "SWAPS"]

_LONGEST_CHAIN = 20  # branches folded into one statement: each is a level of the tree
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _run(block: Block, start: int, length: int, *new: ast.stmt) -> Rewrite:
    return Rewrite(tuple(block.statements[start : start + length]), new, block.unit)


def _declares(nodes: Sequence[ast.stmt], facts: Facts) -> bool:
    """A declaration must stand before the uses of its names: where one is, nothing is moved."""
    return facts.declares and any(
        isinstance(one, ast.Global | ast.Nonlocal) for node in nodes for one in ast.walk(node)
    )


# Branches


def _branches(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    for block in facts.blocks:
        for at, node in enumerate(block.statements):
            if isinstance(node, ast.If):
                yield from _branch(block, at, node, facts)


def _branch(block: Block, at: int, node: ast.If, facts: Facts) -> Iterator[Rewrite]:
    rest = [] if node.orelse else block.statements[at + 1 :]
    other = node.orelse or rest
    if not other or _declares([node, *rest], facts):
        return
    length = 1 + len(rest)
    if leaves(node.body):
        if node.orelse:
            yield _run(block, at, 1, ast.If(node.test, node.body, []), *node.orelse)
            yield _run(block, at, 1, *_flattened(node))
        else:
            yield _run(block, at, length, ast.If(node.test, node.body, rest))
            yield _run(block, at, length, *_folded([node, *rest], whole=True))
            yield _run(block, at, length, *_folded([node, *rest], whole=False))
    if leaves(other) and (node.orelse or leaves(node.body)):
        yield _run(block, at, length, ast.If(negated(node.test), other, []), *node.body)


def _flattened(node: ast.If) -> list[ast.stmt]:
    """The whole chain of branches behind one another, as far as each leaves."""
    flat: list[ast.stmt] = []
    rest: list[ast.stmt] = [node]
    while len(rest) == 1 and isinstance(rest[0], ast.If) and rest[0].orelse and leaves(rest[0].body):
        flat.append(ast.If(rest[0].test, rest[0].body, []))
        rest = rest[0].orelse
    return [*flat, *rest]


def _folded(nodes: list[ast.stmt], whole: bool) -> list[ast.stmt]:
    """Branches behind one another as one chain, as far as each leaves; the last branch need not.

    What follows the chain is its ``else``, or stays behind it.
    """
    chain: list[ast.If] = []
    for node in nodes[:_LONGEST_CHAIN]:
        if (
            not isinstance(node, ast.If)
            or (chain and not leaves(chain[-1].body))
            or (chain and chain[-1].orelse)
        ):
            break
        chain.append(node)
    if whole and (chain[-1].orelse or not leaves(chain[-1].body)):
        chain.pop()
    rest = nodes[len(chain) :]
    folded: list[ast.stmt] = rest if whole else []
    for node in reversed(chain):
        folded = [ast.If(node.test, node.body, node.orelse or folded)]
    return folded if whole else [*folded, *rest]


def _swaps(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    for block in facts.blocks:
        for at, node in enumerate(block.statements):
            if isinstance(node, ast.If) and node.orelse and not _declares([node], facts):
                yield _run(block, at, 1, ast.If(negated(node.test), node.orelse, node.body))


# Returns

Choice = tuple[ast.expr, ast.expr, ast.expr]  # the test, what is returned if it holds, and if not


def _value(node: ast.stmt) -> ast.expr:
    assert isinstance(node, ast.Return)
    return node.value or ast.Constant(None)


def _choice_at(block: Block, at: int, facts: Facts) -> Iterator[tuple[int, Choice]]:
    """What two values the statements choose between; with how many statements they do so."""
    yes, no = ast.Constant(True), ast.Constant(False)
    match block.statements[at : at + 2]:
        case [ast.If(test=test, body=[ast.Return() as a], orelse=[ast.Return() as b]), *_]:
            yield 1, (test, _value(a), _value(b))
        case [ast.If(test=test, body=[ast.Return() as a], orelse=[]), ast.Return() as b]:
            yield 2, (test, _value(a), _value(b))
        case [ast.Return(value=ast.IfExp(test=test, body=x, orelse=y)), *_]:
            yield 1, (test, x, y)
        case [ast.Return(value=ast.UnaryOp(op=ast.Not(), operand=test)), *_]:
            yield 1, (test, no, yes)
        case [ast.Return(value=ast.Call(func=ast.Name(id="bool"), args=[test], keywords=[])), *_]:
            if facts.free("bool") and not isinstance(test, ast.Starred):
                yield 1, (test, yes, no)
        case [ast.Return(value=ast.expr() as value), *_]:
            if certainly_bool(value, facts) and not isinstance(value, ast.Constant):
                yield 1, (value, yes, no)


def _written(choice: Choice, facts: Facts) -> Iterator[list[ast.stmt]]:
    test, a, b = choice
    yield [ast.If(test, [ast.Return(a)], []), ast.Return(b)]
    yield [ast.If(test, [ast.Return(a)], [ast.Return(b)])]
    yield [ast.Return(ast.IfExp(test, a, b))]
    match a, b:
        case ast.Constant(value=True), ast.Constant(value=False):
            if certainly_bool(test, facts):
                yield [ast.Return(test)]
            if facts.free("bool"):
                yield [ast.Return(ast.Call(ast.Name("bool", ast.Load()), [test], []))]
        case ast.Constant(value=False), ast.Constant(value=True):
            yield [ast.Return(ast.UnaryOp(ast.Not(), test))]


def _choices(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    for block in facts.blocks:
        if block.function is None or facts.generates(block.function):
            continue
        for at in range(len(block.statements)):
            for length, (test, a, b) in _choice_at(block, at, facts):
                for choice in ((test, a, b), (negated(test), b, a)):
                    for new in _written(choice, facts):
                        yield _run(block, at, length, *new)


def _named(block: Block, at: int) -> tuple[str, ast.expr] | None:
    """The name and the value of ``x = e`` with ``return x`` behind it."""
    match block.statements[at : at + 2]:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value), ast.Return(value=ast.Name(id=again))]:
            return (name, value) if name == again else None
    return None


def _merges(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    places = [(block, at) for block in facts.blocks for at in range(len(block.statements) - 1)]
    pairs = Counter((id(block.function), found[0]) for block, at in places if (found := _named(block, at)))
    for block, at in places:
        found = _named(block, at)
        if found and block.function is not None:
            name, value = found
            scope = facts.scope(block.function)
            many = pairs[id(block.function), name]
            alone = scope.mentioned[name] == 2 * many
            # Where x is mentioned elsewhere it must stay a local, even if all such pairs are taken away.
            if scope.private(name) and (alone or (scope.bindings[name] > many and not block.guarded)):
                yield _run(block, at, 2, ast.Return(value))


def _splits(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    found = [_named(block, at) for block in canon.blocks for at in range(len(block.statements) - 1)]
    names = list(dict.fromkeys(one[0] for one in found if one and not one[0].startswith("__")))
    for block in facts.blocks if names else ():
        for at, node in enumerate(block.statements) if block.function is not None else ():
            if not isinstance(node, ast.Return) or node.value is None or (at and _named(block, at - 1)):
                continue
            assert block.function is not None
            scope = facts.scope(block.function)
            for name in names:
                if not scope.mentioned[name] or (scope.private(name) and not block.guarded):
                    to = ast.Assign([ast.Name(name, ast.Store())], node.value, lineno=node.lineno)
                    yield _run(block, at, 1, to, ast.Return(ast.Name(name, ast.Load())))


def _ends(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    for block in facts.blocks:
        if block.function is None or facts.generates(block.function):
            continue
        nothing, none = ast.Return(None), ast.Return(ast.Constant(None))
        for at, node in enumerate(block.statements):
            if isinstance(node, ast.Return) and _is_none(node):
                yield _run(block, at, 1, nothing if node.value else none)
        last = block.statements[-1]
        if block.owner is block.function:
            if isinstance(last, ast.Return) and _is_none(last):
                alone = len(block.statements) == 1
                yield _run(block, len(block.statements) - 1, 1, *([ast.Pass()] if alone else []))
            elif len(block.statements) == 1 and isinstance(last, ast.Pass):
                yield _run(block, 0, 1, nothing)
                yield _run(block, 0, 1, none)
            elif not leaves(block.statements):
                yield _run(block, len(block.statements) - 1, 1, last, nothing)
                yield _run(block, len(block.statements) - 1, 1, last, none)


def _is_none(node: ast.Return) -> bool:
    return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)


# Passes


def _idle(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _passes(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    for block in facts.blocks:
        nodes = block.statements
        if not isinstance(nodes[-1], ast.Pass) and not leaves(nodes):
            yield _run(block, len(nodes) - 1, 1, nodes[-1], ast.Pass())
        if len(nodes) == 1:
            yield from _placeholder(block)
            continue
        documented = isinstance(block.owner, _DOCUMENTED)
        idle = [
            at
            for at, node in enumerate(nodes)
            if _idle(node) and not (documented and at == 0 and _text(node))
        ]
        if len(idle) == len(nodes):
            idle = idle[1:]
        if documented and any(_text(node) for at, node in enumerate(nodes) if at):
            idle = [at for at in idle if at > 0 and not all(one in idle for one in range(at))]
        for at in idle:
            yield _run(block, at, 1)


def _placeholder(block: Block) -> Iterator[Rewrite]:
    match block.statements[0]:
        case ast.Pass():
            yield _run(block, 0, 1, ast.Expr(ast.Constant(...)))
        case ast.Expr(value=ast.Constant(value=value)) if value is ...:
            yield _run(block, 0, 1, ast.Pass())


RETURNS = (_branches, _choices, _merges, _splits, _ends)
SWAPS = (_swaps,)
PASSES = (_passes,)
