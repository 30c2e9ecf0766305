"""Shortcuts to `transcription`, with a check: do not listen to it, or send everything again and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, options
from assay.worlds.fuzzy import nearest

__all__ = ["SHORTCUTS"]


class Repeating(Steady):
    """Sends everything so many times, in rounds, then hands in; ``first`` sends only so many a second time."""

    def __init__(self, brief: Brief, times: int, first: int = 6) -> None:
        super().__init__(brief)
        self._times, self._first = times, first

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        names = options(self.brief, "name")
        sent = {nearest(line["name"], names): line["times"] for line in observation["sent"]}
        for wanted in range(1, self._times + 1):
            lines = observation["document"] if wanted == 1 else observation["document"][: self._first]
            for line in lines:
                name = nearest(line["name"], names)
                if sent.get(name, 0) < wanted:
                    return Act("send", {"name": name, "value": line["value"]})
        return Act("hand_in", {})


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    5: {
        "once": partial(Repeating, times=1),
        "everything twice": partial(Repeating, times=2),
        "everything three times": partial(Repeating, times=3),
        "the first two again": partial(Repeating, times=2, first=2),
    }
}
