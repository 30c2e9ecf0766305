"""The step ``names``: variables that play the same part as in the canon get the canon's names.

The variables of the two programs are lined up by where they stand: both trees are written as rows of labels in
which every variable looks the same, the rows are aligned, and each pair of variables that meet is a vote. What
is proposed is the program's own text with exactly the names exchanged. Every proposal is read again and must be
the same program but for its names (the rung ``names``), or it is not made.

What the program can read keeps its name: functions, parameters and variables that the interpreter may name in a
message which the program catches and looks at, and in a program that makes texts of values every function that
could be one of these values.
"""

from __future__ import annotations

import ast
import keyword
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from rapidfuzz.distance import Indel

from assay.instruments.repeatability.programs.normalisation import names_form
from assay.instruments.repeatability.programs.scopes import BUILTINS, Binding, NamePlace, Names

from .program import ProgramText, replaced
from .reflection import makes_texts, shown_by_messages, shows_name, used_on_the_spot
from .trees import Function, names_by_piece

__all__ = ["propose_names"]

_UNITS = 60  # statements of a module that are paired one by one; a longer program is aligned as a whole
_LONGEST = 20_000  # labels of a row; aligning takes memory with the square of it
_ALIKE = 0.3  # statements less alike than this are not paired
_FREE = frozenset(("",))
_TARGETS = frozenset(
    ("", "keyword", "text", "spread", "shown", "seen", "fallback", "exported")
)  # the canon need not rename

Wish = dict[Binding, str]
_Place = tuple[int, str, int | None]  # node, attribute and item
Variables = dict[_Place, Binding]


def propose_names(program: ProgramText, canon: ProgramText) -> Iterator[str]:
    """The program with all names that can be the canon's, then with those of one function each, then one by one."""
    if names_by_piece(program.parsed) <= names_by_piece(canon.parsed):
        return
    wish = {
        mine: theirs.name
        for mine, theirs in _matched(program, canon)
        if mine.name != theirs.name and theirs.name not in program.keep
    }
    edits = {
        binding: spans
        for binding in wish
        if not _is_shown(binding, program) and (spans := _spans(binding, program)) is not None
    }
    wish = {binding: name for binding, name in wish.items() if binding in edits}
    own = names_form(program.source, program.keep) if wish else ""
    tried = {program.text}
    for group in _groups(wish, program.tree):
        chosen = _without_clashes(group, program.names)
        source = replaced(
            program.text, [(*span, name) for binding, name in chosen.items() for span in edits[binding]]
        )
        if source not in tried:
            tried.add(source)
            if names_form(source, program.keep) == own:
                yield source


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


# Where a name stands

_BEFORE = {
    ast.FunctionDef: re.compile(r"def[\s\\]+"),
    ast.AsyncFunctionDef: re.compile(r"async[\s\\]+def[\s\\]+"),
    ast.ExceptHandler: re.compile(r"[\s\\)]*as[\s\\]+"),
}
_NAME = re.compile(r"\w+")


def _spans(binding: Binding, program: ProgramText) -> list[tuple[int, int]] | None:
    """Where in the text a variable is named; None if some place is not found."""
    found = [_span(place, program) for place in binding.places]
    names = [unicodedata.normalize("NFKC", program.text[start:end]) for start, end in found]
    # The parser reads identifiers in their normal form; and it may say of two places that they are one.
    same = all(name == binding.name for name in names) and len(set(found)) == len(found)
    return found if same else None


def _span(place: NamePlace, program: ProgramText) -> tuple[int, int]:
    node, text = place.node, program.text
    assert isinstance(node, ast.expr | ast.stmt | ast.arg | ast.ExceptHandler | ast.pattern)
    start, end = program.span(node)
    if isinstance(node, ast.Global | ast.Nonlocal):
        assert place.item is not None
        names = [found.span() for found in _NAME.finditer(text, start, end)]
        return names[1 + place.item] if len(names) == 1 + len(node.names) else (start, start)
    if isinstance(node, ast.pattern):  # its name comes last
        names = [found.span() for found in _NAME.finditer(text, start, end)]
        return names[-1] if names else (start, start)
    if isinstance(node, ast.ExceptHandler):
        assert node.type is not None
        start = program.span(node.type)[1]
    before = _BEFORE.get(type(node))
    if before is not None:
        head = before.match(text, start)
        start = head.end() if head else start
    name = _NAME.match(text, start)
    return name.span() if name else (start, start)


# Names that show


def _is_shown(binding: Binding, program: ProgramText) -> bool:
    """Whether the program may turn the name into a text: by a message, or by the text of a function."""
    shown = shown_by_messages(program.parsed)
    function = "function" in binding.roles
    if "variables" in shown or (
        "functions" in shown and (function or isinstance(binding.places[0].node, ast.arg))
    ):
        return True
    if not function or not makes_texts(program.parsed):
        return False
    used = _used_on_the_spot(program.tree)
    return any(place.node not in used and shows_name(place.node, used) for place in binding.places)


@lru_cache(maxsize=4)  # of the program on its way
def _used_on_the_spot(tree: ast.Module) -> frozenset[ast.AST]:
    return frozenset(one for node in ast.walk(tree) for one in used_on_the_spot(node))


# Lining up


class _Row(NamedTuple):
    """A tree as labels; where a label stands for a variable, the variable.

    A function that others know by its name has that ``name``, and ``parameters`` that are matched by position.
    """

    labels: list[int]  # equal for equal labels of the two programs
    variables: list[Binding | None]
    name: str
    parameters: list[Binding | None]


Numbers = dict[str, int]  # labels are numbered as they come: nothing rests on the hash of a string


def _matched(program: ProgramText, canon: ProgramText) -> list[tuple[Binding, Binding]]:
    """Pairs of variables, each in one pair at most, those first that meet most often."""
    votes: Counter[tuple[Binding, Binding]] = Counter()
    theirs, numbers = _canon_rows(canon)
    for mine, its in _paired(_rows(program, _FREE, dict(numbers)), theirs):
        if mine.name == its.name:
            matched = zip(mine.parameters, its.parameters, strict=False)
            votes.update({(a, b): len(mine.labels) for a, b in matched if a and b})
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
def _canon_rows(canon: ProgramText) -> tuple[list[_Row], Numbers]:
    numbers: Numbers = {}
    return _rows(canon, _TARGETS, numbers), numbers


def _rows(program: ProgramText, open_: frozenset[str], numbers: Numbers) -> list[_Row]:
    """One row for each statement of the module."""
    at: Variables = {
        (id(node), attribute, item): binding
        for binding in program.names.bindings
        if binding.stays in open_
        for _, node, attribute, item in binding.places
    }
    body = program.tree.body
    parts = [[statement] for statement in body] if len(body) <= _UNITS else [body]
    rows = []
    for part in parts:
        labels: list[int] = []
        variables: list[Binding | None] = []
        for label, place in _items(part):
            variable = at.get(place) if place is not None else None
            variables.append(variable)
            labels.append(numbers.setdefault("variable" if variable is not None else label, len(numbers)))
        if len(labels) <= _LONGEST:
            rows.append(_Row(labels, variables, *_signature(part, at)))
    return rows


def _items(part: list[ast.stmt]) -> Iterator[tuple[str, _Place | None]]:
    """Statements as labels, with where each text in them stands."""
    stack: list[ast.AST] = [*reversed(part)]
    while stack:
        node = stack.pop()
        yield type(node).__name__, None
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
                    yield _label(one), (id(node), name, index) if isinstance(one, str) else None
        stack += reversed(inner)


def _signature(part: list[ast.stmt], at: Variables) -> tuple[str, list[Binding | None]]:
    first = part[0]
    if isinstance(first, Function) and (id(first), "name", None) not in at:
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
