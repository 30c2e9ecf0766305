"""The step ``returns``: how a function leaves.

============================================ ========================================= ==============================
rule                                         condition                                 what the condition keeps out
============================================ ========================================= ==============================
``if c: A`` ``else: B`` ↔ ``if c: A`` with   A always leaves (return, raise, continue, ``if c: print(1)`` with
B behind it                                  break)                                    ``print(2)`` behind it
``if c: A`` with B behind it ↔               both leave                                ``if c: return 1`` with a B
``if not c: B`` with A behind it                                                       that runs on
``if c: A`` ``else: B`` ↔                    none: truth is asked for once either way
``if not c: B`` ``else: A``
``x = e``, ``return x`` ↔ ``return e``       x is a local variable that is named       a ``finally`` that reads x; a
                                             nowhere else                              global x; ``locals()``
============================================ ========================================= ==============================

``not c`` is written as ``a not in b`` or ``a is not b`` where c is ``a in b`` or ``a is b``; ``a == b`` is never
turned into ``a != b``, which an object may define apart. Where a declaration (``global``, ``nonlocal``) stands in
what would be moved, nothing is moved: it must stand before the uses of its names.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator, Sequence
from functools import lru_cache

from assay.instruments.repeatability.programs.scopes import Binding

from .program import ProgramText
from .rewriting import Block, Rewrite, gaining_rewrites
from .trees import body_blocks

__all__ = ["propose_returns"]

_LONGEST_CHAIN = 20  # branches folded into one statement: each is a level of the tree
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_NEGATIONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], str]] = {
    ast.In: (ast.NotIn, "not in"),
    ast.NotIn: (ast.In, "in"),
    ast.Is: (ast.IsNot, "is not"),
    ast.IsNot: (ast.Is, "is"),
}
_LOOSE = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)  # bind less than ``not``


def propose_returns(here: ProgramText, there: ProgramText) -> Iterator[str]:
    names = [name for name in _returned_names(there.tree) if _is_new(name, here)]

    def rules(block: Block, at: int) -> Iterator[Rewrite]:
        node = block[at]
        if isinstance(node, ast.If) and not here.is_elif(node):
            yield from _branches(here, block, at, node)
        elif isinstance(node, ast.Assign):
            yield from _unnamed(here, block, at)
        elif isinstance(node, ast.Return):
            yield from _named(here, block, at, names)

    yield from gaining_rewrites(here, there, rules)


# Values that are named before they are returned

Pair = tuple[ast.Name, ast.Name]


def _pair(block: Block, at: int) -> Pair | None:
    """The names in ``x = e`` with ``return x`` behind it."""
    match block[at : at + 2]:
        case [ast.Assign(targets=[ast.Name() as bound]), ast.Return(value=ast.Name() as read)]:
            return (bound, read) if bound.id == read.id else None
    return None


def _pairs(tree: ast.Module) -> Iterator[Pair]:
    waiting = [tree.body]
    for block in waiting:
        for at, node in enumerate(block):
            waiting += (inner for inner in body_blocks(node) if inner)
            if (pair := _pair(block, at)) is not None:
                yield pair


@lru_cache(maxsize=4)  # all outputs of a cell have the same canon
def _returned_names(tree: ast.Module) -> list[str]:
    return list(dict.fromkeys(bound.id for bound, _ in _pairs(tree)))


def _is_new(name: str, here: ProgramText) -> bool:
    """Whether nothing of the program, and nobody outside, knows the name."""
    known = any(one.name == name for one in here.names.bindings)
    return not (known or name in here.keep or name.startswith("__") or keyword.issoftkeyword(name))


def _unnamed(here: ProgramText, block: Block, at: int) -> Iterator[Rewrite]:
    pair, node = _pair(block, at), block[at]
    if pair is not None and pair[0] in _only_returned(here) and _movable(here, block[at : at + 2]):
        assert isinstance(node, ast.Assign)
        row = f"{here.indent(node)}return {here.written(node.value)}"
        yield Rewrite(block, at, at + 2, [ast.Return(node.value)], [row])


def _named(here: ProgramText, block: Block, at: int, names: Sequence[str]) -> Iterator[Rewrite]:
    node = block[at]
    assert isinstance(node, ast.Return)
    if node.value is None or (at and _pair(block, at - 1)) or not (names and _movable(here, [node])):
        return
    for name in names:
        bound = ast.Assign([ast.Name(name, ast.Store())], node.value, lineno=node.lineno)
        new = [bound, ast.Return(ast.Name(name, ast.Load()))]
        indent = here.indent(node)
        rows = [f"{indent}{name} = {here.written(node.value)}", f"{indent}return {name}"]
        yield Rewrite(block, at, at + 1, new, rows)


@lru_cache(maxsize=4)  # of the program on its way
def _only_returned(here: ProgramText) -> set[ast.Name]:
    """Where variables are bound that are named only to be returned."""
    pairs = list(_pairs(here.tree))
    inside: set[ast.AST] = {name for pair in pairs for name in pair}

    def alone(one: Binding) -> bool:
        local = one.scope is not None and one.scope.kind == "function" and one.stays != "seen"
        return local and all(place.node in inside for place in one.places)

    bound = {place.node for one in here.names.bindings if alone(one) for place in one.places}
    return {name for name, _ in pairs if name in bound}


# Branches


def _branches(here: ProgramText, block: Block, at: int, node: ast.If) -> Iterator[Rewrite]:
    rest = [] if node.orelse else block[at + 1 :]
    other = node.orelse or rest
    if not other or not _movable(here, [node, *rest]):
        return
    end = at + 1 + len(rest)
    write = _Writer(here, here.indent(node))
    body = node.body
    if _leaves(body) and node.orelse:
        links, last = _links(node)
        flat = [ast.If(link.test, link.body, []) for link in links]
        rows = [row for link in links for row in write.branch("if", link)]
        yield Rewrite(block, at, end, [*flat, *last], [*rows, *write.block(last)])
    elif _leaves(body):
        for whole in (True, False):
            yield from _folded(write, block, at, whole=whole)
    if _leaves(other) and _leaves(body):
        rows = [*write.negated(node, other), *write.block(body)]
        yield Rewrite(block, at, end, [ast.If(_negated(node.test), other, []), *body], rows)
    if node.orelse:
        rows = [*write.negated(node, other), *write.otherwise(body)]
        yield Rewrite(block, at, end, [ast.If(_negated(node.test), other, body)], rows)


def _links(node: ast.If) -> tuple[list[ast.If], list[ast.stmt]]:
    """The branches of a chain, as far as each leaves, and what comes if none is taken."""
    links: list[ast.If] = []
    last: list[ast.stmt] = [node]
    while len(last) == 1 and isinstance(last[0], ast.If) and last[0].orelse and _leaves(last[0].body):
        links.append(last[0])
        last = last[0].orelse
    return links, last


def _folded(write: _Writer, block: Block, at: int, *, whole: bool) -> Iterator[Rewrite]:
    """Branches behind one another as one chain, as far as each leaves; what follows is its ``else``, or stays."""
    chain: list[ast.If] = []
    for one in block[at : at + _LONGEST_CHAIN]:
        if not isinstance(one, ast.If) or one.orelse or (chain and not _leaves(chain[-1].body)):
            break
        chain.append(one)
    if whole and not _leaves(chain[-1].body):
        chain.pop()
    end = len(block) if whole else at + len(chain)
    last = block[at + len(chain) :] if whole else []
    if end == at + 1 or (whole and not last):
        return
    folded = last
    for link in reversed(chain):
        folded = [ast.If(link.test, link.body, folded)]
    rows = [row for n, link in enumerate(chain) for row in write.branch("elif" if n else "if", link)]
    yield Rewrite(block, at, end, folded, [*rows, *(write.otherwise(last) if last else ())])


def _movable(here: ProgramText, statements: Sequence[ast.stmt]) -> bool:
    """Whether all of them have rows of their own, and nothing in them is declared."""
    clean = here.starts_clean(statements[0]) and here.ends_clean(statements[-1])
    nodes = (node for one in statements for node in ast.walk(one))
    return clean and not any(isinstance(node, ast.Global | ast.Nonlocal) for node in nodes)


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    """Whether a block never runs on into what follows it."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, _LEAVING)


def _negated(test: ast.expr) -> ast.expr:
    """What is true exactly when the test is not, asked for as often."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return test.operand
        case ast.Compare(ops=[op]) if type(op) in _NEGATIONS:
            return ast.Compare(test.left, [_NEGATIONS[type(op)][0]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


class _Writer:
    """Branches as rows at one indentation; statements and tests keep the text that they were written in."""

    def __init__(self, here: ProgramText, indent: str) -> None:
        self.here, self.indent = here, indent

    def branch(self, word: str, node: ast.If) -> list[str]:
        """A branch as it was written; what stands between the test and the colon are brackets."""
        here = self.here
        start, body = here.span(node)[0], here.span(node.body[0])[0]
        colon = here.text.find(":", here.span(node.test)[1], body)
        test = here.text[start + len("elif" if here.is_elif(node) else "if") : colon].strip()
        return self._branch(f"{word} {test}:", node.body)

    def negated(self, node: ast.If, body: Sequence[ast.stmt]) -> list[str]:
        return self._branch(f"if {self._negated(node.test)}:", body)

    def _branch(self, head: str, body: Sequence[ast.stmt]) -> list[str]:
        return [self.indent + head, *self.block(body, self.indent + self.here.unit)]

    def otherwise(self, body: Sequence[ast.stmt]) -> list[str]:
        if len(body) == 1 and self.here.is_elif(body[0]):
            first, *others = self.block(body)
            return [f"{self.indent}el{first.removeprefix(self.indent)}", *others]
        return self._branch("else:", body)

    def block(self, statements: Sequence[ast.stmt], indent: str | None = None) -> list[str]:
        here, indent = self.here, self.indent if indent is None else indent
        first, last = statements[0], statements[-1]
        if not (here.starts_clean(first) and here.ends_clean(last)):
            return [indent + here.written(one) for one in statements]
        row = here.rows(first)[0]
        while row - 1 in here.comment_rows:
            row -= 1
        rows = here.moved(row, here.rows(last)[1], here.indent(first), indent)
        if here.is_elif(first):
            rows = [
                line.replace("elif", "if", 1) if n == here.rows(first)[0] - row else line
                for n, line in enumerate(rows)
            ]
        return rows

    def _written(self, node: ast.expr, *, loose: tuple[type[ast.expr], ...] = ()) -> str:
        text = self.here.written(node)
        return f"({text})" if "\n" in text or isinstance(node, loose) else text

    def _negated(self, test: ast.expr) -> str:
        match test:
            case ast.UnaryOp(op=ast.Not()):
                return self._written(test.operand)
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in _NEGATIONS:
                sides = (self._written(one, loose=(*_LOOSE, ast.Compare)) for one in (test.left, right))
                return f" {_NEGATIONS[type(op)][1]} ".join(sides)
        return f"not {self._written(test, loose=_LOOSE)}"
