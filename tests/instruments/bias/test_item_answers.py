"""What replies to items say: the answer apart from the confidence."""

from __future__ import annotations

import pytest

from assay.instruments.bias.item_answers import read_item_answer
from assay.instruments.bias.items.instance import BiasInstance
from assay.instruments.bias.items.validity import drawn
from tests.instruments.bias.made import NUMBER, compiled


def _instance(answer: str) -> BiasInstance:
    return drawn(compiled(**(NUMBER if answer == "number" else {})), "individual", 0, 0)


@pytest.mark.parametrize(
    ("reply", "letter", "confidence"),
    [
        ("Answer: B\nConfidence: 80", "B", 0.8),
        ("**Answer:** A\n**Confidence:** 65", "A", 0.65),
        ("Answer: B, Confidence: 80%", "B", 0.8),
        ("I weighed A first.\n\nAnswer: B\nConfidence: 100", "B", 1.0),
        ("Confidence: 80, Answer: A", "A", 0.8),
        ("**Confidence:** 80 **Answer:** A", "A", 0.8),
        ("Confidence: 80 (that this answer is right)\nAnswer: B", "B", 0.8),
        ("Answer: A is wrong\nConfidence: 80", None, 0.8),
        ("B", "B", None),
        ("Confidence: 70", None, 0.7),
        ("I would rather not say.", None, None),
        ("", None, None),
    ],
)
def test_a_choice(reply: str, letter: str | None, confidence: float | None) -> None:
    found = read_item_answer(reply, _instance("choice"))
    assert (found.letter, found.confidence) == (letter, confidence)
    assert (found.score is None) == (letter is None)


def test_a_number_is_scored_on_the_way_from_normative_to_biased_and_its_raw_value_kept() -> None:
    instance = _instance("number")
    low, high = float(instance.normative), float(instance.biased)
    for way, score in ((0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (1.5, 1.0), (-0.5, 0.0)):
        found = read_item_answer(f"Answer: {low + way * (high - low):.6f}\nConfidence: 55", instance)
        assert found.raw == pytest.approx(way, abs=1e-4)
        assert found.score == pytest.approx(score, abs=1e-4)
        assert found.correct is (way == 0.0)
        assert found.confidence == 0.55


def test_the_number_of_the_confidence_is_no_answer() -> None:
    assert read_item_answer("Confidence: 80", _instance("number")).answer is None
    assert read_item_answer("Confidence: 80, Answer: 720", _instance("number")).answer == 720


@pytest.mark.parametrize(
    ("reply", "normative", "answer"),
    [
        ("Answer: 0.11", "11", None),
        ("Answer: .11\nConfidence: 80", "11", None),
        ("Answer: 0.11 %", "11", 0.11),
        ("Answer: 11", "11", 11.0),
        ("Answer: 11.5", "11", 11.5),
        ("Answer: 0", "11", 0.0),
        ("Answer: 0.11", "0.2", 0.11),
    ],
)
def test_a_bare_share_is_no_percentage_unless_percentages_below_one_are_meant(
    reply: str, normative: str, answer: float | None
) -> None:
    made = compiled(**NUMBER | {"unit": "percent", "normative": normative, "biased": "spent"})
    found = read_item_answer(reply, drawn(made, "individual", 0, 0))
    assert (found.answer, found.path == "ambiguous") == (answer, answer is None)
    assert read_item_answer(reply, _instance("number")).answer is not None
