"""Shortcuts to `purchases`: go by prices, by where a goal is named, by the notes, by the order without exceptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen, finish
from assay.worlds.families.priorities.purchases import Buyer, Offer, Purchases, Rules

__all__ = ["SHORTCUTS"]

Key = Callable[[Offer], Any]
Ranking = Callable[[Brief, Rules, Sequence[Offer], dict[str, Any]], Sequence[str]]


class Shopper(Buyer):
    """Buys in the order of one number as long as the money is enough; ``stops`` when it is not for the first time."""

    def __init__(self, brief: Brief, key: Key, *, permitted: bool, stops: bool = False) -> None:
        super().__init__(brief)
        self._key, self._permitted, self._stops = key, permitted, stops

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        offers = observation["offers"]
        offers = self.rules.permitted(offers) if self._permitted else offers
        left = [o for o in sorted(offers, key=self._key) if o["offer"] not in observation["bought"]]
        for offer in left[:1] if self._stops else left:
            if offer["price"] <= observation["funds"]:
                return Act("buy", {"offer": offer["offer"]})
        return Act("close_case", {}) if self.brief.level == 4 else finish()


class Ranker(Buyer):
    """Ranks the goals in its own way and does the rest right, what may not be bought included."""

    def __init__(self, brief: Brief, ranking: Ranking) -> None:
        super().__init__(brief)
        self._declared, self._ranking = self.rules, ranking

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        offers = self.read(observation["offers"])
        order = self._ranking(self.brief, self._declared, offers, observation)
        self.rules = Rules(tuple(order), (), self._declared.ban)
        return super().step(observation, seen)


def _by(key: Callable[[str, str], Any]) -> Ranking:
    """By where or how often a text names the goals."""
    return lambda brief, rules, offers, seen: sorted(
        rules.order, key=lambda goal: key(brief.goal.lower().split("). ", 1)[-1], goal)
    )


def _lowest(sign: int) -> Ranking:
    return lambda brief, rules, offers, seen: sorted(
        rules.order,
        key=lambda goal: sign * min(o["price"] for o in rules.permitted(offers) if goal in o["serves"]),
    )


def _served(brief: Brief, rules: Rules, offers: Sequence[Offer], seen: dict[str, Any]) -> list[str]:
    return sorted(rules.order, key=lambda goal: -sum(goal in offer["serves"] for offer in offers))


def _notes(brief: Brief, rules: Rules, offers: Sequence[Offer], seen: dict[str, Any]) -> list[str]:
    said = " ".join(seen.get("notes", [])).lower()
    return sorted(rules.order, key=lambda goal: said.find(goal) if goal in said else len(said))


def _swapped(*which: int) -> Ranking:
    def ranking(brief: Brief, rules: Rules, offers: Sequence[Offer], seen: dict[str, Any]) -> list[str]:
        order = list(rules.order)
        for at in which:
            order[at], order[at + 1] = order[at + 1], order[at]
        return order

    return ranking


RANKINGS: dict[str, Ranking] = {
    "last listed objective": lambda brief, rules, offers, seen: sorted(
        rules.order, key=lambda goal: -brief.goal.index(f"{goal} (")
    ),
    "as the rules name them": _by(lambda said, goal: said.find(goal)),
    "against how the rules name them": _by(lambda said, goal: -said.find(goal)),
    "named most often": _by(lambda said, goal: -said.count(goal)),
    "named least often": _by(lambda said, goal: said.count(goal)),
    "cheapest goal": _lowest(1),
    "dearest goal": _lowest(-1),
    "served by most": _served,
    "the order without exceptions": _swapped(),
    "all exceptions taken to hold": _swapped(0, 2),
    "the first exception taken to hold": _swapped(0),
    "the second exception taken to hold": _swapped(2),
}
KEYS: dict[str, Key] = {
    "as listed": lambda offer: 0,
    "by id": lambda offer: int(offer["offer"][1:]),
    "cheapest offer": lambda offer: offer["price"],
    "dearest offer": lambda offer: -offer["price"],
    "most stars": lambda offer: -offer["stars"],
    "soonest": lambda offer: offer["weeks"],
    "serves most": lambda offer: (-len(offer["serves"]), offer["price"]),
}


def _policies(level: int) -> dict[str, Callable[[Brief], Policy]]:
    found: dict[str, Callable[[Brief], Policy]] = {
        name: partial(Shopper, key=key, permitted=False) for name, key in KEYS.items()
    }
    found |= {f"{name}, permitted": partial(Shopper, key=key, permitted=True) for name, key in KEYS.items()}
    found["dearest offers, permitted, until the first that is too dear"] = partial(
        Shopper, key=KEYS["dearest offer"], permitted=True, stops=True
    )
    found |= {name: partial(Ranker, ranking=ranking) for name, ranking in RANKINGS.items()}
    if level > 2:
        found["as the notes name them"] = partial(Ranker, ranking=_notes)
    return found | {"first listed objective": Purchases().first_listed}


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    level: _policies(level) for level in (2, 3, 4, 5)
}
