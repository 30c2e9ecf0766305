"""Steps that change how a program is dressed, not what it does: docstrings, comments, parentheses; and with
them ``layout`` and ``annotations``, which have files of their own."""

from __future__ import annotations

import ast
import keyword
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from tokenize import TokenInfo

from .annotations import propose_annotations
from .edits import (
    MOST_EDITS,
    Edit,
    Sheet,
    definition_pairs,
    docstring_of,
    proposes,
    replaced,
    same_tree,
    surviving,
)
from .layout import propose_layout, sees_docstrings
from .model import Step

__all__ = [
    "DRESS",
    "propose_annotations",
    "propose_comments",
    "propose_docstrings",
    "propose_layout",
    "propose_parentheses",
]


def _docstring_removal(here: Sheet, body: list[ast.stmt], *, module: bool) -> Edit:
    docstring = body[0]
    start, end = here.span(docstring)
    if len(body) == 1 and not module:
        return start, end, "pass"
    if not here.owns_rows(docstring):
        return start, here.span(body[1])[0] if len(body) > 1 else end, ""
    first, last = here.rows(docstring)
    while last < len(here.lines) and not here.lines[last].strip():
        last += 1
    return here.row_removal(first, last)


def _docstring_insertion(here: Sheet, there: Sheet, body: list[ast.stmt], docstring: ast.Expr) -> Edit | None:
    """The canon's docstring above the first statement, with as many blank rows below it."""
    if not body:
        return 0, 0, there.written(docstring) + "\n"
    if not here.starts_clean(body[0]):
        return None
    last = there.rows(docstring)[1]
    blank = 0
    while last + blank < len(there.lines) and not there.lines[last + blank].strip():
        blank += 1
    row = here.above(here.rows(body[0])[0])
    start = here.starts[row - 1]
    return start, start, here.indent(body[0]) + there.written(docstring) + "\n" * (1 + blank)


@proposes
def propose_docstrings(here: Sheet, there: Sheet) -> Iterator[str]:
    """Docstrings as the matching definitions of the canon have them, or none where they have none."""
    if sees_docstrings(here):
        return
    pairs = definition_pairs(here.tree, there.tree)
    plain = not there.documented
    removals: list[list[Edit]] = []
    others: list[list[Edit]] = []
    for node, twin in pairs:
        own, wanted = docstring_of(node), docstring_of(twin) if twin is not None else None
        if own is None and wanted is not None:
            insertion = _docstring_insertion(here, there, node.body, wanted)
            if insertion is not None:
                others.append([insertion])
        elif own is not None and wanted is not None:
            if here.written(own) != there.written(wanted):
                others.append([(*here.span(own), there.written(wanted))])
        elif own is not None and (twin is not None or plain):
            removals.append([_docstring_removal(here, node.body, module=isinstance(node, ast.Module))])

    def holds(source: str) -> bool:
        return same_tree(source, here.bare_key, docstrings=False)

    yield surviving(here.text, [*removals, *others], holds)
    if removals and others:
        yield surviving(here.text, removals, holds)
        yield surviving(here.text, others, holds)


@proposes
def propose_comments(here: Sheet, there: Sheet) -> Iterator[str]:
    """Without the comments that the canon does not have, and without any."""
    if not here.comments:
        return
    wanted = Counter(token.string.strip() for token in there.comments)
    all_edits: list[list[Edit]] = []
    foreign: list[list[Edit]] = []
    for token in here.comments:
        row, column = token.start
        if row in here.comment_rows:
            edit = here.row_removal(row, row)
        else:
            before = len(here.lines[row - 1][:column].rstrip())
            edit = here.starts[row - 1] + before, here.starts[row] - 1, ""
        all_edits.append([edit])
        if wanted[token.string.strip()] > 0:
            wanted[token.string.strip()] -= 1
        else:
            foreign.append([edit])

    def holds(source: str) -> bool:
        return same_tree(source, here.key)

    yield surviving(here.text, foreign, holds)
    yield surviving(here.text, all_edits, holds)


_BEFORE_CALL = {tokenize.NAME, tokenize.STRING}


def _groupings(here: Sheet) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of parentheses (row, column) that group, and neither call, subscribe nor define."""
    pairs: list[tuple[tuple[int, int], tuple[int, int]]] = []
    opened: list[tuple[tuple[int, int], bool]] = []
    previous: TokenInfo | None = None
    for token, rows in here.tokens.each():
        place = token.start[0] + rows, token.start[1]
        if token.type == tokenize.OP and token.string == "(":
            opened.append((place, previous is None or not _called(previous)))
        elif token.type == tokenize.OP and token.string == ")":
            start, groups = opened.pop()
            if groups and previous is not None and previous.string != "(":
                pairs.append((start, place))
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            previous = token
    return sorted(pairs)


def _called(before: TokenInfo) -> bool:
    """Whether a parenthesis behind it calls or defines it."""
    name = before.type in _BEFORE_CALL and not keyword.iskeyword(before.string)
    return name or before.string in (")", "]", "}")


def _paren_edits(here: Sheet, pair: tuple[tuple[int, int], tuple[int, int]]) -> list[Edit]:
    """Both parentheses taken out; a blank stands where two words would run together."""
    edits = []
    for row, column in pair:
        line = here.lines[row - 1]
        around = line[column - 1 : column] + line[column + 1 : column + 2]
        apart = len(around) == 2 and re.fullmatch(r"\w[\w\"'.]", around) is not None
        start = here.starts[row - 1] + column
        edits.append((start, start + 1, " " if apart else ""))
    return edits


def _without_parens(line: str) -> str:
    return re.sub(r"[\s()]", "", line)


@proposes
def propose_parentheses(here: Sheet, there: Sheet) -> Iterator[str]:
    """Without parentheses that change nothing: those that the canon's line does without, then all."""
    canon_rows = {line.strip() for line in there.lines}
    if all(line.strip() in canon_rows for line in here.lines if "(" in line):
        return
    pairs = [pair for pair in _groupings(here) if here.lines[pair[0][0] - 1].strip() not in canon_rows]
    if not pairs:
        return
    fewest: dict[str, int] = {}
    for line in there.lines:
        fewest.setdefault(_without_parens(line), line.count("("))
    kept: dict[str, list[Edit]] = {"as the canon": [], "all": []}
    for pair in pairs[:MOST_EDITS]:
        edits = _paren_edits(here, pair)
        if not same_tree(replaced(here.text, [*kept["all"], *edits]), here.key):
            continue
        kept["all"] += edits
        line = here.lines[pair[0][0] - 1]
        if line.count("(") > fewest.get(_without_parens(line), line.count("(")):
            kept["as the canon"] += edits
    for edits in kept.values():
        source = replaced(here.text, edits)
        if edits and same_tree(source, here.key):
            yield source


DRESS = (
    Step(
        "docstrings",
        "docstrings as in the canon, or none where it has none",
        propose_docstrings,
        changes="text",
    ),
    Step("comments", "without the comments that the canon does not have", propose_comments, changes="text"),
    Step("annotations", "annotations as in the canon, where nothing can see them", propose_annotations),
    Step("parentheses", "without parentheses that change nothing", propose_parentheses, changes="text"),
    Step(
        "layout", "statements with the canon's tree laid out as in the canon", propose_layout, changes="text"
    ),
)
