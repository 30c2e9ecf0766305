"""What a program can see of itself. A difference that it could notice is none that repair may remove.

Every rule errs on the side of seeing: a word is enough, be it a name, an attribute, an import, or a text that is
nothing but the word. Attributes that are read by a name that is not spelt out may be any.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from functools import partial

from assay.instruments.repeatability.programs.parsing import Parsed, PerPiece, Piece

__all__ = [
    "makes_texts",
    "reads_source",
    "sees_annotations",
    "sees_docstrings",
    "sees_names",
    "shown_by_messages",
    "shows_name",
    "used_on_the_spot",
]

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
_HANDED_ON = frozenset(
    ("exc_info", "__exit__", "__aexit__", "__context__", "__cause__", "excepthook", "unraisablehook", "last_value",
     "last_exc", "exception", "return_exceptions", "set_exception_handler", "push", "throw", "athrow")
)  # fmt: skip
# What is printed can be read where output is caught.
_CATCHES_OUTPUT = frozenset(
    ("redirect_stdout", "redirect_stderr", "stdout", "stderr", "StringIO", "__stdout__")
)
# What makes a text of any value, besides formatted strings and ``%``.
_TEXT_MAKERS = frozenset(
    ("str", "repr", "ascii", "print", "format", "format_map", "substitute", "safe_substitute", "__str__", "__repr__",
     "__format__", "pprint", "pformat", "pp", "saferepr", "reprlib", "dumps", "dump", "warn", "write", "writerow",
     "StringIO", "logging", "operator", "methodcaller", "attrgetter", "getattr")
)  # fmt: skip
_BOTH = frozenset(("functions", "variables"))
_CONSUMERS = frozenset(
    (
        "sum",
        "any",
        "all",
        "min",
        "max",
        "sorted",
        "list",
        "tuple",
        "set",
        "frozenset",
        "dict",
        "join",
        "extend",
        "update",
    )
)
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
    read = _MESSAGES_IN_OUTPUT if _mentions(parsed, _CATCHES_OUTPUT) else _MESSAGES
    return frozenset().union(*read.of(parsed))


def makes_texts(parsed: Parsed) -> bool:
    """Whether it may make a text of a value that is a function: such a text holds the function's name."""
    return any(_TEXTS_MADE.of(parsed))


def used_on_the_spot(node: ast.AST) -> Iterator[ast.AST]:
    """Functions that are called and generators that are used up where they stand: nothing else gets hold of them."""
    match node:
        case ast.Call(func=called, args=args):
            yield called
            name = getattr(called, "id", "") or getattr(called, "attr", "")
            if name in _CONSUMERS:
                yield from (one for one in args if isinstance(one, ast.GeneratorExp))


def shows_name(mention: ast.AST, used: frozenset[ast.AST]) -> bool:
    """Whether a text of something may hold the name of a function, at a mention that is not its call.

    The definition alone shows nothing, if what it makes is no generator and nothing in it is named after it.
    ``used`` are the nodes that are used on the spot.
    """
    match mention:
        case ast.Global() | ast.Nonlocal() | ast.Name(ctx=ast.Store() | ast.Del()):
            return False
        case ast.FunctionDef(decorator_list=[]):
            inner = [node for one in mention.body for node in ast.walk(one)]
            defined = {
                node.name for node in inner if isinstance(node, ast.FunctionDef) and not node.decorator_list
            }
            return any(_named_after(node, used, defined) for node in inner)
    return True


def _named_after(node: ast.AST, used: frozenset[ast.AST], defined: set[str]) -> bool:
    """Whether it is or makes what prints as ``<function outer.<locals>.inner …>`` or ``<generator object outer …>``."""
    match node:
        case ast.Lambda() | ast.GeneratorExp():
            return node not in used
        case ast.Name(id=name, ctx=ast.Load()):
            return name in defined and node not in used
        case ast.FunctionDef(decorator_list=decorators):
            return bool(decorators)
    return isinstance(node, ast.AsyncFunctionDef | ast.ClassDef | ast.Yield | ast.YieldFrom)


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


def _text_made(piece: Piece) -> bool:
    """Annotations aside, where ``str`` makes nothing."""
    written = [one for node in piece.nodes for one in _annotations(node)]
    aside = {node for one in written for node in ast.walk(one)}
    return any(_makes_text(node) for node in piece.nodes if node not in aside)


def _annotations(node: ast.AST) -> Iterator[ast.expr]:
    for name in ("annotation", "returns"):
        found = getattr(node, name, None)
        if found is not None:
            yield found


def _makes_text(node: ast.AST) -> bool:
    match node:
        case ast.FormattedValue():
            return True
        case ast.BinOp(op=ast.Mod(), right=right) | ast.AugAssign(op=ast.Mod(), value=right):
            return not (isinstance(right, ast.Constant) and isinstance(right.value, int | float))
    return not _TEXT_MAKERS.isdisjoint(_words_of(node))


def _messages(piece: Piece, *, printed: bool = False) -> frozenset[str]:
    nodes = piece.nodes
    if not _HANDED_ON.isdisjoint(_words(piece)):
        return _BOTH
    return frozenset().union(
        *(
            _named_by(node.type)
            for node in nodes
            if isinstance(node, ast.ExceptHandler) and _is_read(node, printed)
        )
    )


def _named_by(caught: ast.expr | None) -> frozenset[str]:
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    found = (_MESSAGES_OF.get(kind.id, _BOTH) if isinstance(kind, ast.Name) else _BOTH for kind in kinds)
    return frozenset().union(*found)


def _is_read(handler: ast.ExceptHandler, printed: bool) -> bool:
    """Whether the exception is used for more than to be raised again, named as a cause, or printed.

    ``printed`` where a program can read what it prints.
    """
    nodes = [node for one in handler.body for node in ast.walk(one)]
    unread: set[ast.AST | None] = set()
    for node in nodes:
        match node:
            case ast.Raise(exc=raised, cause=cause):
                unread |= {raised, cause}
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"))) if not printed:
                unread.update(ast.walk(node))
    return any(
        isinstance(node, ast.Name) and node.id == handler.name and node not in unread for node in nodes
    )


_WORDS = PerPiece(_words)
_MESSAGES = PerPiece(_messages)
_MESSAGES_IN_OUTPUT = PerPiece(partial(_messages, printed=True))
_TEXTS_MADE = PerPiece(_text_made)
