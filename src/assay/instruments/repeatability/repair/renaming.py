"""Names towards the canon's: variables that play the same part get the same name.

The variables of the two programs are lined up by where they stand: both trees are written as rows of labels in
which every variable looks the same, the rows are aligned, and each pair of variables that meet is a vote. What
is proposed is the program's own text with exactly the name tokens exchanged. Every proposal is read again and
must be the same program but for its names (``names.alpha``), or it is not made.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from rapidfuzz.distance import Indel

from assay.instruments.repeatability.names import alpha, same_tree
from assay.instruments.repeatability.normalisation import parse
from assay.instruments.repeatability.scopes import BUILTINS, Binding, Names, Place, analyse

from .model import Program

__all__ = ["MOST", "propose_names"]

MOST = 12  # proposals for one program
_UNITS = 60  # statements of a module that are paired one by one; a longer program is aligned as a whole
_LONGEST = 20_000  # labels of a row; aligning takes memory with the square of it
_ALIKE = 0.3  # statements less alike than this are not paired
_TARGETS = frozenset(("", "keyword", "spread", "seen", "fallback", "exported"))  # the canon need not rename

Wish = dict[Binding, str]
Variables = dict[tuple[int, str, int | None], Binding]  # by node, attribute and item


def propose_names(program: Program, canon: Program) -> Iterator[str]:
    """The program with all names that can be the canon's, then with those of one function each, then one by one."""
    if program.tree is None or canon.tree is None:
        return
    names, text = analyse(program.tree, program.keep), _Text.of(program)
    pairs = _matched(program.tree, names, canon.tree, analyse(canon.tree, canon.keep))
    wish = {
        mine: theirs.name
        for mine, theirs in pairs
        if mine.name != theirs.name and theirs.name not in program.keep and text and text.can_tell(mine)
    }
    if text is None or not wish:
        return
    before, tried = alpha(program.tree, program.keep), {program.source}
    for group in _groups(wish, program.tree):
        source = text.renamed(_without_clashes(group, names))
        if source in tried:
            continue
        tried.add(source)
        tree = parse(source)
        if tree is not None and same_tree(alpha(tree, program.keep), before):
            yield source
        if len(tried) > MOST:
            return


def _groups(wish: Wish, tree: ast.Module) -> Iterator[Wish]:
    """All, then those that appear first in the same statement of the module, then single ones."""
    yield wish
    starts = [statement.lineno for statement in tree.body]
    parts: dict[int, Wish] = {}
    for binding, name in wish.items():
        line = getattr(binding.places[0].node, "lineno", 1)
        parts.setdefault(bisect_right(starts, line), {})[binding] = name
    yield from parts.values()
    yield from ({binding: name} for binding, name in wish.items())


# Lining up


class _Row(NamedTuple):
    """A tree as labels; where a label stands for a variable, the variable.

    A function that others know by its name has that ``name``, and ``parameters`` that are told by position.
    """

    labels: list[str]
    variables: list[Binding | None]
    name: str
    parameters: list[Binding | None]


def _matched(
    tree: ast.Module, names: Names, other: ast.Module, theirs: Names
) -> list[tuple[Binding, Binding]]:
    """Pairs of variables, each in one pair at most, those first that meet most often."""
    votes: Counter[tuple[Binding, Binding]] = Counter()
    for mine, its in _paired(_rows(tree, names, frozenset(("",))), _rows(other, theirs, _TARGETS)):
        if mine.name == its.name:
            told = zip(mine.parameters, its.parameters, strict=False)
            votes.update({(a, b): len(mine.labels) for a, b in told if a and b})
        for code in Indel.opcodes(*_numbered(mine.labels, its.labels)):
            if code.tag == "equal":
                for a, b in zip(
                    mine.variables[code.src_start : code.src_end],
                    its.variables[code.dest_start : code.dest_end],
                    strict=True,
                ):
                    if a and b:
                        votes[a, b] += 1
    # A stable sort: among equals the pair that met first is taken, but equal names go before different ones.
    ranked = sorted(votes, key=lambda pair: (-votes[pair], pair[0].name != pair[1].name))
    taken: set[Binding] = set()
    pairs = []
    for a, b in ranked:
        if a not in taken and b not in taken:
            taken |= {a, b}
            pairs.append((a, b))
    return pairs


def _rows(tree: ast.Module, names: Names, open_: frozenset[str]) -> list[_Row]:
    """One row for each statement of the module."""
    at: Variables = {
        (id(place.node), place.attribute, place.item): binding
        for binding in names.bindings
        if binding.stays in open_
        for place in binding.places
    }
    parts = [[statement] for statement in tree.body]
    rows = []
    for part in parts if len(parts) <= _UNITS else [tree.body]:
        row = _Row([], [], *_signature(part, at))
        stack: list[ast.AST] = list(reversed(part))
        while stack:
            node = stack.pop()
            row.labels.append(type(node).__name__)
            row.variables.append(None)
            inner: list[ast.AST] = []
            for name in node._fields:
                value = getattr(node, name, None)
                for index, one in enumerate(value) if isinstance(value, list) else [(None, value)]:
                    if isinstance(one, ast.AST):
                        inner.append(one)
                        continue
                    binding = at.get((id(node), name, index))
                    row.labels.append("variable" if binding else _label(one))
                    row.variables.append(binding)
            stack.extend(reversed(inner))
        rows.append(row)
    return [row for row in rows if len(row.labels) <= _LONGEST]


def _signature(part: list[ast.stmt], at: Variables) -> tuple[str, list[Binding | None]]:
    first = part[0]
    if isinstance(first, ast.FunctionDef | ast.AsyncFunctionDef) and (id(first), "name", None) not in at:
        positional = (*first.args.posonlyargs, *first.args.args)
        return first.name, [at.get((id(one), "arg", None)) for one in positional]
    return "", []


def _label(value: object) -> str:
    """Hexadecimal, because the interpreter will not print huge numbers in decimal."""
    return f"{type(value).__name__} {hex(value) if isinstance(value, int) else repr(value)}"


def _paired(rows: list[_Row], others: list[_Row]) -> Iterator[tuple[_Row, _Row]]:
    """Functions known by the same name, then the most alike, and of those the earlier; none twice."""
    alike = [(-_likeness(row, other), i, j) for i, row in enumerate(rows) for j, other in enumerate(others)]
    left, right = set(range(len(rows))), set(range(len(others)))
    for score, i, j in sorted(alike):
        if -score >= _ALIKE and i in left and j in right:
            left.remove(i)
            right.remove(j)
            yield rows[i], others[j]


def _likeness(row: _Row, other: _Row) -> float:
    if row.name and row.name == other.name:
        return 2
    return Indel.normalized_similarity(*_numbered(row.labels, other.labels))


def _numbered(*rows: Sequence[str]) -> list[list[int]]:
    """Equal labels get equal numbers: nothing rests on the hash of a string."""
    numbers: dict[str, int] = {}
    for label in chain(*rows):
        numbers.setdefault(label, len(numbers))
    return [[numbers[label] for label in row] for row in rows]


# Which names can be had


def _without_clashes(wish: Wish, names: Names) -> Wish:
    """As much of the wish as can be had without any name meaning another variable than before."""
    wish = {binding: name for binding, name in wish.items() if _allowed(binding, name, names)}
    while lost := _clashing(wish, names.bindings):
        wish = {binding: name for binding, name in wish.items() if binding not in lost}
    return wish


def _allowed(binding: Binding, name: str, names: Names) -> bool:
    """Whether a variable of that name would be as free as this one."""
    if "parameter" in binding.roles and name in names.keywords:
        return False
    if binding.scope and binding.scope.kind == "module" and (name in BUILTINS or name in names.exported):
        return False
    wildcard = name == "_" and any(isinstance(place.node, ast.pattern) for place in binding.places)
    return not wildcard and not keyword.iskeyword(name)


def _clashing(wish: Wish, bindings: list[Binding]) -> set[Binding]:
    homes: dict[tuple[int, str], Binding] = {}
    lost: set[Binding] = set()

    def clash(one: Binding, other: Binding) -> None:
        """The later one yields, if it is to be renamed at all."""
        lost.add(other if other in wish else one)

    for one in bindings:
        if one.scope is not None:
            other = homes.setdefault((id(one.scope), wish.get(one, one.name)), one)
            if other is not one:
                clash(other, one)
    for one in bindings:
        name = wish.get(one, one.name)
        for place in one.places:
            for scope in place.scope.outward():
                if scope is one.scope:
                    break
                if (id(scope), name) in homes:
                    clash(one, homes[id(scope), name])
                if scope.declared.get(one.name) == "global":
                    break
    return lost & wish.keys()


# Where names stand in the text


class _Token(NamedTuple):
    start: int
    text: str


_LAYOUT = frozenset(("NL", "COMMENT", "NEWLINE", "INDENT", "DEDENT", "FSTRING_MIDDLE", "TSTRING_MIDDLE"))


class _Text:
    """A source, its tokens, and where in it the names of its tree are."""

    def __init__(self, program: Program) -> None:
        self.source = program.source
        self.lines = [line + "\n" for line in program.lines]
        self.starts = [0, *accumulate(map(len, self.lines))]
        self.tokens = [
            _Token(self.starts[line - 1] + column, text)
            for kind, text, (line, column), _, _ in tokenize.generate_tokens(
                io.StringIO("".join(self.lines)).readline
            )
            if tokenize.tok_name[kind] not in _LAYOUT
        ]
        self.original = [0, *(end.end() for end in re.finditer("\r\n|\r|\n", self.source))]
        self.order = [token.start for token in self.tokens]
        self.places: dict[Binding, list[tuple[int, int]]] = {}
        self.around: dict[int, ast.JoinedStr] = {}
        assert program.tree is not None
        for node in ast.walk(program.tree):  # outer nodes come before inner ones
            if isinstance(node, ast.JoinedStr) and id(node) not in self.around:
                self.around.update((id(inner), node) for inner in ast.walk(node))

    @classmethod
    def of(cls, program: Program) -> _Text | None:
        try:
            return cls(program)
        except (
            tokenize.TokenError,
            SyntaxError,
        ):  # the parser is more lenient, as with a missing last bracket
            return None

    def can_tell(self, binding: Binding) -> bool:
        """Whether every place of a variable is known."""
        tokens = self._places(binding)
        if tokens is not None:
            self.places[binding] = [(token.start, len(token.text)) for token in tokens]
        return tokens is not None

    def renamed(self, wish: Wish) -> str:
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
            if (
                len(tokens) != mentions
            ):  # another variable of that name, a keyword, or ``{x=}``, which prints it
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
