"""Returns: each form is brought to the other, keeps what is written in it, and changes nothing a caller could see."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instruments.repeatability.programs.grammar import Sketch, programs, run

from .proposing import HOSTILE, dump, meaning, proposals


def body(text: str) -> str:
    return "def f(a, b):\n" + textwrap.indent(text, "    ") + "\n"


PAIRS = [
    ("x = a + b\nreturn x", "return a + b"),
    ("if a:\n    x = [a, b]\n    return x\nx = None\nreturn x", "if a:\n    return [a, b]\nreturn None"),
    (
        "if a:\n    return 1\nelse:\n    # why\n    b = 2\n    return b",
        "if a:\n    return 1\n# why\nb = 2\nreturn b",
    ),
    (
        "if a:\n    return 1\nelif b:\n    return 2\nelse:\n    return 3",
        "if a:\n    return 1\nif b:\n    return 2\nreturn 3",
    ),
    (
        "if a:\n    return 1\nelif b:\n    return 2\na = 3\nreturn a + 1",
        "if a:\n    return 1\nif b:\n    return 2\na = 3\nreturn a + 1",
    ),
    (
        "for x in a:\n    if x:\n        continue\n    else:\n        b = x\nreturn b",
        "for x in a:\n    if x:\n        continue\n    b = x\nreturn b",
    ),
    (
        "if a in b:\n    a = 1\n    return a + 1\nreturn 0",
        "if a not in b:\n    return 0\na = 1\nreturn a + 1",
    ),
    (
        "if a is None:\n    raise ValueError(a)\nreturn 0",
        "if a is not None:\n    return 0\nraise ValueError(a)",
    ),
    (
        "if not a:\n    b = 1\nelse:\n    b = 2\nreturn b",
        "if a:\n    b = 2\nelse:\n    b = 1\nreturn b",
    ),
    (
        "if a or b:\n    b = 1\nelse:\n    b = 2\nreturn b",
        "if not (a or b):\n    b = 2\nelse:\n    b = 1\nreturn b",
    ),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_each_form_is_brought_to_the_other(one: str, other: str) -> None:
    assert body(other) in proposals("returns", body(one), body(other))
    assert body(one) in proposals("returns", body(other), body(one))


LAYOUTS = [
    (
        "def f(a):\n\tif a: return 1\n\telse:\n\t\t# why\n\t\tx = '''\n  two\n'''  # so\n\n\t\treturn (x,\n  a)\n",
        "def f(a):\n    if a:\n        return 1\n    x = '''\n  two\n'''\n    return (x, a)\n",
        "def f(a):\n\tif a:\n\t\treturn 1\n\t# why\n\tx = '''\n  two\n'''  # so\n\n\treturn (x,\n  a)\n",
    ),
    (
        "def f(a):\n  if (a and\n     a): return 1\n  else: return 2  # end\n",
        "def f(a):\n    if a and a:\n        return 1\n    return 2\n",
        "def f(a):\n  if (a and\n     a):\n    return 1\n  return 2\n",
    ),
    (
        "def f(a):\n    if a:\n        return 1\n    @d\n    def g(): pass\n    return g\n",
        "def f(a):\n    if a:\n        return 1\n    else:\n        @d\n        def g(): pass\n        return g\n",
        "def f(a):\n    if a:\n        return 1\n    else:\n        @d\n        def g(): pass\n        return g\n",
    ),
]


@pytest.mark.parametrize(("program", "canon", "expected"), LAYOUTS)
def test_everything_else_stays_as_it_was_written(program: str, canon: str, expected: str) -> None:
    assert expected in proposals("returns", program, canon)


def test_several_branches_are_rewritten_at_once() -> None:
    nested, flat = (
        "".join(f"def f{n}(a):\n    if a:\n        return {n}\n{rest}" for n in range(1, 4))
        for rest in ("    else:\n        return 0\n", "    return 0\n")
    )
    assert proposals("returns", nested, flat)[0] == flat
    assert proposals("returns", flat, nested)[0] == nested


@pytest.mark.parametrize(
    ("program", "old", "new", "argument"),
    [
        (
            "def f(a):\n    if a:\n        b = 1\n    else:\n        b = 2\n        return b\n    return 7",
            "    else:\n        b = 2\n        return b\n",
            "    b = 2\n    return b\n",
            1,
        ),
        (
            "class A:\n    def __eq__(self, o): return True\n    def __ne__(self, o): return True\n"
            "def f(a):\n    if A() == a:\n        return 1\n    return 2",
            "if A() == a:\n        return 1\n    return 2",
            "if A() != a:\n        return 2\n    return 1",
            1,
        ),
        (
            "def f(a):\n    if a:\n        return 1\n    a = 5\n",
            "if a:\n        return 1\n    a = 5\n",
            "if not a:\n        a = 5\n    return 1\n",
            0,
        ),
        (
            "def f(a):\n    x = 0\n    try:\n        x = a + 1\n        return x\n    finally:\n"
            "        if x: raise KeyError(x)",
            "x = a + 1\n        return x",
            "return a + 1",
            1,
        ),
        (
            "x = 0\ndef g(a):\n    global x\n    x = a + 1\n    return x\ndef f(a):\n    g(a)\n    return x",
            "x = a + 1\n    return x",
            "return a + 1",
            1,
        ),
        (
            "x = 7\ndef f(a):\n    if a:\n        return x\n    x = a + 1\n    return x",
            "x = a + 1\n    return x",
            "return a + 1",
            1,
        ),
        ("x = 5\ndef f(a):\n    return x", "return x", "x = x\n    return x", 1),
    ],
)
def test_what_would_change_the_program_is_not_proposed(
    program: str, old: str, new: str, argument: int
) -> None:
    other = program.replace(old, new)
    assert run(program, "f", (argument,)) != run(other, "f", (argument,))
    assert dump(other) not in map(dump, proposals("returns", program, other))


def test_a_declaration_is_not_moved() -> None:
    program = "def f(a):\n    if a:\n        return 1\n    else:\n        global x\n        x = 2\n        return x\n"
    canon = "def f(a):\n    if a:\n        return 1\n    global x\n    x = 2\n    return x\n"
    assert proposals("returns", program, canon) == []


@pytest.mark.parametrize("source", HOSTILE)
def test_hostile_programs_are_survived(source: str) -> None:
    for canon in HOSTILE:
        proposals("returns", source, canon)


CONDITIONS = st.sampled_from(["a", "not b", "a in (1, 2)", "a is not None", "a > b", "a and b", "(c := a)"])


@st.composite
def chains(draw: st.DrawFn) -> tuple[str, str]:
    """A chain of branches, nested and flat."""
    tests = draw(st.lists(CONDITIONS, min_size=1, max_size=4))
    nested = "".join(f"{'el' if n else ''}if {test}:\n    return {n}\n" for n, test in enumerate(tests))
    flat = "".join(f"if {test}:\n    return {n}\n" for n, test in enumerate(tests))
    return body(f"{nested}else:\n    return 9"), body(f"{flat}return 9")


@given(chains())
@settings(max_examples=40)
def test_chains_reach_each_other_and_keep_their_meaning(drawn: tuple[str, str]) -> None:
    for source, canon in (drawn, drawn[::-1]):
        found = proposals("returns", source, canon)
        assert canon in found
        for proposal in found:
            assert meaning(proposal, "f", 2) == meaning(source, "f", 2)


@given(programs(), programs())
@settings(max_examples=25)
def test_drawn_programs_keep_their_meaning(one: Sketch, other: Sketch) -> None:
    source, canon = one.source, other.source
    for proposal in proposals("returns", source, canon):
        assert meaning(proposal, one.entry, one.parameters) == meaning(source, one.entry, one.parameters)
