"""Docstrings, comments, annotations, parentheses and layout: each brought to the canon's, and nothing else changed."""

from __future__ import annotations

import ast
import gzip
import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.repair.dress import DRESS
from assay.instruments.repeatability.programs.repair.edits import MOST_PROPOSALS
from assay.instruments.repeatability.programs.repair.model import Program
from assay.instruments.repeatability.programs.repair.order import ORDER
from tests.support import SHARED

from .grammar import Sketch, dressed, programs, run

ROWS = SHARED / "skyt.jsonl.gz"
STEP = {step.name: step for step in DRESS}
DEFINED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def proposals(name: str, source: str, canon: str) -> list[str]:
    return list(STEP[name].propose(Program(source), Program(canon)))


def best(name: str, source: str, canon: str) -> str:
    """The first proposal of a step; the program itself where there is none."""
    return next(STEP[name].propose(Program(source), Program(canon)), source)


def dump(source: str) -> str:
    return ast.dump(ast.parse(source))


def dump_without_docstrings(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, DEFINED) and node.body and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])
    return ast.dump(tree)


class Unannotated(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        return node if node.value is None else ast.Assign(targets=[node.target], value=node.value)


def dump_without_annotations(source: str) -> str:
    return ast.dump(Unannotated().visit(ast.parse(source)))


PROMISES: dict[str, Callable[[str], str]] = {
    "docstrings": dump_without_docstrings,
    "comments": dump,
    "annotations": dump_without_annotations,
    "parentheses": dump,
    "layout": dump_without_docstrings,
}


def check(name: str, source: str, canon: str) -> None:
    """Few proposals, none of them the program, none twice, and each keeps what the step promises."""
    found = proposals(name, source, canon)
    assert len(found) <= MOST_PROPOSALS
    assert len(set(found)) == len(found)
    for proposal in found:
        assert proposal != source
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
    assert all('"""d"""' in one for one in proposals("layout", source, "def f():\n    return 1\n"))


# Comments


def test_comments_that_the_canon_does_not_have_go_first_then_all() -> None:
    source = "# head\nx = 1  # one\n# b\ny = [1,  # two\n     # three\n     2]\n# end"
    assert proposals("comments", source, "x = 1  # one\n# b\n") == [
        "x = 1  # one\n# b\ny = [1,\n     2]\n",
        "x = 1\ny = [1,\n     2]\n",
    ]


def test_what_only_looks_like_a_comment_stays() -> None:
    source = 's = """\n# text\n# end """  # real\nt = "# é"  # ü\n'
    assert proposals("comments", source, "pass") == ['s = """\n# text\n# end """\nt = "# é"\n']


def test_a_comment_that_ends_a_continued_line_stays() -> None:
    assert proposals("comments", "x = 1 \\\n# c\ny = 2\n", "pass") == []


# Annotations


def test_annotations_go_where_the_canon_has_none() -> None:
    source = "def f(a: int, b: str = 'x', *c: int, d: 'D'=1, **e: int) -> list[int]:\n    é: int = 1\n    return é\n"
    canon = "def f(a, b='x', *c, d=1, **e):\n    return 1\n"
    assert best("annotations", source, canon) == ("def f(a, b='x', *c, d=1, **e):\n    é = 1\n    return é\n")


def test_annotations_are_adopted_where_their_names_are_known() -> None:
    canon = (
        "from typing import List, Optional\n"
        "def f(a: List[int], b: Optional[int]=None, c: Unknown = 1) -> int:\n    x: int = 1\n    return x\n"
    )
    source = "from typing import List, Optional\ndef f(a, b = None, c=1):\n    x = 2\n    return x\n"
    assert best("annotations", source, canon) == (
        "from typing import List, Optional\n"
        "def f(a: List[int], b: Optional[int]=None, c=1) -> int:\n    x: int = 2\n    return x\n"
    )
    without_import = "def f(a, b=None, c=1):\n    x = 2\n    return x\n"
    assert best("annotations", without_import, canon) == (
        "def f(a, b=None, c=1) -> int:\n    x: int = 2\n    return x\n"
    )


@pytest.mark.parametrize(
    "head",
    [
        "def f(x: List[int]):",  # raises where it stands: the program fails, and must go on failing
        "def f(x: print('seen')):",
        "def f(x: Dict[int]):",
        "def f(x: 'A' | None):",
        "def f(x: [y for y in ()]):",
        "def f(x: (z := int)):",
        "def f(x: (lambda: 1)):",
        "int = None\ndef f(x: int | None):",
        "def f(x: Later): pass\nclass Later: pass\ndef g():",
        "from typing import *\ndef f(x: List):",
        "from elsewhere import *\ndef f(x: int):",
        "from typing import Dict, List\nList = 1\ndef f(x: List[int]):",
    ],
)
def test_an_annotation_whose_evaluation_is_not_known_to_be_idle_stays(head: str) -> None:
    if "Dict[int]" in head:
        head = f"from typing import Dict\n{head}"
    assert proposals("annotations", f"{head}\n    return 1\n", "def f(x):\n    return 1\n") == []


def test_annotations_that_are_never_evaluated_need_no_names() -> None:
    source = "from __future__ import annotations\ndef f(x: Later) -> Unknown:\n    return x\n"
    assert best("annotations", source, "def f(x):\n    return x\n") == (
        "from __future__ import annotations\ndef f(x):\n    return x\n"
    )
    local = "def f(x):\n    y: Unknown = x\n    z: int\n    return y\n"
    assert best("annotations", local, "def f(x):\n    return x\n") == (
        "def f(x):\n    y = x\n    z: int\n    return y\n"
    )


@pytest.mark.parametrize(
    "seen",
    [
        "f.__annotations__", "from typing import get_type_hints", "from dataclasses import dataclass",
        "from typing import NamedTuple", "from typing import TypedDict", "import pydantic", "import inspect",
        "from functools import singledispatch", "from typing import Protocol", "import attr", "import attrs",
    ],
)  # fmt: skip
def test_annotations_that_somebody_may_read_stay(seen: str) -> None:
    source = f"{seen}\ndef f(x: int):\n    return 1\n"
    assert proposals("annotations", source, "def f(x):\n    return 1\n") == []


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    x: int\n",  # a name without a value
        "class A(B):\n    x: int = 1\n",  # a base that may look
        "@decorator\ndef f(x: int): return x\n",
        "@decorator\nclass A:\n    x: int = 1\n",
    ],
)
def test_annotations_that_a_class_or_decorator_may_read_stay(source: str) -> None:
    assert proposals("annotations", source, "pass") == []


def test_a_global_name_is_not_annotated() -> None:
    source = "x = 0\ndef f():\n    global x\n    x = 1\n"
    assert proposals("annotations", source, "def f():\n    x: int = 1\n") == []


def test_parameters_in_parentheses_and_over_several_lines_keep_their_layout() -> None:
    source = "def f(\n    a: (int),  # one\n    b: int = (1),\n) -> (int):\n    return a\n"
    assert best("annotations", source, "def f(a, b=1):\n    return a\n") == (
        "def f(\n    a,  # one\n    b: int = (1),\n):\n    return a\n"
    )


# Parentheses


def test_parentheses_go_that_change_nothing() -> None:
    source = "def f(x):\n    if (x) and (a or b):\n        return(x)\n    return ((x+1)) * 2, (1, 2), (x)if(x)else(1)\n"
    assert best("parentheses", source, "pass") == (
        "def f(x):\n    if x and (a or b):\n        return x\n    return (x+1) * 2, (1, 2), x if x else 1\n"
    )


def test_those_that_the_canons_line_does_without_go_first() -> None:
    source = "def f(a):\n    é = (a, 1)\n    return (é)\n"
    canon = "def f(a):\n    é = a, 1\n    return 2\n"
    assert proposals("parentheses", source, canon) == [
        "def f(a):\n    é = a, 1\n    return (é)\n",
        "def f(a):\n    é = a, 1\n    return é\n",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "f(x)", "f()(x)", "a[0](x)", "(x for x in y)", "x = (\n1 +\n2)", "()", "(a, b),", "-(a ** b) ** 2",
        "(yield_) = ()\nprint((1, 2))", "class A(B): pass", "(lambda: 1)()", "(1).real", "a = (b := 1)",
    ],
)  # fmt: skip
def test_the_tree_never_changes_with_parentheses(source: str) -> None:
    check("parentheses", source, "pass")


# Layout


def test_a_program_with_the_canons_tree_becomes_the_canon() -> None:
    source = "def f( x ):\r\n\ty=1;z=2\r\n\tif x : return (y)\r\n\treturn z"
    canon = "# é\ndef f(x):\n    y = 1\n    z = 2\n\n    if x:\n        return y  # so\n    return z\n\n"
    assert proposals("layout", source, canon) == [canon]


def test_statements_with_the_canons_tree_are_written_as_the_canon_writes_them() -> None:
    source = (
        "import  re\nclass A:\n  def m(self,x) :\n    y=[1,\n 2]\n    s='''a\n  b'''\n    return y+1\n"
        "  def n( self ): return 'é' ;\nprint( 1 )"
    )
    canon = (
        "import re\n\n\nclass A:\n    def m(self, x):\n        # a list\n        y = [1, 2]  # two\n"
        '        s = """a\n  b"""\n        return y\n\n    def n(self):\n        return "é"\n\n\nprint(1)\n\n# end\n'
    )
    assert best("layout", source, canon) == canon.replace("return y\n", "return y+1\n")


def test_a_statement_takes_its_place_but_its_strings_stay() -> None:
    source = "def a():\n    return 1\ndef f():\n  s='''\n    t'''\n  return 1\n"
    canon = "def a():\n    return 1\ndef f():\n    s = '''\n    t'''\n    return 2\n"
    assert best("layout", source, canon) == (
        "def a():\n    return 1\ndef f():\n  s = '''\n    t'''\n  return 1\n"
    )


def test_what_differs_keeps_its_layout() -> None:
    source = "x=1\ny  =  2\nz=3\n"
    assert best("layout", source, "x = 1\ny = 9\nz = 3\n") == "x = 1\ny  =  2\nz = 3\n"


def test_an_elif_and_an_else_with_an_if_are_not_put_in_each_others_place() -> None:
    flat = "def f(a):\n    if a:\n        return 1\n    elif not a :\n        return 2\n    return 0\n"
    nested = "def f(a):\n  if a:\n    return 7\n  else:\n    if not a:\n      return 2\n  return 0\n"
    check("layout", flat, nested)
    check("layout", nested, flat)


def test_indentation_becomes_the_canons_outside_strings() -> None:
    source = "def f(x):\n  # c\n  s = '''\n  t\n'''\n  if x:\n    return (s +\n            x)\n  return 1\n"
    canon = "def g():\n    pass\n"
    wide = "def f(x):\n    # c\n    s = '''\n  t\n'''\n"
    wide += "    if x:\n        return (s +\n                x)\n    return 1\n"
    assert wide in proposals("layout", source, canon)


def test_blank_lines_become_the_canons() -> None:
    source = "def f(): return 1\ndef g(): return 2\nclass A:\n    def m(self): pass\n    # c\n    def n(self): pass\n"
    canon = (
        "def a(): return 3\n\n\ndef b(): return 4\n\n\n"
        "class C:\n    def o(self): return 1\n\n    def p(self): return 2\n"
    )
    assert (
        "def f(): return 1\n\n\ndef g(): return 2\n\n\n"
        "class A:\n    def m(self): pass\n\n    # c\n    def n(self): pass\n"
    ) in proposals("layout", source, canon)


@pytest.mark.parametrize("seen", ["import inspect", "print(__file__)", "import traceback", "e.tb_lineno"])
def test_a_program_that_can_see_its_text_is_left_alone(seen: str) -> None:
    source = f'{seen}\ndef f( x ):  # c\n  """d"""\n  return (x)\n'
    assert [one for name in STEP for one in proposals(name, source, "def f(x):\n    return x\n")] == []


# Whatever a model can write

HOSTILE = (
    "", "\n\n", "# only a comment", '"only a docstring"', "x = (", "\ufeffx = 1", "\x0cdef f():\n\x0c  return 1\n",
    "def f():\r\n    return 1\r\n", "def f():\r    return 1\r", "a=1;b=2;", "if x: pass\nelse: y = 1; z = 2",
    "class A: x: int = 1; y = 2", "def f(): return 1", "async def f(x: int) -> int:\n\tasync with x: return (x)\n",
    "@a\n@b(1)\n# c\ndef f(): pass", "x = '''\n  a\n'''; y = 1", "x = 1 + \\\n  2 # c", "ｆｏｏ = 1; ü: int = (2)  # ñ",
    "def f():\n\tif 1:\n\t        return 1\n", "def f(x):\n  def g(y):\n    '''d'''\n    return (y)\n  return g\n",
    "try:\n  pass\nexcept (A, B) as e: raise\nelse: pass\nfinally:\n  x=1",
    "match (x):\n  case (1): pass\n  case _:\n    y = (2)",
    "def f(a, /, b: int=1, *, c: str = 'x') -> None: ...", "x = f'{(1)!r:>{(2)}}' 'é' # c", "for(i)in(y):pass",
    "def f(): \\\n  'doc'; return 1", "lambda: (yield)", "x: (int) = 1\n(y): int = 2",
    "while(1):\n break\nelse:pass # c",
    "print('\u2028', 'a\x0b')  # \x85 c\nx = 1", "if 1:\n    'a'\n    # c\n# d\nx = '#'\n",
    "def f():\n    pass\n  # odd\n\n",
    "0xffffffffffffffffffffffffffffffffff + 1e999 - 0j", "x = " + "(" * 60 + "1" + ")" * 60, "del (x), (y)",
)  # fmt: skip


@pytest.mark.parametrize("name", list(STEP))
@pytest.mark.parametrize("source", HOSTILE)
def test_hostile_programs_keep_what_is_promised(name: str, source: str) -> None:
    if Program(source).tree is None:
        assert proposals(name, source, "x = 1") == []
        assert proposals(name, "x = 1", source) == []
        return
    for canon in HOSTILE:
        if Program(canon).tree is not None:
            check(name, source, canon)


def test_a_deep_program_is_no_deeper_for_the_steps() -> None:
    source = "x = " + "-" * 480 + "1  # c\n"
    assert Program(source).tree is not None
    assert best("comments", source, "pass") == source.replace("  # c", "")


def test_a_long_chain_of_elif_is_laid_out_to_its_end() -> None:
    chain = "".join(f"elif x == {number}:\n    y = {number}\n" for number in range(1, 400))
    source = f"if x == 0:\n    y = 1\n{chain}".replace(" == ", "==")
    canon = f"if x == 0:\n    y = 0\n{chain}"
    assert best("layout", source, canon) == canon.replace("y = 0", "y = 1")


# Properties


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Sketch, str, str]:
    """A program, the same in another dress, and another program in whatever dress."""
    one, other = draw(programs()), draw(programs())
    return one, draw(dressed(one)), draw(dressed(other))


@given(pairs())
@settings(max_examples=25)
def test_proposals_keep_promises_and_meaning(drawn: tuple[Sketch, str, str]) -> None:
    one, source, other = drawn
    arguments = [tuple(range(start, start + one.parameters)) for start in (-2, 0, 3)]
    meaning = [run(source, one.entry, given) for given in arguments]
    for name in STEP:
        for canon in (one.source, other):
            check(name, source, canon)
            for proposal in proposals(name, source, canon):
                assert [run(proposal, one.entry, given) for given in arguments] == meaning


@given(pairs())
@settings(max_examples=25)
def test_a_canon_in_another_dress_becomes_the_canon_again(drawn: tuple[Sketch, str, str]) -> None:
    one, source, _ = drawn
    for _ in range(3):
        for step in (*DRESS, *ORDER):
            source = next(step.propose(Program(source), Program(one.source)), source)
    assert source == one.source


# Outputs of real models


def real_pairs() -> list[tuple[str, str]]:
    """Neighbours among the different outputs of a cell, each pair once."""
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in gzip.decompress(ROWS.read_bytes()).splitlines()
    ]
    return list(dict.fromkeys(pair for row in rows for pair in pairwise(dict.fromkeys(row["outputs"]))))


@pytest.mark.slow
@pytest.mark.skipif(not ROWS.exists(), reason=f"the real outputs are not at {SHARED}")
def test_real_programs_keep_what_is_promised() -> None:
    found = real_pairs()
    assert len(found) > 200
    for source, canon in found[::2]:
        for name in STEP:
            check(name, source, canon)
