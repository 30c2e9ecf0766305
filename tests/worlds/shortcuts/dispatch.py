"""Dispatch: the list without its messages, some of the messages, the fastest for one call after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy
from assay.worlds.base import finish
from assay.worlds.events import Follower, known, whole
from assay.worlds.families.dispatch import BOOK, Fleet, greedy

KINDS = ("later", "sooner", "slow", "detour")


class Sender(Follower):
    """Minds some kinds of messages; serves the calls in some order, each with the fastest or next fastest left."""

    def __init__(
        self, brief: Brief, kinds: Sequence[str] = KINDS, order: Sequence[int] = (0, 1, 2, 3), skip: int = 0
    ) -> None:
        super().__init__(brief)
        self._kinds, self._order, self._skip = kinds, order, skip

    def start(self, observation: dict[str, Any]) -> None:
        self._calls = observation["calls"]
        self._fleet = Fleet(
            {one["unit"]: one["ready_in"] for one in observation["units"]},
            {one["unit"]: {t["site"]: t["minutes"] for t in one["trips"]} for one in observation["units"]},
        )

    def hear(self, said: str) -> None:
        kind, slots = BOOK.read(said)
        unit = known(slots["a"], list(self._fleet.ready)) if "a" in slots else ""
        site = known(slots["s"], [call["site"] for call in self._calls]) if "s" in slots else ""
        if kind in self._kinds:
            self._fleet.hear(kind, whole(slots["n"]), unit, site)

    def conclude(self, observation: dict[str, Any]) -> Act:
        if observation["waiting"] is None:
            return finish()
        sites = [call["site"] for call in self._calls]
        late = {site: {unit: self._fleet.arrival(unit, site) for unit in self._fleet.ready} for site in sites}
        for at in range(self._skip):  # the fastest for the first calls is left out
            late[sites[at]][min(late[sites[at]], key=late[sites[at]].__getitem__)] = 999
        way = greedy(late, [sites[at] for at in self._order if at < len(sites)])
        site = sites[observation["waiting"] - 1]
        return Act("dispatch", {"unit": way[site], "minutes": self._fleet.arrival(way[site], site)})


class BestNews(Sender):
    """Sends the unit that can leave earlier than thought by the most minutes."""

    def start(self, observation: dict[str, Any]) -> None:
        super().start(observation)
        self._news: tuple[int, str] = 0, observation["units"][0]["unit"]

    def hear(self, said: str) -> None:
        super().hear(said)
        kind, slots = BOOK.read(said)
        if kind == "sooner":
            self._news = max(self._news, (whole(slots["n"]), known(slots["a"], list(self._fleet.ready))))

    def conclude(self, observation: dict[str, Any]) -> Act:
        unit, site = self._news[1], self._calls[0]["site"]
        if observation["waiting"] is None:
            return finish()
        return Act("dispatch", {"unit": unit, "minutes": self._fleet.arrival(unit, site)})


class TightestFirst(Sender):
    """Serves first the call with the shortest limit."""

    def start(self, observation: dict[str, Any]) -> None:
        super().start(observation)
        self._order = sorted(range(len(self._calls)), key=lambda at: int(self._calls[at]["within"]))


SOME: dict[str, Callable[[Brief], Policy]] = {
    "no messages": partial(Sender, kinds=()),
    "no good news": partial(Sender, kinds=("later", "slow", "detour")),
    "only what names a unit": partial(Sender, kinds=("later", "sooner", "detour")),
    "only what is held up": partial(Sender, kinds=("later",)),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    3: {**SOME, "the next fastest": partial(Sender, skip=1), "who has the best news": BestNews},
    5: {
        **SOME,
        "the fastest, call by call": Sender,
        "the last call first": partial(Sender, order=(3, 2, 1, 0)),
        "a middle call first": partial(Sender, order=(1, 2, 3, 0)),
        "the next fastest to the first call": partial(Sender, skip=1),
        "the shortest limit first": TightestFirst,
    },
}
