"""Distances between outputs, pair by pair: a metric's manners, the mean over all pairs, bounded cost."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.measures import pairs
from assay.instruments.repeatability.measures.pairs import distance_matrix, mean_distance
from assay.instruments.repeatability.scoring import Settings
from tests.instruments.repeatability.making import cell_of, measure, score
from tests.instruments.repeatability.programs.grammar import programs, renamed

TEXTS = st.lists(
    st.one_of(st.text(alphabet="ab _\n.(é\t", max_size=12), st.sampled_from(["", "x = 1", "x = 2"])),
    max_size=9,
)


def edits(a: list[str], b: list[str]) -> int:
    """Levenshtein's table, row by row."""
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        before, row = row, [i]
        for j, other in enumerate(b, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (one != other)))
    return row[-1]


def units(text: str) -> list[str]:
    """Words with a space before them, marks likewise, and other stretches of white space; by hand, not by regex."""
    found: list[str] = []
    place = 0
    while place < len(text):
        start = place
        if text[place] == " " and place + 1 < len(text) and not text[place + 1].isspace():
            place += 1
        if text[place].isspace():
            while place < len(text) and text[place].isspace():
                place += 1
        elif text[place].isalnum() or text[place] == "_":
            while place < len(text) and (text[place].isalnum() or text[place] == "_"):
                place += 1
        else:
            place += 1
        found.append(text[start:place])
    return found


def apart(a: str, b: str) -> float:
    x, y = units(a), units(b)
    return edits(x, y) / max(len(x), len(y), 1)


@given(TEXTS)
def test_distances_are_edits_of_words_over_the_longer(texts: list[str]) -> None:
    found = distance_matrix(texts)
    for i, a in enumerate(texts):
        for j, b in enumerate(texts):
            assert found[i, j] == pytest.approx(apart(a, b), abs=1e-12)


@settings(max_examples=30)
@given(st.data())
def test_they_are_symmetric_bounded_and_zero_for_equal_programs_only(data: st.DataObject) -> None:
    program = data.draw(programs())
    texts = [program.source, data.draw(renamed(program)).source, data.draw(programs()).source, program.source]
    found = distance_matrix(texts)
    assert np.array_equal(found, found.T)
    assert ((found >= 0) & (found <= 1)).all()
    for i, j in combinations(range(4), 2):
        assert (found[i, j] == 0) == (texts[i] == texts[j])


@given(TEXTS)
def test_the_mean_is_over_all_pairs_of_outputs(texts: list[str]) -> None:
    found = mean_distance(texts)
    assert found.n == len(texts)
    if len(texts) < 2:
        assert found.mean is None
    else:
        every = [apart(a, b) for a, b in combinations(texts, 2)]
        assert found.mean == pytest.approx(sum(every) / len(every), abs=1e-12)


@pytest.mark.parametrize("size", [31, 32, 33, 255, 256, 257, 300])
def test_the_mean_is_the_same_whatever_stretches_it_is_worked_out_in(size: int) -> None:
    texts = [f"x{i % 7} = {i}" for i in range(size)]
    found = mean_distance(texts)
    # four units; all differ in the last, and in the first unless it repeats after seven
    same = sum(a % 7 == b % 7 for a, b in combinations(range(size), 2))
    count = size * (size - 1) // 2
    assert len(units(texts[0])) == 3
    assert found.mean == pytest.approx((same / 3 + (count - same) * 2 / 3) / count, abs=1e-12)


def test_equal_outputs_are_pairs_too() -> None:
    assert mean_distance(["a", "a", "b"]).mean == pytest.approx(2 / 3)
    assert mean_distance(["a"] * 5).mean == 0.0


def test_of_too_many_different_texts_the_first_are_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "MOST_TEXTS", 3)
    found = mean_distance(["a", "b", "a", "c", "d", "a"])
    assert found.n == 4  # up to the fourth text that is new
    assert found.mean == pytest.approx(5 / 6)
    result = score(cell_of("a", "b", "a", "c", "d", "a"))
    told = measure(result, "pairwise_distance", "ast")
    assert (told.n, told.notes) == (4, ("of the first 4 outputs",))


@pytest.mark.parametrize(("most", "wanted"), [(12, 1 / 2), (3, 1.0)])
def test_units_grow_where_words_would_be_too_many_and_nothing_is_lost(
    monkeypatch: pytest.MonkeyPatch, most: int, wanted: float
) -> None:
    texts = ["a b c d\nsame\n", "a b c e\nsame\n"]
    assert distance_matrix(texts)[0, 1] == pytest.approx(1 / 7)
    monkeypatch.setattr(pairs, "MOST_UNITS", most)
    assert distance_matrix(texts)[0, 1] == wanted  # of two lines one differs; of one block, one
    assert distance_matrix([texts[0], texts[0]])[0, 1] == 0


def test_a_million_characters_without_a_word_are_compared() -> None:
    found = mean_distance(["(" * 1_000_000, ")" * 1_000_000])
    assert found == (1.0, 2)


def test_one_output_is_no_pair_and_it_says_so() -> None:
    found = measure(score(cell_of("a"), settings=Settings()), "pairwise_distance", "ast")
    assert (found.value, found.n, found.notes) == (None, 1, ("a pair needs two outputs",))


def test_the_measure_is_taken_between_trees_docstrings_aside() -> None:
    plain, documented = "def f(x):\n    return x", 'def f(x):\n    """Say."""\n    return (x)  # so'
    assert measure(score(cell_of(plain, documented)), "pairwise_distance", "ast").value == 0.0
