"""Formatting, docstrings and comments: each brought to the canon's, and nothing else changed."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.parsing import parse
from tests.instruments.repeatability.programs.grammar import Sketch, programs, restyled
from tests.support import SHARED

from .proposing import HOSTILE, ROWS, best, dump, meaning, proposals, real_pairs

DEFINED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def dump_without_docstrings(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, DEFINED) and node.body and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])
    return ast.dump(tree)


PROMISES = {"docstrings": dump_without_docstrings, "comments": dump, "formatting": dump_without_docstrings}


def check(name: str, source: str, canon: str) -> None:
    for proposal in proposals(name, source, canon):
        assert PROMISES[name](proposal) == PROMISES[name](source)


# Docstrings


def test_a_docstring_goes_where_the_canon_has_none() -> None:
    source = '"""M"""\n\nimport re\n\ndef f(x):\n    """Do\n    it."""\n\n    return x  # kept\n'
    assert best("docstrings", source, "import re\n\ndef f(x):\n    return x\n") == (
        "import re\n\ndef f(x):\n    return x  # kept\n"
    )


def test_a_docstring_becomes_the_canons_of_that_name_or_place() -> None:
    canon = "def g():\n    'two'\n    return 2\n\ndef f():\n    '''one\n  é'''\n    return 1\n"
    source = 'def f():\n    """ein"""\n    return 0\n\ndef h():\n    """zwei"""\n    return 0\n'
    assert best("docstrings", source, canon) == (
        "def f():\n    '''one\n  é'''\n    return 0\n\ndef h():\n    'two'\n    return 0\n"
    )


def test_a_missing_docstring_is_put_in_with_the_blank_lines_below_it() -> None:
    canon = '"""M"""\n\n\nclass A:\n    """C"""\n\n    def m(self):\n        """m"""\n        return 1\n'
    source = "class A:\n\tdef m(self):\n\t\treturn 2\n"
    assert best("docstrings", source, canon) == (
        '"""M"""\n\n\nclass A:\n\t"""C"""\n\n\tdef m(self):\n\t\t"""m"""\n\t\treturn 2\n'
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('def f():\n    """only"""\n', "def f():\n    pass\n"),
        ('def f(): "d"', "def f(): pass"),
        ('def f(): "d"; return 1', "def f(): return 1"),
        ('def f():\r\n\t("d"\r\n\t"e")\r\n\treturn 1', "def f():\n\treturn 1"),
        ('def f():\n    "é"; x = "ü"; return x', 'def f():\n    x = "ü"; return x'),
        ('def f():\n    "d"\n    "not one"\n    return 1', 'def f():\n    "d"\n    "not one"\n    return 1'),
        ('def f():\n    f"no docstring"\n    return 1', 'def f():\n    f"no docstring"\n    return 1'),
    ],
)  # fmt: skip
def test_docstrings_in_odd_places_go_too_or_stay(source: str, expected: str) -> None:
    assert best("docstrings", source, "def f():\n    return 2\n") == expected


@pytest.mark.parametrize(
    "seen", ["print(f.__doc__)", "help(f)", "import doctest", "import inspect", "import pydoc"]
)
def test_docstrings_that_somebody_may_read_stay(seen: str) -> None:
    source = f'def f():\n    """d"""\n    return 1\n{seen}\n'
    assert proposals("docstrings", source, "def f():\n    return 1\n") == []
    assert all('"""d"""' in one for one in proposals("formatting", source, "def f():\n    return 1\n"))


# Comments


def test_comments_that_the_canon_does_not_have_go_first_then_all() -> None:
    source = "# head\nx = 1  # one\n# b\ny = [1,  # two\n     # three\n     2]\n# end"
    assert proposals("comments", source, "x = 1  # one\n# b\n") == [
        "x = 1  # one\n# b\ny = [1,\n     2]\n",
        "x = 1\ny = [1,\n     2]\n",
    ]


def test_what_only_looks_like_a_comment_stays() -> None:
    source = 's = """\n# text\n# end """  # real\nt = "# é"  # ü\nu = r"\\" # "\n'
    assert proposals("comments", source, "pass") == ['s = """\n# text\n# end """\nt = "# é"\nu = r"\\" # "\n']


def test_a_comment_that_ends_a_continued_line_stays() -> None:
    assert proposals("comments", "x = 1 \\\n# c\ny = 2\n", "pass") == []


# Formatting


def test_a_program_with_the_canons_tree_becomes_the_canon() -> None:
    source = "def f( x ):\r\n\ty=1;z=2\r\n\tif x : return (y)\r\n\treturn z"
    canon = "# é\ndef f(x):\n    y = 1\n    z = 2\n\n    if x:\n        return y  # so\n    return z\n\n"
    assert proposals("formatting", source, canon) == [canon]


def test_statements_with_the_canons_tree_are_written_as_the_canon_writes_them() -> None:
    source = (
        "import  re\nclass A:\n    def m(self,x) :\n        y=[1,\n 2]\n        s='''a\n  b'''\n        return y+1\n"
        "    def n( self ): return 'é' ;\nprint( 1 )"
    )
    canon = (
        "import re\n\n\nclass A:\n    def m(self, x):\n        # a list\n        y = [1, 2]  # two\n"
        '        s = """a\n  b"""\n        return y\n\n    def n(self):\n        return "é"\n\n\nprint(1)\n\n# end\n'
    )
    assert best("formatting", source, canon) == canon.replace("return y\n", "return y+1\n")


def test_a_statement_takes_its_place_but_its_strings_stay() -> None:
    source = "def a():\n    return 1\ndef f():\n  s='''\n    t'''\n  return 1\n"
    canon = "def a():\n    return 1\ndef f():\n    s = '''\n    t'''\n    return 2\n"
    assert best("formatting", source, canon) == (
        "def a():\n    return 1\ndef f():\n  s = '''\n    t'''\n  return 1\n"
    )


def test_what_differs_keeps_its_layout() -> None:
    source = "x=1\ny  =  2\nz=3\n"
    assert best("formatting", source, "x = 1\ny = 9\nz = 3\n") == "x = 1\ny  =  2\nz = 3\n"


def test_an_elif_and_an_else_with_an_if_are_not_put_in_each_others_place() -> None:
    flat = "def f(a):\n    if a:\n        return 1\n    elif not a :\n        return 2\n    return 0\n"
    nested = "def f(a):\n  if a:\n    return 7\n  else:\n    if not a:\n      return 2\n  return 0\n"
    check("formatting", flat, nested)
    check("formatting", nested, flat)


def test_a_long_chain_of_elif_is_laid_out_to_its_end() -> None:
    chain = "".join(f"elif x == {number}:\n    y = {number}\n" for number in range(1, 400))
    source = f"if x == 0:\n    y = 1\n{chain}".replace(" == ", "==")
    canon = f"if x == 0:\n    y = 0\n{chain}"
    assert best("formatting", source, canon) == canon.replace("y = 0", "y = 1")


def test_a_deep_program_is_no_deeper_for_the_steps() -> None:
    source = "x = " + "-" * 480 + "1  # c\n"
    assert parse(source) is not None
    assert best("comments", source, "pass") == source.replace("  # c", "")


# Whatever a model can write


@pytest.mark.parametrize("name", PROMISES)
@pytest.mark.parametrize("source", HOSTILE)
def test_hostile_programs_keep_what_is_promised(name: str, source: str) -> None:
    for canon in HOSTILE:
        check(name, source, canon)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Sketch, str, str]:
    """A program, the same in another formatting, and another program in whatever formatting."""
    one, other = draw(programs()), draw(programs())
    return one, draw(restyled(one)), draw(restyled(other))


@given(pairs())
@settings(max_examples=25)
def test_proposals_keep_promises_and_meaning(drawn: tuple[Sketch, str, str]) -> None:
    one, source, other = drawn
    before = meaning(source, one.entry, one.parameters)
    for name in PROMISES:
        for canon in (one.source, other):
            check(name, source, canon)
            for proposal in proposals(name, source, canon):
                assert meaning(proposal, one.entry, one.parameters) == before


@given(pairs())
@settings(max_examples=25)
def test_a_canon_in_another_formatting_becomes_the_canon_again(drawn: tuple[Sketch, str, str]) -> None:
    one, source, _ = drawn
    assert best("formatting", source, one.source) == one.source


@pytest.mark.slow
@pytest.mark.skipif(not ROWS.exists(), reason=f"the real outputs are not at {SHARED}")
def test_real_programs_keep_what_is_promised() -> None:
    found = real_pairs()
    assert len(found) > 200
    for source, canon in found[::2]:
        for name in PROMISES:
            check(name, source, canon)
