from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.streams import Stream
from assay.worlds import Episode, Task, play, shipped_regimes
from assay.worlds.families.filing import (
    DESK,
    ROOM,
    TABLE,
    Archivist,
    Filing,
    _fits,
    _part_of,
    _sequence,
    backwards,
)

OFFICES = TABLE["situations"]
FAMILY = Filing()
BASELINE = shipped_regimes()["Baseline"]


def drawn(level: int, number: int, situation: str = "law") -> Task:
    return FAMILY.draw(level, situation, Stream("filing", number))


def begun(task: Task) -> Episode:
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    episode.begin()
    return episode


def fewest(where: tuple[str, ...], wants: tuple[str, ...], room: int) -> int:
    """By breadth-first search over all arrangements."""
    places = [*sorted(set(wants)), DESK]
    far, queue = {where: 0}, deque([where])
    while queue:
        now = queue.popleft()
        if now == wants:
            return far[now]
        for place in places:
            if now.count(place) >= (1 if place == DESK else room):
                continue
            for index in range(len(now)):
                after = (*now[:index], place, *now[index + 1 :])
                if after not in far:
                    far[after] = far[now] + 1
                    queue.append(after)
    raise AssertionError("cannot be reached")


@settings(max_examples=25, deadline=None)
@given(start=st.permutations(["a", "a", "b", "b", "c", "c"]))
def test_the_planned_moves_are_the_fewest_there_are(start: list[str]) -> None:
    wants = ("a", "a", "b", "b", "c", "c")
    names = [f"F{number}" for number in range(6)]
    moves = _sequence(dict(zip(names, start, strict=True)), dict(zip(names, wants, strict=True)))
    assert len(moves) == fewest(tuple(start), wants, 2)
    held = dict(zip(names, start, strict=True))
    for name, to in moves:
        assert list(held.values()).count(to) < (1 if to == DESK else 2)
        held[name] = to
    assert tuple(held.values()) == wants


def test_the_first_rule_fits_of_which_both_conditions_hold() -> None:
    rules = [
        ({"mark": "secret", "pages": 40}, "Oak"),
        ({"kind": "memo", "year": 2000}, "Birch"),
        ({"kind": "memo", "pages": 20}, "Maple"),
        ({}, "Cedar"),
    ]
    item = {"kind": "memo", "mark": "secret", "year": 1990, "pages": 40}
    assert _fits(rules, item) == "Birch"
    assert _fits(rules, {**item, "pages": 41}) == "Oak"
    assert _fits(rules, {**item, "pages": 41, "mark": "none"}) == "Birch"
    assert _fits(rules, {**item, "year": 2000}) == "Maple"
    assert _fits(rules, {**item, "kind": "will"}) == "Cedar"


def test_neither_the_words_nor_the_figures_of_the_rules_file_one_paper() -> None:
    """What two rules stand before; the first two cannot be hidden from who reads only half."""
    later = [n for n in range(60) if (t := drawn(1, n)) and places(t).index(right_of(t)) > 1]
    assert len(later) > 30
    for number in later:
        task = drawn(1, number)
        rules, item = Archivist(begun(task).brief)._rules, task.setup["parts"][0]["items"][0]
        for looks in (("mark", "kind"), ("year", "pages")):
            assert _fits(_part_of(rules, looks), item) != right_of(task)


def places(task: Task) -> list[str]:
    return [drawer for _, drawer in Archivist(begun(task).brief)._rules]


def right_of(task: Task) -> str:
    drawer: str = task.criterion.expected[0]["F01"]
    return drawer


@pytest.mark.parametrize("situation", sorted(OFFICES))
def test_the_rules_are_read_back_from_every_wording(situation: str) -> None:
    """What the words say, applied to the papers that are shown, is what is expected."""
    for number in range(12):
        task = drawn(2, number, situation)
        reader = Archivist(begun(task).brief)
        items = task.setup["parts"][0]["items"]
        assert {i["file"]: _fits(reader._rules, i) for i in items} == task.criterion.expected[0]


def test_the_order_of_the_rules_matters() -> None:
    turned = 0
    for number in range(40):
        task = drawn(2, number)
        rules = Archivist(begun(task).brief)._rules
        items = task.setup["parts"][0]["items"]
        turned += {i["file"]: _fits(backwards(rules), i) for i in items} != task.criterion.expected[0]
    assert turned >= 36


def test_the_same_decision_twice_is_what_level_four_asks() -> None:
    """B.4.4 asks for the same decision across paraphrases; 10.6.1 that it advances the goal."""
    task = drawn(4, 3)
    right = task.criterion.expected[0]
    other = next(drawer for drawer in OFFICES["law"]["drawers"] if drawer != right["F01"])
    slip = {**right, "F01": other}
    assert FAMILY.judge(task, {"rounds": [right, right]}, ()).success
    assert FAMILY.judge(task, {"rounds": [slip, slip]}, ()).success, "one slip, and the same both times"
    told = FAMILY.judge(task, {"rounds": [right, slip]}, ()).because
    assert told == (f"F01 went to {right['F01']} and then to {other}",)
    one_drawer = dict.fromkeys(right, other)
    assert "have to be" in FAMILY.judge(task, {"rounds": [one_drawer] * 2}, ()).because[0]


def test_nothing_that_is_seen_says_which_presentation_it_is() -> None:
    task = drawn(4, 3)
    episode = begun(task)
    first, fresh = episode.act("look", {}), ""
    for name, drawer in task.criterion.expected[0].items():
        seen = episode.act("move", {"file": name, "to": drawer})
        fresh = fresh or seen.fresh
    assert fresh
    assert fresh != task.goal
    assert set(seen.observation) - {"messages"} == set(first.observation) - {"messages"} == {"items", "filed"}
    assert seen.observation["filed"] == first.observation["filed"] == 0
    assert not any(
        word in text.lower() for text in (task.goal, fresh) for word in ("round", "second time", "twice")
    )


def test_what_was_put_away_stays_there() -> None:
    task = drawn(2, 5)
    right = task.criterion.expected[0]
    wrong = next(drawer for drawer in OFFICES["law"]["drawers"] if drawer != right["F03"])
    episode = begun(task)
    assert not episode.act("move", {"file": "F03", "to": wrong}).error
    assert "stays where it is" in episode.act("move", {"file": "F03", "to": right["F03"]}).error
    for name in right:
        if name != "F03":
            seen = episode.act("move", {"file": name, "to": right[name]})
    assert seen.done
    assert episode.judge(episode.snapshot()).because == (f"F03 is in {wrong}, not {right['F03']}",)


def test_the_second_round_shows_the_same_papers_otherwise() -> None:
    first, second = drawn(4, 8).setup["parts"]
    plain = [
        sorted((i["file"], i["kind"], i["mark"], i["year"], i["pages"]) for i in p["items"])
        for p in (first, second)
    ]
    assert plain[0] == plain[1]
    assert first["items"] != second["items"]
    assert first["goal"] != second["goal"]


def test_full_drawers_take_nothing_and_the_cap_leaves_one_move_to_spare() -> None:
    for number in range(20):
        task = drawn(5, number)
        assert len(task.criterion.expected[0]) == 18
        assert task.needed >= 15
        assert task.most == task.needed + 1
        episode = begun(task)
        item = task.setup["parts"][0]["items"][0]
        to = task.criterion.expected[0][item["file"]]
        if to != item["in"]:
            assert "is full" in episode.act("move", {"file": item["file"], "to": to}).error
        counts = [
            list(episode.snapshot()["rounds"][0].values()).count(drawer)
            for drawer in OFFICES["law"]["drawers"]
        ]
        assert counts == [ROOM] * 6


def test_the_careless_one_follows_rules_but_not_through_distraction_or_full_drawers() -> None:
    def solved(level: int) -> int:
        return sum(
            play(FAMILY, drawn(level, n), BASELINE, Stream("f"), FAMILY.novice).judgement.success
            for n in range(30)
        )

    assert (solved(1), solved(2)) == (30, 30)
    assert solved(4) + solved(5) < 6


@pytest.mark.parametrize("part", sorted(TABLE["rules"]))
def test_every_rule_can_be_said_in_six_ways(part: str) -> None:
    assert len(set(TABLE["rules"][part])) == len(TABLE["orders"]) >= 6
    assert all(len(set(heads)) >= 6 for heads in TABLE["heads"].values())
