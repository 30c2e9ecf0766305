"""Shortcuts to `purchase`: the cheapest, the fastest, the largest stock; always the same answer; never a revision."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy
from assay.worlds.fuzzy import number_at

from .deadline import always, chooses

__all__ = ["SHORTCUTS"]

Key = Callable[[dict[str, Any]], int]
KEYS: dict[str, Key] = {
    "the cheapest": lambda row: row["price"] if isinstance(row["price"], int) else number_at(row["price"], 0),
    "the fastest": lambda row: int(row["days"]),
    "the largest stock": lambda row: -number_at(row["stock"], 0),
    "the first": lambda row: 0,
    "the lowest id": lambda row: int(row["offer"][1:]),
    "the last": lambda row: 0,
}


def wanted(brief: Brief, now: dict[str, Any]) -> list[dict[str, Any]]:
    """Offers of the make that the goal names first; all where none can be read."""
    places = {row["make"]: brief.goal.find(row["make"]) for row in now["offers"]}
    first = min((at for at in places.values() if at >= 0), default=-1)
    return [row for row in now["offers"] if places[row["make"]] == first] or now["offers"]


def count(brief: Brief) -> int:
    """The first number of the goal."""
    found = re.search(r"\d+", brief.goal)
    return min(99, int(found[0])) if found else 1


def least(brief: Brief) -> int:
    """The smallest number that is allowed, by words that go with it."""
    found = re.search(r"(?:least|possible:|below) (\d+)|(?:by|to) (\d+) (?:at most|pieces)", brief.goal)
    if not found:
        return count(brief)
    return min(99, int(found[1])) if found[1] else max(1, count(brief) - int(found[2]))


def picked(rows: list[dict[str, Any]], key: str) -> dict[str, Any]:
    return rows[-1] if key == "the last" else min(rows, key=KEYS[key])


def answers(brief: Brief, now: dict[str, Any], *, key: str, act: str, of: str) -> Act:
    """Level 2 and 4: one offer by one figure, in the number that was asked for or the smallest allowed."""
    own = wanted(brief, now)
    named = [row for row in now["offers"] if row["make"] in brief.goal and row not in own]
    rows = {"make": own, "all": now["offers"], "fewer": own, "another": named or own}[of]
    pieces = least(brief) if of == "fewer" else count(brief)
    return Act(act, {"offer": picked(rows, key)["offer"], "pieces": pieces})


def buys(brief: Brief, now: dict[str, Any], *, key: str, fills: bool) -> Act:
    """Level 3: orders of the make by one figure; what is missing of anything by the same, or not at all."""
    missing = count(brief) - sum(order["confirmed"] for order in now["orders"])
    used = {order["offer"] for order in now["orders"]}
    if missing <= 0 or (used and not fills):
        return Act("close", {})
    own = [row for row in wanted(brief, now) if row["offer"] not in used]
    named = [row for row in now["offers"] if row["make"] in brief.goal and row["offer"] not in used]
    rows = own if not used else named
    return Act("order", {"offer": picked(rows or now["offers"], key)["offer"], "pieces": missing})


def lots(brief: Brief, now: dict[str, Any], *, key: str, of: str) -> Act:
    """Level 5: for each article the offer that is first by one figure, of the make that is wanted or of any."""
    for article in dict.fromkeys(row["article"] for row in now["offers"]):
        rows = [row for row in now["offers"] if row["article"] == article and row["offer"] not in now["gone"]]
        if any(row["offer"] in now["orders"] for row in rows):
            continue
        own = [row for row in rows if f"{article} by {row['make']}" in brief.goal]
        named = [row for row in rows if row["seller"] in brief.goal]
        some = {"make": own, "named seller": named, "any": rows}[of] or rows
        return Act("order", {"offer": picked(some, key)["offer"]})
    return Act("close", {})


def _all(
    choice: Callable[..., Act], keys: list[str], **grid: tuple[Any, ...]
) -> dict[str, Callable[[Brief], Policy]]:
    (name, values), *_ = grid.items()
    return {
        f"{key}, {value}": chooses(partial(choice, key=key, **{name: value}))
        for key in keys
        for value in values
    }


WAYS = ("make", "all", "fewer", "another")
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    2: {"always declines": always("decline")}
    | {
        f"{act}: {name}": policy
        for act in ("order", "propose")
        for name, policy in _all(partial(answers, act=act), list(KEYS), of=WAYS).items()
    },
    3: {"always calls off": always("call_off")} | _all(buys, list(KEYS), fills=(True, False)),
    4: _all(partial(answers, act="propose"), list(KEYS), of=WAYS),
    5: _all(
        lots,
        ["the cheapest", "the fastest", "the first", "the lowest id", "the last"],
        of=("make", "named seller", "any"),
    ),
}
