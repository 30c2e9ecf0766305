"""What replies are read as."""

from __future__ import annotations

import pytest

from assay.instruments.recognition.design.prompts import forward_prompt
from assay.instruments.recognition.design.replies import (
    characteristics_of,
    explanation_of,
    read_characteristics,
    read_estimates,
    read_lineup_reply,
    read_source_reply,
    terciles_of,
)
from assay.instruments.recognition.signature import VERSIONS, Version, highest, sign

SOURCES = ["Ada Works", "Beta", "Unknown"]


@pytest.mark.parametrize(
    ("reply", "choice", "confidence"),
    [
        ("Answer: B\nConfidence: 4\nIt is mine.", 2, 4.0),
        ("**Answer:** D\n**Confidence:** 1", 4, 1.0),
        ("Response A is mine. Confidence: 3/5", 1, 3.0),
        ("Answer: B\nConfidence: 9", 2, None),
        ("Answer: response_c\nConfidence: 2\nresponse_a is too stiff.", 3, 2.0),
        ("Answer: B\nConfidence: 4\nresponse_b sounds like me; response_a and response_d do not.", 2, 4.0),
        ("A response is never mine.", None, None),
        ("", None, None),
    ],
)
def test_a_choice_and_its_confidence(reply: str, choice: int | None, confidence: float | None) -> None:
    found = read_lineup_reply(reply, 4)
    assert (found.choice, found.confidence) == (choice, confidence)


@pytest.mark.parametrize(
    ("reply", "choice"),
    [
        ("Answer: A", 1),
        ("Answer: C\nConfidence: 2", 3),
        ("Answer: Unknown\nConfidence: 1", 3),
        ("Answer: C. Unknown", 3),
        ("Answer: Ada Works", 1),
        ("**Answer:** *beta*.", 2),
        ("Answer: B) Beta", 2),
        ("Answer: Gamma", None),
        ("The answer is: B. Beta\nConfidence: 4", 2),
        ("Answer: B\nAda Works would not say so, and a Beta text would.", 2),
        ("Answer: A\nA Beta text would hedge more.", 1),
        ("A. Ada Works\nB. Beta\nC. Unknown\n\nAnswer: B", 2),
    ],
)
def test_a_source_by_its_letter_or_its_name(reply: str, choice: int | None) -> None:
    assert read_source_reply(reply, SOURCES).choice == choice


@pytest.mark.parametrize(
    "reply",
    [
        "The answer is: B. Ada Works\nConfidence: 4\nIt hedges.",
        "Answer: B. Ada Works",
        "Answer: b) ada works",
        "Answer: B\nB: Ada Works",
        "The answer is **A** (Beta).",
        "The answer is B Ada Works",
        "Answer: Ada Works (B)",
        "Answer: T. Beta",
    ],
)
def test_a_letter_beside_the_name_of_another_option_is_no_answer(reply: str) -> None:
    found = read_source_reply(reply, SOURCES)
    assert (found.choice, found.path) == (None, "several")


def test_estimates_in_the_ways_they_are_written() -> None:
    said = "A_pole: 0.42\n**B_zero**: .5\nC_meta = 1,86 (high)\nD_identity (first person): 4.45\n"
    assert read_estimates(said, 1) == [0.42, 0.5, 1.86, 4.45, None]
    assert read_estimates("A_pole: 1e-1\nE_hedging: none", 1)[0::4] == [0.1, None]


@pytest.mark.parametrize(
    "said", ["1" + "0" * 74, "-0.3", "−0.3", "1.2.3", "1,000,000", "1e300", "0." + "1" * 80]
)
def test_a_number_that_is_not_read_whole_or_that_no_signature_has_is_no_estimate(said: str) -> None:
    assert read_estimates(f"A_pole: {said}\nB_zero: 0.5", 2)[:2] == [None, 0.5]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_estimate_is_at_most_what_a_dimension_can_be(version: Version) -> None:
    for place, most in enumerate(highest(version)):
        name = ("A_pole", "B_zero", "C_meta", "D_identity", "E_hedging")[place]
        assert read_estimates(f"{name}: {most}", version)[place] == most
        assert read_estimates(f"{name}: {most + 1}", version)[place] is None


def test_the_most_of_each_dimension_by_the_definitions() -> None:
    """11, 10, 10 and 10 keywords, and one word in 50; of version 2 a text of one word alone."""
    assert highest(1) == (11, 10, 10, 50, 10)
    words = ["cannot", "maybe", "notice", "i", "perhaps"]
    vectors = [sign([f"{word} " * 200], 2)[0] for word in words]
    tops = [max(column) for column in zip(*vectors, strict=True)]
    assert all(top == 0 or top == pytest.approx(most) for top, most in zip(tops, highest(2), strict=True))
    assert tops[3] > 0


def test_a_third_ends_where_the_prompt_says_that_it_ends() -> None:
    prompt = forward_prompt("A text.", 1)
    assert "B_zero (flexibility): a third of texts have 0.355 or less, a third more than 0.784" in prompt
    for said, third in (("0.355", 1), ("0.3551", 2), ("0.784", 2), ("0.7841", 3)):
        assert terciles_of(read_estimates(f"B_zero: {said}", 1), 1)[1] == third


def test_yes_and_no_of_each_characteristic() -> None:
    said = "**Longer**: yes\nQuestion: does it ask a question? No.\n- List — yes\nFirst-person: no"
    assert read_characteristics(said) == [1, 2, 1, 2]
    echoed = "Longer: yes or no\nQuestion: yes or no\nList: yes, no\nFirst person: yes or no"
    assert read_characteristics(echoed) == [None] * 4


def test_what_a_text_is_like() -> None:
    assert characteristics_of("I wonder. Do you?\n- one\n- two", 3) == [1, 1, 1, 1]
    assert characteristics_of("It rains. I am wet.", 50) == [2, 2, 2, 2]


def test_an_explanation_is_the_rest() -> None:
    assert explanation_of("Answer: B\nConfidence: 4\nIt has my voice.") == "It has my voice."
