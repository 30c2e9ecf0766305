"""The step ``imports``: the module's imports as in the canon.

Only imports of modules that do nothing but bind a name are dropped, added or moved. One is dropped if nothing
mentions the name, and added if nothing else has it. All others stay, in their own order.
"""

from __future__ import annotations

import ast
import importlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.instruments.repeatability.programs.parsing import Parsed, read

from .program import Edit, ProgramText, replaced
from .reflection import sees_names
from .trees import Key, docstring_of, tree_key

__all__ = ["HARMLESS", "propose_imports"]

HARMLESS = frozenset(
    ("abc", "bisect", "collections", "collections.abc", "copy", "dataclasses", "datetime", "decimal", "enum",
     "fractions", "functools", "heapq", "itertools", "json", "math", "operator", "os", "random", "re", "string",
     "sys", "time", "typing")
)  # fmt: skip

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
    def harmless(self) -> bool:
        """Whether it is sure to succeed and to do nothing else."""
        if (self.name if self.module is None else self.module) not in HARMLESS:
            return False
        return self.module is None or hasattr(importlib.import_module(self.module), self.name)


def _atoms(statement: ast.stmt) -> list[_Atom]:
    if isinstance(statement, ast.Import):
        return [_Atom(None, alias.name, alias.asname) for alias in statement.names]
    assert isinstance(statement, ast.ImportFrom)
    module = "." * statement.level + (statement.module or "")
    return [_Atom(module, alias.name, alias.asname) for alias in statement.names]


def _first_run(program: ProgramText) -> list[ast.stmt]:
    """The first imports of the module, as far as they stand together and each has rows of its own."""
    run: list[ast.stmt] = []
    for statement in program.tree.body:
        if isinstance(statement, Import) and program.owns_rows(statement):
            run.append(statement)
        elif run:
            break
    return run


def propose_imports(here: ProgramText, there: ProgramText) -> Iterator[str]:
    """Unused imports dropped and those of the canon added; then either; then only the canon's order."""
    if "import" not in here.text and "import" not in there.text:
        return
    run = [(here.written(one), _atoms(one)) for one in _first_run(here)]
    canon = [(there.written(one), _atoms(one)) for one in _first_run(there)]
    if run == canon or sees_names(here.parsed):
        return
    own = [atom for _, atoms in run for atom in atoms]
    theirs = [atom for _, atoms in canon for atom in atoms]
    mentions = Counter(
        {one.name: len(one.places) for one in here.names.bindings if one.name not in here.keep}
    )
    mentions.update(dict.fromkeys(here.keep, 2))
    drop = [atom for atom in own if atom not in theirs and mentions[atom.binds] == 1 and atom.harmless]
    add = [
        atom
        for atom in dict.fromkeys(theirs)
        if atom not in own and not mentions[atom.binds] and atom.harmless
    ]
    before, rest = _apart(here.parsed)
    for dropped, added in ((drop, add), (drop, []), ([], add), ([], [])):
        wanted = [atom for atom in own if atom not in dropped] + added
        if len({atom.binds for atom in wanted}) < len(wanted):
            continue
        source = _rewritten(here, _arranged(canon, run, wanted))
        found = read(source)
        if found is not None and _apart(found) == (before - Counter(dropped) + Counter(added), rest):
            yield source


def _arranged(
    canon: list[tuple[str, list[_Atom]]], run: list[tuple[str, list[_Atom]]], wanted: list[_Atom]
) -> list[str]:
    """Lines that import what is wanted: what is harmless as the canon writes and orders it, the rest as before."""
    left = list(wanted)
    lines: list[str] = []
    free = [(written, atoms) for written, atoms in canon if all(atom.harmless for atom in atoms)]
    for written, atoms in (*free, *run):
        present = [atom for atom in atoms if atom in left]
        if present:
            lines.append(written if present == atoms else _line(present))
            left = [atom for atom in left if atom not in present]
    return sorted(lines, key=lambda line: not line.startswith("from __future__"))


def _line(atoms: Sequence[_Atom]) -> str:
    names = ", ".join(f"{atom.name} as {atom.asname}" if atom.asname else atom.name for atom in atoms)
    return f"import {names}" if atoms[0].module is None else f"from {atoms[0].module} import {names}"


def _rewritten(here: ProgramText, lines: list[str]) -> str:
    run = _first_run(here)
    edit: Edit
    if run:
        first, last = here.rows(run[0])[0], here.rows(run[-1])[1]
        edit = here.row_edit(first, last, lines) if lines else here.row_removal(first, here.blank_below(last))
    else:
        body = here.tree.body
        at = 1 if docstring_of(here.tree) is not None else 0
        if not lines or len(body) <= at or not here.starts_clean(body[at]):
            return here.text
        start = here.starts[here.above(here.rows(body[at])[0]) - 1]
        edit = start, start, "\n".join([*lines, "", ""])
    return replaced(here.text, [edit])


def _apart(parsed: Parsed) -> tuple[Counter[_Atom], list[Key]]:
    """What the module imports, and the keys of everything else."""
    imports = [one for one in parsed.tree.body if isinstance(one, Import)]
    rest = [whole for whole in tree_key(parsed) if whole[0] not in (ast.Import, ast.ImportFrom)]
    return Counter(atom for one in imports for atom in _atoms(one)), rest
