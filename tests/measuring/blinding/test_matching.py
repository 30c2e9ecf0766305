"""Lengths of texts that are shown together."""

from __future__ import annotations

import unicodedata
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from assay.measuring.blinding import match_lengths

PIECES = st.sampled_from(
    ["Yes. ", "word ", "no", "! ", "\n\n", "é", "e\u0301", "👩\u200d🌾", "   ", "。", "a\u0301\u0302", "…”"]
)
TEXTS = st.lists(
    st.one_of(st.text(min_size=1), st.lists(PIECES, min_size=1, max_size=40).map("".join)),
    min_size=2,
    max_size=20,
)
TOLERANCES = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.3, 1.0])


@given(TEXTS, TOLERANCES)
def test_any_fleet_of_texts_is_matched(texts: list[str], tolerance: float) -> None:
    matched = match_lengths(texts, tolerance)
    shortest = min(map(len, texts))
    limit = (1 + Fraction(str(tolerance))) * shortest
    assert len(matched) == len(texts)
    for text, cut in zip(texts, matched, strict=True):
        assert text.startswith(cut)
        assert shortest <= len(cut) <= limit
        assert cut == text or len(text) > limit
    assert match_lengths(matched, tolerance) == matched


@given(st.lists(PIECES, min_size=15, max_size=40).map("".join))
def test_marks_stay_with_their_letter_where_there_is_room(text: str) -> None:
    text = "y" * 10 + text
    (_, cut) = match_lengths(["x" * 10, text], 1.0)
    if cut != text and unicodedata.category(text[len(cut)])[0] == "M":
        assert all(
            unicodedata.category(text[place])[0] == "M" or "\u200d" in text[place - 1 : place + 1]
            for place in range(10, 21)
        )


def test_a_cut_falls_on_the_last_sentence_end_that_fits() -> None:
    texts = ["x" * 20, "It rains. It pours! He said “so.” And then more came."]
    assert match_lengths(texts, 0.7) == ("x" * 20, "It rains. It pours! He said “so.”")
    assert match_lengths(texts, 0.2) == ("x" * 20, "It rains. It pours! He")


def test_a_cut_falls_on_white_space_where_no_sentence_ends() -> None:
    assert match_lengths(["x" * 10, "one two three four five"], 0.5) == ("x" * 10, "one two three")


def test_a_text_without_any_white_space_is_cut_anywhere() -> None:
    assert match_lengths(["x" * 10, "y" * 30], 0.1) == ("x" * 10, "y" * 11)
    assert match_lengths(["x" * 10, "y" * 10 + "e\u0301" + "z" * 9], 0.1) == ("x" * 10, "y" * 10)


def test_texts_within_the_tolerance_stay() -> None:
    texts = ("ten chars ", "twelve chars")
    assert match_lengths(texts, 0.2) == texts


def test_nothing_is_left_to_match_without_texts() -> None:
    assert match_lengths([], 0.1) == ()
    assert match_lengths(["", "some text"], 0.1) == ("", "")
