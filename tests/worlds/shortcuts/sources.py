"""Shortcuts to `sources`: one source always, or the one that one feature speaks for.

All figures of the notes are read as the oracle reads them. Pages and people are found by words as they are printed, and
the readings are averaged.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy
from assay.worlds.families.metacontrol.sources import WAYS, Grader, Offer, account, in_all
from assay.worlds.families.metacontrol.ways import least

__all__ = ["SHORTCUTS"]

Rule = Callable[["Ruled", Offer, int], str]


class Ruled(Grader):
    """Chooses by a rule of its own, and uses the source as it stands there."""

    def __init__(self, brief: Brief, rule: Rule) -> None:
        super().__init__(brief)
        self._rule = rule

    def choose(self, observation: dict[str, Any]) -> str:
        return self._rule(self, *self.offer(observation))

    def page(self, observation: dict[str, Any]) -> str:
        return str(_likeliest(observation, "pages", "label")["page"])

    def person(self, observation: dict[str, Any]) -> str:
        return str(_likeliest(observation, "people", "knows")["person"])

    def work(self, observation: dict[str, Any]) -> Act:
        found = [finding["points"] or 0 for finding in observation["findings"]]
        if self.way == "measuring" and len(found) == 3:
            return Act("decide", {"grade": self.grade(sum(found) // 3)})
        if self.way == "expert" and found:
            return Act("decide", {"grade": self.grade(found[0])})
        return super().work(observation)


def _likeliest(observation: dict[str, Any], where: str, what: str) -> dict[str, Any]:
    """The row that has most words in common with the notes."""
    said = set(" ".join(observation["notes"]).replace(",", " ").replace(".", " ").split())
    rows: list[dict[str, Any]] = observation[where]
    return max(rows, key=lambda row: len(said & set(row[what].split())))


def _always(way: str) -> Rule:
    return lambda player, offer, damage: way


def _named(player: Ruled, place: int) -> str:
    words = dict(zip(WAYS, ("open_file", "ask_expert", "measure "), strict=True))
    return sorted(WAYS, key=lambda way: player.brief.goal.find(words[way]))[place]


def _part(which: int) -> Rule:
    return lambda player, offer, damage: least({way: in_all(offer, way, damage)[which] for way in WAYS})


RULES: dict[str, Rule] = {
    **{f"always {way}": _always(way) for way in WAYS},
    "the first way named": lambda player, offer, damage: _named(player, 0),
    "the last way named": lambda player, offer, damage: _named(player, -1),
    "in turn, by the length of the goal": lambda player, offer, damage: WAYS[len(player.brief.goal) % 3],
    "the quickest": _part(0),
    "the cheapest": _part(1),
    "the safest": _part(2),
    "the cheapest call": lambda player, offer, damage: least({way: offer[way].coins for way in WAYS}),
    "the fewest mistakes": lambda player, offer, damage: least({way: offer[way].wrong for way in WAYS}),
    "much at stake: measuring, little: the file": lambda player, offer, damage: (
        "measuring" if damage > 1400 else "file" if damage < 1000 else "expert"
    ),
    "little time: the file, much: measuring": lambda player, offer, damage: (
        "file" if player.time < 100 else "measuring" if player.time > 140 else "expert"
    ),
    "a low limit: the file, a high one: the expert": lambda player, offer, damage: (
        "file" if player.limit < 150 else "expert" if player.limit > 200 else "measuring"
    ),
    "the least account, late or not": lambda player, offer, damage: least(
        {way: account(offer, way, damage) for way in WAYS}
    ),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    4: {name: partial(Ruled, rule=rule) for name, rule in RULES.items()}
}
