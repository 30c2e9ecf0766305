"""Editing a program's text by its tree: where nodes stand, what a statement owns, and whether an edit held.

Positions in a tree are in UTF-8 bytes of a line; everything here is in characters of one text whose lines end in
LF. Rows count from 1, as the parser counts them.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, wraps
from tokenize import TokenInfo

from rapidfuzz.distance import LCSseq

from assay.instruments.repeatability.normalisation import parse

from .model import Program, Propose

__all__ = [
    "MOST_EDITS",
    "MOST_PROPOSALS",
    "Definition",
    "Edit",
    "Key",
    "Sheet",
    "body_blocks",
    "definition_pairs",
    "docstring_of",
    "key",
    "matches",
    "proposes",
    "replaced",
    "same_tree",
    "sheet",
    "surviving",
]

MOST_PROPOSALS = 8  # of one step for one program
MOST_EDITS = 40  # tried one by one when not all of them hold together

Edit = tuple[int, int, str]  # from, to (in characters), and what stands there instead
Key = tuple[object, ...]
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

_END = re.compile(r"[ \t\f]*;?[ \t\f]*(#.*)?$")
_STRING_STARTS = {getattr(tokenize, name, -2) for name in ("FSTRING_START", "TSTRING_START")}
_STRING_ENDS = {getattr(tokenize, name, -2) for name in ("FSTRING_END", "TSTRING_END")}
# A program that reads its own text or line numbers can see how it is laid out.
_READS_ITSELF = re.compile(
    r"\b(inspect|linecache|traceback|getsource|__file__|__loader__|__spec__|\w*lineno)\b"
)


def docstring_of(node: ast.AST) -> ast.Expr | None:
    """The statement that is the docstring of a module, class or function."""
    if isinstance(node, Documented) and node.body:
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            return first if isinstance(first.value.value, str) else None
    return None


# Fields of each kind of node, last first; whether a name is read or bound follows from where it stands.
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in reversed(kind._fields) if name != "ctx")
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def key(node: ast.AST, *, docstrings: bool = True) -> Key:
    """Equal for equal trees, wherever they stand; flat, so that no depth of nesting is too deep for it."""
    out: list[object] = []
    stack: list[object] = [node]
    while stack:
        item = stack.pop()
        kind = type(item)
        fields = _FIELDS.get(kind)
        if fields is not None:
            out.append(kind)
            for name in fields:
                stack.append(getattr(item, name, None))
            if not docstrings and isinstance(item, Documented) and docstring_of(item) is not None:
                rest: list[ast.stmt] = item.body[1:]
                if not rest and not isinstance(item, ast.Module):
                    rest = [ast.Pass()]
                stack[-1 - item._fields.index("body")] = rest
        elif isinstance(item, list):
            out.append(len(item))
            stack.extend(reversed(item))
        else:  # by type too, and floats as they are written: 1, 1.0, True, 0.0 and -0.0 are all different
            out.append(kind)
            out.append(repr(item) if isinstance(item, float | complex) else item)
    return tuple(out)


def same_tree(source: str, wanted: Key, *, docstrings: bool = True) -> bool:
    """Whether a text parses, to the tree of that key."""
    tree = parse(source)
    return tree is not None and key(tree, docstrings=docstrings) == wanted


class Sheet:
    """A program's text and tree, with what is needed to edit the one by the other."""

    def __init__(self, source: str, tree: ast.Module, keep: frozenset[str]) -> None:
        self.tree, self.keep = tree, keep
        self.lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.text = "\n".join(self.lines)
        self._keys: dict[tuple[ast.AST, bool], Key] = {}

    @cached_property
    def starts(self) -> list[int]:
        """Where each row starts; the last entry is one beyond the text, so that every row has an end."""
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @cached_property
    def tokens(self) -> list[TokenInfo]:
        """Empty for the rare program that the parser reads and ``tokenize`` does not."""
        try:
            return list(tokenize.generate_tokens(io.StringIO(self.text).readline))
        except (tokenize.TokenError, SyntaxError):
            return []

    @property
    def key(self) -> Key:
        return self.key_of(self.tree)

    @property
    def bare_key(self) -> Key:
        """Docstrings aside."""
        return self.key_of(self.tree, docstrings=False)

    def key_of(self, node: ast.AST, *, docstrings: bool = True) -> Key:
        """The key of a node of this tree, worked out once."""
        if (node, docstrings) not in self._keys:
            self._keys[node, docstrings] = key(node, docstrings=docstrings)
        return self._keys[node, docstrings]

    @cached_property
    def comments(self) -> list[TokenInfo]:
        return [token for token in self.tokens if token.type == tokenize.COMMENT] if "#" in self.text else []

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
        for token in self.tokens:
            if token.type == tokenize.STRING:
                rows.update(range(token.start[0] + 1, token.end[0] + 1))
            elif token.type in _STRING_STARTS:
                opened.append(token.start[0])
            elif token.type in _STRING_ENDS:
                rows.update(range(opened.pop() + 1, token.end[0] + 1))
        return frozenset(rows)

    @cached_property
    def reads_itself(self) -> bool:
        return self.mentions(_READS_ITSELF)

    def mentions(self, words: re.Pattern[str]) -> bool:
        return words.search(self.text) is not None

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
        first = statement.lineno
        if isinstance(statement, Definition):
            first = min([first, *(one.lineno for one in statement.decorator_list)])
        assert statement.end_lineno is not None
        return first, statement.end_lineno

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


@lru_cache(maxsize=64)
def _read(source: str, keep: frozenset[str]) -> Sheet | None:
    tree = parse(source)
    return Sheet(source, tree, keep) if tree is not None else None


def sheet(source: str, keep: frozenset[str] = frozenset()) -> Sheet:
    """For a text that is known to parse."""
    read = _read(source, keep)
    assert read is not None, "only a program that parses is edited"
    return read


def proposes(find: Callable[[Sheet, Sheet], Iterator[str]]) -> Propose:
    """What every step owes: only for programs that parse, never the program itself, nothing twice, few."""

    @wraps(find)
    def propose(program: Program, canon: Program) -> Iterator[str]:
        if program.source == canon.source:
            return
        here, there = _read(program.source, program.keep), _read(canon.source, canon.keep)
        if here is None or there is None or here.text == there.text or here.reads_itself:
            return
        if not (here.tokens and there.tokens):
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


def body_blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """The lists of statements directly in a compound statement, always as many for the same kind of statement."""
    blocks: list[list[ast.stmt]] = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        blocks.append(part.body)
    return blocks


def _inner_definitions(node: ast.AST) -> list[Definition]:
    found: list[Definition] = []
    waiting = [statement for block in body_blocks(node) for statement in block]
    for statement in waiting:
        if isinstance(statement, Definition):
            found.append(statement)
        else:
            waiting += (inner for block in body_blocks(statement) for inner in block)
    return sorted(found, key=lambda one: (one.lineno, one.col_offset))


def definition_pairs(mine: ast.Module, theirs: ast.Module) -> list[tuple[Documented, Documented | None]]:
    """Every definition of a program beside that of the canon with its name, else that in its place, else None."""
    pairs: list[tuple[Documented, Documented | None]] = [(mine, theirs)]
    for node, twin in pairs:
        inner = _inner_definitions(node)
        twins = _inner_definitions(twin) if twin is not None else []
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
