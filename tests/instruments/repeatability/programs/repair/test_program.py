"""Editing by the tree: edits land where they are meant to, and keys tell trees apart."""

from __future__ import annotations

import ast
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.repair import ProgramText
from assay.instruments.repeatability.programs.repair.formatting import matches
from assay.instruments.repeatability.programs.repair.program import replaced, surviving
from assay.instruments.repeatability.programs.repair.trees import definition_pairs, key


def test_positions_are_in_characters_whatever_the_bytes() -> None:
    here = ProgramText("é = 'ü'; ñ = f(\r\n  'ß', x)\r\n")
    _, second = here.tree.body
    assert here.written(second) == "ñ = f(\n  'ß', x)"
    assert isinstance(second, ast.Assign)
    assert isinstance(second.value, ast.Call)
    assert [here.written(one) for one in second.value.args] == ["'ß'", "x"]


def test_a_statement_owns_its_rows_unless_another_shares_them() -> None:
    here = ProgramText("a = 1; b = 2\nc = 3 ;  # c\nif d: e = 4\n# f\n@g\ndef h(): pass\n")
    a, b, c, d, h = here.tree.body
    assert [here.owns_rows(one) for one in (a, b, c, d, h)] == [False, False, True, True, True]
    assert isinstance(d, ast.If)
    assert not here.owns_rows(d.body[0])
    assert here.rows(h) == (5, 6)
    assert here.above(5) == 4


def test_definitions_are_paired_by_name_then_by_place() -> None:
    mine = ast.parse(
        "def a(): pass\nclass K:\n    def m(self): pass\nif 1:\n    def b(): pass\ndef extra(): pass\n"
    )
    theirs = ast.parse("def b(): pass\nclass L:\n    def m(self): pass\ndef z(): pass\n")
    names = [(getattr(p, "name", ""), getattr(q, "name", None)) for p, q in definition_pairs(mine, theirs)]
    assert names[1:] == [("a", "z"), ("K", "L"), ("b", "b"), ("extra", None), ("m", "m")]


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(0, 10), st.text(max_size=3)), max_size=4))
def test_edits_replace_just_their_ranges(text: str, cuts: list[tuple[int, str]]) -> None:
    places = sorted({min(cut, len(text)) for cut, _ in cuts})
    edits = [(start, end, "<>") for start, end in pairwise(places)]
    expected = text
    for start, end, new in reversed(edits):
        expected = expected[:start] + new + expected[end:]
    assert replaced(text, edits) == expected


def test_edits_that_do_not_hold_are_left_out() -> None:
    groups = [[(0, 1, "x")], [(1, 2, "!")], [(2, 3, "z")]]
    assert surviving("abc", groups, lambda text: "!" not in text) == "xbz"


@given(st.lists(st.integers(0, 3), max_size=7), st.lists(st.integers(0, 3), max_size=7))
def test_matches_are_a_longest_common_subsequence(a: list[int], b: list[int]) -> None:
    found = matches([(x,) for x in a], [(x,) for x in b])
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            longest[i + 1][j + 1] = longest[i][j] + 1 if x == y else max(longest[i][j + 1], longest[i + 1][j])
    assert len(found) == longest[-1][-1]
    assert all(a[i] == b[j] for i, j in found)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(found))


CONSTANTS = ["1", "1.0", "True", "0.0", "-0.0", "'1'", "b'1'", "u'1'", "[1]", "(1,)", "x", "1j", "..."]


@given(st.sampled_from(CONSTANTS), st.sampled_from(CONSTANTS))
def test_keys_tell_constants_apart(one: str, other: str) -> None:
    assert (key(ast.parse(one)) == key(ast.parse(other))) == (one == other)
