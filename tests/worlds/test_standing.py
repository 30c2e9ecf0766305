"""Sentences on whether something counts: read back from every shape, and not to be told by single words."""

from __future__ import annotations

import re

from assay.streams import Stream
from assay.worlds.standing import read_standing, standing
from assay.worlds.templates import table

PARTS = table("standing")


def test_what_is_said_is_read_back() -> None:
    for number in range(400):
        holds = bool(number % 2)
        said = standing(Stream("standing", number), "the rule that cats, which sleep, go first", holds=holds)
        assert said[0].isupper()
        found = [*read_standing(f"Hear. {said} Thanks.")]
        assert found == [("the rule that cats, which sleep, go first", holds)], said


def test_no_verdict_is_part_of_another() -> None:
    """Else a sentence could be read in two ways."""
    for kind, others in (("holds", "lapsed"), ("lapsed", "holds")):
        for verdict in PARTS["verdicts"][kind]:
            assert verdict not in PARTS["verdicts"][others]


def test_no_word_tells_what_counts() -> None:
    """Going by the presence of any one word is right in fewer than three of four sentences."""
    said = [(standing(Stream("word", n), "the rule", holds=bool(n % 2)), bool(n % 2)) for n in range(600)]
    words = {word for one, _ in said for word in re.findall(r"\w+", one)}
    for word in words:
        right = sum((word in re.findall(r"\w+", one)) == holds for one, holds in said) / len(said)
        assert 0.25 < right < 0.75, word


def test_neither_the_first_nor_the_last_verdict_tells_nor_the_one_next_to_the_subject() -> None:
    kinds = {verdict: kind for kind, some in PARTS["verdicts"].items() for verdict in some}
    any_of = re.compile("|".join(rf"\b{verdict}\b" for verdict in sorted(kinds, key=len, reverse=True)))
    right = [0, 0, 0]
    for number in range(800):
        said = standing(Stream("place", number), "the rule", holds=bool(number % 2))
        found, next_to = any_of.findall(said), any_of.search(said.split("he rule")[1])
        assert next_to
        for place, verdict in enumerate((found[0], found[-1], next_to[0])):
            right[place] += (kinds[verdict] == "holds") == bool(number % 2)
    assert all(0.4 < one / 800 < 0.7 for one in right), right


def test_every_part_has_six_wordings() -> None:
    lists = [
        PARTS["claims"],
        PARTS["sources"],
        PARTS["rules"],
        *PARTS["shapes"].values(),
        *PARTS["verdicts"].values(),
    ]
    assert all(len(set(some)) >= 6 for some in lists)
