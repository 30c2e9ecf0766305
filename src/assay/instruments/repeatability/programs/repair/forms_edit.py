"""Rewrites of parts of a program's text that leave the layout of everything else as it is.

A rewrite names nodes of the program's tree and what stands in their place. New nodes may hold nodes of the old
tree: these keep the text they were written in. The result is read again, and is given only when its tree is
exactly the tree that was meant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, product
from typing import NamedTuple

from assay.instruments.repeatability.programs.names import same_tree
from assay.instruments.repeatability.programs.normalisation import Parsed, parse, read

__all__ = ["Rewrite", "Sheet", "blocks_of"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")  # as the parser counts lines: a form feed ends none
_BARE = re.compile(r"= \((.*)\)$")  # ``a, b = (1, 2)``, as the interpreter prints it
_SEMICOLON = re.compile(r"[ \t]*;[ \t]*")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPOUND = (
    *_DEFINITIONS,
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.Match,
)
_LITERAL = (ast.Constant, ast.JoinedStr)


class Rewrite(NamedTuple):
    """``old`` is one expression, or consecutive statements of one block; ``new`` takes its place."""

    old: tuple[ast.AST, ...]
    new: tuple[ast.AST, ...]
    unit: int = 0  # the function of the program it lies in, as the facts count them


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


class _UnprintableError(Exception):
    """The new statements do not fit where the old ones stand, such as a loop after a semicolon."""


class Sheet:
    """A program's text and tree, with where each statement stands."""

    def __init__(self, source: str, parsed: Parsed) -> None:
        self.source, self.parsed, self.tree = source, parsed, parsed.tree

    @property
    def nodes(self) -> list[ast.AST]:
        return self.parsed.nodes

    @cached_property
    def lines(self) -> list[str]:
        return _LINE.findall(self.source)

    @cached_property
    def starts(self) -> list[int]:
        return [0, *accumulate(map(len, self.lines))]

    @cached_property
    def newline(self) -> str:
        ends = (line[len(line.rstrip("\r\n")) :] for line in self.lines)
        return next((end for end in ends if end), "\n")

    @cached_property
    def known(self) -> set[int]:
        return {id(node) for node in self.nodes}

    @cached_property
    def after(self) -> dict[int, ast.stmt | None]:
        """Of each statement, the next one in its block."""
        return {
            id(one): following
            for node in self.nodes
            for block in blocks_of(node)
            for one, following in zip(block, (*block[1:], None), strict=True)
        }

    @cached_property
    def literal_lines(self) -> set[int]:
        """Lines that begin inside a string."""
        literals = [node for node in self.nodes if isinstance(node, _LITERAL)]
        return {line for one in literals for line in range(one.lineno + 1, (one.end_lineno or 0) + 1)}

    @cached_property
    def step(self) -> str:
        """How much deeper a block stands than what it belongs to."""
        for node in self.nodes:
            if not isinstance(node, ast.stmt):
                continue
            for block in blocks_of(node) if self._own_lines(node) else ():
                outer, inner = self._indent(node), self._indent(block[0])
                if self._own_lines(block[0]) and inner.startswith(outer) and inner != outer:
                    return inner.removeprefix(outer)
        return "    "

    @cached_property
    def hole(self) -> str:
        """A name that the program does not have."""
        hole = "hole_"
        while hole in self.source:
            hole += "_"
        return hole

    # Where a node stands

    def _offset(self, line: int, column: int) -> int:
        """``column`` counts bytes of UTF-8, as the parser does."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return self.starts[line - 1] + len(text.encode()[:column].decode(errors="replace"))

    def span(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._offset(node.lineno, node.col_offset)
        if isinstance(node, _DEFINITIONS) and node.decorator_list:
            first = node.decorator_list[0]
            start = self.source.rfind("@", 0, self._offset(first.lineno, first.col_offset))
        return start, self._offset(node.end_lineno, node.end_col_offset)

    def extent(self, rewrite: Rewrite) -> tuple[int, int]:
        """From where to where the old nodes stand."""
        first, last = rewrite.old[0], rewrite.old[-1]
        assert isinstance(first, ast.stmt | ast.expr)
        assert isinstance(last, ast.stmt | ast.expr)
        return self.span(first)[0], self.span(last)[1]

    def _line_of(self, offset: int) -> int:
        """The number, from 1, of the line that holds the character."""
        low, high = 0, len(self.starts) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.starts[middle] <= offset else (low, middle)
        return low + 1

    def _before(self, node: ast.stmt) -> str:
        start = self.span(node)[0]
        return self.source[self.starts[self._line_of(start) - 1] : start]

    def _behind(self, node: ast.stmt) -> str:
        end = self.span(node)[1]
        return self.source[end : self.starts[self._line_of(max(end - 1, 0))]].strip()

    def _begins_line(self, node: ast.stmt) -> bool:
        return not self._before(node).strip()

    def _ends_line(self, node: ast.stmt) -> bool:
        return self._behind(node)[:1] in ("", "#")

    def _own_lines(self, node: ast.stmt) -> bool:
        return self._begins_line(node) and self._ends_line(node)

    def _indent(self, node: ast.stmt) -> str:
        return self._before(node)

    # What is written in its place

    def apply(self, rewrites: Sequence[Rewrite]) -> str | None:
        """The text with all of them made, or None when it cannot be written as it is meant."""
        wanted = _replaced(self.tree, rewrites)
        for kept, wrapped in ((True, False), (True, True), (False, False)):
            try:
                edits = sorted((self._edit(one, kept, wrapped) for one in rewrites), reverse=True)
            except _UnprintableError:
                continue
            text = self.source
            for edit in edits:
                text = text[: edit.start] + edit.text + text[edit.end :]
            found = read(text)
            if found is not None and self._is(found, wanted):
                return text
        return None

    def _is(self, found: Parsed, wanted: ast.Module) -> bool:
        """Whether that tree was meant. A statement that stays, in the words it had, need not be gone through."""
        if len(found.parts) != len(wanted.body):
            return False
        words = dict(zip(self.tree.body, self.parsed.parts, strict=True))
        return all(
            (part is not None and words.get(meant) == part) or same_tree(found.statement(number), meant)
            for number, (part, meant) in enumerate(zip(found.parts, wanted.body, strict=True))
        )

    def _edit(self, rewrite: Rewrite, kept: bool, wrapped: bool) -> _Edit:
        first = rewrite.old[0]
        if isinstance(first, ast.expr):
            text = self.say(rewrite.new[0])
            return _Edit(*self.span(first), f"({text})" if wrapped else text)
        old = [node for node in rewrite.old if isinstance(node, ast.stmt)]
        new = [node for node in rewrite.new if isinstance(node, ast.stmt)]
        return self._edit_statements(*self._trimmed(old, new), kept)

    def _trimmed(self, old: list[ast.stmt], new: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Without the statements at either end that stay, but for one where nothing else says where to write."""
        head = 0
        while head < min(len(old), len(new)) and old[head] is new[head]:
            head += 1
        tail = 0
        while tail < min(len(old), len(new)) - head and old[-1 - tail] is new[-1 - tail]:
            tail += 1
        gone = old[head : len(old) - tail]
        if not gone:
            head, tail = (head - 1, tail) if head else (head, max(tail - 1, 0))
        return old[head : len(old) - tail], new[head : len(new) - tail]

    def _edit_statements(self, old: list[ast.stmt], new: list[ast.stmt], kept: bool) -> _Edit:
        start, end = self.span(old[0])[0], self.span(old[-1])[1]
        first, last = self._line_of(start), self._line_of(end - 1)
        if not (self._begins_line(old[0]) and self._ends_line(old[-1])):
            if not new:
                return self._cut(start, end)
            if any(isinstance(node, _COMPOUND) for node in new):
                raise _UnprintableError
            return _Edit(start, end, "; ".join(self._inline(node, kept) for node in new))
        indent = self._indent(old[0])
        if not new:
            return _Edit(self.starts[first - 1], self.starts[last], "")
        if self._is_elif(old[0]):
            lines = self._otherwise(new, indent, first, kept)
        else:
            lines = self._block(new, indent, first, kept)
        return _Edit(self.starts[first - 1], end, self.newline.join(lines))

    def _cut(self, start: int, end: int) -> _Edit:
        """One of several statements on a line goes with its semicolon."""
        behind = _SEMICOLON.match(self.source, end)
        if behind:
            return _Edit(start, behind.end(), "")
        before = self.source[:start].rstrip(" \t")
        if not before.endswith(";"):
            raise _UnprintableError
        return _Edit(len(before) - 1, end, "")

    def _is_elif(self, node: ast.stmt) -> bool:
        return isinstance(node, ast.If) and self.source.startswith("elif", self.span(node)[0])

    def _inline(self, node: ast.stmt, kept: bool) -> str:
        if kept and id(node) in self.known:
            start, end = self.span(node)
            return self.source[start:end]
        return self.say(node) if kept else ast.unparse(node)

    def _block(self, nodes: Sequence[ast.stmt], indent: str, floor: int, kept: bool) -> list[str]:
        lines: list[str] = []
        for run in self._runs(nodes) if kept else [[node] for node in nodes]:
            if not kept:
                lines += [
                    indent + line for line in ast.unparse(ast.fix_missing_locations(run[0])).split("\n")
                ]
            elif id(run[0]) in self.known and self._own_lines(run[0]):
                lines += self._moved(run, indent, floor)
            elif isinstance(run[0], (ast.If, ast.For)):
                lines += self._compound(run[0], indent, floor)
            else:
                lines.append(indent + self._inline(run[0], kept))
        return lines

    def _runs(self, nodes: Sequence[ast.stmt]) -> Iterator[list[ast.stmt]]:
        """Statements that stood together stay together, with what stands between them."""
        run: list[ast.stmt] = []
        for node in nodes:
            together = run and self.after.get(id(run[-1])) is node
            if together and self._own_lines(run[-1]) and self._own_lines(node):
                run.append(node)
                continue
            if run:
                yield run
            run = [node]
        if run:
            yield run

    def _moved(self, run: Sequence[ast.stmt], indent: str, floor: int) -> list[str]:
        base = self._indent(run[0])
        first, last = self._line_of(self.span(run[0])[0]), self._line_of(self.span(run[-1])[1] - 1)
        while first - 1 > floor and self.lines[first - 2].startswith(base + "#"):
            first -= 1  # the comment above goes along
        lines = []
        for number in range(first, last + 1):
            line = self.lines[number - 1].rstrip("\r\n")
            if number not in self.literal_lines and line.strip():
                line = indent + (line[len(base) :] if line.startswith(base) else line.lstrip())
            lines.append(line)
        if self._is_elif(run[0]):
            lines = [
                line.replace(indent + "elif", indent + "if", 1) if i == 0 else line
                for i, line in enumerate(lines)
            ]
        return lines

    def _compound(self, node: ast.If | ast.For, indent: str, floor: int) -> list[str]:
        if isinstance(node, ast.If):
            head = f"{indent}if {self.say(node.test)}:"
        else:
            head = f"{indent}for {self.say(node.target)} in {self.say(node.iter)}:"
        lines = [head, *self._block(node.body, indent + self.step, floor, True)]
        return lines + (self._otherwise(node.orelse, indent, floor, True) if node.orelse else [])

    def _otherwise(self, nodes: Sequence[ast.stmt], indent: str, floor: int, kept: bool) -> list[str]:
        if len(nodes) == 1 and isinstance(nodes[0], ast.If):
            lines = self._block(nodes, indent, floor, kept)
            if lines[0].startswith(indent + "if"):
                return [f"{indent}el{lines[0].removeprefix(indent)}", *lines[1:]]
        return [f"{indent}else:", *self._block(nodes, indent + self.step, floor, kept)]

    def say(self, node: ast.AST) -> str:
        """An expression or simple statement, its old parts as they were written."""
        if isinstance(node, ast.expr) and id(node) in self.known:
            start, end = self.span(node)
            text = self.source[start:end]
            return text if len(text.splitlines()) == 1 or parse(text) is not None else f"({text})"
        parts: list[ast.expr] = []
        outline = ast.unparse(ast.fix_missing_locations(self._outlined(node, parts)))
        wanted = ast.dump(node)
        for form, written in product(("{}", "({})"), (_BARE.sub(r"= \1", outline), outline)):
            text = self._filled(written, parts, form)
            tree = parse(text)
            if tree is not None and len(tree.body) == 1:
                found = tree.body[0]
                if wanted in (
                    ast.dump(found),
                    ast.dump(found.value) if isinstance(found, ast.Expr) else None,
                ):
                    return text
        return ast.unparse(ast.fix_missing_locations(node))

    def _filled(self, outline: str, parts: Sequence[ast.expr], form: str) -> str:
        for number, part in reversed(list(enumerate(parts))):
            start, end = self.span(part)
            plain = isinstance(part, ast.Name | ast.Constant)
            text = self.source[start:end]
            outline = outline.replace(f"{self.hole}{number}", text if plain else form.format(text))
        return outline

    def _outlined(self, node: ast.AST, parts: list[ast.expr]) -> ast.AST:
        if isinstance(node, ast.expr) and not isinstance(node, ast.Starred) and id(node) in self.known:
            parts.append(node)
            return ast.Name(f"{self.hole}{len(parts) - 1}", ast.Load())
        fields: dict[str, object] = {}
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                value = [self._outlined(one, parts) if isinstance(one, ast.AST) else one for one in value]
            elif isinstance(value, ast.AST):
                value = self._outlined(value, parts)
            fields[name] = value
        return type(node)(**fields)


def blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of statements that belong to a node itself."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield block


def _replaced(tree: ast.Module, rewrites: Iterable[Rewrite]) -> ast.Module:
    """The tree that is meant; what does not change is shared with the old one."""
    table = _Table({}, set())
    for old, new, _ in rewrites:
        table.new.update({id(node): () for node in old})
        table.new[id(old[0])] = new
        table.lines.update(node.lineno for node in old if isinstance(node, ast.stmt | ast.expr))
    fresh = _copied(tree, table)
    assert isinstance(fresh, ast.Module)
    return fresh


class _Table(NamedTuple):
    """What stands in the place of nodes, and the lines that those begin on."""

    new: dict[int, tuple[ast.AST, ...]]
    lines: set[int]

    def beyond(self, node: ast.AST) -> bool:
        """Whether a node is certainly not changed."""
        if isinstance(node, _DEFINITIONS) or not isinstance(node, ast.stmt):  # a decorator stands further up
            return not node._fields
        assert node.end_lineno is not None
        return self.lines.isdisjoint(range(node.lineno, node.end_lineno + 1))


def _copied(node: ast.AST, table: _Table) -> ast.AST:
    if table.beyond(node):
        return node
    changed: dict[str, object] = {}
    for name, value in ast.iter_fields(node):
        fresh: object = value
        if isinstance(value, list):
            fresh = [one for item in value for one in _one(item, table)]
            if all(a is b for a, b in zip(fresh, value, strict=False)) and len(fresh) == len(value):
                fresh = value
        elif isinstance(value, ast.AST):
            (fresh,) = _one(value, table)
        if fresh is not value:
            changed[name] = fresh
    if not changed:
        return node
    return type(node)(**{**dict(ast.iter_fields(node)), **changed})


def _one(item: object, table: _Table) -> tuple[object, ...]:
    if not isinstance(item, ast.AST):
        return (item,)
    return table.new[id(item)] if id(item) in table.new else (_copied(item, table),)
