"""Way out: the route is planned from places that were shown before, and there is no way back."""

from __future__ import annotations

from functools import partial

import msgspec
import pytest

from assay.streams import Stream
from assay.worlds import Episode, Seen, Task, play, shipped_regimes
from assay.worlds.families.planning.way_out import GAP, OUTSIDE, TABLE, WayOut, routes
from assay.worlds.fuzzy import nearest
from assay.worlds.noise import misread
from assay.worlds.templates import read_first
from assay.worlds.tiers import Forgetful

FAMILY = WayOut()
BASELINE = shipped_regimes()["Baseline"]
# Worked out by hand: the cheapest next way leads to Pearl, the cheapest route through Organ and Window.
WAYS = {
    "grotto": {"Pearl": 1, "Organ": 4, "Cascade": 6},
    "Pearl": {"Lantern": 2, "Window": 9},
    "Organ": {"Lantern": 3, "Window": 2},
    "Cascade": {"Lantern": 1, "Window": 5},
    "Lantern": {"chimney": 8, "sinkhole": 7},
    "Window": {"chimney": 3, "sinkhole": 2},
    "chimney": {OUTSIDE: 1},
    "sinkhole": {OUTSIDE: 4},
}


def drawn(number: int, situation: str = "cave") -> Task:
    return FAMILY.draw(3, situation, Stream("way out", number))


def by_hand(supply: int = 11) -> Task:
    task = drawn(0)
    return msgspec.structs.replace(task, setup={**task.setup, "ways": WAYS, "supply": supply})


def begun(task: Task, *, led: bool = True) -> Episode:
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    episode.begin()
    for _ in task.setup["tour"] if led else ():
        episode.act("follow", {})
    return episode


def gone(episode: Episode, *places: str) -> Seen:
    return [episode.act("go", {"to": place}) for place in places][-1]


def test_routes_are_found_with_what_they_take_by_hand() -> None:
    found = routes(WAYS, "grotto")
    assert len(found) == 12
    assert found[0] == (10, ["Organ", "Window", "chimney", OUTSIDE])
    assert found[1] == (12, ["Organ", "Window", "sinkhole", OUTSIDE])
    assert routes({"grotto": {"Pearl": 1}}, "grotto") == []


def test_only_who_gets_outside_with_the_supply_succeeds() -> None:
    episode = begun(by_hand())
    assert gone(episode, "Organ", "Window", "chimney", OUTSIDE).done
    assert episode.snapshot() == {
        "place": OUTSIDE,
        "went": ["Organ", "Window", "chimney", OUTSIDE],
        "supply": 1,
    }
    assert episode.judge(episode.snapshot()).success
    stuck = begun(by_hand())
    assert gone(stuck, "Pearl", "Lantern", "sinkhole", OUTSIDE).error == "not enough is left for that way"
    assert stuck.judge(stuck.snapshot()).because == ("ended at sinkhole, not outside",)


def test_ways_lead_in_one_direction_and_from_where_one_is() -> None:
    episode = begun(by_hand())
    assert gone(episode, "Window").error == "no way leads from here to Window"
    assert gone(episode, "Organ", "Pearl").error == "no way leads from here to Pearl"
    assert episode.snapshot()["went"] == ["Organ"]


def test_the_tour_is_free_shows_every_place_once_and_comes_first() -> None:
    task = drawn(1)
    episode = begun(task, led=False)
    assert gone(episode, task.setup["tour"][0]).error == "the guide is still leading you"
    stops = [episode.act("follow", {}).observation for _ in task.setup["tour"]]
    assert [stop["place"] for stop in stops] == task.setup["tour"]
    assert sorted(task.setup["tour"]) == sorted([*TABLE["situations"]["cave"]["places"], "grotto"])
    assert {stop["supply"] for stop in stops} == {task.setup["supply"]}
    assert [stop["stops_left"] for stop in stops] == [5, 4, 3, 2, 1, 0]
    assert episode.act("follow", {}).error == "the guide has left"


def test_a_place_shows_its_own_ways_and_no_others() -> None:
    episode = begun(by_hand())
    seen = gone(episode, "Organ").observation
    assert seen["ways"] == [{"to": "Lantern", "takes": 3}, {"to": "Window", "takes": 2}]
    assert Episode(FAMILY, by_hand(), BASELINE, Stream("f")).begin().observation["ways"] == []


def test_the_supply_is_enough_for_one_route_which_is_not_that_of_the_cheapest_next_ways() -> None:
    for number in range(30):
        setup = drawn(number).setup
        (least, best), (second, _), *_ = routes(setup["ways"], "grotto")
        assert least <= setup["supply"] < second
        assert second - least >= GAP
        cheapest = ["grotto"]
        while cheapest[-1] != OUTSIDE:
            onward = setup["ways"][cheapest[-1]]
            cheapest.append(min(onward, key=onward.get))
        assert cheapest[1:] != best


def test_the_solver_without_memory_or_foresight_fails() -> None:
    without = 0
    for number in range(20):
        task = drawn(number)
        solved = play(FAMILY, task, BASELINE, Stream("f"), FAMILY.oracle)
        assert (solved.judgement.success, solved.actions) == (True, task.needed)
        assert not play(FAMILY, task, BASELINE, Stream("f"), FAMILY.novice).judgement.success
        forgetful = partial(Forgetful, make=FAMILY.oracle)
        without += play(FAMILY, task, BASELINE, Stream("f"), forgetful).judgement.success
    assert without <= 7


def test_the_reward_is_declared_with_its_step() -> None:
    task = drawn(0)
    assert (task.needed, task.delay) == (10, 3)
    assert "the last of 4 ways, 3 steps after the first choice" in task.criterion.text


@pytest.mark.parametrize("wording", TABLE["exits"])
def test_what_the_last_ways_take_is_read_back(wording: str) -> None:
    said = f"The head. {wording.format(a='hatch', n=7, b='breach', m=2)} The rest."
    assert read_first(TABLE["exits"], said, r"\w+") == {"a": "hatch", "n": "7", "b": "breach", "m": "2"}


@pytest.mark.parametrize("situation", sorted(TABLE["situations"]))
def test_a_misread_name_is_still_most_like_itself(situation: str) -> None:
    story = TABLE["situations"][situation]
    names = [*story["places"], *story["exits"], OUTSIDE]
    for name in names:
        for number in range(20):
            assert nearest(misread(name, "words", 1.0, Stream("misread", number)), names) == name
