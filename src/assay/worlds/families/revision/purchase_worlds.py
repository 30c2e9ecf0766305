"""Worlds of `purchase`: requests that are answered, pieces that are confirmed, lots that may be gone."""

from __future__ import annotations

from typing import Any

from assay.worlds.base import WorldBase
from assay.worlds.model import Effect, Task
from assay.worlds.rounds import Rounds

from .common import Refusals
from .purchase_cases import Offers, in_pieces

__all__ = ["Confirmations", "Lots", "OfferRounds", "listing"]


def listing(offers: Offers) -> list[dict[str, Any]]:
    """Offers as they are shown."""
    found = []
    for k, one in offers.items():
        row = {"offer": k, **one}
        if "stock" in row:
            row["stock"] = in_pieces(row["stock"])
        if "article" in row:
            row["price"] = f"{row['price']} in all"
        found.append(row)
    return found


class OfferRounds(Rounds):
    """Levels 2 and 4: a list of offers and one answer to the request, once or twice."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._decided: list[dict[str, Any]] = []

    def look(self) -> dict[str, Any]:
        return {"offers": [dict(offer) for offer in self.parts[self.now]["offers"]]}

    def _decide(self, name: str, *arguments: Any) -> Effect:
        self._decided.append({"action": name, "arguments": list(arguments)})
        return self.end_round()

    def do_order(self, offer: str, pieces: int) -> Effect:
        return self._decide("order", offer, pieces)

    def do_propose(self, offer: str, pieces: int) -> Effect:
        return self._decide("propose", offer, pieces)

    def do_decline(self) -> Effect:
        return self._decide("decline")

    def snapshot(self) -> dict[str, Any]:
        return {"decided": [dict(one) for one in self._decided]}


class Confirmations(WorldBase):
    """Level 3: pieces are ordered, and confirmed as far as there are any."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._offers: dict[str, dict[str, Any]] = {k: dict(one) for k, one in task.setup["offers"].items()}
        self._orders: list[dict[str, Any]] = []
        self._spent, self._ended = 0, ""
        self._refusals = Refusals()

    def look(self) -> dict[str, Any]:
        return {
            "offers": listing(self._offers),
            "orders": [dict(one) for one in self._orders],
            "spent": self._spent,
        }

    def do_order(self, offer: str, pieces: int) -> None:
        one, real = self._offers[offer], self.setup["real"]
        had = sum(order["confirmed"] for order in self._orders if order["offer"] == offer)
        stock = real[offer] - had if offer in real else one["stock"]
        confirmed = min(pieces, stock)
        if not confirmed:
            raise self._refusals.refuse(f"ordering {offer}", f"there are no pieces of {offer}")
        self._orders.append({"offer": offer, "ordered": pieces, "confirmed": confirmed})
        self._spent += confirmed * one["price"]
        one["stock"] = one["stock"] - confirmed if confirmed == pieces else 0

    def do_close(self) -> Effect:
        self._ended = "closed"
        return Effect(done=True)

    def do_call_off(self) -> Effect:
        self._ended = "called off"
        return Effect(done=True)

    def snapshot(self) -> dict[str, Any]:
        return {
            "orders": [dict(one) for one in self._orders],
            "spent": self._spent,
            "ended": self._ended,
            "refused": dict(sorted(self._refusals.counts.items())),
        }


class Lots(WorldBase):
    """Level 5: one offer for each article; an offer may be gone."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._offers: dict[str, dict[str, Any]] = task.setup["offers"]
        self._orders: list[str] = []
        self._gone: list[str] = []
        self._ended = ""
        self._refusals = Refusals()

    def look(self) -> dict[str, Any]:
        return {
            "offers": listing(self._offers),
            "orders": sorted(self._orders),
            "gone": list(self._gone),
        }

    def do_order(self, offer: str) -> None:
        if offer in self.setup["gone"]:
            self._gone = [offer]
            raise self._refusals.refuse(f"ordering {offer}", f"{offer} can no longer be had")
        article = self._offers[offer]["article"]
        if article in [self._offers[k]["article"] for k in self._orders]:
            raise self._refusals.refuse(f"ordering {offer}", f"a lot of {article} is ordered already")
        self._orders.append(offer)

    def do_cancel(self, offer: str) -> None:
        if offer not in self._orders:
            raise self._refusals.refuse(f"cancelling {offer}", f"{offer} is not ordered")
        self._orders.remove(offer)

    def do_close(self) -> Effect:
        self._ended = "closed"
        return Effect(done=True)

    def snapshot(self) -> dict[str, Any]:
        return {
            "orders": sorted(self._orders),
            "ended": self._ended,
            "refused": dict(sorted(self._refusals.counts.items())),
        }
