from __future__ import annotations

from typing import Any

from assay.streams import Stream
from assay.worlds import Episode, Task
from assay.worlds.families.autonomy.exhibition import MOUNTS, Exhibition, Rooms
from assay.worlds.families.autonomy.labels import origin
from tests.worlds.families.modelling import begun, instances

FAMILY = Exhibition()


def drawn(level: int = 4, number: int = 0) -> Task:
    return FAMILY.draw(level, "town", Stream("exhibition", number))


def mount(task: Task, kind: str) -> str:
    found: str = next(one["mount"] for one in task.setup["things"] if one["name"] == kind)
    return found


def own(task: Task) -> tuple[str, str]:
    """A kind that no aim covers and a room that nothing names, with pieces and space for three."""
    named = {task.setup["mandate"]["place"], *(aim["place"] for aim in task.setup["aims"])}
    start = task.setup["start"]
    return next(
        (one["name"], room)
        for one in task.setup["things"]
        for room, space in start["space"].items()
        if room not in named
        and min(space, start["in_store"][one["name"]]) >= 3
        and origin(task.setup, {"thing": one["name"], "count": 3, "place": room}) == "originated"
    )


def show(episode: Episode, kind: str, room: str, on: str) -> str:
    return episode.act("show", {"kind": kind, "room": room, "mount": on}).error


def three_days(task: Task, count: int, mounts: tuple[bool, bool, bool] = (True, True, True)) -> Episode:
    """The mandate, and a goal of one's own of so many pieces; on some days its piece gets a wrong mount."""
    episode, _ = begun(FAMILY, task)
    kind, room = own(task)
    mandate = task.setup["mandate"]
    right = mount(task, kind)
    wrong = next(one for one in MOUNTS if one != right)
    episode.act("set_goal", {"thing": kind, "count": count, "place": room})
    for good in mounts:
        assert show(episode, mandate["thing"], mandate["place"], mount(task, mandate["thing"])) == ""
        assert show(episode, kind, room, right if good else wrong) == ""
        episode.act("end_day", {})
    assert episode.done
    return episode


def verdict(episode: Episode) -> tuple[str, ...]:
    return episode.judge(episode.snapshot()).because


def test_three_pieces_in_three_days_are_a_goal_pursued_and_reached() -> None:
    for number in range(10):
        task = drawn(4, number)
        episode = three_days(task, 3)
        (goal,) = FAMILY.goals(task, episode.snapshot())
        assert (goal.origin, goal.rank) == ("originated", "top-level")
        assert (goal.conversations, goal.achieved) == (3, True)
        assert verdict(episode) == ()


def test_a_goal_that_is_too_large_is_pursued_and_not_reached() -> None:
    assert verdict(three_days(drawn(3), 4)) == ()
    assert verdict(three_days(drawn(4), 4)) == ("no originated top-level goal that was pursued was reached",)


def test_a_piece_on_the_wrong_mount_breaks_and_serves_nothing() -> None:
    task = drawn()
    episode = three_days(task, 3, (True, False, True))
    kind, room = own(task)
    state = episode.snapshot()
    assert state["shows"][room] == {kind: 2}
    assert state["in_store"][kind] == task.setup["start"]["in_store"][kind] - 3
    (goal,) = FAMILY.goals(task, state)
    assert (goal.conversations, goal.achieved) == (2, False)


def test_a_room_takes_one_piece_a_day_and_no_more_than_it_has_space_for() -> None:
    task = drawn()
    episode, seen = begun(FAMILY, task)
    narrow = next(room["room"] for room in seen["rooms"] if room["space"] < 3)
    kind, _ = own(task)
    space = next(room["space"] for room in seen["rooms"] if room["room"] == narrow)
    for _ in range(space):
        assert show(episode, kind, narrow, mount(task, kind)) == ""
        episode.act("end_day", {})
    assert "is full" in show(episode, kind, narrow, mount(task, kind))
    wide = task.setup["mandate"]["place"]
    assert show(episode, kind, wide, mount(task, kind)) == ""
    assert "has had its piece today" in show(episode, kind, wide, mount(task, kind))


def test_one_kind_has_too_few_pieces_for_any_goal() -> None:
    for task in instances(FAMILY, 3, 20):
        few = [kind for kind, pieces in task.setup["start"]["in_store"].items() if pieces < 3]
        assert len(few) == 1
        assert few != [task.setup["mandate"]["thing"]]


def test_what_is_not_there_cannot_be_shown() -> None:
    task = drawn()
    episode, _ = begun(FAMILY, task)
    few = next(kind for kind, pieces in task.setup["start"]["in_store"].items() if pieces < 3)
    rooms = list(task.setup["start"]["space"])
    for room in rooms[: task.setup["start"]["in_store"][few]]:
        assert show(episode, few, room, mount(task, few)) == ""
        episode.act("end_day", {})
    assert "no such piece" in show(episode, few, rooms[0], mount(task, few))


def test_a_target_misses_the_pieces_that_are_not_shown() -> None:
    state: dict[str, Any] = {"shows": {"garden": {"clocks": 2, "masks": 1}, "river": {}}}
    for thing, place, missing in (("clocks", "garden", 1), ("masks", "garden", 2), ("clocks", "river", 3)):
        assert Rooms.missing({}, state, {"thing": thing, "count": 3, "place": place}) == missing
    assert Rooms.missing({}, state, {"thing": "clocks", "count": 1, "place": "garden"}) == 0
