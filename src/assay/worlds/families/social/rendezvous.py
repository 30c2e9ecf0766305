"""Rendezvous: coordination with colleagues who announce where they will be, and are not always there. 12.8.

Both go to one of four places at the same time. Where a colleague goes follows from what it announced, or from where
it or the subject was the last time the two were to meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from assay.streams import Stream
from assay.worlds.base import Fixed
from assay.worlds.events import Phrasebook, known
from assay.worlds.model import Act, Action, Brief, Effect, Task
from assay.worlds.schema import STRING, action, text
from assay.worlds.templates import story_of, table

from .partners import POLICIES, Encounter, Last, Meetings, Modeller, Move, met_schema
from .seats import SeatedPartners

__all__ = ["Rendezvous"]

TABLE = table("rendezvous")
BOOK = Phrasebook({"said": TABLE["said"]})
REPLIES = Phrasebook(TABLE["replies"])
PLACES = 4
OBSERVATION = met_schema({}, {"place": STRING})


@cache
def _actions(places: tuple[str, ...]) -> tuple[Action, ...]:
    return (
        action("go", "Go to a place, and meet or miss the other.", {"place": text("", options=[*places])}),
    )


class Town(Meetings):
    """Places are numbers in the order in which they are listed."""

    replies = TABLE["replies"]

    def do_go(self, place: str) -> Effect:
        return self.meet({"place": place})

    @staticmethod
    def scene(case: Mapping[str, Any], last: Last, move: Move) -> Encounter:
        theirs, yours = last
        return Encounter(case["said"], (case["said"] + 1) % PLACES, theirs, yours)

    @staticmethod
    def goes_well(case: Mapping[str, Any], move: Move, theirs: int, policy: str) -> bool:
        return bool(case["places"][theirs] == move["place"])

    @staticmethod
    def told(case: Mapping[str, Any], move: Move, theirs: int) -> tuple[str, dict[str, Any]]:
        place = case["places"][theirs]
        return "met" if move["place"] == place else "missed", {"place": place}

    @staticmethod
    def figure(case: Mapping[str, Any], move: Move) -> int:
        places: list[str] = case["places"]
        return places.index(move["place"])

    @staticmethod
    def move_of(case: Mapping[str, Any], figure: int) -> Move:
        return {"place": case["places"][figure]}


class Colleague(Modeller):
    world = Town
    policies = ("keeps", "bluffs", "forgets", "mirrors")

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self.places: list[str] = story_of(TABLE["situations"], brief.goal)["places"]

    def case(self, shown: dict[str, Any]) -> dict[str, Any]:
        said = known(BOOK.read(shown["text"])[1]["place"], self.places)
        return {"said": self.places.index(said), "places": self.places}

    def unsaid(self) -> dict[str, Any]:
        return {"places": self.places}

    def past(self, entry: dict[str, Any]) -> tuple[Move, int]:
        theirs = known(REPLIES.read(entry["reply"])[1]["place"], self.places)
        return {"place": entry["place"]}, self.places.index(theirs)

    def answer(self, policy: str, case: dict[str, Any], last: Last) -> Act:
        return Act("go", {"place": self.places[POLICIES[policy](Town.scene(case, last, {}))]})


class Rendezvous(SeatedPartners, table=TABLE):
    world = seat_world = Town
    solver = Colleague

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        places: list[str] = TABLE["situations"][situation]["places"]
        announced, earlier, last = [], [], []
        for _ in range(3):
            # At the first meeting every policy leads to another place.
            said = stream.below(PLACES)
            theirs, yours = stream.shuffled([(said + 2) % PLACES, (said + 3) % PLACES])
            announced.append(said)
            last.append((theirs, yours))
            reply = stream.choice(TABLE["replies"]["missed"]).format(place=places[theirs])
            earlier.append({"text": "", "place": places[yours], "reply": reply})

        def cases(partner: int, first: bool) -> dict[str, Any]:
            said = announced[partner] if first else stream.below(PLACES)
            text_ = BOOK.say(stream, "said", place=places[said])
            return {"case": {"said": said, "places": places}, "text": text_, "shown": {}}

        return self.assembled(
            level, situation, stream,
            cases=cases, earlier=earlier, last=last, observation=OBSERVATION, actions=_actions(tuple(places)),
        )  # fmt: skip

    def null(self, brief: Brief) -> Fixed:
        place = brief.actions[0].parameters["properties"]["place"]["enum"][0]
        return Fixed(*[Act("go", {"place": place})] * 9)
