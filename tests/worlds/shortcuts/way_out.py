"""Shortcuts to `way-out`: choose among the ways that are seen, by what they take or leave, or by the list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, finish
from assay.worlds.families.planning.way_out import OUTSIDE, TABLE, Walker
from assay.worlds.templates import read_first

__all__ = ["SHORTCUTS"]

Rows = list[dict[str, Any]]
Choose = Callable[
    [Rows, int], Rows
]  # the ways in the order in which they are wanted; what is left of the supply


class Local(Steady):
    """Follows the guide, then chooses by what is seen. At the last place but one the goal says what comes after."""

    def __init__(self, brief: Brief, choose: Choose) -> None:
        super().__init__(brief)
        self._choose = choose
        found = read_first(TABLE["exits"], brief.goal, r"\w+")
        self._exits = {found["a"]: int(found["n"]), found["b"]: int(found["m"])}

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["stops_left"]:
            return Act("follow", {})
        ways: Rows = observation["ways"]
        if all(way["to"] in self._exits for way in ways):
            wanted = sorted(ways, key=lambda way: way["takes"] + self._exits[way["to"]])
        else:
            wanted = self._choose(ways, observation["supply"])
        found = [way for way in wanted if way["takes"] <= observation["supply"]]
        return Act("go", {"to": found[0]["to"]}) if found else finish(achieved=False)


def _ranked(ranks: tuple[int, int], ways: Rows, supply: int) -> Rows:
    """At the first place the one of this rank, at the second the other; both by what they take."""
    order = sorted(ways, key=lambda way: int(way["takes"]))
    rank = min(ranks[0] if len(ways) == 3 else ranks[1], len(order) - 1)
    return [order[rank], *order]


def _leaves(rest: dict[int, int], ways: Rows, supply: int) -> Rows:
    """What leaves about as much as routes usually need."""
    return sorted(ways, key=lambda way: abs(supply - way["takes"] - rest.get(len(ways), 0)))


class OneAhead(Walker):
    """Keeps the tour, and chooses by this way and the cheapest after it."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        act = super().step(observation, seen)
        if act.name != "go":
            return act
        ways = {
            way["to"]: way["takes"] for way in observation["ways"] if way["takes"] <= observation["supply"]
        }
        after = {to: min(self._ways[to].values()) if to != OUTSIDE else 0 for to in ways}
        return Act("go", {"to": min(ways, key=lambda to: ways[to] + after[to])})


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    3: {
        **{
            f"rank {first}, then {second}": partial(Local, choose=partial(_ranked, (first, second)))
            for first, second in product(range(3), range(2))
        },
        "as listed": partial(Local, choose=lambda ways, supply: ways),
        "against the list": partial(Local, choose=lambda ways, supply: ways[::-1]),
        "leaves the usual": partial(Local, choose=partial(_leaves, {3: 11, 2: 7})),
        "leaves most that is usual": partial(Local, choose=partial(_leaves, {3: 14, 2: 9})),
        "one way ahead": OneAhead,
    }
}
