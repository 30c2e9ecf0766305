"""What a reply shows of the use of its program goes, unless a caller could notice."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.instruments.repeatability.programs.grammar import Sketch, programs

from .proposing import HOSTILE, best, meaning, proposals

PROGRAM = "def f(n):\n    return n + 1\n"
GUARD = '\n\nif __name__ == "__main__":\n    for n in range(3):\n        print(f(n))\n'


@pytest.mark.parametrize(
    "tail",
    [
        GUARD,
        "\nif '__main__' == __name__: print(f(1))\n",
        "\n# Example usage:\nprint(f(3))  # 4\n",
        "\nresult = f(3)\nprint(f'{result}')\n",
        "\ntests = [1, 2, 3]\nfor n in tests:\n    if f(n) > 2:\n        print(n, f(n))\n",
        "\nassert f(1) == 2\nassert f(-1) == 0, 'wrong'\n",
        f"\nprint(f(1)){GUARD}",
    ],
)
def test_guards_and_examples_go(tail: str) -> None:
    assert best("examples", PROGRAM + tail, PROGRAM, "f").rstrip() == PROGRAM.rstrip()


def test_classes_constants_and_pure_imports_leave_nothing_behind() -> None:
    program = (
        "import math\nfrom typing import List\nLIMIT = 10 ** 9 + 7\nclass Error(ValueError):\n    pass\n"
        "class Stack:\n    'A stack.'\n    size = 3\n    def __init__(self, items: List[int] = ()):\n"
        "        self.items = list(items)\n    def pop(self):\n        if not self.items:\n            raise Error\n"
        "        return self.items.pop() % LIMIT + math.floor(0.5)\n    @property\n    def empty(self) -> bool:\n"
        "        return not self.items\n"
    )
    tail = "\ns = Stack([1, 2])\ntry_it = s.pop()\nprint(try_it, isinstance(s, Stack), s.empty)\n"
    assert best("examples", program + tail, program, "Stack").rstrip() == program.rstrip()


@pytest.mark.parametrize(
    "source",
    [
        "count = 0\ndef f(n):\n    global count\n    count += 1\n    return count\nprint(f(1))\n",
        "seen = []\ndef f(n):\n    seen.append(n)\n    return len(seen)\nprint(f(1))\n",
        "def f(n, seen=[]):\n    seen.append(n)\n    return len(seen)\nprint(f(1))\n",
        "class A:\n    s = []\n    def m(self):\n        self.s.append(1)\ndef f(n): return len(A.s)\nA().m()\n",
        "class A:\n    n = 0\n    def m(self):\n        A.n += 1\ndef f(n): return A.n\nA().m()\n",
        "class A:\n    n = 0\n    def m(self):\n        type(self).n += 1\ndef f(n): return A.n\nA().m()\n",
        "class A:\n    n = 0\n    @classmethod\n    def m(cls):\n        cls.n += 1\ndef f(n): return A.n\nA.m()\n",
        "def f(n):\n    f.calls = getattr(f, 'calls', 0) + 1\n    return f.calls\nprint(f(1))\n",
        "def f(n): return f.limit\nf.limit = 5\n",
        "def g(h):\n    h.calls = 1\ndef f(n): return getattr(f, 'calls', 0)\ng(f)\n",
        "def f(n): return limit\nlimit = 5\n",
        "import random\nrandom.seed(1)\ndef f(n): return random.random()\nprint(f(1))\n",
        "import sys\ndef f(n): return sys.getrecursionlimit()\nsys.setrecursionlimit(5000)\n",
        "import math\ndef g(): math.pi = 3\ndef f(n): return math.pi\ng()\n",
        "from functools import lru_cache\n@lru_cache\ndef g(n): return [n]\ndef f(n): return g(1)\ng(1).append(2)\n",
        "def g(n): return n\nf = g\n",
        "def g(n): return n\nexec('f = g')\n",
        "def make():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n        return n\n    return g\n"
        "g = make()\ndef f(n): return g()\nprint(f(1))\n",
    ],
)  # fmt: skip
def test_what_a_caller_could_notice_stays(source: str) -> None:
    compile(source, "<program>", "exec")
    assert proposals("examples", source, PROGRAM, "f") == []


def test_a_guard_with_an_else_stays() -> None:
    source = f"{PROGRAM}if __name__ == '__main__':\n    pass\nelse:\n    f = None\n"
    assert proposals("examples", source, PROGRAM, "f") == []


def test_examples_above_a_definition_stay() -> None:
    assert proposals("examples", f"print(1)\n{PROGRAM}", PROGRAM, "f") == []


def test_the_canons_guard_is_added_where_there_is_none() -> None:
    other = PROGRAM.replace("n + 1", "1 + n")
    assert best("examples", other, PROGRAM + GUARD, "f") == other + GUARD
    assert (
        proposals("examples", other + GUARD.replace("3", "4"), PROGRAM + GUARD, "f")[0].rstrip()
        == other.rstrip()
    )


@pytest.mark.parametrize("source", HOSTILE)
def test_hostile_programs_are_survived(source: str) -> None:
    for canon in (*HOSTILE, PROGRAM + GUARD):
        proposals("examples", source, canon)


@given(programs())
@settings(max_examples=40)
def test_drawn_programs_lose_their_examples_and_keep_their_meaning(one: Sketch) -> None:
    called = f"{one.entry}({', '.join('012'[: one.parameters])})"
    tail = f"\ntry_it = 1\nif __name__ == '__main__':\n    print({called})\n"
    before = meaning(one.source, one.entry, one.parameters)
    for proposal in proposals("examples", one.source + tail, one.source, one.entry):
        assert meaning(proposal, one.entry, one.parameters) == before
