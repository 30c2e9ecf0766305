"""Contracts of JSON and texts in files: what is wrong is said before anything is asked, with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.instruments.repeatability.programs.contracts import Contract, load_contracts

JSON: dict[str, Any] = {"kind": "json", "prompt": "p", "schema": {"type": "object"}}
TEXT: dict[str, Any] = {
    "kind": "text",
    "prompt": "p",
    "answer": {"kind": "choice", "options": ["a", "b"]},
    "expected": "a",
}
PROGRAM: dict[str, Any] = {
    "kind": "function",
    "prompt": "p",
    "entry_point": "f",
    "test_cases": [{"args": [1], "expected": 1}],
}


def load(folder: Path, contract: dict[str, Any]) -> Contract:
    path = folder / "contracts.json"
    path.write_text(json.dumps({"c": contract}))
    return load_contracts(path)["c"]


def changed(base: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {name: value for name, value in {**base, **more}.items() if value is not ...}


REFUSED: list[tuple[dict[str, Any], str]] = [
    (changed(JSON, schema=...), "c.schema: a contract of kind json has a JSON Schema"),
    (changed(JSON, schema={"type": "objct"}), 'c.schema: "objct" is not valid'),
    (changed(JSON, schema={"$ref": "http://example.org/x"}), "nothing is fetched"),
    (changed(JSON, schema={"pattern": "(?=a)"}), 'is not a "regex"'),
    (changed(JSON, entry_point="f"), "c.entry_point: a contract of kind json has none"),
    (changed(JSON, answer={"kind": "yes_no"}), "c.answer: a contract of kind json has none"),
    (changed(JSON, fields=[{"pointer": "a"}]), "c.fields[0].pointer: 'a' is not a JSON Pointer"),
    (changed(JSON, fields=[{"pointer": "/~2"}]), "is not a JSON Pointer"),
    (changed(JSON, fields=[{"pointer": "/a", "expected": "x", "tolerance": 1}]), "a tolerance goes with"),
    (changed(JSON, fields=[{"pointer": "/a", "expected": 1, "any_of": [1]}]), "either expected or any_of"),
    (changed(JSON, fields=[{"pointer": "/a"}, {"pointer": "/a"}]), "a field is given twice"),
    (changed(JSON, expected={}, fields=[{"pointer": "/a", "expected": 1}]), "as a whole, or by fields"),
    (changed(TEXT, schema={}), "c.schema: a contract of kind text has none"),
    (changed(TEXT, expected="c"), "c.expected: has to be one of the options"),
    (changed(TEXT, expected=...), "c.answer: say by expected what the right answer is"),
    (changed(TEXT, answer=...), "c.expected: say by answer how it is read"),
    (changed(TEXT, answer=..., expected=...), "has no oracle"),
    (changed(TEXT, answer={"kind": "choice"}), "c.answer.options: a choice, and nothing else, has two"),
    (changed(TEXT, answer={"kind": "choice", "options": ["a", "A"]}), "are not told apart"),
    (changed(TEXT, answer={"kind": "yes_no"}, expected=True), "has to be the text 'yes' or 'no'"),
    (changed(TEXT, answer={"kind": "share"}, expected=2), "has to be a number between 0 and 1"),
    (changed(TEXT, answer={"kind": "number", "pattern": "x"}, expected=2), "kind regex, and no other"),
    (
        changed(TEXT, answer={"kind": "regex", "pattern": "("}),
        "c.answer.pattern: not an expression of linear",
    ),
    (
        changed(TEXT, answer={"kind": "regex", "pattern": "a", "tolerance": 1}),
        "a tolerance goes with a number",
    ),
    (
        changed(TEXT, must_match=["ok", r"(a)\1"]),
        "c.must_match[1]: not an expression of linear time: backref",
    ),
    (changed(TEXT, length={"words": 0}), "c.length.words"),
    (changed(TEXT, must_contian=["x"]), "did you mean 'must_contain'"),
    (changed(TEXT, kind="texts"), "c.kind"),
]


@pytest.mark.parametrize(("contract", "said"), REFUSED, ids=lambda one: one if isinstance(one, str) else "")
def test_what_is_wrong_with_a_contract_is_said(contract: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, contract)
    assert said in str(caught.value)
    assert "contracts.json:" in str(caught.value)


def test_contracts_that_can_be_met_are_taken(tmp_path: Path) -> None:
    assert load(tmp_path, JSON).tests == 1
    assert (
        load(tmp_path, changed(JSON, fields=[{"pointer": ""}, {"pointer": "/a", "any_of": [1]}])).tests == 2
    )
    assert load(tmp_path, changed(TEXT, must_contain=["x", ["y", "z"]], length={"lines": 1})).tests == 4


def test_contracts_of_programs_may_have_such_fields_of_their_own(tmp_path: Path) -> None:
    foreign = {"schema": "v1", "answer": 42, "length": "short", "fields": None, "expected": "yes"}
    assert load(tmp_path, {**PROGRAM, **foreign}).snapshot == load(tmp_path, PROGRAM).snapshot


MISPLACED = [
    (TEXT, "tolerance", 0.5, "answer"),
    (TEXT, "options", ["a", "b"], "answer"),
    (TEXT, "pattern", "a", "answer"),
    (TEXT, "words", 1, "length"),
    (JSON, "tolerance", 0.5, "a field of fields"),
    (JSON, "any_of", [1], "a field of fields"),
    (PROGRAM, "tolerance", 0.5, "a case of test_cases"),
    (PROGRAM, "raises", "ValueError", "a case of test_cases"),
    (PROGRAM, "seconds", 1, "limits"),
]


@pytest.mark.parametrize(("contract", "name", "value", "place"), MISPLACED)
def test_a_field_beside_its_place_is_refused_with_the_place(
    contract: dict[str, Any], name: str, value: Any, place: str, tmp_path: Path
) -> None:
    with pytest.raises(
        InputError, match=rf"c\.{name}: '{name}' belongs inside {place}, and does nothing here"
    ):
        load(tmp_path, {**contract, name: value})
