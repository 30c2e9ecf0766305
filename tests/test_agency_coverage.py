"""The page that maps the agency specification to code and tests: what it names exists, and no section is missing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
import yaml

from tests.pages import ROOT, text_of

# Sections 1 to 15 and B.2 to B.8 of the specification, with their sub-sections: number → how many it has.
CHAPTERS = {
    "1": 5, "2": 6, "3": 0, "4": 6, "5": 2, "6": 3, "7": 1, "8": 3, "9": 2, "10": 11, "11": 10, "12": 9, "13": 5,
    "14": 5, "15": 5, "B.2": 5, "B.3": 5, "B.4": 5, "B.5": 5, "B.6": 5, "B.7": 4, "B.8": 4,
}  # fmt: skip
SECTIONS = {
    "10.2": 4, "10.3": 5, "10.4": 3, "10.5": 3, "10.6": 3, "10.7": 3, "10.8": 3, "10.9": 3, "10.10": 4,
    "11.3": 2, "11.4": 2, "11.5": 3, "11.6": 2, "11.7": 3, "11.8": 1, "11.9": 3, "11.10": 2,
    "12.3": 5, "12.4": 4, "12.5": 4, "12.6": 4, "12.7": 4, "12.8": 4, "12.9": 5,
    "13.2": 2, "13.4": 2, "14.2": 6, "15.2": 2, "15.4": 3,
}  # fmt: skip
LATER = "## Tier 5, Tier 6 and governance"
CODE = re.compile(r"`([^`]+)`")


class Line(NamedTuple):
    section: str
    where: str
    shown: str
    remark: str

    @property
    def places(self) -> list[tuple[str, list[str]]]:
        """Each file that is named, with the names beside it."""
        found: list[tuple[str, list[str]]] = []
        for code in CODE.findall(self.where):
            if "/" in code:
                found.append((code, []))
            else:
                found[-1][1].append(code)
        return found

    @property
    def tests(self) -> list[str]:
        return CODE.findall(self.shown)


def lines_of(text: str) -> list[Line]:
    rows = [line.strip("|").split("|") for line in text.splitlines() if re.match(r"\| (\d|B\.)", line)]
    assert all(len(cells) == 5 for cells in rows), [cells for cells in rows if len(cells) != 5]
    return [Line(*(cells[at].strip() for at in (0, 2, 3, 4))) for cells in rows]


PAGE = text_of("agency-coverage")
MAIN, LAST = (lines_of(part) for part in PAGE.split(LATER))


def numbers() -> Iterator[str]:
    for parts in (CHAPTERS, SECTIONS):
        for number, count in parts.items():
            yield from ([number] if number in CHAPTERS else [])
            yield from (f"{number}.{place}" for place in range(1, count + 1))


def test_every_section_has_one_line_and_no_line_is_of_another() -> None:
    listed = [line.section for line in MAIN]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == set(numbers())


def test_what_is_said_to_stand_below_does() -> None:
    below = {line.section for line in MAIN if "see below" in line.remark}
    assert below == {line.section for line in LAST}


@cache
def names_in(path: str) -> frozenset[str]:
    file = ROOT / "src" / "assay" / path
    assert file.is_file(), f"there is no {path}"
    text = file.read_text("utf-8")
    return frozenset(_keys(yaml.safe_load(text)) if file.suffix == ".yaml" else _defined(ast.parse(text)))


def _keys(value: Any) -> Iterator[str]:
    """Keys of mappings, and the texts that are names: of gates and of dimensions."""
    if isinstance(value, dict):
        yield from map(str, value)
        yield from (str(value[key]) for key in ("name", "dimension") if key in value)
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys(one)


def _defined(tree: ast.AST) -> Iterator[str]:
    """Functions, classes, what is assigned to, fields, attributes that are set, and keys of mappings."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.Dict(keys=keys):
                yield from (
                    key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
                )


def missing_names(line: Line) -> Iterator[str]:
    for path, names in line.places:
        yield from (f"{line.section}: {path} has no {name}" for name in names if name not in names_in(path))


def test_files_and_names_in_them_exist() -> None:
    assert [told for line in (*MAIN, *LAST) for told in missing_names(line)] == []


@cache
def functions_in(path: str) -> frozenset[str]:
    file = ROOT / path
    assert file.is_file(), f"there is no {path}"
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    body = ast.parse(file.read_text("utf-8")).body
    return frozenset(node.name for node in body if isinstance(node, functions))


def missing_tests(line: Line) -> Iterator[str]:
    for test in line.tests:
        path, _, name = test.partition("::")
        if not name.startswith("test_") or name not in functions_in(path):
            yield f"{line.section}: there is no {test}"


def test_tests_exist() -> None:
    assert [told for line in (*MAIN, *LAST) for told in missing_tests(line)] == []


def is_answered(line: Line) -> bool:
    """Code and a test, or a reason why not."""
    return bool(line.places and line.tests) or bool(re.match("not software|open|see below", line.remark))


def test_a_line_names_code_and_test_or_says_why_not() -> None:
    assert [line.section for line in (*MAIN, *LAST) if not is_answered(line)] == []


def test_a_wrong_line_is_noticed() -> None:
    rubric = "instruments/agency/data/rubric.yaml"
    (wrong,) = lines_of(
        f"| 2.4 | asks | `{rubric}` `levels` `no such key` | `tests/pages.py::test_it` | half |"
    )
    assert list(missing_names(wrong)) == [f"2.4: {rubric} has no no such key"]
    assert list(missing_tests(wrong)) == ["2.4: there is no tests/pages.py::test_it"]
    assert is_answered(wrong)
    assert not is_answered(wrong._replace(shown=""))
    with pytest.raises(AssertionError, match="there is no nowhere"):
        list(missing_names(wrong._replace(where="`nowhere/x.py` `y`")))
