"""Shortcuts to `dials`, with an action that repeats a turn: the same number of notches for all, or by one number."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, finish, options
from assay.worlds.fuzzy import nearest

__all__ = ["SHORTCUTS"]

Notches = Callable[[dict[str, Any]], int]


class Once(Steady):
    """Turns each dial once, by a number of notches that does not take both positions into account."""

    def __init__(self, brief: Brief, notches: Notches) -> None:
        super().__init__(brief)
        self._notches, self._done = notches, set[str]()

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        names = options(self.brief, "name")
        for dial in observation["dials"]:
            name = nearest(dial["name"], names)
            if name not in self._done:
                self._done.add(name)
                return Act("turn_often", {"name": name, "times": max(1, self._notches(dial))})
        return finish()


def _turn_by_turn(brief: Brief) -> Policy:
    from assay.worlds.families.structural.dials import Turner

    return Turner(brief, novice=True)


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    5: {
        "single turns": _turn_by_turn,
        "by what is wanted": partial(Once, notches=lambda dial: dial["wanted"]),
        "by the difference, downwards too": partial(
            Once, notches=lambda dial: abs(dial["wanted"] - dial["at"])
        ),
        "six notches each": partial(Once, notches=lambda dial: 6),
    }
}
