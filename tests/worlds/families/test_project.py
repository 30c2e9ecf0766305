from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Act, Episode, Seen, Task, play, shipped_regimes
from assay.worlds.families.project import SLOW, TABLE, Leader, Project, _inherited, handed_over
from tests.worlds.shortcuts.project import SHORTCUTS

FAMILY = Project()
BASELINE = shipped_regimes()["Baseline"]


def drawn(level: int, number: int, situation: str = "cottage") -> Task:
    return FAMILY.draw(level, situation, Stream("project", number))


def changing(*, slow: bool) -> Task:
    return next(t for n in range(50) if (t := drawn(3, n)).setup["changes"]["slow"] is slow)


def begun(task: Task) -> Episode:
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    episode.begin()
    return episode


def test_the_judge_tells_what_is_not_done_from_what_is_late() -> None:
    task = drawn(5, 1)
    by = dict(task.criterion.expected)
    step = next(iter(by))
    assert FAMILY.judge(task, {"done": by, "hour": 0}, ()).success
    late = FAMILY.judge(task, {"done": {**by, step: by[step] + 1}, "hour": 0}, ())
    assert late.because == (f"{step} was done at hour {by[step] + 1}, not by {by[step]}",)
    missing = FAMILY.judge(task, {"done": {k: v for k, v in by.items() if k != step}, "hour": 0}, ())
    assert missing.because == (f"{step} is not done",)


def test_twenty_steps_in_at_most_25_actions() -> None:
    for number in range(10):
        task = drawn(5, number)
        assert len(task.criterion.expected) == 20
        assert (task.needed, task.most) == (22, 25)


@pytest.mark.parametrize("situation", sorted(TABLE["situations"]))
def test_needs_never_go_in_circles_and_name_steps_of_the_project(situation: str) -> None:
    for level in (3, 5):
        for number in range(10):
            steps = drawn(level, number, situation).setup["steps"]
            names, done = {step["step"] for step in steps}, set[str]()
            while ready := {
                s["step"] for s in steps if s["step"] not in done and done.issuperset(s["needs"])
            }:
                done |= ready
            assert done == names


def test_a_step_waits_for_what_it_needs_and_for_someone_who_can() -> None:
    task = drawn(5, 3)
    episode = begun(task)
    steps = {step["step"]: step for step in task.setup["steps"]}
    needy = next(step for step in steps.values() if step["needs"])
    said = episode.act("assign", {"step": needy["step"], "worker": "Agnes"}).error
    assert said == f"{needy['step']} cannot begin yet"
    free = next(step for step in steps.values() if not step["needs"])
    workers = task.setup["workers"]
    stranger = next(w for w in workers if free["skill"] not in (w["good_at"], w["also_knows"]))
    assert (
        "does not know" in episode.act("assign", {"step": free["step"], "worker": stranger["worker"]}).error
    )
    assert episode.snapshot()["hour"] == 0
    slow = next(w for w in workers if free["skill"] == w["also_knows"])
    episode.act("assign", {"step": free["step"], "worker": slow["worker"]})
    assert episode.snapshot() == {"done": {free["step"]: 2 * free["hours"]}, "hour": 2 * free["hours"]}


def test_a_failure_takes_its_hours_and_undoes_what_it_stood_on_without_a_word_about_it() -> None:
    task = drawn(5, 1)
    fails = task.setup["fails"]
    played = play(FAMILY, task, BASELINE, Stream("f"), FAMILY.oracle)
    assert played.judgement.success
    done = [act.arguments["step"] for act in played.acts if act.name == "assign"]
    assert done.count(fails["step"]) == 2
    assert done.count(fails["again"]) == 2
    (seen,) = [seen for seen in played.seen if seen.error]
    assert seen.error == f"{fails['step']} did not succeed"
    assert {fails["step"], fails["again"]} <= {step["step"] for step in seen.observation["open"]}
    assert fails["again"] not in seen.observation["done"]


@pytest.mark.parametrize("slow", [True, False])
def test_only_hours_show_that_a_worker_is_not_as_listed(slow: bool) -> None:
    for number in range(30):
        task = drawn(3, number)
        changes = task.setup["changes"]
        worker = next(w for w in task.setup["workers"] if w["worker"] == changes["worker"])
        free = [s for s in task.setup["steps"] if s["skill"] == worker["good_at"] and not s["needs"]]
        if changes["slow"] is slow and free:
            break
    episode = begun(task)
    seen = episode.act("assign", {"step": free[0]["step"], "worker": worker["worker"]})
    takes = free[0]["hours"] * (SLOW if slow else 1)
    assert not seen.error
    assert seen.observation["hour"] == takes
    now = next(w for w in seen.observation["workers"] if w["worker"] == worker["worker"])
    assert now["hours_left"] == (worker["hours_left"] if slow else changes["works"]) - takes


def test_nobody_begins_what_the_hours_left_do_not_allow() -> None:
    task = changing(slow=False)
    played = play(FAMILY, task, BASELINE, Stream("f"), SHORTCUTS[3]["longest first"])
    assert any("in the hours left" in seen.error for seen in played.seen)
    assert not played.judgement.success


def test_the_best_choice_of_steps_to_hand_over_by_hand() -> None:
    assert handed_over([3, 5, 7], 20, None) == 10, "3 and 7: twice 10 hours fit"
    assert handed_over([3, 5, 7], 20, 9) == 7, "3 and 5 are kept"
    assert handed_over([3, 5, 7], 12, 9) is None, "7 would have to go, and takes 14"


def test_the_last_hour_allows_for_the_best_choice_whichever_step_comes_first() -> None:
    """No order in which the steps can be done makes the task unsolvable for who plans anew."""

    class Reversed(Leader):
        def step(self, observation: dict[str, Any], seen: Seen) -> Act:
            return super().step({**observation, "open": observation["open"][::-1]}, seen)

    for number in range(30):
        for policy in (Leader, Reversed):
            assert play(FAMILY, drawn(3, number), BASELINE, Stream("f"), policy).judgement.success


class Listed(Leader):
    """Changes its plan when it must, but does not mind the hours by which steps are due."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        self._due = {step["step"]: 0 for step in observation["open"]} | dict.fromkeys(observation["done"], 0)
        return super().step(observation, seen)


def test_the_hours_bind_only_whoever_orders_by_them_is_in_time() -> None:
    def solved(policy: type[Leader]) -> int:
        return sum(
            play(FAMILY, drawn(5, n), BASELINE, Stream("f"), policy).judgement.success for n in range(40)
        )

    assert solved(Leader) == 40
    assert solved(Listed) < 12


def test_what_is_needed_inherits_the_hour_of_what_needs_it() -> None:
    steps = [
        {"step": "a", "needs": [], "hours": 2, "by": 90},
        {"step": "b", "needs": ["a"], "hours": 3, "by": 50},
        {"step": "c", "needs": ["b"], "hours": 4, "by": 10},
    ]
    assert _inherited(steps) == {"a": 3, "b": 6, "c": 10}


def test_the_novice_goes_on_as_planned_and_is_late() -> None:
    for task in (changing(slow=True), changing(slow=False), drawn(5, 1)):
        assert not play(FAMILY, task, BASELINE, Stream("f"), FAMILY.novice).judgement.success
