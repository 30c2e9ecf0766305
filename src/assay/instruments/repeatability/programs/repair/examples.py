"""The step ``examples``: what a reply shows of the use of its program, and no caller ever meets.

============================ =========================================== =========================================
what goes                    condition                                   what the condition keeps out
============================ =========================================== =========================================
``if __name__ ==             none: a program that is called by its       a guard with an ``else``
"__main__":`` and its body   entry point is not run as a script
statements below the last    they ran to their end when the program was  ``print(f(3))`` where f counts its calls;
definition                   loaded, what they bind is mentioned by no   ``limit = 5`` that f reads;
                             definition, and a call leaves nothing       ``random.seed(1)``; ``f.limit = 5``
                             behind (``_leaves_nothing``)
============================ =========================================== =========================================

A guard that the canon has is added where the program has none: it is never run.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from assay.instruments.repeatability.programs.parsing import is_text

from .program import ProgramText, without
from .trees import Definition, Function, same_tree

__all__ = ["propose_examples"]

_MODULES = frozenset(
    ("abc", "bisect", "collections", "copy", "dataclasses", "datetime", "enum", "fractions", "functools", "heapq",
     "itertools", "json", "math", "operator", "re", "statistics", "string", "time", "typing")
)  # fmt: skip
_BUILTINS = frozenset(
    ("abs", "all", "any", "ascii", "bin", "bool", "bytes", "chr", "complex", "dict", "divmod", "enumerate", "filter",
     "float", "format", "frozenset", "hash", "hex", "int", "isinstance", "issubclass", "iter", "len", "list", "map",
     "max", "min", "next", "object", "oct", "ord", "pow", "print", "property", "range", "repr", "reversed", "round",
     "set", "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple", "zip", "__name__")
)  # fmt: skip
_DECORATORS = ("staticmethod", "property", "abstractmethod")
_EXAMPLES = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.If, ast.Assert, ast.Pass)
_IMMUTABLE = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.Load)


def propose_examples(here: ProgramText, there: ProgramText) -> Iterator[str]:
    """Without guards and examples, then without either; with the canon's guard where there is none."""
    body = here.tree.body
    guards, wanted, examples = _guards(here), _guards(there), _examples(here)
    for gone in ([*guards, *examples], guards, examples):
        source = without(here, [(body, one) for one in gone]) if gone else None
        if source is not None:
            yield source
    if wanted and not guards:
        rows = there.rows(wanted[0])
        guard = there.lines[there.above(rows[0]) - 1 : rows[1]]
        source = "\n".join((here.text.rstrip("\n"), *guard, ""))
        if same_tree(source, (*here.key, there.key_of(wanted[0], docstrings=True))):
            yield source


def _guards(where: ProgramText) -> list[ast.stmt]:
    return [one for one in where.tree.body if _is_guard(one)]


def _is_guard(statement: ast.stmt) -> bool:
    match statement:
        case ast.If(
            test=ast.Compare(
                left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant("__main__")]
            )
            | ast.Compare(
                left=ast.Constant("__main__"), ops=[ast.Eq()], comparators=[ast.Name(id="__name__")]
            ),
            orelse=[],
        ):
            return True
    return False


def _examples(here: ProgramText) -> list[ast.stmt]:
    """The statements below the last definition, as far up as they are examples."""
    body = [one for one in here.tree.body if not _is_guard(one)]
    found: list[ast.stmt] = []
    while body and _is_example(body[-1]):
        found.append(body.pop())
    while found and (bound := _bound_for_others(here, found)):
        body += reversed(found[bound[0] :])
        del found[bound[0] :]
    defined = any(isinstance(one, Definition) for one in body)
    return found if found and defined and _leaves_nothing(here, body, found) else []


def _is_example(statement: ast.stmt) -> bool:
    """Whether it is of a harmless kind, and binds names only."""
    return all(
        isinstance(node, _EXAMPLES)
        if isinstance(node, ast.stmt)
        else not (
            isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del)
        )
        for node in ast.walk(statement)
    )


def _bound_for_others(here: ProgramText, examples: Sequence[ast.stmt]) -> list[int]:
    """Which examples bind a name that somebody else mentions or calls."""
    inside = {node for one in (*examples, *_guards(here)) for node in ast.walk(one)}
    shared = {
        place.node
        for one in here.names.bindings
        if one.name in here.keep or any(place.node not in inside for place in one.places)
        for place in one.places
        if isinstance(place.node, ast.Name) and not isinstance(place.node.ctx, ast.Load)
    }
    return [number for number, one in enumerate(examples) if not shared.isdisjoint(ast.walk(one))]


def _leaves_nothing(here: ProgramText, rest: Sequence[ast.stmt], examples: Sequence[ast.stmt]) -> bool:
    """Whether a call leaves nothing behind that a later one could meet.

    All names of the module are functions, classes, pure imports and constants that cannot change. Functions and
    classes are called, derived from, raised and caught, and nothing else, so nobody sets their attributes; no
    default, and no attribute that a class has of its own, can change.
    """
    free = {one.name for one in here.names.bindings if one.scope is None} - _BUILTINS
    nodes = [node for one in (*rest, *examples) for node in ast.walk(one)]
    defined = {node.name for node in nodes if isinstance(node, Definition)}
    imported = {one.name for one in here.names.bindings if "import" in one.roles}
    used = {id(one) for node in nodes for place in _uses(node) for one in ast.walk(place)}
    return (
        all(map(_is_exception, free))
        and all(isinstance(one, Definition | ast.Import | ast.ImportFrom) or _constant(one) for one in rest)
        and all(map(_is_quiet, nodes))
        and not any(isinstance(one, ast.Name) and one.id in defined and id(one) not in used for one in nodes)
        and not any(_changes(one, imported) for one in nodes)
    )


def _changes(node: ast.AST, imported: set[str]) -> bool:
    """Whether it sets something of a module."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name in imported
    return False


def _is_exception(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


def _constant(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(target=ast.Name(), value=value):
            return value is None or _immutable(value)
    return is_text(statement) or isinstance(statement, ast.Pass)


def _immutable(value: ast.expr) -> bool:
    return all(isinstance(node, _IMMUTABLE) for node in ast.walk(value))


def _uses(node: ast.AST) -> list[ast.expr]:
    """Where a function or a class may be named."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass") as func, args=[_, kinds]):
            return [func, kinds]
        case ast.Call(func=ast.Name() as func):
            return [func]
        case ast.ClassDef(bases=bases):
            return bases
        case ast.Raise(exc=ast.Name() as raised):
            return [raised]
        case ast.ExceptHandler(type=ast.expr() as kind):
            return [kind]
        case ast.arg(annotation=ast.expr() as kind) | ast.AnnAssign(annotation=kind):
            return [kind]
        case ast.FunctionDef(returns=ast.expr() as kind) | ast.AsyncFunctionDef(returns=ast.expr() as kind):
            return [kind]
    return []


def _is_quiet(node: ast.AST) -> bool:
    """Whether the node itself, whatever its parts are, leaves nothing behind."""
    match node:
        case ast.Import(names=names):
            return all(alias.name.split(".")[0] in _MODULES for alias in names)
        case ast.ImportFrom(module=module, level=level):
            return not level and (module or "").split(".")[0] in _MODULES
        case ast.arguments(defaults=defaults, kw_defaults=named):
            return all(_immutable(one) for one in (*defaults, *named) if one is not None)
        case ast.FunctionDef(decorator_list=decorators) | ast.AsyncFunctionDef(decorator_list=decorators):
            return all(isinstance(one, ast.Name) and one.id in _DECORATORS for one in decorators)
        case ast.ClassDef(decorator_list=[], keywords=[], bases=bases, body=body):
            plain = all(isinstance(one, Function) or _constant(one) for one in body)
            return plain and all(isinstance(base, ast.Name) for base in bases)
        case ast.Attribute(attr=name):
            return not name.startswith("__") or name == "__init__"
        case ast.ClassDef() | ast.Global():
            return False
    return True
