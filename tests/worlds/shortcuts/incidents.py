"""Shortcuts to `incidents`: the part by clock, place, mention or listing; the lead without what came of it.

All of them know which cause a line stands for, and so are judged by the part they choose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import finish
from assay.worlds.families.incidents import Tracer
from assay.worlds.fuzzy import read_number

__all__ = ["SHORTCUTS"]

Found = list[tuple[str, str, str]]  # part, clock, cause


class Scanning(Tracer):
    """Reads as many logs as it can, in some order, then reports one of the causes that are in them."""

    def __init__(
        self, brief: Brief, pick: Callable[[Scanning, dict[str, Any], Found], tuple[str, str]]
    ) -> None:
        super().__init__(brief)
        self._pick = pick

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["reported"]:
            return finish()
        unread = [part for part in observation["parts"] if part not in observation["logs"]]
        if unread and seen.queries_left:
            return Act("read_log", {"part": unread[0]})
        found = [
            (part, read_number(line[:5]), what)
            for part, lines in observation["logs"].items()
            for line in lines
            for kind, what in [self.meaning(line)]
            if kind == "cause"
        ]
        if not found:
            return finish(False)
        part, cause = self._pick(self, observation, found)
        return Act("report", {"part": part, "cause": cause})

    def mentions(self, observation: dict[str, Any]) -> Counter[str]:
        """How often parts are said to be waited for."""
        read = [self.meaning(line) for line in chain.from_iterable(observation["logs"].values())]
        return Counter(what for kind, what in read if kind == "lead")


def _minutes(clock: str) -> int:
    return 60 * int(clock[:2]) + int(clock[3:])


def _clock(self: Scanning, observation: dict[str, Any], found: Found, depth: int) -> tuple[str, str]:
    """The cause nearest to a certain minute before trouble was noticed."""
    at = _minutes(observation["began"]) - 2 * depth
    part, _, cause = min(found, key=lambda one: abs(_minutes(one[1]) - at))
    return part, cause


def _sorted(self: Scanning, observation: dict[str, Any], found: Found, at: int) -> tuple[str, str]:
    part, _, cause = sorted(found, key=lambda one: one[1])[at]
    return part, cause


def _listed(self: Scanning, observation: dict[str, Any], found: Found, at: int) -> tuple[str, str]:
    return found[at][0], found[at][2]


def _waited_for(self: Scanning, observation: dict[str, Any], found: Found, sign: int) -> tuple[str, str]:
    """The broken part that is mentioned most, or least."""
    times = self.mentions(observation)
    part, _, cause = max(found, key=lambda one: sign * times[one[0]])
    return part, cause


def _longest(self: Scanning, observation: dict[str, Any], found: Found) -> tuple[str, str]:
    part, _, cause = max(found, key=lambda one: len(observation["logs"][one[0]]))
    return part, cause


class Careless(Tracer):
    """Follows leads from log to log, and does not mind what came of them."""

    def __init__(self, brief: Brief, *, last: bool) -> None:
        super().__init__(brief)
        self._last = last

    def trouble(self, lines: list[str], began: str) -> tuple[str, str]:
        read = [self.meaning(line) for line in lines]
        causes = [found for found in read if found[0] == "cause"]
        leads = [found for found in read if found[0] == "lead"]
        found = causes or leads or [("", "")]
        return found[-1] if self._last else found[0]

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        act = super().step(observation, seen)
        spent = act.name == "read_log" and not seen.queries_left
        return (
            finish(False) if spent or act.arguments.get("part") not in (None, *observation["parts"]) else act
        )


def _scan(pick: Callable[..., tuple[str, str]]) -> Callable[[Brief], Policy]:
    return partial(Scanning, pick=pick)


EVERYWHERE: dict[str, Callable[[Brief], Policy]] = {
    "first cause listed": _scan(partial(_listed, at=0)),
    "last cause listed": _scan(partial(_listed, at=-1)),
    "earliest cause": _scan(partial(_sorted, at=0)),
    "latest cause": _scan(partial(_sorted, at=-1)),
    **{f"clock, depth {depth}": _scan(partial(_clock, depth=depth)) for depth in (0, 1, 2, 3)},
    "most waited for": _scan(partial(_waited_for, sign=1)),
    "least waited for": _scan(partial(_waited_for, sign=-1)),
    "longest log": _scan(_longest),
    "first leads": partial(Careless, last=False),
    "last leads": partial(Careless, last=True),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = dict.fromkeys((2, 3, 5), EVERYWHERE)
