"""Subjects of known truth for repeatability: they answer with outputs whose make is known.

Each draws, for every request, one variant of a shipped solution with declared probabilities, so that the true
repeatability, pass rate and distances can be worked out beforehand.

=================  =========================================================================================
variant            what it is
=================  =========================================================================================
``plain``          the contract's first solution
``formatted``      plain with comments and blank lines: another text, the same tokens
``documented``     plain with a docstring: other tokens, the same syntax tree but for docstrings
``restyled``        plain laid out, commented and documented by hand
``renamed``        plain with its variables renamed as ``data/variants/renamed.yaml`` declares
``modular``        the first correct solution with helpers beside the entry point
``reordered``      modular with its definitions in the opposite order
``other``          another correct program, any of them
``wrong``          parses and fails a test, any of them
``unparseable``    is not Python
``marked``         plain with a comment that never repeats
``prose``          no program at all
=================  =========================================================================================

Of contracts that ask for JSON or a text there are the same, made by ``kinds.variants``.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from assay.instruments.repeatability.kinds.variants import derived_output, marked
from assay.instruments.repeatability.programs.contracts import Contract, shipped_contracts
from assay.streams import Stream
from assay.study.source import parse_source

__all__ = ["PROSE", "REFERENCES", "TALK", "VariantSubject", "derived", "renaming"]

PROSE = "I would rather talk about the weather than write this program."
TALK = "I would rather talk about the weather."
DERIVED = ("formatted", "documented", "renamed", "modular", "reordered")


def derived(contract: Contract, variant: str) -> str:
    """A variant that is made from a shipped solution by rule."""
    if not contract.is_program:
        return derived_output(contract, variant)
    plain = next(solution.code for solution in contract.solutions if solution.name == "plain")
    if variant == "formatted":
        return f"# The program that was asked for.\n\n{plain.rstrip()}  # and no more\n\n"
    if variant == "documented":
        return _documented(plain, contract.entry_point)
    if variant == "renamed":
        return _with_names(plain, renaming()[contract.id])
    modular = _modular(contract)
    return modular if variant == "modular" else _reordered(modular)


@cache
def renaming() -> dict[str, dict[str, str]]:
    """For each contract the declared names of its renamed variant."""
    place = files("assay.instruments.repeatability") / "data" / "variants" / "renamed.yaml"
    source = parse_source(place.read_text("utf-8"), place.name)
    return msgspec.convert(source.value, dict[str, dict[str, str]])


def _with_names(source: str, names: Mapping[str, str]) -> str:
    """Every name that is no attribute, put in the place of the one it stands for."""
    lines = source.splitlines(keepends=True)
    found = []
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME and before != "." and token.string in names:
            found.append(token)
        before = token.string
    for token in reversed(found):
        row, start = token.start
        line = lines[row - 1]
        lines[row - 1] = line[:start] + names[token.string] + line[start + len(token.string) :]
    return "".join(lines)


def _documented(source: str, entry_point: str) -> str:
    tree = ast.parse(source)
    entry = next(node for node in tree.body if getattr(node, "name", None) == entry_point)
    assert isinstance(entry, ast.FunctionDef | ast.ClassDef)
    first = entry.body[0]
    lines = source.splitlines(keepends=True)
    lines.insert(first.lineno - 1, f'{" " * first.col_offset}"""Do what the request asks for."""\n')
    return "".join(lines)


def _definitions(tree: ast.Module) -> list[ast.FunctionDef | ast.ClassDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]


def _modular(contract: Contract) -> str:
    return next(
        solution.code
        for solution in contract.solutions
        if solution.kind == "correct"
        and solution.name not in ("plain", "restyled")
        and len(_definitions(ast.parse(solution.code))) > 1
    )


def _reordered(source: str) -> str:
    """What comes before the first definition stays; the definitions follow, the last one first."""
    lines = source.splitlines(keepends=True)
    nodes = _definitions(ast.parse(source))
    starts = [min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1 for node in nodes]
    head = "".join(lines[: starts[0]])
    ends = [*starts[1:], len(lines)]
    bodies = ["".join(lines[a:b]).rstrip() for a, b in zip(starts, ends, strict=True)]
    return head + "\n\n\n".join(reversed(bodies)) + "\n"


@cache
def _by_prompt() -> dict[str, Contract]:
    """Contracts by every wording of their request."""
    return {prompt: contract for contract in shipped_contracts().values() for prompt in contract.prompts}


class VariantSubject:
    """Draws a variant by its declared weight."""

    def __init__(self, about: str, **weights: float) -> None:
        self.about, self.weights = about, weights

    def answer(self, messages: list[dict[str, Any]], stream: Stream) -> str:
        contract = _by_prompt().get(messages[-1]["content"])
        variant = stream.weighted(list(self.weights), list(self.weights.values()))
        if contract is None or variant == "prose":
            return PROSE if contract is None or contract.is_program else TALK
        output = _output(contract, variant, stream)
        return f"```python\n{output}```\n" if contract.is_program else output


def _output(contract: Contract, variant: str, stream: Stream) -> str:
    if variant in DERIVED:
        return derived(contract, variant)
    named = {solution.name: solution.code for solution in contract.solutions}
    if variant in ("plain", "restyled"):
        return named[variant]
    if variant == "marked":
        mark = f"{stream.bits64():016x}"
        return f"{named['plain']}# {mark}\n" if contract.is_program else marked(contract, mark)
    kind = "correct" if variant == "other" else variant
    rest = [s.code for s in contract.solutions if s.kind == kind and s.name not in ("plain", "restyled")]
    return stream.choice(rest) if rest else TALK  # a text that is read in no way is never unreadable


REFERENCES = {
    "steady": VariantSubject(
        "always the same correct program: every measure reads 1, every distance 0", plain=1
    ),
    "restyled": VariantSubject(
        "one correct program in two formattings: R_raw near .5, R_ast 1 but for docstrings",
        plain=1,
        restyled=1,
    ),
    "formatting": VariantSubject(
        "one program in two layouts: R .5 at bytes and text, 1 from layout on", plain=1, formatted=1
    ),
    "documented": VariantSubject(
        "one program, half the time with a docstring: R_ast .5, R 1 from ast on", plain=1, documented=1
    ),
    "renamed": VariantSubject(
        "one program with two sets of names: R .5 up to ast, 1 from names on", plain=1, renamed=1
    ),
    "reordered": VariantSubject(
        "one program, its definitions in two orders: R .5 up to names, 1 at behaviour", modular=1, reordered=1
    ),
    "rewritten": VariantSubject(
        "half plain, half any other correct program: R_raw .5, pass rate 1", plain=1, other=1
    ),
    "scattered": VariantSubject("a correct program that never repeats byte for byte: R_raw is 1/n", marked=1),
    "dominant": VariantSubject(
        "nine in ten plain, the rest any other make: R_raw .9",
        plain=0.9,
        restyled=0.02,
        formatted=0.01,
        documented=0.01,
        renamed=0.01,
        reordered=0.01,
        other=0.01,
        wrong=0.01,
        unparseable=0.01,
        marked=0.01,
    ),
    "mixed": VariantSubject(
        "half plain, the rest restyled, other, wrong or not parseable",
        plain=0.5,
        restyled=0.2,
        other=0.15,
        wrong=0.1,
        unparseable=0.05,
    ),
    "wrong": VariantSubject("never passes: there is no canon", wrong=0.8, unparseable=0.2),
    "talker": VariantSubject("never writes a program", prose=1),
}
