"""Steps that change in what order things stand that do not depend on one another: imports and definitions."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from assay.instruments.repeatability.programs.normalisation import ByStatement, Parsed, read

from .edits import Key, Sheet, Words, docstring_of, proposes, replaced, statement_keys
from .model import Step
from .moves import HARMLESS, propose_definitions

__all__ = ["HARMLESS", "ORDER", "propose_definitions", "propose_imports"]

# Through these a name can be used that is written nowhere.
_SEES_NAMES = Words.of(
    "eval exec compile globals locals vars dir __ importlib modules",
    r"\b(eval|exec|compile|globals|locals|vars|dir|__dict__|__import__|importlib|__all__|modules|__main__)\b",
)
# These look for names in annotations that are strings.
_READS_STRINGS = Words.of(
    "get_type_hints dataclass NamedTuple TypedDict pydantic attr",
    r"get_type_hints|\b(dataclass(es)?|NamedTuple|TypedDict|pydantic|attrs?)\b",
)

Import = ast.Import | ast.ImportFrom


class _Atom(NamedTuple):
    """One name that an import binds. ``module`` is None for ``import name``."""

    module: str | None
    name: str
    asname: str | None

    @property
    def binds(self) -> str:
        return self.asname or (self.name.split(".")[0] if self.module is None else self.name)

    @property
    def source(self) -> str:
        """The module that is imported."""
        return self.name if self.module is None else self.module

    @property
    def harmless(self) -> bool:
        """Whether it is sure to succeed and to do nothing else."""
        if self.source not in HARMLESS:
            return False
        return self.module is None or hasattr(importlib.import_module(self.module), self.name)

    @property
    def alias(self) -> str:
        return f"{self.name} as {self.asname}" if self.asname else self.name


def _atoms(statement: Import) -> list[_Atom]:
    if isinstance(statement, ast.Import):
        return [_Atom(None, alias.name, alias.asname) for alias in statement.names]
    module = "." * statement.level + (statement.module or "")
    return [_Atom(module, alias.name, alias.asname) for alias in statement.names]


def _import_line(atoms: Sequence[_Atom]) -> str:
    names = ", ".join(atom.alias for atom in atoms)
    return f"import {names}" if atoms[0].module is None else f"from {atoms[0].module} import {names}"


def _import_runs(where: Sheet) -> list[list[Import]]:
    """Neighbouring imports of the module, each with rows of its own."""
    runs: list[list[Import]] = []
    open_run = False
    for statement in where.tree.body:
        if isinstance(statement, Import) and where.owns_rows(statement):
            if not open_run:
                runs.append([])
            runs[-1].append(statement)
            open_run = True
        else:
            open_run = False
    return runs


def _names_in(statement: ast.stmt) -> tuple[frozenset[str], Counter[str]]:
    names: set[str] = set()
    bound: Counter[str] = Counter()
    for node in ast.walk(statement):
        if isinstance(node, Import):
            bound.update(atom.binds for atom in _atoms(node))
        elif isinstance(node, ast.Global | ast.Nonlocal):
            names.update(node.names)
        elif not isinstance(node, ast.alias):
            values = (getattr(node, field, None) for field in ("id", "arg", "name", "rest"))
            names.update(value for value in values if isinstance(value, str))
    return frozenset(names), bound


_NAMES = ByStatement(_names_in)


def _names(where: Sheet) -> tuple[frozenset[str], Counter[str]]:
    """Names that a program uses or binds other than by import; and how often imports bind each."""
    found = _NAMES.of(where.parsed)
    bound: Counter[str] = Counter()
    for _, one in found:
        bound.update(one)
    return frozenset().union(*(names for names, _ in found)), bound


def _arranged(
    first: list[tuple[str, list[_Atom]]], then: list[tuple[str, list[_Atom]]], wanted: list[_Atom]
) -> list[str]:
    """Lines that import exactly what is wanted: as one side writes and orders it, the rest as the other does."""
    left = list(wanted)
    lines: list[str] = []
    for side in (first, then):
        for written, atoms in side:
            present = [atom for atom in atoms if atom in left]
            if present:
                lines.append(written if present == atoms else _import_line(present))
                left = [atom for atom in left if atom not in present]
    return lines


class _Imports:
    """The imports of a program and of the canon, and what may be done with them."""

    def __init__(self, here: Sheet, there: Sheet) -> None:
        self.here, self.runs = here, _import_runs(here)
        self.theirs = [(there.written(one), _atoms(one)) for run in _import_runs(there) for one in run]
        self.all = [atom for run in self.runs for one in run for atom in _atoms(one)]
        self.canon_atoms = [atom for _, atoms in self.theirs for atom in atoms]
        self.sealed = here.mentions(_SEES_NAMES)

    @cached_property
    def names(self) -> tuple[frozenset[str], Counter[str]]:
        return _names(self.here)

    def _free(self, atom: _Atom, bound: int) -> bool:
        """Whether importing it or not makes no difference: nothing happens by it, and nobody knows its name."""
        name = atom.binds
        if self.sealed or name in self.here.keep:
            return False
        used, imported = self.names
        if name in used or imported[name] != bound:
            return False
        if self.here.mentions(_READS_STRINGS) and len(re.findall(rf"\b{name}\b", self.here.text)) > bound:
            return False
        return atom.harmless

    def unused(self, atom: _Atom) -> bool:
        return atom not in self.canon_atoms and self._free(atom, 1)

    def addable(self, atom: _Atom) -> bool:
        return self._free(atom, 0)

    def run_lines(self, run: list[Import], drop: list[_Atom], add: list[_Atom]) -> list[str] | None:
        """A run written anew; None where the order may matter. Of modules that may do something when they are
        imported only one may change its place: where there are more, the program's own order stays."""
        mine = [(self.here.written(one), _atoms(one)) for one in run]
        atoms = list(dict.fromkeys(atom for _, group in mine for atom in group))
        wanted = [atom for atom in atoms if atom not in drop] + add
        names = Counter(atom.binds for atom in wanted)
        twice = [a for a in wanted if names[a.binds] > 1 and (a.module is not None or a.asname)]
        if twice or any(atom.name == "*" for atom in wanted):
            return None
        unknown = {atom.source for atom in atoms if atom.source not in (*HARMLESS, "__future__")}
        sides = (self.theirs, mine) if len(unknown) <= 1 else (mine, self.theirs)
        lines = _arranged(*sides, wanted)
        return sorted(lines, key=lambda line: not line.startswith("from __future__"))

    def rewritten(self, drop: list[_Atom], add: list[_Atom]) -> str:
        here = self.here
        edits = []
        for number, run in enumerate(self.runs):
            lines = self.run_lines(run, drop, add if number == 0 else [])
            if lines is None:
                return here.text
            first, last = here.rows(run[0])[0], here.rows(run[-1])[1]
            old = [here.written(one) for one in run]
            if lines and lines != old:
                edits.append(here.row_edit(first, last, lines))
            elif not lines:
                while last < len(here.lines) and not here.lines[last].strip():
                    last += 1
                edits.append(here.row_removal(first, last))
        if add and not self.runs:
            body = here.tree.body
            at = 1 if docstring_of(here.tree) is not None else 0
            if len(body) <= at or not here.starts_clean(body[at]) or "__future__" in here.text:
                return here.text
            start = here.starts[here.above(here.rows(body[at])[0]) - 1]
            edits.append((start, start, "\n".join([*_arranged(self.theirs, [], add), "", ""])))
        return replaced(here.text, edits)


def _imports_apart(parsed: Parsed) -> tuple[Counter[_Atom], list[Key]]:
    """What the module imports, and the keys of everything else."""
    keys = statement_keys(parsed)
    imports = {at: one for at, one in enumerate(parsed.tree.body) if isinstance(one, Import)}
    rest = [whole for at, whole in enumerate(keys) if at not in imports]
    return Counter(dict.fromkeys((a for one in imports.values() for a in _atoms(one)), 1)), rest


@proposes
def propose_imports(here: Sheet, there: Sheet) -> Iterator[str]:
    """The module's imports in the canon's order and writing; unused ones dropped, missing ones added."""
    if "import" not in here.text and "import" not in there.text:
        return
    imports = _Imports(here, there)
    if [(here.written(one), _atoms(one)) for run in imports.runs for one in run] == imports.theirs:
        return
    drop = [atom for atom in imports.all if imports.unused(atom)]
    add = [atom for atom in dict.fromkeys(imports.canon_atoms) if imports.addable(atom)]
    before, rest = _imports_apart(here.parsed)
    for dropped, added in ((drop, add), ([], add), (drop, []), ([], [])):
        source = imports.rewritten(dropped, added)
        found = read(source)
        wanted = (before + Counter(dict.fromkeys(added, 1))) - Counter(dict.fromkeys(dropped, 1))
        if found is not None and _imports_apart(found) == (wanted, rest):
            yield source


ORDER = (
    Step("imports", "the module's imports as in the canon", propose_imports),
    Step("definitions", "independent definitions and methods in the canon's order", propose_definitions),
)
