"""The step ``branches``: alternatives of an ``if`` where the canon has them.

============================================= ========================================= ============================
rule                                          condition                                 what the condition keeps out
============================================= ========================================= ============================
``if c: A`` ``else: B`` ↔ ``if c: A`` with B  A always leaves (return, raise, continue, ``if c: print(1)`` with
behind it                                     break)                                    ``print(2)`` behind it
``if c: A`` with B behind it ↔ ``if not c:``  both leave                                ``if c: return 1`` with a B
``B`` with A behind it                                                                  that runs on
``if c: A`` ``else: B`` ↔ ``if not c: B``     none: truth is asked for once either way
``else: A``
============================================= ========================================= ============================

``not c`` is written as ``a not in b`` or ``a is not b`` where c is ``a in b`` or ``a is b``; ``a == b`` is never
turned into ``a != b``, which an object may define apart. Where a declaration (``global``, ``nonlocal``) stands in
what would be moved, nothing is moved: it must stand before the uses of its names.

A rewrite is proposed when more of its lines, as the interpreter prints them, are lines of the canon.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from assay.instruments.repeatability.programs.normalisation import ast_form
from assay.instruments.repeatability.programs.parsing import room

from .program import Program, replaced
from .trees import body_blocks, exchanged_key, same_tree

__all__ = ["propose_branches"]

_LONGEST_CHAIN = 20  # branches folded into one statement: each is a level of the tree
_DEEPEST = 60  # levels of blocks that are looked at
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_NEGATIONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], str]] = {
    ast.In: (ast.NotIn, "not in"),
    ast.NotIn: (ast.In, "in"),
    ast.Is: (ast.IsNot, "is not"),
    ast.IsNot: (ast.Is, "is"),
}
_LOOSE = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)  # bind less than ``not``


class _Rewrite(NamedTuple):
    """The statements of a block from ``start`` to ``end``, and what takes their place, as trees and as rows."""

    block: list[ast.stmt]
    start: int
    end: int
    new: list[ast.stmt]
    rows: list[str]


def propose_branches(here: Program, there: Program) -> Iterator[str]:
    """The rewrites that gain anything: all that do not touch, then each alone, the best first."""
    canon = _lines(there.source)
    known = set(there.key)
    ranked: list[tuple[int, _Rewrite]] = []
    for top, whole in zip(here.tree.body, here.key, strict=True):
        if whole not in known:
            ranked += _gaining(here, top, canon)
    ranked.sort(key=lambda pair: -pair[0])
    together: list[_Rewrite] = []
    for _, one in ranked:
        if not any(_touch(here, one, other) for other in together):
            together.append(one)
    for some in (together, *([one] for _, one in ranked if len(together) > 1 or one not in together)):
        source = _applied(here, some) if some else None
        if source is not None:
            yield source


@lru_cache(maxsize=4)  # all outputs of a cell have the same canon
def _lines(source: str) -> Counter[str]:
    return Counter(ast_form(source).split("\n"))


def _gaining(here: Program, top: ast.stmt, canon: Counter[str]) -> Iterator[tuple[int, _Rewrite]]:
    waiting: list[tuple[list[ast.stmt], int]] = [([top], 0)]
    for block, depth in waiting:
        pad = "    " * depth
        for at, node in enumerate(block):
            if depth < _DEEPEST and hasattr(node, "body"):
                waiting += ((inner, depth + 1) for inner in body_blocks(node) if inner)
            if isinstance(node, ast.If) and block is not waiting[0][0] and not here.is_elif(node):
                for one in _rewrites(here, block, at, node):
                    gain = _common(one.new, pad, canon) - _common(block[one.start : one.end], pad, canon)
                    if gain > 0:
                        yield gain, one


def _common(statements: Sequence[ast.stmt], pad: str, canon: Counter[str]) -> int:
    """How many of their lines the canon has."""
    with room():
        try:
            printed = ast.unparse(ast.Module(list(statements), []))
        except (RecursionError, ValueError):  # what the interpreter itself will not print
            return 0
    return sum((Counter(pad + line for line in printed.split("\n")) & canon).values())


def _touch(here: Program, one: _Rewrite, other: _Rewrite) -> bool:
    (first, last), (begin, end) = (_extent(here, rewrite) for rewrite in (one, other))
    return first <= end and begin <= last


def _extent(here: Program, rewrite: _Rewrite) -> tuple[int, int]:
    return here.rows(rewrite.block[rewrite.start])[0], here.rows(rewrite.block[rewrite.end - 1])[1]


def _applied(here: Program, rewrites: Sequence[_Rewrite]) -> str | None:
    blocks = {id(one.block): [*one.block[: one.start], *one.new, *one.block[one.end :]] for one in rewrites}
    source = replaced(here.text, [here.row_edit(*_extent(here, one), one.rows) for one in rewrites])
    return source if same_tree(source, exchanged_key(here.tree, blocks)) else None


# The rules


def _rewrites(here: Program, block: list[ast.stmt], at: int, node: ast.If) -> Iterator[_Rewrite]:
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
        yield _Rewrite(block, at, end, [*flat, *last], [*rows, *write.block(last)])
    elif _leaves(body):
        for whole in (True, False):
            yield from _folded(write, block, at, whole=whole)
    if _leaves(other) and _leaves(body):
        rows = [*write.negated(node, other), *write.block(body)]
        yield _Rewrite(block, at, end, [ast.If(_negated(node.test), other, []), *body], rows)
    if node.orelse:
        rows = [*write.negated(node, other), *write.otherwise(body)]
        yield _Rewrite(block, at, end, [ast.If(_negated(node.test), other, body)], rows)


def _links(node: ast.If) -> tuple[list[ast.If], list[ast.stmt]]:
    """The branches of a chain, as far as each leaves, and what comes if none is taken."""
    links: list[ast.If] = []
    last: list[ast.stmt] = [node]
    while len(last) == 1 and isinstance(last[0], ast.If) and last[0].orelse and _leaves(last[0].body):
        links.append(last[0])
        last = last[0].orelse
    return links, last


def _folded(write: _Writer, block: list[ast.stmt], at: int, *, whole: bool) -> Iterator[_Rewrite]:
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
    yield _Rewrite(block, at, end, folded, [*rows, *(write.otherwise(last) if last else ())])


def _movable(here: Program, statements: Sequence[ast.stmt]) -> bool:
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

    def __init__(self, here: Program, indent: str) -> None:
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
