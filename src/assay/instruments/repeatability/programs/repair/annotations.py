"""The step ``annotations``: types of parameters, results and variables as in the canon.

An annotation outside a function body is evaluated where it stands, and a wrong one raises. So one is taken out
or put in only if its value is known: built of builtin types, plain classes of the program, and names that the
program imports from ``typing`` and ``collections``. A program that fails by its annotations still fails, and one
that can see annotations is left alone.
"""

from __future__ import annotations

import ast
import builtins
import collections
import collections.abc
import re
import types
import typing
import warnings
from collections.abc import Iterator

from assay.instruments.repeatability.programs.parsing import PerPiece, Piece

from .program import Edit, ProgramText, surviving
from .reflection import sees_annotations
from .trees import (
    Definition,
    Function,
    Key,
    body_blocks,
    definition_pairs,
    given_names,
    key,
    same_tree,
    tree_key,
)

__all__ = ["propose_annotations"]

_BLIND = frozenset(
    ("staticmethod", "classmethod", "property", "setter", "getter", "deleter", "lru_cache", "cache", "abstractmethod",
     "override")
)  # fmt: skip
_MODULES = {"typing": typing, "collections": collections, "collections.abc": collections.abc}
_PLAIN = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Constant,
    ast.BinOp,
    ast.BitOr,
    ast.Tuple,
    ast.List,
    ast.Load,
)
_NAME = re.compile(r"\w+")
_COLON = re.compile(r"[ \t]*:[ \t]*")
_EQUALS = re.compile(r"[ \t]*=[ \t]*")
_ARROW = re.compile(r"[ \t]*->[ \t]*\Z")

Slot = tuple[str, object]


def propose_annotations(here: ProgramText, there: ProgramText) -> Iterator[str]:
    """The canon's annotations, or none where it has none: all changes, then the removals, then the others."""
    if _ANNOTATIONS.of(here.parsed) == _ANNOTATIONS.of(there.parsed) or sees_annotations(here.parsed):
        return
    wanted = tree_key(here.parsed, annotations=False)
    removed, adopted = _Finder(here, there).found

    def holds(source: str) -> bool:
        return same_tree(source, wanted, annotations=False)

    for groups in ([*removed, *adopted], *([removed, adopted] if removed and adopted else [])):
        if groups:
            yield surviving(here.text, groups, holds)


def _annotations(piece: Piece) -> list[Key]:
    found = (getattr(node, "annotation", None) or getattr(node, "returns", None) for node in piece.nodes)
    return [key(one) for one in found if one is not None]


_ANNOTATIONS = PerPiece(_annotations)


class _Known:
    """What names stand for in annotations, as far as the program's own text says."""

    def __init__(self, program: ProgramText) -> None:
        given = given_names(program.parsed)
        self.lazy = False
        self._values: dict[str, tuple[int, object]] = {
            name: (0, value)
            for name, value in vars(builtins).items()
            if isinstance(value, type) and name not in given
        }
        for statement in program.tree.body:
            for name, value in self._from(statement):
                if given[name] == 1:
                    self._values[name] = statement.end_lineno or 0, value
        if "*" in given:
            self._values = {}

    def _from(self, statement: ast.stmt) -> Iterator[tuple[str, object]]:
        """The names that a statement of the module gives to something known."""
        match statement:
            case ast.ImportFrom(module="__future__", names=names):
                self.lazy = self.lazy or any(alias.name == "annotations" for alias in names)
            case ast.ImportFrom(module=module, names=names, level=0) if module in _MODULES:
                for alias in names:
                    if hasattr(_MODULES[module], alias.name):
                        yield alias.asname or alias.name, getattr(_MODULES[module], alias.name)
            case ast.Import(names=names):
                for alias in names:
                    if alias.name in _MODULES:
                        root = alias.name if alias.asname else alias.name.split(".")[0]
                        yield alias.asname or root, _MODULES[root]
            case ast.ClassDef(name=name, bases=[], keywords=[], decorator_list=[]):
                yield name, type(name, (), {})

    def holds(self, annotation: ast.expr, row: int) -> bool:
        """Whether evaluating it on that row does nothing and raises nothing."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._value(annotation, row)
        except (LookupError, TypeError, ValueError, SyntaxError, AttributeError, RecursionError):
            return False
        return True

    def _value(self, node: ast.expr, row: int) -> typing.Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                bound_on, value = self._values[node.id]
                if bound_on >= row:
                    raise LookupError(node.id)
                return value
            case ast.Attribute():
                module = self._value(node.value, row)
                if not isinstance(module, types.ModuleType):
                    raise LookupError(node.attr)
                return getattr(module, node.attr)
            case ast.Subscript():
                return self._value(node.value, row)[self._value(node.slice, row)]
            case ast.BinOp(op=ast.BitOr()):
                return self._value(node.left, row) | self._value(node.right, row)
            case ast.Tuple():
                return tuple(self._value(one, row) for one in node.elts)
            case ast.List():
                return [self._value(one, row) for one in node.elts]
        raise LookupError(type(node).__name__)


class _Finder:
    """The edits that give a program the canon's annotations: those that remove one, and those that adopt one."""

    def __init__(self, here: ProgramText, there: ProgramText) -> None:
        self.here, self.there = here, there
        self.known = _Known(here)
        self.found: tuple[list[list[Edit]], list[list[Edit]]] = [], []
        plain = not any(_ANNOTATIONS.of(there.parsed))
        for node, twin in definition_pairs(here.tree, there.tree):
            if twin is None and not plain:
                continue
            if isinstance(node, Definition) and not all(map(_is_blind, node.decorator_list)):
                continue
            if isinstance(node, Function):
                self._head(node, twin if isinstance(twin, Function) else None)
            if not (isinstance(node, ast.ClassDef) and (node.bases or node.keywords or node.decorator_list)):
                self._variables(node, twin)

    def _change(
        self, own: ast.expr | None, wanted: ast.expr | None, row: int, *, evaluated: bool = True
    ) -> bool:
        """Whether an annotation is to be changed, and may be."""
        if own is wanted is None or (own is not None and wanted is not None and key(own) == key(wanted)):
            return False
        idle = not evaluated or self.known.lazy
        known = own is None or (_is_plain(own) if idle else self.known.holds(own, row))
        return known and (wanted is None or self.known.holds(wanted, row))

    def _add(self, start: int, end: int, new: str, wanted: ast.expr | None) -> None:
        self.found[wanted is not None].append([(start, end, new)])

    def _head(self, node: Function, twin: Function | None) -> None:
        here, there = self.here, self.there
        theirs = _parameters(twin.args) if twin is not None else {}
        for slot, (one, default) in _parameters(node.args).items():
            other, other_default = theirs.get(slot, (None, None))
            wanted = other.annotation if other is not None else None
            name = _NAME.match(here.text, here.span(one)[0])
            if name is None or not self._change(one.annotation, wanted, node.lineno):
                continue
            end = here.span(one)[1]
            new = f": {there.written(wanted)}" if wanted is not None else ""
            if default is not None:
                end = here.span(default)[0]
                equals = " = " if wanted is not None else "="
                if other is not None and other_default is not None:
                    between = there.text[there.span(other)[1] : there.span(other_default)[0]]
                    equals = between if _EQUALS.fullmatch(between) else equals
                new += equals
            self._add(name.end(), end, new, wanted)
        wanted = twin.returns if twin is not None else None
        if self._change(node.returns, wanted, node.lineno):
            self._result(node, wanted)

    def _result(self, node: Function, wanted: ast.expr | None) -> None:
        here, own = self.here, node.returns
        nodes = [*(one for one in ast.walk(node.args) if hasattr(one, "lineno")), *([own] if own else [])]
        begin = max([here.span(node)[0], *(here.span(one)[1] for one in nodes)])  # type: ignore[arg-type]
        colon = here.text.find(":", begin, here.span(node.body[0])[0])
        if own is None:
            start = colon
        else:
            start = len(_ARROW.sub("", here.text[: here.text.rfind("->", 0, here.span(own)[0]) + 2]))
        if 0 <= start <= colon:
            self._add(start, colon, f" -> {self.there.written(wanted)}" if wanted is not None else "", wanted)

    def _variables(self, node: ast.AST, twin: ast.AST | None) -> None:
        here = self.here
        theirs: dict[Key, list[ast.expr | None]] = {}
        for target, annotation in _assigned(twin) if twin is not None else ():
            theirs.setdefault(key(target), []).append(annotation)
        for target, own in _assigned(node):
            waiting = theirs.get(key(target))
            wanted = waiting.pop(0) if waiting else None
            if not self._change(own, wanted, target.lineno, evaluated=not isinstance(node, Function)):
                continue
            if wanted is not None and any(scope.declared for scope in here.names.scopes):
                continue  # a global name may not be annotated
            start = here.span(target)[1]
            end = here.span(own)[1] if own is not None else start
            between = here.text[start : here.span(own)[0]] if own is not None else ":"
            if _COLON.fullmatch(between) and _EQUALS.match(here.text, end):
                self._add(start, end, f": {self.there.written(wanted)}" if wanted is not None else "", wanted)


def _is_plain(annotation: ast.expr) -> bool:
    """Whether nothing would change if it were never compiled."""
    return all(isinstance(node, _PLAIN) for node in ast.walk(annotation))


def _is_blind(decorator: ast.expr) -> bool:
    """Whether a decorator is known not to look at annotations."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (getattr(called, "attr", "") or getattr(called, "id", "")) in _BLIND


def _parameters(arguments: ast.arguments) -> dict[Slot, tuple[ast.arg, ast.expr | None]]:
    """Parameters with their defaults: by place, or by name where they can only be given by name."""
    placed = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(placed) - len(arguments.defaults))
    defaults += arguments.defaults
    slots: dict[Slot, tuple[ast.arg, ast.expr | None]] = {
        ("place", number): pair for number, pair in enumerate(zip(placed, defaults, strict=True))
    }
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        slots["name", one.arg] = one, default
    for kind, rest in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if rest is not None:
            slots[kind, None] = rest, None
    return slots


def _assigned(scope: ast.AST) -> list[tuple[ast.expr, ast.expr | None]]:
    """Names and attributes that get a value in a scope, with their annotations, in order."""
    found: list[tuple[ast.expr, ast.expr | None]] = []
    waiting = [statement for block in body_blocks(scope) for statement in block]
    for one in waiting:
        if isinstance(one, Definition):
            continue
        if isinstance(one, ast.AnnAssign) and one.value is not None:
            found.append((one.target, one.annotation))
        elif isinstance(one, ast.Assign) and len(one.targets) == 1:
            found.append((one.targets[0], None))
        elif hasattr(one, "body") or hasattr(one, "cases"):
            waiting += (inner for block in body_blocks(one) for inner in block)
    found = [pair for pair in found if isinstance(pair[0], ast.Name | ast.Attribute)]
    return sorted(found, key=lambda pair: (pair[0].lineno, pair[0].col_offset))
