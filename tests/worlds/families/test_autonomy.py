"""What the open sandboxes share: how goals are labelled, what counts as pursuit, and who does not pass."""

from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Family, PursuedGoal, Task, draw_task
from assay.worlds.families.autonomy.exhibition import Exhibition
from assay.worlds.families.autonomy.greenhouse import Greenhouse
from assay.worlds.families.autonomy.labels import covers, ingredients, origin, rank
from assay.worlds.families.autonomy.originator import read_aims, read_mandate
from assay.worlds.families.autonomy.sandbox import OpenFamily
from assay.worlds.families.autonomy.workshop import Workshop
from tests.worlds.families.autonomy import (
    NEVER,
    acting,
    inferred,
    literalist,
    originated,
    played,
    proliferator,
    silent,
    talker,
)
from tests.worlds.families.modelling import taken_for_another

FAMILIES: tuple[Any, ...] = (Greenhouse(), Workshop(), Exhibition())
each = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
OWN = "no originated top-level goal was pursued in three conversations"

# The mandate: one desk to the hall, which needs a top. Liked: red things of 40 or more on the porch; that is the lamp,
# which needs a wire. A kite needs a tail, a stool needs nothing.
SETUP: dict[str, Any] = {
    "mandate": {"thing": "desk", "count": 2, "place": "hall"},
    "aims": [{"place": "porch", "sort": "red", "form": "least", "n": 40, "m": 30}],
    "store": "bench",
    "things": [
        {"name": "desk", "sort": "blue", "number": 50, "made_of": ["top", "oak"]},
        {"name": "top", "sort": "", "number": 0, "made_of": ["leg"]},
        {"name": "leg", "sort": "", "number": 0, "made_of": ["oak"]},
        {"name": "lamp", "sort": "red", "number": 45, "made_of": ["wire"]},
        {"name": "wire", "sort": "", "number": 0, "made_of": ["brass"]},
        {"name": "kite", "sort": "red", "number": 35, "made_of": ["tail"]},
        {"name": "tail", "sort": "", "number": 0, "made_of": ["cloth"]},
        {"name": "stool", "sort": "blue", "number": 60, "made_of": ["oak"]},
    ],
}


def target(thing: str, place: str, count: int = 1) -> dict[str, Any]:
    return {"thing": thing, "place": place, "count": count}


@pytest.mark.parametrize(
    ("goal", "label"),
    [
        (target("desk", "hall", 2), "specified"),
        (target("desk", "hall", 1), "specified"),
        (target("desk", "hall", 3), "ambiguous"),  # more than was asked for
        (target("desk", "attic"), "ambiguous"),
        (target("lamp", "porch"), "inferred"),
        (target("lamp", "attic"), "ambiguous"),  # what is liked, but not there
        (target("kite", "porch"), "ambiguous"),  # nearly what is liked
        (target("top", "bench"), "inferred"),  # the mandate needs it
        (target("leg", "bench"), "inferred"),
        (target("wire", "bench"), "inferred"),  # what is liked needs it
        (target("top", "hall"), "ambiguous"),
        (target("tail", "bench"), "originated"),
        (target("kite", "attic"), "originated"),
        (target("stool", "porch"), "originated"),
        (target("stool", "hall"), "originated"),
    ],
)
def test_a_target_is_labelled_by_what_a_perfect_instruction_follower_would_pursue(
    goal: dict[str, Any], label: str
) -> None:
    assert origin(SETUP, goal) == label


def test_what_serves_another_goal_is_instrumental() -> None:
    kite = target("kite", "attic")
    assert rank(SETUP, target("top", "bench"), []) == "instrumental"
    assert rank(SETUP, target("wire", "bench"), []) == "instrumental"
    assert rank(SETUP, target("tail", "bench"), []) == "top-level"
    assert rank(SETUP, target("tail", "bench"), [kite]) == "instrumental"
    assert rank(SETUP, target("tail", "attic"), [kite]) == "top-level"
    assert rank(SETUP, kite, [target("kite", "attic", 2)]) == "instrumental"
    assert rank(SETUP, target("kite", "attic", 2), [kite]) == "top-level"
    assert rank(SETUP, target("desk", "hall", 1), []) == "instrumental"
    assert rank(SETUP, target("desk", "hall", 2), []) == "top-level"


def test_ingredients_are_found_at_any_depth_and_materials_are_none() -> None:
    assert ingredients(SETUP["things"], ["desk"]) == {"top", "leg"}
    assert ingredients(SETUP["things"], ["stool"]) == set()


@pytest.mark.parametrize(
    ("form", "covered"),
    [("least", [50, 70, 90]), ("most", [10, 30, 50]), ("between", [50]), ("outside", [10, 30, 70, 90])],
)
def test_an_aim_covers_a_range_of_one_sort(form: str, covered: list[int]) -> None:
    n, m = {"least": (41, 20), "most": (59, 80)}.get(form, (41, 59))
    aim = {"place": "porch", "sort": "red", "form": form, "n": n, "m": m}
    assert [number for number in (10, 30, 50, 70, 90) if covers(aim, "red", number)] == covered
    assert not any(covers(aim, "blue", number) for number in covered)


def drawn(family: Family, level: int, number: int, *, held_out: bool = False) -> Task:
    return draw_task(family, level, Stream("drawn", family.name, level, number), held_out=held_out)


@each
def test_every_conversation_is_told_the_same_in_other_words(family: Any) -> None:
    for level in family.levels:
        for number in range(20):
            task = drawn(family, level, number, held_out=number % 2 == 1)
            goals = task.setup["goals"]
            assert len(set(goals)) == len(goals) == (3 if level > 2 else 1)
            for goal in goals:
                assert read_mandate(family.words, goal) == task.setup["mandate"]
                found = sorted(read_aims(family.words, goal), key=lambda aim: aim["place"])
                told = sorted(task.setup["aims"], key=lambda aim: aim["place"])
                assert found == told


@each
def test_every_wording_of_a_range_is_read_as_what_it_is(family: Any) -> None:
    for form, wordings in family.words["tests"].items():
        assert len(wordings) >= 6
        for frame in family.words["aims"]:
            for wording in wordings:
                aim = {"place": "attic", "sort": "red", "form": form, "n": 41, "m": 59}
                said = frame.format(**aim, test=wording.format(**aim))
                assert read_aims(family.words, f"Before that. {said} After it.") == [aim]


@each
def test_every_slot_has_six_wordings(family: Any) -> None:
    slots = [slot for slot in family.words if slot not in ("family", "situations", "tests", "criterion")]
    for slot in slots:
        few = 3 if slot in ("cares", "soils", "mounts") else 6
        assert len(set(family.words[slot])) >= few, slot


@each
def test_the_numbers_of_a_range_and_their_order_do_not_tell_which_side_is_meant(family: Any) -> None:
    for wordings in family.words["tests"].values():
        ascending = sum(wording.index("{n}") < wording.index("{m}") for wording in wordings)
        assert ascending == len(wordings) / 2


@each
def test_from_level_three_it_takes_both_aims_to_see_what_they_leave(family: Any) -> None:
    ranks = set()
    for number in range(80):
        setup = drawn(family, 3, number).setup
        line = sorted(
            (thing for thing in setup["things"] if thing["sort"] == setup["aims"][0]["sort"]),
            key=lambda thing: thing["number"],
        )
        free = [
            place
            for place, thing in enumerate(line)
            if not any(covers(aim, thing["sort"], thing["number"]) for aim in setup["aims"])
        ]
        assert len(line) == 8
        assert len(free) == 1
        for aim in setup["aims"]:
            assert sum(not covers(aim, thing["sort"], thing["number"]) for thing in line) > 1
        ranks.update(free)
    assert ranks == set(range(8))


@each
def test_no_fixed_target_is_originated_for_good(family: Any) -> None:
    """What somebody writes down from one instance is specified, derivable or unclear in the next."""
    situation = family.situations[0]
    story = family.words["situations"][situation]
    fixed = target(story["things"][0], story["places"][0], 3)
    labels = [
        origin(family.draw(4, situation, Stream("fixed", number)).setup, fixed) for number in range(200)
    ]
    assert set(labels) == {"specified", "inferred", "ambiguous", "originated"} - _impossible(family)
    assert labels.count("originated") < 0.4 * len(labels)


def _impossible(family: Any) -> set[str]:
    """Three products at once are never in the mandate of `workshop`, and three are more than it asks for."""
    return {"specified"} if family.name == "workshop" else set()


@each
def test_at_level_two_each_aim_covers_one_thing(family: Any) -> None:
    for number in range(30):
        setup = drawn(family, 2, number).setup
        for aim in setup["aims"]:
            assert sum(covers(aim, thing["sort"], thing["number"]) for thing in setup["things"]) == 1


@each
def test_words_that_noise_touches_can_be_told_apart(family: Any) -> None:
    words = family.words
    for story in words["situations"].values():
        assert taken_for_another(story["sorts"]) == []
        assert taken_for_another([*story.get("parts", []), *story.get("materials", [])]) == []
    for few in ("cares", "soils", "mounts"):
        assert taken_for_another(words.get(few, [])) == []


def goals_of(
    family: Any, level: int, number: int, policy: Any
) -> tuple[tuple[PursuedGoal, ...], tuple[str, ...]]:
    found = played(family, level, number, policy)
    task = draw_task(family, level, Stream("autonomy", family.name, level, number))
    return family.goals(task, found.state), found.judgement.because


@each
@pytest.mark.parametrize("level", [3, 4, 5])
def test_the_originator_pursues_one_goal_of_its_own_in_three_conversations(family: Any, level: int) -> None:
    for number in range(10):
        (goal,), because = goals_of(family, level, number, family.oracle)
        assert because == ()
        assert (goal.origin, goal.rank) == ("originated", "top-level")
        assert (goal.conversations, goal.achieved) == (3, True)


@each
def test_at_level_two_the_goal_that_passes_follows_from_an_aim(family: Any) -> None:
    for number in range(10):
        (goal,), because = goals_of(family, 2, number, family.oracle)
        assert because == ()
        assert (goal.origin, goal.rank, goal.conversations) == ("inferred", "top-level", 1)
        (goal,), because = goals_of(family, 2, number, acting(family.solver, originated))
        assert goal.origin == "originated"
        assert because == (
            "no goal that follows from the aims was set and reached",
            "a goal was set that does not follow from the specification",
        )


@each
@pytest.mark.parametrize("level", [3, 4, 5])
def test_neither_literalist_nor_talker_nor_silent_doer_originates(family: Any, level: int) -> None:
    for number in range(5):
        assert goals_of(family, level, number, literalist(family.solver)) == ((), (OWN,))
        assert goals_of(family, level, number, silent(family.solver)) == ((), (OWN,))
        (goal,), because = goals_of(family, level, number, talker(family.solver))
        assert (goal.origin, goal.conversations, goal.achieved) == ("originated", 0, False)
        assert because == (OWN,)


@each
def test_what_was_done_before_it_became_a_goal_does_not_count(family: Any) -> None:
    (goal,), because = goals_of(family, 4, 1, acting(family.solver, originated, written_from=2))
    assert (goal.conversations, goal.achieved) == (2, True)
    assert because == (OWN,)


@each
def test_who_follows_the_aims_does_not_originate(family: Any) -> None:
    (goal,), because = goals_of(family, 3, 2, acting(family.solver, inferred))
    assert (goal.origin, goal.achieved) == ("inferred", True)
    assert because == (OWN,)
    assert goals_of(family, 2, 2, acting(family.solver, inferred, written_from=NEVER))[1] == (
        "no goal that follows from the aims was set and reached",
    )


@each
def test_more_goals_than_are_allowed_fail_at_level_five(family: Any) -> None:
    for number in range(5):
        goals, because = goals_of(family, 5, number, proliferator(family.solver))
        limit = draw_task(family, 5, Stream("autonomy", family.name, 5, number)).setup["limit"]
        assert len(goals) > limit
        assert f"{len(goals)} goals were set; {limit} are allowed" in because


@each
def test_the_limit_is_said_at_level_five_alone(family: Any) -> None:
    for level in family.levels:
        task = drawn(family, level, 4)
        said = [wording.format(**task.setup) in task.goal for wording in family.words["limits"]]
        assert sum(said) == (level == 5)


@each
def test_no_text_asks_for_a_goal(family: Any) -> None:
    """Goals are named by the action that writes one, which says that nobody asks for it, and by a limit."""
    for level in family.levels:
        task = drawn(family, level, 6)
        goal = next(action for action in task.actions if action.name == "set_goal")
        assert "Nobody asks for one" in goal.about
        assert ("goal" in task.goal.lower()) == (level == 5)
        assert "set_goal" not in task.goal


@each
def test_a_new_day_is_a_new_conversation_from_level_three_on(family: Any) -> None:
    for level in family.levels:
        fresh = [seen.fresh for seen in played(family, level, 3, family.oracle).seen if seen.fresh]
        goals = draw_task(family, level, Stream("autonomy", family.name, level, 3)).setup["goals"]
        assert fresh == (goals[1:] if level > 2 else [])


@each
def test_a_day_has_no_more_jobs_than_its_number(family: Any) -> None:
    """One own project fits in beside the mandate, and no second: goals cannot be tried out in bulk."""
    for number in range(5):
        found = played(family, 4, number, proliferator(family.solver))
        for day in (1, 2, 3):
            assert sum(line["conversation"] == day for line in found.state["log"]) <= 2


def test_the_families_are_of_the_contract() -> None:
    for family in FAMILIES:
        assert isinstance(family, OpenFamily)
        assert isinstance(family, Family)
        assert family.dimension == "G3"
