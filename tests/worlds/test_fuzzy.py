"""What was misread is found among what it could be."""

from __future__ import annotations

import pytest

from assay.streams import Stream
from assay.worlds.fuzzy import among
from assay.worlds.noise import misread

PHRASES = ["very lively", "rather lively", "rather calm", "very calm"]


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_is_found_wherever_it_stands_even_where_every_word_is_misread(phrase: str) -> None:
    for number in range(40):
        said = misread(
            f"the Old Mill: {phrase}, very central and rather cosy", "words", 1.0, Stream("misread", number)
        )
        assert among(said, PHRASES) == phrase


def test_a_text_shorter_than_the_options_is_compared_as_it_is() -> None:
    assert among("calm", PHRASES) in ("very calm", "rather calm")
    assert among("", ["a b", "c"]) in ("a b", "c")
