"""Which names are one variable (held against ``symtable``), which may be renamed, and programs without names."""

from __future__ import annotations

import argparse
import ast
import gzip
import heapq
import inspect
import json
import re
import statistics
import symtable
import sys
import textwrap
import types
from dataclasses import replace
from textwrap import dedent
from types import ModuleType

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.names import alpha
from assay.instruments.repeatability.programs.parsing import parse
from assay.instruments.repeatability.programs.repair.trees import key as tree_key
from assay.instruments.repeatability.programs.scopes import Scope, analyse
from tests.support import SHARED

from .grammar import Sketch, programs, renamed, restyled, run, tokens

ROWS = SHARED / "skyt.jsonl.gz"
KEEP = frozenset(("f",))

Found = dict[
    tuple[str, str, int], list[dict[str, str]]
]  # (kind, name, line) of scopes: names and where they live

TRICKY = {
    "shadowing": (
        "x = 1\ndef f(x):\n    def g():\n        x = 2\n        return x\n    return g() + x\nprint(x)"
    ),
    "comprehension": "x = [1]\ndef f():\n    return [x for x in x], {x: y for x in x for y in x}, x",
    "nested comprehension": "def f(n):\n    return [[i * j for j in range(i)] for i in range(n) if i]",
    "generator": "def f(n):\n    return sum(i for i in n), (i for i in (j for j in n))",
    "walrus": "def f(n):\n    return [y for x in n if (y := x)], y, (z := 1), z",
    "walrus twice deep": "def f(n):\n    return [[(y := a) for a in b] for b in n], y",
    "walrus at the top": "[w := i for i in range(3)]\nprint(w)",
    "walrus in a lambda": "def f(n):\n    return lambda: [(y := a) for a in n] + [y]",
    "walrus of a global": "def f(n):\n    global y\n    return [(y := a) for a in n]",
    "class body": (
        "x = 1\nclass A:\n    x = x\n    y = [x for _ in range(x)]\n    def m(self):\n        return x"
    ),
    "class in a function": (
        "def f(x):\n    class A:\n        y = x\n        def m(self):\n            return x, y\n    return A"
    ),
    "class global": "class A:\n    global x\n    x = 1\n    def m(self):\n        return x",
    "class nonlocal": "def f(x):\n    class A:\n        nonlocal x\n        x = 2\n    return x",
    "nonlocal": (
        "def f(x):\n    def g():\n        nonlocal x\n        def h():\n"
        "            nonlocal x\n            x += 1\n        x = 1\n        h()\n    return g"
    ),
    "global": ("def f():\n    global count\n    count = 1\n    def g():\n        return count\n    return g"),
    "global past a local": (
        "x = 0\ndef f():\n    x = 1\n    def g():\n        global x\n        def h():\n"
        "            return x\n        return h\n    return x"
    ),
    "except": (
        "def f():\n    try:\n        pass\n    except ValueError as e:\n        print(e)\n    return e"
    ),
    "match": (
        "def f(x):\n    match x:\n        case [a, *b]: return a, b\n"
        "        case {'k': c, **d}: return c, d\n        case int(e) | str(e): return e\n"
        "        case (1 as g) if g: return g\n        case _: return x"
    ),
    "defaults": "x = 1\ndef f(x=x, *a, y=x, **k):\n    return lambda z=x, *b: (z, x, b, a, k, y)",
    "decorators": (
        "def d(x):\n    return x\n@d\ndef f(d):\n    return d\n@d\nclass A(d(object), k=d): d = 1"
    ),
    "annotations": "T = int\ndef f(x: T, *y: T) -> T:\n    z: T = x\n    w: T\n    return z",
    "del": "def f(x):\n    del x\n    y = 1\n    del y",
    "with, for, import": (
        "def f(n):\n    with n as (a, b), n as c:\n        for d, *e in n:\n"
        "            import os.path, sys as g\n            from a.b import h as i, j\n"
        "    return a, b, c, d, e, os, g, i, j"
    ),
    "augmented": "def f(n):\n    n.x += 1\n    n[m] += 1\n    k += 1\n    return k",
    "async": (
        "async def f(n):\n    async with n as a:\n        async for b in n:\n"
        "            return [c async for c in b]"
    ),
    "f-strings": (
        "def f(x, w):\n    y = 1\n"
        "    return f'{x=} {y!r:>{w}} {{z}} ' f'{[x for x in y]} {(lambda q: q + x)(1)}'"
    ),
    "unused": "def f(a, b, /, c, *, d):\n    def g(): pass",
}


# Since Python 3.12 a comprehension's own names are listed in the scope around it, together with those of that scope.
INLINED = () if sys.version_info < (3, 12) else ("listcomp", "setcomp", "dictcomp")


def by_symtable(source: str) -> Found:
    """For every scope the names mentioned in it, each with where the compiler finds it."""
    found: Found = {}
    tables = [symtable.symtable(source, "<program>", "exec")]
    for table in tables:
        tables += table.get_children()
        kinds = {
            symbol.get_name(): "global"
            if table.get_type() == "module" or symbol.is_global()
            else "free"
            if symbol.is_free()
            else "local"
            for symbol in table.get_symbols()
            if any(
                (symbol.is_referenced(), symbol.is_assigned(), symbol.is_parameter(), symbol.is_imported())
            )
            or any((symbol.is_declared_global(), symbol.is_nonlocal(), symbol.is_namespace()))
            if not symbol.get_name().startswith(("__", "."))
        }
        line = table.get_lineno() if table.get_type() != "module" else 0
        found.setdefault((str(table.get_type()), table.get_name(), line), []).append(kinds)
    return found


_CALLED = {ast.Lambda: "lambda", ast.ListComp: "listcomp", ast.SetComp: "setcomp"} | {
    ast.DictComp: "dictcomp",
    ast.GeneratorExp: "genexpr",
    ast.Module: "top",
}


def by_analysis(source: str) -> Found:
    names = analyse(ast.parse(source))
    kinds: dict[Scope, dict[str, str]] = {scope: {} for scope in names.scopes}
    for binding in names.bindings:
        if binding.name.startswith("__"):
            continue
        home = binding.scope.kind if binding.scope else "module"
        if (
            binding.scope is not None
        ):  # the compiler lists a name where it lives, even if it is bound from elsewhere
            kinds[binding.scope][binding.name] = "global" if home == "module" else "local"
        for place in binding.places:
            own = "local" if place.scope is binding.scope else "free"
            kinds[place.scope][binding.name] = "global" if home == "module" else own
    found: Found = {}
    for scope, mentioned in kinds.items():
        kind = "function" if scope.kind == "comprehension" else scope.kind
        called = str(_CALLED.get(type(scope.node)) or getattr(scope.node, "name", ""))
        found.setdefault((kind, called, getattr(scope.node, "lineno", 0)), []).append(mentioned)
    return found


def in_order(found: Found) -> dict[tuple[str, str, int], list[str]]:
    return {key: sorted(str(sorted(one.items())) for one in scopes) for key, scopes in found.items()}


def agree(source: str) -> None:
    mine, theirs = by_analysis(source), by_symtable(source)
    if not INLINED:
        assert in_order(mine) == in_order(theirs)
    for key, scopes in mine.items():
        for mentioned in scopes if key in theirs or key[1] not in INLINED else ():
            assert any(mentioned.items() <= other.items() for other in theirs[key]), (key, mentioned)


@pytest.mark.parametrize("case", TRICKY)
def test_scopes_are_those_of_the_compiler(case: str) -> None:
    agree(TRICKY[case])


@given(programs())
def test_scopes_of_drawn_programs_are_those_of_the_compiler(program: Sketch) -> None:
    agree(program.source)


@pytest.mark.parametrize("module", [argparse, heapq, statistics, textwrap, types])
def test_scopes_of_real_modules_are_those_of_the_compiler(module: ModuleType) -> None:
    agree(inspect.getsource(module))


def named(source: str, keep: frozenset[str] = KEEP) -> str:
    tree = parse(dedent(source))
    assert tree is not None
    return ast.unparse(alpha(tree, keep))


def same(one: str, other: str, keep: frozenset[str] = KEEP) -> bool:
    first, second = parse(dedent(one)), parse(dedent(other))
    assert first is not None
    assert second is not None
    return ast.dump(alpha(first, keep)) == ast.dump(alpha(second, keep))


def test_variables_are_numbered_as_they_appear() -> None:
    source = """
        LIMIT = 3
        def helper(a, b=LIMIT):
            return [x * a for x in range(b) if (y := x) > 0] + [y]
        def f(n):
            return helper(n, b"x"), lambda *args: args
        """
    expected = """
        v0 = 3
        def v1(v2, v3=v0):
            return [v4 * v2 for v4 in range(v3) if (v5 := v4) > 0] + [v5]
        def f(v6):
            return v1(v6, b"x"), lambda *v7: v7
        """
    assert named(source) == ast.unparse(ast.parse(dedent(expected)))


def test_numbers_of_names_that_stay_are_left_out() -> None:
    assert named("def f(a, b):\n    return v0(a, b, v2=1)") == "def f(v1, v3):\n    return v0(v1, v3, v2=1)"
    assert named("__all__ = ['v0']\na = 1") == "__all__ = ['v0']\nv1 = 1"
    assert named("def f(a): return a", frozenset(("f", "v0"))) == "def f(v1):\n    return v1"


def test_a_variable_called_like_a_number_makes_no_difference() -> None:
    assert same("def f(v1, v0): return v1 - v0", "def f(v0, v1): return v0 - v1")
    assert not same("def f(v1, v0): return v1 - v0", "def f(v0, v1): return v1 - v0")


@settings(max_examples=50)
@given(programs(), st.data())
def test_a_renamed_program_is_the_same(program: Sketch, data: st.DataObject) -> None:
    assert same(program.source, data.draw(renamed(program)).source)


@settings(max_examples=50)
@given(programs(), st.data())
def test_a_restyled_program_is_the_same(program: Sketch, data: st.DataObject) -> None:
    source = data.draw(restyled(program))
    assert tokens(source) == tokens(program.source)
    assert same(program.source, source)


@settings(max_examples=50)
@given(programs(), st.data())
def test_a_program_renamed_in_one_place_only_is_another(program: Sketch, data: st.DataObject) -> None:
    holes = list(re.finditer("⟨(\\d+)⟩", program.text))
    several = [hole for hole in holes if sum(other[0] == hole[0] for other in holes) > 1]
    assume(several)
    hole = data.draw(st.sampled_from(several))
    changed = replace(program, text=program.text[: hole.start()] + "unheard_of" + program.text[hole.end() :])
    assert not same(program.source, changed.source)


@settings(max_examples=50)
@given(programs(), st.tuples(*[st.integers(-3, 6)] * 3))
def test_the_meaning_is_kept_and_nothing_more_changes(
    program: Sketch, arguments: tuple[int, int, int]
) -> None:
    tree = alpha(ast.parse(program.source), program.keep)
    once = ast.unparse(tree)
    assert ast.unparse(alpha(tree, program.keep)) == once
    called = arguments[: program.parameters]
    assert run(once, program.entry, called) == run(program.source, program.entry, called)


@pytest.mark.parametrize("case", TRICKY)
def test_tricky_programs_keep_their_scopes(case: str) -> None:
    """The compiler sees the renamed variables where it saw the original ones."""
    tree = ast.parse(TRICKY[case])
    before = by_symtable(ast.unparse(tree))
    once = ast.unparse(alpha(tree, KEEP))
    assert ast.unparse(alpha(tree, KEEP)) == once
    assert where(before) == where(by_symtable(once))


def where(found: Found) -> list[tuple[str, int, list[list[str]]]]:
    """What is left without the names: both are printed the same way, so that lines can be compared."""
    counted = set if INLINED else list  # of two that have one name there, only one is listed
    return sorted(
        (kind, line, sorted(sorted(counted(one.values())) for one in scopes))
        for (kind, _, line), scopes in found.items()
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(a, b): return a", "def f(a, b): return b"),
        ("def f(a, b): return a - b", "def f(a, b): return b - a"),
        ("def f(a): return [a for b in a]", "def f(a): return [b for b in a]"),
        ("def f(a):\n    def g(b): return a", "def f(a):\n    def g(a): return a"),
        ("x = 1\ndef f(): return x", "x = 1\ndef f(): return y"),
        ("x = 1\ndef f():\n    x = 2", "x = 1\ndef f():\n    global x\n    x = 2"),
        (
            "def f(a):\n    def g():\n        nonlocal a\n        a = 1",
            "def f(a):\n    def g():\n        b = 1",
        ),
        ("def f(a): return f'{a=}'", "def f(b): return f'{b=}'"),
        (
            "_A__x = 1\nclass A:\n    def m(self): return __x",
            "_A__y = 1\nclass A:\n    def m(self): return __x",
        ),
        ("def f(a): return 1", "def f(a): return 1.0"),
        ("def f(a): return 1", "def f(a): return True"),
        ("def f(a): return 0.0", "def f(a): return -0.0"),
        ("def f(a): return a.x", "def f(a): return a.y"),
        ("def f(a): return len(a)", "def f(a): return sum(a)"),
        ("def f(a): return a, a", "def f(a): return a, a, a"),
    ],
)
def test_programs_that_differ_in_more_than_names_stay_different(one: str, other: str) -> None:
    assert not same(one, other)


@pytest.mark.parametrize(
    "source",
    [
        "nonlocal x",
        "def f():\n    nonlocal x\n    x = 1",
        "def f(x):\n    global x\n    return x",
        "def f(x, x): return x",
        "[(i := 1) for i in x]",
        "class A:\n    [(i := 1) for j in x]",
        "return x",
    ],
)
def test_what_the_compiler_refuses_is_still_read(source: str) -> None:
    tree = alpha(ast.parse(source))
    once = ast.dump(tree)
    assert ast.dump(alpha(tree)) == once


def test_deep_programs_need_no_room_on_the_stack() -> None:
    deep = "def f(x):\n    return " + "(" * 90 + "x" + " + x)" * 90 + " + x" * 380
    tree = parse(deep)
    assert tree is not None

    def down(levels: int) -> bool:
        if levels:
            return down(levels - 1)
        before, once = tree_key(tree), tree_key(alpha(tree, KEEP))
        return once == tree_key(alpha(tree, KEEP)) != before

    assert down(sys.getrecursionlimit() - 150)


@pytest.mark.skipif(not ROWS.exists(), reason="needs the real outputs in shared/data")
def test_real_outputs_keep_their_scopes_and_are_renamed_once() -> None:
    with gzip.open(ROWS, "rt") as lines:
        outputs = dict.fromkeys(output for line in lines for output in json.loads(line)["outputs"] if output)
    trees = [(source, tree) for source in outputs if (tree := parse(source)) is not None]
    assert trees
    for source, tree in trees:
        agree(source)
        once = ast.dump(alpha(tree))
        assert ast.dump(alpha(tree)) == once
        compile(tree, "<renamed>", "exec")
    assert len({ast.dump(tree) for _, tree in trees}) < len(
        {ast.dump(ast.parse(source)) for source, _ in trees}
    )
