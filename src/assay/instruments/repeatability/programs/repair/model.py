"""A program on its way to the canon, and what a step of repair is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Literal

from msgspec import Struct

from assay.instruments.repeatability.programs.cache import remembered
from assay.instruments.repeatability.programs.normalisation import Parsed, read
from assay.instruments.repeatability.programs.scopes import Names, Reading, analyse

__all__ = ["Program", "Propose", "Step", "names_of"]


_reading = remembered(512)(Reading)  # proposals share the statements that they leave where they are


@lru_cache(maxsize=4)  # of what is proposed, and of the program once it is taken
def names_of(parsed: Parsed, keep: frozenset[str]) -> Names:
    return analyse(parsed.tree, keep, _reading)


@lru_cache(maxsize=4)
def _names_of_shape(parsed: Parsed, keep: frozenset[str]) -> Names:
    return analyse(parsed.shape, keep, _reading)


class Program:
    """A source text that parses, with its tree. ``keep`` are names that others call it by."""

    def __init__(self, source: str, keep: frozenset[str] = frozenset()) -> None:
        self.source, self.keep = source, keep

    @cached_property
    def parsed(self) -> Parsed | None:
        """None for what does not parse."""
        return read(self.source)

    @property
    def tree(self) -> ast.Module | None:
        """Never changed in place: copy what is to be rewritten. None for what does not parse."""
        return None if self.parsed is None else self.parsed.tree

    @cached_property
    def names(self) -> Names:
        """What its names mean; only of a program that parses."""
        assert self.parsed is not None
        return names_of(self.parsed, self.keep)

    @property
    def names_in_shape(self) -> Names:
        """As ``names``, in the same order, but for the tree whose rows do not count: quicker to be had."""
        assert self.parsed is not None
        return self.names if self.parsed.shape is self.tree else _names_of_shape(self.parsed, self.keep)

    @cached_property
    def lines(self) -> list[str]:
        """As the parser counts them: a form feed ends no line."""
        return self.source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


Propose = Callable[[Program, Program], Iterator[str]]


class Step(Struct, frozen=True):
    """One kind of repair. ``propose(program, canon)`` yields sources that mean the same as ``program``.

    What it proposes must follow from the program alone being what it is: the canon only says which of the
    equivalent forms is wanted. Whether a proposal is taken is decided elsewhere: it must lie nearer to the canon
    at some level, farther at none, and pass the oracle again.
    """

    name: str
    about: str
    propose: Propose
    changes: Literal["text", "tree"] = (
        "tree"  # the least it changes: not worth trying once the trees are equal
    )
