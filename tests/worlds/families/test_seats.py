"""A partner's seat: the same meeting from either side, each as a task of its own (12.8)."""

from __future__ import annotations

from typing import Any

import pytest

from assay.worlds import Task
from assay.worlds.families.social.bargains import Bargains
from assay.worlds.families.social.bids import Bids
from assay.worlds.families.social.rendezvous import Rendezvous
from assay.worlds.tiers import PastMeeting, SeatedFamily

from .modelling import begun, instances

Seated = Bargains | Rendezvous
each = pytest.mark.parametrize("family", [Bargains(), Rendezvous()], ids=lambda one: one.name)


def decided(family: Seated, task: Task) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the oracle saw first, and the state it left."""
    episode, _ = begun(family, task)
    seen = episode.act("look", {})
    act = family.oracle(episode.brief).decide(seen)
    assert episode.act(act.name, act.arguments).done
    return seen.observation, episode.snapshot()


def test_some_families_have_a_seat() -> None:
    assert isinstance(Bargains(), SeatedFamily)
    assert isinstance(Rendezvous(), SeatedFamily)
    assert not isinstance(Bids(), SeatedFamily)


@each
def test_two_solvers_understand_each_other_from_beginning_to_end(family: Seated) -> None:
    for task in instances(family, 5, 10):
        past: list[PastMeeting] = []
        for _ in range(9):
            theirs_task = family.seat_task(task, past)
            theirs = family.moved(theirs_task, decided(family, theirs_task)[1])
            assert theirs is not None
            mine = family.meeting_task(task, past, theirs)
            state = decided(family, mine)[1]
            assert family.judge(mine, state, ()).success
            past.append(PastMeeting(family.moved(mine, state), theirs))
        assert all(one.yours == one.theirs for one in past)


@each
def test_each_side_sees_its_own_move_and_hears_of_the_others(family: Seated) -> None:
    task = next(iter(instances(family, 5, 1)))
    (part,) = task.actions[0].parameters["properties"]
    case = task.setup["meetings"][0]["case"]
    mine, theirs = (case["places"] if part == "place" else case["prices"])[:2]
    past = [PastMeeting({part: mine}, {part: theirs})]
    for seat in (True, False):
        own, other = (theirs, mine) if seat else (mine, theirs)
        one = family.seat_task(task, past) if seat else family.meeting_task(task, past, {part: theirs})
        entry = decided(family, one)[0]["log"][-1]
        assert entry[part] == own
        assert str(other) in entry["reply"]


@each
def test_nothing_is_shown_of_the_partners_move_before_the_subjects(family: Seated) -> None:
    task = next(iter(instances(family, 5, 1)))
    said = family.silent_move(task, [])
    other = {"price": 999} if "price" in said else {"place": task.setup["meetings"][0]["case"]["places"][0]}
    shown = [begun(family, family.meeting_task(task, [], move))[1] for move in (said, other)]
    assert shown[0] == shown[1]


@each
def test_a_meeting_without_a_move_of_the_subject_goes_wrong_and_leaves_nothing(family: Seated) -> None:
    task = next(iter(instances(family, 5, 1)))
    silent = family.silent_move(task, [])
    one = family.meeting_task(task, [], silent)
    state = begun(family, one)[0].snapshot()
    assert family.moved(one, state) is None
    assert not family.judge(one, state, ()).success
    past = [PastMeeting(None, silent)]
    for later in (family.meeting_task(task, past, silent), family.seat_task(task, past)):
        seen, _ = decided(family, later)
        assert seen["meeting"]["number"] == 2
        assert not [entry for entry in seen["log"] if entry["meeting"]]
