"""Templates read back what was filled in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.streams import Stream
from assay.worlds.templates import numbers, partly_filled, read, read_first, story_of, worded

WORDS = st.text(alphabet="abcdef012.", min_size=1, max_size=8)


@settings(max_examples=50, deadline=None)
@given(WORDS, WORDS)
def test_what_is_filled_in_is_read_back(first: str, second: str) -> None:
    template = "Take {first} and put it `{second}`, please."
    told = "Before. " + template.format(first=first, second=second) + " After."
    assert read(template, told) == {"first": first, "second": second}


def test_a_number_before_the_end_of_a_sentence_is_read_whole() -> None:
    assert read("divided by {factor}.", "It is divided by 2.5. Then it is done.") == {"factor": "2.5"}


def test_a_place_that_occurs_twice_is_the_same_both_times() -> None:
    assert read("from {a} to {a}.", "from 3 to 3.") == {"a": "3"}
    assert read("from {a} to {a}.", "from 3 to 4.") is None


def test_other_wordings_are_not_found() -> None:
    assert read("Delete {name}.", "Remove it.") is None
    with pytest.raises(AssertionError, match="none of the wordings"):
        read_first(["Delete {name}."], "Remove it.")


def test_numbers_are_different_and_within_bounds() -> None:
    found = numbers(Stream("numbers"), 9, 1, 10)
    assert len(set(found)) == 9
    assert set(found) <= set(range(1, 11))


def test_a_story_fills_in_its_own_words_and_leaves_the_rest_open() -> None:
    stories = {
        "inn": {"who": "You keep an inn.", "thing": "keys"},
        "mill": {"who": "You run a mill.", "thing": "sacks"},
    }
    story = story_of(stories, "You run a mill. Bring 3 sacks.")
    assert story["thing"] == "sacks"
    assert partly_filled("{who} Bring {n} {thing}.", story) == "You run a mill. Bring {n} sacks."
    assert worded(Stream("w"), ["{who} Bring {n} {thing}."], story, n=3) == "You run a mill. Bring 3 sacks."
