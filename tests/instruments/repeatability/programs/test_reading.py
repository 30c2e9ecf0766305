"""Shortcuts change nothing: programs put together from statements, distances with a limit, hints of words, names."""

from __future__ import annotations

import ast
from fractions import Fraction
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.distance import distance, distance_within
from assay.instruments.repeatability.programs.names import alpha, same_but_for_names, same_tree
from assay.instruments.repeatability.programs.normalisation import read
from assay.instruments.repeatability.programs.repair.edits import Words
from assay.instruments.repeatability.programs.scopes import analyse

PIECES = (
    "import re",
    "x = 1; y = 2",
    "x = 1  # one",
    "x = 1 \\",
    "",
    "    ",
    "# a comment",
    "    # an indented comment",
    '"""A docstring."""',
    'text = """',
    'a = 1\n"""',
    "values = [",
    "a,",
    "]",
    "@cache",
    "@lru_cache(\n    maxsize=None)",
    "def f(a):\n    return a",
    "def f(a):\n    # why\n    return a\n\n    # behind",
    "class C:\n\tx = 1",
    "if x:\n    pass",
    "else:\n    pass",
    "elif y: pass",
    "try:\n    pass",
    "except ValueError:\n    pass",
    "finally:\n    pass",
    "  y = 1",
    "é = 'ü'",
    "(a, b) = 1, 2",
    "match x:\n    case 1: pass",
    "x = 1\f",
    "x = 1\r",
)


def as_parsed(source: str) -> str | None:
    try:
        return ast.dump(ast.parse(source), include_attributes=True)
    except SyntaxError:
        return None


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from(("", "\n")))
def test_a_program_put_together_from_statements_is_what_the_parser_reads(pieces: list[str], end: str) -> None:
    for piece in PIECES:
        read(piece)
        read(piece + "\n\nlast = 1\n")  # what stands behind it may make it a statement
    source = "\n".join(pieces) + end
    found = read(source)
    assert (None if found is None else ast.dump(found.tree, include_attributes=True)) == as_parsed(source)
    if found is not None:
        assert found.nodes == list(ast.walk(found.tree))


@given(st.text("ab", max_size=12), st.text("ab", max_size=12), st.fractions(0, 1, max_denominator=24))
def test_a_distance_within_a_limit_is_the_distance(a: str, b: str, limit: Fraction) -> None:
    found = distance(a, b)
    assert distance_within(a, b, limit) == (found if found <= limit else None)


WORDS = {
    f"{module}.{name}": value
    for module in ("annotations", "edits", "layout", "moves", "order")
    for name, value in vars(
        import_module(f"assay.instruments.repeatability.programs.repair.{module}")
    ).items()
    if isinstance(value, Words)
}


def test_words_are_looked_for_in_five_modules() -> None:
    assert len({name.split(".")[0] for name in WORDS}) == 5


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
@given(st.data())
def test_what_words_match_holds_a_hint(words: Words, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(words.pattern))
    assert words.found(text)


PROGRAMS = (
    "def f(a, b):\n    c = a\n    return [c for c in b]",
    "def f(x, y):\n    z = x\n    return [w for w in y]",
    "def f(x, y):\n    z = x\n    return [z for w in y]",
    "def g(x, y):\n    z = x\n    return [w for w in y]",
    "def f():\n    global n, m\n    n = m = 1",
    "def f():\n    global m, n\n    m = n = 1",
    "def f():\n    global m, n\n    n = m = 1",
    "v0 = 1\nx = v0",
    "x = 1\nv0 = x",
)


@pytest.mark.parametrize("one", PROGRAMS)
@pytest.mark.parametrize("other", PROGRAMS)
@pytest.mark.parametrize("keep", [frozenset(), frozenset(("f", "v0"))], ids=["none", "two"])
def test_programs_are_the_same_but_for_names_when_renaming_makes_one_tree(
    one: str, other: str, keep: frozenset[str]
) -> None:
    a, b = ast.parse(one), ast.parse(other)
    same = same_tree(alpha(a, keep), alpha(b, keep))
    assert same_but_for_names(analyse(a, keep), analyse(b, keep), keep) == same
