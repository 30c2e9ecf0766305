"""Every shipped contract that asks for JSON or a text: its solutions behave as they are called, its wordings differ."""

from __future__ import annotations

import re

import msgspec
import pytest

from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output
from assay.instruments.repeatability.kinds import examined_from, kind_of
from assay.instruments.repeatability.kinds.json_outputs import schema_fault
from assay.instruments.repeatability.kinds.patterns import pattern_fault
from assay.instruments.repeatability.programs.contracts import Contract, shipped_contracts
from assay.instruments.repeatability.reference import REFERENCES, derived
from assay.streams import Stream

CONTRACTS = [c for c in shipped_contracts().values() if not c.is_program]
by_contract = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.id)
STATES = {
    "correct": {"pass"},
    "wrong": {"wrong", "invalid"},
    "unparseable": {"unparseable", "unread"},
}


def state(contract: Contract, reply: str) -> str:
    """What becomes of an output that is found in a reply."""
    kind = kind_of(contract)
    output = reply[slice(*kind.find(reply, contract))]
    return examined_from(kind.examine(output, contract, ()), ()).judgement.state


def same_from(contract: Contract, *texts: str) -> str | None:
    kind = kind_of(contract)
    found = [text[slice(*kind.find(text, contract))] for text in texts]
    outputs = [Output(i, text, "pass", 1, 1) for i, text in enumerate(found)]
    ladder = Cell(CellKey("c", "m"), outputs, kind=kind).ladder
    return next((rung for rung, classes in ladder.items() if len(set(classes)) == 1), None)


def test_there_are_at_least_ten_of_each() -> None:
    for kind in ("json", "text"):
        assert sum(contract.kind == kind for contract in CONTRACTS) >= 10


@by_contract
def test_solutions_are_judged_as_they_are_called(contract: Contract) -> None:
    for solution in contract.solutions:
        assert state(contract, solution.code) in STATES[solution.kind], solution.name
    kinds = [solution.kind for solution in contract.solutions]
    assert kinds.count("correct") >= 3
    assert kinds.count("wrong") >= 2
    assert kinds.count("unparseable") >= (contract.kind == "json" or contract.answer is not None)
    assert [s.name for s in contract.solutions[:2]] == ["plain", "restyled"]
    assert len({s.name for s in contract.solutions}) == len(kinds)


@by_contract
def test_wordings_differ_and_ask_for_the_same(contract: Contract) -> None:
    assert len(contract.prompts) == len(set(contract.prompts)) == 4
    for prompt in contract.prompts:
        if contract.kind == "json":
            assert "JSON" in prompt
            names = re.findall(r'"(\w+)"', contract.prompts[0])
            assert all(f'"{name}"' in prompt for name in names)
        if contract.answer is not None:
            assert all(option.lower() in prompt.lower() for option in contract.answer.options)
        for number in re.findall(r"\d[\d.:]*\d|\d", contract.prompts[0]):
            assert number in prompt, number


@by_contract
def test_schemas_and_expressions_can_be_compiled(contract: Contract) -> None:
    assert contract.schema is None or not schema_fault(contract.schema)
    patterns = [*contract.must_match, *([contract.answer.pattern] if contract.answer else [])]
    assert not any(pattern_fault(pattern) for pattern in patterns if pattern)


@by_contract
def test_variants_are_the_same_from_the_rung_that_they_are_made_for(contract: Contract) -> None:
    plain = contract.solutions[0].code
    found = {
        v: same_from(contract, plain, derived(contract, v)) for v in ("formatted", "renamed", "reordered")
    }
    if contract.kind == "json":
        assert found == {"formatted": "layout", "renamed": "value", "reordered": "keys"}
        assert same_from(contract, plain, derived(contract, "documented")) == "bytes"
        return
    assert found["formatted"] == "space"
    assert found["renamed"] in ("bytes", "case")  # capitals are what they were, where there are none
    assert found["reordered"] == ("answer" if contract.answer is not None else None)


@pytest.mark.parametrize("name", sorted(REFERENCES))
@by_contract
def test_every_reference_answers_every_contract(contract: Contract, name: str) -> None:
    subject = REFERENCES[name]
    texts = {
        subject.answer([{"role": "user", "content": contract.prompts[i % 4]}], Stream("t", name, i))
        for i in range(12)
    }
    states = {state(contract, text) for text in texts}
    if name in ("steady", "restyled", "formatting", "reordered", "rewritten", "scattered"):
        assert states == {"pass"}
    if name in ("wrong", "talker"):
        assert "pass" not in states
    if name == "scattered":
        assert len(texts) == 12


def test_a_snapshot_does_not_hold_solutions_or_paraphrases() -> None:
    contract = CONTRACTS[0]
    bare = msgspec.structs.replace(contract, solutions=(), paraphrases=(), title="")
    assert bare.snapshot == contract.snapshot
    assert msgspec.convert(msgspec.to_builtins(contract), Contract) == contract
