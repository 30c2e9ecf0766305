"""A program on its way to the canon: its text and its tree, and the editing of the one by the other.

Positions in a tree are in UTF-8 bytes of a line; everything here is in characters of one text whose lines end in
LF. Rows count from 1, as the parser counts them.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from msgspec import Struct

from assay.instruments.repeatability.programs.parsing import Parsed, read
from assay.instruments.repeatability.programs.scopes import Names, analyse

from .trees import Key, exchanged_key, key, same_tree, tree_key

__all__ = ["Edit", "ProgramText", "Propose", "Removed", "Step", "replaced", "surviving", "without"]

MOST_EDITS = 40  # tried one by one when not all of them hold together

Edit = tuple[int, int, str]  # from, to (in characters), and what stands there instead
Placed = ast.expr | ast.stmt | ast.arg | ast.excepthandler | ast.pattern

_END = re.compile(r"[ \t\f]*;?[ \t\f]*(#.*)?$")
_INDENT = re.compile(r":[ \t]*(?:#.*)?\n([ \t]+)\S")  # of the first block
# A string may be read wrongly where quotes are nested in one: edits are read again, and then do not hold.
_MARK = re.compile(
    r"""#[^\n]*|(\"{3}|'{3})(?:\\.|(?!\1).)*\1|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)


class Comment(NamedTuple):
    row: int
    column: int
    text: str
    alone: bool  # on its row


class ProgramText:
    """A source text. ``keep`` are names that others call it by."""

    def __init__(self, source: str, keep: frozenset[str] = frozenset()) -> None:
        self.source, self.keep = source, keep
        self.lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.text = "\n".join(self.lines)
        self._keys: dict[bool, dict[ast.stmt, Key]] = {}

    @cached_property
    def read(self) -> Parsed | None:
        """None for what does not parse."""
        return read(self.source)

    @property
    def parsed(self) -> Parsed:
        """Only of a program that parses, as everything below."""
        assert self.read is not None, "only a program that parses is edited"
        return self.read

    @property
    def tree(self) -> ast.Module:
        """Never changed in place."""
        return self.parsed.tree

    @cached_property
    def names(self) -> Names:
        return analyse(self.tree, self.keep)

    @property
    def key(self) -> tuple[Key, ...]:
        return tree_key(self.parsed)

    def key_of(self, statement: ast.stmt, *, docstrings: bool) -> Key:
        """The key of a statement of this tree, worked out once: all outputs of a cell ask for those of the canon."""
        known = self._keys.setdefault(docstrings, {})
        if statement not in known:
            known[statement] = key(statement, docstrings=docstrings)
        return known[statement]

    @property
    def bare_key(self) -> tuple[Key, ...]:
        """Docstrings aside."""
        return tree_key(self.parsed, docstrings=False)

    @cached_property
    def starts(self) -> list[int]:
        """Where each row starts; the last entry is one beyond the text, so that every row has an end."""
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    # Where a node stands

    def at(self, row: int, byte: int) -> int:
        """A position of the tree, as one in the text."""
        line = self.lines[row - 1]
        column = byte if line.isascii() else len(line.encode()[:byte].decode(errors="replace"))
        return self.starts[row - 1] + column

    def span(self, node: Placed) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def written(self, node: Placed) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def rows(self, statement: ast.stmt) -> tuple[int, int]:
        """First and last row, decorators included."""
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        assert statement.end_lineno is not None
        return min(
            statement.lineno, *(one.lineno for one in decorators), statement.lineno
        ), statement.end_lineno

    def indent(self, statement: ast.stmt) -> str:
        line = self.lines[self.rows(statement)[0] - 1]
        return line[: len(line) - len(line.lstrip(" \t\f"))]

    @cached_property
    def unit(self) -> str:
        """How much deeper a block stands than what it belongs to."""
        found = _INDENT.search(self.text)
        return found[1] if found else "    "

    def starts_clean(self, statement: ast.stmt) -> bool:
        """Whether nothing but blanks stands before it on its row."""
        return not self.text[self.starts[statement.lineno - 1] : self.span(statement)[0]].strip()

    def ends_clean(self, statement: ast.stmt) -> bool:
        """Whether nothing but a comment stands after it on its row."""
        row = self.rows(statement)[1]
        return _END.match(self.text, self.span(statement)[1], self.starts[row] - 1) is not None

    def owns_rows(self, statement: ast.stmt) -> bool:
        return self.starts_clean(statement) and self.ends_clean(statement)

    def is_elif(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.If) and self.text.startswith("elif", self.span(statement)[0])

    # What stands between the nodes

    @cached_property
    def _marks(self) -> list[tuple[int, int]]:
        """Where comments and strings stand."""
        return [found.span() for found in _MARK.finditer(self.text)]

    @cached_property
    def string_rows(self) -> frozenset[int]:
        """Rows that begin inside a string: their first blanks are part of it."""
        return frozenset(
            row
            for start, end in self._marks
            if "\n" in self.text[start:end]
            for row in range(self._row(start) + 1, self._row(end) + 1)
        )

    @cached_property
    def comments(self) -> list[Comment]:
        if "#" not in self.text:
            return []
        found = []
        for start, end in self._marks:
            if self.text[start] == "#":
                row = self._row(start)
                column = start - self.starts[row - 1]
                alone = not self.lines[row - 1][:column].strip()
                found.append(Comment(row, column, self.text[start:end].strip(), alone))
        return found

    def _row(self, position: int) -> int:
        return bisect_right(self.starts, position)

    @cached_property
    def comment_rows(self) -> frozenset[int]:
        """Rows that hold a comment and nothing else."""
        return frozenset(comment.row for comment in self.comments if comment.alone)

    def above(self, row: int) -> int:
        """The first of the blank and comment rows directly above a row; the row itself if there is none."""
        while row > 1 and (row - 1 in self.comment_rows or not self.lines[row - 2].strip()):
            row -= 1
        return row

    # Edits

    def moved(self, first: int, last: int, old: str, new: str) -> list[str]:
        """Rows with another indentation; those that begin inside a string stay as they are."""
        if old == new:
            return self.lines[first - 1 : last]
        return [
            new + line[len(old) :]
            if row not in self.string_rows and line.startswith(old) and line.strip()
            else line
            for row, line in enumerate(self.lines[first - 1 : last], first)
        ]

    def row_edit(self, first: int, last: int, lines: Sequence[str]) -> Edit:
        """Rows put in the place of rows."""
        return self.starts[first - 1], self.starts[last] - 1, "\n".join(lines)

    def row_removal(self, first: int, last: int) -> Edit:
        """Rows taken out with their line ends."""
        return self.starts[first - 1], min(self.starts[last], len(self.text)), ""

    def blank_below(self, row: int) -> int:
        """The last of the blank rows directly below a row."""
        while row < len(self.lines) and not self.lines[row].strip():
            row += 1
        return row


def replaced(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; they may touch, not overlap."""
    parts: list[str] = []
    done = 0
    for start, end, new in sorted(edits):
        assert done <= start <= end, "edits overlap"
        parts += (text[done:start], new)
        done = end
    return "".join((*parts, text[done:]))


def surviving(text: str, groups: Sequence[Sequence[Edit]], holds: Callable[[str], bool]) -> str:
    """The text with every group of edits made, or with those that hold when added one after the other."""
    if not groups:
        return text
    whole = replaced(text, [edit for group in groups for edit in group])
    if holds(whole):
        return whole
    kept: list[Edit] = []
    for group in groups[:MOST_EDITS] if len(groups) > 1 else ():
        if holds(replaced(text, [*kept, *group])):
            kept += group
    return replaced(text, kept)


Removed = tuple[list[ast.stmt], ast.stmt]  # a statement, and the block that it stands in


def without(program: ProgramText, gone: Sequence[Removed]) -> str | None:
    """The program without some statements; those of the module go with the blank and comment rows above them.

    None where others share their rows. The text is read again, and must be the tree without them.
    """
    blocks: dict[int, list[ast.stmt]] = {}
    edits: list[Edit] = []
    for block, statement in gone:
        first, last = program.rows(statement)
        left = [one for one in blocks.get(id(block), block) if one is not statement]
        if block is program.tree.body:
            edits.append(program.row_removal(program.above(first), last))
        elif left:
            edits.append(program.row_removal(first, last))
        else:
            left = [ast.Pass()]
            edits.append((*program.span(statement), "pass"))
        blocks[id(block)] = left
    if not all(program.owns_rows(statement) for _, statement in gone):
        return None
    source = replaced(program.text, edits)
    return source if same_tree(source, exchanged_key(program.tree, blocks)) else None


Propose = Callable[[ProgramText, ProgramText], Iterator[str]]


class Step(Struct, frozen=True):
    """One kind of repair. ``propose(program, canon)`` yields sources that mean the same as ``program``.

    What it proposes must follow from the program alone being what it is: the canon only says which of the
    equivalent forms is wanted. Whether a proposal is taken is decided elsewhere: it must lie nearer to the canon
    at some level, farther at none, and pass the oracle again.
    """

    name: str
    about: str
    propose: Propose
    changes: Literal["text", "tree"] = (
        "tree"  # the least it changes: not worth trying once the trees are equal
    )
