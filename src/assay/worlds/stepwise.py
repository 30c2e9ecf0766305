"""Small functions of two numbers, worked out step by step: each step is said in words and written in code.

A kind of step has several ways, of which the words say one. A fault is another way of the same kind: no line of code is
wrong by itself, only where the words say otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from assay.streams import Stream

from .standing import sentence
from .templates import pattern, table

__all__ = ["MEANS", "Case", "Module", "ModuleStep", "code_of", "drawn_module", "read_module", "told_steps"]

Case = tuple[int, int]
# Kind → way → what a step makes of the result so far (t), the arguments (x, y) and its own numbers (n, m).
MEANS: dict[str, dict[str, Callable[[int, int, int, int, int], int]]] = {
    "start": {
        "times": lambda t, x, y, n, m: n * x,
        "plus": lambda t, x, y, n, m: n + x,
        "less": lambda t, x, y, n, m: n - x,
    },
    "more": {
        "times": lambda t, x, y, n, m: t + n * y,
        "plus": lambda t, x, y, n, m: t + n + y,
        "minus": lambda t, x, y, n, m: t - n * y,
    },
    "bonus": {
        "over": lambda t, x, y, n, m: t + m if x > n else t,
        "least": lambda t, x, y, n, m: t + m if x >= n else t,
        "under": lambda t, x, y, n, m: t + m if x < n else t,
        "most": lambda t, x, y, n, m: t + m if x <= n else t,
    },
    "limit": {
        "most": lambda t, x, y, n, m: min(t, n),
        "least": lambda t, x, y, n, m: max(t, n),
    },
    "share": {
        "down": lambda t, x, y, n, m: t // n,
        "up": lambda t, x, y, n, m: -(-t // n),
    },
}
NUMBERS = {"start": (20, 40), "more": (2, 8), "bonus": (5, 15), "limit": (30, 300), "share": (2, 6)}
_HEAD = re.compile(r"def (?P<function>\w+)\((?P<x>\w+), (?P<y>\w+)\):")


class ModuleStep(Struct, frozen=True):
    kind: str
    way: str
    n: int
    m: int


class Module(Struct, frozen=True):
    """A function with its steps. ``said`` has a sentence for each; ``name`` is what its code calls the result."""

    function: str
    x: str
    y: str
    name: str
    steps: tuple[ModuleStep, ...]
    said: tuple[str, ...]

    def value(self, case: Case) -> int:
        return self.totals(case)[-1]

    def totals(self, case: Case) -> list[int]:
        """The result after each step; at first it is 0."""
        found = [0]
        for step in self.steps:
            found.append(MEANS[step.kind][step.way](found[-1], *case, step.n, step.m))
        return found

    def source(self) -> str:
        """The code of the steps below the words for them, which need not agree."""
        words = "".join(f"    {one}\n" for one in self.said)
        return (
            f'def {self.function}({self.x}, {self.y}):\n    """Step by step, the result comes about like this:\n\n'
            f'{words}    """\n{"".join(self.code())}    return {self.name}\n'
        )

    def code(self) -> Iterator[str]:
        """The lines of each step."""
        for step in self.steps:
            lines = table("stepwise")["code"][step.kind][step.way].format(
                t=self.name, x=self.x, y=self.y, n=step.n, m=step.m
            )
            yield "".join(f"    {line}\n" for line in lines.splitlines())

    def with_ways(self, ways: dict[int, str]) -> Module:
        """With other ways at some places; the words stay."""
        return replace(
            self,
            steps=tuple(replace(step, way=ways.get(at, step.way)) for at, step in enumerate(self.steps)),
        )


@cache
def _wordings(kind: str, way: str) -> list[str]:
    """Every way to say a step; what a bonus is for is said in a clause of its own."""
    parts = table("stepwise")
    if kind == "bonus":
        return [
            frame.replace("{when}", when) for frame in parts["bonus"] for when in parts["words"][kind][way]
        ]
    found: list[str] = parts["words"][kind][way]
    return found


def _said(step: ModuleStep, one: dict[str, str], x: str, y: str, stream: Stream) -> str:
    gaps: dict[str, Any] = {"x": one[x], "xs": x, "y": one[y], "ys": y, "n": step.n, "m": step.m}
    return sentence(stream.choice(_wordings(step.kind, step.way)).format_map(gaps))


def drawn_module(function: str, things: dict[str, str], stream: Stream) -> Module:
    """A function of two of several things, given as plural → singular."""
    x, y = stream.shuffled(list(things))[:2]
    kinds = ["start", "more", *stream.shuffled(["bonus", stream.choice(["limit", "share"])])]
    steps = tuple(
        ModuleStep(
            kind, stream.choice(list(MEANS[kind])), stream.integer(*NUMBERS[kind]), stream.integer(10, 30)
        )
        for kind in kinds
    )
    said = tuple(_said(step, things, x, y, stream) for step in steps)
    return Module(function, x, y, stream.choice(table("stepwise")["names"]), steps, said)


def read_module(source: str) -> Module:
    """The function that the words at the head of a source describe."""
    head = _HEAD.search(source)
    assert head, "no function of two arguments"
    words, code = source.split('"""')[1:3]
    said = tuple(line.strip() for line in words.splitlines()[2:-1])
    name = code.split()[0]
    return Module(head["function"], head["x"], head["y"], name, tuple(map(_step, said)), said)


def _step(said: str) -> ModuleStep:
    for kind, ways in MEANS.items():
        for way in ways:
            for wording in _wordings(kind, way):
                if found := pattern(sentence(wording), r"\w+").fullmatch(said):
                    numbers = found.groupdict()
                    return ModuleStep(kind, way, int(numbers["n"]), int(numbers.get("m", 0)))
    raise AssertionError(f"not a step: {said}")


def code_of(source: str) -> list[str]:
    """The lines of each step, as they are written."""
    found: list[str] = []
    for line in source.split('"""\n')[-1].splitlines(keepends=True)[:-1]:
        if line.startswith("        "):
            found[-1] += line
        else:
            found.append(line)
    return found


def told_steps(module: Module, said: str) -> Sequence[int]:
    """The places of the steps whose words are in a text."""
    return [at for at, one in enumerate(module.said) if one in said]
