"""Programs that look at themselves in roundabout ways: no step of repair may change what they do."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from textwrap import dedent

import pytest

from assay.instruments.repeatability.programs.ladder import RUNGS, climb, contradictions
from assay.instruments.repeatability.programs.normalisation import normal_forms

from . import proposing

KEEP = frozenset(("solve",))


def proposals(name: str, source: str, canon: str) -> list[str]:
    return proposing.proposals(name, source, canon, "solve")


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


@pytest.mark.parametrize("step", ["docstrings", "formatting"])
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


@pytest.mark.parametrize("seen", ["import inspect", "print(__file__)", "import traceback", "e.tb_lineno"])
def test_a_program_that_can_see_its_text_is_left_alone(seen: str) -> None:
    source = f'{seen}\ndef solve( x ):  # c\n  """d"""\n  return (x)\n'
    found = [
        one for name in proposing.STEP for one in proposals(name, source, "def solve(x):\n    return x\n")
    ]
    assert found == []


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
