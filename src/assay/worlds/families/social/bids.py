"""Bids: competition with rivals for one thing at a time, by sealed bids. 12.8.

The higher bid wins. What a rival bids follows from what it announced, or from what it or the subject bid the last time
the two met. A contest is won well by one token or two: less loses it, more is wasted.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from assay.streams import Stream
from assay.worlds.base import Fixed
from assay.worlds.events import Phrasebook, whole
from assay.worlds.model import Act, Brief, Effect, Task
from assay.worlds.schema import INTEGER, action, integer
from assay.worlds.templates import table

from .partners import POLICIES, Encounter, Last, Meetings, Modeller, Move, PartnerFamily, met_schema

__all__ = ["Bids"]

TABLE = table("bids")
BOOK = Phrasebook({"said": TABLE["said"]})
REPLIES = Phrasebook(TABLE["replies"])
MARGIN = 2
OBSERVATION = met_schema({}, {"amount": INTEGER})
ACTIONS = (action("bid", "Hand in the one bid of this contest.", {"amount": integer("tokens", 1, 99)}),)


class Contest(Meetings):
    """The higher of two sealed bids wins; equal bids win nothing."""

    replies = TABLE["replies"]

    def do_bid(self, amount: int) -> Effect:
        return self.meet({"amount": amount})

    @staticmethod
    def scene(case: Mapping[str, Any], last: Last, move: Move) -> Encounter:
        theirs, yours = last
        return Encounter(case["said"], case["said"] // 2, theirs, yours)

    @staticmethod
    def goes_well(case: Mapping[str, Any], move: Move, theirs: int, policy: str) -> bool:
        return bool(1 <= move["amount"] - theirs <= MARGIN)

    @staticmethod
    def told(case: Mapping[str, Any], move: Move, theirs: int) -> tuple[str, dict[str, Any]]:
        return "won" if move["amount"] > theirs else "lost", {"n": theirs}

    @staticmethod
    def figure(case: Mapping[str, Any], move: Move) -> int:
        return int(move["amount"])


class Bidder(Modeller):
    world = Contest
    policies = ("keeps", "bluffs", "stubborn", "mirrors")

    def case(self, shown: dict[str, Any]) -> dict[str, Any]:
        return {"said": whole(BOOK.read(shown["text"])[1]["n"])}

    def past(self, entry: dict[str, Any]) -> tuple[Move, int]:
        return {"amount": entry["amount"]}, whole(REPLIES.read(entry["reply"])[1]["n"])

    def answer(self, policy: str, case: dict[str, Any], last: Last) -> Act:
        theirs = POLICIES[policy](Contest.scene(case, last, {}))
        return Act("bid", {"amount": min(99, theirs + 1)})


class Bids(PartnerFamily, table=TABLE):
    world = Contest
    solver = Bidder

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        announced, earlier, last = [], [], []
        for _ in range(3):
            # At the first meeting every policy leads to a bid of its own.
            while True:
                said, theirs, yours = (
                    2 * stream.integer(10, 30),
                    stream.integer(12, 60),
                    stream.integer(12, 60),
                )
                found = sorted((said, said // 2, theirs, yours))
                if min(b - a for a, b in pairwise(found)) > MARGIN:
                    break
            announced.append(said)
            last.append((theirs, yours))
            kind = "won" if yours > theirs else "lost"
            reply = stream.choice(TABLE["replies"][kind]).format(n=theirs)
            earlier.append({"text": "", "amount": yours, "reply": reply})

        def cases(partner: int, first: bool) -> dict[str, Any]:
            said = announced[partner] if first else 2 * stream.integer(10, 30)
            return {"case": {"said": said}, "text": BOOK.say(stream, "said", n=said), "shown": {}}

        return self.assembled(
            level, situation, stream,
            cases=cases, earlier=earlier, last=last, observation=OBSERVATION, actions=ACTIONS,
        )  # fmt: skip

    def null(self, brief: Brief) -> Fixed:
        return Fixed(*[Act("bid", {"amount": 35})] * 9)
