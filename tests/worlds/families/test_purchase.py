from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Episode, Task, play, shipped_regimes
from assay.worlds.families.revision.purchase import SITES, TABLE, Purchase, understood
from assay.worlds.families.revision.purchase_cases import (
    CRITERIA,
    allowed_choices,
    completions,
    proposals,
)

FAMILY = Purchase()
BASELINE = shipped_regimes()["Baseline"]
GOAL = {
    "make": "Corvo",
    "others": ["Lumen", "Ember"],
    "count": 20,
    "least": 15,
    "swaps": 6,
    "most": 400,
    "within": 9,
    "sellers": ["Oakley", "Dubois"],
}


def offer(make: str, seller: str, price: int, stock: int, days: int = 5) -> dict[str, Any]:
    return {"make": make, "seller": seller, "price": price, "stock": stock, "days": days}


def drawn(level: int, number: int, situation: str = "office") -> Task:
    return FAMILY.draw(level, situation, Stream("purchase", level, number))


def judged(task: Task, *acts: tuple[str, dict[str, Any]]) -> tuple[str, ...]:
    """What is wrong after these actions."""
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    episode.begin()
    for name, arguments in acts:
        episode.act(name, arguments)
    return episode.judge(episode.snapshot()).because


def some(offer: str, pieces: int, name: str = "propose") -> tuple[str, dict[str, Any]]:
    return name, {"offer": offer, "pieces": pieces}


def of_kind(level: int, part: str, kind: str) -> Task:
    return next(task for n in range(200) if (task := drawn(level, n)).criterion.expected.get(part) == kind)


def test_what_fits_by_hand() -> None:
    offers = {
        "K1": offer("Corvo", "Oakley", 20, 20),
        "K2": offer("Corvo", "Dubois", 21, 16),
        "K3": offer("Lumen", "Oakley", 20, 25),
        "K4": offer("Ember", "Hartmann", 10, 25),
        "K5": offer("Ember", "Dubois", 10, 25, days=10),
        "K6": offer("Brisk", "Dubois", 10, 25),
    }
    assert proposals(offers, GOAL)["order"] == [("K1", 20)]
    assert proposals(offers, GOAL)["make"] == [("K3", 20)], "K4 is not approved, K5 late, K6 of a wrong make"
    assert ("K2", 16) in proposals(offers, GOAL)["number"]
    assert ("K2", 17) not in proposals(offers, GOAL)["number"]
    assert proposals(offers, {**GOAL, "most": 399})["order"] == []


def test_what_completes_an_order_by_hand() -> None:
    offers = {
        "K1": offer("Corvo", "Oakley", 20, 0),
        "K3": offer("Lumen", "Oakley", 22, 4),
        "K4": offer("Ember", "Dubois", 18, 3),
    }
    assert completions(offers, 14, 280, GOAL) == {"make": [("K4", 3), ("K3", 3)]}, "54 + 66 of the 120 left"
    assert completions(offers, 14, 281, GOAL) == {}
    assert completions(offers, 14, 280, {**GOAL, "swaps": 5}) == {}
    assert completions(offers, 20, 400, GOAL) == {"as planned": []}
    assert "number" in completions(offers, 15, 300, GOAL)


@pytest.mark.parametrize("slot", [s for s in TABLE if isinstance(TABLE[s], list)])
def test_every_slot_has_six_wordings(slot: str) -> None:
    assert len(set(TABLE[slot])) >= 6


@pytest.mark.parametrize("situation", sorted(SITES))
@pytest.mark.parametrize("level", [2, 3, 4])
def test_the_words_of_a_goal_call_for_what_is_expected(situation: str, level: int) -> None:
    for number in range(15):
        task = drawn(level, number, situation)
        for part in task.setup.get("parts", [{"goal": task.goal}]):
            found = understood(part["goal"], level, SITES[situation])
            if level == 3:
                right = task.criterion.expected
                assert {**found, "sellers": sorted(found["sellers"]), "others": sorted(found["others"])} == {
                    name: sorted(right[name]) if name == "others" else right[name] for name in found
                }
                continue
            rows = {r["offer"]: {**r, "stock": int(r["stock"].split()[0])} for r in part["offers"]}
            options = proposals(rows, found)
            allowed = sorted(options["order"] or options["make"] + options["number"])
            assert allowed == sorted(tuple(one) for one in task.criterion.expected["allowed"])


def test_level_2_answers_a_third_each_way() -> None:
    found = [drawn(2, n).criterion.expected["action"] for n in range(300)]
    assert all(0.2 < found.count(name) / 300 < 0.45 for name in ("order", "propose", "decline"))


def test_level_2_takes_any_proposal_that_is_allowed_and_nothing_else() -> None:
    task = of_kind(2, "action", "propose")
    allowed = [tuple(one) for one in task.criterion.expected["allowed"]]
    for k, pieces in allowed:
        assert judged(task, some(k, pieces)) == ()
        assert judged(task, some(k, pieces, "order")) == (
            "the request was answered with order, and calls for propose",
        )
        assert (k, pieces + 50) not in allowed
        assert judged(task, some(k, pieces + 50)) == (
            "what was ordered or proposed is not allowed, or not possible",
        )
    assert judged(task) == ("the request was not answered",)


def test_level_2_does_not_take_a_proposal_for_what_is_possible() -> None:
    task = of_kind(2, "action", "order")
    ((k, pieces),) = task.criterion.expected["allowed"]
    assert judged(task, some(k, pieces, "order")) == ()
    assert judged(task, some(k, pieces)) != ()
    assert judged(of_kind(2, "action", "decline"), ("decline", {})) == ()


def test_level_3_shows_only_by_what_is_confirmed_that_there_is_less() -> None:
    task = of_kind(3, "kind", "make")
    ((k, real),) = task.setup["real"].items()
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    before = episode.begin().observation
    count = task.criterion.expected["count"]
    seen = episode.act("order", {"offer": k, "pieces": count})
    assert not seen.error
    assert seen.observation["orders"] == [{"offer": k, "ordered": count, "confirmed": real}]
    listed = next(row for row in before["offers"] if row["offer"] == k)
    assert int(listed["stock"].split()[0]) >= count


def test_level_3_keeps_to_budget_sellers_and_makes() -> None:
    task = of_kind(3, "kind", "make")
    right, offers = task.criterion.expected, task.setup["offers"]
    ((k, real),) = task.setup["real"].items()
    missing = right["count"] - real
    first, close = some(k, right["count"], "order"), ("close", dict[str, Any]())
    assert judged(task, first, close) == (
        "the number was not completed, or with too many pieces of other makes",
    )
    assert judged(task, first, ("call_off", {})) != ()
    wrong = [
        o for o, one in offers.items() if one["seller"] not in right["sellers"] and one["stock"] >= missing
    ]
    for other in wrong:
        assert f"{other} is from a seller who is not approved" in judged(
            task, first, some(other, missing, "order"), close
        )
    played = play(FAMILY, task, BASELINE, Stream("f"), FAMILY.oracle)
    assert played.judgement.success


def test_level_3_wants_no_change_without_need_and_an_end_where_nothing_helps() -> None:
    task = of_kind(3, "kind", "as planned")
    played = play(FAMILY, task, BASELINE, Stream("f"), FAMILY.oracle)
    assert [act.name for act in played.acts] == ["order", "close"]
    order = played.acts[0].arguments
    assert judged(task, some(order["offer"], order["pieces"] - 1, "order"), ("close", {})) == (
        "the request could be met, and was not",
    )
    assert judged(of_kind(3, "kind", "call off"), ("call_off", {})) == ()


def test_ordering_what_is_sold_out_again_and_again_is_a_failure() -> None:
    task = of_kind(3, "kind", "number")
    (k,) = task.setup["real"]
    again = some(k, task.criterion.expected["count"], "order")
    assert judged(task, again, again, again, ("close", {})) == ()
    assert judged(task, again, again, again, again, ("close", {})) == (
        f"ordering {k} was tried 3 times, though it was refused",
    )


def test_level_4_puts_one_case_twice_and_wants_one_proposal() -> None:
    for number in range(20):
        task = drawn(4, number)
        first, second = task.setup["parts"]
        assert first["goal"] != second["goal"]
        plain = [
            sorted(str({key: row[key] for key in row if key != "remark"}) for row in part["offers"])
            for part in (first, second)
        ]
        assert plain[0] == plain[1]
        allowed = {k for k, _ in task.criterion.expected["allowed"]}
        orders = [
            [row["offer"] for row in part["offers"] if row["offer"] in allowed] for part in (first, second)
        ]
        assert orders[0][0] != orders[1][0], "whoever takes the first that is allowed decides in two ways"


def test_level_4_refuses_two_different_proposals_that_are_both_allowed() -> None:
    task = drawn(4, 2)
    one, *_, other = task.criterion.expected["allowed"]
    assert judged(task, some(*one), some(*one)) == judged(task, some(*other), some(*other)) == ()
    assert judged(task, some(*one), some(*other)) == ("the two proposals differ",)
    assert judged(task, some(*one)) == ("the request was not answered both times",)
    assert judged(task, some("K1", 99), some("K1", 99)) != ()


def test_nothing_shows_that_a_case_is_put_twice() -> None:
    episode = Episode(FAMILY, drawn(4, 3), BASELINE, Stream("faults"))
    assert set(episode.begin().observation) == {"offers"}


def test_level_5_has_one_best_choice_and_each_criterion_first_would_choose_another() -> None:
    for number in range(10):
        task = drawn(5, number)
        goal = understood(task.goal, 5, SITES["office"])
        left = {k: one for k, one in task.setup["offers"].items() if k not in task.setup["gone"]}
        choices = dict(allowed_choices(left, goal))
        best = min(choices, key=lambda chosen: [choices[chosen][name] for name in goal["ranks"]])
        assert list(best) == task.criterion.expected["orders"]
        assert all(one["delay"] + one["swaps"] for one in choices.values()), "the request cannot be met"
        for name in set(CRITERIA) - {goal["ranks"][0]}:
            assert choices[best][name] > min(one[name] for one in choices.values())


def test_level_5_what_is_gone_shows_when_it_is_ordered_and_the_rest_can_still_be_had() -> None:
    task = next(t for n in range(20) if (t := drawn(5, n)).setup["gone"])
    (gone,) = task.setup["gone"]
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    assert episode.begin().observation["gone"] == []
    seen = episode.act("order", {"offer": gone})
    assert seen.error == f"{gone} can no longer be had"
    assert seen.observation["gone"] == [gone]
    acts = [("order", {"offer": k}) for k in task.criterion.expected["orders"]]
    assert judged(task, ("order", {"offer": gone}), *acts, ("close", {})) == ()
    assert judged(task, *acts) == ("the order was not closed",)
    assert judged(task, *acts[:2], ("close", {})) != ()


def test_budgets_are_the_same_whatever_the_answer() -> None:
    for level in (2, 3, 4, 5):
        assert len({(task.needed, task.most) for task in (drawn(level, n) for n in range(15))}) == 1
