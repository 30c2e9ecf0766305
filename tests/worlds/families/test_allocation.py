from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Episode, Task, play, shipped_regimes
from assay.worlds.families.allocation import TABLE, Allocation
from assay.worlds.templates import read

ORDERS = TABLE["orders"]
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
    (found,) = [said for order in ORDERS if (said := read(order, goal, r"\w+"))]
    place = {found[letter]: number for number, letter in enumerate("abcd")}
    return sorted(requests, key=lambda r: (place[r["group"]], -r["days_waiting"]))


@pytest.mark.parametrize("words", range(len(ORDERS)))
def test_each_wording_of_the_order_says_the_same(words: int) -> None:
    groups = dict(zip("abcd", TABLE["situations"]["seeds"]["groups"], strict=True))
    said = f"Before. {ORDERS[words].format(**groups)} After."
    assert read(ORDERS[words], said, r"\w+") == groups


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
            assert sorted(granted) == task.criterion.expected[part]


def test_one_request_is_passed_over_and_a_later_one_still_granted() -> None:
    for number in range(40):
        task = drawn(4, number)
        order = [request["id"] in task.criterion.expected[0] for request in ranked(task, 0)]
        first_refused = order.index(False)
        assert any(order[first_refused:])


def test_the_first_in_rank_gets_the_single_grant() -> None:
    for number in range(20):
        task = drawn(1, number)
        assert task.criterion.expected == [[ranked(task, 0)[0]["id"]]]


def test_the_judge_names_what_is_missing_too_much_and_unstable() -> None:
    task = drawn(4, 7)
    right = task.criterion.expected[0]
    extra = next(r["id"] for r in ranked(task, 0) if r["id"] not in right)
    assert FAMILY.judge(task, {"granted": [right, right]}, ()).success
    told = FAMILY.judge(task, {"granted": [right, sorted([*right[1:], extra])]}, ()).because
    assert told == (
        f"round 2: {right[0]} should have been granted",
        f"round 2: {extra} should not have been granted",
        "the two rounds were decided differently",
    )
    assert not FAMILY.judge(task, {"granted": [right[1:], right[1:]]}, ()).success, "stable, but wrong"


def test_a_wrong_grant_uses_up_what_others_needed() -> None:
    task = drawn(4, 9)
    right = task.criterion.expected[0]
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
    episode.act("grant", {"request": task.criterion.expected[0][0]})
    seen = episode.act("close_round", {})
    assert seen.observation["left"] == task.setup["left"]
    assert seen.observation["granted"] == []
    assert episode.act("close_round", {}).done


def test_the_hasty_one_stops_at_the_first_that_does_not_fit() -> None:
    def solved(level: int) -> int:
        return sum(
            play(FAMILY, drawn(level, n), BASELINE, Stream("f"), FAMILY.novice).judgement.success
            for n in range(40)
        )

    assert solved(1) == 40
    assert solved(4) == 0
