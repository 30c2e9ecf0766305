"""The step ``definitions``: functions, classes, constants and methods in the canon's order.

A definition may pass another only if neither binds a name that the other reads while it is made (in decorators,
defaults, annotations, bases, a class body), and they bind different names. What could run code of the program
while it is made, and every other statement, is passed by nothing: reading an attribute or an element, an operator
or a hash may run code, unless all of it is of builtin types, of modules known to be harmless, or of plain classes.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from assay.instruments.repeatability.programs.normalisation import Parsed, read

from .edits import Definition, Edit, Key, Sheet, Words, key, proposes, replaced, sheet, statement_keys

__all__ = ["HARMLESS", "propose_definitions"]

# Importing these does nothing but bind a name.
HARMLESS = (
    "abc", "bisect", "collections", "collections.abc", "copy", "dataclasses", "datetime", "decimal", "enum",
    "fractions", "functools", "heapq", "itertools", "json", "math", "operator", "os", "random", "re", "string",
    "sys", "time", "typing",
)  # fmt: skip
# Through these the order of definitions can be seen.
_SEES_ORDER = Words.of(
    "globals locals vars __ modules eval exec",
    r"\b(globals|locals|vars|__dict__|__subclasses__|__main__|modules|eval|exec)\b",
)
# With these, making a class runs code of the program, and may see in what order its body stands.
_MAKES_CLASSES = Words.of(
    "class __",
    r"\bmetaclass\b|class\s+\w+\s*\([^)]*\btype\b"
    r"|__(init_subclass|set_name|class_getitem|prepare|mro_entries|build_class)__",
)
# With these, so may reading an attribute or an element.
_READING_RUNS = Words.of("__", r"__(getitem|class_getitem|getattr|getattribute|get|or|ror)__")
_HASHING_RUNS = Words.of("__", r"__(hash|eq)__")  # with these, so may a type that is made of others
_BUILTIN_TYPES = frozenset(name for name, value in vars(builtins).items() if isinstance(value, type))
_PLAIN_BASES = ("object", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple")
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
        self.hashing_runs = where.mentions(_HASHING_RUNS)
        self.nodes = where.nodes
        self.classes = _classes(where.tree)
        imports = [node for node in self.nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        self.imported = [
            (alias.asname or alias.name, alias.name if isinstance(node, ast.Import) else _module(node), node)
            for node in imports
            for alias in node.names
        ]

    @cached_property
    def own(self) -> Names:
        """Names that the program itself gives a meaning, or imports from elsewhere than the harmless modules."""
        named = [node.name for node in self.nodes if isinstance(node, Definition)]
        foreign = [name.split(".")[0] for name, module, _ in self.imported if module not in HARMLESS]
        return frozenset((*named, *foreign)) | self.stored

    @cached_property
    def defined(self) -> Counter[str]:
        """How often each name is that of a definition, or of something imported."""
        names = [node.name for node in self.nodes if isinstance(node, Definition)]
        return Counter((*names, *(name for name, _, _ in self.imported)))

    @cached_property
    def stored(self) -> Names:
        caught = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
        named = [node.name for node in self.nodes if isinstance(node, caught) and node.name]
        stores = [node for node in self.nodes if isinstance(node, ast.Name)]
        return frozenset((*named, *(node.id for node in stores if not isinstance(node.ctx, ast.Load))))

    def _harmless(self, kind: type[ast.Import] | type[ast.ImportFrom]) -> Names:
        names = (
            name for name, module, node in self.imported if isinstance(node, kind) and module in HARMLESS
        )
        return frozenset(names) - self.own

    @cached_property
    def modules(self) -> Names:
        """Names that stand for harmless modules."""
        return self._harmless(ast.Import)

    @cached_property
    def types(self) -> Names:
        """Names that stand for builtin types, for what harmless modules offer, or for classes of the program."""
        known = (_BUILTIN_TYPES - self.own) | self._harmless(ast.ImportFrom)
        return known.union(name for name in self.classes if self._once(name))

    def _once(self, name: str) -> bool:
        """Whether a name means the one class of the module that is called so, and nothing else."""
        return self.defined[name] == 1 and name not in self.stored

    def names(self, expressions: Sequence[ast.expr]) -> Names | None:
        """The names in expressions that run no code of the program; None if one may."""
        nodes = [node for one in expressions for node in ast.walk(one)]
        if not all(map(self._quiet, nodes)):
            return None
        return frozenset(node.id for node in nodes if isinstance(node, ast.Name))

    def _quiet(self, node: ast.AST) -> bool:
        """Whether the node itself runs nothing, whatever its parts are."""
        match node:
            case ast.Name() | ast.Constant() | ast.Tuple() | ast.List() | ast.Load():
                return True
            case ast.USub() | ast.UAdd() | ast.BitOr():
                return True
            case ast.UnaryOp():
                return isinstance(node.operand, ast.Constant)
            case ast.Dict(keys=elements) | ast.Set(elts=elements):
                return all(one is not None and _literal(one) for one in elements)
            case ast.Attribute() | ast.Subscript() | ast.BinOp() if self.reading_runs or "*" in self.own:
                return False
            case ast.Attribute():
                return isinstance(node.value, ast.Name) and node.value.id in self.modules
            case ast.Subscript():
                return self._type(node.value) and (not self.hashing_runs or self._type(node.slice))
            case ast.BinOp():
                return all(map(self._type, (node.left, node.right)))
        return False

    def _type(self, node: ast.expr) -> bool:
        match node:
            case ast.Name():
                return node.id in self.types
            case ast.Tuple() | ast.List():
                return all(map(self._type, node.elts))
        # the parts of all but constants are looked at on their own
        return isinstance(node, ast.Constant | ast.Attribute | ast.Subscript | ast.BinOp)

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
            if name not in known or "*" in self.own:
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
        return self.decorators(node.decorator_list, _KNOWN_DECORATORS) and self._plain_bases(node)

    def _plain_bases(self, node: ast.ClassDef) -> bool:
        """Whether all that it derives from is of the type ``type``, as far as the program tells."""
        waiting, seen = list(node.bases), set[str]()
        for base in waiting:
            if not isinstance(base, ast.Name) or base.id == node.name:
                return False
            if base.id in seen:
                continue
            seen.add(base.id)
            if base.id in self.classes and self._once(base.id):
                fellow = self.classes[base.id]
                if fellow.keywords or not self.decorators(fellow.decorator_list, _KNOWN_DECORATORS):
                    return False
                waiting += fellow.bases
            elif base.id in self.own or "*" in self.own or not _plain_base(base.id):
                return False
        return True

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
            case ast.Assign(value=ast.Name(id=name)) | ast.AnnAssign(value=ast.Name(id=name)) if (
                name in self.stored  # an object may want to know the name that a class gives it
            ):
                return None
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
                if _literal(value):
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


def _literal(value: ast.expr) -> bool:
    return all(isinstance(node, _LITERAL) for node in ast.walk(value))


def _plain_base(name: str) -> bool:
    value = getattr(builtins, name, None)
    return name in _PLAIN_BASES or (isinstance(value, type) and issubclass(value, BaseException))


def _module(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")


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


def _inventory(parsed: Parsed) -> Counter[Key]:
    """The statements of a module and of its classes, whatever their order."""
    found: Counter[Key] = Counter()
    for statement, whole in zip(parsed.tree.body, statement_keys(parsed), strict=True):
        if isinstance(statement, ast.ClassDef):
            found.update(("in", statement.name, *key(one)) for one in statement.body)
            parts = [*statement.bases, *statement.keywords, *statement.decorator_list]
            found["class", statement.name, *(key(part) for part in parts)] += 1
        else:
            found[whole] += 1
    return found


@proposes
def propose_definitions(here: Sheet, there: Sheet) -> Iterator[str]:
    """Definitions and methods in the canon's order: both, then either."""
    if here.mentions(_SEES_ORDER) or here.reads_unknown_attributes:
        return
    top = _top_ordered(here, there)
    methods = _methods_ordered(here, there)
    both = [top, methods]
    if top != here.text and methods != here.text and read(top) is not None:
        both.insert(0, _methods_ordered(sheet(top), there))
    for source in both:
        if source != here.text:
            found = read(source)
            if found is not None and _inventory(found) == _inventory(here.parsed):
                yield source
