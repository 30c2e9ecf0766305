"""Normalised Levenshtein distance (spec, "Distance Function")."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.repeatability.programs import distance as module
from assay.instruments.repeatability.programs.distance import DISTANCE, LONGEST, distance
from assay.instruments.repeatability.programs.normalisation import normal_forms, signature

TEXTS = st.text(alphabet="ab \né😀", max_size=24)


def levenshtein(a: str, b: str) -> int:
    """The textbook recurrence (Wagner and Fischer 1974), as an oracle of its own."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row = row, [i]
        for (diagonal, above), y in zip(pairwise(before), b, strict=True):
            row.append(min(above + 1, row[-1] + 1, diagonal + (x != y)))
    return row[-1]


@pytest.mark.parametrize(
    ("a", "b", "edits", "length"),
    [
        ("kitten", "sitting", 3, 7),
        ("", "abc", 3, 3),
        ("abc", "", 3, 3),
        ("flaw", "lawn", 2, 4),
        ("é", "e\u0301", 2, 2),  # code points, not graphemes
        ("😀", "😁", 1, 1),
        ("ab", "ba", 2, 2),  # no transpositions
        ("\ud800", "\ud801", 1, 1),
    ],
)
def test_it_is_edits_over_the_longer_length_on_code_points(a: str, b: str, edits: int, length: int) -> None:
    assert distance(a, b) == Fraction(edits, length)


def test_two_empty_texts_are_at_distance_zero() -> None:
    assert distance("", "") == 0


def test_the_distance_has_a_version() -> None:
    assert DISTANCE == "levenshtein/1"


@given(TEXTS, TEXTS)
def test_it_agrees_with_the_textbook(a: str, b: str) -> None:
    assert distance(a, b) == Fraction(levenshtein(a, b), max(len(a), len(b), 1))


@given(TEXTS, TEXTS, st.sampled_from([1, 2, 3, 5, 8, LONGEST]))
def test_its_properties_hold_in_every_unit(a: str, b: str, longest: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LONGEST", longest)
        d = distance(a, b)
        assert distance(b, a) == d
        assert 0 <= d <= 1
        assert (d == 0) == (a == b)
        assert distance(a, a) == 0
        assert distance("", a) == (1 if a else 0)


@given(TEXTS, TEXTS, st.sampled_from(["text", "ast"]), st.sampled_from([2, LONGEST]))
def test_zero_distance_and_equal_signatures_are_the_same_thing(
    a: str, b: str, level: str, longest: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LONGEST", longest)
        x, y = (getattr(normal_forms(text), level) for text in (a, b))
        assert (distance(x, y) == 0) == (signature(x) == signature(y))


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_long_texts_that_differ_in_a_short_stretch_keep_their_exact_distance(
    head: str, a: str, b: str, tail: str
) -> None:
    x, y = head + a + tail, head + b + tail
    exact = distance(x, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LONGEST", max(len(a), len(b), 1))
        assert distance(x, y) == exact


def test_beyond_the_limit_lines_are_the_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 5)
    assert distance("aaaa\nbbbb\ncccc\n", "aaaX\nbbbb\nYccc\n") == Fraction(2, 3)


def test_with_too_many_lines_blocks_are_the_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 4)
    # twelve characters in six lines make four blocks of three, the first and the last of which differ
    assert distance("a\nb\nc\nd\ne\nf\n", "X\nb\nc\nd\ne\nY\n") == Fraction(2, 4)


def test_texts_of_150_000_characters_are_compared_by_lines() -> None:
    lines = [f"line number {number}\n" for number in range(9_000)]
    other = ["first\n", *lines[1:4_000], *lines[4_100:-1], "last\n"]
    assert len("".join(lines)) > 150_000
    assert distance("".join(lines), "".join(other)) == Fraction(102, 9_000)


def test_a_short_text_against_a_very_long_one_is_exact() -> None:
    assert distance("abc", "xa" + "-" * 1_000_000 + "bcx") == Fraction(1_000_002, 1_000_005)


def test_two_lines_of_a_million_characters_are_compared_at_once() -> None:
    line = "abcdefghij" * 100_000
    assert distance(line, line) == 0
    assert distance(line, line[:500_000] + "!" + line[500_000:]) == Fraction(1, 1_000_001)
    assert 0 < distance(line, "!" + line[:-1] + "?") <= 1


def test_as_many_lines_as_characters_are_compared_too() -> None:
    many = "\n" * 600_000
    assert 0 < distance("a" + many + "b", "c" + many + "d") < Fraction(1, 10_000)
