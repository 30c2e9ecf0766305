"""Events: shown until the next is asked for, read back when misread, taken in once."""

from __future__ import annotations

from string import Formatter
from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Act, Brief, Seen
from assay.worlds.events import Follower, Phrasebook, Unfolding, known, listed, whole
from assay.worlds.families import accounts, dispatch, drifting_service, stockroom, strategies
from assay.worlds.injections import Bait
from assay.worlds.noise import misread

BOOKS = {
    "accounts": accounts,
    "dispatch": dispatch,
    "drifting_service": drifting_service,
    "stockroom": stockroom,
    "strategies": strategies,
}
FILLINGS = ("lamps", "Greenhouse", "Loft", "ramp", "Youth", "Heron", "sunny", "recordings")


class _Reports(Unfolding):
    """Nothing but events."""

    def look(self) -> dict[str, Any]:
        return {"event": self.event()}


def unfolding(told: Any, *, drift: bool = False) -> _Reports:
    task = accounts.Accounts().task(
        1, "club", goal="g", observation={}, actions=(), criterion="c", expected=None,
        setup={"told": told}, needed=1,
    )  # fmt: skip
    return _Reports(task, drift=drift)


def test_an_event_stays_until_the_next_is_asked_for_and_does_not_come_back() -> None:
    world = unfolding(["first", "second"])
    assert world.look() == {"event": {"number": 1, "of": 2, "text": "first"}}
    assert world.look() == world.look()
    assert not world.act("next", {}).error
    assert world.look()["event"]["text"] == "second"


def test_the_drifted_course_is_taken_where_there_is_one_and_rules_may_change() -> None:
    both = {"stationary": ["as ever"], "drifted": ["otherwise"]}
    assert unfolding(both).look()["event"]["text"] == "as ever"
    assert unfolding(both, drift=True).look()["event"]["text"] == "otherwise"
    assert unfolding({"stationary": ["as ever"]}, drift=True).course == "stationary"


def test_after_the_last_event_there_is_none_and_nothing_changes() -> None:
    world = unfolding(["only"])
    assert "last event" in world.act("next", {}).error
    assert world.look()["event"] == {"number": 1, "of": 1, "text": "only"}


@pytest.mark.parametrize("name", sorted(BOOKS))
def test_every_wording_is_read_back_misread_and_with_text_behind_it(name: str) -> None:
    table, book = BOOKS[name].TABLE, BOOKS[name].BOOK
    stream = Stream("wordings", name)
    for kind, wordings in table["phrases"].items():
        for wording in wordings:
            for _ in range(40):
                slots = _filled(wording, stream)
                said = misread(wording.format(**slots), "words", 0.4, stream)
                if stream.below(2):
                    said += " " + Bait(stream).text()
                found, read = book.read(said)
                assert found == kind, said
                assert read.keys() == slots.keys()
                assert all(whole(read[slot]) == slots[slot] for slot in slots if slot in ("n", "m")), said


def _filled(wording: str, stream: Stream) -> dict[str, Any]:
    names = [name for _, name, _, _ in Formatter().parse(wording) if name]
    return {name: stream.integer(2, 999) if name in ("n", "m") else stream.choice(FILLINGS) for name in names}


def test_a_wording_whose_number_is_none_is_not_taken() -> None:
    book = Phrasebook({"count": ("{n} came in here.",), "name": ("Someone came in here.",)})
    assert book.read("Someone came in here.")[0] == "name"
    assert book.read("l4 came in here.") == ("count", {"n": "l4"})


def test_small_readers() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert whole("l0S") == 105
    assert known("Loft", ["Loft", "Cellar"]) == "Loft"
    assert known("Cel1ar", ["Loft", "Cellar"]) == "Cellar"


class _Listener(Follower):
    """Notes what it hears."""

    def start(self, observation: dict[str, Any]) -> None:
        self.heard: list[str] = []

    def hear(self, said: str) -> None:
        self.heard.append(said)

    def conclude(self, observation: dict[str, Any]) -> Act:
        return Act("finish", {"achieved": True})


def test_a_follower_hears_an_event_once_however_often_it_is_shown() -> None:
    brief = Brief(family="x", level=1, goal="g", observation={}, actions=(), most=9, queries=None)
    world, player = unfolding(["first", "second"]), _Listener(brief)

    def shown() -> Seen:
        return Seen(observation=world.look())

    assert player.decide(shown()).name == "next"
    assert player.decide(Seen(observation={}, fault="lost")).name == "look"
    assert player.decide(shown()).name == "next"
    world.act("next", {})
    assert player.decide(shown()).name == "finish"
    assert player.heard == ["first", "second"]
