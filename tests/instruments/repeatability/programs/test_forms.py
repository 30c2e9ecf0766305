"""Equivalent forms: each is brought to the other, is written as meant, and the rest is left be."""

from __future__ import annotations

import pytest

from assay.instruments.repeatability.programs.normalisation import parse
from assay.instruments.repeatability.programs.repair.forms import FORMS, MOST_PROPOSALS
from assay.instruments.repeatability.programs.repair.model import Program

from .rewriting import body, proposed

# Each rule, both ways

PAIRS = [
    *[
        (step, f"return {one}", f"return {other}")
        for step, one, other in [
            ("literals", "list()", "[]"),
            ("literals", "dict()", "{}"),
            ("literals", "tuple()", "()"),
            ("literals", "str()", "''"),
            ("literals", "set([a, b])", "{a, b}"),
            ("literals", "set((a, b))", "{a, b}"),
            ("literals", "dict(x=1, y=a)", "{'x': 1, 'y': a}"),
            ("loops", "range(0, a)", "range(a)"),
            ("loops", "range(a, b, 1)", "range(a, b)"),
            ("loops", "range(0, a, 1)", "range(a)"),
            ("tests", "not a in b", "a not in b"),
            ("tests", "not a is b", "a is not b"),
            ("tests", "1 if not a else 2", "2 if a else 1"),
            ("tests", "1 if a not in b else 2", "2 if a in b else 1"),
        ]
    ],
    ("loops", "while 1:\n    return a", "while True:\n    return a"),
    ("loops", "r = []\nfor x in a:\n    r.append(x * 2)\nreturn r", "r = [x * 2 for x in a]\nreturn r"),
    (
        "loops",
        "r = []\nfor i, x in enumerate(a):\n    if x:\n        r.append((i, x))\nreturn r",
        "r = [(i, x) for i, x in enumerate(a) if x]\nreturn r",
    ),
    ("returns", "x = a + b\nreturn x", "return a + b"),
    (
        "returns",
        "if a:\n    return 1\nelse:\n    # why\n    b = 2\n    return b",
        "if a:\n    return 1\n# why\nb = 2\nreturn b",
    ),
    (
        "returns",
        "if a:\n    return 1\nelif b:\n    return 2\nelse:\n    return 3",
        "if a:\n    return 1\nif b:\n    return 2\nreturn 3",
    ),
    (
        "returns",
        "if a:\n    return 1\nelif b:\n    return 2\na = 3\nreturn a + 1",
        "if a:\n    return 1\nif b:\n    return 2\na = 3\nreturn a + 1",
    ),
    (
        "returns",
        "for x in a:\n    if x:\n        continue\n    else:\n        b = x\nreturn b",
        "for x in a:\n    if x:\n        continue\n    b = x\nreturn b",
    ),
    (
        "returns",
        "if a in b:\n    a = 1\n    return a + 1\nreturn 0",
        "if a not in b:\n    return 0\na = 1\nreturn a + 1",
    ),
    ("returns", "if a:\n    return 1\nreturn b", "return 1 if a else b"),
    ("returns", "if a:\n    return 1\nelse:\n    return b", "return 1 if a else b"),
    ("returns", "if a in b:\n    return True\nreturn False", "return a in b"),
    ("returns", "if a in b:\n    return False\nreturn True", "return a not in b"),
    ("returns", "if a == b:\n    return True\nelse:\n    return False", "return bool(a == b)"),
    ("returns", "if a == b:\n    return False\nreturn True", "return not a == b"),
    ("returns", "print(a)\nreturn", "print(a)"),
    ("returns", "print(a)\nreturn None", "print(a)"),
    ("returns", "return", "pass"),
    (
        "tests",
        "if not a:\n    b = 1\nelse:\n    b = 2\nreturn b",
        "if a:\n    b = 2\nelse:\n    b = 1\nreturn b",
    ),
    (
        "tests",
        "if not a:\n    return 1\nelif b:\n    return 2",
        "if a:\n    if b:\n        return 2\nelse:\n    return 1",
    ),
    ("passes", "a = 1\npass", "a = 1"),
    ("passes", "pass", "..."),
    ("assignments", "x = 0\nx += 1\nreturn x", "x = 0\nx = x + 1\nreturn x"),
    ("assignments", "s = ''\ns += 'a'\nreturn s", "s = ''\ns = s + 'a'\nreturn s"),
    ("assignments", "n = len(a)\nn -= 1\nreturn n", "n = len(a)\nn = n - 1\nreturn n"),
    ("assignments", "x = y = 0\nreturn x, y", "x = 0\ny = 0\nreturn x, y"),
    ("assignments", "x, y = 0, len(a) - 1\nreturn x, y", "x = 0\ny = len(a) - 1\nreturn x, y"),
    ("assignments", "x, y, z = a, 2, 3\nreturn x, y, z", "x = a\ny = 2\nz = 3\nreturn x, y, z"),
]


@pytest.mark.parametrize(("step", "one", "other"), PAIRS)
def test_each_form_is_brought_to_the_other(step: str, one: str, other: str) -> None:
    assert body(other) in proposed(step, body(one), body(other))
    assert body(one) in proposed(step, body(other), body(one))


# How it is written

LAYOUTS = [
    ("literals", "é = 'ü'; x = list()  # ö\n", "é = 'ü'; x = []\n", "é = 'ü'; x = []  # ö\n"),
    ("literals", "x = list()\r\ny = 2\r\n", "x = []\ny = 2\n", "x = []\r\ny = 2\r\n"),
    ("literals", "\x0cx = list()\n\x0c\ny = 2", "x = []\ny = 2", "\x0cx = []\n\x0c\ny = 2"),
    (
        "loops",
        "for i in range( 0,  n ):\n  f(i)\n",
        "for i in range(n): f(i)",
        "for i in range(n):\n  f(i)\n",
    ),
    ("tests", "x = (not (a\n  in b))\n", "x = a not in b\n", "x = (a not in b)\n"),
    ("tests", "x = not not a in b\n", "x = not (a not in b)\n", "x = not a not in b\n"),
    (
        "returns",
        "def f(a):\n\tif a: return 1\n\telse:\n\t\t# why\n\t\tx = '''\n  two\n'''  # so\n\n\t\treturn (x,\n  a)\n",
        "def f(a):\n    if a:\n        return 1\n    x = '''\n  two\n'''\n    return (x, a)\n",
        "def f(a):\n\tif a:\n\t\treturn 1\n\t# why\n\tx = '''\n  two\n'''  # so\n\n\treturn (x,\n\ta)\n",
    ),
    (
        "returns",
        "def f(a):\r\n  if (a and\r\n     a): return 1\r\n  return 2  # end\r\n",
        "def f(a):\n    return 1 if a and a else 2\n",
        "def f(a):\r\n  return 1 if (a and\r\n     a) else 2  # end\r\n",
    ),
    ("returns", "def f(a): x = g(a); return x\n", "def f(a): return g(a)\n", "def f(a): return g(a)\n"),
    (
        "returns",
        "def f(a):\n    if a:\n        return 1\n    @d\n    def g(): pass\n    return g\n",
        "def f(a):\n    if a:\n        return 1\n    else:\n        @d\n        def g(): pass\n        return g\n",
        "def f(a):\n    if a:\n        return 1\n    else:\n        @d\n        def g(): pass\n        return g\n",
    ),
    ("passes", "if a:\n    b(); pass; c()\n", "if a:\n    b(); c()\n", "if a:\n    b(); c()\n"),
    ("passes", "if a: b(); pass\n", "if a: b()\n", "if a: b()\n"),
    (
        "passes",
        "if a:\n    b()\n    # x\n    pass  # y\nc()\n",
        "if a: b()\nc()\n",
        "if a:\n    b()\n    # x\nc()\n",
    ),
    (
        "assignments",
        "def f():\n    a, b = 1, 2; return a\n",
        "def f():\n    a = 1\n    b = 2\n    return a",
        "def f():\n    a = 1; b = 2; return a\n",
    ),
    ("assignments", 'a = 1  # one\nb = "2"  # two\n', "a, b = 1, '2'", 'a, b = 1, "2"  # two\n'),
]


@pytest.mark.parametrize(("step", "program", "canon", "expected"), LAYOUTS)
def test_everything_else_stays_as_it_was_written(step: str, program: str, canon: str, expected: str) -> None:
    assert expected in proposed(step, program, canon)


def test_what_does_not_fit_after_a_semicolon_is_left_out() -> None:
    program = "def f(a): b = 1; r = [x for x in a]; return r\n"
    canon = "def f(a):\n    b = 1\n    r = []\n    for x in a:\n        r.append(x)\n    return r\n"
    assert not proposed("loops", program, canon)


HOSTILE = [
    "",
    "(",
    "\x00",
    "x = " + "-" * 300 + "1",
    "x = 0x" + "f" * 9000,
    "x" * 10,
    "\ufeffx = list()",
    "\ud800",
]


@pytest.mark.parametrize("source", HOSTILE)
def test_whatever_a_model_writes_is_survived(source: str) -> None:
    for step in FORMS:
        for other in ("x = []\npass\n", "", "(", source):
            for program, canon in ((source, other), (other, source)):
                assert all(parse(made) for made in step.propose(Program(program), Program(canon)))


def test_at_most_so_many_are_proposed_and_all_at_once_comes_first() -> None:
    program, canon = (body("\n".join(f"x{n} = {form}" for n in range(30))) for form in ("list()", "[]"))
    made = proposed("literals", program, canon)
    assert len(made) == MOST_PROPOSALS
    assert made[0] == canon


def test_the_canon_chooses_the_form_by_the_function_of_the_same_name() -> None:
    program = "def f():\n    return []\ndef g():\n    return list()\n"
    canon = "def f():\n    return list()\ndef g():\n    return []\n"
    assert proposed("literals", program, canon)[0] == canon
    assert not proposed("literals", program, program)
