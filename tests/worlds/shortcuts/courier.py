"""Courier: ways that are found one road at a time, or without the minutes, or without a plan for all stops."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, finish
from assay.worlds.families.courier import ABOARD, _minutes, _read, _road, _route
from assay.worlds.fuzzy import nearest

Graph = dict[str, dict[str, int]]
Walk = Callable[["Walker", Graph, str, str, set[str]], str]


class Walker(Steady):
    """Goes to a stop that one rule picks, along roads that another picks; after a closed road it tries on. With
    ``passing`` it serves what is open on the way."""

    def __init__(self, brief: Brief, walk: Walk, stop: str = "due", *, passing: bool = False) -> None:
        super().__init__(brief)
        self._walk, self._stop, self._passing = walk, stop, passing
        self.visited: list[str] = []

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        graph = _read(observation["roads"])
        aboard = [parcel for parcel in observation["parcels"] if parcel["now"] == ABOARD]
        if not aboard:
            return finish()
        at = observation["at"]
        self.visited.append(at)
        to = {p["parcel"]: nearest(p["to"].split(" ")[0], sorted(graph)) for p in aboard}
        order: dict[str, Callable[[dict[str, Any]], int]] = {
            "due": lambda p: int(p["by"]),
            "listed": lambda p: 0,
            "near": lambda p: _minutes(graph, _route(graph, at, to[p["parcel"]], set())),
            "opens": lambda p: int(p["from"]),
            "spare": lambda p: int(p["by"]) - order["near"](p),
            "served": lambda p: max(int(p["from"]) - int(observation["clock"]), order["near"](p)),
        }
        parcel = min(aboard, key=order[self._stop])
        here = [p for p in aboard if to[p["parcel"]] == at and p["from"] <= observation["clock"]]
        if self._passing and here:
            parcel = here[0]
        if at == to[parcel["parcel"]]:
            early = parcel["from"] - observation["clock"]
            if early > 0:
                return Act("wait", {"minutes": min(60, early)})
            return Act("leave", {"parcel": parcel["parcel"]})
        return Act(
            "go", {"to": self._walk(self, graph, at, to[parcel["parcel"]], set(observation["closed"]))}
        )


def open_roads(graph: Graph, at: str, closed: set[str]) -> list[str]:
    return [place for place in sorted(graph[at]) if _road(at, place) not in closed]


def quickest(walker: Walker, graph: Graph, at: str, stop: str, closed: set[str]) -> str:
    return _route(graph, at, stop, closed)[1]


def blind(walker: Walker, graph: Graph, at: str, stop: str, closed: set[str]) -> str:
    """The quickest way on the map, and from a closed road the quickest open road."""
    wish = _route(graph, at, stop, set())[1]
    return wish if _road(at, wish) not in closed else shortest_road(walker, graph, at, stop, closed)


def fewest_moves(walker: Walker, graph: Graph, at: str, stop: str, closed: set[str]) -> str:
    flat = {one: dict.fromkeys(sorted(roads), 1) for one, roads in sorted(graph.items())}
    return _route(flat, at, stop, closed)[1]


def shortest_road(walker: Walker, graph: Graph, at: str, stop: str, closed: set[str]) -> str:
    some = open_roads(graph, at, closed)
    if stop in some:
        return stop
    return min(some, key=lambda place: (walker.visited.count(place), graph[at][place]))


def first_road(walker: Walker, graph: Graph, at: str, stop: str, closed: set[str]) -> str:
    some = open_roads(graph, at, closed)
    return stop if stop in some else min(some, key=walker.visited.count)


WAYS: dict[str, Callable[[Brief], Policy]] = {
    "fewest moves": partial(Walker, walk=fewest_moves),
    "the shortest road next": partial(Walker, walk=shortest_road),
    "the first road next": partial(Walker, walk=first_road),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    2: WAYS,
    3: {**WAYS, "the first plan, and any road around": partial(Walker, walk=blind)},
    5: {
        **WAYS,
        "the parcels as listed": partial(Walker, walk=quickest, stop="listed"),
        "the nearest stop first": partial(Walker, walk=quickest, stop="near"),
        "what closes first, and what is on the way": partial(Walker, walk=quickest, passing=True),
        "what opens first": partial(Walker, walk=quickest, stop="opens"),
        "what has the least time to spare": partial(Walker, walk=quickest, stop="spare"),
        "what can be served first": partial(Walker, walk=quickest, stop="served"),
        "the first plan, and any road around": partial(Walker, walk=blind),
    },
}
