"""Stockroom: counts are held against what moved, capacities spill, and a changed rule must be noticed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.worlds import Act, Task, shipped_regimes
from assay.worlds.families.stockroom import BOOK, TABLE, Stock, Stockroom

from .modelling import NEXT, acted, begun, instances, rate, taken_for_another, why

FAMILY = Stockroom()


def counts(task: Task, course: str = "stationary") -> dict[str, int]:
    return dict(task.criterion.expected["counts"][course])


def recorded(found: dict[str, int]) -> list[Act]:
    return [Act("set_count", {"place": place, "count": count}) for place, count in found.items()]


def test_what_does_not_fit_goes_to_the_place_without_a_limit() -> None:
    stock = Stock({"Loft": 8, "Cellar": 5}, {"Loft": 10, "Cellar": None}, 0, "")
    stock.put("Loft", 6)
    assert stock.counts == {"Loft": 10, "Cellar": 9}
    stock.take("Cellar", 4)
    stock.put("Cellar", 100)
    assert stock.counts == {"Loft": 10, "Cellar": 105}


@given(st.lists(st.tuples(st.sampled_from(["Loft", "Porch", "Cellar"]), st.integers(0, 60)), max_size=8))
@settings(max_examples=40, deadline=None)
def test_whatever_is_put_somewhere_is_somewhere_and_no_place_overflows(puts: list[tuple[str, int]]) -> None:
    limits: dict[str, int | None] = {"Loft": 20, "Porch": 35, "Cellar": None}
    stock = Stock({"Loft": 20, "Porch": 3, "Cellar": 0}, limits, 0, "")
    for place, n in puts:
        stock.put(place, n)
    assert sum(stock.counts.values()) == 23 + sum(n for _, n in puts)
    assert stock.counts["Loft"] == 20
    assert stock.counts["Porch"] <= 35


@pytest.mark.parametrize("level", [1, 2, 4])
def test_the_right_counts_succeed_and_each_wrong_one_is_named(level: int) -> None:
    for task in instances(FAMILY, level, 10):
        right = counts(task)
        assert why(FAMILY, task, *recorded(right)) == ()
        for place, count in right.items():
            found = why(FAMILY, task, *recorded({**right, place: count - 1}))
            assert found == (f"{place} holds {count}, not {count - 1}", "the total is off by -1")


def test_a_place_that_was_not_recorded_is_named() -> None:
    task = next(instances(FAMILY, 2))
    right = counts(task)
    missing = next(iter(right))
    del right[missing]
    assert why(FAMILY, task, *recorded(right)) == (f"{missing} was not recorded",)


def test_more_than_fits_is_told_apart_from_a_wrong_count() -> None:
    task = next(instances(FAMILY, 2))
    limits = task.criterion.expected["limits"]
    place = next(name for name, limit in limits.items() if limit is not None)
    found = why(FAMILY, task, *recorded({**counts(task), place: limits[place] + 1}))
    assert f"{place} would hold more than fits into it" in found


def test_a_count_can_be_corrected_and_the_last_word_holds() -> None:
    task = next(instances(FAMILY, 1))
    right = counts(task)
    wrong = dict.fromkeys(right, 0)
    assert why(FAMILY, task, *recorded(wrong), *recorded(right)) == ()
    assert why(FAMILY, task, *recorded(right), *recorded(wrong))


def replayed(task: Task, limits: dict[str, int | None]) -> tuple[dict[str, int], int]:
    """The counts after all that is told, and by how much the total has changed."""
    stock, change = Stock(task.setup["start"], limits, 0, ""), 0
    for said in task.setup["told"]["stationary"]:
        kind, slots = BOOK.read(said)
        n = int(slots["n"])
        if kind == "receive":
            stock.put(slots["a"], n)
        else:
            stock.take(slots["a"], n)
        if kind == "move":
            stock.put(slots["b"], n)
        change += {"receive": n, "issue": -n, "move": 0}[kind]
    return stock.counts, change


def test_at_level_2_something_spills_and_nothing_gets_lost() -> None:
    for task in instances(FAMILY, 2):
        right, limits = counts(task), task.setup["limits"]
        assert len(task.setup["told"]["stationary"]) >= 4
        found, change = replayed(task, limits)
        assert found == right
        assert sum(right.values()) == sum(task.setup["start"].values()) + change
        assert all(limits[place] is None or 0 <= count <= limits[place] for place, count in right.items())
        assert replayed(task, {})[0] != right, "capacities matter"


def test_who_ignores_capacities_fails_where_a_move_spills() -> None:
    assert 0.2 < rate(FAMILY, 2, "Baseline", FAMILY.novice) < 0.6


def test_at_level_4_the_courses_differ_in_counts_alone_and_nothing_announces_the_change() -> None:
    for task in instances(FAMILY, 4):
        told = task.setup["told"]
        differ = [
            (BOOK.read(a), BOOK.read(b))
            for a, b in zip(told["stationary"], told["drifted"], strict=True)
            if a != b
        ]
        assert differ
        for (kind, usual), (other, found) in differ:
            assert kind == other == "count"
            assert usual["a"] == found["a"]
        assert counts(task) != counts(task, "drifted")


def test_at_level_4_one_rule_explains_what_was_counted() -> None:
    """Whatever size or place fits the counts, from whatever arrival on, leaves the same in the end."""
    for task in instances(FAMILY, 4, 15):
        holds, door, places = task.setup["holds"], task.setup["leads_to"], list(task.setup["start"])
        rules = [(size, door) for size in range(1, 40)] + [(holds, place) for place in places]
        ends = [
            found
            for rule in rules
            for turn in range(5)
            if (found := _after(task, (holds, door), rule, turn)) is not None
        ]
        assert ends
        assert all(found == counts(task, "drifted") for found in ends)


def _after(task: Task, before: tuple[int, str], rule: tuple[int, str], turn: int) -> dict[str, int] | None:
    """What is there in the end if a rule holds from some arrival on; None if a count contradicts it."""
    stock, arrivals = Stock(task.setup["start"], {}, *before), 0
    for said in task.setup["told"]["drifted"]:
        kind, slots = BOOK.read(said)
        if kind == "packs":
            stock.holds, stock.leads_to = rule if arrivals >= turn else before
            stock.put(stock.leads_to, int(slots["n"]) * stock.holds)
            arrivals += 1
        elif kind == "move":
            stock.take(slots["a"], int(slots["n"]))
            stock.put(slots["b"], int(slots["n"]))
        elif stock.counts[slots["a"]] != int(slots["m"]):
            return None
    return stock.counts


def test_the_course_of_the_world_decides_which_counts_are_right() -> None:
    task = next(instances(FAMILY, 4))
    for drift, course in ((False, "stationary"), (True, "drifted")):
        world = FAMILY.open(task, drift=drift)
        for act in recorded(counts(task, course)):
            world.act(act.name, act.arguments)
        assert FAMILY.judge(task, world.snapshot(), ()).success
        other = {"stationary": "drifted", "drifted": "stationary"}[course]
        for act in recorded(counts(task, other)):
            world.act(act.name, act.arguments)
        assert not FAMILY.judge(task, world.snapshot(), ()).success


def test_only_drift_defeats_who_keeps_to_the_rules_of_the_start() -> None:
    assert rate(FAMILY, 4, "Baseline", FAMILY.novice) == 1
    assert rate(FAMILY, 4, "Moderate-Standard", FAMILY.novice) < 0.1


def test_a_report_that_was_passed_over_is_not_shown_again() -> None:
    task = next(task for task in instances(FAMILY, 2) if task.needed > 6)
    episode, first = begun(FAMILY, task)
    episode.act("next", {})
    seen = episode.act("look", {}).observation
    assert seen["event"]["number"] == 2
    assert seen["event"]["text"] != first["event"]["text"]


def test_asking_beyond_the_last_report_is_refused_and_harmless() -> None:
    task = next(instances(FAMILY, 1))
    played = acted(FAMILY, task, NEXT, NEXT, NEXT, *recorded(counts(task)))
    assert "last event" in played.seen[3].error
    assert played.judgement.success


@pytest.mark.parametrize("regime", list(shipped_regimes()))
@pytest.mark.parametrize("level", [1, 2, 4])
def test_situations_that_are_held_out_can_be_solved_too(level: int, regime: str) -> None:
    assert rate(FAMILY, level, regime, FAMILY.oracle, held_out=True, count=40) == 1


def test_no_misread_place_looks_like_another() -> None:
    for story in TABLE["situations"].values():
        assert not taken_for_another(story["places"])
