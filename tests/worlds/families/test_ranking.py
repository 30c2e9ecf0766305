"""What families of goal prioritisation say in words can be read back, misread characters notwithstanding."""

from __future__ import annotations

from itertools import permutations

import pytest

from assay.streams import Stream
from assay.worlds.families.priorities.ranking import (
    FeatureBound,
    Override,
    exception_read,
    exception_stated,
    notes_drawn,
    order_read,
    order_stated,
    other_orders,
    rotation,
)
from assay.worlds.fuzzy import nearest
from assay.worlds.noise import DIGITS, LETTERS
from assay.worlds.templates import table

GOALS = ["health", "comfort", "trade", "learning"]
TABLE = table("priorities")
STORY = {"thing": "job", "things": "jobs"}
WORDS = {"people": "people", "hours": "hours"}


@pytest.mark.parametrize("shape", TABLE["pairs"])
def test_each_shape_says_which_of_two_goals_comes_first(shape: str) -> None:
    (said,) = order_stated(Stream("one"), ["trade", "health"], [shape])
    assert order_read(f"Before. {said} After.", ["health", "trade"]) == ["trade", "health"]
    assert order_read(f"Before. {said} After.", ["trade", "health"]) == ["trade", "health"]


def test_in_half_of_the_shapes_the_goal_that_comes_first_is_named_first() -> None:
    first = [shape.find("{hi}") < shape.find("{lo}") for shape in TABLE["pairs"]]
    assert abs(first.count(True) - first.count(False)) <= 1


def test_every_order_of_four_goals_is_read_back() -> None:
    for number, order in enumerate(permutations(GOALS)):
        said = " ".join(order_stated(Stream("order", number), order))
        assert order_read(said, GOALS) == list(order)


def test_an_exception_is_read_back() -> None:
    for number in range(60):
        when = FeatureBound(("people", "hours")[number % 2], sorted(TABLE["compare"])[number % 4], number)
        override = Override("comfort", "health", when)
        said = exception_stated(Stream("exception", number), override, WORDS, STORY)
        assert exception_read(f"Before. {said} After.", GOALS, WORDS, STORY) == override


def test_at_least_one_note_contradicts_the_order() -> None:
    for number in range(60):
        notes = notes_drawn(Stream("notes", number), GOALS)
        assert len(notes) == 2
        assert any(order_read(note, GOALS) != GOALS for note in notes)


def test_orders_that_nobody_declared() -> None:
    story = {"goals": {"health": "a", "comfort": "a longer text", "trade": "text"}}
    assert other_orders(["health", "trade", "comfort"], story) == [
        ("health", "trade", "comfort"),
        ("comfort", "trade", "health"),
        ("comfort", "trade", "health"),
    ]


def test_a_bit_of_each_takes_one_of_every_goal_before_a_second() -> None:
    things = [{"serves": goal, "n": n} for n, goal in enumerate(["a", "a", "b", "a", "b"])]
    assert [one["n"] for one in rotation(things, lambda one: one["n"])] == [0, 2, 1, 4, 3]
    assert [one["n"] for one in rotation(things, lambda one: -one["n"])] == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("family", ["shedding", "equipment", "duty"])
def test_a_goal_with_a_misread_character_is_still_told_from_the_others(family: str) -> None:
    for story in table(family)["situations"].values():
        goals = sorted(story["goals"])
        for goal in goals:
            for at, char in enumerate(goal):
                wrong = goal[:at] + (DIGITS | LETTERS).get(char, char) + goal[at + 1 :]
                assert nearest(wrong, goals) == goal
