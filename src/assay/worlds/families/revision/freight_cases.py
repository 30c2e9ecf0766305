"""Cases of `freight`: which demands a run does not meet, what may be given up, and pairs of runs ranked by criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.streams import Stream

from .common import best_by, orders_of, single_best

__all__ = [
    "CRITERIA",
    "DEMANDS",
    "IDS",
    "Runs",
    "allowed_loads",
    "allowed_pairs",
    "answer",
    "drawn_shipment",
    "to_town",
    "unmet",
]

DEMANDS = ["load", "time", "price", "wagon"]
TWICE = ("load", "time", "wagon")  # what a request may state twice, and contradict itself in
CRITERIA = ("delay", "price", "left")
COUNT = {1: 9, 4: 10, 5: 12}
IDS = {level: [f"R{number}" for number in range(1, count + 1)] for level, count in COUNT.items()}
# Kinds of level 1: a run is booked, a demand is halted at, a contradiction is asked about.
KINDS = ("book", *DEMANDS, "ask")
WEIGHTS = (9.0, 2.25, 2.25, 2.25, 2.25, 8.0)
Runs = Mapping[str, Mapping[str, Any]]
Goal = Mapping[str, Any]


def unmet(run: Mapping[str, Any], goal: Goal) -> list[str]:
    """The demands that a run to the right town does not meet."""
    wrong = {
        "load": run["room"] < goal["load"],
        "time": not goal.get("earliest", 0) <= run["arrives"] <= goal["due"],
        "price": run["price"] > goal["most"],
        "wagon": run["wagon"] != goal["wagon"],
    }
    return [demand for demand in DEMANDS if wrong[demand]]


def to_town(runs: Runs, goal: Goal) -> dict[str, Mapping[str, Any]]:
    return {name: run for name, run in runs.items() if run["to"] == goal["town"]}


def answer(runs: Runs, goal: Goal) -> tuple[str, str]:
    """Level 1: book a run, or halt at a demand. Nothing where several runs would do or several demands could go."""
    found = {name: unmet(run, goal) for name, run in to_town(runs, goal).items()}
    fitting = [name for name, wrong in found.items() if not wrong]
    if fitting:
        return ("book", fitting[0]) if len(fitting) == 1 else ("", "")
    near = {wrong[0] for wrong in found.values() if len(wrong) == 1}
    return ("halt", near.pop()) if len(near) == 1 else ("", "")


def allowed_loads(runs: Runs, goal: Goal) -> list[tuple[str, int]]:
    """Level 4: runs and loads with one demand changed as far as it may be."""
    found: list[tuple[str, int]] = []
    for name, run in to_town(runs, goal).items():
        wrong, load = unmet(run, goal), goal["load"]
        late = wrong == ["time"] and goal["due"] < run["arrives"] <= goal["last"]
        if late or (wrong == ["wagon"] and run["wagon"] == goal["other"]):
            found.append((name, load))
        elif wrong == ["load"]:
            found += [(name, some) for some in range(goal["least"], run["room"] + 1)]
    return found


def allowed_pairs(runs: Runs, goal: Goal) -> list[tuple[tuple[str, str], dict[str, int]]]:
    """Level 5: a run to the hub and one from it, with the delay, the price and what is left behind."""
    found = []
    for first, one in runs.items():
        for second, two in runs.items():
            if (one["from"], one["to"]) != (goal["start"], goal["hub"]) or one["to"] != two["from"]:
                continue
            value = {
                "delay": max(0, two["arrives"] - goal["due"]),
                "price": one["price"] + two["price"],
                "left": goal["load"] - min(goal["load"], one["room"], two["room"]),
            }
            if (
                two["to"] == goal["town"]
                and two["leaves"] >= one["arrives"] + goal["change"]
                and two["arrives"] <= goal["last"]
                and value["price"] <= goal["most"]
                and value["left"] <= goal["load"] - goal["least"]
            ):
                found.append(((first, second), value))
    return found


# What a goal says, the runs, what else the world is built from, and what is expected.
Case = tuple[dict[str, Any], dict[str, dict[str, Any]], dict[str, Any], dict[str, Any]]


def drawn_shipment(level: int, site: Mapping[str, Any], stream: Stream) -> Case:
    """A case of a kind that is drawn first. What does not come out as that kind is drawn again."""
    found: Case | None = None
    if level == 5:
        ranks, deep = stream.choice(orders_of(CRITERIA)), stream.below(3) > 0
        full = bool(stream.below(2))
        while found is None:
            found = _ways(site, ranks, deep, full, stream)
    elif level == 4:
        while found is None:
            found = _repeated(site, stream)
    else:
        kind, twice = stream.weighted(KINDS, WEIGHTS), stream.choice(TWICE)
        while found is None:
            found = _request(site, kind, twice, stream)
    return found


def _shipment(site: Mapping[str, Any], stream: Stream) -> dict[str, Any]:
    load, due = stream.integer(10, 40), stream.integer(12, 18)
    kinds, less = stream.shuffled(site["wagons"]), stream.integer(2, 6)
    return {
        "town": stream.choice(site["towns"]),
        "load": load,
        "due": due,
        "most": 10 * stream.integer(25, 45),
        "wagon": kinds[0],
        "other": kinds[1],
        "last": due + stream.integer(2, 4),
        "least": load - less,
        "less": less,
    }


# Hours past the due one, room beyond the load, price beyond the limit: the ranges that runs are drawn from.
SPREADS = {1: ((-6, 4), (-8, 16), (-12, 8)), 4: ((-4, 7), (-10, 9), (-12, 3))}
DIRECT = {1: 6, 4: 8}  # runs to the town


def _runs(level: int, site: Mapping[str, Any], goal: Goal, stream: Stream) -> dict[str, dict[str, Any]]:
    """Runs of which most nearly do."""
    elsewhere = [town for town in site["towns"] if town != goal["town"]]
    towns = [goal["town"] if at < DIRECT[level] else stream.choice(elsewhere) for at in range(COUNT[level])]
    hours, room, price = SPREADS[level]
    return {
        name: {
            "to": town,
            "wagon": goal["wagon"] if stream.below(3) else stream.choice(site["wagons"]),
            "arrives": goal["due"] + stream.integer(*hours),
            "room": goal["load"] + stream.integer(*room),
            "price": goal["most"] + 10 * stream.integer(*price),
        }
        for name, town in zip(IDS[level], stream.shuffled(towns), strict=True)
    }


def _request(site: Mapping[str, Any], kind: str, twice: str, stream: Stream) -> Case | None:
    """Level 1. One demand is stated in two sentences. Where it is asked about, they exclude each other."""
    goal = _shipment(site, stream)
    again: Any = goal[twice] if twice != "time" else goal["due"] - stream.integer(1, 6)
    if twice == "time":
        goal["earliest"] = again
    runs = _runs(1, site, goal, stream)
    name, what = answer(runs, goal)
    if kind == "ask":
        off = stream.integer(2, 6)
        wrong = {
            "load": goal["load"] + (off if stream.below(2) else -off),
            "time": goal["due"] + off,
            "wagon": goal["other"],
        }
        again, name, what = wrong[twice], "ask", twice
    elif not name or kind != (what if name == "halt" else "book"):
        return None
    argument = {"book": "run"}.get(name, "demand")
    goal |= {"twice": twice, "again": again}
    return goal, runs, {}, {"action": name, "arguments": {argument: what}}


def _decoys(names: list[str], runs: dict[str, dict[str, Any]], goal: Goal, stream: Stream) -> None:
    """Mostly the run with most room comes too late for any change, and the earliest has too little room."""
    roomy, early = stream.shuffled(names)[:2]
    if stream.below(4):
        runs[roomy] |= {
            "room": goal["load"] + stream.integer(9, 14),
            "arrives": goal["last"] + stream.integer(1, 3),
        }
    if stream.below(4):
        runs[early] |= {
            "arrives": goal["due"] - stream.integer(5, 7),
            "room": goal["least"] - stream.integer(1, 3),
        }
    for name in (roomy, early):
        runs[name] |= {"wagon": goal["wagon"], "price": goal["most"] - 10 * stream.integer(0, 12)}


def _repeated(site: Mapping[str, Any], stream: Stream) -> Case | None:
    """Level 4. Two runs are allowed, by changes of different kinds; others come close."""
    goal = _shipment(site, stream)
    runs = _runs(4, site, goal, stream)
    _decoys(list(to_town(runs, goal)), runs, goal, stream)
    allowed = allowed_loads(runs, goal)
    names = sorted({name for name, _ in allowed})
    if any(not unmet(run, goal) for run in to_town(runs, goal).values()) or len(names) != 2:
        return None
    if unmet(runs[names[0]], goal) == unmet(runs[names[1]], goal):
        return None
    wagons = (goal["wagon"], goal["other"])
    near = [
        name
        for name, run in to_town(runs, goal).items()
        if run["wagon"] in wagons and run["price"] <= goal["most"]
    ]
    if len(near) < 6:
        return None
    return goal, runs, {}, {"allowed": [list(one) for one in allowed]}


def _ways(
    site: Mapping[str, Any], ranks: Sequence[str], deep: bool, full: bool, stream: Stream
) -> Case | None:
    """Level 5. Where a run is full, it belongs to what would be the best pair."""
    town, start, hub = stream.shuffled(site["towns"])[:3]
    load, due, less = stream.integer(20, 40), stream.integer(16, 19), stream.integer(4, 9)
    goal: dict[str, Any] = {
        "town": town,
        "start": start,
        "hub": hub,
        "load": load,
        "due": due,
        "last": due + stream.integer(2, 4),
        "most": 50 * stream.integer(9, 12),
        "change": stream.integer(2, 3),
        "least": load - less,
        "less": less,
        "ranks": list(ranks),
    }
    runs: dict[str, dict[str, Any]] = {}
    for name, leg in zip(IDS[5], stream.shuffled([0, 1] * 6), strict=True):
        # What is late or has little room is cheaper, so that something has to be given up for something else.
        late, short, takes = stream.integer(-2, 4), stream.integer(-4, 9), stream.integer(3, 6)
        arrives = due + late if leg else stream.integer(5, 10)
        steps = 7 - (max(0, late) if leg else 1) - max(0, short) // 3 + stream.integer(-1, 1)
        runs[name] = {
            "from": hub if leg else start,
            "to": town if leg else hub,
            "leaves": arrives - takes,
            "arrives": arrives,
            "room": load - short,
            "price": 50 * max(2, steps),
        }
    listed = allowed_pairs(runs, goal)
    if not listed or any(one["delay"] + one["left"] == 0 for _, one in listed):
        return None
    lost = [stream.choice(best_by(ranks, listed)[0])] if full else []
    left = {name: run for name, run in runs.items() if name not in lost}
    pairs = allowed_pairs(left, goal)
    free = allowed_pairs(left, {**goal, "most": 10**6, "last": 99, "least": 0})
    best = single_best(ranks, pairs, free, deep=deep)
    if best is None:
        return None
    right = {"booked": sorted(best), "confirmed": load - dict(pairs)[best]["left"]}
    return goal, runs, {"full": lost}, right
