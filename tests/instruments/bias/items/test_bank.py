"""The shipped items: every one keeps what an item must keep, and reads as its responders are."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
import yaml

from assay.errors import InputError, UnknownName
from assay.instruments.bias.items.bank import (
    chosen_biases,
    pools,
    read_item,
    shipped_item,
    shipped_items,
    taxonomy,
)
from assay.instruments.bias.items.instance import BiasInstance, CompiledItem, Condition
from assay.instruments.bias.items.model import DOMAINS, ItemModel
from assay.instruments.bias.items.validity import drawn
from assay.testing import ContractBroken, check_item
from assay.vocabulary import Instance
from tests.instruments.bias.made import NUMBER, VARIED, YES_NO, compiled, item

CORE = [entry.id for entry in taxonomy().values() if entry.core]


def test_the_taxonomy_has_69_biases_in_16_categories() -> None:
    assert len(taxonomy()) == 69
    assert len({entry.category for entry in taxonomy().values()}) == 16
    assert len(CORE) == 15


def test_every_bias_has_an_item_model() -> None:
    assert shipped_items() == tuple(taxonomy())


@pytest.mark.parametrize(
    "bias",
    [
        pytest.param(name, marks=pytest.mark.slow) if place % 3 else name
        for place, name in enumerate(shipped_items())
    ],
)
def test_an_item_keeps_what_it_must(bias: str) -> None:
    check_item(shipped_item(bias), least=3 if bias in CORE else 1)


def _block(bias: str, size: int) -> list[BiasInstance]:
    chosen = CompiledItem(shipped_item(bias), pools())
    return [
        chosen.instance(Instance("bias", f"{bias}/{domain}", number, 1), domain)
        for domain in DOMAINS
        for number in range(size)
    ]


@pytest.mark.parametrize("bias", shipped_items())
def test_a_letter_and_a_place_shift_nothing(bias: str) -> None:
    """The layout is the instance's, so such answers score the same in all conditions; and over a block, by chance."""
    block = [found for found in _block(bias, 36) if found.answer == "choice"]
    if not block:
        pytest.skip("not a choice")
    for letters in ([min(i.layout.letters) for i in block], [i.layout.letters[0] for i in block]):
        scores = [i.raw_score(letter) for i, letter in zip(block, letters, strict=True)]
        chance = sum(1 / len(i.layout.options) for i in block)
        assert sum(scores) == pytest.approx(chance)  # as often biased as any other option


def test_an_instance_is_the_same_everywhere_and_another_with_another_seed() -> None:
    chosen = CompiledItem(shipped_item("sunk_cost_fallacy"), pools())
    instances = [Instance("bias", "sunk_cost_fallacy/individual", 0, seed) for seed in (5, 5, 6)]
    one, again, other = (chosen.instance(i, "individual").prompt(Condition("control")) for i in instances)
    assert one == again
    assert one != other


def test_names_choose_biases_by_group_and_by_name() -> None:
    assert chosen_biases("core", {}) == [bias for bias in shipped_items() if bias in CORE]
    assert chosen_biases(("sunk_cost_fallacy", "anchoring_effect"), {}) == [
        "anchoring_effect",
        "sunk_cost_fallacy",
    ]
    assert "numeric_priming" in chosen_biases("anchoring", {})
    assert chosen_biases("loss_aversion", {}) == ["loss_aversion"]
    assert "endowment_effect" in chosen_biases("category:loss_aversion", {})
    with pytest.raises(UnknownName, match="anchoring_effect"):
        chosen_biases("anchoring_efect", {})


def _file(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(item(**changes), sort_keys=False))
    return path


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"text": "A gap {nobody} fills."}, "nobody"),
        ({"text": "A brace { alone."}, "brace"),
        ({"answer": "letter"}, "answer"),
        ({"normative": "missing + 1"}, "missing"),
        ({"options": {"finish": "Finish it."}}, "options"),
        ({"always": ["1 > 2"]}, "1 > 2"),
        ({"vary": {"note": {"control": "one", "weak": "two"}}}, "moderate"),
        ({"colour": "blue"}, "colour"),
    ],
)
def test_a_malformed_file_is_told_with_its_line(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=rf"mine\.yaml.*{said}") as caught:
        read_item(_file(tmp_path, **changes))
    assert re.search(r"mine\.yaml:([2-9]|\d\d+): ", str(caught.value))


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    assert read_item(_file(tmp_path)).bias == "sunk_cost_fallacy"


def test_a_yes_no_question_takes_turns() -> None:
    answers = [drawn(compiled(**YES_NO), "individual", 0, d) for d in range(4)]
    given = [i.answer_for(i.biased) for i in answers]
    assert sorted(given[:2]) == sorted(given[2:]) == ["no", "yes"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"question": "Which sunk cost fallacy do you prefer?"}, "names the bias"),
        ({"text": "Linda can finish for {fee} dollars, or go for {other}. {note}"}, "textbook"),
        ({"draw": {"spent": {"pick": [100]}, "fee": {"pick": [40]}}}, "different controls"),
        (NUMBER, "does not follow from what is printed"),  # spent is not in the control
        ({"compute": {"other": "fee - 20", "lost": "fee + 1"}}, "lost is not used"),
        (
            {"text": "You can finish a course, or take a class. {note}"},
            "does not follow from what is printed",
        ),
        ({"vary": {"note": {**VARIED["note"], "moderate": VARIED["note"]["weak"]}}}, "same prompt"),
        ({"debias": {"warning": "Take care."}}, "step_by_step"),
        (
            {"text": "Notwithstanding {fee} and {other}. {note}" + " Incomprehensibilities" * 60},
            "readability",
        ),
    ],
)
def test_what_an_item_of_the_bank_must_not_have(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ContractBroken, match=said):
        check_item(msgspec.convert(item(**changes), ItemModel))
