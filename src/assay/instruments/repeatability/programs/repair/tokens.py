"""The tokens of a program's text, worked out statement by statement."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator, Sequence, Set
from functools import cached_property, lru_cache
from itertools import pairwise
from tokenize import TokenInfo

from assay.instruments.repeatability.programs.cache import remembered
from assay.instruments.repeatability.programs.normalisation import first_row, read

__all__ = ["Tokens", "tokens_of"]


class Tokens:
    """Of a text whose lines end in LF. Not ``known`` where the parser reads it and ``tokenize`` does not: rare."""

    def __init__(self, text: str) -> None:
        self._chunks: list[tuple[Sequence[TokenInfo], int]] = []  # with the rows before it
        self.known = True
        try:
            self._chunks = [(_tokens(chunk), row) for chunk, row in _chunks(text)]
        except (tokenize.TokenError, SyntaxError):  # as with a last bracket missing
            self.known = False

    @cached_property
    def all(self) -> list[TokenInfo]:
        tokens: list[TokenInfo] = []
        for chunk, row in self._chunks:
            tokens[-1:] = (_moved(token, row) for token in chunk)  # every chunk ends with a mark of its end
        return tokens

    def each(self) -> Iterator[tuple[TokenInfo, int]]:
        """All of them, with how many rows further down they stand; every statement ends with a mark of its end."""
        return ((token, row) for chunk, row in self._chunks for token in chunk)

    def of(self, kinds: Set[int]) -> Iterator[TokenInfo]:
        """Those of some kinds: the others need not be put in their places."""
        return (_moved(token, row) for chunk, row in self._chunks for token in chunk if token.type in kinds)


@lru_cache(maxsize=8)  # of the program and of the canon, and again where names are exchanged
def tokens_of(text: str) -> Tokens:
    return Tokens(text)


def _chunks(text: str) -> Iterator[tuple[str, int]]:
    """The text cut before each statement of the module, with how many rows stand before each chunk."""
    found = read(text)
    if found is None or None in found.parts:
        yield text, 0
        return
    lines = text.split("\n")
    starts = [first_row(statement) - 1 for statement in found.tree.body[1:]]
    for start, end in pairwise((0, *starts)):
        yield "\n".join((*lines[start:end], "")), start
    start = starts[-1] if starts else 0
    yield "\n".join(lines[start:]), start


@remembered(512)  # proposals, and the outputs of a cell, have most statements in common
def _tokens(chunk: str) -> Sequence[TokenInfo]:
    """Tokens of whole rows."""
    return list(tokenize.generate_tokens(io.StringIO(chunk).readline))


def _moved(token: TokenInfo, rows: int) -> TokenInfo:
    """The token that many rows further down."""
    if not rows:
        return token
    kind, string, (first, start), (last, end), line = token
    return TokenInfo(kind, string, (first + rows, start), (last + rows, end), line)
