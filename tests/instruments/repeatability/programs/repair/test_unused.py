"""Functions that nothing calls and variables that nothing reads go; whatever might be used or do something stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.instruments.repeatability.programs.grammar import Sketch, programs

from .proposing import HOSTILE, best, meaning, proposals

PROGRAM = "def f(n):\n    return n + 1\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(n):\n    unused = 0\n    return n + 1\n", PROGRAM),
        ("def f(n):\n    a, b = 1, 2\n    c = [1, (2, -3)]\n    return n + a + b\n",
         "def f(n):\n    a, b = 1, 2\n    return n + a + b\n"),
        ("VERSION = '1.0'\n\n" + PROGRAM, "\n" + PROGRAM),
        ("def main():\n    print(f(1))\n\n\n# the rest\ndef test(x: int = 1) -> None:\n    test(x - 1)\n\n\n" + PROGRAM,
         "\n\n" + PROGRAM),
        ("def f(n):\n    if n:\n        x = 1\n    return n\n", "def f(n):\n    if n:\n        pass\n    return n\n"),
    ],
)  # fmt: skip
def test_what_nothing_uses_goes(source: str, expected: str) -> None:
    assert best("unused", source, PROGRAM, "f").strip() == expected.strip()


def test_what_the_canon_has_too_stays() -> None:
    source = "def f(n):\n    a = 0\n    b = 1\n    return n\n"
    assert best("unused", source, "def f(n):\n    a = 0\n    return 1 + n\n", "f") == (
        "def f(n):\n    a = 0\n    return n\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n    x = 0\n    x += 1\n    return n\n",
        "def f(n):\n    x = 0\n    del x\n    return n\n",
        "def f(n):\n    x = 0\n    return [x for _ in range(n)]\n",
        "def f(n):\n    x = 0\n    def g():\n        return x\n    return g()\n",
        "def f(n):\n    x = 0\n    return f'{x}'\n",
        "x = 0\ndef f(n):\n    global x\n    x = n\n    return n\n",
        "def f(n):\n    x = n[0]\n    return n\n",
        "def f(n):\n    x = len(n)\n    return n\n",
        "def f(n):\n    x = n\n    return n\n",
        "def f(n):\n    x = 0\n    return locals()\n",
        "class A:\n    x = 0\ndef f(n):\n    return A\n",
        "x = 0\n__all__ = ['x', 'f']\n" + PROGRAM,
        "@register\ndef g(): pass\n" + PROGRAM,
        "def g(x=print(1)): pass\n" + PROGRAM,
        "def g(x: print(1)): pass\n" + PROGRAM,
        "def g(): return 2\ndef f(n): return eval('g()')\n",
        "def g(): return 2\ndef f(n): return globals()['g']()\n",
        "def g(): return 1\ndef f(n): return [g for n in n]\n",
        "x = 1; y = 2\ndef f(n): return y\n",
    ],
)
def test_what_may_be_used_or_do_something_stays(source: str) -> None:
    assert proposals("unused", source, PROGRAM, "f") == []


def test_a_name_that_others_call_stays() -> None:
    source = "def helper(): pass\nlimit = 5\n" + PROGRAM
    assert proposals("unused", source, PROGRAM, "f", "helper", "limit") == []


@pytest.mark.parametrize("source", HOSTILE)
def test_hostile_programs_are_survived(source: str) -> None:
    for canon in HOSTILE:
        proposals("unused", source, canon)


@given(programs())
@settings(max_examples=40)
def test_drawn_programs_keep_their_meaning(one: Sketch) -> None:
    source = "unheard_of = (1, 2)\n" + one.source.replace("\n    return", "\n    unheard_of = 3\n    return")
    before = meaning(source, one.entry, one.parameters)
    found = proposals("unused", source, one.source, one.entry)
    assert all(meaning(proposal, one.entry, one.parameters) == before for proposal in found)
