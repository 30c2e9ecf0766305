"""Noise: what is misread can be read back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.streams import Stream
from assay.worlds.fuzzy import nearest, read_number
from assay.worlds.noise import DIGITS, LETTERS, misread, touch


def test_a_digit_never_becomes_another_digit() -> None:
    assert set(DIGITS) == set("0123456789")
    assert not any(wrong.isdigit() for wrong in DIGITS.values())
    assert len(set(DIGITS.values())) == 10  # each can be told back


def test_every_letter_has_a_look_alike() -> None:
    assert set(LETTERS) == set("abcdefghijklmnopqrstuvwxyz")
    assert all(wrong != right for right, wrong in LETTERS.items())


@given(st.from_regex(r"\A[0-9]{1,6}(\.[0-9]{2})?\Z"), st.integers(0, 2**32))
def test_a_misread_number_reads_as_it_was(number: str, key: int) -> None:
    wrong = misread(number, "characters", 0.5, Stream("n", key))
    assert read_number(wrong) == number


@given(st.text(alphabet="abc XYZ 019.,-\n", max_size=60), st.integers(0, 2**32))
def test_nothing_is_misread_at_rate_zero_and_white_space_never(text: str, key: int) -> None:
    assert misread(text, "words", 0.0, Stream("n", key)) == text
    assert misread(text, "characters", 0.0, Stream("n", key)) == text
    wrong = misread(text, "words", 1.0, Stream("n", key))
    assert wrong.count(" ") == text.count(" ")
    assert wrong.count("\n") == text.count("\n")


def test_the_rate_of_words_is_the_rate_that_was_declared() -> None:
    text = " ".join(["harbour"] * 4000)
    wrong = misread(text, "words", 0.2, Stream("rate")).split(" ")
    assert 0.17 < sum(word != "harbour" for word in wrong) / 4000 < 0.23


def test_a_misread_name_is_nearest_to_itself() -> None:
    names = ["Ada Brandt", "Jonas Weiss", "Mira Okafor", "Luis Ortega"]
    for number, name in enumerate(names * 5):
        assert nearest(misread(name, "words", 1.0, Stream("m", number)), names) == name


def test_touch_changes_texts_below_the_keys_and_leaves_the_rest() -> None:
    seen = {"id": "x", "mails": [{"number": 3, "body": "x"}, {"body": ["x", 1]}], "other": "x"}
    changed = touch(seen, ("body", "other"), str.upper)
    assert changed == {"id": "x", "mails": [{"number": 3, "body": "X"}, {"body": ["X", 1]}], "other": "X"}
    assert seen["other"] == "x"
