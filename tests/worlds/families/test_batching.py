from __future__ import annotations

from typing import Any

import pytest

from assay.worlds import Act, Task, check_family
from assay.worlds.families.metacontrol.batching import BOOK, TABLE, TOOLS, WAYS, Batching, MachineJob
from assay.worlds.tiers import FIXED, StrategyFamily

from .modelling import acted, begun, instances, rate, why

FAMILY = Batching()
TASKS = list(instances(FAMILY, 4, 60))
# 20 pieces, of which 8 are accepted after a setting: whole 10 + 20·3 + 12·6, portions 3·(10 + 5) + 20·3, by hand 20·9.
JOB = MachineJob(20, 8, 10, 5, 3, 6, 9)


def job(task: Task) -> MachineJob:
    return MachineJob(**task.setup["job"])


def suited(way: str) -> Task:
    """An instance that a way suits."""
    return next(task for task in TASKS if task.criterion.expected["suits"] == way)


def portion(task: Task, pieces: int, *, dial: int | None = None) -> Act:
    right = task.criterion.expected["dial"]
    return Act("run_portion", {"pieces": pieces, "dial": right if dial is None else dial})


def made(task: Task, way: str) -> list[Act]:
    """What is done by who goes one way as it is to be gone, the portions without any repair."""
    right = task.criterion.expected
    if way == "whole":
        return [Act("run_all", {"dial": right["dial"]})]
    if way == "hand":
        return [Act("make_by_hand", {"tool": right["tool"]})]
    largest = min(job(task).good, job(task).pieces // 2)
    full, rest = divmod(job(task).pieces, largest)
    return [portion(task, size) for size in [largest] * full + [rest] * (rest > 0)]


def test_it_keeps_the_contract() -> None:
    assert isinstance(FAMILY, StrategyFamily)
    assert check_family(FAMILY, instances=20) == []


def test_what_each_way_takes() -> None:
    assert JOB.minutes("whole") == 10 + 60 + 72
    assert JOB.portioned(3) == JOB.minutes("portions") == 3 * 15 + 60
    assert JOB.portioned(2) == 2 * 15 + 60 + 4 * 6
    assert JOB.minutes("hand") == 180
    assert JOB.best() == "portions"


def test_portions_are_as_few_and_as_equal_as_can_be() -> None:
    assert sorted(JOB.sizes(3)) == [6, 7, 7]
    assert sum(JOB.sizes(7)) == 20


def test_in_every_instance_one_way_is_in_time_and_the_others_are_not() -> None:
    for task in TASKS:
        right = task.criterion.expected
        fits = [way for way in WAYS if job(task).minutes(way) <= right["time"]]
        assert fits == [right["suits"]]


@pytest.mark.parametrize("way", WAYS)
def test_the_order_counts_only_by_the_way_that_suits(way: str) -> None:
    for task in TASKS[:20]:
        said = why(FAMILY, task, *made(task, way))
        assert (said == ()) == (task.criterion.expected["suits"] == way)
        assert all("minutes" in because for because in said)


def test_each_way_suits_a_quarter_of_instances_or_more() -> None:
    suits = [task.criterion.expected["suits"] for task in instances(FAMILY, 4, 300)]
    assert all(0.25 <= suits.count(way) / 300 <= 0.40 for way in WAYS)


def test_no_number_of_portions_helps_where_portions_do_not_suit() -> None:
    for task in TASKS:
        right = task.criterion.expected
        if right["suits"] != "portions":
            assert all(job(task).portioned(count) > right["time"] for count in range(2, job(task).pieces + 1))


def test_a_wrong_dial_or_tool_fails_in_spite_of_the_right_way() -> None:
    task = suited("whole")
    for wrong in (-1, 1):
        acts = [Act("run_all", {"dial": task.criterion.expected["dial"] + wrong})]
        assert why(FAMILY, task, *acts) == ("the dial was set wrongly",)
    task = suited("hand")
    for tool in TOOLS:
        said = why(FAMILY, task, Act("make_by_hand", {"tool": tool}))
        assert said == (
            () if tool == task.criterion.expected["tool"] else ("the tool is not the one for that length",)
        )


def test_one_wrong_dial_among_portions_is_enough_to_fail() -> None:
    task = suited("portions")
    *first, last = made(task, "portions")
    assert why(FAMILY, task, *first, portion(task, last.arguments["pieces"], dial=1)) == (
        "the dial was set wrongly",
    )


def test_an_order_that_is_not_complete_fails() -> None:
    task = suited("portions")
    first, *_ = made(task, "portions")
    (said,) = why(FAMILY, task, first)
    assert said == f"{first.arguments['pieces']} of {job(task).pieces} pieces were made"


def test_a_portion_is_half_of_the_order_at_most() -> None:
    task = suited("whole")
    episode, _ = begun(FAMILY, task)
    half = job(task).pieces // 2
    assert "more than half" in episode.act("run_portion", {"pieces": half + 1, "dial": 1}).error
    assert FAMILY.strategy(task, episode.snapshot()) == ""
    assert episode.act("run_portion", {"pieces": half, "dial": 1}).observation["portions"] == [half]
    episode.act("run_portion", {"pieces": half - 1, "dial": 1})
    assert "still to be made" in episode.act("run_portion", {"pieces": 2, "dial": 1}).error
    assert episode.act("run_portion", {"pieces": 1, "dial": 1}).done


def test_the_way_begun_with_is_kept_and_shows_in_the_state() -> None:
    task = suited("portions")
    episode, _ = begun(FAMILY, task)
    episode.act("run_portion", {"pieces": 1, "dial": 1})
    for name, arguments in (("run_all", {"dial": 1}), ("make_by_hand", {"tool": "T1"})):
        assert "kept to the end" in episode.act(name, arguments).error
    assert FAMILY.strategy(task, episode.snapshot()) == "portions"
    assert not any(episode.counts.values())


@pytest.mark.parametrize("way", WAYS)
def test_an_arm_leaves_one_way_and_changes_nothing_else(way: str) -> None:
    task = suited("hand")
    only = FAMILY.in_arm(task, FIXED + way)
    assert only.goal.startswith(task.goal)
    assert way in only.goal.removeprefix(task.goal)
    assert (only.actions, only.criterion, only.most) == (task.actions, task.criterion, task.most)
    tried: dict[str, tuple[str, dict[str, Any]]] = {
        "whole": ("run_all", {"dial": 1}),
        "portions": ("run_portion", {"pieces": 1, "dial": 1}),
        "hand": ("make_by_hand", {"tool": "T1"}),
    }
    for other, (name, arguments) in tried.items():
        episode, _ = begun(FAMILY, only)
        assert ("not used here" in episode.act(name, arguments).error) == (other != way)
        assert not any(episode.counts.values())
    assert acted(FAMILY, only, *made(only, way)).judgement.success == (way == "hand")


def test_who_never_switches_loses_where_the_way_does_not_suit() -> None:
    assert rate(FAMILY, 4, "Moderate-Standard", FAMILY.novice) < 0.6
    assert rate(FAMILY, 4, "Moderate-Standard", FAMILY.oracle, held_out=True) == 1.0


@pytest.mark.parametrize("kind", sorted(TABLE["notes"]))
def test_every_wording_of_a_note_is_read_back(kind: str) -> None:
    for wording in TABLE["notes"][kind]:
        found, slots = BOOK.read(wording.format(n=12, m=34, pieces="rods"))
        assert found == kind
        assert {"n": "12", "m": "34", "pieces": "rods"}.items() >= slots.items()


def test_the_notes_tell_what_the_world_goes_by() -> None:
    for task in TASKS:
        told = {
            kind: {name: said for name, said in slots.items() if name in "nm"}
            for kind, slots in map(BOOK.read, task.setup["notes"])
        }
        order, step = told["order"], told["step"]
        assert int(order["n"]) == job(task).pieces
        assert int(step["m"]) // int(step["n"]) == job(task).good
        change = int(told["grows"]["n"]) if "grows" in told else -int(told["shrinks"]["n"])
        assert int(order["m"]) - change == task.criterion.expected["dial"]
