"""Proposals towards the canon's names: the same program, in the same layout, as near to the canon as names go."""

from __future__ import annotations

import ast
import bisect
import colorsys
import getopt
import graphlib
import posixpath
import re
from inspect import getsource
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.names import alpha
from assay.instruments.repeatability.programs.normalisation import names_form
from assay.instruments.repeatability.programs.repair.search import MOST_OF_STEP
from tests.instruments.repeatability.programs.grammar import Sketch, programs, renamed, restyled, run, tokens

from . import proposing
from .proposing import ROWS


def proposals(source: str, canon: str, *keep: str, most: int = MOST_OF_STEP) -> list[str]:
    """What is proposed, each checked to be the program under other names; ``f`` is kept if nothing else is."""
    kept = keep or ("f",)
    found = proposing.proposals("names", dedent(source), dedent(canon), *kept, most=most)
    assert len(found) <= MOST_OF_STEP
    before = names_form(dedent(source), frozenset(kept))
    for one in found:
        compile(one, "<proposal>", "exec")
        assert names_form(one, frozenset(kept)) == before
    return found


@settings(max_examples=30)
@given(programs(), st.data())
def test_a_canon_under_other_names_is_reached(program: Sketch, data: st.DataObject) -> None:
    canon = data.draw(renamed(program)).source
    assert proposals(program.source, canon, most=1) == ([canon] if canon != program.source else [])


@settings(max_examples=25)
@given(programs(), st.data())
def test_the_layout_stays_the_program_s_own(program: Sketch, data: st.DataObject) -> None:
    canon, source = data.draw(renamed(program)), data.draw(restyled(program))
    for first in proposals(source, canon.source, most=1):
        assert tokens(first) == tokens(canon.source)
        assert layout(first) == layout(source)


def layout(source: str) -> list[str]:
    """What stands before, after and between the words."""
    return re.split(r"\w+", source)


@settings(max_examples=25)
@given(programs(), programs(), st.tuples(*[st.integers(-3, 6)] * 3))
def test_towards_any_canon_the_meaning_is_kept(
    program: Sketch, canon: Sketch, arguments: tuple[int, int, int]
) -> None:
    called = arguments[: program.parameters]
    expected = run(program.source, program.entry, called)
    for one in proposals(program.source, canon.source, most=4):
        assert run(one, program.entry, called) == expected


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_kind_of_place_is_found(newline: str) -> None:
    source = """
        LIM = 3  # LIM is the limit
        async def g(p, /, q=LIM, *r, **s):
            'p and q'
            return p * q, r, s
        def f(n):
            '''n is a number,
            tot is the total'''
            global gg, hh
            tot: int = 0; é = "é"; gg = hh = é
            for k in range(n): tot += g(k)
            try:
                t = f"{tot:>{n}} tot {{n}} {tot!r} \\N{EM DASH} {f'{k}'} {'tot'}" "tot" rf'\\{k}'
            except (ValueError, LookupError) as err:
                return err
            match (n):
                case {"a": 1, **rr, }: return rr
                case [1, *ss]: return ss
                case ([a, b] as z) | ([a, b, _] as z): return z, a, b
                case w: del w
            def inner(): \\
                nonlocal tot, k; tot += 1
            with n as m: return [tot for tot in range(k)], lambda u, *v: (u, v, m), (o := 1), inner, n.tot(tot=k)
        """
    canon = """
        MAX = 3  # LIM is the limit
        async def helper(a, /, b=MAX, *c, **d):
            'p and q'
            return a * b, c, d
        def f(total):
            '''n is a number,
            tot is the total'''
            global one, other
            n: int = 0; e = "é"; one = other = e
            for i in range(total): n += helper(i)
            try:
                text = f"{n:>{total}} tot {{n}} {n!r} \\N{EM DASH} {f'{i}'} {'tot'}" "tot" rf'\\{i}'
            except (ValueError, LookupError) as error:
                return error
            match (total):
                case {"a": 1, **rest, }: return rest
                case [1, *star]: return star
                case ([x, y] as both) | ([x, y, _] as both): return both, x, y
                case any_: del any_
            def inside(): \\
                nonlocal n, i; n += 1
            with total as w: return [j for j in range(i)], lambda k, *l: (k, l, w), (m := 1), inside, total.tot(tot=i)
        """
    # It makes texts, so a coroutine and a function that is returned keep their names.
    reached = dedent(canon).replace("helper", "g").replace("inside", "inner")
    assert proposals(dedent(source).replace("\n", newline), canon)[0] == reached


def test_names_of_functions_are_found() -> None:
    source = "async def g(): pass\ndef h(): return g\ndef f(x): return h() or h\n"
    canon = "async def one(): pass\ndef other(): return one\ndef f(x): return other() or other\n"
    assert proposals(source, canon)[0] == canon


def test_names_can_change_places() -> None:
    assert proposals("def f(a, b): return a - b", "def f(b, a): return b - a") == [
        "def f(b, a): return b - a"
    ]


def test_after_all_at_once_come_functions_then_single_names() -> None:
    source = "def g(a, b): return a - b\ndef f(c, d): return g(c, d)\n"
    canon = "def g(w, x): return w - x\ndef f(y, z): return g(y, z)\n"
    assert proposals(source, canon, "f", "g") == [
        canon,
        "def g(a, b): return a - b\ndef f(y, z): return g(y, z)\n",
        "def g(w, x): return w - x\ndef f(c, d): return g(c, d)\n",
        "def g(a, b): return a - b\ndef f(y, d): return g(y, d)\n",
        "def g(a, b): return a - b\ndef f(c, z): return g(c, z)\n",
        "def g(w, b): return w - b\ndef f(c, d): return g(c, d)\n",
        "def g(a, x): return a - x\ndef f(c, d): return g(c, d)\n",
    ]


def test_a_program_that_differs_in_more_gets_the_names_it_shares() -> None:
    source = """
        def f(lst, x):
            lo, hi = 0, len(lst) - 1
            while lo <= hi:
                m = (lo + hi) // 2
                if lst[m] == x:
                    return m
                if lst[m] < x:
                    lo = m + 1
                else:
                    hi = m - 1
            return -1
        """
    canon = """
        def f(items, target):
            left = 0
            right = len(items) - 1
            while left <= right:
                middle = left + (right - left) // 2
                if items[middle] == target:
                    return middle
                elif items[middle] < target:
                    left = middle + 1
                else:
                    right = middle - 1
            return -1
        """
    first = proposals(source, canon)[0]
    assert "left, right = 0, len(items) - 1" in first
    assert "middle = (left + right) // 2" in first
    assert "if items[middle] < target:" in first


def test_functions_in_another_order_are_paired_by_what_they_do() -> None:
    source = (
        "def g(a):\n    return [a, 1]\ndef h(b):\n    while b:\n        b -= 1\ndef f(x): return g(h(x))\n"
    )
    canon = "def f(n): return make(down(n))\ndef down(k):\n    while k:\n        k -= 1\n"
    canon += "def make(v):\n    return [v, 1]\n"
    assert proposals(source, canon)[0] == (
        "def make(v):\n    return [v, 1]\ndef down(k):\n    while k:\n        k -= 1\ndef f(n): return make(down(n))\n"
    )


@pytest.mark.parametrize(
    ("source", "canon"),
    [
        ("def f(a): return a", "def f(a): return a"),
        ("def f(a): return a", "def f(a):\n    # other\n    return a"),
        ("def f(a): return a", "def f(f): return f"),  # a name others call it by
        ("def f(a): return len(a)", "def f(len): return sum(len)"),  # a builtin that is used
        ("y = 1\ndef f(a): return a + y", "def f(y): return y + 1"),  # a name of the module that is used
        ("def f(a):\n    y = 1\n    return a", "def f(y):\n    return y"),  # another variable there
        ("def f(a): return [a for y in a]", "def f(y): return y"),  # captured by the comprehension
        ("def f(i): return [0 for a in i if (k := a)]", "def f(i): return [0 for k in i if k]"),
        ("def f(a): return f'{a=}'", "def f(b): return f'{b=}'"),  # it prints its name
        ("def f(a): return g(k=a)", "def f(k): return g(k=k)"),  # passed by keyword to something unknown
        ("def f(a): return locals()", "def f(b): return locals()"),
        ("def f(a): return a", "def f(b: return b"),
        ("def f(a: return a", "def f(b): return b"),
        ("", "x = 1"),
    ],
)
def test_nothing_is_proposed_where_nothing_could_change(source: str, canon: str) -> None:
    assert proposals(source, canon) == []


def test_a_hidden_name_can_be_used_where_it_is_not_needed() -> None:
    source = "y = 1\ndef g(): return y, len([])\ndef f(a): return a\n"
    canon = "y = 1\ndef g(): return y, len([])\ndef f(len): return len\n"
    assert proposals(source, canon)[0] == canon


def test_one_variable_that_cannot_be_placed_does_not_hold_the_others() -> None:
    source = "def f(a, b): return f'{a=}', b, b\n"
    assert proposals(source, "def f(x, y): return f'{x=}', y, y\n") == ["def f(a, y): return f'{a=}', y, y\n"]


def test_an_f_string_with_two_variables_of_one_name_is_told_apart() -> None:
    source, canon = (
        "def f(a, b): return f'{[a for a in a]}', b\n",
        "def f(x, y): return f'{[z for z in x]}', y\n",
    )
    assert proposals(source, canon)[0] == canon


def test_identifiers_are_compared_as_the_parser_reads_them() -> None:
    assert proposals("def f(ﬁx): return fix\n", "def f(b): return b\n") == ["def f(b): return b\n"]


def test_the_parameters_of_a_function_known_by_name_are_told_by_position() -> None:
    source = "def f(a, b):\n    return b[0] + b[1] + b[2]\n"
    canon = "def f(x, y):\n    return x[0] + x[1] + x[2]\n"
    assert proposals(source, canon)[0] == "def f(x, y):\n    return y[0] + y[1] + y[2]\n"


def test_a_name_is_not_taken_from_a_variable_that_cannot_be_renamed() -> None:
    source, canon = "def f(a, b): return f'{a=}', b\n", "def f(b, a): return f'{b=}', a\n"
    assert proposals(source, canon) == []


def test_a_capture_does_not_become_a_wildcard() -> None:
    source = "def f(a):\n    match a:\n        case [b]: return b + b + b\n"
    canon = "def f(x):\n    _ = x\n    return _ + _ + _\n"
    assert proposals(source, canon) == ["def f(x):\n    match x:\n        case [b]: return b + b + b\n"]


def test_a_name_of_the_module_does_not_come_to_hide_a_builtin() -> None:
    source, canon = "g = 1\ndef f(a): return a + g\n", "max = 1\ndef f(x): return x + max\n"
    assert proposals(source, canon) == ["g = 1\ndef f(x): return x + g\n"]


@pytest.mark.parametrize("module", [bisect, colorsys, getopt, graphlib, posixpath])
def test_names_are_placed_in_real_modules(module: ModuleType) -> None:
    """The numbered names of a module of the standard library can be written into its text."""
    source = getsource(module)
    canon = alpha(ast.parse(source))
    first = proposals(source, ast.unparse(canon), "no name")[0]
    assert ast.dump(ast.parse(first)) == ast.dump(canon)
    assert layout(first) == layout(source)


@pytest.mark.slow
@pytest.mark.skipif(not ROWS.exists(), reason="needs the real outputs in shared/data")
def test_real_outputs_are_brought_to_the_names_of_their_canon() -> None:
    proposed = reached = 0
    for output, canon in proposing.real_pairs():
        found = proposals(output, canon, "no name")
        proposed += bool(found)
        if names_form(output) == names_form(canon) and ast.dump(ast.parse(output)) != ast.dump(
            ast.parse(canon)
        ):
            reached += 1
            assert ast.dump(ast.parse(found[0])) == ast.dump(ast.parse(canon))
    assert proposed > 20
    assert reached > 5


CAUGHT = """
def {function}({parameter}):
    return {parameter}
def f(x):
    {variable} = x
    try:
        return {function}({variable})
    except {caught}:
        {then}
"""


@pytest.mark.parametrize(
    ("caught", "then", "stay"),
    [
        ("TypeError as e", "return str(e)", "function parameter"),
        ("(ValueError, TypeError) as e", "return e.args", "function parameter"),
        ("Exception as e", "return repr(e)", "function parameter variable"),
        ("NameError as e", "return f'{e}'", "function parameter variable"),
        ("UnboundLocalError as e", "raise ValueError(str(e)) from e", "function parameter variable"),
        ("library.Error as e", "return repr(e)", "function parameter variable"),
        ("BaseException", "return sys.exc_info()", "function parameter variable"),
        ("ValueError as e", "return str(e)", ""),
        ("TypeError", "return 0", ""),
        ("TypeError as e", "raise", ""),
        ("Exception as e", "raise ValueError from e", ""),
        ("Exception as e", "print(f'failed: {e}')", ""),
    ],
)
def test_names_that_the_interpreter_may_show_in_a_message_stay(caught: str, then: str, stay: str) -> None:
    mine = {"function": "helper", "parameter": "item", "variable": "value"}
    theirs = {"function": "work", "parameter": "one", "variable": "it"}
    kept = {kind: mine[kind] if kind in stay.split() else name for kind, name in theirs.items()}
    source, canon, expected = (
        CAUGHT.format(**names, caught=caught, then=then) for names in (mine, theirs, kept)
    )
    assert proposals(source, canon)[:1] == ([] if expected == source else [expected])


@pytest.mark.parametrize("shown", ["str({})", "f'{{{}}}'", "print({})", "'%s' % {}", "'{{}}'.format({})"])
def test_a_function_that_is_turned_into_a_text_keeps_its_name(shown: str) -> None:
    canon = "def work(a):\n    return a\ndef f(x):\n    return {}\n"
    source = canon.replace("work", "helper").replace("(a)", "(b)").replace("return a", "return b")
    found = proposals(source.format(shown.format("helper")), canon.format(shown.format("work")))
    assert "def helper(a):" in found[0]


SHOWN = {
    "by another name": "def helper(a):\n    return a\ndef f(x):\n    g = helper\n    return str(g)[:16]\n",
    "in a list": "def helper(a):\n    return a\ndef f(x):\n    return f'{[helper]}'[:17]\n",
    "by a function that is handed on": (
        "def helper(a):\n    return a\ndef f(x):\n    return [*map(str, [helper])][0][:16]\n"
    ),
    "as a key that is missing": (
        "def helper(a):\n    return a\ndef f(x):\n    try:\n        return {}[helper]\n    except KeyError as e:\n"
        "        return str(e)[:16]\n"
    ),
    "by a format that is a variable": (
        "F = '%s'\ndef helper(a):\n    return a\ndef f(x):\n    y = (helper,)\n    return (F % y)[:16]\n"
    ),
    "by a function within": (
        "def helper():\n    def g():\n        pass\n    return g\ndef f(x):\n    return str(helper())[:16]\n"
    ),
    "by a class within": "def helper():\n    class A: pass\n    return A\ndef f(x):\n    return str(helper())\n",
    "by a generator": "def helper():\n    yield 1\ndef f(x):\n    return str(helper())[:24]\n",
    "by a decorator": (
        "def deco(f):\n    r = repr(f)[:16]\n    return lambda: r\n@deco\ndef helper():\n    pass\n"
        "def f(x):\n    return helper()\n"
    ),
    "in a message that is printed and caught": (
        "import io\nfrom contextlib import redirect_stdout\ndef helper(a):\n    return a\ndef f(x):\n"
        "    with redirect_stdout(io.StringIO()) as out:\n        try:\n            helper()\n"
        "        except TypeError as e:\n            print(e)\n    return out.getvalue()\n"
    ),
    "in an exception that is a result": (
        "import asyncio\nasync def helper(a):\n    return a\nasync def main():\n"
        "    async def g():\n        return await helper()\n"
        "    return await asyncio.gather(g(), return_exceptions=True)\n"
        "def f(x):\n    return str(asyncio.run(main()))\n"
    ),
}


@pytest.mark.parametrize("how", SHOWN)
def test_a_function_whose_name_a_program_can_read_keeps_it(how: str) -> None:
    source = SHOWN[how]
    canon = source.replace("helper", "worker")

    def outcome(program: str) -> object:
        space: dict[str, Any] = {"__name__": "program"}
        exec(compile(program, "<program>", "exec", dont_inherit=True), space)
        return space["f"](1)

    assert outcome(canon) != outcome(source)
    assert all(outcome(found) == outcome(source) for found in proposals(source, canon))


@pytest.mark.parametrize(
    "source",
    [
        "def helper(a: str) -> str:\n    return a\ndef f(x):\n    return [*map(helper, x)]\n",
        "def helper(a):\n    return sum(b for b in a)\ndef f(x):\n    return str(helper(x))\n",
        "def helper(a):\n    def add(b):\n        return b + 1\n    return add(a)\n"
        "def f(x):\n    return f'{helper(x)}'\n",
        "def helper(a):\n    return a\ndef f(x):\n    return sorted(x, key=helper), 7 % 2\n",
    ],
)
def test_a_function_that_nothing_can_print_is_renamed(source: str) -> None:
    canon = source.replace("helper", "worker")
    assert proposals(source, canon)[0] == canon
