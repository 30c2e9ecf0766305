"""Shortcuts to `equipment`: go by prices, by where a goal is named, by the notes, by the order without exceptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen, finish
from assay.worlds.families.priorities.equipment import Buyer, Equipment, Offer, Rules

__all__ = ["SHORTCUTS"]

Key = Callable[[Offer], Any]
Ranking = Callable[[Brief, Rules, Sequence[Offer], dict[str, Any]], Sequence[str]]


class Shopper(Buyer):
    """Buys what is permitted in the order of one number, as long as the money is enough."""

    def __init__(self, brief: Brief, key: Key) -> None:
        super().__init__(brief)
        self._key = key

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        offers = self.rules.permitted(observation["offers"])
        left = [o for o in sorted(offers, key=self._key) if o["offer"] not in observation["bought"]]
        for offer in left:
            if offer["price"] <= observation["funds"]:
                return Act("buy", {"offer": offer["offer"]})
        return Act("close_case", {}) if self.brief.level == 4 else finish()


class Ranker(Buyer):
    """Ranks the goals in its own way, and plans rightly; ``careful``: also keeps off what may not be bought."""

    def __init__(self, brief: Brief, ranking: Ranking, *, careful: bool) -> None:
        super().__init__(brief)
        self._declared, self._ranking, self._careful = self.rules, ranking, careful

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        offers = self.read(observation["offers"])
        order = self._ranking(self.brief, self._declared, offers, observation)
        self.rules = Rules(tuple(order), (), self._declared.ban if self._careful else None)
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
    "cheapest goal": _lowest(1),
    "dearest goal": _lowest(-1),
    "served by most": _served,
}
CAREFUL: dict[str, Ranking] = {
    "the order without exceptions": _swapped(),
    "all exceptions taken to hold": _swapped(0, 2),
}
KEYS: dict[str, Key] = {
    "as listed": lambda offer: 0,
    "cheapest offer": lambda offer: offer["price"],
    "dearest offer": lambda offer: -offer["price"],
}


def _policies(keys: dict[str, Key], rankings: dict[str, Ranking]) -> dict[str, Callable[[Brief], Policy]]:
    found: dict[str, Callable[[Brief], Policy]] = {
        f"{name}, permitted": partial(Shopper, key=key) for name, key in keys.items()
    }
    found |= {name: partial(Ranker, ranking=ranking, careful=False) for name, ranking in rankings.items()}
    found |= {name: partial(Ranker, ranking=ranking, careful=True) for name, ranking in CAREFUL.items()}
    return found | {"first listed objective": Equipment().first_listed}


NOTES: dict[str, Ranking] = {"as the notes name them": _notes}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    2: _policies(KEYS, RANKINGS),
    3: _policies({}, NOTES),
    4: _policies({}, NOTES),
    5: _policies(KEYS, NOTES),
}
