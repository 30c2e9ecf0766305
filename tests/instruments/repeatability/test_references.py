"""Reference subjects: every variant is what its name says, for every shipped contract, and is drawn as declared."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter

import pytest

from assay.instruments.repeatability.programs.contracts import Contract, shipped_programs
from assay.instruments.repeatability.programs.extraction import extract_code
from assay.instruments.repeatability.programs.normalisation import Forms, normal_forms
from assay.instruments.repeatability.reference import PROSE, REFERENCES, derived, renaming
from assay.streams import Stream

from .making import judgements

CONTRACTS = shipped_programs()
DERIVED = ("formatted", "documented", "renamed", "modular", "reordered")
by_contract = pytest.mark.parametrize("contract", CONTRACTS.values(), ids=list(CONTRACTS))


def plain(contract: Contract) -> str:
    return next(solution.code for solution in contract.solutions if solution.name == "plain")


def forms(contract: Contract, code: str) -> Forms:
    return normal_forms(code, contract.keep)


def test_every_derived_variant_keeps_its_contract() -> None:
    asked = [(contract, derived(contract, variant)) for contract in CONTRACTS.values() for variant in DERIVED]
    assert {judged.state for judged in judgements(*asked)} == {"pass"}


@by_contract
def test_formatting_alone_changes_the_text_and_no_token(contract: Contract) -> None:
    one, other = forms(contract, plain(contract)), forms(contract, derived(contract, "formatted"))
    assert one.text != other.text
    assert (one.layout, one.ast, one.tree) == (other.layout, other.ast, other.tree)


@by_contract
def test_a_docstring_changes_the_dumped_tree_and_not_the_bare_one(contract: Contract) -> None:
    one, other = forms(contract, plain(contract)), forms(contract, derived(contract, "documented"))
    assert (one.layout != other.layout, one.tree != other.tree) == (True, True)
    assert one.ast == other.ast
    documented = [
        n
        for n in ast.walk(ast.parse(derived(contract, "documented")))
        if isinstance(n, ast.FunctionDef | ast.ClassDef)
    ]
    assert [ast.get_docstring(node) is not None for node in documented].count(True) == 1


def names_in(source: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.NAME)


@by_contract
def test_a_renamed_program_has_the_declared_names_and_nothing_is_captured(contract: Contract) -> None:
    names, source, renamed = renaming()[contract.id], plain(contract), derived(contract, "renamed")
    before, after = names_in(source), names_in(renamed)
    assert len(set(names.values())) == len(names)
    assert all(before[old] for old in names)
    assert not any(before[new] for new in names.values())
    # What is left of an old name are attributes, which keep theirs.
    assert {old: before[old] - after[old] for old in names} == {old: after[new] for old, new in names.items()}
    assert forms(contract, source).ast != forms(contract, renamed).ast
    assert forms(contract, source).names == forms(contract, renamed).names


@by_contract
def test_reordering_moves_whole_definitions_and_changes_none(contract: Contract) -> None:
    one, other = (ast.parse(derived(contract, variant)) for variant in ("modular", "reordered"))
    assert ast.dump(one) != ast.dump(other)
    assert sorted(map(ast.dump, one.body)) == sorted(map(ast.dump, other.body))
    defined = [
        [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        for tree in (one, other)
    ]
    assert len(defined[0]) > 1
    assert defined[0] == defined[1][::-1]


def answers(name: str, prompt: str, times: int) -> list[str]:
    asked = [{"role": "user", "content": prompt}]
    return [REFERENCES[name].answer(asked, Stream("test", name, i)) for i in range(times)]


@pytest.mark.parametrize(
    ("name", "rung"),
    [("formatting", "layout"), ("documented", "ast"), ("renamed", "names")],
)
def test_two_equal_variants_fall_together_at_their_rung_and_not_before(name: str, rung: str) -> None:
    contract = CONTRACTS["merge_intervals"]
    found = [extract_code(reply, contract.entry_point) for reply in answers(name, contract.prompt, 400)]
    rungs = ("text", "layout", "ast", "names")
    classes = [len({getattr(forms(contract, code), r) for code in dict.fromkeys(found)}) for r in rungs]
    assert classes == [1 if rungs.index(r) >= rungs.index(rung) else 2 for r in rungs]
    assert 150 < Counter(found).most_common()[0][1] < 250  # 5 standard deviations of a fair coin


@pytest.mark.parametrize("name", REFERENCES)
def test_every_reference_answers_every_contract_in_every_wording(name: str) -> None:
    for contract in CONTRACTS.values():
        for prompt in contract.prompts:
            (reply,) = answers(name, prompt, 1)
            assert reply == PROSE or reply.startswith("```python\n")
    drawn = REFERENCES[name].weights
    talks = drawn.get("prose", 0) / sum(drawn.values())
    silent = answers(name, CONTRACTS["add"].prompt, 300).count(PROSE) / 300
    assert abs(silent - talks) < 0.05


def test_another_correct_program_is_one_of_the_shipped_ones() -> None:
    contract = CONTRACTS["add"]
    correct = {solution.code.strip() for solution in contract.solutions if solution.kind == "correct"}
    found = {extract_code(reply, "add").strip() for reply in answers("rewritten", contract.prompt, 200)}
    assert found == correct - {s.code.strip() for s in contract.solutions if s.name == "restyled"}


def test_the_dominant_reference_is_plain_nine_times_in_ten() -> None:
    contract = CONTRACTS["square"]
    found = [extract_code(reply, "square").strip() for reply in answers("dominant", contract.prompt, 2000)]
    assert abs(found.count(plain(contract).strip()) / 2000 - 0.9) < 0.03
