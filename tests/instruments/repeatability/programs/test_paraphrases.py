"""The shipped paraphrases ask for the same thing in other words: nothing named is dropped, nothing added.

That the meaning is the same a machine cannot tell; that every name, number, literal, error and special case of the
prompt is there, and no other, it can.
"""

from __future__ import annotations

import difflib
import re

import msgspec
import pytest

from assay.instruments.repeatability.programs.contracts import Contract, shipped_programs

__all__: list[str] = []

CONTRACTS = shipped_programs()
each_contract = pytest.mark.parametrize("contract", CONTRACTS.values(), ids=list(CONTRACTS))

# Beginnings of words that carry a special case or a restriction.
WEIGHTY = re.findall(
    r"[\w-]+",
    """
    empty negative zero leading tuple cycle alphabetic ascending descending duplicate lower-case
    upper-case case accented punctuation digit hyphen apostrophe white round float integer string
    dictionary sign fraction year month week prefix overdrawn cents opening oldest front back full
    remember refused backward equal square clockwise diagonal wall fast second sorted closed nest
    kind maximal product strictly smallest first last least recent exactly unique itself reverse
    """,
)
NUMBER = re.compile(r"(?<![\w.\"])-?\d+(?:\*\*\d+)?(?![\w\"])")
QUOTED = re.compile(r'"[^"\n]*"')
LITERAL = re.compile(r"\[\[.*?\]\]|\[[\d\"][^\[\]]*\]")
CAPITALS = re.compile(r"\b(?:[A-Z]\w*Error|True|False|None|[IVXLCDM]{2,}|P\w*nS)\b")
SPAN = re.compile(r"`[^`\n]+`")


def plain(text: str) -> str:
    return " ".join(text.split())


def paragraphs(text: str) -> list[str]:
    return [plain(part) for part in text.strip().split("\n\n")]


@each_contract
def test_there_are_three_and_no_two_wordings_are_the_same(contract: Contract) -> None:
    assert len(contract.paraphrases) == 3
    bodies = [plain("\n\n".join(p.strip().split("\n\n")[:-1])).casefold().split() for p in contract.prompts]
    for i, one in enumerate(bodies):
        for other in bodies[i + 1 :]:
            assert difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() < 0.9


@each_contract
@pytest.mark.parametrize(
    "form", [SPAN, NUMBER, QUOTED, LITERAL, CAPITALS], ids=lambda form: form.pattern[:12]
)
def test_what_is_named_in_the_prompt_is_named_in_each_and_nothing_else(
    contract: Contract, form: re.Pattern[str]
) -> None:
    wanted = set(form.findall(plain(contract.prompt)))
    for paraphrase in contract.paraphrases:
        assert set(form.findall(plain(paraphrase))) == wanted


@each_contract
def test_the_signature_and_every_parameter_are_there(contract: Contract) -> None:
    signatures = [span for span in SPAN.findall(contract.prompt) if "(" in span]
    assert any(span.startswith(f"`{contract.entry_point}(") for span in signatures)
    parameters = {name for span in signatures for name in re.findall(r"\w+", span.partition("(")[2])}
    for paraphrase in contract.paraphrases:
        assert all(signature in paraphrase for signature in signatures)
        without = SPAN.sub("", paraphrase)
        asked = {name for name in parameters if re.search(rf"\b{name}\b", SPAN.sub("", contract.prompt))}
        assert all(re.search(rf"\b{name}\b", without) for name in asked)


@each_contract
def test_every_special_case_of_the_prompt_is_in_each(contract: Contract) -> None:
    weighty = [word for word in WEIGHTY if re.search(rf"\b{word}", contract.prompt.casefold())]
    for number, paraphrase in enumerate(contract.paraphrases):
        missing = [word for word in weighty if not re.search(rf"\b{word}", paraphrase.casefold())]
        assert not missing, (number, missing)


@each_contract
def test_each_ends_by_asking_for_one_code_block_and_nothing_else(contract: Contract) -> None:
    for paraphrase in contract.paraphrases:
        *body, last = paragraphs(paraphrase)
        assert re.search(r"\b(one|single) Python code block\b", last)
        assert re.search(r"\b(only|nothing)\b", last)
        assert not any("code block" in part for part in body)
        assert any("Python" in part for part in body)
        assert ("class" if contract.kind == "class" else "function") in body[0]


@each_contract
def test_paraphrases_are_no_part_of_what_a_canon_answers(contract: Contract) -> None:
    for others in ((), ("Anything else.",)):
        assert msgspec.structs.replace(contract, paraphrases=others).snapshot == contract.snapshot
    assert contract.prompts == (contract.prompt, *contract.paraphrases)
