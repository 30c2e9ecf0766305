"""What must be known of a program before one of its forms may be exchanged for another.

Everything errs on the side of refusing. A program that looks at itself (frames, bytecode, namespaces, the life of
objects), or that is nested very deeply, has no facts at all, and nothing is proposed for it. What the modules that
it imports do to their caller's frames, and when finalisers run, is taken to be no part of its meaning.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from copy import copy
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from assay.instruments.repeatability.programs.normalisation import INNER, ByStatement, Parsed
from assay.instruments.repeatability.programs.scopes import BUILTINS, REFLECTIVE

from .forms_edit import Sheet, blocks_of
from .model import Program

__all__ = [
    "Block",
    "Facts",
    "Function",
    "Scope",
    "binds",
    "facts_of",
    "label",
    "leaves",
    "mentions",
    "names_of",
]

Function = ast.FunctionDef | ast.AsyncFunctionDef

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LATE = (*_FUNCTIONS, ast.ClassDef, ast.Lambda, ast.GeneratorExp)  # run at another time than where they stand
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_LOAD = ast.Load()
_INNER = {kind: tuple(name for name in names if name != "ctx") for kind, names in INNER.items()}
_GUARDS = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith)  # after which an exception may be survived
_DEEPEST = 80  # levels of the tree; several frames of the interpreter each
_LARGEST = 10_000  # bits of a number: larger ones cannot be printed
_LIVES = (
    "__del__", "__getattribute__", "__traceback__", "ast", "attrgetter", "finalize", "gc", "getrefcount",
    "import_module", "methodcaller", "tb_lineno", "weakref",
)  # fmt: skip
_REFLECTIVE = REFLECTIVE.union(_LIVES)  # and what sees when objects end, or reads what is named elsewhere
_TELLING = frozenset(("list", "dict", "tuple", "str", "set", "range", "bool", "len"))


class Block(NamedTuple):
    """Consecutive statements, and what surrounds them."""

    statements: list[ast.stmt]
    owner: ast.AST
    function: Function | None  # the scope that they bind names in; None in modules and classes
    guarded: bool  # inside a ``try`` or ``with`` of that function
    unit: int


class Scope(NamedTuple):
    """The names of one function."""

    bindings: Counter[str]  # how often each is bound
    declared: frozenset[str]  # global and nonlocal
    captured: frozenset[str]  # mentioned where the code runs at another time
    mentioned: Counter[str]
    generator: bool

    def private(self, name: str) -> bool:
        """A local that only this function's own statements can see, at the place where they stand."""
        special = name.startswith("__")  # such as __class__, which super() reads unseen
        return (
            not special and name in self.bindings and name not in self.declared and name not in self.captured
        )


class _Told(NamedTuple):
    """What one statement of a module tells, wherever it stands. Its own units count from 1; 0 is the rest of it."""

    units: list[str]
    bags: list[Counter[str]]
    bound: frozenset[str]
    star: bool
    declares: bool
    yields: bool


class _Survey:
    """One statement of a module: where rules may apply in it, and what it tells."""

    def __init__(self, statement: ast.stmt) -> None:
        self.blocks: list[Block] = []
        self.expressions: list[tuple[ast.expr, int]] = []
        self.tests: list[tuple[ast.expr, int]] = []  # of ``while``
        self.units: list[str] = [""]
        self.bags: list[Counter[str]] = [Counter()]
        self.bound: set[str] = set()
        self.star = self.declares = self.yields = False
        self._walk(statement)

    def _walk(self, statement: ast.stmt) -> None:
        # (node, the names before it, the function, guarded, unit, whether expressions in it may be rewritten)
        stack: list[tuple[ast.AST, str, Function | None, bool, int, bool]] = [
            (statement, "", None, False, 0, True)
        ]
        while stack:
            node, path, function, guarded, unit, free = stack.pop()
            if isinstance(node, ast.expr):
                if free and isinstance(getattr(node, "ctx", _LOAD), ast.Load):
                    self.expressions.append((node, unit))
                self.yields = self.yields or isinstance(node, ast.Yield | ast.YieldFrom)
            elif isinstance(node, ast.ImportFrom):
                self.star = self.star or node.names[0].name == "*"
            elif isinstance(node, ast.Global | ast.Nonlocal):
                self.declares = True
            elif isinstance(node, ast.While):
                self.tests.append((node.test, unit))
            elif isinstance(node, _GUARDS):
                guarded = True
            elif isinstance(node, _DEFINITIONS):
                path = f"{path}.{node.name}"
                function, guarded = node if isinstance(node, _FUNCTIONS) else None, False
                if function is not None and not unit:
                    unit = self._unit(path)
            self.bags[unit][label(node)] += 1
            self.bound.update(binds(node))
            if not isinstance(node, ast.expr):
                self.blocks += [Block(block, node, function, guarded, unit) for block in blocks_of(node)]
            for name in _INNER[type(node)]:
                value = getattr(node, name, None)
                for child in value if isinstance(value, list) else (value,):
                    if isinstance(child, ast.AST):
                        open_ = free and name not in ("annotation", "returns") and not _closed(node, child)
                        stack.append((child, path, function, guarded, unit, open_))

    def _unit(self, path: str) -> int:
        self.units.append(path)
        self.bags.append(Counter())
        return len(self.units) - 1


@lru_cache(maxsize=512)  # proposals share the statements that they leave where they are
def _survey(statement: ast.stmt) -> _Survey:
    return _Survey(statement)


def _told(statement: ast.stmt) -> _Told | None:
    """None where the program looks at itself, or where a number is too large to be printed."""
    if any(map(_reflects, ast.walk(statement))):
        return None
    found = _survey(statement)
    return _Told(found.units, found.bags, frozenset(found.bound), found.star, found.declares, found.yields)


_TOLD = ByStatement(_told)


class Facts:
    """``blocks``, ``expressions`` and ``tests`` are where rules may apply; ``bags`` count the nodes of each unit.

    A unit is a function or method that lies in no other; unit 0 is the rest of the program. Units are counted
    from the last statement of the module to the first.
    """

    def __init__(self, program: Program, parsed: Parsed, told: Sequence[_Told]) -> None:
        self.sheet = Sheet(program.source, parsed)
        self.tree = parsed.tree
        self._parts: dict[ast.AST, str | None] = dict(zip(parsed.tree.body, parsed.parts, strict=True))
        self.bound: frozenset[str] = frozenset().union(*(one.bound for one in told))
        self.star = any(one.star for one in told)
        self.declares = any(one.declares for one in told)
        self.yields = any(one.yields for one in told)
        self.units: list[str] = [""]
        self.origins: list[tuple[str | None, int]] = [(None, 0)]  # by unit: its statement, and which of it
        self.bags: list[Counter[str]] = [Counter({label(parsed.tree): 1})]
        self._told: list[tuple[_Told, int]] = []  # with the number of units before its own
        for one, part in zip(reversed(told), reversed(parsed.parts), strict=True):
            self._told.append((one, len(self.units) - 1))
            self.units += one.units[1:]
            self.origins += ((part, number) for number in range(1, len(one.units)))
            self.bags += one.bags[1:]
            self.bags[0].update(one.bags[0])
        self._within: Container[int] = range(len(self.units))
        self._narrowed: dict[frozenset[int], Facts] = {}  # most steps look at the same units
        self._scopes: dict[int, Scope] = {}

    @cached_property
    def whole(self) -> Counter[str]:
        return sum(self.bags, Counter())

    def within(self, units: frozenset[int]) -> Facts:
        """The same facts, with rules kept to some of the units."""
        if units not in self._narrowed:
            fewer = copy(self)
            fewer._within, fewer._narrowed = units, {}  # of its own: no cycle
            fewer.__dict__.pop("_places", None)
            self._narrowed[units] = fewer
        return self._narrowed[units]

    @property
    def blocks(self) -> list[Block]:
        return self._places[0]

    @property
    def expressions(self) -> list[tuple[ast.expr, int]]:
        return self._places[1]

    @property
    def tests(self) -> list[tuple[ast.expr, int]]:
        return self._places[2]

    @cached_property
    def _places(self) -> tuple[list[Block], list[tuple[ast.expr, int]], list[tuple[ast.expr, int]]]:
        """Only statements that hold some of the units are gone through again."""
        wanted = self._within
        body = self.tree.body
        blocks = [Block(body, self.tree, None, False, 0)] if body and 0 in wanted else []
        expressions: list[tuple[ast.expr, int]] = []
        tests: list[tuple[ast.expr, int]] = []
        for statement, (told, before) in zip(reversed(body), self._told, strict=True):
            numbers = [0, *range(before + 1, before + len(told.units))]
            if not any(number in wanted and bag for number, bag in zip(numbers, told.bags, strict=True)):
                continue
            found = _survey(statement)
            blocks += [
                one._replace(unit=numbers[one.unit]) for one in found.blocks if numbers[one.unit] in wanted
            ]
            for ours, theirs in ((expressions, found.expressions), (tests, found.tests)):
                ours += [(node, numbers[unit]) for node, unit in theirs if numbers[unit] in wanted]
        return blocks, expressions, tests

    @cached_property
    def around(self) -> tuple[object, ...]:
        """All that ``free``, ``declares`` and ``generates`` say of a unit that is not in the unit itself."""
        return self.bound & BUILTINS, self.star, self.declares, self.yields

    def free(self, name: str) -> bool:
        """Whether the name, which is that of a builtin, certainly means it."""
        return name not in self.bound and not self.star

    def scope(self, function: Function) -> Scope:
        if id(function) not in self._scopes:
            part = self._parts.get(function)
            self._scopes[id(function)] = _SCOPES.one(part, function)
        return self._scopes[id(function)]

    def generates(self, function: Function) -> bool:
        return self.yields and self.scope(function).generator


_CLOSED = (ast.JoinedStr, ast.MatchValue, ast.MatchMapping, ast.MatchClass)


def _closed(parent: ast.AST, child: ast.AST) -> bool:
    """No place for rewrites: patterns, f-strings (their positions are wrong), what is or may become a docstring."""
    if isinstance(parent, ast.Expr):
        constant = isinstance(child, ast.Constant)
        return constant or (
            isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "str"
        )
    return isinstance(parent, _CLOSED)


@lru_cache(maxsize=16)  # every step asks for the facts of the program and of the canon
def facts_of(program: Program) -> Facts | None:
    """None for a program that does not parse or that nothing should be proposed for."""
    parsed = program.parsed
    if parsed is None or parsed.depth > _DEEPEST:
        return None
    found = _TOLD.of(parsed)
    told = [one for one in found if one is not None]
    return Facts(program, parsed, told) if len(told) == len(found) else None


def _reflects(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return node.value in _REFLECTIVE
        return isinstance(node.value, int) and node.value.bit_length() > _LARGEST
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id == "getattr":
            return len(node.args) < 2 or not isinstance(node.args[1], ast.Constant)
        return False
    if isinstance(node, ast.Attribute):
        return node.attr in _REFLECTIVE
    if isinstance(node, ast.ImportFrom):
        return not _REFLECTIVE.isdisjoint((node.module or "").split("."))
    if isinstance(node, ast.alias) and not _REFLECTIVE.isdisjoint(node.name.split(".")):
        return True
    return not _REFLECTIVE.isdisjoint(names_of(node))


_BY_NAME: dict[str, Callable[[Any], tuple[str, ...]]] = {
    "Name": lambda node: () if isinstance(node.ctx, ast.Load) else (node.id,),
    "arg": lambda node: (node.arg,),
    **dict.fromkeys(("FunctionDef", "AsyncFunctionDef", "ClassDef"), lambda node: (node.name,)),
    "alias": lambda node: (node.asname or node.name.split(".")[0],),
    **dict.fromkeys(("Global", "Nonlocal"), lambda node: tuple(node.names)),
    **dict.fromkeys(
        ("ExceptHandler", "MatchAs", "MatchStar"), lambda node: () if node.name is None else (node.name,)
    ),
    "MatchMapping": lambda node: () if node.rest is None else (node.rest,),
    **dict.fromkeys(("TypeVar", "TypeVarTuple", "ParamSpec"), lambda node: (node.name,)),  # from Python 3.12
}
_BINDERS = {getattr(ast, name): binder for name, binder in _BY_NAME.items() if hasattr(ast, name)}


def binds(node: ast.AST) -> tuple[str, ...]:
    """The names that a node itself binds, in whatever scope."""
    binder = _BINDERS.get(type(node))
    return binder(node) if binder else ()


def names_of(node: ast.AST) -> tuple[str, ...]:
    return (node.id,) if isinstance(node, ast.Name) else binds(node)


def mentions(nodes: Iterable[ast.AST]) -> Counter[str]:
    """How often each name is read or bound anywhere inside, nested scopes included."""
    return Counter(name for node in nodes for one in ast.walk(node) for name in names_of(one))


def _scope(function: ast.stmt) -> Scope:
    assert isinstance(function, Function)
    bindings = Counter(one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg))
    declared: set[str] = set()
    captured: set[str] = set()
    generator = False
    stack: list[tuple[ast.AST, bool]] = [(node, False) for node in function.body]
    while stack:
        node, comprehended = stack.pop()
        if isinstance(node, _LATE):
            captured.update(mentions([node]))
            bindings.update(binds(node) if isinstance(node, ast.stmt) else ())
            continue
        if isinstance(node, ast.Global | ast.Nonlocal):
            declared.update(node.names)
        elif not comprehended:
            bindings.update(binds(node))
        generator = generator or isinstance(node, ast.Yield | ast.YieldFrom)
        inside = comprehended or isinstance(node, _COMPREHENSIONS)
        stack += [(child, inside) for child in ast.iter_child_nodes(node)]
    return Scope(
        bindings,
        frozenset(declared),
        frozenset(captured),
        mentions([function.args, *function.body]),
        generator,
    )


_SCOPES = ByStatement(_scope)


def leaves(statements: list[ast.stmt]) -> bool:
    """Whether a block never runs on into what follows it."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return leaves(last.body) and leaves(last.orelse)
    return isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break)


_LABELS: dict[type[ast.AST], Callable[[Any], str | None]] = {
    ast.Constant: lambda node: repr(node.value[:40] if isinstance(node.value, str) else node.value),
    ast.Name: lambda node: node.id if node.id in _TELLING else None,
    ast.Call: lambda node: (
        f"{node.func.id}:{len(node.args)}"
        if isinstance(node.func, ast.Name) and node.func.id in _TELLING
        else None
    ),
    **dict.fromkeys((ast.List, ast.Tuple), lambda node: None if node.elts else "empty"),
    ast.Dict: lambda node: None if node.keys else "empty",
    ast.Compare: lambda node: type(node.ops[0]).__name__,
    ast.UnaryOp: lambda node: type(node.op).__name__,
    ast.If: lambda node: "else" if node.orelse else None,
    ast.Return: lambda node: type(node.value).__name__,
    ast.Assign: lambda node: (
        f"{len(node.targets)}:{type(node.targets[0]).__name__}:{type(node.value).__name__}"
    ),
}


def label(node: ast.AST) -> str:
    """What a node counts as when programs are compared; names may differ."""
    kind = type(node)
    more = _LABELS[kind](node) if kind in _LABELS else None
    return kind.__name__ if more is None else f"{kind.__name__}:{more}"
