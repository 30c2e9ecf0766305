"""The signature: version 1 is the public definition to the last digit, version 2 counts words once and whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.recognition.signature import (
    DIMENSIONS,
    VERSIONS,
    Version,
    definition,
    norms,
    sign,
    tercile,
    thirds,
    word_rates,
)

from .corpus import jade, needs_jade, numbers_of_the_corpus

KEYWORDS = definition(1)["keywords"]


def as_defined(text: str) -> list[float]:
    """Version 1, read off ``signature_1.json`` word by word: the oracle for any text."""
    words, lower = len(text.split()), text.lower()
    vector = [
        sum(keyword in lower for keyword in KEYWORDS[name]) / max(1, words / 100) for name in DIMENSIONS
    ]
    vector[3] = sum(lower.count(keyword) for keyword in KEYWORDS["D_identity"]) / max(1, words / 50)
    return vector


pieces = st.sampled_from(
    [
        *(word for words in KEYWORDS.values() for word in words),
        "AI ",
        "time ",
        "’",
        "’m",
        "İ",
        "\x1f",
        "\u2028",
        " ",
    ]
)
texts = st.lists(st.one_of(pieces, st.text(max_size=8)), max_size=300).map("".join)


@given(st.lists(texts, max_size=4))
def test_version_1_is_the_definition_for_any_text(given_texts: list[str]) -> None:
    assert sign(given_texts, 1).tolist() == [as_defined(text) for text in given_texts]


@needs_jade
def test_version_1_equals_every_given_vector_of_the_corpus() -> None:
    rows = [row for row in jade() if "d5" in row]
    assert len(rows) == 200
    assert np.abs(sign([row["response"] for row in rows], 1) - [row["d5"] for row in rows]).max() <= 1e-9


@needs_jade
def test_the_shipped_numbers_are_those_of_the_corpus() -> None:
    assert {str(version): norms(version) for version in VERSIONS} == numbers_of_the_corpus()


def test_version_1_does_not_know_curly_apostrophes_and_takes_ai_for_i() -> None:
    curly, straight, other = sign(["I’m here", "I'm here", "an AI is here"], 1)[:, 3]
    assert (curly, straight, other) == (0.0, 1.0, 1.0)


def test_version_2_knows_curly_apostrophes_and_whole_words_only() -> None:
    same = word_rates(["I’m here, myself", "I'm here, myself"])
    assert same[0].tolist() == same[1].tolist() == [0, 0, 0, 2, 0]
    assert not word_rates(["AI time some mighty delimiting considerable insensed"]).any()


def test_no_word_of_version_2_is_in_two_dimensions_and_each_is_one_word() -> None:
    words = [word for found in definition(2)["keywords"].values() for word in found]
    assert len(words) == len(set(words))
    assert (word_rates(words).sum(1) == 1).all()


@given(texts, texts)
def test_version_2_counts_no_word_twice_and_does_not_depend_on_neighbours(one: str, other: str) -> None:
    alone, together = word_rates([one]), word_rates([one, other])
    assert alone[0].tolist() == together[0].tolist()
    assert 0 <= alone.sum() <= 100 + 1e-9


@pytest.mark.parametrize("version", VERSIONS)
def test_a_text_without_words_is_zero_and_no_texts_are_no_rows(version: Version) -> None:
    assert sign(["", " \n"], version).tolist() == [[0.0] * 5] * 2
    assert sign([], version).shape == (0, 5)


def test_terciles_follow_the_corpus() -> None:
    low, high = thirds(1)[3]
    assert (low, high) == (float(f"{norms(1).lower[3]:.4g}"), float(f"{norms(1).upper[3]:.4g}"))
    assert tercile(1, "D_identity", low) == "low"
    assert tercile(1, "D_identity", high) == "middle"
    assert tercile(1, "D_identity", high + 0.01) == "high"
    assert tercile(1, "A_pole", 0.0) == "low"
