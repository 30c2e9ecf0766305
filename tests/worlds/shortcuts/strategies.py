"""Strategies: thoughts that use some of the days, one place at a time, or none of the days."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import permutations
from typing import Any

from assay.worlds import Act, Brief, Policy
from assay.worlds.base import finish
from assay.worlds.events import Follower, known
from assay.worlds.families.strategies import BOOK

Worth = Callable[[dict[str, int], list[str]], float]


class Chooser(Follower):
    """Chooses by what a row of the table is worth, given the days at the place: the best pair, or place by place."""

    def __init__(self, brief: Brief, worth: Worth, *, greedy: bool = False) -> None:
        super().__init__(brief)
        self._worth, self._greedy = worth, greedy or brief.level == 3

    def start(self, observation: dict[str, Any]) -> None:
        self._days: dict[str, list[str]] = {place: [] for place in observation["places"]}
        self._sorts = list(observation["table"][0]["rewards"])

    def hear(self, said: str) -> None:
        _, slots = BOOK.read(said)
        for place, sort in (("p", "c"), ("q", "d")):
            self._days[known(slots[place], list(self._days))].append(known(slots[sort], self._sorts))

    def conclude(self, observation: dict[str, Any]) -> Act:
        chosen = {one["place"]: one["strategy"] for one in observation["chosen"]}
        if len(chosen) == len(self._days):
            return finish()
        worth = {
            (row["place"], row["strategy"]): self._worth(row["rewards"], self._days[row["place"]])
            for row in observation["table"]
        }
        names = sorted({row["strategy"] for row in observation["table"]})
        place = next(place for place in self._days if place not in chosen)
        if self._greedy:
            left = [name for name in names if self.brief.level == 3 or name not in chosen.values()]
            return Act("choose", {"place": place, "strategy": max(left, key=lambda name: worth[place, name])})
        ways = [dict(zip(self._days, taken, strict=True)) for taken in permutations(names, 2)]
        best = max(ways, key=lambda way: sum(worth[one] for one in way.items()))
        return Act("choose", {"place": place, "strategy": best[place]})


def usual(row: dict[str, int], days: list[str]) -> float:
    return row[max(days, key=days.count)]


def first(row: dict[str, int], days: list[str]) -> float:
    return row[days[0]]


def last(row: dict[str, int], days: list[str]) -> float:
    return row[days[-1]]


def half(row: dict[str, int], days: list[str]) -> float:
    return sum(row[day] for day in days[:2])


def in_all(row: dict[str, int], days: list[str]) -> float:
    return sum(row.values())


def highest(row: dict[str, int], days: list[str]) -> float:
    return max(row.values())


def lowest(row: dict[str, int], days: list[str]) -> float:
    return min(row.values())


def mean(row: dict[str, int], days: list[str]) -> float:
    return sum(row[day] for day in days)


BY_ROW: dict[str, Callable[[Brief], Policy]] = {
    "the usual day": partial(Chooser, worth=usual),
    "the first day": partial(Chooser, worth=first),
    "the last day": partial(Chooser, worth=last),
    "two days": partial(Chooser, worth=half),
    "the sum of a row": partial(Chooser, worth=in_all),
    "the best of a row": partial(Chooser, worth=highest),
    "the worst of a row": partial(Chooser, worth=lowest),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    3: BY_ROW,
    5: {
        **BY_ROW,
        "the mean, one place after the other": partial(Chooser, worth=mean, greedy=True),
        "the usual day, one place after the other": partial(Chooser, worth=usual, greedy=True),
    },
}
