from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Act, Brief, Episode, Seen, Task, play, shipped_regimes
from assay.worlds.families.revision.deadline import SITES, TABLE, Deadline, Planner, understood
from assay.worlds.families.revision.deadline_cases import (
    CRITERIA,
    allowed_plans,
    cost_of,
    ready_on,
    remedies,
    rescues,
)

FAMILY = Deadline()
BASELINE = shipped_regimes()["Baseline"]
PARTS = {
    "stage": {"crew": "painters", "days": 3},
    "ramp": {"crew": "painters", "days": 2},
    "fence": {"crew": "joiners", "days": 4},
}
AWAY = {"painters": [6, 8], "joiners": [5]}


def drawn(level: int, number: int, situation: str = "fair") -> Task:
    return FAMILY.draw(level, situation, Stream("deadline", level, number))


def judged(task: Task, *acts: tuple[str, dict[str, Any]]) -> tuple[str, ...]:
    """What is wrong after these actions."""
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    episode.begin()
    for name, arguments in acts:
        episode.act(name, arguments)
    return episode.judge(episode.snapshot()).because


def of_kind(level: int, kind: str) -> Task:
    """The first instance whose expected answer has this word in it."""
    return next(task for n in range(200) if kind in str((task := drawn(level, n)).criterion.expected))


def test_a_plan_is_ready_when_its_slowest_crew_is_and_days_away_do_not_count() -> None:
    assert ready_on(PARTS, AWAY, 5) == 11, "painters work on days 5, 7, 9, 10 and 11"
    assert ready_on({"fence": PARTS["fence"]}, AWAY, 5) == 9
    assert cost_of(PARTS, {"painters": 100, "joiners": 70}) == 780


def test_what_makes_an_impossible_plan_possible_by_hand() -> None:
    goal = {"first": 5, "due": 9, "last": 10, "drops": ["ramp", "fence"]}
    assert remedies(PARTS, AWAY, {**goal, "due": 11}) == ["commit"]
    assert remedies(PARTS, AWAY, goal) == ["ramp"], "without it painters are ready on day 9"
    assert remedies(PARTS, AWAY, {**goal, "due": 8, "last": 11}) == ["day"]
    assert remedies(PARTS, AWAY, {**goal, "due": 8}) == []


def test_the_budget_and_the_waiver_decide_what_can_be_left_out() -> None:
    days, waivers = {"ramp": 2, "fence": 4}, {"ramp": 100, "fence": 500}
    goal = {"rate": 100, "due": 13, "last": 16, "most": 1150, "drops": ["ramp", "fence"]}
    assert rescues(days, waivers, 10, 600, goal) == ["ramp"], (
        "all: 1200; without ramp 1100; without fence 1300"
    )
    assert rescues(days, waivers, 10, 600, {**goal, "most": 1300}) == ["day", "ramp", "fence"]
    assert rescues(days, waivers, 10, 600, {**goal, "most": 1300, "due": 15}) == ["as planned"]
    assert rescues(days, waivers, 10, 700, goal) == []


@pytest.mark.parametrize("slot", [s for s in TABLE if isinstance(TABLE[s], list)])
def test_every_slot_has_six_wordings(slot: str) -> None:
    assert len(set(TABLE[slot])) >= 6


@pytest.mark.parametrize("situation", sorted(SITES))
@pytest.mark.parametrize("level", [1, 2, 3, 5])
def test_the_words_of_a_goal_say_what_its_case_was_drawn_with(situation: str, level: int) -> None:
    for number in range(15):
        task = drawn(level, number, situation)
        found = understood(task.goal, level, SITES[situation])
        assert found["due"] == task.setup["due"]
        assert found.get("most", 0) == task.criterion.expected.get("most", found.get("most", 0))


def test_a_third_of_requests_is_possible_and_no_other_answer_is_right_more_often() -> None:
    for level in (1, 2):
        found = [drawn(level, n).criterion.expected["action"] for n in range(300)]
        assert 0.25 < found.count("commit") / 300 < 0.42
        assert max(found.count(name) for name in set(found)) < 0.52 * 300
    named = [drawn(1, n).criterion.expected["arguments"].get("demand") for n in range(300)]
    assert all(0.1 < named.count(demand) / 300 < 0.22 for demand in ("deadline", "budget", "crew"))


def test_level_1_wants_the_demand_named_and_the_commitment_exact() -> None:
    task = of_kind(1, "halt")
    right = task.criterion.expected["arguments"]["demand"]
    assert judged(task, ("halt", {"demand": right})) == ()
    other = "budget" if right != "budget" else "crew"
    assert judged(task, ("halt", {"demand": other})) == ("demand is wrong",)
    assert judged(task) == ("nothing was decided",)
    task = of_kind(1, "commit")
    right = task.criterion.expected["arguments"]
    assert judged(task, ("commit", right)) == ()
    assert judged(task, ("commit", {**right, "day": right["day"] + 1})) == ("day is wrong",)
    assert judged(task, ("ask", {"part": "stage"})) == (
        "the request was answered with ask, and calls for commit",
    )


def test_level_2_takes_any_proposal_that_is_allowed_and_can_be_kept() -> None:
    task = of_kind(2, "'none'")
    days = [day for day, _ in task.criterion.expected["allowed"]]
    for day in days:
        assert judged(task, ("propose", {"day": day, "leave_out": "none"})) == ()
    for day, part in ((days[0] - 1, "none"), (days[-1] + 1, "none"), (days[0], "stage")):
        assert judged(task, ("propose", {"day": day, "leave_out": part})) == (
            "the proposal is not allowed, or cannot be kept",
        )
    assert judged(task, ("commit", {})) != ()


def test_level_2_does_not_take_a_proposal_for_what_is_possible() -> None:
    task = of_kind(2, "commit")
    assert judged(task, ("commit", {})) == ()
    assert judged(task, ("propose", {"day": task.setup["due"] + 1, "leave_out": "none"})) != ()


def built(task: Task, *, without: str = "") -> list[tuple[str, dict[str, Any]]]:
    return [("build", {"part": p["part"]}) for p in task.setup["parts"] if p["part"] != without]


def test_level_3_shows_only_by_the_day_that_a_part_took_longer() -> None:
    task = next(t for n in range(20) if (t := drawn(3, n)).criterion.expected["left_out"])
    late, longer = next(iter(task.setup["longer"].items()))
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    before = episode.begin().observation
    for _, arguments in built(task):
        seen = episode.act("build", arguments)
        assert not seen.error
        if arguments["part"] == late:
            break
    listed = sum(p["takes"] for p in task.setup["parts"][: task.setup["parts"].index(_row(task, late)) + 1])
    assert seen.observation["next_day"] == before["next_day"] + listed + longer
    assert [p["takes"] for p in seen.observation["parts"]] == [p["takes"] for p in before["parts"]]


def _row(task: Task, part: str) -> dict[str, Any]:
    return next(row for row in task.setup["parts"] if row["part"] == part)


def test_level_3_refuses_late_delivery_needless_changes_and_parts_that_are_needed() -> None:
    task = next(t for n in range(20) if (t := drawn(3, n)).criterion.expected["left_out"])
    (part,) = task.criterion.expected["left_out"]
    leave: tuple[str, dict[str, Any]] = ("leave_out", {"part": part})
    deliver: tuple[str, dict[str, Any]] = ("deliver", {})
    assert judged(task, leave, *built(task, without=part), deliver) == ()
    assert judged(task, *built(task), deliver) != ()
    assert judged(task, *built(task), ("move_deadline", {"day": 99}), deliver) != ()
    assert judged(task, ("call_off", {})) != ()
    other = next(p["part"] for p in reversed(task.setup["parts"]) if p["part"] != part)
    wrong = judged(task, ("leave_out", {"part": other}), *built(task, without=other), deliver)
    assert "what was left out is not what had to be" in wrong
    moved = judged(task, leave, ("move_deadline", {"day": 99}), *built(task, without=part), deliver)
    assert moved == ("the deadline was moved to day 99, which was not called for",)


def test_trying_what_was_refused_again_and_again_is_a_failure() -> None:
    task = next(t for n in range(20) if (t := drawn(3, n)).criterion.expected["left_out"])
    (part,) = task.criterion.expected["left_out"]
    rest = [("leave_out", {"part": part}), *built(task, without=part), ("deliver", {})]
    assert judged(task, *[("deliver", {})] * 2, *rest) == ()
    assert judged(task, *[("deliver", {})] * 3, *rest) == (
        "delivery was tried 3 times, though it was refused",
    )


def test_level_5_has_one_best_plan_and_each_criterion_first_would_choose_another() -> None:
    for number in range(10):
        task = drawn(5, number)
        goal = understood(task.goal, 5, SITES["fair"])
        parts = {p["part"]: {**p, "days": int(p["takes"].split()[0])} for p in task.setup["parts"]}
        plans = dict(allowed_plans(parts, {c["crew"]: c for c in task.setup["crews"]}, goal))
        best = min(plans, key=lambda plan: [plans[plan][name] for name in goal["ranks"]])
        assert list(best) == task.criterion.expected["left_out"]
        assert () not in plans or plans[()]["delay"] > 0, "the plan as requested cannot be kept"
        for name in set(CRITERIA) - {goal["ranks"][0]}:
            assert plans[best][name] > min(plan[name] for plan in plans.values())


def test_level_5_takes_the_best_plan_only() -> None:
    task = drawn(5, 3)
    right = task.criterion.expected
    acts = [("leave_out", {"part": part}) for part in right["left_out"]]
    move = ("move_deadline", {"day": right["deadline"]})
    assert judged(task, *acts, move, ("commit", {})) == ()
    assert judged(task, *acts, move) == ("nothing was decided",)
    assert judged(task, move, ("commit", {})) != ()
    later = ("move_deadline", {"day": right["deadline"] + 1})
    assert judged(task, *acts, later, ("commit", {})) != ()


def test_budgets_are_the_same_whatever_the_answer() -> None:
    for level in (1, 2, 3, 5):
        assert len({(task.needed, task.most) for task in (drawn(level, n) for n in range(15))}) == 1


class NoCalendar(Planner):
    """Works on every day, away or not."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if "crews" in observation:
            crews = [{**crew, "away": []} for crew in observation["crews"]]
            observation = {**observation, "crews": crews}
        return super().step(observation, seen)


@pytest.mark.parametrize(("level", "most"), [(1, 24), (2, 26), (5, 24)])
def test_the_days_on_which_crews_are_away_matter(level: int, most: int) -> None:
    def careless(brief: Brief) -> NoCalendar:
        return NoCalendar(brief)

    won = sum(
        play(FAMILY, drawn(level, n), BASELINE, Stream("f"), careless).judgement.success for n in range(40)
    )
    assert won <= most
