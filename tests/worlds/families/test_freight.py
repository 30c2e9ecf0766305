from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Episode, Task, play, shipped_regimes
from assay.worlds.families.revision.freight import SITES, TABLE, Freight, understood
from assay.worlds.families.revision.freight_cases import (
    CRITERIA,
    allowed_loads,
    allowed_pairs,
    answer,
    unmet,
)

FAMILY = Freight()
BASELINE = shipped_regimes()["Baseline"]
GOAL = {
    "town": "Arden",
    "load": 20,
    "due": 15,
    "most": 300,
    "wagon": "chilled",
    "other": "padded",
    "last": 17,
    "least": 16,
}


def run(
    arrives: int, room: int, price: int = 300, wagon: str = "chilled", to: str = "Arden"
) -> dict[str, Any]:
    return {"to": to, "wagon": wagon, "arrives": arrives, "room": room, "price": price}


def drawn(level: int, number: int, situation: str = "flowers") -> Task:
    return FAMILY.draw(level, situation, Stream("freight", level, number))


def judged(task: Task, *acts: tuple[str, dict[str, Any]]) -> tuple[str, ...]:
    """What is wrong after these actions."""
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    episode.begin()
    for name, arguments in acts:
        episode.act(name, arguments)
    return episode.judge(episode.snapshot()).because


def book(name: str, load: int) -> tuple[str, dict[str, Any]]:
    return "book", {"run": name, "load": load}


def test_what_a_run_does_not_meet_by_hand() -> None:
    assert unmet(run(15, 20), GOAL) == []
    assert unmet(run(16, 19, 301, "padded"), GOAL) == ["load", "time", "price", "wagon"]
    assert unmet(run(12, 20), {**GOAL, "earliest": 13}) == ["time"]


def test_the_demand_to_halt_at_is_the_one_without_which_a_run_would_do() -> None:
    late, dear = run(16, 20), run(16, 20, 310)
    assert answer({"R1": late, "R2": dear}, GOAL) == ("halt", "time")
    assert answer({"R1": late, "R2": run(15, 20, to="Belmont")}, GOAL) == ("halt", "time")
    assert answer({"R1": late, "R2": run(15, 20)}, GOAL) == ("book", "R2")
    assert answer({"R1": late, "R2": run(15, 19)}, GOAL) == ("", ""), "two demands could go"


def test_one_change_as_far_as_it_is_allowed_by_hand() -> None:
    runs = {
        "R1": run(17, 20),
        "R2": run(18, 20),
        "R3": run(15, 17),
        "R4": run(15, 15),
        "R5": run(15, 20, wagon="padded"),
        "R6": run(17, 20, wagon="padded"),
        "R7": run(15, 20, 310),
    }
    assert allowed_loads(runs, GOAL) == [("R1", 20), ("R3", 16), ("R3", 17), ("R5", 20)]


@pytest.mark.parametrize("slot", [s for s in TABLE if isinstance(TABLE[s], list)])
def test_every_slot_has_six_wordings(slot: str) -> None:
    assert len(set(TABLE[slot])) >= 6


def _runs(part: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["run"]: {**row, "room": int(row["room"].split()[0])} for row in part["runs"]}


@pytest.mark.parametrize("situation", sorted(SITES))
def test_the_words_of_a_goal_call_for_what_is_expected(situation: str) -> None:
    for number in range(15):
        (part,) = drawn(1, number, situation).setup["parts"]
        found = understood(part["goal"], 1, SITES[situation])
        right = drawn(1, number, situation).criterion.expected
        if found["contradiction"]:
            assert right == {"action": "ask", "arguments": {"demand": found["contradiction"]}}
        else:
            name, what = answer(_runs(part), found)
            assert (name, what) == (right["action"], next(iter(right["arguments"].values())))
        task = drawn(4, number, situation)
        for part in task.setup["parts"]:
            allowed = allowed_loads(_runs(part), understood(part["goal"], 4, SITES[situation]))
            assert sorted(map(list, allowed)) == sorted(task.criterion.expected["allowed"])


def test_level_1_a_demand_is_stated_twice_whatever_the_answer() -> None:
    """Else a second mention alone would tell a contradiction."""
    said = {"book": 0, "halt": 0, "ask": 0}
    for number in range(300):
        said[drawn(1, number).criterion.expected["action"]] += 1
        goal = drawn(1, number).goal
        understood(goal, 1, SITES["flowers"])
    assert all(0.2 < count / 300 < 0.45 for count in said.values())


def test_level_1_wants_the_demand_named() -> None:
    task = next(t for n in range(99) if (t := drawn(1, n)).criterion.expected["action"] == "halt")
    demand = task.criterion.expected["arguments"]["demand"]
    other = "price" if demand != "price" else "time"
    assert judged(task, ("halt", {"demand": demand})) == ()
    assert judged(task, ("halt", {"demand": other})) == ("demand is wrong",)
    assert judged(task, ("ask", {"demand": demand})) == (
        "the request was answered with ask, and calls for halt",
    )
    assert judged(task, ("book", {"run": "R1"})) != ()
    assert judged(task) == ("nothing was decided",)


def test_level_4_puts_one_case_twice_and_two_runs_are_allowed() -> None:
    for number in range(20):
        task = drawn(4, number)
        first, second = task.setup["parts"]
        assert first["goal"] != second["goal"]
        allowed = {name for name, _ in task.criterion.expected["allowed"]}
        assert len(allowed) == 2
        orders = [[row["run"] for row in part["runs"] if row["run"] in allowed] for part in (first, second)]
        assert orders[0] == orders[1][::-1], "whoever takes the first that is allowed decides in two ways"


def test_level_4_refuses_two_different_bookings_that_are_both_allowed() -> None:
    task = drawn(4, 2)
    one, *_, other = task.criterion.expected["allowed"]
    assert judged(task, book(*one), book(*one)) == judged(task, book(*other), book(*other)) == ()
    assert judged(task, book(*one), book(*other)) == ("the two bookings differ",)
    assert judged(task, book(*one)) == ("the shipment was not booked both times",)
    assert judged(task, book("R1", 99), book("R1", 99)) == ("what was booked is not allowed",) * 2


def test_nothing_shows_that_a_case_is_put_twice() -> None:
    episode = Episode(FAMILY, drawn(4, 3), BASELINE, Stream("faults"))
    assert set(episode.begin().observation) == {"runs"}


def test_level_5_has_one_best_pair_and_each_criterion_first_would_choose_another() -> None:
    for number in range(10):
        task = drawn(5, number)
        goal = understood(task.goal, 5, SITES["flowers"])
        left = {name: one for name, one in task.setup["runs"].items() if name not in task.setup["full"]}
        pairs = dict(allowed_pairs(left, goal))
        best = min(pairs, key=lambda pair: [pairs[pair][name] for name in goal["ranks"]])
        assert sorted(best) == task.criterion.expected["booked"]
        assert all(one["delay"] + one["left"] for one in pairs.values()), "the request cannot be met"
        for name in set(CRITERIA) - {goal["ranks"][0]}:
            assert pairs[best][name] > min(one[name] for one in pairs.values())


def test_runs_that_do_not_meet_are_no_pair() -> None:
    goal = {"town": "C", "start": "A", "hub": "B", "load": 10, "least": 8, "due": 12, "last": 14, "most": 99}
    leg = {"room": 9, "price": 20}
    runs = {
        "R1": {**leg, "from": "A", "to": "B", "leaves": 1, "arrives": 6},
        "R2": {**leg, "from": "B", "to": "C", "leaves": 8, "arrives": 13},
    }
    assert allowed_pairs(runs, {**goal, "change": 2}) == [
        (("R1", "R2"), {"delay": 1, "price": 40, "left": 1})
    ]
    assert allowed_pairs(runs, {**goal, "change": 3}) == []
    assert allowed_pairs(runs, {**goal, "change": 2, "most": 39}) == []
    assert allowed_pairs(runs, {**goal, "change": 2, "least": 10}) == []


def test_level_5_a_full_run_shows_when_it_is_booked_and_trying_it_again_and_again_is_a_failure() -> None:
    task = next(t for n in range(20) if (t := drawn(5, n)).setup["full"])
    (full,) = task.setup["full"]
    right = task.criterion.expected
    rest = [("book", {"run": name}) for name in right["booked"]] + [("confirm", {"load": right["confirmed"]})]
    again: tuple[str, dict[str, Any]] = ("book", {"run": full})
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    assert episode.begin().observation["full"] == []
    seen = episode.act(*again)
    assert (seen.error, seen.observation["full"]) == (f"{full} is full", [full])
    assert judged(task, again, *rest) == judged(task, again, again, *rest) == ()
    assert judged(task, again, again, again, *rest) == (
        f"booking {full} was tried 3 times, though it was refused",
    )


def test_level_5_takes_the_best_pair_with_the_largest_load_only() -> None:
    task = drawn(5, 4)
    right = task.criterion.expected
    booked = [("book", {"run": name}) for name in right["booked"]]
    assert judged(task, *booked, ("confirm", {"load": right["confirmed"]})) == ()
    assert judged(task, *booked) == ("nothing was confirmed",)
    assert judged(task, *booked, ("confirm", {"load": right["confirmed"] - 1})) == (
        f"{right['confirmed'] - 1} were sent, and {right['confirmed']} could be",
    )


def test_a_run_can_be_released_and_another_taken_on_the_same_leg() -> None:
    for number in range(30):
        played = play(FAMILY, drawn(5, number), BASELINE, Stream("f"), FAMILY.oracle)
        assert played.judgement.success
        if any(act.name == "release" for act in played.acts):
            return
    pytest.fail("no instance makes it necessary to release a run")


def test_budgets_are_the_same_whatever_the_answer() -> None:
    for level in (1, 4, 5):
        assert len({(task.needed, task.most) for task in (drawn(level, n) for n in range(15))}) == 1
