from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.streams import Stream
from assay.worlds import Brief, Episode, Task, play, shipped_regimes
from assay.worlds.families.priorities.ranking import FeatureBound, Override, listed_goals, other_orders
from assay.worlds.families.priorities.shedding import TABLE, Operator, Rules, Shedding

FAMILY = Shedding()
BASELINE = shipped_regimes()["Baseline"]
SITUATIONS = sorted(TABLE["situations"])


def drawn(level: int, number: int, situation: str = "island") -> Task:
    return FAMILY.draw(level, situation, Stream("shedding", level, number))


def unit(name: str, serves: str, draws: int, people: int) -> dict[str, Any]:
    return {"unit": name, "serves": serves, "draws": draws, "people": people}


def begun(task: Task) -> Episode:
    return Episode(FAMILY, task, BASELINE, Stream("f"))


def judged(task: Task, *off: list[str]) -> tuple[str, ...]:
    return FAMILY.judge(task, {"off": list(off)}, ()).because


UNITS = [
    unit("A", "radio", 10, 5),
    unit("B", "radio", 20, 50),
    unit("C", "bathing", 30, 40),
    unit("D", "bathing", 5, 60),
    unit("E", "harvest", 12, 70),
    unit("F", "harvest", 8, 20),
]


class TestRules:
    """The rules by themselves, on six units that draw 85 together."""

    def test_the_lowest_goal_goes_first_and_no_more_than_needed(self) -> None:
        rules = Rules(("radio", "bathing", "harvest"), "draws high")
        assert rules.off(UNITS, 85) == []
        assert rules.off(UNITS, 84) == rules.off(UNITS, 73) == ["E"]
        assert rules.off(UNITS, 72) == ["E", "F"]
        assert rules.off(UNITS, 60) == ["E", "F", "C"]

    def test_what_goes_first_among_equals_is_declared(self) -> None:
        order = ("radio", "bathing", "harvest")
        assert Rules(order, "draws low").off(UNITS, 80) == ["F"]
        assert Rules(order, "people high").off(UNITS, 80) == ["E"]
        assert Rules(order, "people low").off(UNITS, 80) == ["F"]

    def test_an_exception_gives_the_rank_of_another_goal(self) -> None:
        override = Override("harvest", "radio", FeatureBound("people", "at_least", 70))
        rules = Rules(("radio", "bathing", "harvest"), "draws high", override)
        assert rules.off(UNITS, 75) == ["F", "C"]

    def test_a_scope_puts_the_rest_of_the_first_goal_last(self) -> None:
        two = UNITS[:4]
        rules = Rules(("radio", "bathing"), "draws high", scope=FeatureBound("people", "above", 5))
        assert rules.off(two, 55) == ["A"]
        assert rules.off(two, 54) == ["A", "C"]

    def test_what_may_never_go_is_passed_over(self) -> None:
        rules = Rules(
            ("radio", "bathing", "harvest"), "draws high", never=FeatureBound("draws", "at_least", 12)
        )
        assert rules.off(UNITS, 84) == ["F"]
        assert rules.off(UNITS, 76) == ["F", "D"]


@pytest.mark.parametrize("compare", ["at_least", "above", "below", "at_most"])
def test_the_four_comparisons_differ_at_the_border(compare: str) -> None:
    held = [FeatureBound("people", compare, 10).holds({"people": n}) for n in (9, 10, 11)]
    assert held == {
        "at_least": [False, True, True],
        "above": [False, False, True],
        "below": [True, False, False],
        "at_most": [True, True, False],
    }[compare]  # fmt: skip


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("level", sorted(FAMILY.levels))
def test_the_words_of_a_case_call_for_what_is_expected(level: int, situation: str) -> None:
    """The rules are read from each text alone; at level 4 both texts call for the same."""
    for number in range(15):
        task = drawn(level, number, situation)
        brief = Episode(FAMILY, task, BASELINE, Stream("f")).brief
        for part in task.setup["parts"]:
            rules = Operator(_with_goal(brief, part["goal"])).rules
            off = rules.off(part["units"], task.setup["limit"], task.setup["stuck"])
            assert sorted(off) == task.criterion.expected["off"]


def _with_goal(brief: Brief, goal: str) -> Brief:
    return msgspec.structs.replace(brief, goal=goal)


def test_the_constraint_binds_and_the_highest_goal_can_be_kept_whole() -> None:
    for level in FAMILY.levels:
        for number in range(30):
            task = drawn(level, number)
            units = task.setup["parts"][0]["units"]
            assert sum(one["draws"] for one in units) > task.setup["limit"]
            assert not set(task.criterion.expected["off"]) & set(task.criterion.expected["top"])


def test_every_goal_is_served_by_as_many_units_as_any_other() -> None:
    for level in FAMILY.levels:
        served = [one["serves"] for one in drawn(level, 3).setup["parts"][0]["units"]]
        assert len({served.count(goal) for goal in served}) == 1


def test_no_order_that_nobody_declared_leads_to_the_same() -> None:
    """As the goals are listed, the last first, the one with most text first; each with and without the exception."""
    for level in (2, 3, 4, 5):
        for number in range(12):
            task = drawn(level, number)
            rules, part = Operator(begun(task).brief).rules, task.setup["parts"][0]
            story = TABLE["situations"][task.situation]
            for order in other_orders(listed_goals(task.goal, story["goals"]), story):
                for override in (None, rules.override):
                    other = Rules(order, rules.first, override)
                    off = other.off(part["units"], task.setup["limit"], task.setup["stuck"])
                    assert judged(task, *[off] * len(task.setup["parts"]))


def test_half_of_the_rules_for_two_goals_hold_for_a_part_only() -> None:
    plain = [
        play(FAMILY, drawn(1, n), BASELINE, Stream("f"), FAMILY.novice).judgement.success for n in range(80)
    ]
    assert 25 < sum(plain) < 55


def test_the_verdict_names_what_went_out_of_turn_and_what_was_left_on() -> None:
    task = drawn(2, 4)
    right, top = task.criterion.expected["off"], task.criterion.expected["top"]
    assert judged(task, right) == judged(task, right[::-1]) == ()
    assert judged(task, right[1:]) == (f"left on: {right[0]}",)
    assert judged(task, [*right, top[0]]) == (f"the highest goal lost {top[0]}",)
    other = next(one["unit"] for one in task.setup["parts"][0]["units"] if one["unit"] not in [*right, *top])
    assert judged(task, [*right, other]) == (f"out of turn: {other}",)
    assert judged(task, []) == (f"left on: {', '.join(right)}",)


def test_both_cases_must_be_decided_alike_and_rightly() -> None:
    task = drawn(4, 2)
    right = task.criterion.expected["off"]
    assert judged(task, right, right[::-1]) == ()
    assert judged(task, right, right[1:]) == (
        f"case 2: left on: {right[0]}",
        "the two cases were decided differently",
    )
    assert judged(task, right[1:], right[1:]) == tuple(f"case {n}: left on: {right[0]}" for n in (1, 2))


def test_the_second_case_names_goals_and_units_in_another_sequence() -> None:
    for number in range(20):
        one, two = drawn(4, number).setup["parts"]
        goals = TABLE["situations"]["island"]["goals"]
        assert listed_goals(one["goal"], goals) != listed_goals(two["goal"], goals)
        assert sorted(map(str, one["units"])) == sorted(map(str, two["units"]))


def test_switching_off_shows_in_what_is_drawn_and_cannot_be_repeated() -> None:
    task = drawn(1, 0)
    episode = Episode(FAMILY, task, BASELINE, Stream("f"))
    before = episode.begin().observation
    first = before["units"][0]
    seen = episode.act("switch_off", {"unit": first["unit"]})
    assert seen.observation["drawn"] == before["drawn"] - first["draws"]
    assert "is off already" in episode.act("switch_off", {"unit": first["unit"]}).error


def test_notes_contradict_the_rules_and_change_nothing() -> None:
    task = drawn(3, 6)
    assert len(task.setup["parts"][0]["notes"]) == 2
    assert "notes" not in Episode(FAMILY, drawn(2, 6), BASELINE, Stream("f")).begin().observation


def test_where_a_switch_does_not_respond_the_turn_passes_on() -> None:
    for level in (3, 5):
        task = drawn(level, 1)
        (stuck,) = task.setup["stuck"]
        assert stuck not in task.criterion.expected["off"]
        episode = begun(task)
        assert episode.begin().observation["stuck"] == []
        seen = episode.act("switch_off", {"unit": stuck})
        assert "does not respond" in seen.error
        assert (seen.observation["stuck"], seen.observation["off"]) == ([stuck], [])
        played = play(FAMILY, task, BASELINE, Stream("f"), FAMILY.oracle)
        assert stuck in [act.arguments.get("unit") for act in played.acts]
        assert played.judgement.success


def test_budgets_are_the_same_whatever_the_answer() -> None:
    for level in FAMILY.levels:
        assert len({(task.needed, task.most) for task in (drawn(level, n) for n in range(20))}) == 1


def test_the_first_listed_objective_is_not_the_one_that_counts() -> None:
    for level, most in {1: 0.4, 2: 0.0, 3: 0.0, 4: 0.0, 5: 0.0}.items():
        won = [
            play(FAMILY, drawn(level, n), BASELINE, Stream("f"), FAMILY.first_listed).judgement.success
            for n in range(40)
        ]
        assert sum(won) <= most * 40
