"""Equivalent forms: what is proposed means the same for every input, is written as meant, and leaves the rest be."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from assay.instruments.repeatability.normalisation import parse
from assay.instruments.repeatability.repair.forms import FORMS, MOST_PROPOSALS
from assay.instruments.repeatability.repair.forms_assignments import ASSIGNMENTS
from assay.instruments.repeatability.repair.forms_expressions import LITERALS, RANGES, TESTS
from assay.instruments.repeatability.repair.forms_facts import facts_of
from assay.instruments.repeatability.repair.forms_lists import LISTS
from assay.instruments.repeatability.repair.forms_statements import PASSES, RETURNS, SWAPS
from assay.instruments.repeatability.repair.model import Program
from tests.instruments.repeatability import grammar

STEPS = {step.name: step for step in FORMS}
RULES = (*LITERALS, *RANGES, *TESTS, *SWAPS, *LISTS, *RETURNS, *PASSES, *ASSIGNMENTS)


def body(text: str) -> str:
    return "def f(a=None, b=None):\n" + textwrap.indent(textwrap.dedent(text).strip("\n"), "    ") + "\n"


def proposed(step: str, program: str, canon: str) -> list[str]:
    return list(STEPS[step].propose(Program(program), Program(canon)))


def tree(source: str) -> str:
    return ast.dump(ast.parse(source))


def every_rewrite(source: str, canon: str) -> Iterator[str]:
    """What any rule makes of the program anywhere, wanted or not."""
    facts, target = facts_of(Program(source)), facts_of(Program(canon))
    if facts is not None and target is not None:
        for rule in RULES:
            for rewrite in rule(facts, target):
                made = facts.sheet.apply([rewrite])
                if made is not None:
                    yield made


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
