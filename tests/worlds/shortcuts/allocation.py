"""Shortcuts to `allocation`: go by one feature of the requests, or by where a group stands in the sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady
from assay.worlds.families.allocation import TABLE, understood
from assay.worlds.fuzzy import nearest
from tests.worlds.shortcuts.running_verdicts import READINGS

__all__ = ["SHORTCUTS"]

Key = Callable[[Brief, dict[str, Any]], Any]


class Ranked(Steady):
    """Grants in the order of one feature, as long as it fits; or only the first."""

    def __init__(self, brief: Brief, key: Key, *, only: bool = False) -> None:
        super().__init__(brief)
        self._key, self._only = key, only

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        order = sorted(observation["requests"], key=lambda request: self._key(self.brief, request))
        if "left" not in observation:
            return Act("grant", {"request": order[0]["id"]})
        if not (self._only and observation["granted"]):
            for request in order:
                if request["id"] not in observation["granted"] and request["asks_for"] <= observation["left"]:
                    return Act("grant", {"request": request["id"]})
        return Act("close_round", {})


def _mentioned(brief: Brief, request: dict[str, Any]) -> int:
    groups = next(s["groups"] for s in TABLE["situations"].values() if s["who"] in brief.goal)
    rules = brief.goal.split(". ", 1)[1]
    return rules.find(nearest(request["group"], groups))


def _group_rank(brief: Brief, request: dict[str, Any]) -> int:
    ranks = understood(brief.goal)
    return ranks.index(nearest(request["group"], ranks))


BACKWARDS = re.compile("after|wait for|below|stand back|follows")


def _by_verdicts(counts: Callable[[str], bool]) -> Key:
    """The groups by how often they stand below another, in sentences that seem to count."""

    def key(brief: Brief, request: dict[str, Any]) -> tuple[int, int]:
        groups = next(s["groups"] for s in TABLE["situations"].values() if s["who"] in brief.goal)
        below = []
        for said in re.split(r"(?<=\.) ", brief.goal):
            named = sorted((group for group in groups if group in said), key=said.find)
            if len(named) == 2 and counts(said):
                below.append(named[0 if BACKWARDS.search(said) else 1])
        return below.count(nearest(request["group"], groups)), -request["days_waiting"]

    return key


KEYS: dict[str, Key] = {
    **{name: _by_verdicts(reading) for name, reading in READINGS.items()},
    "as listed": lambda brief, request: 0,
    "by id": lambda brief, request: int(request["id"][1:]),
    "last id first": lambda brief, request: -int(request["id"][1:]),
    "longest wait": lambda brief, request: -request["days_waiting"],
    "shortest wait": lambda brief, request: request["days_waiting"],
    "groups as they are mentioned": lambda brief, request: (
        _mentioned(brief, request),
        -request["days_waiting"],
    ),
    "groups against their mention": lambda brief, request: (
        -_mentioned(brief, request),
        -request["days_waiting"],
    ),
    "groups without waiting": _group_rank,
}
MORE: dict[str, Key] = {
    "smallest first": lambda brief, request: request["asks_for"],
    "largest first": lambda brief, request: -request["asks_for"],
}


def _policies(keys: dict[str, Key], *, only: bool = False) -> dict[str, Callable[[Brief], Policy]]:
    return {name: partial(Ranked, key=key, only=only) for name, key in keys.items()}


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: _policies(KEYS),
    4: _policies(KEYS | MORE)
    | {f"{name}, one only": policy for name, policy in _policies(KEYS | MORE, only=True).items()},
}
