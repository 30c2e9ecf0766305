"""Whole small Python programs, drawn from a grammar.

``programs()`` draws a ``Sketch``: a text whose variables are numbered holes, and a name for each hole. The same
text filled with other names (``renamed``) is therefore the same program under other names, and no analysis of
scopes was needed to make it. ``restyled`` gives the same tokens in another layout. ``run`` calls a function of a
program and tells what came out.

Every program parses, ends (loops are bounded, nothing calls itself), does the same every time, and can be called
with small numbers; that it may raise is part of what it does.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from hypothesis import strategies as st

__all__ = ["NAMES", "STEPS", "Sketch", "programs", "renamed", "restyled", "run", "tokens"]

NAMES = (
    *(
        "a",
        "b",
        "c",
        "i",
        "j",
        "k",
        "m",
        "n",
        "p",
        "q",
        "s",
        "t",
        "u",
        "w",
        "x",
        "y",
        "z",
        "v0",
        "v1",
        "v2",
        "v7",
    ),
    *(
        "acc",
        "count",
        "data",
        "done",
        "helper",
        "inner",
        "item",
        "key",
        "left",
        "number",
        "out",
        "result",
        "right",
    ),
    *(
        "size",
        "step",
        "temp",
        "total",
        "value",
        "values",
        "_",
        "_x",
        "é",
        "naïve",
        "Total",
        "LIMIT",
        "x1",
        "xx",
    ),
)
STEPS = 20_000

_MODULE = -1  # the owner of a hole that the whole program sees
_HOLE = re.compile("⟨(\\d+)⟩")
_TAB = "    "


@dataclass(frozen=True)
class Sketch:
    """``owners[n]`` is the unit (function of the module) that hole n belongs to, or -1 for the module."""

    text: str
    owners: tuple[int, ...]
    names: tuple[str, ...]
    entry: str
    parameters: int

    @property
    def source(self) -> str:
        return _HOLE.sub(lambda hole: self.names[int(hole[1])], self.text)

    @property
    def keep(self) -> frozenset[str]:
        return frozenset((self.entry,))


def _fillings(owners: tuple[int, ...], entry: str) -> st.SearchStrategy[tuple[str, ...]]:
    """Names of the module differ from all others; two functions may use the same name for their own variables."""
    spare = (f"spare{number}" for number in range(len(owners)))
    free = [name for name in (*NAMES, *spare) if name != entry]
    shared = [hole for hole, owner in enumerate(owners) if owner == _MODULE]

    def fill(order: list[str]) -> tuple[str, ...]:
        filled = dict(zip(shared, order, strict=False))
        left = order[len(shared) :]
        for unit in sorted(set(owners) - {_MODULE}):
            own = [hole for hole, owner in enumerate(owners) if owner == unit]
            filled |= dict(zip(own, left[unit:] + left[:unit] if unit % 2 else left, strict=False))
        return tuple(filled[hole] for hole in range(len(owners)))

    return st.permutations(free).map(fill)


def renamed(sketch: Sketch) -> st.SearchStrategy[Sketch]:
    """The same program under other names."""
    return _fillings(sketch.owners, sketch.entry).map(lambda names: replace(sketch, names=names))


class _Writer:
    """Writes one function of the module; ``numbers`` and ``lists`` are the holes that can be read at this point."""

    def __init__(
        self,
        draw: st.DrawFn,
        owners: list[int],
        unit: int,
        calls: list[tuple[str, int]],
        constants: list[str],
    ) -> None:
        self.draw, self.owners, self.unit = draw, owners, unit
        self.calls, self.constants = calls, constants
        self.numbers = list(constants)
        self.lists: list[str] = []
        self.lines: list[str] = []
        self.size = 0

    def hole(self, owner: int | None = None) -> str:
        self.owners.append(self.unit if owner is None else owner)
        return f"⟨{len(self.owners) - 1}⟩"

    def pick(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def say(self, depth: int, line: str) -> None:
        self.lines.append(_TAB * depth + line)

    # Expressions

    def atom(self) -> str:
        return str(self.pick(*self.numbers, *self.numbers, "0", "1", "2", "7"))

    def number(self, deep: int = 2) -> str:
        kind = self.pick("atom", "sum", "rest", "call", "pick", "lambda", "size") if deep else "atom"
        if kind == "sum":
            return f"{self.number(deep - 1)} {self.pick('+', '-')} {self.atom()}"
        if kind == "rest":
            product = f"({self.number(deep - 1)} * {self.atom()})"
            return f"{product} {self.pick('%', '//')} {self.pick('5', '97', self.atom())}"
        if kind == "call" and self.calls:
            name, parameters = self.pick(*self.calls)
            return f"{name}({', '.join(self.atom() for _ in range(parameters))})"
        if kind == "pick":
            return f"({self.atom()} if {self.test()} else {self.atom()})"
        if kind == "lambda":
            own = self.hole()
            return f"(lambda {own}, *, fixed=1: {own} + fixed + {self.atom()})({self.atom()})"
        if kind == "size" and self.lists:
            return f"{self.pick('len', 'sum')}({self.pick(*self.lists)})"
        return self.atom()

    def test(self) -> str:
        return f"{self.atom()} {self.pick('<', '==', '>=', '!=')} {self.atom()}"

    def list(self) -> str:
        own, source = self.hole(), self.iterable()
        inner = f"{own} {self.pick('+', '*')} {self.atom()}"
        kind = self.pick("display", "list", "set", "dict", "nested", "walrus", "where")
        if kind == "list":
            return f"[{inner} for {own} in {source}]"
        if kind == "set":
            return f"sorted({{{inner} for {own} in {source}}})"
        if kind == "dict":
            return f"list({{{own}: {inner} for {own} in {source}}}.values())"
        if kind == "nested":
            other = self.hole()
            return f"[{own} + {other} for {own} in {source} for {other} in range({own} % 3)]"
        if kind == "walrus":
            kept = self.hole()
            return f"[{kept} for {own} in {source} if ({kept} := {inner}) > 1]"
        if kind == "where":
            return f"[{own} for {own} in {source} if {own} {self.pick('<', '!=')} {self.atom()}]"
        return f"[{self.number(1)}, {self.atom()}]"

    def iterable(self) -> str:
        return str(self.pick(f"range({self.pick('1', '3', '4')})", "[3, 1, 2]", *self.lists[:1]))

    # Statements

    def body(self, depth: int, most: int, inside: str = "") -> None:
        """A block. What it binds is known only inside it, so that most reads find something."""
        numbers, lists = list(self.numbers), list(self.lists)
        for _ in range(self.draw(st.integers(1, most))):
            self.statement(depth, inside)
        self.numbers, self.lists = numbers, lists

    def statement(self, depth: int, inside: str) -> None:
        simple = ("assign", "assign", "augment", "list", "text", "comment", "swap")
        compound = ("if", "for", "while", "try", "nested", "early") if depth < 3 and self.size < 12 else ()
        self.size += 1
        getattr(self, f"_{self.pick(*simple, *compound)}")(depth, inside)

    def _assign(self, depth: int, inside: str) -> None:
        target, value = self.hole(), self.number()
        self.say(depth, f"{target}{self.pick('', ': int')} = {value}")
        self.numbers.append(target)

    def _augment(self, depth: int, inside: str) -> None:
        target = self.pick(*self.numbers)
        if target != inside and target not in self.constants:  # the counter of a loop is the loop's own
            self.say(depth, f"{target} {self.pick('+=', '-=')} {self.atom()}")
        else:
            self.say(depth, "pass")

    def _list(self, depth: int, inside: str) -> None:
        value, target = self.list(), self.hole()
        self.say(depth, f"{target} = {value}")
        self.lists.append(target)

    def _text(self, depth: int, inside: str) -> None:
        read, wide = self.pick(*self.numbers), self.pick(*self.numbers)
        shown = self.pick(f"{{{read}}}", f"a {{{read} + 1!r}}", f"{{{read}:>{{abs({wide}) % 5}}}} {{{{x}}}}")
        own = self.hole()
        self.say(depth, f'{own} = len(f"{shown}")')
        self.numbers.append(own)

    def _comment(self, depth: int, inside: str) -> None:
        self.say(depth, "# x is the result")
        self.say(depth, "pass")

    def _swap(self, depth: int, inside: str) -> None:
        one, other, first, second = self.hole(), self.hole(), self.atom(), self.atom()
        self.say(depth, f"{one}, {other} = {first}, {second}")
        self.numbers += [one, other]

    def _if(self, depth: int, inside: str) -> None:
        self.say(depth, f"if {self.test()}:")
        self.body(depth + 1, 2, inside)
        if self.pick(True, False):
            self.say(depth, f"elif {self.test()}:")
            self.body(depth + 1, 1, inside)
        if self.pick(True, False):
            self.say(depth, "else:")
            self.body(depth + 1, 2, inside)

    def _for(self, depth: int, inside: str) -> None:
        source, own = self.iterable(), self.hole()
        self.say(depth, f"for {own} in {source}:")
        self.numbers.append(own)
        self.body(depth + 1, 2, inside)

    def _while(self, depth: int, inside: str) -> None:
        """The body may touch any number but the counter; an inner loop may reset an outer one's, so none nests."""
        if inside:
            return self._assign(depth, inside)
        counter = self.hole()
        self.say(depth, f"{counter} = {self.pick('0', '1')}")
        self.numbers.append(counter)
        self.say(depth, f"while {counter} < 3:")
        self.say(depth + 1, f"{counter} += 1")
        self.body(depth + 1, 2, counter)
        return None

    def _try(self, depth: int, inside: str) -> None:
        risky, target, error = self.number(), self.hole(), self.hole()
        self.say(depth, "try:")
        self.say(depth + 1, f"{target} = 7 // ({risky})")
        self.say(
            depth, f"except {self.pick('ZeroDivisionError', '(ZeroDivisionError, ValueError)')} as {error}:"
        )
        self.say(depth + 1, f"{target} = len(str({error}.args)) % 3")
        self.numbers.append(target)

    def _nested(self, depth: int, inside: str) -> None:
        """A function that changes a variable of the one around it."""
        outer = self.pick(*self.numbers)
        name, own, more, result = self.hole(), self.hole(), self.hole(), self.hole()
        self.say(depth, f"def {name}({own}{self.pick('', f', {more}={self.atom()}', f', *{more}')}):")
        if outer != inside:
            self.say(depth + 1, f"{'global' if outer in self.constants else 'nonlocal'} {outer}")
            self.say(depth + 1, f"{outer} = {outer} + {own}")
        self.say(depth + 1, f"return {outer} - {own}")
        self.say(depth, f"{result} = {name}({self.atom()})")
        self.numbers.append(result)

    def _early(self, depth: int, inside: str) -> None:
        self.say(depth, f"if {self.test()}:")
        self.say(depth + 1, f"return {self.number()}")


def _function(writer: _Writer, name: str, parameters: int) -> list[str]:
    own = [writer.hole() for _ in range(parameters)]
    writer.numbers += own
    typed = writer.pick("", ": int")
    default = writer.pick("", "=2")
    heads = [hole + typed for hole in own]
    writer.say(0, f"def {name}({', '.join(heads)}{default}){writer.pick('', ' -> object')}:")
    if writer.pick(True, False):
        writer.say(1, '"""Return x of value."""')
    for _ in range(writer.draw(st.integers(1, 4))):
        writer.statement(1, "")
    writer.say(1, f"return {writer.pick(writer.number(), *writer.lists, *writer.numbers[-1:])}")
    return writer.lines


@st.composite
def programs(draw: st.DrawFn, entry: str = "f") -> Sketch:
    """A module: imports, up to three helpers and constants, and the entry function, which takes 1 to 3 numbers."""
    owners: list[int] = []
    calls: list[tuple[str, int]] = []
    constants: list[str] = []
    units: list[list[str]] = []
    for unit in range(draw(st.integers(0, 3))):
        writer = _Writer(draw, owners, unit, calls[-1:], constants)
        name = writer.hole(_MODULE)
        if writer.pick(True, False):
            parameters = writer.pick(1, 2)
            units.append(_function(writer, name, parameters))
            calls = [*calls, (name, parameters)]
        else:
            units.append([f"{name} = {writer.pick('3', '10 ** 2', '-1')}"])
            constants = [*constants, name]
    writer = _Writer(draw, owners, len(units), calls, constants)
    parameters = writer.pick(1, 2, 3)
    units.append(_function(writer, entry, parameters))
    order = draw(st.permutations(range(len(units))))
    heads = draw(st.lists(st.sampled_from(["import math", "from typing import List", "# x"]), unique=True))
    text = "\n".join([*heads, *("\n".join(units[number]) for number in order)]) + "\n"
    holes = tuple(owners)
    return Sketch(text, holes, draw(_fillings(holes, entry)), entry, parameters)


@st.composite
def restyled(draw: st.DrawFn, program: Sketch) -> str:
    """The same tokens: other indentation, blank lines, comments, and spaces inside brackets."""
    width = draw(st.sampled_from([1, 2, 3, 8]))
    space = draw(st.sampled_from(["", " ", "  "]))
    lines = program.source.split("\n")
    inside = 0
    cuts: list[tuple[int, int]] = []
    for token in tokenize.generate_tokens(io.StringIO(program.source).readline):
        kind = tokenize.tok_name[token.type]
        inside += {"FSTRING_START": 1, "FSTRING_END": -1}.get(kind, 0)
        if kind == "OP" and not inside and token.string in "([{,)]}":
            cuts.append(token.end if token.string in "([{," else token.start)
    for row, column in sorted(cuts, reverse=True):
        lines[row - 1] = lines[row - 1][:column] + space + lines[row - 1][column:]
    for number, line in enumerate(lines):
        code = line.lstrip(" ")
        between = draw(st.sampled_from(["", "", "\n", "# a note\n", "\n\n  # another\n"]))
        after = draw(st.sampled_from(["", "  # so", "  "])) if code and "#" not in code else ""
        lines[number] = between + " " * ((len(line) - len(code)) // len(_TAB) * width) + code + after
    return "\n".join(lines)


def tokens(source: str) -> list[tuple[int, str]]:
    """What the layout does not change: tokens without comments, blank lines and the width of indentation."""
    layout = (tokenize.NL, tokenize.COMMENT)
    blank = (tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE)
    return [
        (token.type, "" if token.type in blank else token.string)
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in layout
    ]


class _OutOfSteps(BaseException):
    """Not an Exception, so that no program catches it."""


def run(source: str, entry: str, args: tuple[Any, ...]) -> tuple[str, str]:
    """("value", its repr), ("exception", its type's name), or ("steps", "") for what goes on too long."""
    left = STEPS

    def step(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise _OutOfSteps
        return step

    space: dict[str, Any] = {"__name__": "program"}
    before = sys.gettrace()
    sys.settrace(step)
    try:
        exec(compile(source, "<program>", "exec"), space)
        return "value", repr(space[entry](*args))
    except _OutOfSteps:
        return "steps", ""
    except Exception as error:
        return "exception", type(error).__name__
    finally:
        sys.settrace(before)
