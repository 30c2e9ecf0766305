"""Keys: what trees, and parts of them, are compared by. Equal for equal trees, wherever they stand."""

from __future__ import annotations

import ast
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, NamedTuple, get_args

from assay.instruments.repeatability.programs.names import twin
from assay.instruments.repeatability.programs.normalisation import ByStatement, Parsed, read

__all__ = [
    "Documented",
    "Flat",
    "Key",
    "docstring_of",
    "key",
    "same_tree",
    "statement_key",
    "statement_keys",
    "tree_key",
]

Key = tuple[object, ...]
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstring_of(node: ast.AST) -> ast.Expr | None:
    """The statement that is the docstring of a module, class or function."""
    if isinstance(node, Documented) and node.body:
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            return first if isinstance(first.value.value, str) else None
    return None


# Fields of each kind of node, last first. Whether a name is read or bound follows from where it stands, and the
# parser is never asked for comments on types.
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in reversed(kind._fields) if name not in ("ctx", "type_comment"))
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


_VALUES = {kind: attrgetter(*names) for kind, names in _FIELDS.items() if len(names) > 1}
_DOCUMENTED = frozenset(get_args(Documented))


def key(node: ast.AST, *, docstrings: bool = True, annotations: bool = True) -> Key:
    """Equal for equal trees, wherever they stand; flat, so that no depth of nesting is too deep for it."""
    if type(node) is ast.Name:
        return ast.Name, node.id
    return tuple(Flat(node, docstrings=docstrings, annotations=annotations).items)


class Flat:
    """A tree as a row of items, kinds of nodes first, and where in it each statement stands."""

    def __init__(self, node: ast.AST, *, docstrings: bool, annotations: bool = True) -> None:
        self.items: list[object] = []
        self.spans: dict[ast.AST, tuple[int, int]] = {}
        out = self.items
        stack: list[object] = [node]
        while stack:
            item: Any = stack.pop()
            kind = type(item)
            if kind is str or item is None:
                out.append(item)
            elif kind is ast.Name:
                out += kind, item.id
            elif (fields := _FIELDS.get(kind)) is not None:
                if not annotations and kind in _ANNOTATED:
                    item = _unannotated(item)
                    kind = type(item)
                    fields = _FIELDS[kind]
                out.append(kind)
                if isinstance(item, ast.stmt):
                    stack.append(_End(item, len(out) - 1))
                if len(fields) > 1:
                    stack += _VALUES[kind](item)
                elif fields:
                    stack.append(getattr(item, fields[0]))
                if not docstrings and kind in _DOCUMENTED and docstring_of(item) is not None:
                    rest: list[ast.stmt] = item.body[1:]
                    if not rest and not isinstance(item, ast.Module):
                        rest = [ast.Pass()]
                    stack[-1 - fields[::-1].index("body")] = rest
            elif kind is list:
                out.append(len(item))
                stack += reversed(item)
            elif kind is _End:
                self.spans[item.statement] = item.start, len(out)
            else:  # by type too, and floats as they are written: 1, 1.0, True, 0.0 and -0.0 are all different
                out.append(kind)
                out.append(repr(item) if isinstance(item, float | complex) else item)


class _End(NamedTuple):
    """Comes up when all of a statement has been written; it began at ``start``."""

    statement: ast.stmt
    start: int


_ANNOTATED = frozenset((ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.AnnAssign))


def _unannotated(node: ast.AST) -> ast.AST:
    """The node itself without its annotation; a variable that gets no value has nothing else."""
    if isinstance(node, ast.AnnAssign):
        return node if node.value is None else ast.Assign([node.target], node.value)
    fresh = twin(node)
    if isinstance(fresh, ast.arg):
        fresh.annotation = None
    elif isinstance(fresh, ast.FunctionDef | ast.AsyncFunctionDef):
        fresh.returns = None
    return fresh


_KEYS = {  # by whether docstrings and annotations count
    (True, True): ByStatement(key),
    (False, True): ByStatement(partial(key, docstrings=False)),
    (True, False): ByStatement(partial(key, annotations=False)),
}


@lru_cache(maxsize=32)  # a text is proposed, taken and laid out
def tree_key(parsed: Parsed, *, docstrings: bool = True, annotations: bool = True) -> Key:
    """The keys of the statements of a module."""
    keys = _KEYS[docstrings, annotations].of(parsed)
    return tuple(keys[1:] if parsed.documented and not docstrings else keys)


def same_tree(source: str, wanted: Key, *, docstrings: bool = True, annotations: bool = True) -> bool:
    """Whether a text parses, to the tree of that key."""
    found = read(source)
    return found is not None and tree_key(found, docstrings=docstrings, annotations=annotations) == wanted


def statement_keys(parsed: Parsed) -> list[Key]:
    return _KEYS[True, True].of(parsed)


def statement_key(part: str | None, statement: ast.stmt, *, docstrings: bool) -> Key:
    """The key of a statement of a module, ``part`` being what ``Parsed`` has for it."""
    return _KEYS[docstrings, True].one(part, statement)
