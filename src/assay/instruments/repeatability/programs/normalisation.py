"""Normal forms: what is done to a program before it is compared.

``text/2``
    CRLF and CR become LF, every line and the end of the text are right-stripped, but for the inside of literals.
``layout/1+pyX.Y``
    The tokens of each logical line with one space between them, four spaces a level; no comments, no blank lines.
    Same fallback as ``ast``.
``ast/1+pyX.Y``
    The program as the interpreter prints its syntax tree, docstrings removed. How a tree is printed differs
    between Python versions, so the version is part of the name and comparisons are made from the raw text anew.
    Code that does not parse, or is nested more than 500 levels deep, falls back to ``text/2`` (spec, "Syntax
    errors in code").
``names/1+pyX.Y``
    As ``ast``, after every variable that may be renamed has got its number for a name. Same fallback.
``astdump/1+pyX.Y``
    The dumped syntax tree with docstrings, for R_ast. Same fallback.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from copy import copy
from functools import lru_cache
from typing import NamedTuple

from .layout import layout
from .line_ends import other_text_form, text_form
from .names import Outline, alpha, filled, outlined
from .parsing import LONG, Parsed, PerPiece, Piece, is_text, parse, read, room, uncollected

__all__ = ["VERSIONS", "Forms", "ast_form", "names_form", "normal_forms", "signature", "text_form"]

_PYTHON = f"py{sys.version_info.major}.{sys.version_info.minor}"
VERSIONS = {
    "text": "text/2",
    **{name: f"{name}/1+{_PYTHON}" for name in ("layout", "ast", "names", "astdump")},
}
_DOCUMENTED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Forms(NamedTuple):
    """A program's normal forms. ``fallback`` when it has no syntax tree, so that all of them are its text."""

    text: str
    layout: str
    ast: str
    names: str
    tree: str  # what R_ast counts as the same: digest of the dumped tree, or of the text where there is none
    fallback: bool


def signature(normal: str) -> str:
    """SHA-256 over the normalised text in UTF-8."""
    return hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()


def normal_forms(source: str, keep: frozenset[str] = frozenset(), *, python: bool = True) -> Forms:
    """Every normal form of a program. ``keep`` are names that callers use.

    Of another language only the text is known.
    """
    text = text_form(source) if python else other_text_form(source)
    with room(), uncollected():
        found = read(source) if python else None
        if found is not None:
            laid_out = _laid_out(found)
            try:
                return Forms(
                    text,
                    layout=text if laid_out is None else laid_out,
                    ast=_printed(found),
                    names=_numbered(found, keep),
                    tree=f"tree {signature(_dumped(found))}",
                    fallback=False,
                )
            except (RecursionError, ValueError):  # what the interpreter itself will not print: huge numbers
                pass
    return Forms(text, text, text, text, f"text {signature(text)}", fallback=True)


def ast_form(source: str) -> str:
    """The normal form ``ast`` alone."""
    with room():
        found = read(source)
        if found is not None:
            try:
                return _printed(found)
            except (RecursionError, ValueError):
                pass
    return text_form(source)


def names_form(source: str, keep: frozenset[str] = frozenset()) -> str | None:
    """The normal form ``names`` alone; None for what has no tree."""
    with room():
        found = read(source)
        try:
            return None if found is None else _numbered(found, keep)
        except (RecursionError, ValueError):
            return None


_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def _undocumented(body: list[ast.stmt]) -> list[ast.stmt]:
    """Without the docstrings of definitions: statements that hold others are copied, the rest is shared."""
    fresh = ast.Module(body, [])
    stack: list[ast.AST] = [fresh]
    while stack:
        node = stack.pop()
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if block:
                twins = [copy(one) if hasattr(one, "body") else one for one in block]
                setattr(node, name, twins)
                stack += (one for one in twins if hasattr(one, "body"))
        if isinstance(node, _DOCUMENTED) and is_text(node.body[0]):
            node.body = node.body[1:] or [ast.Pass()]
    return fresh.body


def _following(piece: Piece) -> str:
    """As the interpreter prints it after another statement, with what it puts between them."""
    return ast.unparse(ast.Module([ast.Pass(), *_undocumented(piece.statements)], [])).removeprefix("pass")


_TEXT = PerPiece(lambda piece: bool(piece.statements) and is_text(piece.statements[0]))
_FOLLOWING = PerPiece(_following)
_DUMPED = PerPiece(lambda piece: ", ".join(map(ast.dump, piece.statements)))
_OPEN, _CLOSE = ast.dump(ast.Module([ast.Pass()], [])).split("Pass()")  # what is around the statements


def _printed(parsed: Parsed) -> str:
    """Without docstrings: the prints of the pieces, one after the other."""
    if any(_TEXT.of(parsed)):  # the module has a docstring, or a text that would be printed as one
        return ast.unparse(_bare(parsed.tree))
    return "".join(_FOLLOWING.of(parsed)).lstrip("\n")


def _bare(tree: ast.Module) -> ast.Module:
    """A program without docstrings."""
    body = _undocumented(tree.body)
    return ast.Module(body[1:] if body and is_text(body[0]) else body, [])


def _numbered(parsed: Parsed, keep: frozenset[str]) -> str:
    """As ``_printed``, with variables numbered."""
    if not any(_TEXT.of(parsed)) and len(set(parsed.pieces)) == len(parsed.pieces) > 1:
        outlines = [_outline(piece) for piece in parsed.pieces]
        known = [one for one in outlines if one is not None]
        if len(known) == len(outlines):
            return filled(known, keep).lstrip("\n")
    return ast.unparse(alpha(_bare(parsed.fresh()), keep))


@lru_cache(maxsize=512)  # fewer than of other things, because they hold trees
def _outline(piece: str) -> Outline | None:
    tree = parse(piece) if len(piece) <= LONG else None
    return None if tree is None else outlined(_undocumented(tree.body))


def _dumped(parsed: Parsed) -> str:
    body = ", ".join(filter(None, _DUMPED.of(parsed)))
    return _OPEN + body + _CLOSE if body else ast.dump(parsed.tree)


@lru_cache(maxsize=1_024)  # of pieces, which outputs have in common
def _layout(piece: str) -> str | None:
    return layout(piece)


def _laid_out(parsed: Parsed) -> str | None:
    """The layouts of the pieces one below the other: what stands between them has no tokens."""
    found = [(_layout if len(piece) <= LONG else layout)(piece) for piece in parsed.pieces]
    return None if None in found else "\n".join(filter(None, found))
