from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Episode, Task, play, shipped_regimes
from assay.worlds.families.allocation import TABLE, Allocation, _order, understood

FAMILY = Allocation()
BASELINE = shipped_regimes()["Baseline"]


def drawn(level: int, number: int, situation: str = "drought") -> Task:
    return FAMILY.draw(level, situation, Stream("allocation", number))


def begun(task: Task) -> Episode:
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    episode.begin()
    return episode


def ranked(task: Task, part: int) -> list[dict[str, Any]]:
    """The requests in the order that the words of a presentation give."""
    goal, requests = task.setup["parts"][part]["goal"], task.setup["parts"][part]["requests"]
    place = {group: number for number, group in enumerate(understood(goal))}
    return sorted(requests, key=lambda r: (place[r["group"]], -r["days_waiting"]))


def test_what_does_not_count_is_said_in_the_words_of_what_does() -> None:
    """Of two rules on the same groups, only the sentence says which one counts."""
    goal = (
        "The rule that the schools go before the farmers is void, although an old letter says that it counts. "
        "Although an old letter says that it is void, the rule that the farmers go before the schools counts. "
        "An old letter says that the decision that the brewers rank above the hospitals stands, but it has lapsed. "
        "It is not true that the agreement that the turn of the brewers follows that of the schools has lapsed: it "
        "has not lapsed. The order by which the farmers stand back for the hospitals, of which an old letter says "
        "that it counts no more, holds."
    )
    assert understood(goal) == ["hospitals", "farmers", "schools", "brewers"]


def test_each_wording_of_a_rule_is_read_back() -> None:
    for number in range(200):
        ranks = TABLE["situations"]["seeds"]["groups"]
        assert understood(f"Before. {_order(ranks, Stream('said', number))} After.") == ranks
    assert len(set(TABLE["clauses"])) >= 6


@pytest.mark.parametrize("situation", sorted(TABLE["situations"]))
def test_both_presentations_call_for_the_same_grants(situation: str) -> None:
    for number in range(20):
        task = drawn(4, number, situation)
        assert task.setup["parts"][0]["goal"] != task.setup["parts"][1]["goal"]
        for part in range(2):
            left, granted = task.setup["left"], []
            for request in ranked(task, part):
                if request["asks_for"] <= left:
                    left -= request["asks_for"]
                    granted.append(request["id"])
            assert granted == task.criterion.expected


def test_one_request_is_passed_over_and_a_later_one_still_granted() -> None:
    for number in range(40):
        task = drawn(4, number)
        order = [request["id"] in task.criterion.expected for request in ranked(task, 0)]
        first_refused = order.index(False)
        assert any(order[first_refused:])


def test_the_first_in_rank_gets_the_single_grant() -> None:
    for number in range(20):
        task = drawn(1, number)
        assert task.criterion.expected == [ranked(task, 0)[0]["id"]]


def judged(task: Task, *granted: list[str]) -> tuple[str, ...]:
    return FAMILY.judge(task, {"granted": [sorted(one) for one in granted]}, ()).because


def test_the_same_decision_is_asked_for_and_that_it_keeps_the_order() -> None:
    """B.4.4 asks for the same decision, 10.6.1 for one that advances the goal; how much is granted is not asked."""
    task = drawn(4, 7)
    right = task.criterion.expected
    assert judged(task, right, right) == judged(task, right[:1], right[:1]) == ()
    assert judged(task, right, right[:1]) == ("the two rounds were decided differently",)
    skipped = f"{right[-1]} was granted out of turn"
    assert judged(task, [right[-1]], [right[-1]]) == (f"round 1: {skipped}", f"round 2: {skipped}")
    assert judged(task, [], []) == ("round 1: nothing was granted", "round 2: nothing was granted")


def test_what_is_passed_over_was_not_to_be_granted() -> None:
    task = drawn(4, 7)
    right = task.criterion.expected
    over = next(r["id"] for r in ranked(task, 0) if r["id"] not in right)
    assert judged(task, [*right, over], [*right, over]) == (
        f"round 1: {over} was granted out of turn",
        f"round 2: {over} was granted out of turn",
    )


def test_every_group_asks_as_often_as_any_other() -> None:
    """Else the commonest group would be worth a guess."""
    for level, each in ((1, 3), (4, 2)):
        groups = [request["group"] for request in drawn(level, 5).setup["parts"][0]["requests"]]
        assert {groups.count(group) for group in groups} == {each}


def test_nothing_shows_that_a_case_is_put_twice() -> None:
    seen = begun(drawn(4, 3)).act("look", {}).observation
    assert set(seen) == {"requests", "granted", "left"}


def test_budgets_are_the_same_whatever_the_answer() -> None:
    assert len({(task.needed, task.most) for task in (drawn(4, n) for n in range(20))}) == 1


def test_a_wrong_grant_uses_up_what_others_needed() -> None:
    task = drawn(4, 9)
    right = task.criterion.expected
    wrong = next(r for r in ranked(task, 0) if r["id"] not in right)
    episode = begun(task)
    seen = episode.act("grant", {"request": wrong["id"]})
    assert seen.observation["left"] == task.setup["left"] - wrong["asks_for"]
    assert "has been granted already" in episode.act("grant", {"request": wrong["id"]}).error
    refused = [episode.act("grant", {"request": request}).error for request in right]
    assert any("are left" in error for error in refused)
    assert episode.act("close_round", {}).fresh == task.setup["parts"][1]["goal"]
    assert not episode.judge(episode.snapshot()).success


def test_a_new_round_begins_with_the_whole_stock() -> None:
    task = drawn(4, 3)
    episode = begun(task)
    episode.act("grant", {"request": task.criterion.expected[0]})
    seen = episode.act("close_round", {})
    assert seen.observation["left"] == task.setup["left"]
    assert seen.observation["granted"] == []
    assert episode.act("close_round", {}).done


def test_whoever_takes_a_group_as_it_is_listed_decides_in_two_ways() -> None:
    told = [
        because
        for n in range(40)
        for because in play(FAMILY, drawn(4, n), BASELINE, Stream("f"), FAMILY.novice).judgement.because
    ]
    assert told.count("the two rounds were decided differently") > 10
