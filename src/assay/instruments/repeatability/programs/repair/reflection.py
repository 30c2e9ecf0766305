"""What a program can see of itself. A difference that it could notice is none that repair may remove.

Every rule errs on the side of seeing: a word is enough, be it a name, an attribute, an import, or a text that is
nothing but the word. Attributes that are read by a name that is not spelt out may be any.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from assay.instruments.repeatability.programs.parsing import Parsed, PerPiece, Piece

__all__ = ["reads_source", "sees_annotations", "sees_docstrings", "sees_names", "shown_by_messages"]

_UNKNOWN = "*"  # an attribute that is not spelt out
_READERS = {
    "getattr": slice(1, 2),
    "hasattr": slice(1, 2),
    "attrgetter": slice(0, None),
    "methodcaller": slice(0, 1),
}

# Its own text and line numbers.
_SOURCE = frozenset(
    ("inspect", "linecache", "traceback", "getsource", "__file__", "__loader__", "__spec__", "lineno", "f_lineno",
     "tb_lineno", "co_firstlineno")
)  # fmt: skip
# What stands in a namespace.
_NAMESPACES = frozenset(
    ("vars", "dir", "globals", "locals", "eval", "exec", "metaclass", "__dict__", "__prepare__", "__init_subclass__",
     "__getattribute__", "__build_class__", "__closure__", _UNKNOWN)
)  # fmt: skip
_DOCSTRINGS = frozenset(("__doc__", "help", "doctest", "pydoc", "getdoc"))
_ANNOTATIONS = frozenset(
    ("__annotations__", "__annotate__", "get_type_hints", "get_annotations", "singledispatch", "singledispatchmethod",
     "dataclass", "dataclasses", "make_dataclass", "NamedTuple", "TypedDict", "Protocol", "BaseModel", "pydantic",
     "attr", "attrs", "define", "beartype", "typeguard", "typechecked", "validate_call")
)  # fmt: skip
# Names that are written nowhere, and annotations that are texts.
_NAMES = frozenset(("__import__", "importlib", "__all__", "modules", "__main__"))
_TEXTS = frozenset(
    ("get_type_hints", "dataclass", "dataclasses", "NamedTuple", "TypedDict", "pydantic", "attr", "attrs")
)


# An exception that is handed on by other ways than the name of a handler.
_HANDED_ON = frozenset(("exc_info", "__exit__", "__aexit__", "__context__", "__cause__", "excepthook"))
_BOTH = frozenset(("functions", "variables"))
# What the interpreter may name when it words one of these; of others that are built in, nothing that may be renamed.
_MESSAGES_OF: dict[str, frozenset[str]] = {
    **{name: frozenset() for name, kind in vars(builtins).items() if isinstance(kind, type)},
    "TypeError": frozenset(("functions",)),
    **dict.fromkeys(("NameError", "UnboundLocalError"), frozenset(("variables",))),
    **dict.fromkeys(("Exception", "BaseException", "ExceptionGroup", "BaseExceptionGroup"), _BOTH),
}


def reads_source(parsed: Parsed) -> bool:
    """Whether it can see how it is laid out."""
    return _mentions(parsed, _SOURCE)


def sees_docstrings(parsed: Parsed) -> bool:
    return _mentions(parsed, _DOCSTRINGS | _NAMESPACES)


def sees_annotations(parsed: Parsed) -> bool:
    return _mentions(parsed, _ANNOTATIONS | _NAMESPACES)


def sees_names(parsed: Parsed) -> bool:
    """Whether a name that nothing mentions may still be used, or be seen to be there."""
    return _mentions(parsed, _NAMES | _NAMESPACES | _TEXTS)


def shown_by_messages(parsed: Parsed) -> frozenset[str]:
    """What the interpreter may name in a message that the program can read: ``functions`` with their parameters,
    and ``variables``."""
    return frozenset().union(*_MESSAGES.of(parsed))


def _mentions(parsed: Parsed, words: frozenset[str]) -> bool:
    return not all(words.isdisjoint(found) for found in _WORDS.of(parsed))


def _words(piece: Piece) -> frozenset[str]:
    words = {word for node in piece.nodes for word in _words_of(node)}
    readers = not words.isdisjoint(_READERS)
    if readers and sum(_reader(node) != "" for node in piece.nodes) > sum(map(_spells_out, piece.nodes)):
        words.add(_UNKNOWN)
    return frozenset(words)


def _words_of(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name():
            yield node.id
        case ast.Attribute():
            yield node.attr
        case ast.Constant(value=str() as text) if text.isidentifier():
            yield text
        case ast.alias():
            yield from node.name.split(".")
        case ast.ImportFrom(module=str() as module):
            yield from module.split(".")
        case ast.keyword(arg=str() as word):
            yield word
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield node.name
        case ast.ClassDef(bases=bases):
            names = (getattr(base, "id", "") or getattr(base, "attr", "") for base in bases)
            if any(name in ("type", "EnumType") or name.endswith("Meta") for name in names):
                yield "metaclass"


def _reader(node: ast.AST) -> str:
    """``getattr`` and the like, by whatever way they are reached; empty for anything else."""
    name = getattr(node, "id", "") or getattr(node, "attr", "")
    return name if name in _READERS else ""


def _spells_out(node: ast.AST) -> bool:
    """Whether a call of one of them says which attributes it reads."""
    if not isinstance(node, ast.Call) or not _reader(node.func):
        return False
    names = node.args[_READERS[_reader(node.func)]]
    return bool(names) and all(isinstance(one, ast.Constant) for one in names)


def _messages(piece: Piece) -> frozenset[str]:
    nodes = piece.nodes
    if not _HANDED_ON.isdisjoint(_words(piece)):
        return _BOTH
    return frozenset().union(
        *(_named_by(node.type) for node in nodes if isinstance(node, ast.ExceptHandler) and _is_read(node))
    )


def _named_by(caught: ast.expr | None) -> frozenset[str]:
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    found = (_MESSAGES_OF.get(kind.id, _BOTH) if isinstance(kind, ast.Name) else _BOTH for kind in kinds)
    return frozenset().union(*found)


def _is_read(handler: ast.ExceptHandler) -> bool:
    """Whether the exception is used for more than to be raised again, named as a cause, or printed."""
    nodes = [node for one in handler.body for node in ast.walk(one)]
    unread: set[ast.AST | None] = set()
    for node in nodes:
        match node:
            case ast.Raise(exc=raised, cause=cause):
                unread |= {raised, cause}
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
                unread.update(ast.walk(node))
    return any(
        isinstance(node, ast.Name) and node.id == handler.name and node not in unread for node in nodes
    )


_WORDS = PerPiece(_words)
_MESSAGES = PerPiece(_messages)
