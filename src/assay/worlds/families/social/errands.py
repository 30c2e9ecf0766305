"""Errands: delegation to helpers of whom some cannot be relied on as they are. 12.8.

The subject orders from a helper what is needed. How much comes follows from the order and the helper: all of it, half,
nothing without a reminder, or more. An errand goes well where exactly what is needed comes, without a reminder that
changed nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.streams import Stream
from assay.worlds.base import Fixed
from assay.worlds.events import Phrasebook, whole
from assay.worlds.model import Act, Brief, Effect, Task
from assay.worlds.schema import BOOLEAN, INTEGER, action, integer
from assay.worlds.templates import table

from .partners import Encounter, Last, Meetings, Modeller, Move, PartnerFamily, met_schema

__all__ = ["Errands"]

TABLE = table("errands")
BOOK = Phrasebook({"said": TABLE["said"]})
REPLIES = Phrasebook(TABLE["replies"])
EXTRA = 6
OBSERVATION = met_schema({}, {"amount": INTEGER, "remind": BOOLEAN})
ACTIONS = (
    action(
        "order",
        "Give the errand to the helper who is there.",
        {
            "amount": integer("how many are ordered", 1, 200),
            "remind": {"type": "boolean", "description": "send a reminder at noon"},
        },
    ),
)


class House(Meetings):
    replies = TABLE["replies"]

    def do_order(self, amount: int, remind: bool) -> Effect:
        return self.meet({"amount": amount, "remind": remind})

    @staticmethod
    def scene(case: Mapping[str, Any], last: Last, move: Move) -> Encounter:
        amount = move["amount"]
        reminded = amount if move["remind"] else 0
        return Encounter(amount, amount // 2, reminded, more=amount + EXTRA)

    @staticmethod
    def goes_well(case: Mapping[str, Any], move: Move, theirs: int, policy: str) -> bool:
        return bool(theirs == case["needed"] and (policy == "forgets" or not move["remind"]))

    @staticmethod
    def told(case: Mapping[str, Any], move: Move, theirs: int) -> tuple[str, dict[str, Any]]:
        return "came", {"n": theirs}


class Orderer(Modeller):
    world = House
    policies = ("keeps", "bluffs", "forgets", "overdoes")

    def case(self, shown: dict[str, Any]) -> dict[str, Any]:
        return {"needed": whole(BOOK.read(shown["text"])[1]["n"])}

    def past(self, entry: dict[str, Any]) -> tuple[Move, int]:
        move = {"amount": entry["amount"], "remind": entry["remind"]}
        return move, whole(REPLIES.read(entry["reply"])[1]["n"])

    def answer(self, policy: str, case: dict[str, Any], last: Last) -> Act:
        needed = case["needed"]
        amount = {"bluffs": 2 * needed, "overdoes": needed - EXTRA}.get(policy, needed)
        return Act("order", {"amount": amount, "remind": policy == "forgets"})


class Errands(PartnerFamily, table=TABLE):
    world = House
    solver = Orderer

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        thing = TABLE["situations"][situation]["thing"]

        def cases(partner: int, first: bool) -> dict[str, Any]:
            needed = 2 * stream.integer(7, 40)
            text = BOOK.say(stream, "said", n=needed, thing=thing)
            return {"case": {"needed": needed}, "text": text, "shown": {}}

        return self.assembled(level, situation, stream, cases=cases, observation=OBSERVATION, actions=ACTIONS)

    def null(self, brief: Brief) -> Fixed:
        return Fixed(*[Act("order", {"amount": 40, "remind": True})] * 9)
