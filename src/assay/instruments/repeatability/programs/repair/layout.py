"""The step ``layout``: what has the canon's tree is written as the canon writes it."""

from __future__ import annotations

import ast
import tokenize
from collections import Counter
from collections.abc import Iterator
from copy import copy
from functools import lru_cache

from .edits import (
    Definition,
    Edit,
    Key,
    Sheet,
    Words,
    body_blocks,
    key,
    matches,
    proposes,
    same_tree,
    sheet,
    surviving,
)

__all__ = ["propose_layout", "sees_docstrings"]

_DOCSTRINGS = Words.of(
    "__doc__ help doctest pydoc getdoc inspect", r"\b(__doc__|help|doctest|pydoc|getdoc|inspect)\b"
)
_INDENTS = frozenset((tokenize.INDENT,))


def sees_docstrings(where: Sheet) -> bool:
    """Whether a program may notice that a docstring is there or not."""
    return where.mentions(_DOCSTRINGS) or where.sees_namespaces


class _Layout:
    """Edits that lay out what a program and the canon have in common."""

    def __init__(self, here: Sheet, there: Sheet, *, docstrings: bool) -> None:
        self.here, self.there, self.docstrings = here, there, docstrings
        self.groups: list[list[Edit]] = []
        # A list instead of recursion: a long chain of ``elif`` is nested as deep as it is long.
        self.waiting: list[tuple[list[ast.stmt], list[ast.stmt]]] = [(here.tree.body, there.tree.body)]
        for mine, theirs in self.waiting:
            self._block(mine, theirs)
        self._ends()

    def _key(self, where: Sheet, statement: ast.stmt) -> Key:
        """An ``elif`` and an ``else`` with an ``if`` are one tree, but not to be put in each other's place."""
        elif_ = isinstance(statement, ast.If) and where.text.startswith("elif", where.span(statement)[0])
        return elif_, *where.key_of(statement, docstrings=self.docstrings)

    def _block(self, mine: list[ast.stmt], theirs: list[ast.stmt]) -> None:
        same = matches([self._key(self.here, s) for s in mine], [self._key(self.there, s) for s in theirs])
        runs: list[list[tuple[int, int]]] = []
        for i, j in same:
            if runs and runs[-1][-1] == (i - 1, j - 1):
                runs[-1].append((i, j))
            else:
                runs.append([(i, j)])
        for run in runs:
            self._run([(mine[i], theirs[j]) for i, j in run])
        i = j = 0
        for at, to in [*same, (len(mine), len(theirs))]:
            self._rest(mine[i:at], theirs[j:to])
            i, j = at + 1, to + 1

    def _run(self, run: list[tuple[ast.stmt, ast.stmt]]) -> None:
        """Neighbours with the same trees on both sides, from the first that starts its row on both."""
        while run and not (self.here.starts_clean(run[0][0]) and self.there.starts_clean(run[0][1])):
            run = run[1:]
        while run and not (self.here.ends_clean(run[-1][0]) and self.there.ends_clean(run[-1][1])):
            run = run[:-1]
        if run:
            (first, canon_first), (last, canon_last) = run[0], run[-1]
            self._rows(
                (self.here.rows(first)[0], self.here.rows(last)[1], self.here.indent(first)),
                (
                    self.there.rows(canon_first)[0],
                    self.there.rows(canon_last)[1],
                    self.there.indent(canon_first),
                ),
            )

    def _rows(self, mine: tuple[int, int, str], theirs: tuple[int, int, str]) -> None:
        """Rows of the canon for rows of the program, with the blank and comment rows above either."""
        here, there = self.here, self.there
        first, last = here.above(mine[0]), mine[1]
        old, new = theirs[2], mine[2]
        lines = []
        for row in range(there.above(theirs[0]), theirs[1] + 1):
            line = there.lines[row - 1]
            moved = old != new and row not in there.inside and line.startswith(old) and line.strip()
            lines.append(new + line[len(old) :] if moved else line)
        if lines != here.lines[first - 1 : last]:
            self.groups.append([here.row_edit(first, last, lines)])

    def _rest(self, mine: list[ast.stmt], theirs: list[ast.stmt]) -> None:
        """Statements whose trees differ: those of one kind and name may have parts in common."""
        kinds = [[(type(s), getattr(s, "name", None)) for s in side] for side in (mine, theirs)]
        for i, j in matches(*kinds):
            one, other = mine[i], theirs[j]
            blocks, canon_blocks = body_blocks(one), body_blocks(other)
            if not blocks[0]:
                continue
            self._header(one, other)
            self.waiting += zip(blocks, canon_blocks, strict=False)

    def _header(self, one: ast.stmt, other: ast.stmt) -> None:
        """From the first row to the one before the body, where that part has the same tree."""
        body, canon_body = body_blocks(one)[0], body_blocks(other)[0]
        clean = self.here.starts_clean(one) and self.here.starts_clean(body[0])
        if not (clean and self.there.starts_clean(other) and self.there.starts_clean(canon_body[0])):
            return
        if _header_key(one) != _header_key(other):
            return
        if self._key(self.here, one)[0] != self._key(self.there, other)[0]:
            return
        last, canon_last = self.here.rows(body[0])[0], self.there.rows(canon_body[0])[0]
        self._rows(
            (self.here.rows(one)[0], self.here.above(last) - 1, self.here.indent(one)),
            (self.there.rows(other)[0], self.there.above(canon_last) - 1, self.there.indent(other)),
        )

    def _ends(self) -> None:
        """What stands below the last statement."""
        mine, theirs = self.here.tree.body, self.there.tree.body
        if mine and theirs and self._key(self.here, mine[-1]) == self._key(self.there, theirs[-1]):
            last, canon_last = self.here.rows(mine[-1])[1], self.there.rows(theirs[-1])[1]
            tail = "".join("\n" + line for line in self.there.lines[canon_last:])
            start = self.here.starts[last] - 1
            if self.here.text[start:].rstrip() != tail.rstrip():
                self.groups.append([(start, len(self.here.text), tail)])


def _header_key(statement: ast.stmt) -> Key:
    """The key of what a compound statement is without what it contains."""
    head = copy(statement)
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        if hasattr(head, name):
            setattr(head, name, [])
    return key(head)


def _unit(where: Sheet) -> str:
    return next((token.string for token in where.tokens.of(_INDENTS)), "")


def _reindented(here: Sheet, there: Sheet) -> str:
    """The program with the canon's indentation; rows inside strings stay as they are."""
    unit = _unit(there)
    if not unit or _unit(here) in ("", unit):
        return here.text
    new_indents: dict[int, tuple[str, str]] = {}  # by row: the old and the new indentation of its statement
    known: dict[str, str] = {"": ""}
    depth, fresh = 0, True
    for token in here.tokens.all:
        if token.type in (tokenize.INDENT, tokenize.DEDENT):
            depth += 1 if token.type == tokenize.INDENT else -1
        elif token.type == tokenize.NEWLINE:
            fresh = True
        elif token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER):
            line = here.lines[token.start[0] - 1]
            if fresh:
                old = line[: token.start[1]]
                known[old] = unit * depth
            new_indents.update(dict.fromkeys(range(token.start[0], token.end[0] + 1), (old, unit * depth)))
            fresh = False
    for row in here.comment_rows:
        line = here.lines[row - 1]
        old = line[: len(line) - len(line.lstrip())]
        if row not in new_indents and old in known:
            new_indents[row] = old, known[old]
    lines = list(here.lines)
    for row, (old, new) in new_indents.items():
        if row not in here.inside and lines[row - 1].startswith(old):
            lines[row - 1] = new + lines[row - 1][len(old) :]
    source = "\n".join(lines)
    return source if same_tree(source, here.key) else here.text


Place = tuple[str, bool, bool, bool]


def _places(where: Sheet) -> Iterator[tuple[Place, int, int, int]]:
    """Every statement with a row of its own: what kind of place it has, the first row of what stands above it,
    how many of those rows are blank, and its own. Only where all blank rows come before all comments."""
    waiting: list[ast.AST] = [where.tree]
    for node in waiting:
        for block in body_blocks(node):
            before: ast.stmt | None = None
            for statement in block:
                row = where.rows(statement)[0]
                above = where.above(row)
                blank = where.commented(row) - above
                if where.starts_clean(statement) and not any(
                    line.strip() for line in where.lines[above - 1 : above - 1 + blank]
                ):
                    kind = type(node).__name__ if isinstance(node, ast.Module | ast.ClassDef) else "inner"
                    defines = isinstance(statement, Definition), isinstance(before, Definition)
                    yield (kind, before is None, *defines), above, blank, row
                before = statement
            waiting += block


@lru_cache(maxsize=4)  # all outputs of a cell are laid out as the same canon
def _usual(where: Sheet) -> dict[Place, int]:
    """By kind of place, how many blank rows there mostly are."""
    counts: dict[Place, Counter[int]] = {}
    for place, _, blank, _ in _places(where):
        counts.setdefault(place, Counter())[blank] += 1
    return {place: min(found, key=lambda blank: (-found[blank], blank)) for place, found in counts.items()}


def _spaced(here: Sheet, there: Sheet) -> str:
    """The program with as many blank rows above what is not the canon's as the canon mostly has in such a place."""
    usual = _usual(there)
    as_canon = {line.strip() for line in there.lines}
    groups: list[list[Edit]] = []
    for place, above, blank, row in _places(here):
        if place in usual and here.lines[row - 1].strip() not in as_canon:
            start = here.starts[above - 1]
            if usual[place] != blank:
                groups.append([(start, here.starts[above - 1 + blank], "\n" * usual[place])])
    return surviving(here.text, groups, lambda source: same_tree(source, here.key))


@proposes
def propose_layout(here: Sheet, there: Sheet) -> Iterator[str]:
    """The canon's writing of every statement that is the canon's; else its indentation and blank rows."""
    docstrings = sees_docstrings(here)
    own = here.key if docstrings else here.bare_key
    if own == (there.key if docstrings else there.bare_key):
        yield there.text
        return

    def holds(source: str) -> bool:
        return same_tree(source, own, docstrings=docstrings)

    indented = _reindented(here, there)
    base = here if indented == here.text else sheet(indented)
    laid_out = surviving(indented, _Layout(base, there, docstrings=docstrings).groups, holds)
    yield laid_out
    spaced = _spaced(base if laid_out == indented else sheet(laid_out), there)
    if spaced != laid_out:
        yield spaced
    yield indented
