"""The step ``definitions``: functions, classes, constants and methods in the canon's order.

A definition may pass another only if neither binds a name that the other reads while it is made (in decorators,
defaults, annotations, bases, a class body), and they bind different names. What could run code of the program
while it is made, and every other statement, is passed by nothing.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from assay.instruments.repeatability.normalisation import read

from .edits import Definition, Edit, Key, Sheet, key, proposes, replaced, sheet

__all__ = ["propose_definitions"]

# Through these the order of definitions can be seen.
_SEES_ORDER = re.compile(r"\b(globals|locals|vars|__dict__|__subclasses__|__main__|modules|eval|exec)\b")
# With these, making a class runs code of the program, and may see in what order its body stands.
_MAKES_CLASSES = re.compile(
    r"\bmetaclass\b|class\s+\w+\s*\([^)]*\btype\b"
    r"|__(init_subclass|set_name|class_getitem|prepare|mro_entries|build_class)__"
)
# With these, so may reading an attribute or an element.
_READING_RUNS = re.compile(r"__(getitem|class_getitem|getattr|getattribute|get|or|ror)__")
_PLAIN_DECORATORS = ("staticmethod", "classmethod", "property")
_KNOWN_DECORATORS = (
    *_PLAIN_DECORATORS,
    "lru_cache",
    "cache",
    "total_ordering",
    "dataclass",
    "abstractmethod",
)
_KNOWN_MODULES = ("functools", "dataclasses", "abc")
_READING = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.UnaryOp,
    ast.USub, ast.UAdd, ast.BinOp, ast.BitOr, ast.Load,
)  # fmt: skip
_LITERAL = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.UnaryOp, ast.USub, ast.UAdd, ast.Load)
_MOST_ITEMS = 60  # in one stretch: more are left alone

Names = frozenset[str]
Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Item(NamedTuple):
    """A statement that may be moved: the name it binds, and those it reads while it is made."""

    binds: str
    reads: Names
    first: int  # rows, comments directly above it included
    last: int

    def free_of(self, other: _Item) -> bool:
        return self.binds != other.binds and self.binds not in other.reads and other.binds not in self.reads


def _bound_name(statement: ast.stmt) -> str | None:
    """The name of what may be a definition: a function, a class, a constant."""
    if isinstance(statement, Definition):
        return statement.name
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target = statement.target
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None


class _Reader:
    """Which names a statement reads while it is made; None where it could run code of the program."""

    def __init__(self, where: Sheet) -> None:
        self.makes_classes = where.mentions(_MAKES_CLASSES)
        self.reading_runs = where.mentions(_READING_RUNS)
        self.nodes = where.nodes

    @cached_property
    def own(self) -> Names:
        """Names that the program itself gives a meaning."""
        return frozenset(
            node.id if isinstance(node, ast.Name) else node.name
            for node in self.nodes
            if isinstance(node, Definition)
            or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
        )

    def names(self, expressions: Sequence[ast.expr]) -> Names | None:
        nodes = [node for one in expressions for node in ast.walk(one)]
        if not all(isinstance(node, _READING) for node in nodes):
            return None
        if self.reading_runs and any(isinstance(n, ast.Subscript | ast.BinOp | ast.Attribute) for n in nodes):
            return None
        return frozenset(node.id for node in nodes if isinstance(node, ast.Name))

    def decorators(self, decorators: list[ast.expr], known: Sequence[str]) -> bool:
        """Whether all are known, and are what they are called."""
        for one in decorators:
            given = [*one.args, *(word.value for word in one.keywords)] if isinstance(one, ast.Call) else []
            called = one.func if isinstance(one, ast.Call) else one
            if not all(isinstance(value, ast.Constant) for value in given):
                return False
            if isinstance(called, ast.Attribute):
                root, name = called.value, called.attr
                if not (isinstance(root, ast.Name) and root.id in _KNOWN_MODULES and root.id not in self.own):
                    return False
            elif isinstance(called, ast.Name) and called.id not in self.own:
                name = called.id
            else:
                return False
            if name not in known:
                return False
        return True

    def function(self, node: Function, known: Sequence[str] = _KNOWN_DECORATORS) -> Names | None:
        given = node.args
        parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        values = [*given.defaults, *given.kw_defaults, node.returns]
        values += [one.annotation for one in parameters if one is not None]
        if getattr(node, "type_params", None) or not self.decorators(node.decorator_list, known):
            return None
        return self.names([value for value in values if value is not None])

    def plain_class(self, node: ast.ClassDef) -> bool:
        """Whether nothing of the program runs or looks on while the class is made."""
        if self.makes_classes or node.keywords or getattr(node, "type_params", None):
            return False
        return self.decorators(node.decorator_list, _KNOWN_DECORATORS)

    def class_(self, node: ast.ClassDef) -> Names | None:
        if not self.plain_class(node):
            return None
        parts = [self.names(node.bases), *map(self._member, node.body)]
        found = [part for part in parts if part is not None]
        return frozenset().union(*found) if len(found) == len(parts) else None

    def _member(self, statement: ast.stmt) -> Names | None:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self.function(statement)
            case ast.Pass():
                return frozenset()
            case ast.Expr():
                return self.names([statement.value]) if isinstance(statement.value, ast.Constant) else None
            case ast.Assign(targets=[ast.Name()]):
                return self.names([statement.value])
            case ast.AnnAssign(target=ast.Name()):
                values = (statement.annotation, statement.value)
                return self.names([value for value in values if value is not None])
        return None

    def top(self, statement: ast.stmt) -> Names | None:
        """For a statement of the module."""
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self.function(statement)
            case ast.ClassDef():
                return self.class_(statement)
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                if all(isinstance(node, _LITERAL) for node in ast.walk(value)):
                    return self.names([getattr(statement, "annotation", value)])
        return None

    def method(self, statement: ast.stmt) -> Names | None:
        """For a statement of a class body."""
        return self.function(statement, _PLAIN_DECORATORS) if isinstance(statement, Function) else None


def _segments(where: Sheet, body: list[ast.stmt], reader: _Reader, *, methods: bool) -> list[list[_Item]]:
    """Neighbours that may be moved among themselves."""
    segments: list[list[_Item]] = [[]]
    counts = Counter(map(_bound_name, body))
    for statement in body:
        binds = _bound_name(statement)
        reads = reader.method(statement) if methods else reader.top(statement)
        again = methods and counts[binds] > 1
        if binds is None or reads is None or again or not where.owns_rows(statement):
            segments.append([])
        else:
            first, last = where.rows(statement)
            segments[-1].append(_Item(binds, reads, where.commented(first), last))
    return [segment for segment in segments if 1 < len(segment) <= _MOST_ITEMS]


def _sorted(items: list[_Item], wanted: dict[str, int]) -> list[_Item]:
    """The canon's order as far as it may be had; what the canon does not have stays behind what it follows."""
    ranks: list[int] = []
    for item in items:
        ranks.append(wanted.get(item.binds, ranks[-1] if ranks else -1))
    left = list(range(len(items)))
    order: list[_Item] = []
    while left:
        free = (n for n in left if all(items[n].free_of(items[m]) for m in left if m < n))
        chosen = min(free, key=lambda n: (ranks[n], n))
        left.remove(chosen)
        order.append(items[chosen])
    return order


def _edits(where: Sheet, mine: list[ast.stmt], theirs: list[ast.stmt], *, methods: bool) -> list[Edit]:
    wanted: dict[str, int] = {}
    for number, statement in enumerate(theirs):
        name = _bound_name(statement)
        if name is not None:
            wanted.setdefault(name, number)
    places = [wanted[name] for name in map(_bound_name, mine) if name in wanted]
    if places == sorted(places):
        return []
    edits: list[Edit] = []
    for segment in _segments(where, mine, _Reader(where), methods=methods):
        for slot, item in zip(segment, _sorted(segment, wanted), strict=True):
            if slot is not item:
                edits.append(where.row_edit(slot.first, slot.last, where.lines[item.first - 1 : item.last]))
    return edits


def _classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _top_ordered(here: Sheet, there: Sheet) -> str:
    return replaced(here.text, _edits(here, here.tree.body, there.tree.body, methods=False))


def _methods_ordered(here: Sheet, there: Sheet) -> str:
    theirs = _classes(there.tree)
    if not theirs:
        return here.text
    reader = _Reader(here)
    pairs = [
        (one, theirs[name])
        for name, one in _classes(here.tree).items()
        if name in theirs and reader.plain_class(one)
    ]
    edits = [edit for one, other in pairs for edit in _edits(here, one.body, other.body, methods=True)]
    return replaced(here.text, edits)


def _inventory(tree: ast.Module) -> Counter[Key]:
    """The statements of a module and of its classes, whatever their order."""
    found: Counter[Key] = Counter()
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            found.update(("in", statement.name, *key(one)) for one in statement.body)
            parts = [*statement.bases, *statement.keywords, *statement.decorator_list]
            found["class", statement.name, *(key(part) for part in parts)] += 1
        else:
            found[key(statement)] += 1
    return found


@proposes
def propose_definitions(here: Sheet, there: Sheet) -> Iterator[str]:
    """Definitions and methods in the canon's order: both, then either."""
    if here.mentions(_SEES_ORDER):
        return
    top = _top_ordered(here, there)
    methods = _methods_ordered(here, there)
    both = [top, methods]
    if top != here.text and methods != here.text and read(top) is not None:
        both.insert(0, _methods_ordered(sheet(top), there))
    for source in both:
        if source != here.text:
            found = read(source)
            if found is not None and _inventory(found.tree) == _inventory(here.tree):
                yield source
