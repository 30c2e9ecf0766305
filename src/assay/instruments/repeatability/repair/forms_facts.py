"""What must be known of a program before one of its forms may be exchanged for another.

Everything errs on the side of refusing. A program that looks at itself (frames, bytecode, namespaces, the life of
objects), or that is nested very deeply, has no facts at all, and nothing is proposed for it. What the modules that
it imports do to their caller's frames, and when finalisers run, is taken to be no part of its meaning.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

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
_GUARDS = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith)  # after which an exception may be survived
_DEEPEST = 80  # levels of the tree; several frames of the interpreter each
_LARGEST = 10_000  # bits of a number: larger ones cannot be printed
_REFLECTIVE = frozenset(
    [
        "eval",
        "exec",
        "locals",
        "vars",
        "globals",
        "dir",
        "builtins",
        "__builtins__",
        "__import__",
        "importlib",
        "import_module",
        "inspect",
        "ast",
        "dis",
        "gc",
        "weakref",
        "ctypes",
        "traceback",
        "linecache",
        "tracemalloc",
        "pdb",
        "bdb",
        "settrace",
        "setprofile",
        "monitoring",
        "modules",
        "_getframe",
        "_current_frames",
        "currentframe",
        "f_locals",
        "f_globals",
        "f_back",
        "f_code",
        "f_lineno",
        "tb_frame",
        "tb_lineno",
        "gi_frame",
        "cr_frame",
        "ag_frame",
        "gi_code",
        "__code__",
        "__closure__",
        "__globals__",
        "__traceback__",
        "__dict__",
        "__getattribute__",
        "__del__",
        "attrgetter",
        "methodcaller",
        "getrefcount",
        "finalize",
        "runpy",
    ]
)
_TOLD = frozenset(("list", "dict", "tuple", "str", "set", "range", "bool", "len"))


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


class Facts:
    """``blocks`` and ``expressions`` are where rules may apply; ``bags`` count the nodes of each unit.

    A unit is a function or method that lies in no other; unit 0 is the rest of the program.
    """

    def __init__(self, program: Program, tree: ast.Module) -> None:
        self.sheet = Sheet(program.source, tree)
        self.bound: set[str] = set()
        self.blocks: list[Block] = []
        self.expressions: list[tuple[ast.expr, int]] = []
        self.tests: list[tuple[ast.expr, int]] = []  # of ``while``
        self.units: list[str] = [""]
        self.bags: list[Counter[str]] = [Counter()]
        self.star = False
        self._scopes: dict[int, Scope] = {}
        self._walk(tree)

    @cached_property
    def whole(self) -> Counter[str]:
        return sum(self.bags, Counter())

    def free(self, name: str) -> bool:
        """Whether the name certainly means the builtin."""
        return name not in self.bound and not self.star

    def scope(self, function: Function) -> Scope:
        if id(function) not in self._scopes:
            self._scopes[id(function)] = _scope(function)
        return self._scopes[id(function)]

    def _walk(self, tree: ast.Module) -> None:
        # (node, the names before it, the function, guarded, unit, whether expressions in it may be rewritten)
        stack: list[tuple[ast.AST, str, Function | None, bool, int, bool]] = [
            (tree, "", None, False, 0, True)
        ]
        while stack:
            node, path, function, guarded, unit, free = stack.pop()
            self.bound.update(binds(node))
            self.star = self.star or (isinstance(node, ast.ImportFrom) and node.names[0].name == "*")
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
                path = f"{path}.{node.name}"
                if isinstance(node, _FUNCTIONS) and not unit:
                    unit = self._unit(path)
            if not isinstance(node, ast.expr_context):
                self.bags[unit][label(node)] += 1
            if isinstance(node, ast.expr) and free and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                self.expressions.append((node, unit))
            if isinstance(node, ast.While):
                self.tests.append((node.test, unit))
            inner, shut = function, guarded or isinstance(node, _GUARDS)
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
                inner, shut = node if isinstance(node, _FUNCTIONS) else None, False
            self.blocks += [Block(block, node, inner, shut, unit) for block in blocks_of(node)]
            for name, child in _children(node):
                open_ = free and name not in ("annotation", "returns") and not _closed(node, child)
                stack.append((child, path, inner, shut, unit, open_))

    def _unit(self, path: str) -> int:
        self.units.append(path)
        self.bags.append(Counter())
        return len(self.units) - 1


_CLOSED = (ast.JoinedStr, ast.MatchValue, ast.MatchMapping, ast.MatchClass)


def _closed(parent: ast.AST, child: ast.AST) -> bool:
    """No place for rewrites: patterns, f-strings (their positions are wrong), what is or may become a docstring."""
    if isinstance(parent, ast.Expr):
        constant = isinstance(child, ast.Constant)
        return constant or (
            isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "str"
        )
    return isinstance(parent, _CLOSED)


@lru_cache(maxsize=16)
def facts_of(program: Program) -> Facts | None:
    """None for a program that does not parse or that nothing should be proposed for."""
    tree = program.tree
    if tree is None or _reflects(tree) or not _shallow(tree):
        return None
    return Facts(program, tree)


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield name, value
        elif isinstance(value, list):
            for one in value:
                if isinstance(one, ast.AST):
                    yield name, one


def _reflects(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and node.value in _REFLECTIVE:
                return True
            if isinstance(node.value, int) and node.value.bit_length() > _LARGEST:
                return True
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
            if len(node.args) < 2 or not isinstance(node.args[1], ast.Constant):
                return True
        elif isinstance(node, ast.Attribute):
            if node.attr in _REFLECTIVE:
                return True
        elif (
            (isinstance(node, ast.ImportFrom) and not _REFLECTIVE.isdisjoint((node.module or "").split(".")))
            or (isinstance(node, ast.alias) and not _REFLECTIVE.isdisjoint(node.name.split(".")))
            or any(name in _REFLECTIVE for name in names_of(node))
        ):
            return True
    return False


def _shallow(tree: ast.AST) -> bool:
    layer = [tree]
    for _ in range(_DEEPEST):
        layer = [child for node in layer for child in ast.iter_child_nodes(node)]
        if not layer:
            return True
    return False


def binds(node: ast.AST) -> tuple[str, ...]:
    """The names that a node itself binds, in whatever scope."""
    match node:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            return (node.id,)
        case ast.arg():
            return (node.arg,)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return (node.name,)
        case ast.alias():
            return (node.asname or node.name.split(".")[0],)
        case ast.Global() | ast.Nonlocal():
            return tuple(node.names)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return (name,)
        case ast.MatchMapping(rest=str(name)):
            return (name,)
    if type(node).__name__ in ("TypeVar", "TypeVarTuple", "ParamSpec"):  # from Python 3.12
        return (str(getattr(node, "name", "")),)
    return ()


def names_of(node: ast.AST) -> tuple[str, ...]:
    return (node.id,) if isinstance(node, ast.Name) else binds(node)


def mentions(nodes: Iterable[ast.AST]) -> Counter[str]:
    """How often each name is read or bound anywhere inside, nested scopes included."""
    return Counter(name for node in nodes for one in ast.walk(node) for name in names_of(one))


def _scope(function: Function) -> Scope:
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


def leaves(statements: list[ast.stmt]) -> bool:
    """Whether a block never runs on into what follows it."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return leaves(last.body) and leaves(last.orelse)
    return isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break)


def label(node: ast.AST) -> str:
    """What a node counts as when programs are compared; names may differ."""
    kind = type(node).__name__
    match node:
        case ast.Constant(value=str(text)):
            return f"{kind}:{text[:40]!r}"
        case ast.Constant():
            return f"{kind}:{node.value!r}"
        case ast.Name() if node.id in _TOLD:
            return f"{kind}:{node.id}"
        case ast.Call(func=ast.Name(id=name)) if name in _TOLD:
            return f"{kind}:{name}:{len(node.args)}"
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return f"{kind}:empty"
        case ast.Compare(ops=[op, *_]) | ast.UnaryOp(op=op):
            return f"{kind}:{type(op).__name__}"
        case ast.If():
            return f"{kind}:else" if node.orelse else kind
        case ast.Return():
            return f"{kind}:{type(node.value).__name__}"
        case ast.Assign():
            return f"{kind}:{len(node.targets)}:{type(node.targets[0]).__name__}:{type(node.value).__name__}"
    return kind
