"""Programs put together from pieces are what the parser reads, and what each of them would give alone."""

from __future__ import annotations

import ast
import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.names import alpha
from assay.instruments.repeatability.programs.normalisation import normal_forms
from assay.instruments.repeatability.programs.parsing import LONG, read, uncollected

from .grammar import Sketch, programs

ROWS = (
    "import re",
    "x = 1; y = 2",
    "x = 1  # one",
    "x = 1 \\",
    "",
    "    ",
    "# a comment",
    "    # an indented comment",
    '"""A docstring."""',
    'text = """',
    'a = 1\n"""',
    "values = [",
    "a,",
    "]",
    "@cache",
    "@lru_cache(\n    maxsize=None)",
    "def f(a):\n    return a",
    "def f(a):\n    # why\n    return a\n\n    # behind",
    "class C:\n\tx = 1",
    "if x:\n    pass",
    "else:\n    pass",
    "elif y: pass",
    "try:\n    pass",
    "except ValueError:\n    pass",
    "finally:\n    pass",
    "  y = 1",
    "é = 'ü'",
    "(a, b) = 1, 2",
    "match x:\n    case 1: pass",
    "x = 1\f",
    "x = 1\r",
)


def as_parsed(source: str) -> str | None:
    try:
        return ast.dump(ast.parse(source))
    except SyntaxError:
        return None


@given(st.lists(st.sampled_from(ROWS), max_size=8), st.sampled_from(("", "\n")))
def test_a_program_in_pieces_is_what_the_parser_reads(rows: list[str], end: str) -> None:
    source = "\n".join(rows) + end
    found = read(source)
    body = (
        [] if found is None else [one for n in range(len(found.pieces)) for one in found.piece(n).statements]
    )
    assert (None if found is None else ast.dump(ast.Module(body, []))) == as_parsed(source)
    if found is not None:
        assert ast.dump(found.tree) == as_parsed(source)


@pytest.mark.parametrize("strange", ["\0", "\ud800"])
def test_what_the_parser_refuses_in_a_comment_is_refused_however_many_pieces_are_known(strange: str) -> None:
    plain = "x = 1\n# a note\ny = 2\n"
    assert read(plain) is not None
    assert read(plain.replace("note", strange)) is None
    assert normal_forms(plain.replace("note", strange)).fallback


@pytest.mark.parametrize("size", [1, LONG])
def test_long_pieces_give_the_same_forms(size: int) -> None:
    source = f"import re\ndef f(x):\n    return [{', '.join(map(str, range(size)))}][x]\n"
    forms = normal_forms(source)
    assert forms == normal_forms(source)
    assert forms.ast == ast.unparse(ast.parse(source))


STATEMENTS = (
    "import os.path\nos.path.sep",
    "from math import pi as circle",
    "total = 0",
    "__all__ = ['total']",
    "_: int",
    "v0 = 'v1'",
    '"""A text."""',
    'def f(a, *, b=1):\n    """A docstring."""\n    c = a\n    return c + b',
    "def g(a):\n    global total\n    total = a\n    return f'{a!r:>{total}} {{a}} v0'",
    "def h(a):\n    def inner():\n        nonlocal a\n        a = 1\n    inner()\n    return [a for a in (b := [a])]",
    "class C:\n    x = 1\n    def m(self, é):\n        return lambda y=é: (self.x, y)",
    "try:\n    pass\nexcept ValueError as error:\n    print(error)",
    "match [1]:\n    case [first, *rest] | {'a': first, **rest}:\n        print(first, rest)",
    "f(b=total)",
)


def bare(source: str) -> ast.Module:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            del node.body[0]
            if not node.body and not isinstance(node, ast.Module):
                node.body.append(ast.Pass())
    return tree


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from(STATEMENTS), max_size=6),
    st.sampled_from([frozenset[str](), frozenset({"total"})]),
)
def test_forms_are_those_of_the_whole_program(parts: list[str], keep: frozenset[str]) -> None:
    source = "\n".join(parts)
    assert normal_forms(source, keep).ast == ast.unparse(bare(source))
    assert normal_forms(source, keep).names == ast.unparse(alpha(bare(source), keep))


@settings(max_examples=40)
@given(programs())
def test_forms_of_a_drawn_program_are_those_of_the_whole_program(sketch: Sketch) -> None:
    assert normal_forms(sketch.source).ast == ast.unparse(bare(sketch.source))
    assert normal_forms(sketch.source).names == ast.unparse(alpha(bare(sketch.source)))


@uncollected()
def work_that_fails() -> None:
    assert not gc.isenabled()
    with uncollected():
        pass
    assert not gc.isenabled()
    raise ValueError("work")


@pytest.mark.parametrize("running", [True, False])
def test_the_collector_is_left_as_it_was_found(running: bool) -> None:
    before = gc.isenabled()
    try:
        gc.enable() if running else gc.disable()
        with pytest.raises(ValueError, match="work"):
            work_that_fails()
        assert gc.isenabled() is running
    finally:
        gc.enable() if before else gc.disable()
