"""Stockroom: numbers that are copied, rules that are kept, counts that are believed without a conclusion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.worlds import Act, Brief, Policy
from assay.worlds.events import Follower, known, record_missing, whole
from assay.worlds.families.stockroom import BOOK, SET


class Keeper(Follower):
    """Adds and takes what is named, without capacities, by the rules of the start."""

    def start(self, observation: dict[str, Any]) -> None:
        rules = observation.get("at_the_start", {"holds": 1, "leads_to": ""})
        self.holds, self.leads_to = rules["holds"], rules["leads_to"]
        self.counts = {place["name"]: place["start"] for place in observation["places"]}
        self.capacities = {place["name"]: place.get("capacity") for place in observation["places"]}

    def hear(self, said: str) -> None:
        kind, slots = BOOK.read(said)
        n = whole(slots["m" if kind == "count" else "n"])
        a = known(slots["a"], list(self.counts)) if "a" in slots else self.leads_to
        b = known(slots["b"], list(self.counts)) if "b" in slots else ""
        self.change(kind, n, a, b)

    def change(self, kind: str, n: int, a: str, b: str) -> None:
        if kind in ("receive", "packs"):
            self.counts[a] += n * (self.holds if kind == "packs" else 1)
        elif kind in ("issue", "move"):
            self.counts[a] -= n
        if kind == "move":
            self.counts[b] += n

    def conclude(self, observation: dict[str, Any]) -> Act:
        counts = {place: max(0, min(9999, count)) for place, count in self.counts.items()}
        return record_missing(observation["places"], *SET, counts)


class BelievesCounts(Keeper):
    """Takes every count over, and goes on as before."""

    def change(self, kind: str, n: int, a: str, b: str) -> None:
        super().change(kind, n, a, b)
        if kind == "count":
            self.counts[a] = n


class LastNumber(Keeper):
    """The last number that was said of a place."""

    def change(self, kind: str, n: int, a: str, b: str) -> None:
        self.counts[b or a] = n


class AddsAll(Keeper):
    """Adds whatever number is named to the place that is named."""

    def change(self, kind: str, n: int, a: str, b: str) -> None:
        self.counts[b or a] += n


class Clips(Keeper):
    """Cuts every place at its capacity, and forgets what does not fit."""

    def conclude(self, observation: dict[str, Any]) -> Act:
        for place, most in self.capacities.items():
            self.counts[place] = self.counts[place] if most is None else min(most, self.counts[place])
        return super().conclude(observation)


class LastOnly(Keeper):
    """Minds the latest report only."""

    def hear(self, said: str) -> None:
        self.start(self.latest)
        super().hear(said)


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: {"the last number": LastNumber, "add everything": AddsAll, "the latest report": LastOnly},
    2: {
        "no capacities": Keeper,
        "cut at the capacity": Clips,
        "add everything": AddsAll,
        "the latest report": LastOnly,
    },
    4: {
        "the rules of the start": Keeper,
        "counts, and the rules of the start": BelievesCounts,
        "the last number": LastNumber,
        "the latest report": LastOnly,
    },
}
