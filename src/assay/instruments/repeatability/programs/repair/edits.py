"""Editing a program's text by its tree: where nodes stand, what a statement owns, and whether an edit held.

Positions in a tree are in UTF-8 bytes of a line; everything here is in characters of one text whose lines end in
LF. Rows count from 1, as the parser counts them.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, wraps
from tokenize import TokenInfo
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from assay.instruments.repeatability.programs.cache import remembered
from assay.instruments.repeatability.programs.normalisation import Parsed, first_row, read

from .keys import Documented, Flat, Key, docstring_of, key, same_tree, statement_key, statement_keys, tree_key
from .model import Program, Propose
from .tokens import Tokens, tokens_of

__all__ = [
    "MOST_EDITS",
    "MOST_PROPOSALS",
    "Definition",
    "Edit",
    "Key",
    "Sheet",
    "Words",
    "body_blocks",
    "definition_pairs",
    "docstring_of",
    "key",
    "matches",
    "proposes",
    "replaced",
    "same_tree",
    "sheet",
    "statement_keys",
    "surviving",
    "tokens_of",
    "tree_key",
]

MOST_PROPOSALS = 8  # of one step for one program
MOST_EDITS = 40  # tried one by one when not all of them hold together

Edit = tuple[int, int, str]  # from, to (in characters), and what stands there instead
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

_END = re.compile(r"[ \t\f]*;?[ \t\f]*(#.*)?$")
_STRING_STARTS = {getattr(tokenize, name, -2) for name in ("FSTRING_START", "TSTRING_START")}
_STRING_ENDS = {getattr(tokenize, name, -2) for name in ("FSTRING_END", "TSTRING_END")}
_STRINGS = frozenset((tokenize.STRING, *_STRING_STARTS, *_STRING_ENDS))
_COMMENTS = frozenset((tokenize.COMMENT,))


class Words(NamedTuple):
    """A pattern, and texts one of which is in all that it matches: most programs hold none of them."""

    hints: tuple[str, ...]
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, hints: str, pattern: str) -> Words:
        return cls(tuple(hints.split()), re.compile(pattern))

    def found(self, text: str) -> bool:
        return any(hint in text for hint in self.hints) and self.pattern.search(text) is not None


# A program that reads its own text or line numbers can see how it is laid out.
_READS_ITSELF = Words.of(
    "inspect linecache traceback getsource __file__ __loader__ __spec__ lineno",
    r"\b(inspect|linecache|traceback|getsource|__file__|__loader__|__spec__|\w*lineno)\b",
)
# A program that goes through a namespace can see what stands in it: docstrings and annotations too.
_SEES_NAMESPACES = Words.of(
    "vars dir globals locals eval exec metaclass __ class",
    r"\b(vars|dir|globals|locals|eval|exec|metaclass|__(dict|prepare|init_subclass|getattribute|build_class)__)\b"
    r"|class\s+\w+\s*\([^)]*\b(type|\w*Meta|EnumType)\b",
)
_READS_ATTRIBUTES = {"getattr": slice(1, 2), "hasattr": slice(1, 2), "attrgetter": slice(0, None)}


@remembered(512)  # proposals share the statements that they leave where they are
def _flat(top: ast.stmt, docstrings: bool) -> Flat:
    return Flat(top, docstrings=docstrings)


class Sheet:
    """A program's text and tree, with what is needed to edit the one by the other."""

    def __init__(self, source: str, parsed: Parsed, keep: frozenset[str]) -> None:
        self.parsed, self.tree, self.keep = parsed, parsed.tree, keep
        self.lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.text = "\n".join(self.lines)

    @property
    def nodes(self) -> list[ast.AST]:
        return self.parsed.nodes

    @cached_property
    def starts(self) -> list[int]:
        """Where each row starts; the last entry is one beyond the text, so that every row has an end."""
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @property
    def tokens(self) -> Tokens:
        return tokens_of(self.text)

    @property
    def key(self) -> Key:
        return tree_key(self.parsed)

    @property
    def bare_key(self) -> Key:
        """Docstrings aside."""
        return tree_key(self.parsed, docstrings=False)

    def key_of(self, statement: ast.stmt, *, docstrings: bool = True) -> Key:
        """The key of a statement of this tree: one of the module's, or a stretch of the key of one."""
        if statement in self._tops:
            return statement_key(self._tops[statement], statement, docstrings=docstrings)
        for top in self.tree.body:
            if top.lineno <= statement.lineno <= (top.end_lineno or 0):
                flat = _flat(top, docstrings)
                if statement in flat.spans:
                    return tuple(flat.items[slice(*flat.spans[statement])])
        return key(statement)  # a docstring, where docstrings are set aside

    @cached_property
    def _tops(self) -> dict[ast.stmt, str | None]:
        return dict(zip(self.tree.body, self.parsed.parts, strict=True))

    @cached_property
    def comments(self) -> list[TokenInfo]:
        return list(self.tokens.of(_COMMENTS)) if "#" in self.text else []

    @cached_property
    def comment_rows(self) -> frozenset[int]:
        """Rows that hold a comment and nothing else."""
        return frozenset(
            token.start[0] for token in self.comments if not token.line[: token.start[1]].strip()
        )

    @cached_property
    def inside(self) -> frozenset[int]:
        """Rows that begin inside a string: their first blanks are part of it."""
        rows: set[int] = set()
        opened: list[int] = []
        for token in self.tokens.of(_STRINGS):
            if token.type == tokenize.STRING:
                rows.update(range(token.start[0] + 1, token.end[0] + 1))
            elif token.type in _STRING_STARTS:
                opened.append(token.start[0])
            else:
                rows.update(range(opened.pop() + 1, token.end[0] + 1))
        return frozenset(rows)

    @cached_property
    def documented(self) -> bool:
        return any(docstring_of(node) is not None for node in self.nodes)

    @cached_property
    def reads_itself(self) -> bool:
        return self.mentions(_READS_ITSELF)

    @cached_property
    def sees_namespaces(self) -> bool:
        return self.mentions(_SEES_NAMESPACES) or self.reads_unknown_attributes

    @cached_property
    def reads_unknown_attributes(self) -> bool:
        """Whether it reads attributes whose names it does not spell out."""
        if not any(word in self.text for word in _READS_ATTRIBUTES):
            return False
        told = 0
        for node in self.nodes:
            if isinstance(node, ast.Call) and _reader_of(node.func):
                names = node.args[_READS_ATTRIBUTES[_reader_of(node.func)]]
                told += bool(names) and all(isinstance(one, ast.Constant) for one in names)
        return told < sum(bool(_reader_of(node)) for node in self.nodes)

    def mentions(self, words: Words) -> bool:
        return words.found(self.text)

    def at(self, row: int, byte: int) -> int:
        """A position of the tree, as one in the text."""
        line = self.lines[row - 1]
        column = byte if line.isascii() else len(line.encode()[:byte].decode())
        return self.starts[row - 1] + column

    def span(self, node: ast.expr | ast.stmt | ast.arg) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def written(self, node: ast.expr | ast.stmt | ast.arg) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def rows(self, statement: ast.stmt) -> tuple[int, int]:
        """First and last row, decorators included."""
        assert statement.end_lineno is not None
        return first_row(statement), statement.end_lineno

    def indent(self, statement: ast.stmt) -> str:
        line = self.lines[self.rows(statement)[0] - 1]
        return line[: len(line) - len(line.lstrip(" \t\f"))]

    def starts_clean(self, statement: ast.stmt) -> bool:
        """Whether nothing but blanks stands before it on its row."""
        line = self.starts[statement.lineno - 1]
        return not self.text[line : self.span(statement)[0]].strip()

    def ends_clean(self, statement: ast.stmt) -> bool:
        """Whether nothing but a comment stands after it on its row."""
        end = self.span(statement)[1]
        row = self.rows(statement)[1]
        return _END.match(self.text, end, self.starts[row] - 1) is not None

    def owns_rows(self, statement: ast.stmt) -> bool:
        return self.starts_clean(statement) and self.ends_clean(statement)

    def above(self, row: int) -> int:
        """The first of the blank and comment rows directly above a row; the row itself if there is none."""
        while row > 1 and (row - 1 in self.comment_rows or not self.lines[row - 2].strip()):
            row -= 1
        return row

    def commented(self, row: int) -> int:
        """The first of the comment rows directly above a row."""
        while row - 1 in self.comment_rows:
            row -= 1
        return row

    def row_edit(self, first: int, last: int, lines: Sequence[str]) -> Edit:
        """Rows put in the place of rows."""
        return self.starts[first - 1], self.starts[last] - 1, "\n".join(lines)

    def row_removal(self, first: int, last: int) -> Edit:
        """Rows taken out with their line ends."""
        return self.starts[first - 1], min(self.starts[last], len(self.text)), ""


def _reader_of(node: ast.AST) -> str:
    """``getattr`` and the like, by whatever way they are reached; empty for anything else."""
    name = getattr(node, "id", "") or getattr(node, "attr", "")
    return name if name in _READS_ATTRIBUTES else ""


@lru_cache(maxsize=16)  # every step asks for the sheets of the program and of the canon
def _sheet(source: str, keep: frozenset[str]) -> Sheet | None:
    found = read(source)
    return Sheet(source, found, keep) if found is not None else None


def sheet(source: str, keep: frozenset[str] = frozenset()) -> Sheet:
    """For a text that is known to parse."""
    found = _sheet(source, keep)
    assert found is not None, "only a program that parses is edited"
    return found


def proposes(find: Callable[[Sheet, Sheet], Iterator[str]]) -> Propose:
    """What every step owes: only for programs that parse, never the program itself, nothing twice, few."""

    @wraps(find)
    def propose(program: Program, canon: Program) -> Iterator[str]:
        if program.source == canon.source:
            return
        here, there = _sheet(program.source, program.keep), _sheet(canon.source, canon.keep)
        if here is None or there is None or here.text == there.text or here.reads_itself:
            return
        if not (here.tokens.known and there.tokens.known):
            return
        seen = {here.text}
        for source in find(here, there):
            if source not in seen:
                seen.add(source)
                yield source
                if len(seen) > MOST_PROPOSALS:
                    return

    return propose


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


_SIMPLE = frozenset((ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Continue, ast.Pass))


def body_blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """The lists of statements directly in a compound statement, always as many for the same kind of statement."""
    if type(node) in _SIMPLE:
        return [[], [], []]
    blocks: list[list[ast.stmt]] = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        blocks.append(part.body)
    return blocks


@remembered(512)  # those of the canon are asked for again and again
def _inner_definitions(node: ast.AST) -> Sequence[Definition]:
    found: list[Definition] = []
    waiting = [statement for block in body_blocks(node) for statement in block]
    for statement in waiting:
        if isinstance(statement, Definition):
            found.append(statement)
        else:
            waiting += (inner for block in body_blocks(statement) for inner in block)
    return sorted(found, key=lambda one: (one.lineno, one.col_offset))


@lru_cache(maxsize=4)  # two steps ask for those of the same two programs
def definition_pairs(mine: ast.Module, theirs: ast.Module) -> Sequence[tuple[Documented, Documented | None]]:
    """Every definition of a program beside that of the canon with its name, else that in its place, else None."""
    pairs: list[tuple[Documented, Documented | None]] = [(mine, theirs)]
    for node, fellow in pairs:
        inner = _inner_definitions(node)
        twins = _inner_definitions(fellow) if fellow is not None else []
        chosen: dict[Definition, Definition] = {}
        for same_name in (True, False):
            waiting: dict[object, deque[Definition]] = {}
            taken = set(chosen.values())
            for other in twins:
                if other not in taken:
                    waiting.setdefault(_kind(other, same_name), deque()).append(other)
            for one in inner:
                if one not in chosen and (fitting := waiting.get(_kind(one, same_name))):
                    chosen[one] = fitting.popleft()
        pairs += ((one, chosen.get(one)) for one in inner)
    return pairs


def _kind(definition: Definition, named: bool) -> tuple[bool, str]:
    return isinstance(definition, ast.ClassDef), definition.name if named else ""
