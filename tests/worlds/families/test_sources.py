from __future__ import annotations

from typing import Any

import pytest

from assay.worlds import Act, Task, check_family
from assay.worlds.families.metacontrol.sources import (
    BOOK,
    CALLS,
    PAGES,
    TABLE,
    WAYS,
    Sources,
)
from assay.worlds.templates import read
from assay.worlds.tiers import FIXED, StrategyFamily

from .modelling import acted, begun, instances, rate, taken_for_another, why

FAMILY = Sources()
TASKS = list(instances(FAMILY, 4, 60))


def suited(way: str) -> Task:
    """An instance that a way suits."""
    return next(task for task in TASKS if task.criterion.expected["suits"] == way)


def used(task: Task, way: str, grade: str = "") -> list[Act]:
    """What is done by who goes one way as it is to be gone."""
    calls = {
        "file": Act("open_file", {"page": task.criterion.expected["page"]}),
        "expert": Act("ask_expert", {"person": task.setup["person"]}),
        "measuring": Act("measure", {}),
    }
    decided = Act("decide", {"grade": grade or task.criterion.expected["grade"]})
    return [*[calls[way]] * CALLS[way], decided]


def in_all(task: Task, way: str) -> tuple[int, int]:
    """Minutes and account of a way, worked out from what the world charges."""
    minutes, coins = task.setup["costs"][way]
    return CALLS[way] * minutes, CALLS[way] * coins + task.setup["risks"][way]


def test_it_keeps_the_contract() -> None:
    assert isinstance(FAMILY, StrategyFamily)
    assert check_family(FAMILY, instances=20) == []


def test_in_every_instance_one_way_is_in_time_and_within_the_account() -> None:
    for task in TASKS:
        right = task.criterion.expected
        fits = [
            way
            for way in WAYS
            if in_all(task, way)[0] <= right["time"] and in_all(task, way)[1] <= right["limit"]
        ]
        assert fits == [right["suits"]]


@pytest.mark.parametrize("way", WAYS)
def test_the_right_grade_counts_only_by_the_way_that_suits(way: str) -> None:
    for task in TASKS[:20]:
        assert (why(FAMILY, task, *used(task, way)) == ()) == (task.criterion.expected["suits"] == way)


def test_half_of_instances_have_a_way_that_only_the_time_rules_out() -> None:
    late = 0
    for task in TASKS:
        right = task.criterion.expected
        late += any(in_all(task, way)[0] > right["time"] for way in WAYS)
    assert 0.3 < late / len(TASKS) < 0.7


def test_each_way_suits_a_quarter_of_instances_or_more() -> None:
    suits = [task.criterion.expected["suits"] for task in instances(FAMILY, 4, 300)]
    assert all(0.25 <= suits.count(way) / 300 <= 0.40 for way in WAYS)


def test_the_account_has_the_risk_that_the_notes_tell_of() -> None:
    for task in TASKS[:20]:
        told = dict(BOOK.read(note) for note in task.setup["notes"])
        for way in WAYS:
            errors = told[f"{way}_errors"]
            risk = int(told["damage"]["n"]) * int(errors["n"]) / int(errors["m"])
            assert task.setup["risks"][way] == risk


def test_a_wrong_grade_fails_in_spite_of_the_right_way() -> None:
    task = suited("expert")
    wrong = next(
        g for g in TABLE["situations"][task.situation]["grades"] if g != task.criterion.expected["grade"]
    )
    assert why(FAMILY, task, *used(task, "expert", wrong)) == ("the grade is wrong",)


def test_fewer_readings_than_three_are_not_enough() -> None:
    task = suited("measuring")
    *_, decided = acts = used(task, "measuring")
    assert why(FAMILY, task, acts[0], decided) == ("the grade rests on 1 readings; three were to be taken",)


def test_the_middle_reading_is_the_points_and_the_mean_is_far_off() -> None:
    for task in TASKS:
        readings = task.setup["readings"]
        assert sorted(readings)[1] == task.setup["points"]
        assert abs(sum(readings) / 3 - task.setup["points"]) > 7


def test_another_page_has_another_grade() -> None:
    task = suited("file")
    right = task.criterion.expected
    for page in PAGES:
        acts = [Act("open_file", {"page": page}), Act("decide", {"grade": right["grade"]})]
        said = why(FAMILY, task, *acts)
        assert said == (() if page == right["page"] else ("the page of the thing was not opened",))
    assert len({tuple(label["label"].split()) for label in task.setup["pages"]}) == len(PAGES)


def test_who_does_not_know_the_kind_has_no_answer_and_costs_as_much() -> None:
    task = suited("expert")
    other = next(one["person"] for one in task.setup["people"] if one["person"] != task.setup["person"])
    episode, _ = begun(FAMILY, task)
    seen = episode.act("ask_expert", {"person": other})
    assert seen.observation["findings"] == [{"source": other, "points": None}]
    assert [seen.observation["minutes"], seen.observation["paid"]] == task.setup["costs"]["expert"]


def test_no_grade_without_a_source() -> None:
    task = suited("file")
    assert why(FAMILY, task, Act("decide", {"grade": task.criterion.expected["grade"]})) == (
        "no grade was settled",
    )


def test_the_way_begun_with_is_kept_and_shows_in_the_state() -> None:
    task = suited("measuring")
    episode, _ = begun(FAMILY, task)
    assert FAMILY.strategy(task, episode.snapshot()) == ""
    episode.act("measure", {})
    assert "kept to the end" in episode.act("open_file", {"page": "A"}).error
    assert FAMILY.strategy(task, episode.snapshot()) == "measuring"
    for _ in range(2):
        episode.act("measure", {})
    assert "no further reading" in episode.act("measure", {}).error
    assert not any(episode.counts.values())


@pytest.mark.parametrize("way", WAYS)
def test_an_arm_leaves_one_way_and_changes_nothing_else(way: str) -> None:
    task = suited("file")
    only = FAMILY.in_arm(task, FIXED + way)
    assert only.goal.startswith(task.goal)
    assert way in only.goal.removeprefix(task.goal)
    assert (only.actions, only.criterion, only.most) == (task.actions, task.criterion, task.most)
    tried: dict[str, tuple[str, dict[str, Any]]] = {
        "file": ("open_file", {"page": "A"}),
        "expert": ("ask_expert", {"person": task.setup["person"]}),
        "measuring": ("measure", {}),
    }
    for other, (name, arguments) in tried.items():
        episode, _ = begun(FAMILY, only)
        assert ("not used here" in episode.act(name, arguments).error) == (other != way)
        assert not any(episode.counts.values())
    assert acted(FAMILY, only, *used(only, way)).judgement.success == (way == "file")


def test_who_never_switches_loses_where_the_way_does_not_suit() -> None:
    assert rate(FAMILY, 4, "Moderate-Standard", FAMILY.novice) < 0.6
    assert rate(FAMILY, 4, "Moderate-Standard", FAMILY.oracle, held_out=True) == 1.0


@pytest.mark.parametrize("kind", sorted(TABLE["notes"]))
def test_every_wording_of_a_note_is_read_back(kind: str) -> None:
    for wording in TABLE["notes"][kind]:
        found, slots = BOOK.read(wording.format(n=12, m=34, place="Porto", sort="harp"))
        assert found == kind
        assert {"n": "12", "m": "34", "place": "Porto", "sort": "harp"}.items() >= slots.items()


def test_every_wording_of_the_grades_says_the_same() -> None:
    gaps = {"low": "rose", "middle": "lily", "high": "thistle", "x": "31", "y": "62"}
    for wording in TABLE["grades"]:
        assert read(wording, f"Before. {wording.format(**gaps)} After.", r"\w+") == gaps


@pytest.mark.parametrize("situation", sorted(TABLE["situations"]))
def test_names_stay_apart_when_misread(situation: str) -> None:
    story = TABLE["situations"][situation]
    assert taken_for_another(story["kinds"]) == taken_for_another(story["places"]) == []
