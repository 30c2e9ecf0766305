"""Shortcuts to `freight`: the cheapest, the earliest, the largest run; always the same answer; words compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy
from assay.worlds.fuzzy import number_at

from .deadline import always, chooses

__all__ = ["SHORTCUTS"]

KEYS: dict[str, Callable[[dict[str, Any]], int]] = {
    "the cheapest": lambda row: int(row["price"]),
    "the earliest": lambda row: int(row["arrives"]),
    "the latest": lambda row: -int(row["arrives"]),
    "the largest": lambda row: -number_at(row["room"], 0),
    "the first": lambda row: 0,
    "the lowest id": lambda row: int(row["run"][1:]),
}


def load(brief: Brief) -> int:
    """The first number of the goal."""
    found = re.search(r"\d+", brief.goal)
    return min(99, int(found[0])) if found else 1


def direct(brief: Brief, now: dict[str, Any]) -> list[dict[str, Any]]:
    """Runs to a town that the goal names."""
    return [row for row in now["runs"] if row["to"] in brief.goal] or now["runs"]


def named_wagon(brief: Brief, now: dict[str, Any]) -> list[dict[str, Any]]:
    found = direct(brief, now)
    return [row for row in found if row["wagon"] in brief.goal] or found


def books(brief: Brief, now: dict[str, Any], *, key: str, wagon: bool) -> Act:
    """Books one run to the town by one figure, in a wagon that the goal names or in any."""
    rows = named_wagon(brief, now) if wagon else direct(brief, now)
    run = min(rows, key=KEYS[key])
    more = {} if brief.level == 1 else {"load": load(brief)}
    return Act("book", {"run": run["run"], **more})


def fits(brief: Brief, now: dict[str, Any], *, key: str) -> Act:
    """Level 4: books by one figure what has the wagon and the price, with as much as fits, whenever it arrives."""
    most = max(int(number) for number in re.findall(r"\d+", brief.goal))
    rows = [row for row in named_wagon(brief, now) if row["price"] <= most] or now["runs"]
    run = min(rows, key=KEYS[key])
    return Act("book", {"run": run["run"], "load": max(1, min(load(brief), number_at(run["room"], 0)))})


def compares(brief: Brief, now: dict[str, Any], *, otherwise: str) -> Act:
    """Level 1: asks about two wagons or two loads; books the cheapest otherwise, or halts."""
    wagons = {row["wagon"] for row in now["runs"] if re.search(rf"\b{row['wagon']}\b", brief.goal)}
    if len(wagons) > 1:
        return Act("ask", {"demand": "wagon"})
    unit = now["runs"][0]["room"].split(" ")[1]
    if len(set(re.findall(rf"(\d+) {unit}|number of {unit} is (\d+)", brief.goal))) > 1:
        return Act("ask", {"demand": "load"})
    if otherwise == "book":
        return books(brief, now, key="the cheapest", wagon=True)
    return Act("halt", {"demand": otherwise})


def pairs(brief: Brief, now: dict[str, Any], *, key: str) -> Act:
    """Level 5: on each leg the run that is first by one figure, with as many as it takes."""
    starts = list(dict.fromkeys(row["from"] for row in now["runs"]))
    booked = [row for row in now["runs"] if row["run"] in now["booked"]]
    for start in starts:
        rows = [row for row in now["runs"] if row["from"] == start and row["run"] not in now["full"]]
        if start not in [row["from"] for row in booked]:
            return Act("book", {"run": min(rows, key=KEYS[key])["run"]})
    return Act("confirm", {"load": min(load(brief), *(number_at(row["room"], 0) for row in booked))})


RUNS = {
    f"{key}{', named wagon' if wagon else ''}": chooses(partial(books, key=key, wagon=wagon))
    for key in KEYS
    for wagon in (True, False)
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: {
        f"always {name}s: {demand}": always(name, demand=demand)
        for name in ("halt", "ask")
        for demand in ("load", "time", "wagon", "price")
    }
    | RUNS
    | {
        f"compares, else {other}": chooses(partial(compares, otherwise=other))
        for other in ("book", "time", "price")
    },
    4: RUNS | {f"fits, {key}": chooses(partial(fits, key=key)) for key in KEYS},
    5: {key: chooses(partial(pairs, key=key)) for key in KEYS},
}
