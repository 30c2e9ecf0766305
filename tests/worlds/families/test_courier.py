from __future__ import annotations

from itertools import pairwise, permutations

import pytest

from assay.streams import Stream
from assay.worlds import Episode, Task, play, shipped_regimes
from assay.worlds.families.courier import TABLE, Courier, Graph, _minutes, _read, _road, _route

FAMILY = Courier()
BASELINE = shipped_regimes()["Baseline"]


def drawn(level: int, number: int, situation: str = "town") -> Task:
    return FAMILY.draw(level, situation, Stream("courier", number))


def ways(graph: Graph, at: str, goal: str, been: tuple[str, ...] = ()) -> list[list[str]]:
    """Every way without a loop."""
    if at == goal:
        return [[*been, at]]
    return [w for after in graph[at] if after not in been for w in ways(graph, after, goal, (*been, at))]


def begun(task: Task) -> Episode:
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    episode.begin()
    return episode


def test_the_route_is_the_quickest_of_all_ways() -> None:
    for number in range(15):
        task = drawn(2, number)
        graph, goal = _read(task.setup["roads"]), task.criterion.expected[0]["to"]
        every = [_minutes(graph, way) for way in ways(graph, task.setup["start"], goal)]
        assert _minutes(graph, _route(graph, task.setup["start"], goal, set())) == min(every)
        assert task.criterion.expected[0]["by"] == min(every), "only a quickest way is in time"
        assert len(every) > 5
        assert max(every) > min(every)


def test_there_is_no_way_around_everything() -> None:
    graph = _read(["A-B: 3 min", "B-C: 4 min"])
    assert _route(graph, "A", "C", set()) == ["A", "B", "C"]
    assert _route(graph, "A", "C", {"B-C"}) == []


def test_whoever_takes_a_quickest_way_meets_the_closed_road() -> None:
    for number in range(25):
        task = drawn(3, number)
        graph, parcel = _read(task.setup["roads"]), task.criterion.expected[0]
        every = ways(graph, task.setup["start"], parcel["to"])
        best = min(_minutes(graph, way) for way in every)
        (closed,) = task.setup["closed"]
        for way in every:
            if _minutes(graph, way) == best:
                assert closed in {_road(one, other) for one, other in pairwise(way)}


def test_a_closed_road_costs_an_action_and_no_time_and_is_then_known() -> None:
    task = drawn(3, 4)
    episode = begun(task)
    graph, goal = _read(task.setup["roads"]), task.criterion.expected[0]["to"]
    for after in _route(graph, task.setup["start"], goal, set())[1:]:
        before = episode.snapshot()["clock"]
        seen = episode.act("go", {"to": after})
        if seen.error:
            break
    assert seen.error == f"the road {task.setup['closed'][0]} is closed"
    assert seen.observation["closed"] == task.setup["closed"]
    assert episode.snapshot()["clock"] == before


def test_the_judge_tells_the_wrong_place_from_the_wrong_time() -> None:
    task = drawn(5, 2)
    right = {
        parcel["parcel"]: {"at": parcel["to"], "minute": parcel["by"]} for parcel in task.criterion.expected
    }
    first = task.criterion.expected[0]
    assert FAMILY.judge(task, {"left": right}, ()).success
    late = {**right, "P1": {"at": first["to"], "minute": first["by"] + 1}}
    assert "at minute" in FAMILY.judge(task, {"left": late}, ()).because[0]
    elsewhere = {**right, "P1": {"at": "nowhere", "minute": first["by"]}}
    assert FAMILY.judge(task, {"left": elsewhere}, ()).because == (
        f"P1 was left at nowhere, not {first['to']}",
    )
    missing = {name: left for name, left in right.items() if name != "P1"}
    assert FAMILY.judge(task, {"left": missing}, ()).because == ("P1 was not delivered",)


def test_a_parcel_left_at_the_wrong_place_is_lost() -> None:
    task = drawn(2, 6)
    episode = begun(task)
    near = sorted(_read(task.setup["roads"])[task.setup["start"]])
    far = next(
        place for place in TABLE["situations"]["town"]["places"] if place not in (*near, task.setup["start"])
    )
    assert "there are roads to" in episode.act("go", {"to": far}).error
    assert episode.act("leave", {"parcel": "P2"}).error == "P2 is not on board"
    assert episode.act("leave", {"parcel": "P1"}).done
    assert not episode.judge(episode.snapshot()).success


def test_a_long_tour_has_windows_waits_closed_roads_and_few_actions_to_spare() -> None:
    for number in range(20):
        task = drawn(5, number)
        assert task.needed >= 15
        assert task.most == task.needed + 4
        assert len(task.setup["closed"]) == 2
        played = play(FAMILY, task, BASELINE, Stream("f"), FAMILY.oracle)
        assert played.judgement.success
        assert "wait" in {act.name for act in played.acts}
        assert sum("is closed" in seen.error for seen in played.seen) == 2


def test_one_order_of_the_stops_is_in_time_and_the_hours_do_not_tell_which() -> None:
    for number in range(20):
        task = drawn(5, number)
        graph, parcels = _read(task.setup["roads"]), task.criterion.expected
        fit = []
        for order in permutations(parcels):
            at, clock, late = task.setup["start"], 0, False
            for parcel in order:
                clock += _minutes(graph, _route(graph, at, parcel["to"], set()))
                at, clock = parcel["to"], max(clock, parcel["from"])
                late |= clock > parcel["by"]
            fit += [] if late else [list(order)]
        assert len(fit) == 1
        assert fit[0] not in [sorted(parcels, key=lambda parcel: int(parcel[key])) for key in ("from", "by")]


def test_nobody_opens_early() -> None:
    task = drawn(5, 1)
    played = play(FAMILY, task, BASELINE, Stream("f"), FAMILY.oracle)
    wait = next(place for place, act in enumerate(played.acts) if act.name == "wait")
    episode = begun(task)
    for act in played.acts[:wait]:
        episode.act(act.name, act.arguments)
    seen = episode.act("leave", played.acts[wait + 1].arguments)
    assert seen.error.startswith("nobody opens before minute")


@pytest.mark.parametrize(("level", "most"), [(3, 3), (5, 3)])
def test_the_stubborn_one_finds_the_way_but_not_another(level: int, most: int) -> None:
    def solved(level: int) -> int:
        return sum(
            play(FAMILY, drawn(level, n), BASELINE, Stream("f"), FAMILY.novice).judgement.success
            for n in range(30)
        )

    assert solved(2) == 30
    assert solved(level) <= most
