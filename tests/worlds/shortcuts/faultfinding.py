"""Shortcuts to `faultfinding`: one way always, or the way that one feature speaks for.

All prices are read as the oracle reads them. The part is the one whose label has the figures as they are printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Brief, Policy
from assay.worlds.families.metacontrol.faultfinding import WAYS, Fitter, Prices
from assay.worlds.families.metacontrol.ways import least

__all__ = ["SHORTCUTS"]

Rule = Callable[[Brief, Prices], str]


class Ruled(Fitter):
    """Chooses by a rule of its own, and works as the oracle does but for the part."""

    def __init__(self, brief: Brief, rule: Rule) -> None:
        super().__init__(brief)
        self._rule = rule

    def choose(self, observation: dict[str, Any]) -> str:
        return self._rule(self.brief, self.prices(observation))

    def part(self, observation: dict[str, Any]) -> str:
        figures = set(re.findall(r"\d+", " ".join(observation["notes"])))
        found: dict[str, list[str]] = {
            one["part"]: re.findall(r"\d+", one["label"]) for one in observation["parts"]
        }
        return max(found, key=lambda part: sum(figure in figures for figure in found[part]))


def _unit(prices: Prices, which: int) -> dict[str, float]:
    """What one step of each way takes: minutes (0) or coins (1)."""
    return dict(zip(WAYS, (prices.one[which], prices.group[which], prices.part[which]), strict=True))


def _in_all(prices: Prices, which: int) -> str:
    return least({way: prices.at_worst(way)[which] for way in WAYS})


def _named(brief: Brief, place: int) -> str:
    words = dict(zip(WAYS, ("test_one", "test_group", "exchange_all"), strict=True))
    return sorted(WAYS, key=lambda way: brief.goal.find(words[way]))[place]


def _always(way: str) -> Rule:
    return lambda brief, prices: way


RULES: dict[str, Rule] = {
    **{f"always {way}": _always(way) for way in WAYS},
    "the first way named": lambda brief, prices: _named(brief, 0),
    "the last way named": lambda brief, prices: _named(brief, -1),
    "in turn, by the length of the goal": lambda brief, prices: WAYS[len(brief.goal) % 3],
    "few units: exchange, many: halving": lambda brief, prices: (
        "exchange" if prices.units < 6 else "halving" if prices.units > 6 else "singly"
    ),
    "dear standstill: halving, cheap: singly": lambda brief, prices: (
        "halving" if prices.idle > 5 else "singly" if prices.idle < 4 else "exchange"
    ),
    "cheap parts: exchange, else halving": lambda brief, prices: (
        "exchange" if prices.part[1] < 12 else "halving"
    ),
    "cheap parts: exchange, else singly": lambda brief, prices: (
        "exchange" if prices.part[1] < 12 else "singly"
    ),
    "the step with the fewest minutes": lambda brief, prices: least(_unit(prices, 0)),
    "the step with the fewest coins": lambda brief, prices: least(_unit(prices, 1)),
    "the fewest minutes in all": lambda brief, prices: _in_all(prices, 0),
    "the fewest coins in all": lambda brief, prices: _in_all(prices, 1),
    "neither the fewest minutes nor the fewest coins": lambda brief, prices: next(
        way for way in WAYS if way not in (_in_all(prices, 0), _in_all(prices, 1))
    ),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    4: {name: partial(Ruled, rule=rule) for name, rule in RULES.items()}
}
