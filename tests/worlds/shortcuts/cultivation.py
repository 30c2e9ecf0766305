"""Shortcuts to `cultivation`: by the list alone, by one figure of the reports, or by the latest report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Fixed, Steady, finish
from assay.worlds.families.planning.cultivation import ORDERS, REPORTS, Grower, used_up
from assay.worlds.fuzzy import nearest

__all__ = ["SHORTCUTS"]


def _names(brief: Brief) -> list[str]:
    found: list[str] = brief.actions[0].parameters["properties"]["name"]["enum"]
    return found


def _used(brief: Brief, places: Sequence[int]) -> Policy:
    return Fixed(*(Act("use", {"name": _names(brief)[place]}) for place in places))


class Ranked(Grower):
    """Keeps all reports, and uses the means up in the order of one figure."""

    def __init__(self, brief: Brief, rank: Callable[[Sequence[int]], int]) -> None:
        super().__init__(brief)
        self._rank = rank

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        act = super().step(observation, seen)
        if act.name != "use":
            return act
        order = used_up(sorted(self._effects, key=lambda name: self._rank(self._effects[name])))
        return Act("use", {"name": order[observation["day"] - 1]})


class LatestReport(Steady):
    """Tries until a report has the words, uses what it names while it lasts, then the rest as listed."""

    def __init__(self, brief: Brief, kind: str) -> None:
        super().__init__(brief)
        self._kind = kind

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        names, left = _names(self.brief), {row["name"]: row["uses"] for row in observation["left"]}
        for report in observation["report"]:
            kind, said = REPORTS.read(report)
            if kind == self._kind or len(observation["tried"]) == len(names):
                return Act("use", {"name": nearest(said["name"], names)})
        if sum(left.values()) == 2 * len(names):
            return Act("try_out", {"name": next(n for n in names if n not in observation["tried"])})
        begun = [name for name in names if left[name] == 1]
        fresh = [name for name in names if left[name]]
        return Act("use", {"name": (begun or fresh)[0]}) if fresh else finish()


RANKS = (
    "most at once",
    "least at once",
    "most later",
    "least later",
    "most in two days",
    "most from day 1 on",
)
PLACES = {
    "as listed": (0, 0, 1, 1, 2),
    "against the list": (3, 3, 2, 2, 1),
    "in turn": (0, 1, 2, 3, 0),
    "the middle first": (1, 1, 2, 2, 0),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    3: {
        **{name: partial(_used, places=places) for name, places in PLACES.items()},
        **{name: partial(Ranked, rank=rank) for name, rank in zip(RANKS, ORDERS, strict=True)},
        "the first loss": partial(LatestReport, kind="loss"),
        "the first gain": partial(LatestReport, kind="gain"),
    }
}
