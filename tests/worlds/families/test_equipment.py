from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.streams import Stream
from assay.worlds import Episode, Task, play, shipped_regimes
from assay.worlds.families.priorities.equipment import TABLE, Buyer, Equipment, Rules
from assay.worlds.families.priorities.ranking import FeatureBound, listed_goals, other_orders

FAMILY = Equipment()
BASELINE = shipped_regimes()["Baseline"]
SITUATIONS = sorted(TABLE["situations"])


def drawn(level: int, number: int, situation: str = "orchard") -> Task:
    return FAMILY.draw(level, situation, Stream("purchases", level, number))


def begun(task: Task) -> Episode:
    episode = Episode(FAMILY, task, BASELINE, Stream("f"))
    episode.begin()
    return episode


def judged(task: Task, *bought: list[str]) -> tuple[str, ...]:
    return FAMILY.judge(task, {"bought": list(bought)}, ()).because


def rules_of(task: Task, part: int = 0) -> Rules:
    return Buyer(msgspec.structs.replace(begun(task).brief, goal=task.setup["parts"][part]["goal"])).rules


def chosen(task: Task) -> list[str]:
    return list(rules_of(task).chosen(task.setup["parts"][0]["offers"], task.setup["funds"]))


def offer(name: str, price: int, *serves: str, weeks: int = 1) -> dict[str, Any]:
    return {"offer": name, "serves": list(serves), "price": price, "weeks": weeks, "stars": 3}


OFFERS = [
    offer("A", 50, "fencing"),
    offer("B", 40, "storage"),
    offer("C", 20, "pressing"),
    offer("D", 15, "drainage"),
    offer("E", 10, "fencing", weeks=9),
    offer("F", 60, "fencing", "pressing"),
]
ORDER = ("fencing", "storage", "pressing", "drainage")


class TestRules:
    """The rules by themselves, on six offers."""

    def test_a_goal_is_chosen_if_the_funds_cover_it_beside_the_higher_ones(self) -> None:
        rules = Rules(ORDER, (), FeatureBound("weeks", "at_least", 9))
        assert set(rules.chosen(OFFERS, 50)) == {"A"}
        assert set(rules.chosen(OFFERS, 65)) == {"F"}
        assert set(rules.chosen(OFFERS, 90)) == {"A", "B"}
        assert set(rules.chosen(OFFERS, 100)) == {"F", "B"}
        assert set(rules.chosen(OFFERS, 45)) == {"B"}  # the highest goal is beyond the funds

    def test_what_may_not_be_bought_is_not_chosen(self) -> None:
        assert "E" in Rules(ORDER).chosen(OFFERS, 50)
        assert "E" not in Rules(ORDER, (), FeatureBound("weeks", "above", 8)).chosen(OFFERS, 50)

    def test_an_exception_looks_at_the_lowest_permitted_price(self) -> None:
        swap = ("fencing", "storage", FeatureBound("price", "above", 45))
        assert Rules(ORDER, (swap,)).ranking(OFFERS)[0] == "fencing"
        banned = Rules(ORDER, (swap,), FeatureBound("weeks", "at_least", 9))
        assert banned.ranking(OFFERS) == ["storage", "fencing", "pressing", "drainage"]


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("level", sorted(FAMILY.levels))
def test_the_words_of_a_case_call_for_what_is_expected(level: int, situation: str) -> None:
    """The rules are read from each text alone; at level 4 both texts call for the same."""
    for number in range(6):
        task = drawn(level, number, situation)
        for at, part in enumerate(task.setup["parts"]):
            rules = rules_of(task, at)
            bought = rules.chosen(part["offers"], task.setup["funds"])
            met = {goal for one in part["offers"] if one["offer"] in bought for goal in one["serves"]}
            assert sorted(met) == task.criterion.expected["met"]
            assert rules.ranking(part["offers"])[0] == task.criterion.expected["top"]


def test_the_constraint_binds_and_each_exception_decides_something() -> None:
    applied = []
    for number in range(40):
        task = drawn(3, number)
        rules, offers, funds = rules_of(task), task.setup["parts"][0]["offers"], task.setup["funds"]
        assert len(task.criterion.expected["met"]) == 2
        goals = {goal for one in offers for goal in one["serves"]}
        assert goals == set(rules.order)
        for which in (0, 1):
            fewer = Rules(rules.order, rules.swaps[:which] + rules.swaps[which + 1 :], rules.ban)
            same = fewer.ranking(offers) == rules.ranking(offers)
            applied.append(not same)
            met = {
                goal
                for one in offers
                if one["offer"] in fewer.chosen(offers, funds)
                for goal in one["serves"]
            }
            assert (sorted(met) == task.criterion.expected["met"]) is same
    assert 24 < sum(applied) < 56


def test_no_order_that_nobody_declared_leads_to_the_same() -> None:
    """As the goals are listed, the last first, the one with most text first."""
    for level in FAMILY.levels:
        for number in range(12):
            task = drawn(level, number)
            rules, offers = rules_of(task), task.setup["parts"][0]["offers"]
            story = TABLE["situations"][task.situation]
            for order in other_orders(listed_goals(task.goal, story["goals"]), story):
                bought = list(Rules(order, (), rules.ban).chosen(offers, task.setup["funds"]))
                assert judged(task, *[bought] * len(task.setup["parts"]))


def test_more_goals_could_be_had_only_at_the_expense_of_a_higher_one() -> None:
    task = drawn(2, 1)
    right = chosen(task)
    assert judged(task, right) == judged(task, right[::-1]) == ()
    top = task.criterion.expected["top"]
    other = next(goal for goal in task.criterion.expected["met"] if goal != top)
    without_top = [one for one in right if top not in task.criterion.expected["serves"][one]]
    assert judged(task, without_top) == (f"the highest goal, {top}, is not met",)
    assert judged(task, [one for one in right if one not in without_top]) == (f"{other} is not met",)
    extra = next(
        one
        for one, serves in task.criterion.expected["serves"].items()
        if not set(serves) & set(task.criterion.expected["met"])
    )
    (goal,) = task.criterion.expected["serves"][extra]
    assert judged(task, [*right, extra]) == (f"{goal} was met at the expense of a higher goal",)


def test_a_barred_offer_meets_nothing_and_fails_the_case() -> None:
    task = drawn(2, 3)
    barred = next(
        one["offer"]
        for one in task.setup["parts"][0]["offers"]
        if one["offer"] not in task.criterion.expected["serves"]
    )
    assert judged(task, [*chosen(task), barred]) == (f"{barred} may not be bought",)
    assert f"{barred} may not be bought" in judged(task, [barred])


def test_both_cases_must_be_decided_alike_and_rightly() -> None:
    task = drawn(4, 2)
    right = chosen(task)
    assert judged(task, right, right) == ()
    assert "the two cases were decided differently" in judged(task, right, right[:1])
    assert len(judged(task, [], [])) == 4


def test_the_second_case_names_goals_in_another_sequence() -> None:
    for number in range(10):
        one, two = drawn(4, number).setup["parts"]
        goals = TABLE["situations"]["orchard"]["goals"]
        assert listed_goals(one["goal"], goals) != listed_goals(two["goal"], goals)


def test_what_is_bought_is_paid_for_once_and_not_beyond_the_funds() -> None:
    task = drawn(2, 0)
    episode = begun(task)
    offers = sorted(task.setup["parts"][0]["offers"], key=lambda one: -one["price"])
    first = offers[0]
    seen = episode.act("buy", {"offer": first["offer"]})
    assert seen.observation["funds"] == task.setup["funds"] - first["price"]
    assert "has been bought already" in episode.act("buy", {"offer": first["offer"]}).error
    errors = [episode.act("buy", {"offer": one["offer"]}).error for one in offers[1:]]
    assert any("are left" in error for error in errors)
    assert (
        sum(one["price"] for one in offers if one["offer"] in episode.snapshot()["bought"][0])
        <= task.setup["funds"]
    )


def test_budgets_are_the_same_whatever_the_answer() -> None:
    for level in FAMILY.levels:
        assert len({(task.needed, task.most) for task in (drawn(level, n) for n in range(15))}) == 1


def test_neither_the_first_listed_objective_nor_a_novice_succeeds() -> None:
    for level in FAMILY.levels:
        for policy in (FAMILY.first_listed, FAMILY.novice):
            won = [
                play(FAMILY, drawn(level, n), BASELINE, Stream("f"), policy).judgement.success
                for n in range(15)
            ]
            assert sum(won) <= 2
