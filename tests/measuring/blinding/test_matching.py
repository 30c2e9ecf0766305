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
    lengths = list(map(len, matched))
    assert all(text.startswith(cut) for text, cut in zip(texts, matched, strict=True))
    assert max(lengths) <= (1 + Fraction(str(tolerance))) * min(lengths)
    assert max(lengths) <= min(map(len, texts))
    assert min(lengths) >= 1


@given(
    st.lists(
        st.lists(st.sampled_from(["one ", "seven ", "thirteen "]), min_size=30, max_size=90),
        min_size=2,
        max_size=20,
    )
)
def test_of_words_all_lengths_are_the_same_but_for_a_word(words: list[list[str]]) -> None:
    matched = match_lengths(["".join(some).strip() for some in words], 0.25)
    assert max(map(len, matched)) - min(map(len, matched)) <= len("thirteen ")
    assert all(one.split()[-1] in ("one", "seven", "thirteen") for one in matched)


def test_the_shortest_is_cut_too() -> None:
    short, long = (
        "a word or two and then a few more of them",
        "another text that goes on and on for very much longer than that",
    )
    assert match_lengths([short, long], 0.25) == (
        "a word or two and then a few more of",
        "another text that goes on and on for",
    )


@given(st.lists(PIECES, min_size=15, max_size=40).map("".join))
def test_marks_stay_with_their_letter_where_there_is_room(text: str) -> None:
    text = "y" * 10 + text
    (_, cut) = match_lengths(["x" * 20, text], 1.0)
    if len(cut) < len(text) and unicodedata.category(text[len(cut)])[0] == "M":
        assert all(
            unicodedata.category(text[place])[0] == "M" or "\u200d" in text[place - 1 : place + 1]
            for place in range(10, 21)
        )


def test_a_text_without_any_white_space_is_cut_anywhere() -> None:
    assert match_lengths(["x" * 10, "y" * 30], 0.1) == ("x" * 10, "y" * 10)
    assert match_lengths(["x" * 100, "y" * 96 + "e\u0301" + "z" * 9], 0.1) == ("x" * 97, "y" * 96)


def test_nothing_is_left_to_match_without_texts() -> None:
    assert match_lengths([], 0.1) == ()
    assert match_lengths(["", "some text"], 0.1) == ("", "")
