"""Shortcuts to `handover`, with a slot that keeps the readings: enter one of them for all, or in the order of names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, options

__all__ = ["SHORTCUTS"]

Fill = Callable[[list[int], int], int]  # the readings as listed, and the place of a name → what is entered


class Filled(Steady):
    def __init__(self, brief: Brief, fill: Fill) -> None:
        super().__init__(brief)
        self._fill = fill

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if not observation["open"]:
            return Act("close_round", {})
        names, done = options(self.brief, "name"), len(observation["sheet"])
        if done == len(names):
            return Act("sign", {})
        kept = [line["reading"] for line in observation["memory"].get("round", [])]
        return Act("enter", {"name": names[done], "reading": self._fill(kept, done)})


def _first(kept: list[int], place: int) -> int:
    return kept[0]


def _largest(kept: list[int], place: int) -> int:
    return max(kept)


def _listed(kept: list[int], place: int) -> int:
    return kept[place]


def _sorted(kept: list[int], place: int) -> int:
    return sorted(kept)[place]


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    5: {
        "the first for all": partial(Filled, fill=_first),
        "the largest for all": partial(Filled, fill=_largest),
        "in the order of the list": partial(Filled, fill=_listed),
        "by size": partial(Filled, fill=_sorted),
    }
}
