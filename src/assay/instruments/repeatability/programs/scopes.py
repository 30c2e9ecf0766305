"""Which names of a program are the same variable, and which of them may be called something else.

The analysis follows the language reference ("Naming and binding"): modules, classes, functions (lambdas too) and
comprehensions are scopes; decorators, defaults, annotations and the first iterable of a comprehension belong to
the scope around; ``:=`` binds outside the comprehension it stands in; class scopes are not seen from the functions
in them. Nothing here is recursive: a tree of any depth can be analysed on any stack.

A binding stays as it is (``Binding.stays`` names the rule) when it is

``free``        bound nowhere in the program: a builtin, a name of a star import, an error;
``attribute``   bound in a class scope;
``class``       the name of a class: types and exceptions are seen by their names;
``import``      bound by an import;
``private``     begins with two underscores, or is what a class makes of such a name (``_A__x``);
``keep``        one of the names others call the program by;
``exported``    listed in ``__all__``;
``keyword``     a keyword-only parameter, or one that some call passes by keyword;
``spread``      a parameter that can be passed by keyword, and some call spreads a mapping (``**``, ``kwargs=``);
``text``        a parameter whose name is also a text of the program: a mapping may pass it by keyword, as in
                ``Timer(1, f, [], {"b": 2})``;
``fallback``    a name of the module that may also be found elsewhere: it hides a builtin, a class body binds and
                reads it, or a star import may bind it;
``shown``       a function, when the program imports what tells functions by their names: threads, pools, logs,
                pickles, profiles;
``seen``        anything at all, when the program can look at names: it uses ``locals``, ``eval`` and the like,
                frames, code, closures, ``inspect``, ``__name__`` of an object, or type parameters (Python 3.12).

What a renaming can still change is how a function prints and how the interpreter words an error.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

__all__ = ["BUILTINS", "Binding", "NamePlace", "Names", "Scope", "StatementNames", "analyse", "bindings_of"]

Kind = Literal["module", "class", "function", "comprehension"]
Role = Literal["read", "bind", "parameter", "keyword", "class", "function", "import"]

BUILTINS = frozenset(dir(builtins))
_CODE = frozenset(("locals", "vars", "globals", "dir", "eval", "exec", "__import__"))
_FRAMES = frozenset(
    (
        "_getframe", "_current_frames", "currentframe", "settrace", "setprofile", "monitoring", "modules",
        "tb_frame", "gi_frame", "cr_frame", "ag_frame", "gi_code", "cr_code", "ag_code",
        "f_back", "f_builtins", "f_code", "f_globals", "f_lasti", "f_lineno", "f_locals", "f_trace",
        "co_argcount", "co_cellvars", "co_code", "co_consts", "co_filename", "co_firstlineno", "co_flags",
        "co_freevars", "co_kwonlyargcount", "co_lines", "co_lnotab", "co_name", "co_names", "co_nlocals",
        "co_positions", "co_posonlyargcount", "co_qualname", "co_stacksize", "co_varnames",
        "__builtins__", "__closure__", "__code__", "__dict__", "__globals__", "cell_contents",
    )
)  # fmt: skip
_MODULES = frozenset(
    (
        "bdb", "builtins", "ctypes", "dis", "importlib", "inspect", "linecache", "pdb", "runpy", "traceback",
        "tracemalloc",
    )
)  # fmt: skip
_OBJECTS = frozenset(("__name__", "__qualname__", "__annotations__", "get_type_hints"))
_LOOKING = _CODE | {"compile", "help", "_getframe", "get_type_hints", "__builtins__"}
_LOOKING_ATTRIBUTES = _FRAMES | _OBJECTS
_LOOKING_MODULES = _MODULES | {"doctest", "__main__"}
_PLAIN_WORDS = frozenset(("modules", "monitoring"))  # that texts hold for other reasons
_SHOWING_MODULES = frozenset(
    ("_thread", "cProfile", "concurrent", "logging", "multiprocessing", "pickle", "profile", "pstats",
     "threading", "trace")
)  # fmt: skip
_MAPPINGS = frozenset(("kwargs", "kwds"))  # what threads and pools call the mapping they spread


@dataclass(eq=False, slots=True)
class Scope:
    kind: Kind
    node: ast.AST
    parent: Scope | None
    bound: dict[str, None] = field(default_factory=dict)
    declared: dict[str, Literal["global", "nonlocal"]] = field(default_factory=dict)

    def outward(self, module: Scope) -> Iterator[Scope]:
        """This scope, then those around it whose names it sees; the last is that of the whole module."""
        scope: Scope | None = self
        while scope is not None:
            if scope.kind == "module":
                yield module
            elif scope is self or scope.kind != "class":
                yield scope
            scope = scope.parent


class NamePlace(NamedTuple):
    """One occurrence: ``getattr(node, attribute)``, or the entry ``item`` of it, seen from ``scope``."""

    scope: Scope
    node: ast.AST
    attribute: str
    item: int | None = None

    def write(self, name: str) -> None:
        if self.item is None:
            setattr(self.node, self.attribute, name)
        else:
            getattr(self.node, self.attribute)[self.item] = name


@dataclass(eq=False, slots=True)
class Binding:
    """One variable. ``scope`` is None for a name that is bound nowhere; ``stays`` is empty if it may be renamed."""

    scope: Scope | None
    name: str
    places: list[NamePlace] = field(default_factory=list)
    roles: set[Role] = field(default_factory=set)
    stays: str = ""


class Names(NamedTuple):
    """Bindings in the order of their first appearance; ``keywords`` are names that calls pass by keyword,
    texts of the program among them, for a mapping may pass any; ``exported`` are those in ``__all__``."""

    bindings: list[Binding]
    scopes: list[Scope]
    keywords: frozenset[str]
    exported: frozenset[str]


Child = tuple[ast.AST, Scope]
Mention = tuple[Role, NamePlace]


class StatementNames:
    """Every mention of a name in a statement of a module; what it refers to is settled afterwards.

    The order is that of the source, but that a definition's or handler's own name and parameters come first.
    ``module`` has what the statement gives to the scope of the module.
    """

    def __init__(self, statement: ast.stmt) -> None:
        self.module = Scope("module", statement, None)
        self.scopes: list[Scope] = []
        # By scope: a name means the same all over it.
        self.mentions: dict[tuple[int, str], list[Mention]] = {}
        self.keywords: set[str] = set()
        self.texts: set[str] = set()
        self.class_reads: list[str] = []
        self.spreads = self.looks = self.shows = self.star = False
        stack: list[Child] = [(statement, self.module)]
        while stack:
            node, scope = stack.pop()
            reader = _READERS.get(type(node))
            children = reader(self, node, scope) if reader else _inside(node, scope)
            stack.extend(reversed(children))
        for scope in self.scopes:
            for name, kind in scope.declared.items():
                if name in scope.bound:
                    del scope.bound[name]
                    if kind == "global":
                        self.module.bound[name] = None

    def inner(self, kind: Kind, node: ast.AST, parent: Scope) -> Scope:
        self.scopes.append(Scope(kind, node, parent))
        return self.scopes[-1]

    def mention(
        self, name: str, role: Role, scope: Scope, node: ast.AST, attribute: str, item: int | None = None
    ) -> None:
        if role != "read":
            scope.bound[name] = None
        place = NamePlace(scope, node, attribute, item)
        self.mentions.setdefault((id(scope), name), []).append((role, place))

    def name(self, node: ast.Name, scope: Scope) -> list[Child]:
        if isinstance(node.ctx, ast.Load):
            self.mention(node.id, "read", scope, node, "id")
            if scope.kind == "class":
                self.class_reads.append(node.id)
        else:
            self.mention(node.id, "bind", scope, node, "id")
        return []

    def augmented(self, node: ast.AugAssign, scope: Scope) -> list[Child]:
        if scope.kind == "class" and isinstance(node.target, ast.Name):
            self.class_reads.append(node.target.id)
        return _inside(node, scope)

    def annotated(self, node: ast.AnnAssign, scope: Scope) -> list[Child]:
        """``(x): int`` alone binds nothing."""
        if isinstance(node.target, ast.Name) and not node.simple and node.value is None:
            self.mention(node.target.id, "read", scope, node.target, "id")
            return [(node.annotation, scope)]
        return _inside(node, scope)

    def walrus(self, node: ast.NamedExpr, scope: Scope) -> list[Child]:
        home = scope
        while home.kind == "comprehension" and home.parent is not None:
            home = home.parent
        home.bound[node.target.id] = None
        self.mention(node.target.id, "bind" if home is scope else "read", scope, node.target, "id")
        return [(node.value, scope)]

    def parameters(self, node: ast.arguments, scope: Scope, inner: Scope) -> list[Child]:
        children: list[Child] = []
        groups: list[tuple[list[ast.arg], Role]] = [
            (node.posonlyargs, "bind"),
            (node.args, "parameter"),
            ([node.vararg] if node.vararg else [], "bind"),
            (node.kwonlyargs, "keyword"),
            ([node.kwarg] if node.kwarg else [], "bind"),
        ]
        for group, role in groups:
            for one in group:
                self.mention(one.arg, role, inner, one, "arg")
                if one.annotation:
                    children.append((one.annotation, scope))
        defaults = [default for default in (*node.defaults, *node.kw_defaults) if default is not None]
        return [*children, *((default, scope) for default in defaults)]

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> list[Child]:
        self.mention(node.name, "function", scope, node, "name")
        self.looks |= bool(getattr(node, "type_params", None))
        inner = self.inner("function", node, scope)
        around = self.parameters(node.args, scope, inner)
        around += [(child, scope) for child in (*node.decorator_list, node.returns) if child is not None]
        return [*around, *((child, inner) for child in node.body)]

    def function_expression(self, node: ast.Lambda, scope: Scope) -> list[Child]:
        inner = self.inner("function", node, scope)
        return [*self.parameters(node.args, scope, inner), (node.body, inner)]

    def class_(self, node: ast.ClassDef, scope: Scope) -> list[Child]:
        self.mention(node.name, "class", scope, node, "name")
        self.looks |= bool(getattr(node, "type_params", None))
        inner = self.inner("class", node, scope)
        around = [(child, scope) for child in (*node.decorator_list, *node.bases, *node.keywords)]
        return [*around, *((child, inner) for child in node.body)]

    def comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope
    ) -> list[Child]:
        inner = self.inner("comprehension", node, scope)
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        children: list[Child] = [(child, inner) for child in made]
        for number, part in enumerate(node.generators):
            children += [(part.target, inner), (part.iter, inner if number else scope)]
            children += [(child, inner) for child in part.ifs]
        return children

    def imports(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> list[Child]:
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")[0]
            self.looks |= module in _LOOKING_MODULES
            self.shows |= module in _SHOWING_MODULES
        for alias in node.names:
            if alias.name == "*":
                self.star = True
                continue
            top = alias.name.split(".")[0]
            self.looks |= top in (_LOOKING_MODULES if isinstance(node, ast.Import) else _LOOKING_ATTRIBUTES)
            self.shows |= isinstance(node, ast.Import) and top in _SHOWING_MODULES
            self.mention(alias.asname or top, "import", scope, alias, "asname" if alias.asname else "name")
        return []

    def declaration(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> list[Child]:
        for index, name in enumerate(node.names):
            scope.declared[name] = "global" if isinstance(node, ast.Global) else "nonlocal"
            self.mention(name, "read", scope, node, "names", index)
        return []

    def capture(
        self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping | ast.ExceptHandler, scope: Scope
    ) -> list[Child]:
        attribute = "rest" if isinstance(node, ast.MatchMapping) else "name"
        if name := getattr(node, attribute):
            self.mention(name, "bind", scope, node, attribute)
        return _inside(node, scope)

    def keyword(self, node: ast.keyword, scope: Scope) -> list[Child]:
        self.spreads |= node.arg is None or node.arg in _MAPPINGS
        if node.arg is not None:
            self.keywords.add(node.arg)
        return [(node.value, scope)]

    def attribute(self, node: ast.Attribute, scope: Scope) -> list[Child]:
        self.looks |= node.attr in _LOOKING_ATTRIBUTES
        return [(node.value, scope)]

    def constant(self, node: ast.Constant, scope: Scope) -> list[Child]:
        """``getattr(f, "__name__")`` looks at names too."""
        if isinstance(node.value, str):
            self.looks |= node.value in _LOOKING_ATTRIBUTES and node.value not in _PLAIN_WORDS
            if node.value.isidentifier():
                self.texts.add(node.value)
        return []

    def typed(self, node: ast.AST, scope: Scope) -> list[Child]:
        self.looks = True
        return _inside(node, scope)


def _inside(node: ast.AST, scope: Scope) -> list[Child]:
    children: list[Child] = []
    for name in _INNER[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, list):
            children += [(one, scope) for one in value if isinstance(one, ast.AST) and one._fields]
        elif isinstance(value, ast.AST) and value._fields:
            children.append((value, scope))
    return children


_BARE = frozenset(("ctx", "op", "attr", "id", "arg", "level", "module", "type_comment", "kind", "is_async"))
# By kind of node, the fields that may hold nodes with parts.
_INNER: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _BARE)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


_READERS: dict[type[ast.AST], Callable[[StatementNames, Any, Scope], list[Child]]] = {
    ast.Name: StatementNames.name,
    ast.AugAssign: StatementNames.augmented,
    ast.AnnAssign: StatementNames.annotated,
    ast.NamedExpr: StatementNames.walrus,
    ast.FunctionDef: StatementNames.function,
    ast.AsyncFunctionDef: StatementNames.function,
    ast.Lambda: StatementNames.function_expression,
    ast.ClassDef: StatementNames.class_,
    ast.ListComp: StatementNames.comprehension,
    ast.SetComp: StatementNames.comprehension,
    ast.DictComp: StatementNames.comprehension,
    ast.GeneratorExp: StatementNames.comprehension,
    ast.Import: StatementNames.imports,
    ast.ImportFrom: StatementNames.imports,
    ast.Global: StatementNames.declaration,
    ast.Nonlocal: StatementNames.declaration,
    ast.MatchAs: StatementNames.capture,
    ast.MatchStar: StatementNames.capture,
    ast.MatchMapping: StatementNames.capture,
    ast.ExceptHandler: StatementNames.capture,
    ast.keyword: StatementNames.keyword,
    ast.Attribute: StatementNames.attribute,
    ast.Constant: StatementNames.constant,
}
if hasattr(ast, "TypeAlias"):
    _READERS[ast.TypeAlias] = StatementNames.typed


def analyse(tree: ast.Module, keep: frozenset[str] = frozenset()) -> Names:
    """All bindings of a program. Never fails: what the compiler would refuse is read as well as it can be."""
    return bindings_of([StatementNames(statement) for statement in tree.body], keep)


def bindings_of(readings: Sequence[StatementNames], keep: frozenset[str]) -> Names:
    """All bindings of the statements of a module, which may have been read for another program."""
    module = Scope("module", ast.Module([], []), None)
    for one in readings:
        module.bound.update(one.module.bound)
        module.declared.update(one.module.declared)
    bindings: dict[tuple[int, str], Binding] = {}
    for one in readings:
        for (_, name), mentions in one.mentions.items():
            scope = mentions[0][1].scope
            home = _home(name, scope, module)
            binding = bindings.setdefault((id(home), name), Binding(home, name))
            binding.roles.update(role for role, _ in mentions)
            places = (place for _, place in mentions)
            outermost = scope is one.module
            binding.places += (place._replace(scope=module) for place in places) if outermost else places
    names = Names(
        list(bindings.values()),
        [module, *(scope for one in readings for scope in one.scopes)],
        frozenset().union(*(one.keywords | one.texts for one in readings)),
        frozenset(_exported(readings) if "__all__" in module.bound else ()),
    )
    _settle(names, readings, keep)
    return names


def _home(name: str, start: Scope, module: Scope) -> Scope | None:
    """The scope whose variable a mention of ``name`` in ``start`` is; None if there is none."""
    inner = False
    for scope in start.outward(module):
        declared = scope.declared.get(name)
        if declared == "global":
            return module if name in module.bound else None
        inner |= declared == "nonlocal"
        if name in scope.bound and not (inner and scope.kind == "module"):
            return scope
    return None


def _settle(names: Names, readings: Sequence[StatementNames], keep: frozenset[str]) -> None:
    """Say for every binding which rule holds it, if one does."""
    class_bound = {name for scope in names.scopes if scope.kind == "class" for name in scope.bound}
    fallback = BUILTINS | class_bound.intersection(name for one in readings for name in one.class_reads)
    keywords = frozenset().union(*(one.keywords for one in readings))
    texts = frozenset().union(*(one.texts for one in readings))
    spreads, star = any(one.spreads for one in readings), any(one.star for one in readings)
    shows, mangled = any(one.shows for one in readings), {m for one in names.bindings for m in _mangled(one)}
    looks = any(one.looks for one in readings) or any(
        one.name in _LOOKING and (one.scope is None or one.scope.kind in ("module", "class"))
        for one in names.bindings
    )
    for one in names.bindings:
        name, roles, kind = one.name, one.roles, one.scope.kind if one.scope else None
        parameter = "parameter" in roles
        if kind is None:
            one.stays = "free"
        elif kind == "class":
            one.stays = "attribute"
        elif "class" in roles:
            one.stays = "class"
        elif "import" in roles:
            one.stays = "import"
        elif name.startswith("__") or name in mangled:
            one.stays = "private"
        elif name in keep:
            one.stays = "keep"
        elif kind == "module" and name in names.exported:
            one.stays = "exported"
        elif "keyword" in roles or (parameter and name in keywords):
            one.stays = "keyword"
        elif parameter and spreads:
            one.stays = "spread"
        elif parameter and name in texts:
            one.stays = "text"
        elif kind == "module" and (star or name in fallback):
            one.stays = "fallback"
        elif "function" in roles and shows:
            one.stays = "shown"
        elif looks:
            one.stays = "seen"


def _mangled(one: Binding) -> Iterator[str]:
    """What the compiler makes of ``__x`` in a class ``A``: ``_A__x``."""
    for place in one.places if one.name.startswith("__") else ():
        scope: Scope | None = place.scope
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        if scope is not None:
            yield f"_{getattr(scope.node, 'name', '').lstrip('_')}{one.name}"


def _exported(readings: Sequence[StatementNames]) -> Iterator[str]:
    """Every text in a statement of the module that mentions ``__all__``."""
    for reading in readings:
        nodes = list(ast.walk(reading.module.node))
        if any(isinstance(node, ast.Name) and node.id == "__all__" for node in nodes):
            for node in nodes:
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value
