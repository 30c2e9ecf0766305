"""Shortcuts to `deadline`: always the same answer, what the goal's numbers suggest, sums without a calendar."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Fixed, Steady
from assay.worlds.fuzzy import number_at

__all__ = ["SHORTCUTS"]

Choice = Callable[[Brief, dict[str, Any]], Act]


class Chooses(Steady):
    """One choice on the latest observation, by a rule of thumb."""

    def __init__(self, brief: Brief, choice: Choice) -> None:
        super().__init__(brief)
        self._choice = choice

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        return self._choice(self.brief, observation)


def always(name: str, **arguments: Any) -> Callable[[Brief], Policy]:
    return lambda brief: Fixed(Act(name, arguments))


def chooses(choice: Choice) -> Callable[[Brief], Policy]:
    return partial(Chooses, choice=choice)


def due(brief: Brief) -> int:
    """The first day that is named together with a deadline."""
    found = re.search(r"(?:end of day|than day|on day|when day|Day) (\d+)", brief.goal)
    return int(found[1]) if found else 1


def last(brief: Brief) -> int:
    """The latest day that the goal allows, by the largest day in it or the days that are added."""
    more = re.search(r"(\d+) days", brief.goal)
    return due(brief) + int(more[1]) if more else max(int(n) for n in re.findall(r"day (\d+)", brief.goal))


def mentioned(brief: Brief, now: dict[str, Any]) -> list[dict[str, Any]]:
    """The listed parts that the goal mentions."""
    return [one for one in now["parts"] if re.search(rf"\b{one['part']}\b", brief.goal)]


def droppable(brief: Brief, now: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts that are named in a sentence about leaving out, where nothing has been done to them."""
    words = r"[^.]*(?:left out|leave out|dropped|drop |omit|without|given up|has to be built)[^.]*\."
    said = " ".join(re.findall(words, brief.goal))
    return [one for one in now["parts"] if re.search(rf"\b{one['part']}\b", said)]


def sums(brief: Brief, now: dict[str, Any]) -> Act:
    """Level 1: days of the busiest crew and cost, without a look at days away or contracts; ask what is unlisted."""
    rates = {crew["crew"]: crew["day_rate"] for crew in now["crews"]}
    wanted = mentioned(brief, now)
    busy = {crew: sum(number_at(p["takes"], 0) for p in wanted if p["crew"] == crew) for crew in rates}
    day = due(brief) if "day" not in busy else 0
    cost = sum(number_at(p["takes"], 0) * rates[p["crew"]] for p in wanted)
    return Act("commit", {"day": min(99, day), "cost": cost})


def unlisted(brief: Brief, now: dict[str, Any]) -> Act:
    """Level 1: asks about what the goal names and the list does not have, and otherwise blames the deadline."""
    shown = {one["part"] for one in now["parts"]}
    for part in brief.actions[2].parameters["properties"]["part"]["enum"]:
        if part not in shown and re.search(rf"\b{part}\b", brief.goal):
            return Act("ask", {"part": part})
    return Act("halt", {"demand": "deadline"})


def cancelled(brief: Brief, now: dict[str, Any]) -> Act:
    """Level 1: halts because of any cancelled contract, and commits to the deadline otherwise."""
    if any(crew["contract"] != "signed" for crew in now["crews"]):
        return Act("halt", {"demand": "crew"})
    return sums(brief, now)


def longest(brief: Brief, now: dict[str, Any]) -> Act:
    """Level 2: leaves out the longest part that may be."""
    part = max(droppable(brief, now), key=lambda one: number_at(one["takes"], 0))
    return Act("propose", {"day": due(brief), "leave_out": part["part"]})


def latest(brief: Brief, now: dict[str, Any]) -> Act:
    return Act("propose", {"day": last(brief), "leave_out": "none"})


def busiest(brief: Brief, now: dict[str, Any]) -> Act:
    """Level 2: compares sums of days with the days there are, days away left out; the latest day where they exceed."""
    wanted = mentioned(brief, now)
    most = max(sum(number_at(p["takes"], 0) for p in wanted if p["crew"] == c["crew"]) for c in now["crews"])
    first = min(int(n) for n in re.findall(r"day (\d+)", brief.goal))
    return Act("commit", {}) if first - 1 + most <= due(brief) else latest(brief, now)


def builds(brief: Brief, now: dict[str, Any], *, moves: bool = False, drops: str = "") -> Act:
    """Level 3: builds everything; when late, moves the deadline to the day or leaves a part out."""
    todo = [one for one in now["parts"] if one["state"] == "open"]
    takes = {one["part"]: number_at(one["takes"], 0) for one in todo}
    late = now["next_day"] - 1 + sum(takes.values()) > now["deadline"]
    may = sorted((one for one in droppable(brief, now) if one in todo), key=lambda one: takes[one["part"]])
    if drops == "any" and not any(one["state"] == "left out" for one in now["parts"]) and may:
        return Act("leave_out", {"part": may[0]["part"]})
    if late and drops and len(may) == 2:
        cheapest = min(may, key=lambda one: int(one["waiver"]))
        part = {"longest": may[-1], "shortest": may[0], "cheapest": cheapest}[drops]
        return Act("leave_out", {"part": part["part"]})
    if todo:
        return Act("build", {"part": todo[0]["part"]})
    if late and moves:
        return Act("move_deadline", {"day": now["next_day"] - 1})
    return Act("deliver", {})


def gives_up(brief: Brief, now: dict[str, Any]) -> Act:
    """Level 3: calls the work off as soon as it is late."""
    todo = [one for one in now["parts"] if one["state"] == "open"]
    if now["next_day"] - 1 + sum(number_at(one["takes"], 0) for one in todo) > now["deadline"]:
        return Act("call_off", {})
    return Act("build", {"part": todo[0]["part"]}) if todo else Act("deliver", {})


def revises(brief: Brief, now: dict[str, Any], *, by: str, count: int, moves: bool) -> Act:
    """Level 5: leaves out the first so many by one figure, moves the deadline to the latest day or not, commits."""
    keys: dict[str, Callable[[dict[str, Any]], int]] = {
        "points": lambda one: int(one["points"]),
        "days": lambda one: -number_at(one["takes"], 0),
        "listed": lambda one: 0,
    }
    chosen = sorted(droppable(brief, now), key=keys[by])[:count]
    for one in chosen:
        if one["part"] not in now["left_out"]:
            return Act("leave_out", {"part": one["part"]})
    if moves and now["deadline"] != last(brief):
        return Act("move_deadline", {"day": last(brief)})
    return Act("commit", {})


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: {
        "always halts: deadline": always("halt", demand="deadline"),
        "always halts: budget": always("halt", demand="budget"),
        "always halts: crew": always("halt", demand="crew"),
        "commits to the deadline": chooses(sums),
        "asks about what is unlisted": chooses(unlisted),
        "any cancelled contract": chooses(cancelled),
    },
    2: {
        "always commits": always("commit"),
        "always declines": always("decline"),
        "the latest day": chooses(latest),
        "the longest part": chooses(longest),
        "sums without a calendar": chooses(busiest),
    },
    3: {
        "builds and delivers": chooses(builds),
        "moves the deadline when late": chooses(partial(builds, moves=True)),
        "leaves out the longest when late": chooses(partial(builds, drops="longest")),
        "leaves out the shortest when late": chooses(partial(builds, drops="shortest")),
        "leaves out the cheapest when late": chooses(partial(builds, drops="cheapest")),
        "leaves out the cheapest or moves": chooses(partial(builds, drops="cheapest", moves=True)),
        "leaves out a part at once": chooses(partial(builds, drops="any")),
        "gives up when late": chooses(gives_up),
        "always calls off": always("call_off"),
    },
    5: {
        f"{count} by {by}{', latest day' if moves else ''}": chooses(
            partial(revises, by=by, count=count, moves=moves)
        )
        for by in ("points", "days", "listed")
        for count in (0, 1, 2, 4)
        for moves in (False, True)
    },
}
