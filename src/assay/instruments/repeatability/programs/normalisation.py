"""Normal forms: what is done to a program before it is compared.

``text/1``
    CRLF and CR become LF, every line and the end of the text are right-stripped.
``layout/1+pyX.Y``
    The tokens of each logical line with one space between them, four spaces a level; no comments, no blank lines.
    Same fallback as ``ast``.
``ast/1+pyX.Y``
    The program as the interpreter prints its syntax tree, docstrings removed. How a tree is printed differs
    between Python versions, so the version is part of the name and comparisons are made from the raw text anew.
    Code that does not parse, or is nested more than 500 levels deep, falls back to ``text/1`` (spec, "Syntax
    errors in code").
``names/1+pyX.Y``
    As ``ast``, after every variable that may be renamed has got its number for a name. Same fallback.
``astdump/1+pyX.Y``
    The dumped syntax tree with docstrings, for R_ast. Same fallback.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, zip_longest
from typing import Generic, NamedTuple, TypeVar

from .cache import forgetting, remembered, to_forget
from .collector import uncollected
from .layout import layout
from .names import alpha, twin
from .names_printed import filled, outlined

__all__ = [
    "INNER",
    "VERSIONS",
    "ByStatement",
    "Forms",
    "Parsed",
    "ast_form",
    "first_row",
    "normal_forms",
    "parse",
    "read",
    "signature",
    "text_form",
]

_PYTHON = f"py{sys.version_info.major}.{sys.version_info.minor}"
VERSIONS = {
    "text": "text/1",
    **{name: f"{name}/1+{_PYTHON}" for name in ("layout", "ast", "names", "astdump")},
}

_DEEPEST = 500
_ROOM = 20 * _DEEPEST  # frames that printing or dumping the deepest tree may take, with plenty to spare
_LIMIT = threading.RLock()


class Forms(NamedTuple):
    """A program's normal forms. ``fallback`` when it has no syntax tree, so that all of them are its text."""

    text: str
    layout: str
    ast: str
    names: str
    tree: str  # what R_ast counts as the same: digest of the dumped tree, or of the text where there is none
    fallback: bool


def signature(normal: str) -> str:
    """SHA-256 over the normalised text in UTF-8."""
    return hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()


def text_form(source: str) -> str:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip()


@contextmanager
def _room() -> Iterator[None]:
    """Room on the stack, so that what a program is read as never depends on how deep its reader stands."""
    with _LIMIT:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(before + _ROOM)
        try:
            yield
        finally:
            sys.setrecursionlimit(before)


@dataclass(eq=False)
class Parsed:
    """A program that parses, and its levels. Its tree is shared, so never changed in place.

    ``parts`` are the rows of each statement of the module: what they say, the statement is. None for one that
    does not have its rows to itself.
    """

    parts: Sequence[str | None]
    statement: Callable[[int], ast.stmt]  # of the module, by its number
    depth: int = 0
    anywhere: Callable[[int], ast.stmt] | None = None  # as ``statement``, for ``shape``

    @cached_property
    def tree(self) -> ast.Module:
        """Made when it is asked for: most of what is proposed is measured and refused without it."""
        return ast.Module([self.statement(number) for number in range(len(self.parts))], [])

    @cached_property
    def shape(self) -> ast.Module:
        """The same tree, but that rows do not count: programs share the statements that they have in common."""
        if self.anywhere is None:
            return self.tree
        return ast.Module([self.anywhere(number) for number in range(len(self.parts))], [])

    @property
    def documented(self) -> bool:
        """Whether the module has a docstring."""
        return bool(self.parts) and _TEXT.at(self, 0)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """In the order of ``ast.walk``."""
        layers = zip_longest(*map(_layers, self.tree.body), fillvalue=())
        return [self.tree, *(node for layer in layers for part in layer for node in part)]


_Found = TypeVar("_Found")
_MOST_STATEMENTS = 1_024


class ByStatement(Generic[_Found]):
    """What follows from a statement of a module alone, worked out once for each text that it is written in.

    The outputs of a cell, and the proposals of a repair, have most of their statements in common. Nothing that is
    worked out may hold a position. The oldest are forgotten.
    """

    def __init__(self, work: Callable[[ast.stmt], _Found], most: int = _MOST_STATEMENTS) -> None:
        self._work, self._most = work, most
        self._known: dict[str, _Found] = {}
        to_forget(self._known.clear)

    def of(self, parsed: Parsed) -> list[_Found]:
        """For each statement of the module."""
        known = self._known
        return [
            known[part] if part in known else self.at(parsed, number)
            for number, part in enumerate(parsed.parts)
        ]

    def at(self, parsed: Parsed, number: int) -> _Found:
        """For one statement of the module."""
        part = parsed.parts[number]
        return self._known[part] if part in self._known else self.one(part, parsed.statement(number))

    def one(self, part: str | None, statement: ast.stmt) -> _Found:
        """``part`` is what ``Parsed`` has for the statement."""
        if part is None:
            return self._work(statement)
        if part not in self._known:
            if len(self._known) >= self._most:
                del self._known[next(iter(self._known))]
            self._known[part] = self._work(statement)
        return self._known[part]

    def __contains__(self, part: str) -> bool:
        return part in self._known


def parse(source: str) -> ast.Module | None:
    """A tree of one's own, or None for whatever a model can write that is not Python."""
    found = _parsed(source)
    return None if found is None else found.tree


@lru_cache(maxsize=16)  # repair proposes, measures and takes the same text, one after the other
def read(source: str) -> Parsed | None:
    """As ``parse``, but the tree is shared with everyone who asks for it."""
    found = _pieced(source)
    return _shallow(found) if found is not None else _parsed(source)


def _parsed(source: str) -> Parsed | None:
    tree = _tree(source)
    if tree is None:
        return None
    return _shallow(Parsed(_parts(source, tree.body), tree.body.__getitem__))


def _shallow(found: Parsed) -> Parsed | None:
    found.depth = 1 + max(_DEPTH.of(found), default=0)
    return found if found.depth <= _DEEPEST else None


def _tree(source: str) -> ast.Module | None:
    with _room(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


# A row that a statement of the module may begin on, with its decorators.
_START = re.compile(r"^(?:@.*\n)*(?!(?:elif|else|except|finally)\b)[^\W\d]", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")  # the parser refuses them, in a comment too
_IDLE = re.compile(r"[ \t]*(?:#.*)?")  # a row without tokens, between statements


def _pieced(source: str) -> Parsed | None:
    """A program put together from statements; None where too few of them are known from other programs.

    Texts of whole rows that each parse, and end there, parse to the same statements one below the other. A row
    may be taken for a beginning that is none, as in a string: then the piece before it does not parse.
    """
    if any(mark in source for mark in "\r\f\0") or (not source.isascii() and _SURROGATE.search(source)):
        return None
    starts = [found.start() for found in _START.finditer(source)]
    pieces: list[tuple[str, int]] = []  # with the rows before it
    fresh = row = 0
    for start, end in pairwise((0, *starts, len(source))):
        piece = source[start:end]
        idle, part = _without_idle_rows(piece)
        if part:
            pieces.append((part, row + idle))
        if part.endswith("\\"):  # the next row would be part of it
            return None
        if part and part not in _DEPTH:
            fresh += len(part)
            if 2 * fresh > len(source) or _placed(*pieces[-1]) is None:
                return None
        row += piece.count("\n")

    def statement(number: int) -> ast.stmt:
        found = _placed(*pieces[number])
        assert found is not None, "a part that was read is a statement"
        return found

    def anywhere(number: int) -> ast.stmt:  # one of its own for each of those that are written alike
        return _unplaced(parts[number], parts[: number + 1].count(parts[number]))

    parts = [part for part, _ in pieces]
    return Parsed(parts, statement, anywhere=anywhere)


def _without_idle_rows(piece: str) -> tuple[int, str]:
    """Without the comments and blank rows at either end, and how many were at the beginning."""
    rows = piece.split("\n")
    first, last = 0, len(rows)
    while first < last and _IDLE.fullmatch(rows[first]):
        first += 1
    while first < last and _IDLE.fullmatch(rows[last - 1]):
        last -= 1
    return first, "\n".join(rows[first:last])


@remembered(512)  # most statements of a proposal stand where they stood
def _placed(part: str, row: int) -> ast.stmt | None:
    """The statement of that text below so many rows; None where it is not one, with all of its rows to itself."""
    source = "\n" * row + part
    tree = _tree(source)
    return tree.body[0] if tree is not None and _parts(source, tree.body) == [part] else None


@remembered(512)
def _unplaced(part: str, which: int) -> ast.stmt:
    """The statement of a text that was read, whatever row it stands on; ``which`` of those alike, from 1."""
    tree = _tree(part)
    assert tree is not None, "a part that was read is a statement"
    return tree.body[0]


def first_row(statement: ast.stmt) -> int:
    """Decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min(statement.lineno, *(one.lineno for one in decorators)) if decorators else statement.lineno


def _parts(source: str, body: Sequence[ast.stmt]) -> list[str | None]:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    parts: list[str | None] = []
    before = 0  # the last row of the statement before
    for statement, following in zip(body, (*body[1:], None), strict=False):
        first, last = first_row(statement), statement.end_lineno or 0
        alone = before < first and (following is None or last < following.lineno)
        plain = first == statement.lineno or lines[first - 1].startswith("@")
        parts.append("\n".join(lines[first - 1 : last]) if alone and plain else None)
        before = last
    return parts


_LEAVES = frozenset(
    ("id", "attr", "arg", "asname", "module", "level", "kind", "type_comment", "is_async", "rest")
)
# By kind of node, the fields that can hold nodes.
INNER: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _LEAVES and kind is not ast.Constant)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


@remembered(512)  # for the depth, then for the nodes
def _layers(statement: ast.stmt) -> Sequence[Sequence[ast.AST]]:
    """A statement layer by layer."""
    layers: list[list[ast.AST]] = []
    layer: list[ast.AST] = [statement]
    while layer:
        layers.append(layer)
        below: list[ast.AST] = []
        for node in layer:
            for name in INNER[type(node)]:
                value = getattr(node, name, None)
                if isinstance(value, ast.AST):
                    below.append(value)
                elif isinstance(value, list):
                    below += [one for one in value if isinstance(one, ast.AST)]
        layer = below
    return layers


_DEPTH = ByStatement(lambda statement: len(_layers(statement)))

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def _without_docstrings(tree: ast.Module) -> ast.Module:
    """A copy of the statements that hold others; the rest is shared with the tree that is given."""
    fresh = twin(tree)
    stack: list[ast.AST] = [fresh]
    while stack:
        node = stack.pop()
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if block:
                twins = [twin(one) if hasattr(one, "body") else one for one in block]
                setattr(node, name, twins)
                stack += (one for one in twins if hasattr(one, "body"))
        if isinstance(node, _DOCUMENTED) and node.body and _is_text(node.body[0]):
            del node.body[0]
            if not node.body and not isinstance(node, ast.Module):
                node.body.append(ast.Pass())
    return fresh


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


_TEXT = ByStatement(_is_text)


def normal_forms(source: str, keep: frozenset[str] = frozenset(), *, python: bool = True) -> Forms:
    """Every normal form of a program, read once. ``keep`` are names that callers use.

    Of another language only the text is known.
    """
    text = text_form(source)
    with forgetting(source), _room(), uncollected():
        found = read(source) if python else None
        if found is not None:
            try:
                return _tree_forms(source, text, found, keep)
            except (RecursionError, ValueError):  # what the interpreter itself will not print: huge numbers
                pass
    return Forms(text, text, text, text, f"text {signature(text)}", fallback=True)


def ast_form(source: str) -> str:
    """The normal form ``ast`` alone."""
    with _room():
        found = read(source)
        if found is not None:
            try:
                return _printed(found)
            except (RecursionError, ValueError):
                pass
    return text_form(source)


def _following(statement: ast.stmt) -> str:
    """As the interpreter prints it after another statement, with what it puts between them."""
    bare = _without_docstrings(ast.Module([ast.Pass(), statement], []))
    return ast.unparse(bare).removeprefix("pass")


_FOLLOWING = ByStatement(_following)
_DUMPED = ByStatement(ast.dump)
_OPEN, _CLOSE = ast.dump(ast.Module([ast.Pass()], [])).split("Pass()")  # what is around the statements


def _printed(parsed: Parsed) -> str:
    """Without docstrings: the prints of the statements, one after the other."""
    if _begins_with_text(parsed):
        return ast.unparse(_without_docstrings(parsed.tree))
    return "".join(_FOLLOWING.of(parsed)[parsed.documented :]).lstrip("\n")


def _begins_with_text(parsed: Parsed) -> bool:
    """Whether a text is first when the docstring is gone: the interpreter prints it as it prints a docstring."""
    return len(parsed.parts) > parsed.documented and _TEXT.at(parsed, int(parsed.documented))


_OUTLINES = ByStatement(  # fewer, because they hold trees
    lambda statement: outlined(_without_docstrings(ast.Module([ast.Pass(), statement], []))), most=512
)


def _numbered(parsed: Parsed, keep: frozenset[str]) -> str:
    """As ``_printed``, with variables numbered."""
    if not _begins_with_text(parsed):
        outlines = [one for one in _OUTLINES.of(parsed)[parsed.documented :] if one is not None]
        found = filled(outlines, keep) if len(outlines) + parsed.documented == len(parsed.parts) else None
        if found is not None:
            return found.lstrip("\n")
    return ast.unparse(alpha(_without_docstrings(parsed.tree), keep))


_layout = remembered(_MOST_STATEMENTS)(layout)  # of statements, which outputs have in common


def _laid_out(source: str, parts: Sequence[str | None]) -> str | None:
    """The layouts of the statements one below the other: what stands between them has no tokens."""
    laid_out = [None if part is None else _layout(part) for part in parts]
    found = [one for one in laid_out if one is not None]
    return "\n".join(found) if len(found) == len(parts) else layout(source)


def _tree_forms(source: str, text: str, parsed: Parsed, keep: frozenset[str]) -> Forms:
    body = ", ".join(_DUMPED.of(parsed))
    dumped = f"tree {signature(_OPEN + body + _CLOSE if body else ast.dump(parsed.tree))}"
    printed = _printed(parsed)
    names = _numbered(parsed, keep)
    laid_out = _laid_out(source, parsed.parts)
    return Forms(text, text if laid_out is None else laid_out, printed, names, dumped, fallback=False)
