"""Bargains: negotiation with sellers who name a price. How far below it each would go shows in how it acts. 12.8.

One offer a meeting, out of seven listed prices, and it is final. Afterwards the seller says which price would have been
enough. A bargain is good at exactly that price: less, and the lot is gone; more is given away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.streams import Stream
from assay.worlds.events import Phrasebook, whole
from assay.worlds.model import Act, Brief, Effect, Seen, Task
from assay.worlds.schema import INTEGER, action, array, integer
from assay.worlds.templates import table

from .partners import POLICIES, Encounter, Last, Meetings, Modeller, Move, met_schema
from .seats import SeatedPartners

__all__ = ["Bargains"]

TABLE = table("bargains")
BOOK = Phrasebook({"said": TABLE["said"]})
REPLIES = Phrasebook({**TABLE["replies"], **TABLE["seat"]["replies"]})
PRICES = 7
OBSERVATION = met_schema({"prices": array(INTEGER, "that may be offered")}, {"price": INTEGER})
ACTIONS = (
    action("offer", "Make the one offer of this meeting.", {"price": integer("a listed price", 1, 999)}),
)


class Market(Meetings):
    """What is compared is the lowest price that a seller takes."""

    replies = TABLE["replies"]

    def do_offer(self, price: int) -> Effect:
        return self.meet({"price": price})

    @staticmethod
    def scene(case: Mapping[str, Any], last: Last, move: Move) -> Encounter:
        prices: list[int] = case["prices"]
        place = prices.index(case["said"])
        return Encounter(case["said"], prices[max(0, place - 1)], prices[-1], lowest=prices[0])

    @staticmethod
    def goes_well(case: Mapping[str, Any], move: Move, theirs: int, policy: str) -> bool:
        return bool(move["price"] == theirs)

    @staticmethod
    def told(case: Mapping[str, Any], move: Move, theirs: int) -> tuple[str, dict[str, Any]]:
        return "taken" if move["price"] >= theirs else "refused", {"n": theirs}

    @staticmethod
    def refusal(case: Mapping[str, Any], move: Move) -> str:
        return (
            "" if move["price"] in case["prices"] else f"{move['price']} is not among the prices of this lot"
        )

    @staticmethod
    def figure(case: Mapping[str, Any], move: Move) -> int:
        price: int = move["price"]
        return price

    @staticmethod
    def move_of(case: Mapping[str, Any], figure: int) -> Move:
        return {"price": figure}


class Stall(Market):
    """The same meetings as the seller sees them: its own move is the lowest price, the other's an offer."""

    replies = TABLE["seat"]["replies"]

    @staticmethod
    def told(case: Mapping[str, Any], move: Move, theirs: int) -> tuple[str, dict[str, Any]]:
        return "sold" if theirs >= move["price"] else "unsold", {"n": theirs}


class Haggler(Modeller):
    world = Market
    policies = ("keeps", "bluffs", "stubborn", "concedes")

    def case(self, shown: dict[str, Any]) -> dict[str, Any]:
        said = whole(BOOK.read(shown["text"])[1]["n"])
        prices: list[int] = shown["prices"]
        return {"said": min(prices, key=lambda price: abs(price - said)), "prices": prices}

    def past(self, entry: dict[str, Any]) -> tuple[Move, int]:
        return {"price": entry["price"]}, whole(REPLIES.read(entry["reply"])[1]["n"])

    def answer(self, policy: str, case: dict[str, Any], last: Last) -> Act:
        return Act("offer", {"price": POLICIES[policy](Market.scene(case, last, {}))})


class Bargains(SeatedPartners, table=TABLE):
    world, seat_world = Market, Stall
    solver = Haggler

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        def cases(partner: int, first: bool) -> dict[str, Any]:
            low, step = stream.integer(30, 120), stream.integer(4, 15)
            prices = [low + place * step for place in range(PRICES)]
            said = prices[stream.integer(2, PRICES - 2)]  # so that every policy has another price
            text = BOOK.say(stream, "said", n=said)
            return {"case": {"said": said, "prices": prices}, "text": text, "shown": {"prices": prices}}

        return self.assembled(level, situation, stream, cases=cases, observation=OBSERVATION, actions=ACTIONS)

    def null(self, brief: Brief) -> Middling:
        return Middling()


class Middling:
    """Offers the price in the middle of the list, whoever sells."""

    def decide(self, seen: Seen) -> Act:
        meeting = seen.observation.get("meeting")
        if meeting is None:
            return Act("look", {})
        return Act("offer", {"price": meeting["prices"][PRICES // 2]})
