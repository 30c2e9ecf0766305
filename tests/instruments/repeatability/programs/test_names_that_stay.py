"""Which names stay as they are, and why."""

from __future__ import annotations

import ast
import sys
from textwrap import dedent

import pytest

from assay.instruments.repeatability.programs.scopes import analyse

from .test_names import KEEP, named, same


def staying(source: str, keep: frozenset[str] = KEEP) -> dict[str, str]:
    """Every variable that may not be renamed, with the rule."""
    names = analyse(ast.parse(dedent(source)), keep)
    return {binding.name: binding.stays for binding in names.bindings if binding.stays not in ("", "free")}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "class A:\n    x = 1\n    def m(self, y): return y",
            {"A": "class", "x": "attribute", "m": "attribute"},
        ),
        ("def f():\n    class E(Exception): pass\n    raise E", {"f": "keep", "E": "class"}),
        ("import a.b, c as d\nfrom e import g\nfrom e import h as i", dict.fromkeys("adgi", "import")),
        ("__version__ = 1\ndef g(__x): return __x", {"__version__": "private", "__x": "private"}),
        (
            "_A__x = _A__y = 1\nclass A:\n    def m(self): return __x",
            {"_A__x": "private", "A": "class", "m": "attribute"},
        ),
        ("def f(f, g): return g", {"f": "keep"}),
        (
            "__all__ = ['g']\n__all__ += ['h']\ng = h = i = 1",
            {"__all__": "private", "g": "exported", "h": "exported"},
        ),
        ("def g(a, *, b): return a + b", {"b": "keyword"}),
        ("def g(a, b): return a\ndef h(): return g(1, b=2)", {"b": "keyword"}),
        ("def g(a, /, b, *c, **d): return a\ndef h(e): return g(1, **e)", {"b": "spread", "e": "spread"}),
        ("def g(a): return t(target=g, kwargs={'a': 1})", {"a": "spread"}),
        ("if x:\n    max = 1\ndef g(): return max(1, 2)", {"max": "fallback"}),
        ("x = 1\nclass A:\n    x = x", {"x": "attribute", "A": "class"}),
        ("from math import *\nx = 1\ndef g(a): return pi * a", {"x": "fallback", "g": "fallback"}),
    ],
)
def test_what_stays_and_why(source: str, expected: dict[str, str]) -> None:
    assert staying(source) == expected


def test_a_module_name_that_a_class_body_falls_back_on_stays() -> None:
    bindings = analyse(ast.parse("x = 1\ny = 2\nclass A:\n    x = x + 1\n    y = 2\n")).bindings
    rules = [
        (binding.name, binding.stays)
        for binding in bindings
        if binding.scope and binding.scope.kind == "module"
    ]
    assert rules == [("x", "fallback"), ("y", ""), ("A", "class")]


@pytest.mark.parametrize(
    "looking",
    [
        *(
            f"{name}()"
            for name in ("locals", "vars", "globals", "dir", "eval", "exec", "compile", "__import__")
        ),
        *(f"g.{name}" for name in ("__name__", "__qualname__", "__code__", "__globals__", "__dict__")),
        "sys._getframe()",
        "sys.modules",
        "getattr(g, '__name__')",
        "g.__annotations__",
    ],
)
def test_nothing_is_renamed_in_a_program_that_can_look_at_names(looking: str) -> None:
    source = f"import sys\nx = 1\ndef g(a):\n    b = a\n    return {looking}"
    assert named(source) == ast.unparse(ast.parse(source))
    assert named(source.replace(looking, "b")) != ast.unparse(ast.parse(source.replace(looking, "b")))


@pytest.mark.parametrize("line", ["import inspect", "import inspect as i", "from inspect import signature"])
def test_importing_a_module_that_looks_at_names_is_enough(line: str) -> None:
    source = f"{line}\nx = 1"
    assert named(source) == source


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with Python 3.12")
@pytest.mark.parametrize("line", ["type T = int", "def g[T](a: T): return a", "class A[T]: x: T"])
def test_type_parameters_keep_everything(line: str) -> None:
    source = ast.unparse(ast.parse(f"{line}\nx = 1"))
    assert named(source) == source


def test_a_local_variable_called_like_a_looking_function_looks_at_nothing() -> None:
    assert same("def f(vars):\n    return vars", "def f(names):\n    return names")


def test_positional_parameters_of_the_entry_point_are_renamed_unless_kept() -> None:
    assert named("def f(a, b): return a") == "def f(v0, v1):\n    return v0"
    assert named("def f(a, b): return a", frozenset(("f", "a"))) == "def f(a, v0):\n    return a"
