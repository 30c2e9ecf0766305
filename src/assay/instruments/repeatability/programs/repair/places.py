"""Where in a program's text the names of its tree stand, f-strings included, and the text with other names there."""

from __future__ import annotations

import ast
import re
import tokenize
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from assay.instruments.repeatability.programs.scopes import Binding, Place

from .edits import tokens_of
from .model import Program

__all__ = ["Text"]


class _Token(NamedTuple):
    start: int
    text: str


_LAYOUT_NAMES = ("NL", "COMMENT", "NEWLINE", "INDENT", "DEDENT", "FSTRING_MIDDLE", "TSTRING_MIDDLE")
_LAYOUT = frozenset(kind for kind, name in tokenize.tok_name.items() if name in _LAYOUT_NAMES)


class Text:
    """A source, its tokens, and where in it the names of its tree are."""

    def __init__(self, program: Program) -> None:
        self.source = program.source
        self.lines = [line + "\n" for line in program.lines]
        self.starts = [0, *accumulate(map(len, self.lines))]
        self.tokens = [
            _Token(self.starts[line - 1] + column, text)
            for kind, text, (line, column), _, _ in tokens_of("\n".join(program.lines)).all
            if kind not in _LAYOUT
        ]
        self.original = [0, *(end.end() for end in re.finditer("\r\n|\r|\n", self.source))]
        self.order = [token.start for token in self.tokens]
        self.places: dict[Binding, list[tuple[int, int]]] = {}
        self.around: dict[int, ast.JoinedStr] = {}
        assert program.parsed is not None
        for node in program.parsed.nodes:  # outer nodes come before inner ones
            if isinstance(node, ast.JoinedStr) and id(node) not in self.around:
                self.around.update((id(inner), node) for inner in ast.walk(node))

    @classmethod
    def of(cls, program: Program) -> Text | None:
        """None for a program that cannot be cut into tokens."""
        text = cls(program)
        return text if text.tokens else None

    def can_tell(self, binding: Binding) -> bool:
        """Whether every place of a variable is known."""
        tokens = self._places(binding)
        if tokens is not None:
            self.places[binding] = [(token.start, len(token.text)) for token in tokens]
        return tokens is not None

    def renamed(self, wish: Mapping[Binding, str]) -> str:
        """The text with the wished names, for variables whose places it can tell."""
        edits = [
            (start, length, name) for binding, name in wish.items() for start, length in self.places[binding]
        ]
        source = self.source
        for start, length, name in sorted(edits, reverse=True):
            begin = self._original(start)
            source = source[:begin] + name + source[begin + length :]
        return source

    def _original(self, offset: int) -> int:
        """An offset in the text as it was given, whose lines may end otherwise."""
        line = bisect_right(self.starts, offset) - 1
        return self.original[line] + offset - self.starts[line]

    def _places(self, binding: Binding) -> list[_Token] | None:
        found: list[_Token] = []
        strings: dict[int, tuple[ast.JoinedStr, int]] = {}
        for place in binding.places:
            if (string := self.around.get(id(place.node))) is not None:
                strings[id(string)] = string, strings.get(id(string), (string, 0))[1] + 1
                continue
            token = self._place(place)
            if token is None or not _spells(token.text, binding.name):
                return None
            found.append(token)
        for string, mentions in strings.values():
            tokens = [token for token in self._inside(string) if _spells(token.text, binding.name)]
            if len(tokens) != mentions:  # another variable, a keyword, or ``{x=}``, which prints its name
                return None
            found += tokens
        return found

    def _place(self, place: Place) -> _Token | None:
        """The token of a name outside f-strings."""
        node = place.node
        assert isinstance(node, ast.Name | ast.arg | ast.stmt | ast.ExceptHandler | ast.pattern)
        first = self._index(node.lineno, node.col_offset)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return self._after("def", first)
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None
            assert node.type.end_lineno is not None
            assert node.type.end_col_offset is not None
            return self._after("as", self._index(node.type.end_lineno, node.type.end_col_offset))
        if isinstance(node, ast.Global | ast.Nonlocal):
            assert place.item is not None
            return self.tokens[first + 1 + 2 * place.item]
        if isinstance(node, ast.MatchAs | ast.MatchStar | ast.MatchMapping):
            end = self._index(node.end_lineno, node.end_col_offset)
            return next(
                (token for token in reversed(self.tokens[first:end]) if token.text.isidentifier()), None
            )
        return self.tokens[first]

    def _index(self, line: int, column: int) -> int:
        """The first token that starts at a place or after it; the parser counts columns in bytes."""
        characters = len(self.lines[line - 1].encode()[:column].decode())
        return bisect_left(self.order, self.starts[line - 1] + characters)

    def _after(self, word: str, index: int) -> _Token:
        while self.tokens[index].text != word:
            index += 1
        return self.tokens[index + 1]

    def _inside(self, string: ast.JoinedStr) -> list[_Token]:
        """The names in an f-string, attributes left out, and those before an equals sign."""
        assert string.end_lineno is not None
        assert string.end_col_offset is not None
        begin = self._index(string.lineno, string.col_offset)
        end = self._index(string.end_lineno, string.end_col_offset)
        return list(_names(self.tokens[begin:end]))


def _spells(text: str, name: str) -> bool:
    """The parser reads identifiers in their normal form."""
    return unicodedata.normalize("NFKC", text) == name


_FSTRING = re.compile(r"""(?i:(f|fr|rf))(\"{3}|'{3}|"|')(.*)\2""", re.DOTALL)
_ESCAPE = re.compile(r"\\N\{[^}]*\}|\\[^{}]", re.DOTALL)


def _names(tokens: Sequence[_Token]) -> Iterator[_Token]:
    """Names among tokens. Before Python 3.12 an f-string is one token, and its parts are tokenised here."""
    around = [_Token(0, ""), *tokens, _Token(0, "")]
    for before, token, after in zip(around, around[1:], around[2:], strict=False):
        if match := _FSTRING.fullmatch(token.text):
            prefix, _, body = match.groups()
            for begin, end in _expressions(body, raw="r" in prefix.lower()):
                start = token.start + match.start(3) + begin
                yield from _names(_tokens(body[begin:end], start))
        elif token.text.isidentifier() and before.text not in (".", "!") and after.text != "=":
            yield token


def _tokens(expression: str, start: int) -> list[_Token]:
    """Tokens of an expression that stands at ``start``; none of one that prints itself, as in ``{x=}``."""
    if expression.rstrip().endswith("="):
        return []
    lines = [line + "\n" for line in f"({expression})".split("\n")]
    starts = [start - 1, *accumulate(map(len, lines), initial=start - 1)][1:]
    return [
        _Token(starts[line - 1] + column, text)
        for _, text, (line, column), _, _ in tokenize.generate_tokens(iter(lines).__next__)
        if text
    ]


def _expressions(text: str, *, raw: bool) -> Iterator[tuple[int, int]]:
    """Where the expressions of an f-string's body begin and end, those in format specifications too."""
    at = specifications = 0
    while at < len(text):
        if not raw and (escape := _ESCAPE.match(text, at)):
            at = escape.end()
        elif text[at : at + 2] in ("{{", "}}") and not specifications:
            at += 2
        elif text[at] == "{":
            end = _expression_end(text, at + 1)
            yield at + 1, end
            at = end + 2 * (text[end : end + 1] == "!")
            specifications += text[at : at + 1] == ":"
            at += 1
        else:
            specifications -= text[at] == "}"
            at += 1


def _expression_end(text: str, at: int) -> int:
    """Where the brace, the colon or the exclamation mark is that ends an expression."""
    depth, quote = 0, ""
    while at < len(text):
        mark = text[at]
        if quote:
            if text.startswith(quote, at):
                at += len(quote) - 1
                quote = ""
        elif mark in "'\"":
            quote = mark * 3 if text.startswith(mark * 3, at) else mark
            at += len(quote) - 1
        elif mark in "([{":
            depth += 1
        elif depth:
            depth -= mark in ")]}"
        elif mark in "}:" or (mark == "!" and text[at + 1 : at + 2] != "="):
            return at
        at += 1
    return at
