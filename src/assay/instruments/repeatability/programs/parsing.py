"""Programs read as syntax trees, piece by piece.

A piece is a run of whole rows that parses on its own, as a rule one statement of the module. The outputs of a cell
and the proposals of a repair have most pieces in common, so what follows from a piece alone is worked out once
(``PerPiece``). What is not Python, or nests more than 500 levels deep, has no tree.
"""

from __future__ import annotations

import ast
import gc
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

__all__ = ["LONG", "Parsed", "PerPiece", "Piece", "is_text", "parse", "read", "room", "uncollected"]

DEEPEST = 500
_ROOM = 20 * DEEPEST  # frames that printing or dumping the deepest tree may take, with plenty to spare
_LIMIT = threading.RLock()
_MOST_PIECES = 1_024
LONG = 5_000  # characters; longer pieces are rarely shared, and their trees take a hundred times the room

_Found = TypeVar("_Found")


@contextmanager
def room() -> Iterator[None]:
    """Room on the stack, so that what a program is read as never depends on how deep its reader stands."""
    with _LIMIT:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(before + _ROOM)
        try:
            yield
        finally:
            sys.setrecursionlimit(before)


@contextmanager
def uncollected() -> Iterator[None]:
    """The collector of cycles at rest, for bounded work that makes many objects but hardly a cycle, such as trees.

    They make the collector run again and again, and it finds nothing: a quarter of the time of repair.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def parse(source: str) -> ast.Module | None:
    """A tree of the caller's own; None for what has none."""
    found = _read_piece(source)
    return None if found is None else ast.Module(found.statements, [])


def _tree(source: str) -> ast.Module | None:
    with room(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


class Piece(NamedTuple):
    """Statements and all of their nodes, level by level. Rows count from the beginning; never changed in place."""

    statements: list[ast.stmt]
    nodes: list[ast.AST]


def _read_piece(text: str) -> Piece | None:
    tree = _tree(text)
    if tree is None:
        return None
    nodes: list[ast.AST] = []
    levels, level = 1, list[ast.AST](tree.body)
    while level:
        nodes += level
        levels += 1
        below: list[ast.AST] = []
        for node in level:
            for value in node.__dict__.values():
                if isinstance(value, ast.AST):
                    below.append(value)
                elif type(value) is list:
                    below += [one for one in value if isinstance(one, ast.AST)]
        level = below
    return Piece(tree.body, nodes) if levels <= DEEPEST else None


_piece = lru_cache(maxsize=256)(_read_piece)


class Parsed:
    """A program that parses. Its tree is shared with everyone who asks for it: it is never changed in place."""

    def __init__(self, source: str, pieces: Sequence[str]) -> None:
        self.source, self.pieces = source, pieces
        self._long: dict[int, Piece] = {}

    @cached_property
    def tree(self) -> ast.Module:
        """Made when it is asked for: most of what is proposed is measured and refused without it."""
        return self.fresh()

    @cached_property
    def documented(self) -> bool:
        """Whether the module has a docstring."""
        found = (self.piece(number).statements for number in range(len(self.pieces)))
        return is_text(next((one[0] for one in found if one), ast.Pass()))

    def fresh(self) -> ast.Module:
        """A tree of the caller's own."""
        tree = _tree(self.source)
        assert tree is not None, "a program whose pieces parse is one"
        return tree

    def piece(self, number: int) -> Piece:
        text = self.pieces[number]
        found = _piece(text) if len(text) <= LONG else self._long.get(number) or _read_piece(text)
        assert found is not None, "a piece that was read parses"
        if len(text) > LONG:
            self._long[number] = found
        return found


class PerPiece(Generic[_Found]):
    """What follows from a piece alone, wherever it stands. The oldest are forgotten."""

    def __init__(self, work: Callable[[Piece], _Found]) -> None:
        self._work = work
        self._known: dict[str, _Found] = {}

    def of(self, parsed: Parsed) -> list[_Found]:
        known = self._known
        return [
            known[piece] if piece in known else self._one(parsed, number)
            for number, piece in enumerate(parsed.pieces)
        ]

    def _one(self, parsed: Parsed, number: int) -> _Found:
        text, found = parsed.pieces[number], self._work(parsed.piece(number))
        if len(text) <= LONG:
            if len(self._known) >= _MOST_PIECES:
                del self._known[next(iter(self._known))]
            self._known[text] = found
        return found


@lru_cache(maxsize=_MOST_PIECES)
def _reads(text: str) -> bool:
    return (_piece if len(text) <= LONG else _read_piece)(text) is not None


@lru_cache(maxsize=16)  # repair proposes, measures and takes the same text, one after the other
def read(source: str) -> Parsed | None:
    """The program in its pieces, or as one piece where it cannot be cut; None for what has no tree.

    Texts of whole rows that each parse, and end there, parse to the same statements one below the other.
    """
    pieces = _cut(source)
    if len(pieces) > 1 and all(map(_reads, pieces)):
        return Parsed(source, pieces)
    return Parsed(source, (source,)) if _reads(source) else None


# A row that a statement of the module may begin on, or a decorator.
_START = re.compile(r"^(?:(?P<decorator>@.*)|(?!(?:elif|else|except|finally)\b)[^\W\d])", re.MULTILINE)
_UNCUT = re.compile(
    "[\r\f\0\ud800-\udfff]"
)  # other ends of rows, and what the parser refuses in a comment too


def _cut(source: str) -> tuple[str, ...]:
    """Pieces that may parse. A row may be taken for a beginning that is none, as in a string."""
    if _UNCUT.search(source):
        return (source,)
    cuts = (0, *(start for start in _starts(source) if start), len(source))
    return tuple(_without_idle_end(source[start:end]) for start, end in pairwise(cuts))


def _starts(source: str) -> Iterator[int]:
    """Where statements may begin, with their decorators. Every row is looked at once."""
    first, below = -1, -1  # the first of the decorators directly above, and the row that they end at
    for found in _START.finditer(source):
        start = found.start()
        if found["decorator"] is not None:
            first, below = first if start == below else start, found.end() + 1
        else:
            yield first if start == below else start


def _without_idle_end(piece: str) -> str:
    """Without the rows at its end that have no tokens."""
    end = len(piece)
    while (above := piece.rfind("\n", 0, end)) >= 0:
        row = piece[above + 1 : end].lstrip(" \t")
        if row and not row.startswith("#"):
            break
        end = above
    return piece[:end]


def is_text(statement: ast.stmt) -> bool:
    """Whether a statement is a text and nothing else, as a docstring is."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
