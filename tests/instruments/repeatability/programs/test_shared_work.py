"""What is worked out once for several programs is what each of them would give alone."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.programs import normalisation
from assay.instruments.repeatability.programs.cache import LARGE
from assay.instruments.repeatability.programs.collector import uncollected
from assay.instruments.repeatability.programs.names import alpha
from assay.instruments.repeatability.programs.normalisation import normal_forms, read
from assay.instruments.repeatability.programs.repair import Program, Step, search

from .grammar import Sketch, programs

STATEMENTS = (
    "import os.path\nos.path.sep",
    "from math import pi as circle",
    "total = 0",
    "__all__ = ['total']",
    "_: int",
    "hole_0_ = 'hole_1_'",
    '"""A text."""',
    'def f(a, *, b=1):\n    """A docstring."""\n    c = a\n    return c + b',
    "def g(a):\n    global total\n    total = a\n    return f'{a!r:>{total}} {{a}} hole_0_'",
    "def g(a):\n    global total\n    total = a\n    return a",
    "def h(a):\n    def inner():\n        nonlocal a\n        a = 1\n    inner()\n    return [a for a in (b := [a])]",
    "class C:\n    x = 1\n    def m(self, é):\n        return lambda y=é: (self.x, y)",
    "try:\n    pass\nexcept ValueError as error:\n    print(error)",
    "match [1]:\n    case [first, *rest] | {'a': first, **rest}:\n        print(first, rest)",
    "f(b=total)",
)


def without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            del node.body[0]
            if not node.body and not isinstance(node, ast.Module):
                node.body.append(ast.Pass())
    return tree


def numbered(source: str, keep: frozenset[str]) -> str:
    return ast.unparse(alpha(without_docstrings(ast.parse(source)), keep))


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from(STATEMENTS), max_size=6),
    st.sampled_from([frozenset[str](), frozenset({"total"})]),
)
def test_names_are_those_of_the_whole_program(parts: list[str], keep: frozenset[str]) -> None:
    source = "\n".join(parts)
    assert normal_forms(source, keep).names == numbered(source, keep)


@settings(max_examples=40)
@given(programs())
def test_names_of_a_drawn_program_are_those_of_the_whole_program(sketch: Sketch) -> None:
    assert normal_forms(sketch.source).names == numbered(sketch.source, frozenset())


@pytest.mark.parametrize("strange", ["\0", "\ud800"])
def test_what_the_parser_refuses_in_a_comment_is_refused_however_many_statements_are_known(
    strange: str,
) -> None:
    plain = "x = 1\n# a note\ny = 2\n"
    assert read(plain) is not None
    assert read(plain.replace("note", strange)) is None
    assert normal_forms(plain.replace("note", strange)).fallback


def test_the_shape_of_a_program_is_its_tree_with_statements_of_its_own() -> None:
    for source in ("x = 1\ny = 2\n", "\n\nx = 1\nx = 1\ny = 2\n"):
        found = read(source)
        assert found is not None
        assert ast.dump(found.shape) == ast.dump(found.tree)
        assert len(set(found.shape.body)) == len(found.tree.body)


class Asked:
    """A step that shortens a program letter by letter, and how often it was asked."""

    def __init__(self) -> None:
        self.offered: list[str] = []
        self.step = Step("shorter", "a letter less", self.propose)

    def propose(self, program: Program, canon: Program) -> Iterator[str]:
        for end in (len(program.source) - 1, len(program.source) - 2):
            self.offered.append(program.source[:end])
            yield program.source[:end]


def repaired(asked: Asked, source: str, refuse: str | None = None) -> list[tuple[str, bool]]:
    def measure(code: str, limit: tuple[Fraction, ...] | None) -> tuple[Fraction, ...]:
        return (Fraction(len(code)),)

    seen = []
    steps = search(source, "", frozenset(), measure, [asked.step])
    try:
        proposal = next(steps)
        while True:
            seen.append((proposal.source, proposal.source != refuse))
            proposal = steps.send(proposal.source != refuse)
    except StopIteration:
        return seen


def test_a_program_that_is_met_again_is_not_worked_out_again() -> None:
    asked = Asked()
    first = repaired(asked, "aaaa")
    offered = list(asked.offered)
    assert repaired(asked, "aaaa") == first == [("aaa", True), ("aa", True), ("a", True), ("", True)]
    assert asked.offered == offered


def test_what_is_known_of_a_program_does_not_depend_on_what_an_earlier_oracle_took() -> None:
    known, fresh = Asked(), Asked()
    repaired(known, "bbbb")
    for refuse in ("bbb", "bb", "b", ""):
        assert repaired(known, "bbbb", refuse) == repaired(fresh, "bbbb", refuse)


@uncollected()
def work_that_fails() -> None:
    assert not gc.isenabled()
    with uncollected():
        pass
    assert not gc.isenabled()
    raise ValueError("work")


@pytest.mark.parametrize("running", [True, False])
def test_the_collector_is_left_as_it_was_found(running: bool) -> None:
    before = gc.isenabled()
    try:
        gc.enable() if running else gc.disable()
        with pytest.raises(ValueError, match="work"):
            work_that_fails()
        assert gc.isenabled() is running
    finally:
        gc.enable() if before else gc.disable()


def test_after_a_large_program_nothing_is_remembered() -> None:
    normal_forms("def f(x):\n    return x\n")
    assert normalisation._unplaced.cache_info().currsize
    numbers = ", ".join(map(str, range(LARGE // 4)))
    normal_forms(f"def f(x):\n    return [{numbers}][x]\n")
    assert not normalisation._unplaced.cache_info().currsize
    assert not normalisation._DUMPED._known
