from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Act, Task, check_family
from assay.worlds.families.metacontrol.faultfinding import BOOK, TABLE, WAYS, Faultfinding, Prices
from assay.worlds.families.metacontrol.ways import least
from assay.worlds.tiers import FIXED, StrategyFamily

from .modelling import acted, begun, instances, rate, why

FAMILY = Faultfinding()
TASKS = list(instances(FAMILY, 4, 60))


def suited(way: str) -> Task:
    """An instance that a way suits."""
    return next(task for task in TASKS if task.criterion.expected["suits"] == way)


def prices(task: Task) -> Prices:
    setup = task.setup
    one, group, part = (tuple(setup["costs"][what]) for what in ("one", "group", "part"))
    return Prices(len(setup["units"]), setup["idle"], one, group, part)


def searched(task: Task, *acts: Act, part: str = "") -> list[Act]:
    """What is done by a search with these tests, which leave one unit."""
    left = set(task.setup["units"])
    for test in acted(FAMILY, task, *acts).state["tests"]:
        left = {unit for unit in left if (unit in test["units"]) == test["broken_one_among_them"]}
    (found,) = left
    return [*acts, Act("fit_part", {"unit": found, "part": part or task.criterion.expected["part"]})]


def singly(task: Task, **part: str) -> list[Act]:
    return searched(task, *(Act("test_one", {"unit": unit}) for unit in task.setup["units"][:-1]), **part)


def exchange(task: Task) -> list[Act]:
    return [Act("exchange_all", {"part": task.criterion.expected["part"]})]


def test_it_keeps_the_contract() -> None:
    assert isinstance(FAMILY, StrategyFamily)
    assert check_family(FAMILY, instances=20) == []


def test_in_every_instance_one_way_fits_the_bill_and_the_others_do_not() -> None:
    for task in TASKS:
        right = task.criterion.expected
        fits = [way for way in WAYS if prices(task).bill(way) <= right["limit"]]
        assert fits == [right["suits"]]
        assert prices(task).bill(right["suits"], tests_to_spare=1) <= right["limit"]


def test_each_way_suits_a_quarter_of_instances_or_more() -> None:
    suits = [task.criterion.expected["suits"] for task in instances(FAMILY, 4, 300)]
    assert all(0.25 <= suits.count(way) / 300 <= 0.40 for way in WAYS)


def test_neither_minutes_nor_coins_alone_tell_which_way_suits() -> None:
    drawn = list(instances(FAMILY, 4, 300))
    for which in (0, 1):
        said = [least({way: prices(task).at_worst(way)[which] for way in WAYS}) for task in drawn]
        right = sum(way == task.criterion.expected["suits"] for way, task in zip(said, drawn, strict=True))
        assert right / 300 < 0.42


def test_a_way_that_suits_solves_and_another_costs_too_much() -> None:
    task = suited("singly")
    assert why(FAMILY, task, *singly(task)) == ()
    assert "the bill is" in why(FAMILY, task, *exchange(task))[0]
    task = suited("exchange")
    assert why(FAMILY, task, *exchange(task)) == ()
    assert "the bill is" in why(FAMILY, task, *singly(task))[0]


def test_a_part_that_does_not_fit_is_no_repair() -> None:
    task = suited("singly")
    wrong = next(
        part["part"] for part in task.setup["parts"] if part["part"] != task.criterion.expected["part"]
    )
    assert why(FAMILY, task, *singly(task, part=wrong)) == ("the part does not fit",)


def test_the_fault_is_where_it_is_found_last() -> None:
    task = suited("singly")
    for unit in task.setup["units"]:
        tests = [Act("test_one", {"unit": unit}), Act("fit_part", {"unit": unit, "part": "P1"})]
        assert "the broken unit was not the one that was mended" in why(FAMILY, task, *tests)
    found = acted(FAMILY, task, *(Act("test_one", {"unit": unit}) for unit in reversed(task.setup["units"])))
    assert [test["broken_one_among_them"] for test in found.state["tests"]][:-1].count(True) == 0
    assert found.state["tests"][-1] == {"units": [task.setup["units"][0]], "broken_one_among_them": True}


def test_a_group_that_is_no_half_leaves_more_in_question() -> None:
    task = suited("halving")
    first, *others = task.setup["units"]
    test = acted(FAMILY, task, Act("test_group", {"units": [first]})).state["tests"]
    assert test == [{"units": [first], "broken_one_among_them": False}]
    test = acted(FAMILY, task, Act("test_group", {"units": others})).state["tests"]
    assert test == [{"units": sorted(others), "broken_one_among_them": True}]


def test_without_a_test_nothing_can_be_mended_by_guess() -> None:
    task = suited("halving")
    guess = Act("fit_part", {"unit": task.setup["units"][0], "part": task.criterion.expected["part"]})
    assert why(FAMILY, task, guess) == ("nothing was mended",)


def test_the_way_begun_with_is_kept_and_shows_in_the_state() -> None:
    task = suited("halving")
    units = task.setup["units"]
    episode, _ = begun(FAMILY, task)
    assert FAMILY.strategy(task, episode.snapshot()) == ""
    episode.act("test_group", {"units": units[:2]})
    for name, arguments in (("test_one", {"unit": units[0]}), ("exchange_all", {"part": "P1"})):
        assert "kept to the end" in episode.act(name, arguments).error
    assert FAMILY.strategy(task, episode.snapshot()) == "halving"
    assert not any(episode.counts.values())


@pytest.mark.parametrize("way", WAYS)
def test_an_arm_leaves_one_way_and_changes_nothing_else(way: str) -> None:
    task = suited("singly")
    only = FAMILY.in_arm(task, FIXED + way)
    assert only.goal.startswith(task.goal)
    assert way in only.goal.removeprefix(task.goal)
    assert (only.actions, only.criterion, only.most) == (task.actions, task.criterion, task.most)
    tried: dict[str, tuple[str, dict[str, Any]]] = {
        "singly": ("test_one", {"unit": task.setup["units"][0]}),
        "halving": ("test_group", {"units": task.setup["units"][:2]}),
        "exchange": ("exchange_all", {"part": "P1"}),
    }
    for other, (name, arguments) in tried.items():
        episode, _ = begun(FAMILY, only)
        assert ("not used here" in episode.act(name, arguments).error) == (other != way)
        assert not any(episode.counts.values())


def test_who_never_switches_loses_where_the_way_does_not_suit() -> None:
    assert rate(FAMILY, 4, "Moderate-Standard", FAMILY.novice) < 0.6
    assert rate(FAMILY, 4, "Moderate-Standard", FAMILY.oracle, held_out=True) == 1.0


@pytest.mark.parametrize("kind", sorted(TABLE["notes"]))
def test_every_wording_of_a_note_is_read_back(kind: str) -> None:
    for wording in TABLE["notes"][kind]:
        said = wording.format(n=12, m=34, thing="motor")
        found, slots = BOOK.read(said)
        assert (found, slots["n"], slots.get("m", "34")) == (kind, "12", "34")


def test_goals_are_put_in_many_ways() -> None:
    drawn = [FAMILY.draw(4, "theatre", Stream("wording", number)).goal for number in range(40)]
    assert len({"".join(char for char in goal if not char.isdigit()) for goal in drawn}) == 40
