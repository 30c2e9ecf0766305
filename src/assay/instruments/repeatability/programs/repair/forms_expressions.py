"""Rules that exchange one expression for another: literals, ranges, tests.

A builtin is only ever relied on when its name is bound nowhere in the program, in no scope, and nothing is
imported with a star. Annotations, patterns and what stands inside f-strings is left alone.

=============================== ============================================ ==================================
rule                            condition                                    what the condition keeps out
=============================== ============================================ ==================================
empty literals                  as above; nothing is assigned to it          ``def list(): return 5``
``set([a, b])`` ↔ ``{a, b}``    1 to 15 elements, none starred; fewer than   ``set([8, 0, 16])``: a set display
                                3, or one that is no constant                of constants is built in another
                                                                             order, and iterates in it
``dict(a=1)`` ↔ ``{'a': 1}``    keys are distinct plain ASCII identifiers,   ``{'class': 1}``, ``{'__a': 1}``
                                no keywords, not beginning with ``__``       in a class, ``{'a': 1, 'a': 2}``
``range(0, n)`` ↔ ``range(n)``  the number itself, no starred argument       ``range(False, n)``, ``range(*n)``
``range(a, b, 1)``              likewise                                     ``range(a, b, True)``
``while 1`` ↔ ``while True``    none: both are constants
``not a in b`` ↔ ``not in``     one comparison, ``in`` or ``is``; an         ``not a == b``: ``!=`` may be
                                ``==`` is never negated this way             defined apart
``a if not c else b``           none: truth is asked for once either way
=============================== ============================================ ==================================
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Iterator

from .forms_edit import Rewrite
from .forms_facts import Facts

__all__ = ["LITERALS", "RANGES", "TESTS", "certainly_bool", "negated"]

Rule = Callable[[ast.expr, Facts], Iterator[ast.expr]]

_MOST_ELEMENTS = 15  # of a set display: from 16 on, hashing comes between the evaluations
_NEGATIONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


def _call(name: str, *arguments: ast.expr, **named: ast.expr) -> ast.Call:
    keywords = [ast.keyword(key, value) for key, value in named.items()]
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), keywords)


def _called(node: ast.expr, facts: Facts, *names: str) -> str:
    """The builtin that is certainly called, if it is one of these."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        name = node.func.id
        if name in names and facts.free(name):
            return name
    return ""


def _empty(name: str) -> ast.expr:
    match name:
        case "list":
            return ast.List([], ast.Load())
        case "dict":
            return ast.Dict([], [])
        case "tuple":
            return ast.Tuple([], ast.Load())
    return ast.Constant("")


def _empty_kind(node: ast.expr) -> str:
    match node:
        case ast.List(elts=[]):
            return "list"
        case ast.Dict(keys=[]):
            return "dict"
        case ast.Tuple(elts=[]):
            return "tuple"
        case ast.Constant(value=""):
            return "str"
    return ""


def _empties(node: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    name = _called(node, facts, "list", "dict", "tuple", "str")
    if name and isinstance(node, ast.Call) and not node.args and not node.keywords:
        yield _empty(name)
    kind = _empty_kind(node)
    if kind and facts.free(kind):
        yield _call(kind)


def _settled(elements: list[ast.expr]) -> bool:
    """Whether both forms put the elements in one after the other, when all are evaluated."""
    varied = any(isinstance(one, ast.Name | ast.Call | ast.Attribute | ast.Subscript) for one in elements)
    plain = not any(isinstance(one, ast.Starred) for one in elements)
    return plain and 1 <= len(elements) <= _MOST_ELEMENTS and (varied or len(elements) < 3)


def _sets(node: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    if _called(node, facts, "set"):
        match node:
            case ast.Call(args=[ast.List(elts=elements) | ast.Tuple(elts=elements)], keywords=[]):
                if _settled(elements):
                    yield ast.Set(elements)
    elif isinstance(node, ast.Set) and facts.free("set") and _settled(node.elts):
        yield _call("set", ast.List(node.elts, ast.Load()))
        yield _call("set", ast.Tuple(node.elts, ast.Load()))


def _is_argument(name: object) -> bool:
    return (
        isinstance(name, str)
        and name.isascii()
        and name.isidentifier()
        and not keyword.iskeyword(name)
        and not name.startswith("__")
    )


def _dicts(node: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    if _called(node, facts, "dict"):
        assert isinstance(node, ast.Call)
        names = [one.arg for one in node.keywords]
        if names and not node.args and all(map(_is_argument, names)):
            yield ast.Dict([ast.Constant(name) for name in names], [one.value for one in node.keywords])
    elif isinstance(node, ast.Dict) and node.keys and facts.free("dict"):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        if all(map(_is_argument, keys)) and len(set(keys)) == len(keys):
            yield _call("dict", **dict(zip(map(str, keys), node.values, strict=True)))


def _number(node: ast.expr, value: int) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == value


def _ranges(node: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    if not _called(node, facts, "range"):
        return
    assert isinstance(node, ast.Call)
    if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
        return
    match node.args:
        case [end]:
            yield _call("range", ast.Constant(0), end)
            yield _call("range", ast.Constant(0), end, ast.Constant(1))
        case [start, end]:
            if _number(start, 0):
                yield _call("range", end)
            yield _call("range", start, end, ast.Constant(1))
        case [start, end, step] if _number(step, 1):
            yield _call("range", start, end)
            if _number(start, 0):
                yield _call("range", end)


def negated(test: ast.expr) -> ast.expr:
    """What is true exactly when the test is not, asked for as often."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return test.operand
        case ast.Compare(ops=[op]) if type(op) in _NEGATIONS:
            return ast.Compare(test.left, [_NEGATIONS[type(op)]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def _negations(node: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare(ops=[op])) if type(op) in _NEGATIONS:
            yield negated(node.operand)
        case ast.Compare(ops=[op]) if type(op) in _NEGATIONS:
            yield ast.UnaryOp(ast.Not(), negated(node))


def _choices(node: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield ast.IfExp(negated(node.test), node.orelse, node.body)


def certainly_bool(node: ast.expr, facts: Facts) -> bool:
    """Whether it can be nothing but True or False. An ``==`` can be anything that ``__eq__`` gives."""
    match node:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[op]):
            return type(op) in _NEGATIONS
        case ast.BoolOp():
            return all(certainly_bool(one, facts) for one in node.values)
        case ast.Constant():
            return isinstance(node.value, bool)
    return bool(_called(node, facts, "isinstance", "issubclass", "callable", "hasattr", "bool"))


def _by(kinds: tuple[type[ast.expr], ...], *rules: Rule) -> Callable[[Facts, Facts], Iterator[Rewrite]]:
    """Rules that rewrite expressions of some kinds only."""

    def every(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
        for node, unit in facts.expressions:
            if isinstance(node, kinds):
                for rule in rules:
                    yield from (Rewrite((node,), (new,), unit) for new in rule(node, facts))

    return every


def _endless(facts: Facts, canon: Facts) -> Iterator[Rewrite]:
    for test, unit in facts.tests:
        if isinstance(test, ast.Constant) and type(test.value) in (bool, int) and test.value == 1:
            yield Rewrite((test,), (ast.Constant(1 if test.value is True else True),), unit)


_DISPLAYS = (ast.Call, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Constant)

LITERALS = (_by(_DISPLAYS, _empties, _sets, _dicts),)
RANGES = (_by((ast.Call,), _ranges), _endless)
TESTS = (_by((ast.UnaryOp, ast.Compare, ast.IfExp), _negations, _choices),)
