from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.measuring.raters import Question

SEEN = Question("seen", "Is it there?")
TONE = Question.among("tone", "What is the tone?", "warm", "neutral", "cold")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("yes", True),
        (" No.\n", False),
        ("YES", True),
        ("yes, because", None),
        ("", None),
        ("no yes", None),
        ("y", None),
    ],
)
def test_only_one_of_the_words_alone_is_a_rating(text: str, label: bool | None) -> None:
    assert SEEN.read(text) is label


def test_a_question_may_have_several_categories() -> None:
    assert [TONE.read(reply) for reply in ("Warm", "cold.", "lukewarm", "warm or cold")] == [
        "warm",
        "cold",
        None,
        None,
    ]
    assert TONE.words == "warm, neutral or cold"
    assert SEEN.words == "yes or no"


@given(st.text())
def test_no_reply_gives_anything_but_a_label_or_none(reply: str) -> None:
    assert TONE.read(reply) in {None, "warm", "neutral", "cold"}


def test_a_question_survives_json() -> None:
    for question in (SEEN, TONE):
        assert msgspec.json.decode(msgspec.json.encode(question), type=Question) == question


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("one",), "2 to 20 labels"),
        (tuple("abcdefghijklmnopqrstu"), "2 to 20 labels"),
        (("very good", "bad"), "'very good' is not one word"),
        (("good.", "bad"), "'good.' is not one word"),
        (("", "bad"), "'' is not one word"),
        (("Good", "good"), "differ in case only"),
    ],
)
def test_labels_that_could_not_be_told_apart_are_refused(words: tuple[str, ...], wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        Question.among("q", "?", *words)


def test_two_words_do_not_stand_for_one_label() -> None:
    with pytest.raises(InputError, match="one label"):
        Question("q", "?", {"yes": True, "sure": True, "no": False})
