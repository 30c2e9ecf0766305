"""Shortcuts to `signals`, with an up-to-date view: the same key, keys in turn, or the key that was due before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Fixed, Steady, options
from assay.worlds.fuzzy import nearest

__all__ = ["SHORTCUTS"]


class Late(Steady):
    """Presses what was due one press before."""

    def __init__(self, brief: Brief) -> None:
        super().__init__(brief)
        self._before, self._pressed = "", -1

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        due = nearest(observation["due"], options(self.brief, "key"))
        key = self._before or due
        if observation["pressed"] != self._pressed:
            self._before, self._pressed = due, observation["pressed"]
        return Act("press", {"key": key})


def _first(brief: Brief) -> Policy:
    return Fixed(*[Act("press", {"key": options(brief, "key")[0]})] * 6)


def _in_turn(brief: Brief) -> Policy:
    keys = options(brief, "key")
    return Fixed(*(Act("press", {"key": keys[n % len(keys)]}) for n in range(6)))


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    5: {"the first key": _first, "keys in turn": _in_turn, "what was due before": Late}
}
