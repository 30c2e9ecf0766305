"""Annotations as in the canon, where evaluating them is known to do nothing and nothing can see them."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings

from tests.instruments.repeatability.programs.grammar import Sketch, programs

from .proposing import HOSTILE, best, meaning, proposals


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
        "from typing import Dict\ndef f(x: Dict[int]):",
        "def f(x: 'A' | None):",
        "def f(x: [y for y in ()]):",
        "def f(x: (z := int)):",
        "def f(x: (lambda: 1)):",
        "int = None\ndef f(x: int | None):",
        "def f(x: Later): pass\nclass Later: pass\ndef g():",
        "from typing import *\ndef f(x: List):",
        "from elsewhere import *\ndef f(x: int):",
        "from typing import Dict, List\nList = 1\ndef f(x: List[int]):",
        "def f(x):\n    y: (yield) = 1",
    ],
)
def test_an_annotation_whose_evaluation_is_not_known_to_be_idle_stays(head: str) -> None:
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


@pytest.mark.parametrize("source", HOSTILE)
def test_hostile_programs_change_in_their_annotations_only(source: str) -> None:
    for canon in HOSTILE:
        for proposal in proposals("annotations", source, canon):
            assert dump_without_annotations(proposal) == dump_without_annotations(source)


@given(programs())
@settings(max_examples=25)
def test_annotating_a_drawn_program_keeps_its_meaning_and_can_be_undone(one: Sketch) -> None:
    annotated = one.source.replace("):\n", ") -> int:\n")
    before = meaning(one.source, one.entry, one.parameters)
    for source, canon in ((one.source, annotated), (annotated, one.source)):
        for proposal in proposals("annotations", source, canon):
            assert meaning(proposal, one.entry, one.parameters) == before
            assert dump_without_annotations(proposal) == dump_without_annotations(one.source)
