"""What replies are read as."""

from __future__ import annotations

import pytest

from assay.instruments.recognition.design.replies import (
    characteristics_of,
    explanation_of,
    read_characteristics,
    read_estimates,
    read_lineup_reply,
    read_source_reply,
)

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
    ],
)
def test_a_source_by_its_letter_or_its_name(reply: str, choice: int | None) -> None:
    assert read_source_reply(reply, SOURCES).choice == choice


def test_estimates_in_the_ways_they_are_written() -> None:
    said = "A_pole: 0.42\n**B_zero**: .5\nC_meta = 1,86 (high)\nD_identity (first person): 4.45\n"
    assert read_estimates(said) == [0.42, 0.5, 1.86, 4.45, None]
    assert read_estimates("A_pole: 1e-1\nE_hedging: none")[0::4] == [0.1, None]


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
