"""Names towards the canon's: variables that play the same part get the same name.

The variables of the two programs are lined up by where they stand: both trees are written as rows of labels in
which every variable looks the same, the rows are aligned, and each pair of variables that meet is a vote. What
is proposed is the program's own text with exactly the name tokens exchanged. Every proposal is read again and
must be the same program but for its names (``names.alpha``), or it is not made.
"""

from __future__ import annotations

import ast
import keyword
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from rapidfuzz.distance import Indel

from assay.instruments.repeatability.programs.cache import remembered
from assay.instruments.repeatability.programs.names import same_but_for_names
from assay.instruments.repeatability.programs.normalisation import read
from assay.instruments.repeatability.programs.scopes import BUILTINS, Binding, Names

from .model import Program, names_of
from .places import Text

__all__ = ["MOST", "propose_names"]

MOST = 12  # proposals for one program
_UNITS = 60  # statements of a module that are paired one by one; a longer program is aligned as a whole
_LONGEST = 20_000  # labels of a row; aligning takes memory with the square of it
_ALIKE = 0.3  # statements less alike than this are not paired
_FREE = frozenset(("",))
_TARGETS = frozenset(
    ("", "keyword", "text", "spread", "shown", "seen", "fallback", "exported")
)  # the canon need not rename

Wish = dict[Binding, str]
_Place = tuple[int, str, int | None]  # node, attribute and item
_Item = tuple[str, _Place | None]
Variables = dict[_Place, Binding]


def propose_names(program: Program, canon: Program) -> Iterator[str]:
    """The program with all names that can be the canon's, then with those of one function each, then one by one."""
    if program.tree is None or canon.tree is None:
        return
    wish = {
        mine: theirs.name
        for mine, theirs in _matched(program, canon)
        if mine.name != theirs.name and theirs.name not in program.keep
    }
    text = Text.of(program) if wish else None
    if text is None:
        return
    placed = dict(zip(program.names_in_shape.bindings, program.names.bindings, strict=True))
    wish = {placed[mine]: name for mine, name in wish.items() if text.can_tell(placed[mine])}
    if not wish:
        return
    tried = {program.source}
    for group in _groups(wish, program.tree):
        source = text.renamed(_without_clashes(group, program.names))
        if source in tried:
            continue
        tried.add(source)
        found = read(source)
        if found is not None and same_but_for_names(
            names_of(found, program.keep), program.names, program.keep
        ):
            yield source
        if len(tried) > MOST:
            return


def _groups(wish: Wish, tree: ast.Module) -> Iterator[Wish]:
    """All, then those that appear first in the same statement of the module, then single ones."""
    yield wish
    starts = [statement.lineno for statement in tree.body]
    parts: dict[int, Wish] = {}
    for binding, name in wish.items():
        line = getattr(binding.places[0].node, "lineno", 1)
        parts.setdefault(bisect_right(starts, line), {})[binding] = name
    yield from parts.values()
    yield from ({binding: name} for binding, name in wish.items())


# Lining up


class _Row(NamedTuple):
    """A tree as labels; where a label stands for a variable, the variable.

    A function that others know by its name has that ``name``, and ``parameters`` that are told by position.
    """

    labels: list[int]  # equal for equal labels of the two programs
    variables: list[Binding | None]
    name: str
    parameters: list[Binding | None]


Numbers = dict[str, int]  # labels are numbered as they come: nothing rests on the hash of a string


def _matched(program: Program, canon: Program) -> list[tuple[Binding, Binding]]:
    """Pairs of variables, each in one pair at most, those first that meet most often; the program's in its shape."""
    votes: Counter[tuple[Binding, Binding]] = Counter()
    theirs, numbers = _canon_rows(canon)
    for mine, its in _paired(_rows(program, _FREE, dict(numbers)), theirs):
        if mine.name == its.name:
            told = zip(mine.parameters, its.parameters, strict=False)
            votes.update({(a, b): len(mine.labels) for a, b in told if a and b})
        for start, end, to in _common(mine.labels, its.labels):
            for a, b in zip(mine.variables[start:end], its.variables[to:], strict=False):
                if a and b:
                    votes[a, b] += 1
    # A stable sort: among equals the pair that met first is taken, but equal names go before different ones.
    ranked = sorted(votes, key=lambda pair: (-votes[pair], pair[0].name != pair[1].name))
    taken: set[Binding] = set()
    pairs = []
    for a, b in ranked:
        if a not in taken and b not in taken:
            taken |= {a, b}
            pairs.append((a, b))
    return pairs


def _common(mine: list[int], its: list[int]) -> list[tuple[int, int, int]]:
    """Where the two rows are the same: from, to, and from where in the other."""
    if mine == its:
        return [(0, len(mine), 0)]
    return [
        (code.src_start, code.src_end, code.dest_start)
        for code in Indel.opcodes(mine, its)
        if code.tag == "equal"
    ]


@lru_cache(maxsize=4)  # all outputs of a cell are lined up with the same canon
def _canon_rows(canon: Program) -> tuple[list[_Row], Numbers]:
    numbers: Numbers = {}
    return _rows(canon, _TARGETS, numbers), numbers


def _rows(program: Program, open_: frozenset[str], numbers: Numbers) -> list[_Row]:
    """One row for each statement of the module."""
    names = program.names_in_shape
    at: Variables = {
        (id(node), attribute, item): binding
        for binding in names.bindings
        if binding.stays in open_
        for _, node, attribute, item in binding.places
    }
    body = names.tree.body
    parts = [[statement] for statement in body]
    rows = []
    for part in parts if len(body) <= _UNITS else [body]:
        items = [item for statement in part for item in _items(statement)]
        if len(items) <= _LONGEST:
            variables = [at.get(place) if place else None for _, place in items]
            labels = ["variable" if one else label for one, (label, _) in zip(variables, items, strict=True)]
            numbered = [numbers.setdefault(label, len(numbers)) for label in labels]
            rows.append(_Row(numbered, variables, *_signature(part, at)))
    return rows


@remembered(512)  # programs have most statements in common
def _items(statement: ast.stmt) -> list[_Item]:
    """A statement as labels, with where each text in it stands."""
    items: list[_Item] = []
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        items.append((type(node).__name__, None))
        inner: list[ast.AST] = []
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                inner.append(value)
                continue
            for index, one in enumerate(value) if isinstance(value, list) else ((None, value),):
                if isinstance(one, ast.AST):
                    inner.append(one)
                else:
                    items.append((_label(one), (id(node), name, index) if isinstance(one, str) else None))
        stack.extend(reversed(inner))
    return items


def _signature(part: list[ast.stmt], at: Variables) -> tuple[str, list[Binding | None]]:
    first = part[0]
    if isinstance(first, ast.FunctionDef | ast.AsyncFunctionDef) and (id(first), "name", None) not in at:
        positional = (*first.args.posonlyargs, *first.args.args)
        return first.name, [at.get((id(one), "arg", None)) for one in positional]
    return "", []


def _label(value: object) -> str:
    """Hexadecimal, because the interpreter will not print huge numbers in decimal."""
    if isinstance(value, str):
        return f"str {value}"
    return f"{type(value).__name__} {hex(value) if isinstance(value, int) else repr(value)}"


def _paired(rows: list[_Row], others: list[_Row]) -> Iterator[tuple[_Row, _Row]]:
    """Functions known by the same name, then the most alike, and of those the earlier; none twice."""
    left, right = dict(enumerate(rows)), dict(enumerate(others))
    for i, row in enumerate(rows):
        j = next((j for j, other in right.items() if row.name and row.name == other.name), None)
        if j is not None:
            yield left.pop(i), right.pop(j)
    alike = [
        (-Indel.normalized_similarity(row.labels, other.labels), i, j)
        for (i, row), (j, other) in product(left.items(), right.items())
    ]
    for score, i, j in sorted(alike):
        if -score >= _ALIKE and i in left and j in right:
            yield left.pop(i), right.pop(j)


# Which names can be had


def _without_clashes(wish: Wish, names: Names) -> Wish:
    """As much of the wish as can be had without any name meaning another variable than before."""
    wish = {binding: name for binding, name in wish.items() if _allowed(binding, name, names)}
    while lost := _clashing(wish, names):
        wish = {binding: name for binding, name in wish.items() if binding not in lost}
    return wish


def _allowed(binding: Binding, name: str, names: Names) -> bool:
    """Whether a variable of that name would be as free as this one."""
    if "parameter" in binding.roles and name in names.keywords:
        return False
    if binding.scope and binding.scope.kind == "module" and (name in BUILTINS or name in names.exported):
        return False
    wildcard = name == "_" and any(isinstance(place.node, ast.pattern) for place in binding.places)
    return not wildcard and not keyword.iskeyword(name)


def _clashing(wish: Wish, names: Names) -> set[Binding]:
    homes: dict[tuple[int, str], Binding] = {}
    lost: set[Binding] = set()

    def clash(one: Binding, other: Binding) -> None:
        """The later one yields, if it is to be renamed at all."""
        lost.add(other if other in wish else one)

    for one in names.bindings:
        if one.scope is not None:
            other = homes.setdefault((id(one.scope), wish.get(one, one.name)), one)
            if other is not one:
                clash(other, one)
    for one in names.bindings:
        name = wish.get(one, one.name)
        for place in one.places:
            for scope in place.scope.outward(names.scopes[0]):
                if scope is one.scope:
                    break
                if (id(scope), name) in homes:
                    clash(one, homes[id(scope), name])
                if scope.declared.get(one.name) == "global":
                    break
    return lost & wish.keys()
