"""What trees, and parts of them, are compared by, and which definitions of two programs belong together."""

from __future__ import annotations

import ast
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from copy import copy
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any

from assay.instruments.repeatability.programs.parsing import Parsed, PerPiece, Piece, is_text, read

__all__ = [
    "Definition",
    "Documented",
    "Function",
    "Key",
    "body_blocks",
    "definition_pairs",
    "docstring_of",
    "exchanged_key",
    "given_names",
    "key",
    "names_by_piece",
    "same_tree",
    "tree_key",
]

Key = tuple[object, ...]
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
Blocks = Mapping[int, Sequence[ast.stmt]]  # by identity of a block, what stands in its place

# Fields of each kind of node, last first. Whether a name is read or bound follows from where it stands, and the
# parser is never asked for comments on types.
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in reversed(kind._fields) if name not in ("ctx", "type_comment"))
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
_VALUES = {kind: attrgetter(*names) for kind, names in _FIELDS.items() if len(names) > 1}
_DOCUMENTED = frozenset((ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
_ANNOTATED = frozenset((ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.AnnAssign))


def key(node: ast.AST, *, docstrings: bool = True, annotations: bool = True, blocks: Blocks = {}) -> Key:  # noqa: B006
    """Equal for equal trees, wherever they stand; flat, so that no depth of nesting is too deep for it."""
    out: list[object] = []
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
            if not docstrings and kind in _DOCUMENTED and docstring_of(item) is not None:
                rest = item.body[1:]
                item = copy(item)
                item.body = rest or ([] if kind is ast.Module else [ast.Pass()])
            out.append(kind)
            if len(fields) > 1:
                stack += _VALUES[kind](item)
            elif fields:
                stack.append(getattr(item, fields[0]))
        elif kind is list:
            if blocks:
                item = blocks.get(id(item), item)
            out.append(len(item))
            stack += reversed(item)
        else:  # by type too, and floats as they are written: 1, 1.0, True, 0.0 and -0.0 are all different
            out.append(kind)
            out.append(repr(item) if isinstance(item, float | complex) else item)
    return tuple(out)


def _unannotated(node: ast.AST) -> ast.AST:
    """The node itself without its annotation; a variable that gets no value has nothing else."""
    if isinstance(node, ast.AnnAssign):
        return node if node.value is None else ast.Assign([node.target], node.value)
    fresh = copy(node)
    if isinstance(fresh, ast.arg):
        fresh.annotation = None
    elif isinstance(fresh, Function):
        fresh.returns = None
    return fresh


def _keys(piece: Piece, *, docstrings: bool, annotations: bool) -> list[Key]:
    return [key(one, docstrings=docstrings, annotations=annotations) for one in piece.statements]


_KEYS = {  # by whether docstrings and annotations count
    both: PerPiece(partial(_keys, docstrings=both[0], annotations=both[1]))
    for both in ((True, True), (False, True), (True, False))
}


@lru_cache(maxsize=32)  # a text is proposed, taken and laid out
def tree_key(parsed: Parsed, *, docstrings: bool = True, annotations: bool = True) -> tuple[Key, ...]:
    """The keys of the statements of a module."""
    keys = [one for piece in _KEYS[docstrings, annotations].of(parsed) for one in piece]
    return tuple(keys[1:] if parsed.documented and not docstrings else keys)


def exchanged_key(tree: ast.Module, blocks: Blocks) -> tuple[Key, ...]:
    """As ``tree_key``, of a tree with other statements in the place of some blocks."""
    return tuple(key(one, blocks=blocks) for one in blocks.get(id(tree.body), tree.body))


def same_tree(
    source: str, wanted: tuple[Key, ...], *, docstrings: bool = True, annotations: bool = True
) -> bool:
    """Whether a text parses, to the tree of that key."""
    found = read(source)
    return found is not None and tree_key(found, docstrings=docstrings, annotations=annotations) == wanted


def given_names(parsed: Parsed) -> Counter[str]:
    """How often each name is given to something, in whatever scope; ``*`` for an import of everything."""
    found: Counter[str] = Counter()
    for one in _GIVEN.of(parsed):
        found.update(one)
    return found


def names_by_piece(parsed: Parsed) -> set[tuple[str, ...]]:
    """The names that each piece gives to something, in the order in which they first appear."""
    return set(map(tuple, _GIVEN.of(parsed)))


def _given(piece: Piece) -> Counter[str]:
    found: Counter[str] = Counter()
    for node in piece.nodes:
        match node:
            case ast.Name():
                found[node.id] += not isinstance(node.ctx, ast.Load)
            case ast.alias():
                found[node.asname or node.name.split(".")[0]] += 1
            case ast.arg(arg=name) | ast.MatchMapping(rest=str() as name):
                found[name] += 1
            case _ if isinstance(own := getattr(node, "name", None), str):
                found[own] += 1
    return +found


_GIVEN = PerPiece(_given)


def docstring_of(node: ast.AST) -> ast.Expr | None:
    """The statement that is the docstring of a module, class or function."""
    if isinstance(node, Documented) and node.body and is_text(node.body[0]):
        first = node.body[0]
        assert isinstance(first, ast.Expr)
        return first
    return None


def body_blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """The lists of statements directly in a statement, always as many for the same kind of statement."""
    blocks: list[list[ast.stmt]] = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        blocks.append(part.body)
    return blocks


def _inner_definitions(node: ast.AST) -> list[Definition]:
    found: list[Definition] = []
    waiting = [statement for block in body_blocks(node) for statement in block]
    for statement in waiting:
        if isinstance(statement, Definition):
            found.append(statement)
        elif hasattr(statement, "body"):
            waiting += (inner for block in body_blocks(statement) for inner in block)
    return sorted(found, key=lambda one: (one.lineno, one.col_offset))


def definition_pairs(mine: ast.Module, theirs: ast.Module) -> list[tuple[Documented, Documented | None]]:
    """Every definition of a program beside that of the canon with its name, else that in its place, else None."""
    pairs: list[tuple[Documented, Documented | None]] = [(mine, theirs)]
    for node, fellow in pairs:
        inner = _inner_definitions(node)
        twins = _inner_definitions(fellow) if fellow is not None else []
        chosen: dict[Definition, Definition] = {}
        for same_name in (True, False):
            waiting: dict[object, deque[Definition]] = {}
            taken = set(chosen.values())
            for other in twins:
                if other not in taken:
                    waiting.setdefault(_kind(other, same_name), deque()).append(other)
            for one in inner:
                if one not in chosen and (fitting := waiting.get(_kind(one, same_name))):
                    chosen[one] = fitting.popleft()
        pairs += ((one, chosen.get(one)) for one in inner)
    return pairs


def _kind(definition: Definition, named: bool) -> tuple[bool, str]:
    return isinstance(definition, ast.ClassDef), definition.name if named else ""
