"""Equivalent forms: what would change the program, or cannot be seen not to, is not proposed."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from assay.instruments.repeatability.programs.normalisation import parse
from tests.instruments.repeatability.programs import grammar

from .rewriting import body, every_rewrite, proposed, tree

# What the conditions keep out: the rewrite would change what the program does

REFUSED = [
    ("literals", "def list():\n    return 5\ndef f():\n    return list()", "return list()", "return []", ()),
    ("literals", "def f(dict=int):\n    return dict()", "dict()", "{}", ()),
    (
        "literals",
        "def f():\n    return list(set([151, 51, 32, 95]))",
        "set([151, 51, 32, 95])",
        "{151, 51, 32, 95}",
        (),
    ),
    ("literals", "def f():\n    return {'ﬁ': 1}", "{'ﬁ': 1}", "dict(ﬁ=1)", ()),
    ("literals", "def g():\n    ''\ndef f():\n    return g.__doc__", "    ''", "    str()", ()),
    ("literals", "def g():\n    str()\ndef f():\n    return g.__doc__", "    str()", "    ''", ()),
    ("loops", "range = lambda *a: a\ndef f():\n    return range(0, 3)", "(0, 3)", "(3)", ()),
    ("loops", "def f(a):\n    return range(*a)", "range(*a)", "range(0, *a)", ([1, 9],)),
    (
        "loops",
        "def f(a):\n    r = None\n    try:\n        r = []\n        for x in a:\n            r.append(1 // x)\n"
        "    except ZeroDivisionError:\n        pass\n    return r",
        "r = []\n        for x in a:\n            r.append(1 // x)",
        "r = [1 // x for x in a]",
        ([1, 0],),
    ),
    (
        "loops",
        "def f(a):\n    r = []\n    for x in a:\n        r.append(x)\n    return x",
        "r = []\n    for x in a:\n        r.append(x)",
        "r = [x for x in a]",
        ([1],),
    ),
    (
        "loops",
        "def f(a):\n    x = 5\n    r = [x for x in a]\n    return x",
        "r = [x for x in a]",
        "r = []\n    for x in a:\n        r.append(x)",
        ([1],),
    ),
    (
        "loops",
        "def f(a):\n    r = []\n    for x in a:\n        r.append(len(r))\n    return r",
        "r = []\n    for x in a:\n        r.append(len(r))",
        "r = [len(r) for x in a]",
        ([1, 2],),
    ),
    (
        "loops",
        "def f(a):\n    r = []\n    for x in a:\n        r.append(lambda: x)\n    for x in [7]:\n        pass\n"
        "    return [one() for one in r]",
        "r = []\n    for x in a:\n        r.append(lambda: x)",
        "r = [lambda: x for x in a]",
        ([1, 2],),
    ),
    (
        "loops",
        "def f(a):\n    def g():\n        return len(r)\n    r = []\n    for x in a:\n"
        "        r.append(g())\n    return r",
        "r = []\n    for x in a:\n        r.append(g())",
        "r = [g() for x in a]",
        ([1, 2],),
    ),
    (
        "returns",
        "log = []\ndef f(a):\n    x = 0\n    try:\n        x = a + 1\n        return x\n    finally:\n"
        "        if x: raise KeyError(x)",
        "x = a + 1\n        return x",
        "return a + 1",
        (1,),
    ),
    (
        "returns",
        "x = 7\ndef f(a):\n    if a:\n        return x\n    x = a + 1\n    return x",
        "x = a + 1\n    return x",
        "return a + 1",
        (1,),
    ),
    (
        "returns",
        "x = 0\ndef g(a):\n    global x\n    x = a + 1\n    return x\ndef f(a):\n    g(a)\n    return x",
        "x = a + 1\n    return x",
        "return a + 1",
        (1,),
    ),
    (
        "returns",
        "def f(a):\n    if a:\n        return True\n    return False",
        "if a:\n        return True\n    return False",
        "return a",
        (3,),
    ),
    (
        "returns",
        "class A:\n    def __eq__(self, o): return 5\ndef f():\n    a = A()\n    if a == 1:\n"
        "        return True\n    return False",
        "if a == 1:\n        return True\n    return False",
        "return a == 1",
        (),
    ),
    (
        "returns",
        "def bool(x): return 7\ndef f(a):\n    if a:\n        return True\n    return False",
        "if a:\n        return True\n    return False",
        "return bool(a)",
        (3,),
    ),
    (
        "returns",
        "def f(a):\n    if a:\n        b = 1\n    else:\n        b = 2\n        return b\n    return 7",
        "    else:\n        b = 2\n        return b\n",
        "    b = 2\n    return b\n",
        (1,),
    ),
    (
        "tests",
        "class A:\n    def __eq__(self, o): return True\n    def __ne__(self, o): return True\ndef f():\n"
        "    return not A() == 1",
        "not A() == 1",
        "A() != 1",
        (),
    ),
    (
        "passes",
        "def g():\n    pass\n    'text'\n    return 1\ndef f():\n    return g.__doc__",
        "    pass\n",
        "",
        (),
    ),
    ("assignments", "def f(a):\n    x = a\n    x += [1]\n    return a", "x += [1]", "x = x + [1]", ([],)),
    (
        "assignments",
        "class S(str):\n    def __iadd__(self, o): return 'in place'\nclass A:\n"
        "    def __str__(self): return S('s')\n"
        "def f():\n    x = str(A())\n    x += 'a'\n    return x",
        "x += 'a'",
        "x = x + 'a'",
        (),
    ),
    (
        "assignments",
        "class S(str):\n    def __iadd__(self, o): return 'in place'\nclass A:\n"
        "    def __format__(self, s): return S('s')\n"
        "def f():\n    x = f'{A()}'\n    x += 'a'\n    return x",
        "x += 'a'",
        "x = x + 'a'",
        (),
    ),
    (
        "assignments",
        "class N:\n    def __radd__(self, o): return []\ndef f(a):\n    x = 0\n    x = x + N()\n    y = x\n"
        "    x += [1]\n    return y",
        "x += [1]",
        "x = x + [1]",
        (1,),
    ),
    (
        "assignments",
        "def f():\n    a = b = []\n    a.append(1)\n    return b",
        "a = b = []",
        "a = []\n    b = []",
        (),
    ),
    (
        "assignments",
        "def f(a, b):\n    a, b = b, a\n    return a, b",
        "a, b = b, a",
        "a = b\n    b = a",
        (1, 2),
    ),
    (
        "assignments",
        "def f(a):\n    x = 0\n    def g():\n        return x\n    x, y = 1, g()\n    return y",
        "x, y = 1, g()",
        "x = 1\n    y = g()",
        (1,),
    ),
    (
        "assignments",
        "def f(a):\n    x = 0\n    try:\n        x, y = 1, 1 // a\n    except ZeroDivisionError:\n"
        "        pass\n    return x",
        "x, y = 1, 1 // a",
        "x = 1\n        y = 1 // a",
        (0,),
    ),
]


@pytest.mark.parametrize(("step", "program", "old", "new", "args"), REFUSED)
def test_what_would_change_the_program_is_not_proposed(
    step: str, program: str, old: str, new: str, args: tuple[Any, ...]
) -> None:
    other = program.replace(old, new)
    assert other != program
    assert grammar.run(program, "f", deepcopy(args)) != grammar.run(other, "f", deepcopy(args))
    assert tree(other) not in map(tree, proposed(step, program, other))
    assert tree(other) not in map(tree, every_rewrite(program, other))


LOOP = "r = []\n    for x in a:\n        r.append({})"
UNSEEN = [
    ("literals", "from m import *\ndef f():\n    return list()", "list()", "[]"),
    ("literals", "import builtins\ndef f():\n    return list()", "list()", "[]"),
    ("literals", "def f(x: tuple() = 1):\n    return x", "tuple()", "()"),
    ("literals", "def f(x):\n    match x:\n        case str():\n            return 1", "str()", "''"),
    ("literals", "def f(x):\n    [] = x", "[]", "list()"),
    ("literals", "def f():\n    return {*a, b}", "{*a, b}", "set([*a, b])"),
    ("literals", "def f():\n    return {**a}", "{**a}", "dict(**a)"),
    ("literals", "def f():\n    return {'class': 1, 'x': 2}", "{'class': 1, 'x': 2}", "dict(x=2)"),
    (
        "loops",
        "def f(a):\n    " + LOOP.format("f(x)") + "\n    return r",
        LOOP.format("f(x)"),
        "r = [f(x) for x in a]",
    ),
    (
        "loops",
        "def f(a):\n    " + LOOP.format("(yield x)") + "\n    return r",
        LOOP.format("(yield x)"),
        "r = [0]",
    ),
    (
        "loops",
        "async def f(a):\n    " + LOOP.format("await x"),
        LOOP.format("await x"),
        "r = [await x for x in a]",
    ),
    (
        "loops",
        "def f(a):\n    " + LOOP.format("(q := x)"),
        LOOP.format("(q := x)"),
        "r = [(q := x) for x in a]",
    ),
    (
        "loops",
        "def f(a):\n    global r\n    " + LOOP.format("g(x)"),
        LOOP.format("g(x)"),
        "r = [g(x) for x in a]",
    ),
    (
        "loops",
        "r = []\nfor x in a:\n    r.append(x)",
        "r = []\nfor x in a:\n    r.append(x)",
        "r = [x for x in a]",
    ),
    ("loops", "class A:\n    a = [1]\n    " + LOOP.format("x"), LOOP.format("x"), "r = [x for x in a]"),
    (
        "loops",
        "class A:\n  def f(self, a):\n    " + LOOP.format("super().g(x)"),
        LOOP.format("super().g(x)"),
        "r = [super().g(x) for x in a]",
    ),
    (
        "loops",
        "def f(a):\n  with a:\n    " + LOOP.format("1 / x") + "\n  return r",
        LOOP.format("1 / x"),
        "r = [1 / x for x in a]",
    ),
    (
        "returns",
        "def f(a):\n    x = a\n    g = lambda: x\n    x = g\n    return x",
        "x = g\n    return x",
        "return g",
    ),
    (
        "returns",
        "def f(a):\n    x = len(locals())\n    return x",
        "x = len(locals())\n    return x",
        "return len(locals())",
    ),
    ("returns", "async def f(a):\n    yield a\n    return", "    return", "    return None"),
    ("passes", "def f():\n    'doc'\n    return 1", "    'doc'\n", ""),
    ("assignments", "x = 0\nx += 1", "x += 1", "x = x + 1"),
    ("assignments", "def f(x):\n    x += 1", "x += 1", "x = x + 1"),
    ("assignments", "def f():\n    global x\n    x = 0\n    x += 1", "x += 1", "x = x + 1"),
    ("assignments", "def f():\n    x = 0\n    for x in g():\n        x += 1", "x += 1", "x = x + 1"),
    ("assignments", "def f():\n    x = 0\n    import m as x\n    x += 1", "x += 1", "x = x + 1"),
    (
        "assignments",
        "def f(a):\n    x = 0\n    match a:\n        case [x]: pass\n    x += 1",
        "x += 1",
        "x = x + 1",
    ),
    ("assignments", "def f():\n    x = 0\n    with g() as x: pass\n    x += 1", "x += 1", "x = x + 1"),
    (
        "assignments",
        "def f():\n    x = 0\n    def h():\n        nonlocal x\n        x = []\n    h()\n    x += 1",
        "x += 1",
        "x = x + 1",
    ),
    ("assignments", "def len(x): return []\ndef f(a):\n    x = len(a)\n    x += 1", "x += 1", "x = x + 1"),
    ("assignments", "def f():\n    a[0], b = 1, 2", "a[0], b = 1, 2", "a[0] = 1\n    b = 2"),
    ("assignments", "def f():\n    a, a = 1, 2", "a, a = 1, 2", "a = 1\n    a = 2"),
    ("assignments", "a, b = 1, g()", "a, b = 1, g()", "a = 1\nb = g()"),
]


@pytest.mark.parametrize(("step", "program", "old", "new"), UNSEEN)
def test_where_the_condition_cannot_be_seen_to_hold_nothing_is_proposed(
    step: str, program: str, old: str, new: str
) -> None:
    other = program.replace(old, new)
    assert parse(program) is not None
    assert other != program
    assert all(old in source for source in proposed(step, program, other))
    assert other not in every_rewrite(program, other)


@pytest.mark.parametrize(
    "spy", ["eval('1')", "vars()", "sys._getframe()", "getattr(a, b)", "f.__code__", "gc.collect()"]
)
def test_a_program_that_looks_at_itself_is_left_alone(spy: str) -> None:
    assert list(every_rewrite(body("x = list()\ny()\nreturn x"), body("return []")))
    assert not list(every_rewrite(body(f"x = list()\n{spy}\nreturn x"), body("return []")))
