"""Steps that change how a program is written, not what it does: formatting, docstrings, comments.

Each proposal is read again and must have the program's own tree; where nothing of the program can see docstrings,
docstrings aside.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy

from rapidfuzz.distance import LCSseq

from .program import Edit, ProgramText, surviving
from .reflection import sees_docstrings
from .trees import Key, body_blocks, definition_pairs, docstring_of, key, same_tree

__all__ = ["matches", "propose_comments", "propose_docstrings", "propose_formatting"]


# Formatting


def propose_formatting(here: ProgramText, there: ProgramText) -> Iterator[str]:
    """The canon's writing of every statement that is the canon's."""
    docstrings = sees_docstrings(here.parsed)
    own = here.key if docstrings else here.bare_key
    if own == (there.key if docstrings else there.bare_key):
        yield there.text
        return
    groups = _Formatting(here, there, docstrings=docstrings).groups
    if groups:
        yield surviving(here.text, groups, lambda source: same_tree(source, own, docstrings=docstrings))


class _Formatting:
    """Edits that write what a program and the canon have in common as the canon does."""

    def __init__(self, here: ProgramText, there: ProgramText, *, docstrings: bool) -> None:
        self.here, self.there, self.docstrings = here, there, docstrings
        self.groups: list[list[Edit]] = []
        # A list instead of recursion: a long chain of ``elif`` is nested as deep as it is long.
        self.waiting: list[tuple[list[ast.stmt], list[ast.stmt]]] = [(here.tree.body, there.tree.body)]
        for mine, theirs in self.waiting:
            self._block(mine, theirs)
        self._ends()

    def _key(self, where: ProgramText, statement: ast.stmt) -> Key:
        """An ``elif`` and an ``else`` with an ``if`` are one tree, but not to be put in each other's place."""
        return where.is_elif(statement), *where.key_of(statement, docstrings=self.docstrings)

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
        here, there = self.here, self.there
        while run and not (here.starts_clean(run[0][0]) and there.starts_clean(run[0][1])):
            run = run[1:]
        while run and not (here.ends_clean(run[-1][0]) and there.ends_clean(run[-1][1])):
            run = run[:-1]
        if run:
            (first, canon_first), (last, canon_last) = run[0], run[-1]
            self._rows(
                (here.rows(first)[0], here.rows(last)[1], here.indent(first)),
                (there.rows(canon_first)[0], there.rows(canon_last)[1], there.indent(canon_first)),
            )

    def _rows(self, mine: tuple[int, int, str], theirs: tuple[int, int, str]) -> None:
        """Rows of the canon for rows of the program, with the blank and comment rows above either."""
        first, last, indent = mine
        above = self.here.above(first)
        lines = self.there.moved(self.there.above(theirs[0]), theirs[1], theirs[2], indent)
        if lines != self.here.lines[above - 1 : last]:
            self.groups.append([self.here.row_edit(above, last, lines)])

    def _rest(self, mine: list[ast.stmt], theirs: list[ast.stmt]) -> None:
        """Statements whose trees differ: those of one kind and name may have parts in common."""
        kinds = [[(type(s), getattr(s, "name", None)) for s in side] for side in (mine, theirs)]
        for i, j in matches(*kinds) if mine and theirs else ():
            one, other = mine[i], theirs[j]
            blocks, canon_blocks = body_blocks(one), body_blocks(other)
            if blocks[0]:
                self._header(one, other)
                self.waiting += zip(blocks, canon_blocks, strict=False)

    def _header(self, one: ast.stmt, other: ast.stmt) -> None:
        """From the first row to the one before the body, where that part has the same tree."""
        here, there = self.here, self.there
        body, canon_body = body_blocks(one)[0], body_blocks(other)[0]
        clean = here.starts_clean(one) and here.starts_clean(body[0])
        if not (clean and there.starts_clean(other) and there.starts_clean(canon_body[0])):
            return
        if _header_key(one) != _header_key(other) or here.is_elif(one) != there.is_elif(other):
            return
        last, canon_last = here.rows(body[0])[0], there.rows(canon_body[0])[0]
        self._rows(
            (here.rows(one)[0], here.above(last) - 1, here.indent(one)),
            (there.rows(other)[0], there.above(canon_last) - 1, there.indent(other)),
        )

    def _ends(self) -> None:
        """What stands below the last statement."""
        here, there = self.here, self.there
        mine, theirs = here.tree.body, there.tree.body
        if mine and theirs and self._key(here, mine[-1]) == self._key(there, theirs[-1]):
            last, canon_last = here.rows(mine[-1])[1], there.rows(theirs[-1])[1]
            tail = "".join("\n" + line for line in there.lines[canon_last:])
            start = here.starts[last] - 1
            if here.text[start:].rstrip() != tail.rstrip():
                self.groups.append([(start, len(here.text), tail)])


def _header_key(statement: ast.stmt) -> Key:
    """The key of what a compound statement is without what it contains."""
    head = copy(statement)
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        if hasattr(head, name):
            setattr(head, name, [])
    return key(head)


def matches(mine: Sequence[Key], theirs: Sequence[Key]) -> list[tuple[int, int]]:
    """Places of a longest common subsequence."""
    numbers: dict[Key, int] = {}
    x, y = ([numbers.setdefault(one, len(numbers)) for one in side] for side in (mine, theirs))
    return [
        (block.src_start + step, block.dest_start + step)
        for block in LCSseq.opcodes(x, y)
        if block.tag == "equal"
        for step in range(block.src_end - block.src_start)
    ]


# Docstrings


def propose_docstrings(here: ProgramText, there: ProgramText) -> Iterator[str]:
    """Docstrings as the matching definitions of the canon have them, or none where they have none."""
    if sees_docstrings(here.parsed):
        return
    pairs = definition_pairs(here.tree, there.tree)
    plain = there.key == there.bare_key
    removals: list[list[Edit]] = []
    others: list[list[Edit]] = []
    for node, twin in pairs:
        own, wanted = docstring_of(node), docstring_of(twin) if twin is not None else None
        if own is None and wanted is not None:
            insertion = _insertion(here, there, node.body, wanted)
            if insertion is not None:
                others.append([insertion])
        elif own is not None and wanted is not None:
            if here.written(own) != there.written(wanted):
                others.append([(*here.span(own), there.written(wanted))])
        elif own is not None and (twin is not None or plain):
            removals.append([_removal(here, node.body, module=isinstance(node, ast.Module))])

    def holds(source: str) -> bool:
        return same_tree(source, here.bare_key, docstrings=False)

    for groups in ([*removals, *others], *([removals, others] if removals and others else [])):
        if groups:
            yield surviving(here.text, groups, holds)


def _removal(here: ProgramText, body: list[ast.stmt], *, module: bool) -> Edit:
    docstring = body[0]
    start, end = here.span(docstring)
    if len(body) == 1 and not module:
        return start, end, "pass"
    if not here.owns_rows(docstring):
        return start, here.span(body[1])[0] if len(body) > 1 else end, ""
    first, last = here.rows(docstring)
    return here.row_removal(first, here.blank_below(last))


def _insertion(
    here: ProgramText, there: ProgramText, body: list[ast.stmt], docstring: ast.Expr
) -> Edit | None:
    """The canon's docstring above the first statement, with as many blank rows below it."""
    if not body:
        return 0, 0, there.written(docstring) + "\n"
    if not here.starts_clean(body[0]):
        return None
    last = there.rows(docstring)[1]
    blank = there.blank_below(last) - last
    start = here.starts[here.above(here.rows(body[0])[0]) - 1]
    return start, start, here.indent(body[0]) + there.written(docstring) + "\n" * (1 + blank)


# Comments


def propose_comments(here: ProgramText, there: ProgramText) -> Iterator[str]:
    """Without the comments that the canon does not have, and without any."""
    wanted = Counter(comment.text for comment in there.comments)
    every: list[list[Edit]] = []
    foreign: list[list[Edit]] = []
    for row, column, text, alone in here.comments:
        if alone:
            edit = here.row_removal(row, row)
        else:
            before = len(here.lines[row - 1][:column].rstrip())
            edit = here.starts[row - 1] + before, here.starts[row] - 1, ""
        every.append([edit])
        if wanted[text] > 0:
            wanted[text] -= 1
        else:
            foreign.append([edit])
    for groups in filter(None, (foreign, every)):
        yield surviving(here.text, groups, lambda source: same_tree(source, here.key))
