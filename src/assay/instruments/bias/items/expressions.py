"""Arithmetic in item files: what an item's numbers amount to is computed, never typed in.

An expression has numbers, texts, names of what was drawn, ``+ - * / // %``, comparisons, ``and or not``,
``x if test else y`` and the functions of `FUNCTIONS`. It is interpreted, never given to ``eval``: item files
come in with other people's locks.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

from assay.errors import InputError

__all__ = ["Expression", "Value"]

Value = int | float | str | bool
Names = Mapping[str, Value]
Step = Callable[[Names], Value]

LARGEST = 1e12
LONGEST = 400  # characters of an expression
BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
COMPARED: dict[type[ast.cmpop], Callable[[Value, Value], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _round(value: float, digits: float = 0) -> float:
    """Half away from zero, as people round; a whole number where no digits are asked for."""
    scale = 10 ** int(digits)
    found = int(abs(value) * scale + 0.5 + 1e-9) / scale * (1 if value >= 0 else -1)
    return found if digits > 0 else int(found)


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > 400 or (base < 0 and exponent != int(exponent)):
        raise InputError("pow takes an exponent of at most 400, a whole one for a negative base")
    return float(base) ** float(exponent)  # type: ignore[no-any-return]


FUNCTIONS: dict[str, Callable[..., float]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "round": _round,
    "pow": _power,
}


class Expression:
    """A parsed expression: called with the values of its names."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise InputError(f"an expression has at most {LONGEST} characters")
        self.text, self.names = text, set[str]()
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise InputError(f"{text!r} is no expression") from None
        self._step = self._parsed(tree.body)

    def __call__(self, names: Names) -> Value:
        try:
            return self._step(names)
        except KeyError as error:
            raise InputError(
                f"{self.text!r} names {error.args[0]!r}, which is not drawn or computed before"
            ) from None
        except (ZeroDivisionError, TypeError, OverflowError) as error:
            raise InputError(f"{self.text!r}: {error}") from None

    def _parsed(self, node: ast.expr) -> Step:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as constant):
                return lambda names: constant
            case ast.Name(id=name):
                self.names.add(name)
                return lambda names: names[name]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                return self._applied(BINARY[type(op)], left, right)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._applied(operator.neg, operand)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self._parsed(operand)
                return lambda names: not inner(names)
            case ast.BoolOp(op=op, values=values):
                steps = [self._parsed(value) for value in values]
                decide = all if isinstance(op, ast.And) else any
                return lambda names: decide(step(names) for step in steps)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARED:
                one, two, test = self._parsed(left), self._parsed(right), COMPARED[type(op)]
                return lambda names: test(one(names), two(names))
            case ast.IfExp(test=condition, body=body, orelse=orelse):
                asked, yes, no = self._parsed(condition), self._parsed(body), self._parsed(orelse)
                return lambda names: yes(names) if asked(names) else no(names)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
                return self._applied(FUNCTIONS[name], *arguments)
        raise InputError(f"{self.text!r}: {ast.unparse(node)} is not understood here")

    def _applied(self, function: Callable[..., float], *arguments: ast.expr) -> Step:
        steps = [self._parsed(argument) for argument in arguments]
        return lambda names: _number(function(*(_number(step(names)) for step in steps)))


def _number(value: Value) -> float:
    if isinstance(value, str):
        raise InputError(f"{value!r} is no number")
    if abs(value) > LARGEST:
        raise InputError(f"a number beyond {LARGEST:g}")
    return value
