"""Cases of `purchase`: which offers fit, what may come instead, and orders drawn so that it is this or that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from assay.streams import Stream

from .common import best_by, orders_of, single_best

__all__ = [
    "CRITERIA",
    "IDS",
    "Offers",
    "allowed_choices",
    "completions",
    "drawn_order",
    "in_pieces",
    "proposals",
]

CRITERIA = ("delay", "cost", "swaps")
COUNT = {2: 9, 3: 9, 4: 10, 5: 12}
IDS = {level: [f"K{number}" for number in range(1, count + 1)] for level, count in COUNT.items()}
# Kinds of instances. A subject that never changes an order, or always, is right in the smaller part of them.
KINDS: dict[int, tuple[tuple[str, ...], tuple[int, ...]]] = {
    2: (("order", "make", "number", "decline"), (7, 4, 4, 6)),
    3: (("as planned", "number", "make", "call off"), (2, 4, 9, 4)),
}
Offers = Mapping[str, Mapping[str, Any]]
Goal = Mapping[str, Any]


def _usable(offer: Mapping[str, Any], goal: Goal) -> bool:
    """Whether the seller is approved and delivers in time."""
    return offer["seller"] in goal["sellers"] and offer["days"] <= goal["within"]


def _fits(offer: Mapping[str, Any], pieces: int, goal: Goal) -> bool:
    return (
        _usable(offer, goal)
        and pieces <= offer["stock"]
        and offer["price"] * pieces <= goal["most"]
        and pieces > 0
    )


def proposals(offers: Offers, goal: Goal) -> dict[str, list[tuple[str, int]]]:
    """Offers and numbers that are possible: as requested, of another make that may be taken, or fewer."""
    count = goal["count"]
    return {
        "order": [
            (k, count) for k, one in offers.items() if one["make"] == goal["make"] and _fits(one, count, goal)
        ],
        "make": [
            (k, count)
            for k, one in offers.items()
            if one["make"] in goal["others"] and _fits(one, count, goal)
        ],
        "number": [
            (k, pieces)
            for k, one in offers.items()
            if one["make"] == goal["make"]
            for pieces in range(goal["least"], count)
            if _fits(one, pieces, goal)
        ],
    }


def completions(offers: Offers, has: int, spent: int, goal: Goal) -> dict[str, list[tuple[str, int]]]:
    """Level 3: with so many pieces of the make bought, orders that complete the number, by kind of change.

    Offers are filled from the cheapest on: where that is too expensive, any other way is.
    """
    missing, left = goal["count"] - has, goal["most"] - spent
    if not missing:
        return {"as planned": []}
    found: dict[str, list[tuple[str, int]]] = {}
    for kind, makes in (("as planned", [goal["make"]]), ("make", goal["others"])):
        need, cost, orders = missing, 0, []
        usable = [k for k, one in offers.items() if one["make"] in makes and _usable(one, goal)]
        for k in sorted(usable, key=lambda k: (offers[k]["price"], k)):
            pieces = min(need, offers[k]["stock"])
            if pieces:
                orders.append((k, pieces))
                need, cost = need - pieces, cost + pieces * offers[k]["price"]
        if not need and cost <= left and (kind == "as planned" or missing <= goal["swaps"]):
            found[kind] = orders
    if has >= goal["least"]:
        found["number"] = []
    return found


def allowed_choices(offers: Offers, goal: Goal) -> list[tuple[tuple[str, ...], dict[str, int]]]:
    """Level 5: an offer for each article, with the delay, the price and the number of changed makes."""
    of_article = [
        [k for k, one in offers.items() if one["article"] == article and one["seller"] in goal["sellers"]]
        for article in goal["wishes"]
    ]
    found = []
    for chosen in product(*of_article):
        rows = [offers[k] for k in chosen]
        days = max(one["days"] for one in rows)
        value = {
            "delay": max(0, days - goal["due"]),
            "cost": sum(one["price"] for one in rows),
            "swaps": sum(one["make"] != goal["wishes"][one["article"]] for one in rows),
        }
        if days <= goal["within"] and value["cost"] <= goal["most"] and value["swaps"] <= goal["swaps"]:
            found.append((tuple(sorted(chosen)), value))
    return found


def in_pieces(count: int) -> str:
    return "1 piece" if count == 1 else f"{count} pieces"


# What a goal says, the offers, what else the world is built from, and what is expected.
Case = tuple[dict[str, Any], dict[str, dict[str, Any]], dict[str, Any], Any]


def drawn_order(level: int, site: Mapping[str, Any], stream: Stream) -> Case:
    """A case of a kind that is drawn first. What does not come out as that kind is drawn again."""
    if level == 5:
        ranks, deep = stream.choice(orders_of(CRITERIA)), stream.below(3) > 0
        gone = bool(stream.below(2))
        while (best := _choices(site, ranks, deep, gone, stream)) is None:
            pass
        return best
    kind = stream.weighted(*KINDS[level]) if level in KINDS else ""
    draw = {2: _answers, 3: _shortages, 4: _repeated}[level]
    while (found := draw(site, kind, stream)) is None:
        pass
    return found


def _goal(site: Mapping[str, Any], makes: Sequence[str], price: int, stream: Stream) -> dict[str, Any]:
    count = stream.integer(12, 40)
    less = stream.integer(3, max(3, count // 3))
    return {
        "article": stream.choice(site["articles"]),
        "make": makes[0],
        "others": list(makes[1:3]),
        "count": count,
        "least": count - less,
        "less": less,
        "swaps": stream.integer(3, count // 2),
        "most": count * price + stream.below(price),
        "within": stream.integer(6, 12),
        "sellers": stream.shuffled(site["sellers"])[:3],
    }


# How many offers there are of the make, of the two that may replace it, and of one that may not.
SHARES = {2: (3, 2, 2, 2), 3: (3, 2, 2, 2), 4: (4, 3, 2, 1)}


def _offers(
    level: int, makes: Sequence[str], site: Mapping[str, Any], stream: Stream
) -> dict[str, dict[str, Any]]:
    shares = zip(makes, SHARES[level], strict=False)
    of_make = stream.shuffled([make for make, count in shares for _ in range(count)])
    return {
        k: {
            "make": make,
            "seller": stream.choice(site["sellers"]),
            "price": stream.integer(12, 30),
            "stock": stream.integer(8, 60),
            "days": stream.integer(2, 14),
        }
        for k, make in zip(IDS[level], of_make, strict=True)
    }


def _answers(site: Mapping[str, Any], kind: str, stream: Stream) -> Case | None:
    """Level 2. Either another make or a smaller number helps, never both."""
    makes = stream.shuffled(site["makes"])
    offers = _offers(2, makes, site, stream)
    goal = _goal(site, makes, stream.integer(16, 24), stream)
    found = proposals(offers, goal)
    kinds = [name for name, some in found.items() if some]
    if "order" in kinds:
        if kind != "order" or len(found["order"]) > 1:
            return None
    elif kinds != ([] if kind == "decline" else [kind]):
        return None
    right = {"action": kind if kind in ("order", "decline") else "propose"}
    return goal, offers, {}, {**right, "allowed": [list(one) for one in found.get(kind, [])]}


def _repeated(site: Mapping[str, Any], kind: str, stream: Stream) -> Case | None:
    """Level 4. One offer of another make is allowed, and one in a smaller number; no others are."""
    makes = stream.shuffled(site["makes"])
    offers = _offers(4, makes, site, stream)
    goal = _goal(site, makes, stream.integer(16, 24), stream)
    found = proposals(offers, goal)
    allowed = found["make"] + found["number"]
    if found["order"] or len(found["make"]) != 1 or len({k for k, _ in found["number"]}) != 1:
        return None
    others = [one for one in offers.values() if one["make"] in goal["others"]]
    right = offers[found["make"][0][0]]
    cheapest = right["price"] == min(one["price"] for one in others)
    largest = right["stock"] == max(one["stock"] for one in others)
    if (cheapest or largest) and stream.below(2):
        return None  # neither is right more often than others are
    return goal, offers, {}, {"allowed": [list(one) for one in allowed]}


def _shortages(site: Mapping[str, Any], kind: str, stream: Stream) -> Case | None:
    """Level 3. One offer meets the request, and has less than listed; what then helps is one kind of change."""
    makes = stream.shuffled(site["makes"])
    offers = _offers(3, makes, site, stream)
    goal = _goal(site, makes, stream.integer(16, 26), stream)
    count = goal["count"]
    mine = [k for k, one in offers.items() if one["make"] == goal["make"] and _usable(one, goal)]
    if len(mine) != 1 or not _fits(offers[mine[0]], count, goal):
        return None
    has = count if kind == "as planned" else stream.integer(max(1, count // 3), count - 2)
    now = {**offers, mine[0]: {**offers[mine[0]], "stock": 0}}
    found = completions(now, has, has * offers[mine[0]]["price"], goal)
    kinds = list(found)
    if kinds != ([] if kind == "call off" else [kind]):
        return None
    right = {"ended": "called off" if kind == "call off" else "closed", "kind": kind}
    real = {} if kind == "as planned" else {mine[0]: has}
    return goal, offers, {"real": real}, right


def _choices(
    site: Mapping[str, Any], ranks: Sequence[str], deep: bool, gone: bool, stream: Stream
) -> Case | None:
    """Level 5. Where an offer is gone, it belongs to what would be the best choice."""
    articles = stream.shuffled(site["articles"])
    goal: dict[str, Any] = {
        "wishes": dict(zip(articles, stream.shuffled(site["makes"]), strict=False)),
        "sellers": stream.shuffled(site["sellers"])[:3],
        "due": stream.integer(5, 7),
        "swaps": stream.integer(1, 2),
        "ranks": list(ranks),
    }
    goal["within"] = goal["due"] + stream.integer(2, 4)
    offers: dict[str, dict[str, Any]] = {}
    for k, article in zip(IDS[5], stream.shuffled(articles * 4), strict=True):
        same = [one for one in offers.values() if one["article"] == article]
        others = [make for make in site["makes"] if make != goal["wishes"][article]]
        # What takes long or is of another make is cheaper: something has to be given up for something else.
        days, other = stream.integer(4, 10), len(same) % 2
        steps = 6 - (days - 4) // 2 - other + stream.integer(-1, 1)
        offers[k] = {
            "article": article,
            "make": stream.choice(others) if other else goal["wishes"][article],
            "seller": stream.choice(site["sellers"] if stream.below(4) == 0 else goal["sellers"]),
            "price": 100 * max(1, steps),
            "days": days,
        }
    goal["most"] = 100 * stream.integer(11, 13)
    listed = allowed_choices(offers, goal)
    if not listed or min(one["delay"] + one["swaps"] for _, one in listed) == 0:
        return None
    lost = [stream.choice(best_by(ranks, listed)[0])] if gone else []
    left = {k: one for k, one in offers.items() if k not in lost}
    free = allowed_choices(
        left, {**goal, "sellers": site["sellers"], "most": 10**6, "within": 99, "swaps": 3}
    )
    best = single_best(ranks, allowed_choices(left, goal), free, deep=deep)
    return None if best is None else (goal, offers, {"gone": lost}, {"orders": list(best)})
