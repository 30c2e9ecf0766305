"""Shortcuts to `lead-times`: orders by the list or by when they are due, or by one figure that was worked out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, finish
from assay.worlds.families.planning.lead_times import TABLE, Scheduler
from assay.worlds.templates import read_first

__all__ = ["SHORTCUTS"]

Orders = list[dict[str, Any]]


class InOrder(Steady):
    """Puts in what is first by some order and not in yet; what waits for something goes in when nothing else is left.

    Without ``place`` the one that is waited for has no place of its own.
    """

    def __init__(self, brief: Brief, by: Callable[[Orders], Orders], place: int | None = None) -> None:
        super().__init__(brief)
        self._by, self._place = by, place
        found = read_first(TABLE["needs"], brief.goal, r"\w+")
        self._first, self._then = found["a"], found["b"]

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        order = [row["order"] for row in self._by(observation["orders"]) if row["order"] != self._then]
        if self._place is not None:
            order.remove(self._first)
            order.insert(self._place, self._first)
        left = [name for name in [*order, self._then] if name not in observation["put_in"]]
        return Act("put_in", {"order": left[0]}) if left else finish()


class ByTime(Scheduler):
    """Reads all notes, and puts in by one figure, whatever waits for what."""

    def __init__(self, brief: Brief, key: Callable[[int, int], int], chain: bool) -> None:
        super().__init__(brief)
        self._key, self._chain = key, chain

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        act = super().step(observation, seen)
        if act.name == "read_note":
            return act
        takes = {name: self._came_out[name] - self._went_in[name] for name in self._went_in}
        due = {row["order"]: row["due"] for row in observation["orders"]}
        left = [name for name in due if name not in observation["put_in"]]
        if self._chain and self._first in left:
            left.remove(self._then)
        left.sort(key=lambda name: self._key(takes[name], due[name]))
        return Act("put_in", {"order": left[0]}) if left else finish()


def _due(orders: Orders) -> Orders:
    return sorted(orders, key=lambda row: int(row["due"]))


def _due_last(orders: Orders) -> Orders:
    return _due(orders)[::-1]


def _listed(orders: Orders) -> Orders:
    return orders


BY = {"as listed": _listed, "due first": _due, "due last": _due_last}
PLACES = {"": None, ", what is waited for first": 0, ", … second": 1, ", … third": 2}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    3: {
        **{
            f"{name}{said}": partial(InOrder, by=by, place=place)
            for name, by in BY.items()
            for said, place in PLACES.items()
        },
        "longest first": partial(ByTime, key=lambda takes, due: -takes, chain=True),
        "shortest first": partial(ByTime, key=lambda takes, due: takes, chain=True),
        "latest to go in, each alone": partial(ByTime, key=lambda takes, due: due - takes, chain=False),
        "latest to go in, in turn": partial(ByTime, key=lambda takes, due: due - takes, chain=True),
    }
}
