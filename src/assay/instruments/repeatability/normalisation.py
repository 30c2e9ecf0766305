"""Levels of sameness: what is done to a program before it is compared.

``text/1``
    CRLF and CR become LF, every line and the end of the text are right-stripped.
``ast/1+pyX.Y``
    The program as the interpreter prints its syntax tree, docstrings removed. How a tree is printed differs
    between Python versions, so the version is part of the name and comparisons are made from the raw text anew.
    Code that does not parse, or is nested more than 500 levels deep, falls back to ``text/1`` (spec, "Syntax
    errors in code").
``astdump/1+pyX.Y``
    The dumped syntax tree with docstrings, for R_ast. Same fallback.
"""

from __future__ import annotations

import ast
import hashlib
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

__all__ = ["LEVELS", "VERSIONS", "Normal", "ast_key", "normalise", "signature"]

_PYTHON = f"py{sys.version_info.major}.{sys.version_info.minor}"
VERSIONS = {"text": "text/1", "ast": f"ast/1+{_PYTHON}", "astdump": f"astdump/1+{_PYTHON}"}

_DEEPEST = 500
_ROOM = 20 * _DEEPEST  # frames that printing or dumping the deepest tree may take, with plenty to spare
_LIMIT = threading.Lock()


class Normal(NamedTuple):
    """A normalised program; ``fallback`` when the level's own rule could not be applied."""

    text: str
    fallback: bool = False


def signature(normal: str) -> str:
    """SHA-256 over the normalised text in UTF-8."""
    return hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()


def _text(source: str) -> str:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip()


@contextmanager
def _room() -> Iterator[None]:
    """Room on the stack, so that what a program is read as never depends on how deep its reader stands."""
    with _LIMIT:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(before + _ROOM)
        try:
            yield
        finally:
            sys.setrecursionlimit(before)


def _parse(source: str) -> ast.Module | None:
    """The tree, or None for whatever a model can write that is not Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return None if _too_deep(tree) else tree


def _too_deep(tree: ast.AST) -> bool:
    layer = [tree]
    for _ in range(_DEEPEST):
        layer = [child for node in layer for child in ast.iter_child_nodes(node)]
        if not layer:
            return False
    return True


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                del node.body[0]
                if not node.body and not isinstance(node, ast.Module):
                    node.body.append(ast.Pass())
    return tree


def _level_text(source: str) -> Normal:
    return Normal(_text(source))


def _level_ast(source: str) -> Normal:
    with _room():
        tree = _parse(source)
        if tree is not None:
            try:
                return Normal(ast.unparse(ast.fix_missing_locations(_without_docstrings(tree))))
            except (RecursionError, ValueError):  # what the interpreter itself will not print: huge numbers
                pass
    return Normal(_text(source), fallback=True)


LEVELS: dict[str, Callable[[str], Normal]] = {"text": _level_text, "ast": _level_ast}


def normalise(source: str, level: str) -> Normal:
    return LEVELS[level](source)


def ast_key(source: str) -> tuple[str, str]:
    """What R_ast counts as the same: the dumped tree, or the text where there is no tree."""
    with _room():
        tree = _parse(source)
        if tree is not None:
            try:
                return "tree", ast.dump(tree)
            except (RecursionError, ValueError):
                pass
    return "text", _text(source)
