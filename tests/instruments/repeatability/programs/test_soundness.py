"""Programs that look at themselves in roundabout ways: no step of repair may change what they do."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from collections.abc import Iterator
from textwrap import dedent

import pytest

from assay.instruments.repeatability.programs.ladder import RUNGS, climb, contradictions
from assay.instruments.repeatability.programs.normalisation import normal_forms
from assay.instruments.repeatability.programs.repair.model import Program
from assay.instruments.repeatability.programs.repair.steps import STEPS

KEEP = frozenset(("solve",))
STEP = {step.name: step for step in STEPS}


def proposals(name: str, source: str, canon: str) -> list[str]:
    return list(STEP[name].propose(Program(source, KEEP), Program(canon, KEEP)))


def outcome(source: str) -> tuple[str, str]:
    """What ``solve`` returns or raises, and what is printed."""
    space: dict[str, object] = {"__name__": "program"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(source, "<program>", "exec", dont_inherit=True), space)
            solve = space["solve"]
            assert callable(solve)
            found = repr(solve())
        except Exception as error:
            found = type(error).__name__
    return found, printed.getvalue()


# Each program, and what is exchanged in it to make the canon.
NAMES = {
    "cells of a closure are sorted by name": (
        """
        def solve():
            x = 1
            y = 2
            def g():
                return x * 10 + y
            return g.__closure__[0].cell_contents
        """,
        ("x", "z"),
    ),
    "a profiler is told the names of functions": (
        """
        import sys
        def helper():
            pass
        def solve():
            seen = []
            def watch(frame, event, arg):
                if event == "call":
                    seen.append(frame.f_code.co_name)
            sys.setprofile(watch)
            helper()
            sys.setprofile(None)
            return seen
        """,
        ("helper", "work"),
    ),
    "a profiler is told the names of variables": (
        """
        import sys
        def helper(n):
            total = n
            return total
        def solve():
            seen = []
            def watch(frame, event, arg):
                if event == "return":
                    seen.extend(sorted(frame.f_locals))
            sys.setprofile(watch)
            helper(1)
            sys.setprofile(None)
            return seen
        """,
        ("total", "s"),
    ),
    "a timer takes a mapping by position": (
        """
        from threading import Timer
        def solve():
            out = []
            def add(a, b):
                out.append(a + b)
            timer = Timer(0.0, add, [1], {"b": 2})
            timer.run()
            return out
        """,
        ("b", "c"),
    ),
    "so does a pool": (
        """
        from multiprocessing.pool import ThreadPool
        def g(a, b):
            return a - b
        def solve():
            with ThreadPool(1) as pool:
                return pool.apply(g, (3,), {"b": 1})
        """,
        ("b", "c"),
    ),
    "a thread has its function's name": (
        """
        from threading import Thread
        def worker():
            pass
        def solve():
            return Thread(target=worker).name.split()[-1]
        """,
        ("worker", "job"),
    ),
    "a pickle holds its function's name": (
        """
        import pickle
        def worker():
            pass
        def solve():
            try:
                return len(pickle.dumps(worker))
            except Exception as error:
                return str(error)
        """,
        ("worker", "job"),
    ),
}


def exchanged(source: str, old: str, new: str) -> str:
    """Another name wherever it is one: a text that is a mapping's key is exchanged, too."""
    words = source.replace(f'"{old}"', f'"{new}"').replace(f"{old}(", f"{new}(")
    for before in " (=[":
        for after in " ,)\n:":
            words = words.replace(before + old + after, before + new + after)
    return words


@pytest.mark.parametrize("case", NAMES)
def test_names_that_a_program_can_see_are_left(case: str) -> None:
    source, (old, new) = dedent(NAMES[case][0]), NAMES[case][1]
    canon = exchanged(source, old, new)
    compile(canon, "<canon>", "exec")
    assert canon != source
    assert all(outcome(found) == outcome(source) for found in proposals("names", source, canon))
    forms = [normal_forms(one, KEEP).names for one in (source, canon)]
    assert forms[0] is not None
    assert forms[0] != forms[1]


@pytest.mark.parametrize(
    ("source", "stays"),
    [
        ("def g(v0): return v0\ndef solve(): return h(g, {'v0': 1})", False),
        ("def g(v0): return v0\ndef solve(): return h(g, {'key': 1})", True),
    ],
)
def test_no_new_name_of_a_parameter_is_a_text_of_the_program(source: str, stays: bool) -> None:
    """Else a mapping would reach a parameter that it did not reach before."""
    other = source.replace("v0)", "x)").replace("return v0", "return x")
    assert (normal_forms(source, KEEP).names == normal_forms(other, KEEP).names) is stays


COUNTER = """
log = []
class N:
    last = 0
    def __init__(self, n=0):
        self.n = n
    def __neg__(self):
        log.append(self.n)
        return self.n
    def __hash__(self):
        log.append(self.n)
        return self.n
    @property
    def next(self):
        self.last += 1
        return self.last
    def __call__(self):
        return self.n
"""
DEFINITIONS = {
    "elements": (
        "from collections import defaultdict\nfrom itertools import count\nids = defaultdict(count().__next__)\n",
        'def first(x=ids["first"]):\n    return x\n',
        'def second(x=ids["second"]):\n    return x\n',
        "first(), second()",
    ),
    "attributes": (
        f"{COUNTER}ids = N()\n",
        "def first(x=ids.next):\n    return x\n",
        "def second(x=ids.next):\n    return x\n",
        "first(), second()",
    ),
    "class bodies": (
        f"{COUNTER}r = N()\n",
        "class A:\n    x = r.next\n",
        "class B:\n    x = r.next\n",
        "A.x, B.x",
    ),
    "signs": (
        f"{COUNTER}a, b = N(1), N(2)\n",
        "def first(x=-a):\n    return x\n",
        "def second(x=-b):\n    return x\n",
        "log",
    ),
    "keys": (
        f"{COUNTER}a, b = N(1), N(2)\n",
        "def first(x={a: 1}):\n    return x\n",
        "def second(x={b: 1}):\n    return x\n",
        "log",
    ),
    "elements of sets": (
        f"{COUNTER}a, b = N(1), N(2)\n",
        "def first(x={a}):\n    return x\n",
        "def second(x={b}):\n    return x\n",
        "log",
    ),
    "arguments of types": (
        f"from typing import List\n{COUNTER}a, b = N(1), N(2)\n",
        "def first(x: List[a]):\n    return x\n",
        "def second(x: List[b]):\n    return x\n",
        "log[0]",
    ),
    "a property that reads what is moved": (
        "class N:\n    @property\n    def now(self):\n        try:\n            return STEP\n"
        "        except NameError:\n            return 0\nn = N()\n",
        "STEP = 1\n",
        "def second(x=n.now):\n    return x\n",
        "second()",
    ),
    "a class that a metaclass made": (
        "from abc import ABCMeta\nmade = []\nclass Maker(ABCMeta):\n    def __init__(cls, name, bases, space):\n"
        '        made.append(name)\nBase = Maker("Base", (), {})\n',
        "class A(Base):\n    pass\n",
        "class B(Base):\n    pass\n",
        "made",
    ),
    "an object that is told its name": (
        "from functools import partial\nlog = []\nclass D:\n    pass\n"
        'setattr(D, "__set" + "_name__", lambda self, owner, name: log.append(owner.__qualname__))\nd = D()\n',
        "class A:\n    x = d\n",
        "class B:\n    x = d\n",
        "log",
    ),
    "attributes spelt by parts": (
        "",
        "def b():\n    return 1\n",
        "def a():\n    return 2\n",
        '[k for k in getattr(solve, "__glo" + "bals__") if k in "ab"]',
    ),
}


@pytest.mark.parametrize("case", DEFINITIONS)
def test_definitions_that_run_code_while_they_are_made_keep_their_order(case: str) -> None:
    before, first, second, result = DEFINITIONS[case]
    end = f"def solve():\n    return {result}\n"
    source, canon = before + first + second + end, before + second + first + end
    assert outcome(source) != outcome(canon)  # so the order matters
    assert proposals("definitions", source, canon) == []


@pytest.mark.parametrize(
    ("before", "first", "second"),
    [
        ("", "def first(x=-1, y={1: 2, (0, 1): 3}):\n    return x\n", "def second(x=None):\n    return x\n"),
        ("import math\n", "def first(x=math.inf):\n    return x\n", "def second(x=math.pi):\n    return x\n"),
        (
            "from typing import List\n",
            "def first(x: List[int]):\n    return x\n",
            "def second(x: int | None) -> List[str]:\n    return x\n",
        ),
        ("", "class A(ValueError):\n    pass\n", "class B(ValueError):\n    code = 1\n"),
        ("class Base:\n    pass\n", "class A(Base):\n    pass\n", "class B(Base):\n    pass\n"),
    ],
)
def test_definitions_that_run_nothing_of_the_program_still_move(before: str, first: str, second: str) -> None:
    end = "def solve():\n    return 1\n"
    assert proposals("definitions", before + first + second + end, before + second + first + end) == [
        before + second + first + end
    ]


def test_classes_that_derive_from_one_another_in_a_ring_end_the_search() -> None:
    """Such a program fails by its first class, whatever follows."""
    ring = "class B(C):\n    pass\nclass C(B):\n    pass\n"
    first, second = "class A(B):\n    pass\n", "def g():\n    pass\n"
    canon = ring + second + first
    assert proposals("definitions", ring + first + second, canon) == [canon]


METACLASS = """sizes = []
class M(type):
    def __new__(m, name, bases, space):
        sizes.append(len([k for k in space if k.endswith({end!r})]))
        return type.__new__(m, name, bases, space)
class A(metaclass=M):
"""
DOCUMENTED = {
    "vars": (
        'class Config:\n    """Settings."""\n    HOST = "h"\ndef solve():\n'
        "    return sorted(v for k, v in vars(Config).items() if isinstance(v, str))\n",
        '    """Settings."""\n',
    ),
    "globals": (
        '"""A module."""\ndef solve():\n    return sum(isinstance(v, str) for v in globals().values())\n',
        '"""A module."""\n',
    ),
    "a metaclass": (
        METACLASS.format(end="c__") + '    """Doc."""\n    x = 1\ndef solve():\n    return sizes\n',
        '    """Doc."""\n',
    ),
    "an attribute spelt by parts": (
        'def g():\n    """Doc."""\n    return 1\ndef solve():\n    return getattr(g, "__do" + "c__")\n',
        '    """Doc."""\n',
    ),
}


@pytest.mark.parametrize("step", ["docstrings", "layout"])
@pytest.mark.parametrize("case", DOCUMENTED)
def test_docstrings_that_a_program_can_see_are_left(case: str, step: str) -> None:
    source, docstring = DOCUMENTED[case]
    plain = source.replace(docstring, "")
    assert outcome(plain) != outcome(source)
    for one, canon in ((source, plain), (plain, source)):
        assert all(outcome(found) == outcome(one) for found in proposals(step, one, canon))


def annotated() -> Iterator[tuple[str, str]]:
    for view in ("len(vars(V))", "len(dir(V))", "len(V.__dict__)", 'len(getattr(V, "__anno" + "tations__"))'):
        yield f"class V:\n    n: int = 0\ndef solve():\n    return {view}\n", "n = 0"
    yield METACLASS.format(end="s__") + "    n: int = 0\ndef solve():\n    return sizes\n", "n = 0"


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="namespaces hold annotations in another way")
@pytest.mark.parametrize(("source", "plain"), list(annotated()))
def test_annotations_that_a_program_can_see_are_left(source: str, plain: str) -> None:
    canon = source.replace("n: int = 0", plain)
    assert outcome(canon) != outcome(source)
    assert proposals("annotations", source, canon) == []
    assert proposals("annotations", canon, source) == []


def test_two_modules_that_may_do_something_keep_their_order() -> None:
    end = "def solve():\n    return 1\n"
    source, canon = (
        "import this\nimport no_such_module\n" + end,
        "import no_such_module\nimport this\n" + end,
    )
    printed = [
        subprocess.run([sys.executable, "-c", one], capture_output=True, check=False).stdout
        for one in (source, canon)
    ]
    assert printed[0] != printed[1]
    assert proposals("imports", source, canon) == []


def test_harmless_modules_pass_one_that_may_do_something_and_unused_ones_go() -> None:
    end = "def solve():\n    return math.pi, this.s\n"
    canon = "import math\nimport this\n" + end
    assert proposals("imports", "import this\nimport math\n" + end, canon)[0] == canon
    kept = "import that\nimport this\nimport math\n" + end
    canon = "import this\nimport that\nimport math\n" + end
    assert proposals("imports", "import os\n" + kept, canon)[0] == kept


# What programs were seen to do, against what their text says


def test_a_class_of_programs_that_were_seen_to_differ_is_counted() -> None:
    same = ["def solve():\n    return 1\n", "def solve():\n    return 1 # one\n"]
    other = "def solve():\n    return 2\n"
    programs = [*same, other, other, other]
    behaviours = ["p", "q", "r", None, "r"]
    found = climb(programs, behaviours, lambda one: normal_forms(one, KEEP), RUNGS)
    assert found["names"] == [0, 0, 1, 1, 1]
    assert contradictions(behaviours, found["names"]) == 1
    assert contradictions(["p", "p", "r", None, "s"], found["names"]) == 1
    assert contradictions(["p", "q", "r", None, "s"], found["names"]) == 2
    assert contradictions(["p", None, None, None, "p"], found["names"]) == 0
    assert contradictions([], []) == 0
