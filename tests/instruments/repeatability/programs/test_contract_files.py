"""Contracts from files: what is read, what is refused, and in which words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.errors import InputError, UnknownName
from assay.instruments.repeatability.programs.contracts import (
    Contract,
    choose,
    load_contracts,
    shipped_contracts,
)

CASE: dict[str, Any] = {"args": [1], "expected": 2}
STEP: dict[str, Any] = {"method": "push", "args": [1], "expected": 1}
FUNCTION: dict[str, Any] = {
    "prompt": "Write f.",
    "entry_point": "f",
    "kind": "function",
    "test_cases": [CASE],
}
CLASS: dict[str, Any] = {**FUNCTION, "kind": "class", "test_cases": [{"init": [2], "calls": [STEP]}]}


def function(**more: Any) -> dict[str, Any]:
    return {**FUNCTION, **more}


def with_tests(*cases: dict[str, Any]) -> dict[str, Any]:
    return {**FUNCTION, "test_cases": list(cases)}


def scripts(*cases: dict[str, Any]) -> dict[str, Any]:
    return {**CLASS, "test_cases": list(cases)}


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in FUNCTION.items() if name not in names}


def write(folder: Path, value: Any, suffix: str) -> Path:
    path = folder / f"contracts.{suffix}"
    if suffix == "json":
        path.write_text(json.dumps(value, indent=1), "utf-8")
    else:
        path.write_text(yaml.safe_dump(value, sort_keys=False, allow_unicode=True), "utf-8")
    return path


def load(folder: Path, value: Any, suffix: str = "yaml") -> dict[str, Contract]:
    return load_contracts(write(folder, value, suffix))


# Written as YAML, one field a line: the line of the complaint can be counted.
REFUSED: dict[str, tuple[Any, int, str]] = {
    "a list": ([FUNCTION], 1, "contracts are a mapping of ids to contracts"),
    "text": ("hello", 1, "contracts are a mapping of ids to contracts"),
    "nothing in it": ({}, 1, "contracts are a mapping of ids to contracts"),
    "a contract that is text": (
        {"c": "Write f."},
        1,
        "c: a contract is a mapping with prompt, entry_point, kind and test_cases",
    ),
    "no prompt": ({"c": without("prompt")}, 1, "c: 'prompt' is missing"),
    "no entry point": ({"c": without("entry_point")}, 1, "c: 'entry_point' is missing"),
    "no kind": ({"c": without("kind")}, 1, "c: 'kind' is missing"),
    "no test_cases": ({"c": without("test_cases")}, 1, "c: 'test_cases' is missing"),
    "a single contract without an id": (FUNCTION, 1, "'id' is missing"),
    "an empty prompt": ({"c": function(prompt="")}, 2, "c.prompt: must have at least 1 characters"),
    "a prompt that is a number": ({"c": function(prompt=3)}, 2, "c.prompt: must be text, not a whole number"),
    "another kind": (
        {"c": function(kind="functoin")},
        4,
        "c.kind: 'functoin' is not a choice; did you mean 'function'?",
    ),
    "no tests": ({"c": with_tests()}, 5, "c.test_cases: a contract without tests has no oracle"),
    "not a name": ({"c": function(entry_point="f()")}, 3, "c.entry_point: 'f()' is not a Python name"),
    "a keyword": ({"c": function(entry_point="class")}, 3, "c.entry_point: 'class' is not a Python name"),
    "another id than its key": ({"c": function(id="d")}, 9, "c.id: the contract 'c' calls itself 'd'"),
    "entrypoint": (
        {"c": {"entrypoint": "f", **without("entry_point")}},
        2,
        "c.entrypoint: unknown field; did you mean 'entry_point'?",
    ),
    "test_case": (
        {"c": function(test_case=[CASE])},
        9,
        "c.test_case: unknown field; did you mean 'test_cases'?",
    ),
    "verison": ({"c": function(verison=2)}, 9, "c.verison: unknown field; did you mean 'version'?"),
    "a typo in the limits": (
        {"c": function(limits={"second": 1})},
        10,
        "c.limits.second: unknown field; did you mean 'seconds'?",
    ),
    "limits of nothing": (
        {"c": function(limits={"seconds": 0})},
        10,
        "c.limits.seconds: must be a number, more than 0",
    ),
    "a typo in a case": (
        {"c": with_tests({"args": [1.0], "expected": 2.0, "tolerence": 0.1})},
        9,
        "c.test_cases[0].tolerence: unknown field; did you mean 'tolerance'?",
    ),
    "a typo in a call": (
        {"c": scripts({"init": [], "calls": [STEP, {"method": "pop", "expcted": 1}]})},
        13,
        "c.test_cases[0].calls[1].expcted: unknown field; did you mean 'expected'?",
    ),
    "expected and raises": (
        {"c": with_tests({**CASE, "raises": "ValueError"})},
        6,
        "c.test_cases[0]: give either expected or raises",
    ),
    "neither expected nor raises": (
        {"c": with_tests(CASE, {"args": [1]})},
        9,
        "c.test_cases[1]: give either expected or raises",
    ),
    "a class case in a function": (
        {"c": with_tests({"init": [], "calls": [STEP]})},
        6,
        "c.test_cases[0]: a function's test case has args and expected",
    ),
    "no args": (
        {"c": with_tests({"expected": 1})},
        6,
        "c.test_cases[0]: a function's test case has args and expected",
    ),
    "a function case in a class": (
        {"c": scripts(CASE)},
        6,
        "c.test_cases[0]: a class's test case has init and a script of calls",
    ),
    "a class case without calls": (
        {"c": scripts({"init": [1], "calls": []})},
        6,
        "c.test_cases[0]: a class's test case has init and a script of calls",
    ),
    "a class case that raises by itself": (
        {"c": scripts({"init": [1], "calls": [STEP], "raises": "ValueError"})},
        6,
        "c.test_cases[0]: in a class's test case kwargs, raises and tolerance belong to its calls",
    ),
    "keywords for the making of an object": (
        {"c": scripts({"kwargs": {"size": 1}, "calls": [STEP]})},
        6,
        "c.test_cases[0]: in a class's test case kwargs, raises and tolerance belong to its calls",
    ),
    "a script that expects nothing": (
        {"c": scripts({"init": [], "calls": [{"method": "push", "args": [1]}]})},
        6,
        "c.test_cases[0]: none of the calls expects anything",
    ),
    "a tolerance on text": (
        {"c": with_tests({"args": [1], "expected": "2", "tolerance": 0.1})},
        6,
        "c.test_cases[0]: a tolerance goes with an expected number",
    ),
    "a tolerance on a truth value": (
        {"c": with_tests({"args": [1], "expected": True, "tolerance": 0.1})},
        6,
        "c.test_cases[0]: a tolerance goes with an expected number",
    ),
    "a tolerance on an exception": (
        {"c": with_tests({"args": [1], "raises": "ValueError", "tolerance": 0.1})},
        6,
        "c.test_cases[0]: a tolerance goes with an expected number",
    ),
    "a tolerance below zero": (
        {"c": with_tests({"args": [1], "expected": 2, "tolerance": -0.1})},
        9,
        "c.test_cases[0].tolerance: must be a number, at least 0",
    ),
    "tests that contradict each other": (
        {"c": with_tests(CASE, {"args": [2], "expected": 3}, {**CASE, "expected": 3})},
        12,
        "c.test_cases[2]: contradicts test case 0: same call, another expectation",
    ),
    "scripts that contradict each other": (
        {"c": scripts({"init": [], "calls": [STEP]}, {"init": [], "calls": [{**STEP, "expected": 2}]})},
        12,
        "c.test_cases[1]: contradicts test case 0: same call, another expectation",
    ),
    "a script that contradicts the beginning of another": (
        {
            "c": scripts(
                {"init": [], "calls": [STEP]},
                {"init": [], "calls": [{**STEP, "expected": 2}, {**STEP, "expected": 3}]},
            )
        },
        12,
        "c.test_cases[1]: contradicts test case 0: same call, another expectation",
    ),
    "an entry point that Python reads as another name": (
        {"c": function(entry_point="\u00b5_of")},
        1,
        "c: Python reads the name '\u00b5_of' as '\u03bc_of'; write it so",
    ),
    "a keyword that Python reads as another name": (
        {"c": with_tests({"args": [], "kwargs": {"\u00b5": 1}, "expected": 1})},
        1,
        "c: Python reads the name '\u00b5' as '\u03bc'; write it so",
    ),
    "a method that Python reads as another name": (
        {"c": scripts({"calls": [{**STEP, "method": "\ufb01nd"}]})},
        1,
        "c: Python reads the name '\ufb01nd' as 'find'; write it so",
    ),
    "args that are no list": (
        {"c": with_tests({"args": 1, "expected": 2})},
        6,
        "c.test_cases[0].args: must be a list, not a whole number",
    ),
}


class Plain(yaml.SafeDumper):
    """Writes every list and mapping over several lines and shares nothing."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_contract_is_refused_with_its_place(tmp_path: Path, name: str) -> None:
    value, line, message = REFUSED[name]
    path = tmp_path / "contracts.yaml"
    path.write_text(yaml.dump(value, Dumper=Plain, sort_keys=False))
    with pytest.raises(InputError) as caught:
        load_contracts(path)
    assert str(caught.value) == f"{path}:{line}: {message}"


@pytest.mark.parametrize("name", REFUSED)
def test_json_is_refused_in_the_same_words(tmp_path: Path, name: str) -> None:
    value, _, message = REFUSED[name]
    with pytest.raises(InputError) as caught:
        load(tmp_path, value, "json")
    assert str(caught.value).startswith(f"{tmp_path}/contracts.json:")
    assert str(caught.value).endswith(f": {message}")


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_file_holds_many_contracts_by_id_or_one_with_an_id(tmp_path: Path, suffix: str) -> None:
    many = load(tmp_path, {"c": FUNCTION, "d": CLASS}, suffix)
    assert [(key, found.id, found.kind) for key, found in many.items()] == [
        ("c", "c", "function"),
        ("d", "d", "class"),
    ]
    assert load(tmp_path, function(id="c"), suffix) == {"c": many["c"]}


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_fields_of_somebody_elses_tool_are_passed_over(tmp_path: Path, suffix: str) -> None:
    foreign = {
        "algorithm_family": "x",
        "base_prompt": "y",
        "test_cases_alt": None,
        "test_source": "own",
        "skyt_required_pass_rate": 0.8,
    }
    case = {**CASE, "name": "one", "description": "adds", "comment": "", "weight": 3}
    found = load(tmp_path, {"c": {**with_tests(case), **foreign}}, suffix)
    assert found == load(tmp_path, {"c": FUNCTION}, suffix)


def test_the_same_test_twice_is_no_contradiction(tmp_path: Path) -> None:
    assert len(load(tmp_path, {"c": with_tests(CASE, CASE)})["c"].test_cases) == 2


def test_scripts_that_expect_something_of_different_calls_do_not_contradict(tmp_path: Path) -> None:
    silent = {"method": "push", "args": [1]}
    cases = [{"init": [], "calls": [silent, STEP]}, {"init": [], "calls": [STEP, STEP]}]
    other = {"init": [1], "calls": [{**STEP, "expected": 5}]}
    assert len(load(tmp_path, {"c": scripts(*cases, other)})["c"].test_cases) == 3


def test_calls_that_python_tells_apart_are_not_the_same_call(tmp_path: Path) -> None:
    cases = [{"args": [x], "expected": str(x)} for x in (1, 1.0, True, "1", [1], None)]
    keywords = {"args": [1], "kwargs": {"y": 1}, "expected": 0}
    assert len(load(tmp_path, {"c": with_tests(*cases, keywords)})["c"].test_cases) == 7


@pytest.mark.parametrize(
    "value",
    [
        1e-07,
        1e16,
        -0.0,
        2**70,
        "\U0001f600",
        "é",
        "a\u2028b\u0085c",
        "\x7f\x9b",
        "on",
        "1e-07",
        "2001-01-01",
        None,
    ],
    ids=repr,
)
@pytest.mark.parametrize("escaped", [True, False])
def test_json_means_what_json_says(tmp_path: Path, value: Any, escaped: bool) -> None:
    """Read as YAML, 1e-07 would be text, and an escaped emoji or a control character an error."""
    path = tmp_path / "contracts.json"
    contract = {"c": with_tests({"args": [value], "expected": [value, {"k": value}]})}
    path.write_text(json.dumps(contract, ensure_ascii=escaped), "utf-8")
    (case,) = load_contracts(path)["c"].test_cases
    assert repr(case.args) == repr((value,))
    assert repr(case.expected) == repr([value, {"k": value}])


def test_json_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "contracts.json"
    path.write_text(json.dumps({"c": FUNCTION}), "utf-8-sig")
    assert list(load_contracts(path)) == ["c"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"c":\n  {"prompt": nope}}', "2: not valid JSON: invalid character"),
        ('{"c": NaN}', "1: not valid JSON: invalid character"),
        ('{"c": {}', " not valid JSON: Input data was truncated"),
        ('{"c": 1,\n "c": 2}', "2: 'c' is given twice"),
        ("prompt: yaml in disguise", "1: not valid JSON: invalid character"),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "contracts.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_contracts(path)
    assert str(caught.value) == f"{path}:{message}"


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"none.{suffix}"
    with pytest.raises(InputError) as caught:
        load_contracts(path)
    assert str(caught.value) == f"there is no file {path}"


def test_shipped_contracts_are_found_by_their_ids() -> None:
    shipped = shipped_contracts()
    assert {"add", "is_even", "square", "bank_account"} <= set(shipped)
    assert all(key == contract.id for key, contract in shipped.items())
    groups = ["programs", "json", "text"]
    assert list(shipped) == sorted(shipped, key=lambda key: (groups.index(shipped[key].group), key))


def test_an_unknown_contract_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        choose(shipped_contracts(), ["add", "squar"])
    assert str(caught.value) == "unknown contract 'squar'; did you mean 'square'?"


def test_choosing_keeps_the_order_and_choosing_nothing_is_refused() -> None:
    assert list(choose(shipped_contracts(), ["square", "add"])) == ["square", "add"]
    with pytest.raises(InputError, match="no contract was chosen"):
        choose(shipped_contracts(), [])
