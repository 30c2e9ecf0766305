"""Lead times: things come out hours after they went in, and how long they take must have been put together before."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
import pytest

from assay.streams import Stream
from assay.worlds import Episode, Seen, Task, play, shipped_regimes
from assay.worlds.families.planning.lead_times import NOTES, TABLE, LeadTimes, plans
from assay.worlds.fuzzy import nearest
from assay.worlds.noise import misread
from assay.worlds.templates import read_first
from assay.worlds.tiers import Forgetful

FAMILY = LeadTimes()
BASELINE = shipped_regimes()["Baseline"]
# Worked out by hand: brioche must be out before strudel goes in.
TAKES = {"brioche": 3, "strudel": 5, "gingerbread": 4, "focaccia": 6}
DUE = {"brioche": 7, "strudel": 9, "gingerbread": 7, "focaccia": 8}


def drawn(number: int, situation: str = "bakery") -> Task:
    return FAMILY.draw(3, situation, Stream("lead times", number))


def by_hand() -> Task:
    task = drawn(0)
    orders = [{"order": name, "due": due} for name, due in DUE.items()]
    setup = {**task.setup, "takes": TAKES, "orders": orders, "first": "brioche", "then": "strudel"}
    criterion = msgspec.structs.replace(task.criterion, expected=DUE)
    return msgspec.structs.replace(task, setup=setup, criterion=criterion)


def begun(task: Task) -> Episode:
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    episode.begin()
    return episode


def put_in(episode: Episode, order: str) -> Seen:
    return episode.act("put_in", {"order": order}) if order else episode.act("wait", {})


def verdict(*orders: str) -> Any:
    episode = begun(by_hand())
    for order in orders:
        put_in(episode, order)
    return episode.judge(episode.snapshot())


def test_all_plans_in_time_by_hand() -> None:
    found = list(plans(TAKES, DUE, "brioche", "strudel"))
    assert found == [{1: "brioche", 2: "focaccia", 3: "gingerbread", 4: "strudel"}]


def test_the_judge_says_what_came_out_late_and_what_never_went_in() -> None:
    assert verdict("brioche", "focaccia", "gingerbread", "strudel").success
    late = verdict("focaccia", "brioche", "gingerbread", "", "strudel")
    assert late.because == ("strudel came out at hour 10, not by 9",)
    assert verdict("brioche", "gingerbread", "focaccia").because == (
        "focaccia came out at hour 9, not by 8",
        "strudel was not put in",
    )


def test_what_cannot_go_in_costs_the_hour() -> None:
    episode = begun(by_hand())
    assert put_in(episode, "strudel").error == "strudel cannot go in yet"
    put_in(episode, "brioche")
    assert put_in(episode, "brioche").error == "brioche was put in before"
    assert put_in(episode, "strudel").error == "strudel cannot go in yet"  # hour 4; brioche is out at hour 5
    assert put_in(episode, "strudel").observation["hour"] == 6
    assert episode.snapshot()["out"] == {"brioche": 5, "strudel": 10}


def test_the_day_is_over_when_nothing_more_is_due() -> None:
    episode = begun(by_hand())
    for _ in range(max(DUE.values())):
        seen = episode.act("wait", {})
    assert seen.done
    assert len(episode.judge(episode.snapshot()).because) == 4


def test_no_note_says_alone_how_long_something_takes_and_all_together_do() -> None:
    for number in range(20):
        task = drawn(number)
        went_in, came_out = {}, {}
        for note in task.setup["notes"]:
            _, said = NOTES.read(note)
            assert said["a"] != said["b"]
            went_in[said["a"]], came_out[said["b"]] = int(said["n"]), int(said["m"])
        assert {name: came_out[name] - went_in[name] for name in went_in} == task.setup["takes"]


def test_a_note_is_shown_once_and_takes_no_time() -> None:
    task = drawn(1)
    first, second, *_ = task.setup["notes"]
    episode = begun(task)
    assert episode.act("read_note", {}).observation["note"] == [first]
    assert episode.act("look", {}).observation["note"] == [first]
    seen = episode.act("read_note", {}).observation
    assert (seen["note"], seen["notes_left"], seen["hour"]) == ([second], 2, 1)
    seen = episode.act("wait", {}).observation
    assert (seen["note"], seen["hour"]) == ([], 2)
    for _ in range(2):
        episode.act("read_note", {})
    assert episode.act("read_note", {}).error == "all notes have been read"


def test_one_order_of_putting_in_is_in_time_and_what_is_due_first_does_not_begin_it() -> None:
    for number in range(30):
        task = drawn(number)
        due, setup = task.criterion.expected, task.setup
        found = list(plans(setup["takes"], due, setup["first"], setup["then"]))
        assert len({tuple(name for _, name in sorted(plan.items())) for plan in found}) == 1
        assert due[found[0][1]] > min(due.values())
        assert min(max(plan) for plan in found) == task.needed - 4


def test_what_is_shown_while_things_are_put_in_does_not_depend_on_how_long_they_take() -> None:
    task, shown = drawn(3), []
    names = [name for name in sorted(task.setup["takes"]) if name != task.setup["then"]]
    for more in (0, 1):
        takes = {name: hours + more for name, hours in task.setup["takes"].items()}
        episode = begun(msgspec.structs.replace(task, setup={**task.setup, "takes": takes}))
        shown.append([put_in(episode, name).observation for name in names])
    assert shown[0] == shown[1]


def test_the_solver_without_memory_or_foresight_fails() -> None:
    for number in range(10):
        task = drawn(number)
        solved = play(FAMILY, task, BASELINE, Stream("f"), FAMILY.oracle)
        assert (solved.judgement.success, solved.actions) == (True, task.needed)
        for policy in (FAMILY.novice, partial(Forgetful, make=FAMILY.oracle)):
            assert not play(FAMILY, task, BASELINE, Stream("f"), policy).judgement.success


def test_the_reward_is_declared_with_its_step() -> None:
    for number in range(10):
        task = drawn(number)
        assert task.delay == task.needed - 5 >= 3
        assert (
            f"the last at hour {max(task.criterion.expected.values())} at the latest" in task.criterion.text
        )


@pytest.mark.parametrize("wording", TABLE["needs"])
def test_what_waits_for_what_is_read_back(wording: str) -> None:
    said = f"The head. {wording.format(a='indigo', b='ochre')} The rest."
    assert read_first(TABLE["needs"], said, r"\w+") == {"a": "indigo", "b": "ochre"}


@pytest.mark.parametrize("wording", TABLE["notes"]["note"])
def test_every_wording_of_a_note_is_read_back(wording: str) -> None:
    _, said = NOTES.read(wording.format(a="salmon", n=3, b="cheddar", m=12))
    assert said == {"a": "salmon", "n": "3", "b": "cheddar", "m": "12"}


@pytest.mark.parametrize("situation", sorted(TABLE["situations"]))
def test_a_misread_name_is_still_most_like_itself(situation: str) -> None:
    story = TABLE["situations"][situation]
    names = story["names"]
    for name in names:
        for number in range(20):
            assert nearest(misread(name, "words", 1.0, Stream("misread", number)), names) == name
