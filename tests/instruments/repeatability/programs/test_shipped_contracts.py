"""Conformance sweep over every shipped repeatability contract, on the raw YAML.

Written apart from the loader on purpose: a shared misreading of the format would pass a test
that used the loader. The reference solutions are ours and trusted, so they run here with a plain
`exec` in a fresh namespace; a subject's code never runs this way, it goes to the sandbox.
"""

from __future__ import annotations

import ast
import builtins
import copy
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import assay

__all__: list[str] = []

CONTRACTS = Path(assay.__file__).parent / "instruments" / "repeatability" / "data" / "contracts"
FILES = sorted(CONTRACTS.glob("*.yaml"))

REQUIRED = {
    "id",
    "version",
    "title",
    "kind",
    "entry_point",
    "difficulty",
    "prompt",
    "test_cases",
    "solutions",
}
ALLOWED = REQUIRED | {"limits", "paraphrases"}
LEAST_CONTRACTS = 18


class UniqueKeyLoader(yaml.SafeLoader):
    """A safe loader that refuses a repeated key, which PyYAML lets win silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        assert len(keys) == len(set(keys)), f"repeated key in {keys} {node.start_mark}"
        return super().construct_mapping(node, deep=deep)


def read(path: Path) -> dict[str, Any]:
    # S506: UniqueKeyLoader is a SafeLoader.
    loaded = yaml.load(path.read_text(encoding="utf-8"), Loader=UniqueKeyLoader)
    assert isinstance(loaded, dict)
    return loaded


def solutions(contract: dict[str, Any], kind: str) -> list[tuple[str, str]]:
    return [(s["name"], s["code"]) for s in contract["solutions"] if s["kind"] == kind]


def bare_tree(code: str) -> str:
    """The syntax tree without docstrings, as text; compared within one process only."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:]
    return ast.dump(tree)


def same(got: object, want: object, tolerance: float | None) -> bool:
    """The contract's rule: `==` on plain values, or two numbers within `tolerance`."""
    if tolerance is None:
        return got == want
    assert isinstance(want, int | float)
    return isinstance(got, int | float) and abs(got - want) <= tolerance


def same_types(got: object, want: object) -> bool:
    """A stricter rule for our own programs, so that a mistyped expectation ("no", 1e3, 1 for 1.0) shows."""
    if isinstance(got, list) and isinstance(want, list):
        return all(same_types(g, w) for g, w in zip(got, want, strict=True))
    return type(got) is type(want)


def check(function: Any, step: dict[str, Any], *, strict: bool) -> str | None:
    """What went wrong in one call, or None; a step that declares no outcome must only not raise."""
    args, kwargs = copy.deepcopy(step.get("args", [])), copy.deepcopy(step.get("kwargs", {}))
    try:
        got = function(*args, **kwargs)
    except Exception as error:
        wanted = getattr(builtins, step["raises"]) if "raises" in step else ()
        return None if isinstance(error, wanted) else f"{step} raised {error!r}"
    if "raises" in step:
        return f"{step} returned {got!r}"
    if "expected" not in step:
        return None
    passed = same(got, step["expected"], step.get("tolerance"))
    if passed and strict:
        passed = same_types(got, step["expected"])
    return None if passed else f"{step} returned {got!r}"


def failures(contract: dict[str, Any], code: str, *, strict: bool) -> list[str]:
    """One line for every test case that `code` does not pass."""
    namespace: dict[str, Any] = {"__name__": "candidate"}
    exec(compile(code, contract["id"], "exec"), namespace)  # trusted: shipped by us
    entry = namespace.get(contract["entry_point"])
    if entry is None:
        return ["the entry point is missing"]
    found = []
    for case in contract["test_cases"]:
        if contract["kind"] == "function":
            problem = check(entry, case, strict=strict)
        else:
            made = entry(*copy.deepcopy(case["init"]))
            steps = (check(getattr(made, call["method"]), call, strict=strict) for call in case["calls"])
            problem = next((step for step in steps if step is not None), None)
        if problem is not None:
            found.append(problem)
    return found


def check_outcome(step: dict[str, Any], allowed: set[str]) -> bool:
    """Whether the step is a checked one; asserts that its fields are well-formed."""
    assert set(step) <= allowed | {"kwargs", "expected", "raises", "tolerance"}, step
    assert isinstance(step["args"], list)
    assert all(isinstance(key, str) for key in step.get("kwargs", {}))
    assert not ("expected" in step and "raises" in step), step
    if "raises" in step:
        error = getattr(builtins, step["raises"], None)
        assert isinstance(error, type), step
        assert issubclass(error, Exception), step
    if "tolerance" in step:
        assert isinstance(step["tolerance"], float), step
        assert 0 < step["tolerance"] < 1e-3, step
        assert isinstance(step.get("expected"), float), step
    return "expected" in step or "raises" in step


def by_contract(function: Any) -> Any:
    return pytest.mark.parametrize("path", FILES, ids=[p.stem for p in FILES])(function)


def test_there_are_enough_contracts_of_both_kinds_and_every_difficulty() -> None:
    contracts = [read(path) for path in FILES]
    assert len(contracts) >= LEAST_CONTRACTS
    assert {c["kind"] for c in contracts} == {"function", "class"}
    assert {c["difficulty"] for c in contracts} == {"easy", "medium", "hard"}


@by_contract
def test_a_contract_has_the_declared_shape(path: Path) -> None:
    contract = read(path)
    assert set(contract) >= REQUIRED
    assert set(contract) <= ALLOWED
    assert contract["id"] == path.stem
    assert type(contract["version"]) is int
    assert contract["version"] >= 1
    assert 0 < len(contract["title"]) <= 40
    assert "\n" not in contract["title"]
    assert contract["kind"] in {"function", "class"}
    assert contract["entry_point"].isidentifier()
    assert contract["difficulty"] in {"easy", "medium", "hard"}
    limits = contract.get("limits", {})
    assert set(limits) <= {"seconds", "memory_mb"}
    assert all(value > 0 for value in limits.values())
    names = [s["name"] for s in contract["solutions"]]
    assert len(names) == len(set(names))
    for solution in contract["solutions"]:
        assert set(solution) == {"name", "kind", "code"}
        assert solution["kind"] in {"correct", "wrong", "unparseable"}


@by_contract
def test_a_contract_survives_json_both_ways(path: Path) -> None:
    """No dates, tuples or integer keys that YAML would let in and a worker's pipe would change."""
    contract = read(path)
    assert json.loads(json.dumps(contract, ensure_ascii=False, allow_nan=False)) == contract


@by_contract
def test_the_prompt_names_the_entry_point_and_says_how_to_answer(path: Path) -> None:
    contract = read(path)
    prompt = contract["prompt"]
    noun = "class" if contract["kind"] == "class" else "function"
    assert re.search(rf"`{contract['entry_point']}\(", prompt)
    assert noun in prompt
    assert "Python code block" in prompt.rstrip().splitlines()[-1]
    parameters = {key for case in contract["test_cases"] for key in case.get("kwargs", {})}
    assert all(re.search(rf"\b{name}\b", prompt) for name in parameters)
    if contract["kind"] == "class":
        methods = {call["method"] for case in contract["test_cases"] for call in case["calls"]}
        assert all(f"`{method}(" in prompt for method in methods)


@by_contract
def test_every_error_that_a_test_expects_is_in_the_prompt(path: Path) -> None:
    contract = read(path)
    steps = [step for case in contract["test_cases"] for step in case.get("calls", [case])]
    assert all(step["raises"] in contract["prompt"] for step in steps if "raises" in step)


@by_contract
def test_a_contract_has_enough_checks_and_none_twice(path: Path) -> None:
    contract = read(path)
    cases = contract["test_cases"]
    if contract["kind"] == "function":
        assert 8 <= len(cases) <= 15
        assert all(check_outcome(case, {"args"}) for case in cases)
    else:
        assert all(set(case) == {"init", "calls"} for case in cases)
        calls = [call for case in cases for call in case["calls"]]
        assert len(cases) >= 4
        assert sum(check_outcome(call, {"method", "args"}) for call in calls) >= 12
    written = [json.dumps(case, sort_keys=True) for case in cases]
    assert len(written) == len(set(written))


@by_contract
def test_every_correct_solution_passes_every_case(path: Path) -> None:
    contract = read(path)
    for name, code in solutions(contract, "correct"):
        assert failures(contract, code, strict=True) == [], name


@by_contract
def test_every_wrong_solution_parses_and_fails_a_case(path: Path) -> None:
    contract = read(path)
    wrong = solutions(contract, "wrong")
    assert len(wrong) >= 2
    for name, code in wrong:
        assert failures(contract, code, strict=False), f"{name} passes every case"


@by_contract
def test_the_unparseable_solution_does_not_compile(path: Path) -> None:
    contract = read(path)
    broken = solutions(contract, "unparseable")
    assert len(broken) == 1
    with pytest.raises(SyntaxError):
        compile(broken[0][1], contract["id"], "exec")


@by_contract
def test_plain_and_restyled_are_one_program_in_two_texts(path: Path) -> None:
    correct = dict(solutions(read(path), "correct"))
    assert correct["plain"] != correct["restyled"]
    assert bare_tree(correct["plain"]) == bare_tree(correct["restyled"])


@by_contract
def test_three_correct_solutions_are_different_programs(path: Path) -> None:
    trees = {bare_tree(code) for _, code in solutions(read(path), "correct")}
    assert len(trees) >= 3


def test_many_contracts_have_a_correct_solution_whose_first_definition_is_a_helper() -> None:
    """An oracle that takes the first function in the file instead of the named one must be caught."""
    caught = 0
    for path in FILES:
        contract = read(path)
        for _, code in solutions(contract, "correct"):
            defined = [n for n in ast.parse(code).body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
            caught += defined[0].name != contract["entry_point"]
    assert caught >= len(FILES) // 2


def test_prompts_and_titles_are_pairwise_different() -> None:
    contracts = [read(path) for path in FILES]
    for one, other in itertools.combinations(contracts, 2):
        assert one["prompt"].split() != other["prompt"].split(), (one["id"], other["id"])
        assert one["title"] != other["title"]


def test_no_correct_solution_turns_a_set_into_a_list() -> None:
    """Its order would change with PYTHONHASHSEED, and a reference of known truth would change with it."""
    for path in FILES:
        for name, code in solutions(read(path), "correct"):
            assert "list(set(" not in code, (path.stem, name)
