"""Rewrites of neighbouring statements, chosen by the lines that they have in common with the canon."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from assay.instruments.repeatability.programs.normalisation import ast_form
from assay.instruments.repeatability.programs.parsing import room

from .program import ProgramText, replaced
from .trees import body_blocks, exchanged_key, same_tree

__all__ = ["Block", "Rewrite", "gaining_rewrites"]

_DEEPEST = 60  # levels of blocks that are looked at

Block = list[ast.stmt]


class Rewrite(NamedTuple):
    """The statements of a block from ``start`` to ``end``, and what takes their place, as trees and as rows."""

    block: Block
    start: int
    end: int
    new: Sequence[ast.stmt]
    rows: Sequence[str]


Rule = Callable[[Block, int], Iterator[Rewrite]]


def gaining_rewrites(here: ProgramText, there: ProgramText, rule: Rule) -> Iterator[str]:
    """The program with all rewrites that gain lines of the canon and do not touch, then with each alone, best first.

    ``rule(block, at)`` gives the rewrites that begin with a statement. Each result is read again, and must be the
    tree that was meant.
    """
    canon, known = _lines(there.source), set(there.key)
    ranked: list[tuple[int, Rewrite]] = []
    for top, whole in zip(here.tree.body, here.key, strict=True):
        if whole not in known:
            ranked += _gaining(top, canon, rule)
    ranked.sort(key=lambda pair: -pair[0])
    together: list[Rewrite] = []
    for _, one in ranked:
        if not any(_touch(here, one, other) for other in together):
            together.append(one)
    for some in (together, *([one] for _, one in ranked if len(together) > 1 or one not in together)):
        source = _applied(here, some) if some else None
        if source is not None:
            yield source


@lru_cache(maxsize=4)  # all outputs of a cell have the same canon
def _lines(source: str) -> Counter[str]:
    return Counter(ast_form(source).split("\n"))


def _gaining(top: ast.stmt, canon: Counter[str], rule: Rule) -> Iterator[tuple[int, Rewrite]]:
    """By how many lines each rewrite in a statement of the module brings it nearer."""
    waiting = [(block, 1) for block in body_blocks(top) if block]
    for block, depth in waiting:
        pad = "    " * depth
        for at, node in enumerate(block):
            if depth < _DEEPEST and (hasattr(node, "body") or hasattr(node, "cases")):
                waiting += ((inner, depth + 1) for inner in body_blocks(node) if inner)
            for one in rule(block, at):
                gain = _common(one.new, pad, canon) - _common(block[one.start : one.end], pad, canon)
                if gain > 0:
                    yield gain, one


def _common(statements: Sequence[ast.stmt], pad: str, canon: Counter[str]) -> int:
    """How many of their lines, as the interpreter prints them, the canon has."""
    with room():
        try:
            printed = ast.unparse(ast.Module(list(statements), []))
        except (RecursionError, ValueError):  # what the interpreter itself will not print
            return 0
    return sum((Counter(pad + line for line in printed.split("\n")) & canon).values())


def _touch(here: ProgramText, one: Rewrite, other: Rewrite) -> bool:
    (first, last), (begin, end) = (_extent(here, rewrite) for rewrite in (one, other))
    return first <= end and begin <= last


def _extent(here: ProgramText, rewrite: Rewrite) -> tuple[int, int]:
    return here.rows(rewrite.block[rewrite.start])[0], here.rows(rewrite.block[rewrite.end - 1])[1]


def _applied(here: ProgramText, rewrites: Sequence[Rewrite]) -> str | None:
    blocks: dict[int, list[ast.stmt]] = {}
    for one in sorted(
        rewrites, key=lambda one: -one.start
    ):  # from the end, so that places stay what they were
        block = blocks.get(id(one.block), one.block)
        blocks[id(one.block)] = [*block[: one.start], *one.new, *block[one.end :]]
    source = replaced(here.text, [here.row_edit(*_extent(here, one), one.rows) for one in rewrites])
    return source if same_tree(source, exchanged_key(here.tree, blocks)) else None
