from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Episode, Task, play, shipped_regimes
from assay.worlds.families.priorities.duty import TABLE, Duty, Keeper, Rules
from assay.worlds.families.priorities.ranking import FeatureBound, Override, listed_goals, other_orders

FAMILY = Duty()
BASELINE = shipped_regimes()["Baseline"]
SITUATIONS = sorted(TABLE["situations"])


def drawn(level: int, number: int, situation: str = "dairy") -> Task:
    return FAMILY.draw(level, situation, Stream("duty", level, number))


def begun(task: Task) -> Episode:
    episode = Episode(FAMILY, task, BASELINE, Stream("f"))
    episode.begin()
    return episode


def judged(task: Task, done: dict[str, int]) -> tuple[str, ...]:
    return FAMILY.judge(task, {"done": done}, ()).because


def job(name: str, serves: str, hours: int, due: int, people: int = 5) -> dict[str, Any]:
    return {"job": name, "serves": serves, "hours": hours, "due": due, "people": people}


ORDER = ("repair", "delivery", "cleaning")
JOBS = [
    job("A", "repair", 4, 10),
    job("B", "delivery", 2, 3),
    job("C", "delivery", 5, 8, people=30),
    job("D", "cleaning", 1, 4),
    job("E", "cleaning", 3, 20),
]


def by_hand(rules: Rules, jobs: list[dict[str, Any]]) -> tuple[int, ...]:
    """The best counts over every sequence of all jobs."""
    found = []
    for order in permutations(jobs):
        hour, done = 0, {}
        for one in order:
            if hour + one["hours"] <= one["due"]:
                hour += one["hours"]
                done[one["job"]] = hour
        found.append(rules.counts(jobs, done))
    return max(found)


class TestRules:
    """The rules by themselves, on five jobs."""

    def test_the_highest_goal_may_be_served_later_than_others(self) -> None:
        counts, plan = Rules(ORDER).best(JOBS)
        assert counts == (1, 1, 2)
        assert plan.index("B") < plan.index("A")

    def test_an_exception_gives_a_job_the_rank_of_another_goal(self) -> None:
        rules = Rules(ORDER, Override("delivery", "repair", FeatureBound("people", "at_least", 30)))
        assert rules.rank(JOBS[2]) == 0
        assert rules.best(JOBS)[0] == (2, 0, 2)  # D, C and A by hour 10; then B is too late
        assert Rules(("delivery", "repair", "cleaning")).best(JOBS)[0] == (2, 0, 2)

    @pytest.mark.parametrize("number", range(6))
    def test_the_plan_is_as_good_as_the_best_of_all_sequences(self, number: int) -> None:
        task = drawn(3, number)
        brief = begun(task).brief
        rules = Keeper(brief).rules
        assert rules.best(task.setup["jobs"])[0] == by_hand(rules, task.setup["jobs"])
        assert list(by_hand(rules, task.setup["jobs"])) == task.criterion.expected["counts"]

    def test_who_begins_late_reaches_less(self) -> None:
        assert Rules(ORDER).best(JOBS, hour=7)[0] == (0, 0, 1)


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("level", sorted(FAMILY.levels))
def test_the_words_of_a_case_call_for_what_is_expected(level: int, situation: str) -> None:
    for number in range(5):
        task = drawn(level, number, situation)
        rules = Keeper(begun(task).brief).rules
        assert list(rules.order) == task.criterion.expected["order"]
        assert {one["job"]: rules.rank(one) for one in task.setup["jobs"]} == task.criterion.expected["ranks"]


def test_time_binds_and_the_highest_goal_can_be_served_in_full() -> None:
    for level in FAMILY.levels:
        for number in range(15):
            expected = drawn(level, number).criterion.expected
            ranks = list(expected["ranks"].values())
            assert expected["counts"][0] == ranks.count(0)
            assert expected["counts"][0] < sum(expected["counts"]) < len(ranks)


def test_no_order_that_nobody_declared_leads_to_the_same() -> None:
    """As the goals are listed, the last first, the one with most text first; each with and without the exception."""
    for level in FAMILY.levels:
        for number in range(12):
            task = drawn(level, number)
            rules, jobs = Keeper(begun(task).brief).rules, task.setup["jobs"]
            story = TABLE["situations"][task.situation]
            for order in other_orders(listed_goals(task.goal, story["goals"]), story):
                for override in (None, rules.override):
                    assert judged(task, dict.fromkeys(Rules(order, override).plan(jobs), 0))


def test_every_goal_is_served_by_as_many_jobs_as_any_other() -> None:
    for level in FAMILY.levels:
        served = [one["serves"] for one in drawn(level, 3).setup["jobs"]]
        assert {served.count(goal) for goal in served} == {2}


def test_a_lost_job_of_the_highest_goal_fails_the_case_whatever_else_is_right() -> None:
    task = drawn(5, 1)
    expected = task.criterion.expected
    played = play(FAMILY, task, BASELINE, Stream("f"), FAMILY.oracle)
    right = played.state["done"]
    assert judged(task, right) == ()
    top = next(name for name in right if expected["ranks"][name] == 0)
    late = right | {top: expected["due"][top] + 1}
    goal, count = expected["order"][0], expected["counts"][0]
    assert judged(task, late) == (f"the highest goal, {goal}: {count - 1} in time, not {count}",)
    assert judged(task, {name: hour for name, hour in right.items() if name != top}) == judged(task, late)


def test_done_at_the_hour_it_is_due_is_in_time() -> None:
    task = drawn(3, 2)
    expected = task.criterion.expected
    right = play(FAMILY, task, BASELINE, Stream("f"), FAMILY.oracle).state["done"]
    counted = [name for name, hour in right.items() if hour <= expected["due"][name]]
    assert judged(task, {name: expected["due"][name] for name in counted}) == ()
    assert judged(task, {name: expected["due"][name] + 1 for name in counted}) != ()


def test_what_is_won_for_a_lower_goal_does_not_make_up_for_a_higher_one() -> None:
    task = drawn(3, 4)
    expected = task.criterion.expected
    lowest = len(expected["order"]) - 1
    done = {name: 0 for name, rank in expected["ranks"].items() if rank == lowest}
    told = judged(task, done)
    assert told[0].startswith(f"the highest goal, {expected['order'][0]}: 0 in time")


def test_a_job_takes_its_hours_and_is_done_once() -> None:
    task = drawn(3, 0)
    episode = begun(task)
    first, second = task.setup["jobs"][:2]
    episode.act("do", {"job": first["job"]})
    seen = episode.act("do", {"job": second["job"]}).observation
    assert seen["hour"] == first["hours"] + second["hours"]
    assert seen["done"] == [
        {"job": first["job"], "hour": first["hours"]},
        {"job": second["job"], "hour": seen["hour"]},
    ]
    assert first["job"] not in [one["job"] for one in seen["jobs"]]
    again = episode.act("do", {"job": first["job"]})
    assert "is done already" in again.error
    assert again.observation["hour"] == seen["hour"]


def test_budgets_are_the_same_whatever_the_answer() -> None:
    for level in FAMILY.levels:
        assert len({(task.needed, task.most) for task in (drawn(level, n) for n in range(10))}) == 1


def test_neither_the_first_listed_objective_nor_a_novice_succeeds() -> None:
    for level in FAMILY.levels:
        for policy in (FAMILY.first_listed, FAMILY.novice):
            won = [
                play(FAMILY, drawn(level, n), BASELINE, Stream("f"), policy).judgement.success
                for n in range(15)
            ]
            assert sum(won) <= 2
