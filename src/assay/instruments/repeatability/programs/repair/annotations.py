"""The step ``annotations``: types of parameters, results and variables as in the canon.

An annotation outside a function body is evaluated where it stands, and a wrong one raises. So one is taken out
or put in only if its value is known: built of builtin types, plain classes of the program, and names that the
program imports from ``typing`` and ``collections``. A program that fails by its annotations still fails.
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
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from assay.instruments.repeatability.programs.cache import remembered
from assay.instruments.repeatability.programs.normalisation import ByStatement, Parsed

from .edits import (
    Definition,
    Edit,
    Key,
    Sheet,
    Words,
    body_blocks,
    definition_pairs,
    key,
    proposes,
    same_tree,
    surviving,
    tree_key,
)

__all__ = ["propose_annotations"]

_SEES_ANNOTATIONS = Words.of(
    "__ann get_ singledispatch dataclass NamedTuple TypedDict Protocol BaseModel pydantic inspect attr define"
    " beartype typeguard typechecked validate_call",
    r"__annotations__|__annotate__|get_type_hints|get_annotations|singledispatch"
    r"|\b(dataclass(es)?|NamedTuple|TypedDict|Protocol|BaseModel|pydantic|inspect|attrs?|define|beartype|typeguard"
    r"|typechecked|validate_call)\b",
)
_DECLARES = Words.of("global nonlocal", r"\b(global|nonlocal)\b")
_BLIND_DECORATORS = (
    "staticmethod",
    "classmethod",
    "property",
    "lru_cache",
    "cache",
    "abstractmethod",
    "override",
)
_PLAIN = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.BitOr, ast.Tuple, ast.List, ast.Load,
)  # fmt: skip
_MODULES = {"typing": typing, "collections": collections, "collections.abc": collections.abc}
_NAME = re.compile(r"\w+")
_COLON = re.compile(r"[ \t]*:[ \t]*")
_VALUE = re.compile(r"[ \t]*=")
_EQUALS = re.compile(r"[ \t]*=[ \t]*$")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Slot = tuple[str, object]


class _Known:
    """What names stand for in annotations, as far as the program's own text tells."""

    def __init__(self, parsed: Parsed) -> None:
        bound = _bindings(parsed)
        self.lazy = False
        self._values: dict[str, tuple[int, object]] = {
            name: (0, value)
            for name, value in vars(builtins).items()
            if isinstance(value, type) and name not in bound
        }
        self.readable = "*" not in bound
        for statement in parsed.tree.body:
            for name, value in self._from(statement):
                if bound[name] == 1:
                    self._values[name] = statement.end_lineno or 0, value

    def _from(self, statement: ast.stmt) -> Iterator[tuple[str, object]]:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            self.lazy = self.lazy or any(alias.name == "annotations" for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module in _MODULES and not statement.level:
            for alias in statement.names:
                if hasattr(_MODULES[statement.module], alias.name):
                    yield alias.asname or alias.name, getattr(_MODULES[statement.module], alias.name)
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.name in _MODULES:
                    root = alias.name if alias.asname else alias.name.split(".")[0]
                    yield alias.asname or root, _MODULES[root]
        elif isinstance(statement, ast.ClassDef) and not (
            statement.bases or statement.keywords or statement.decorator_list
        ):
            yield statement.name, type(statement.name, (), {})

    def holds(self, annotation: ast.expr, row: int) -> bool:
        """Whether evaluating it on that row does nothing and raises nothing."""
        if not _plain(annotation):
            return False
        if self.lazy:
            return True
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._value(annotation, row)
        except (LookupError, TypeError, ValueError, SyntaxError, AttributeError, RecursionError):
            return False
        return self.readable

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
            case ast.BinOp():
                return self._value(node.left, row) | self._value(node.right, row)
            case ast.Tuple():
                return tuple(self._value(one, row) for one in node.elts)
            case ast.List():
                return [self._value(one, row) for one in node.elts]
        raise LookupError(type(node).__name__)


def _plain(annotation: ast.expr) -> bool:
    return all(isinstance(node, _PLAIN) for node in ast.walk(annotation))


def _bound_in(statement: ast.stmt) -> Counter[str]:
    bound: Counter[str] = Counter()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                bound[node.id] += 1
        elif isinstance(node, ast.alias):
            bound[node.asname or node.name.split(".")[0]] += 1
        elif isinstance(node, ast.arg):
            bound[node.arg] += 1
        elif isinstance(name := getattr(node, "name", None), str):
            bound[name] += 1
    return bound


_BOUND = ByStatement(_bound_in)


def _bindings(parsed: Parsed) -> Counter[str]:
    """How often each name is bound, in whatever scope; ``*`` for an import of everything."""
    bound: Counter[str] = Counter()
    for one in _BOUND.of(parsed):
        bound.update(one)
    return bound


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


def _colons(here: Sheet) -> dict[tuple[int, int], int]:
    """Where the head of each function ends, by row and column of its position in the tree."""
    functions = [node for node in here.nodes if isinstance(node, Function)]
    functions.sort(key=lambda node: (node.lineno, node.col_offset))
    colons: list[int] = []
    depth = -1  # beyond a head
    for token, rows in here.tokens.each():
        if token.string == "def":
            depth = 0
        elif depth >= 0 and token.string in ("(", "[", "{"):
            depth += 1
        elif depth >= 0 and token.string in (")", "]", "}"):
            depth -= 1
        elif depth == 0 and token.string == ":":
            colons.append(here.starts[token.start[0] + rows - 1] + token.start[1])
            depth = -1
    if len(colons) != len(functions):
        return {}
    return {(node.lineno, node.col_offset): at for node, at in zip(functions, colons, strict=True)}


class _Finder:
    """The edits that give a program the canon's annotations."""

    def __init__(self, here: Sheet, there: Sheet) -> None:
        self.here, self.there = here, there
        self.removed: list[list[Edit]] = []
        self.adopted: list[list[Edit]] = []
        plain = not _annotated(there)
        variables = any((*_VARIABLES.of(here.parsed), *_VARIABLES.of(there.parsed)))
        for node, twin in definition_pairs(here.tree, there.tree):
            if twin is None and not plain:
                continue
            if isinstance(node, Definition) and not all(map(_blind, node.decorator_list)):
                continue
            if isinstance(node, Function):
                self._head(node, twin if isinstance(twin, Function) else None)
            if variables and not (
                isinstance(node, ast.ClassDef) and (node.bases or node.keywords or node.decorator_list)
            ):
                self._variables(node, twin)

    @cached_property
    def known(self) -> _Known:
        return _Known(self.here.parsed)

    @cached_property
    def colons(self) -> dict[tuple[int, int], int]:
        return _colons(self.here)

    def _wants(
        self, own: ast.expr | None, wanted: ast.expr | None, row: int, *, evaluated: bool = True
    ) -> bool:
        """Whether an annotation is to be changed, and may be."""
        if own is None and wanted is None:
            return False
        if own is not None and wanted is not None and key(own) == key(wanted):
            return False
        if own is not None and not (self.known.holds(own, row) if evaluated else _plain(own)):
            return False
        return wanted is None or self.known.holds(wanted, row)

    def _add(self, edit: Edit, wanted: ast.expr | None) -> None:
        (self.removed if wanted is None else self.adopted).append([edit])

    def _head(self, node: Function, twin: Function | None) -> None:
        here, row = self.here, node.lineno
        theirs = _parameters(twin.args) if twin is not None else {}
        for slot, (one, default) in _parameters(node.args).items():
            other, other_default = theirs.get(slot, (None, None))
            wanted = other.annotation if other is not None else None
            if not self._wants(one.annotation, wanted, row):
                continue
            name = _NAME.match(here.text, here.span(one)[0])
            if name is None:
                continue
            end = here.span(one)[1]
            new = f": {self.there.written(wanted)}" if wanted is not None else ""
            if default is not None:
                end = here.span(default)[0]
                if not _EQUALS.search(here.text[name.end() : end]):
                    continue
                new += self._equals(other, other_default, " = " if new else "=")
            self._add((name.end(), end, new), wanted)
        self._result(node, twin.returns if twin is not None else None)

    def _equals(self, other: ast.arg | None, default: ast.expr | None, usual: str) -> str:
        """What the canon writes between a parameter and its default."""
        if other is None or default is None:
            return usual
        between = self.there.text[self.there.span(other)[1] : self.there.span(default)[0]]
        return between if _EQUALS.fullmatch(between) else usual

    def _result(self, node: Function, wanted: ast.expr | None) -> None:
        here, own = self.here, node.returns
        if not self._wants(own, wanted, node.lineno):
            return
        colon = self.colons.get((node.lineno, node.col_offset))
        if colon is None:
            return
        start = colon
        if own is not None:
            start = len(here.text[: here.text.rfind("->", 0, here.span(own)[0])].rstrip(" \t"))
        self._add((start, colon, f" -> {self.there.written(wanted)}" if wanted is not None else ""), wanted)

    def _variables(self, node: ast.AST, twin: ast.AST | None) -> None:
        here = self.here
        mine, others = _assigned(node), _assigned(twin) if twin is not None else ()
        if all(annotation is None for _, annotation in (*mine, *others)):
            return
        theirs: dict[Key, list[ast.expr | None]] = {}
        for target, annotation in others:
            theirs.setdefault(key(target), []).append(annotation)
        for target, own in mine:
            waiting = theirs.get(key(target))
            wanted = waiting.pop(0) if waiting else None
            row, end = target.lineno, here.span(target)[1]
            if not self._wants(own, wanted, row, evaluated=not isinstance(node, Function)):
                continue
            stop = here.span(own)[1] if own is not None else end
            between = here.text[end : here.span(own)[0]] if own is not None else ":"
            if _COLON.fullmatch(between) and _VALUE.match(here.text, stop):
                self._add(
                    (end, stop, f": {self.there.written(wanted)}" if wanted is not None else ""), wanted
                )


def _blind(decorator: ast.expr) -> bool:
    """Whether a decorator is known not to look at annotations."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(called, ast.Attribute):
        return called.attr in (*_BLIND_DECORATORS, "setter", "getter", "deleter")
    return isinstance(called, ast.Name) and called.id in _BLIND_DECORATORS


def _has_annotations(statement: ast.stmt) -> bool:
    return any(
        isinstance(node, ast.AnnAssign)
        or (isinstance(node, ast.arg) and node.annotation is not None)
        or (isinstance(node, Function) and node.returns is not None)
        for node in ast.walk(statement)
    )


_ANNOTATED = ByStatement(_has_annotations)


def _has_annotated_variables(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.AnnAssign) for node in ast.walk(statement))


_VARIABLES = ByStatement(_has_annotated_variables)


def _annotated(where: Sheet) -> bool:
    return any(_ANNOTATED.of(where.parsed))


@remembered(512)  # those of the canon are asked for again and again
def _assigned(scope: ast.AST) -> Sequence[tuple[ast.expr, ast.expr | None]]:
    """Names and attributes that get a value in a scope, with their annotations, in order."""
    found: list[tuple[ast.expr, ast.expr | None]] = []
    waiting = [statement for block in body_blocks(scope) for statement in block]
    for one in waiting:
        if isinstance(one, Definition):
            continue
        waiting += (inner for block in body_blocks(one) for inner in block)
        if isinstance(one, ast.AnnAssign) and one.value is not None:
            found.append((one.target, one.annotation))
        elif isinstance(one, ast.Assign) and len(one.targets) == 1:
            found.append((one.targets[0], None))
    found = [pair for pair in found if isinstance(pair[0], ast.Name | ast.Attribute)]
    return sorted(found, key=lambda pair: (pair[0].lineno, pair[0].col_offset))


@proposes
def propose_annotations(here: Sheet, there: Sheet) -> Iterator[str]:
    """The canon's annotations, or none where it has none, as long as nothing can see them."""
    if not (_annotated(here) or _annotated(there)):
        return
    if here.mentions(_SEES_ANNOTATIONS) or here.sees_namespaces:
        return
    finder = _Finder(here, there)
    if here.mentions(_DECLARES):
        finder.adopted = []  # a name declared so may not be annotated
    if not (finder.removed or finder.adopted):
        return
    wanted = tree_key(here.parsed, annotations=False)

    def holds(source: str) -> bool:
        return same_tree(source, wanted, annotations=False)

    yield surviving(here.text, [*finder.removed, *finder.adopted], holds)
    if finder.removed and finder.adopted:
        yield surviving(here.text, finder.removed, holds)
        yield surviving(here.text, finder.adopted, holds)
