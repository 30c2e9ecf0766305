"""Strategies: the exact expectation decides, not luck; at level 5 the pair does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import permutations

import pytest

from assay.worlds import Act, Task, shipped_regimes
from assay.worlds.families.strategies import DAYS, TABLE, Strategies, pairs

from .modelling import acted, instances, rate, taken_for_another, why

FAMILY = Strategies()


def mean(task: Task, place: str, strategy: str) -> Fraction:
    """Worked out anew, from the criterion."""
    days = task.criterion.expected["shares"][place]
    rewards = task.criterion.expected["rewards"][place][strategy]
    return sum((Fraction(count, DAYS) * rewards[sort] for sort, count in days.items()), Fraction(0))


def ways(task: Task) -> dict[tuple[str, ...], Fraction]:
    places = task.setup["places"]
    strategies = sorted(task.criterion.expected["rewards"][places[0]])
    return {
        taken: sum((mean(task, place, one) for place, one in zip(places, taken, strict=True)), Fraction(0))
        for taken in permutations(strategies, len(places))
    }


def best_at(task: Task, place: str) -> str:
    strategies: list[str] = sorted(task.criterion.expected["rewards"][place])
    return max(strategies, key=lambda strategy: mean(task, place, strategy))


def choose(task: Task, *strategies: str) -> list[Act]:
    return [
        Act("choose", {"place": place, "strategy": strategy})
        for place, strategy in zip(task.setup["places"], strategies, strict=True)
    ]


def test_the_days_told_have_the_shares_that_are_judged() -> None:
    for task in instances(FAMILY, 3):
        assert len(task.setup["told"]) == DAYS
        for place, days in task.criterion.expected["shares"].items():
            assert sum(days.values()) == DAYS
            assert all(place in said for said in task.setup["told"])


def test_at_level_3_one_strategy_is_clearly_the_best_at_each_place() -> None:
    for task in instances(FAMILY, 3):
        for place, rewards in task.criterion.expected["rewards"].items():
            *_, second, best = sorted(mean(task, place, strategy) for strategy in rewards)
            assert second < Fraction(4, 5) * best


def test_at_level_3_both_places_must_be_right_and_the_wrong_one_is_named() -> None:
    for task in instances(FAMILY, 3, 10):
        rewards = task.criterion.expected["rewards"]
        p, q = task.setup["places"]
        best = {place: best_at(task, place) for place in (p, q)}
        assert why(FAMILY, task, *choose(task, best[p], best[q])) == ()
        worse = next(strategy for strategy in rewards[q] if strategy != best[q])
        (told,) = why(FAMILY, task, *choose(task, best[p], worse))
        assert told.startswith(f"{q}: ")


def test_at_level_5_only_one_pair_is_worth_it() -> None:
    for task in instances(FAMILY, 5):
        found = ways(task)
        *_, second, best = sorted(found.values())
        assert second <= Fraction(9, 10) * best
    task = next(instances(FAMILY, 5))
    for taken, value in ways(task).items():
        wrong = why(FAMILY, task, *choose(task, *taken))
        assert bool(wrong) == (value < max(ways(task).values()))


def test_at_level_5_the_best_at_both_places_is_the_same() -> None:
    for task in instances(FAMILY, 5):
        best = {best_at(task, place) for place in task.setup["places"]}
        assert len(best) == 1, "so that taking it somewhere costs something elsewhere"


def test_a_choice_is_final_and_nothing_can_be_used_twice_at_level_5() -> None:
    task = next(instances(FAMILY, 5))
    one, two, _ = sorted(task.criterion.expected["rewards"][task.setup["places"][0]])
    first, again = choose(task, one, one)
    played = acted(FAMILY, task, first, *choose(task, two, one), again)
    assert "final" in played.seen[2].error
    assert "choose one that remains" in played.seen[3].error
    assert played.judgement.because == (f"nothing was chosen for {task.setup['places'][1]}",)


def test_the_same_strategy_may_serve_both_places_at_level_3() -> None:
    task = next(instances(FAMILY, 3))
    one = next(iter(task.criterion.expected["rewards"][task.setup["places"][0]]))
    played = acted(FAMILY, task, *choose(task, one, one))
    assert not any(seen.error for seen in played.seen)


@pytest.mark.parametrize(("level", "chance"), [(3, 1 / 5), (5, 1 / 3)])
@pytest.mark.parametrize("worth", [sum, max, min], ids=["all it brings", "its best day", "its worst day"])
def test_the_table_alone_does_not_tell_what_is_best(
    level: int, chance: float, worth: Callable[[Iterable[int]], int]
) -> None:
    """Whoever never asks for the days chooses by the table: one in five or three, and three standard errors."""
    won, count = 0, 100
    for task in instances(FAMILY, level, count):
        table = {
            place: {strategy: worth(row.values()) for strategy, row in rows.items()}
            for place, rows in task.criterion.expected["rewards"].items()
        }
        if level == 3:
            chosen = {place: max(rows, key=rows.__getitem__) for place, rows in table.items()}
        else:
            chosen = max(pairs(table), key=lambda pair: pair[0])[1]
        won += FAMILY.judge(task, {"chosen": chosen}, ()).success
    assert won <= count * chance + 3 * (count * chance * (1 - chance)) ** 0.5


def test_what_a_week_earned_is_shown_and_does_not_count() -> None:
    for task in instances(FAMILY, 3, 5):
        world = FAMILY.open(task, drift=False)
        for act in choose(task, *next(iter(ways(task)))):
            world.act(act.name, act.arguments)
        state = world.snapshot()
        verdict = FAMILY.judge(task, state, ())
        assert FAMILY.judge(task, {**state, "earned": {}}, ()) == verdict
        assert all(choice["earned"] >= 0 for choice in world.look()["chosen"])


def test_the_usual_day_alone_misleads_now_and_then_and_greed_mostly() -> None:
    assert 0.1 < rate(FAMILY, 3, "Baseline", FAMILY.novice, count=120) < 0.4
    assert rate(FAMILY, 5, "Baseline", FAMILY.novice, count=120) < 0.3


@pytest.mark.parametrize("regime", list(shipped_regimes()))
@pytest.mark.parametrize("level", [3, 5])
def test_situations_that_are_held_out_can_be_solved_too(level: int, regime: str) -> None:
    assert rate(FAMILY, level, regime, FAMILY.oracle, held_out=True, count=40) == 1


def test_no_misread_name_looks_like_another() -> None:
    for story in TABLE["situations"].values():
        assert not taken_for_another(story["places"])
        assert not taken_for_another(story["conditions"])
