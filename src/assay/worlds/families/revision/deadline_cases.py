"""Cases of `deadline`: what makes a plan possible, and plans drawn so that it is this or that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from assay.streams import Stream

from .common import orders_of, single_best

__all__ = [
    "CRITERIA",
    "DEMANDS",
    "NONE",
    "Parts",
    "allowed_plans",
    "cost_of",
    "drawn_case",
    "in_days",
    "ready_on",
    "remedies",
    "rescues",
]

DEMANDS = ["deadline", "budget", "crew"]
CRITERIA = ("delay", "points", "cost")
NONE = "none"  # proposals that leave out nothing
# Kinds of instances. A subject that never changes a plan, or always, is right in the smaller part of them.
KINDS: dict[int, tuple[tuple[str, ...], tuple[int, ...]]] = {
    1: ((*DEMANDS, "commit", "ask"), (4, 4, 4, 9, 5)),
    2: (("commit", "day", "longer", "shorter", "decline"), (7, 4, 2, 2, 6)),
    3: (("as planned", "day", "longer", "shorter", "call off"), (2, 4, 5, 5, 3)),
}

Parts = Mapping[str, Mapping[str, Any]]


def ready_on(parts: Parts, away: Mapping[str, Sequence[int]], first: int) -> int:
    """The day on which the last of these parts is ready. Crews work side by side, except when they are away."""
    last = first - 1
    for crew, absent in away.items():
        left, day = sum(one["days"] for one in parts.values() if one["crew"] == crew), first - 1
        while left:
            day += 1
            left -= day not in absent
        last = max(last, day)
    return last


def cost_of(parts: Parts, rates: Mapping[str, int]) -> int:
    return sum(one["days"] * rates[one["crew"]] for one in parts.values())


def remedies(parts: Parts, away: Mapping[str, Sequence[int]], goal: Mapping[str, Any]) -> list[str]:
    """Level 2: what makes the plan possible: nothing at all, a later day, or a part that is left out."""
    if ready_on(parts, away, goal["first"]) <= goal["due"]:
        return ["commit"]
    found = ["day"] if ready_on(parts, away, goal["first"]) <= goal["last"] else []
    for part in goal["drops"]:
        rest = {name: one for name, one in parts.items() if name != part}
        found += [part] if ready_on(rest, away, goal["first"]) <= goal["due"] else []
    return found


def rescues(
    days: Mapping[str, int], waivers: Mapping[str, int], day: int, paid: int, goal: Mapping[str, Any]
) -> list[str]:
    """Level 3: the same for the parts that are still to be built, from a day on, with so much paid."""
    left, rate = sum(days.values()), goal["rate"]
    if day - 1 + left <= goal["due"] and paid + left * rate <= goal["most"]:
        return ["as planned"]
    found = ["day"] if day - 1 + left <= goal["last"] and paid + left * rate <= goal["most"] else []
    for part in goal["drops"]:
        rest = left - days.get(part, 0)
        affordable = paid + rest * rate + waivers[part] <= goal["most"]
        found += [part] if part in days and day - 1 + rest <= goal["due"] and affordable else []
    return found


def allowed_plans(
    parts: Parts, crews: Mapping[str, Mapping[str, Any]], goal: Mapping[str, Any]
) -> list[tuple[tuple[str, ...], dict[str, int]]]:
    """Level 5: what may be left out, with the delay, the loss of points and the cost of each choice."""
    away = {crew: one["away"] for crew, one in crews.items()}
    rates = {crew: one["day_rate"] for crew, one in crews.items()}
    drops = sorted(goal["drops"])
    found = []
    for left_out in chain.from_iterable(combinations(drops, count) for count in range(len(drops) + 1)):
        kept = {name: one for name, one in parts.items() if name not in left_out}
        ready = ready_on(kept, away, goal["first"])
        value = {
            "delay": max(0, ready - goal["due"]),
            "points": sum(parts[part]["points"] for part in left_out),
            "cost": cost_of(kept, rates),
        }
        if _within(value, goal):
            found.append((left_out, value))
    return found


def _within(value: Mapping[str, int], goal: Mapping[str, Any]) -> bool:
    """Whether a plan keeps to the latest day, the points that may be lost and the budget."""
    most = {"delay": goal["last"] - goal["due"], "points": goal["points"], "cost": goal["most"]}
    return all(value[name] <= most[name] for name in CRITERIA)


def in_days(count: int) -> str:
    return f"{count} days" if count > 1 else "1 day"


# What a goal says, what the world is built from, and what is expected.
Case = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]


def drawn_case(level: int, site: Mapping[str, Any], stream: Stream) -> Case:
    """A case of a kind that is drawn first. What does not come out as that kind is drawn again."""
    if level == 5:
        ranks, deep = stream.choice(orders_of(CRITERIA)), stream.below(3) > 0
        while (best := _choices(site, ranks, deep, stream)) is None:
            pass
        return best
    kind = stream.weighted(*KINDS[level])
    draw = {1: _demands, 2: _proposals, 3: _works}[level]
    while (found := draw(site, kind, stream)) is None:
        pass
    return found


def _parts(
    site: Mapping[str, Any], count: int, crews: Sequence[str], stream: Stream
) -> dict[str, dict[str, Any]]:
    """So many parts, which take days of some crew."""
    names = stream.shuffled(site["parts"])[:count]
    return {name: {"crew": stream.choice(crews), "days": stream.integer(1, 5)} for name in names}


def _crews(site: Mapping[str, Any], first: int, stream: Stream) -> dict[str, dict[str, Any]]:
    return {
        crew: {
            "away": sorted({first + stream.below(9) for _ in range(stream.integer(1, 3))}),
            "day_rate": 10 * stream.integer(6, 18),
        }
        for crew in stream.shuffled(site["crews"])
    }


def _rows(parts: Parts, crews: Mapping[str, Mapping[str, Any]], fields: Sequence[str]) -> dict[str, Any]:
    """Parts and crews as they are shown, with these fields of a crew."""
    return {
        "parts": [
            {"part": name, "crew": one["crew"], "takes": in_days(one["days"])}
            | ({"points": one["points"]} if "points" in one else {})
            for name, one in parts.items()
        ],
        "crews": [{"crew": crew, **{field: one[field] for field in fields}} for crew, one in crews.items()],
    }


def _away(crews: Mapping[str, Mapping[str, Any]]) -> dict[str, Sequence[int]]:
    return {crew: one["away"] for crew, one in crews.items()}


def _kind(found: list[str], none: str, days: Mapping[str, int], drops: Sequence[str]) -> str:
    """The kind of a case with at most one remedy: which of the two parts has to go is told by its length."""
    if not found or found[0] not in drops:
        return found[0] if found else none
    other = next(part for part in drops if part != found[0])
    return "longer" if days[found[0]] > days[other] else "shorter"


def _demands(site: Mapping[str, Any], kind: str, stream: Stream) -> Case | None:
    """Level 1. Two crews work on what is wanted; the third may be gone, which changes nothing."""
    first, some = stream.integer(2, 9), stream.shuffled(site["crews"])
    crews, listed = _crews(site, first, stream), _parts(site, 6, some, stream)
    of_two = [name for name, one in listed.items() if one["crew"] != some[2]]
    names = of_two[: stream.integer(3, 4)]
    wanted = {name: listed[name] for name in names}
    if len(names) < 3 or len({one["crew"] for one in wanted.values()}) < 2:
        return None
    ready = ready_on(wanted, _away(crews), first)
    cost = cost_of(wanted, {crew: one["day_rate"] for crew, one in crews.items()})
    plain = ready_on(wanted, dict.fromkeys(crews, ()), first)
    if plain == ready:
        return None  # the days away should count
    due = ready - stream.integer(1, 2) if kind == "deadline" else ready + stream.below(3)
    most = cost + 10 * (stream.integer(-6, -1) if kind == "budget" else stream.below(7))
    for place, crew in enumerate(some):
        gone = stream.below(2) if place == 2 else (place == 0 and kind == "crew")
        crews[crew]["contract"] = "cancelled" if gone else "signed"
    right: dict[str, Any] = {"action": "commit", "arguments": {"day": ready, "cost": cost}}
    if kind in DEMANDS:
        right = {"action": "halt", "arguments": {"demand": kind}}
    elif kind == "ask":
        missing = stream.choice(sorted(set(site["parts"]) - set(listed)))
        names[stream.below(len(names))] = missing
        right = {"action": "ask", "arguments": {"part": missing}}
    goal = {"wanted": stream.shuffled(names), "due": due, "most": most, "first": first}
    shown = _rows(listed, crews, ("away", "day_rate", "contract"))
    return goal, {"due": due, **shown}, right


def _proposals(site: Mapping[str, Any], kind: str, stream: Stream) -> Case | None:
    """Level 2. Of the two parts that may be left out, at most one helps, the longer or the shorter."""
    first = stream.integer(2, 9)
    crews, listed = _crews(site, first, stream), _parts(site, 6, site["crews"], stream)
    names = list(listed)[:5]
    wanted = {name: listed[name] for name in names}
    ready = ready_on(wanted, _away(crews), first)
    due = ready + stream.integer(0, 2) if kind == "commit" else ready - stream.integer(1, 4)
    goal: dict[str, Any] = {
        "wanted": stream.shuffled(names),
        "drops": stream.shuffled(names)[:2],
        "first": first,
        "due": due,
        "last": due + stream.integer(2, 5),
    }
    found = remedies(wanted, _away(crews), goal)
    days = {name: one["days"] for name, one in wanted.items()}
    if due < first or len(found) > 1 or _kind(found, "decline", days, goal["drops"]) != kind:
        return None
    shown = _rows(dict(stream.shuffled(list(listed.items()))), crews, ("away",))
    right: dict[str, Any] = {"action": kind, "arguments": {}}
    if kind == "day":
        allowed = [[day, NONE] for day in range(ready, goal["last"] + 1)]
        right = {"action": "propose", "allowed": allowed}
    elif kind in ("longer", "shorter"):
        right = {"action": "propose", "allowed": [[due, found[0]]]}
    return goal, {"due": due, **shown}, right


def _works(site: Mapping[str, Any], kind: str, stream: Stream) -> Case | None:
    """Level 3. One of the first two parts takes longer, or none; two of the later ones may be left out."""
    names = stream.shuffled(site["parts"])[:5]
    days = {name: stream.integer(1, 6) for name in names}
    waivers = {name: 50 * stream.integer(1, 12) for name in names}
    first, rate = stream.integer(2, 9), 50 * stream.integer(2, 6)
    listed, late = sum(days.values()), names[stream.below(2)]
    longer = 0 if kind == "as planned" and stream.below(2) else stream.integer(2, 6)
    due = first - 1 + listed + stream.below(5)
    goal: dict[str, Any] = {
        "drops": stream.shuffled(names[2:])[:2],
        "first": first,
        "rate": rate,
        "due": due,
        "last": due + stream.integer(2, 5),
        "most": (listed + stream.below(8)) * rate + 10 * stream.below(rate // 10),
    }
    rest = {name: days[name] for name in names[names.index(late) + 1 :]}
    done = listed - sum(rest.values()) + longer
    found = rescues(rest, waivers, first + done, done * rate, goal)
    if len(found) > 1 or _kind(found, "call off", days, goal["drops"]) != kind or done * rate > goal["most"]:
        return None
    parts = [{"part": name, "takes": days[name], "waiver": waivers[name]} for name in names]
    setup = {"parts": parts, "first": first, "rate": rate, "due": due}
    right = {
        "ended": "called off" if kind == "call off" else "delivered",
        "left_out": found if kind in ("longer", "shorter") else [],
        "due": due + (kind == "day"),
        "last": goal["last"] if kind == "day" else due,
        "most": goal["most"],
    }
    return goal, {**setup, "longer": {late: longer}}, right


def _choices(site: Mapping[str, Any], ranks: Sequence[str], deep: bool, stream: Stream) -> Case | None:
    """Level 5. Few rates and few points, so that plans are equal in one criterion and differ in another."""
    first = stream.integer(2, 9)
    crews, parts = _crews(site, first, stream), _parts(site, 6, site["crews"], stream)
    for crew in crews.values():
        crew["day_rate"] = 50 * stream.integer(2, 3)
    for part in parts.values():
        part["points"] = stream.integer(2, 6)
    ready = ready_on(parts, _away(crews), first)
    cost = cost_of(parts, {crew: one["day_rate"] for crew, one in crews.items()})
    due = ready - stream.integer(2, 6)
    goal: dict[str, Any] = {
        "wanted": stream.shuffled(list(parts)),
        "drops": stream.shuffled(list(parts))[:4],
        "first": first,
        "due": due,
        "last": ready - stream.below(4),
        "points": stream.integer(5, 13),
        "most": cost - 50 * stream.integer(0, 7),
        "ranks": list(ranks),
    }
    if due < first or goal["last"] < due + 2:
        return None
    free = allowed_plans(parts, crews, {**goal, "points": 99, "most": cost, "last": ready})
    plans = [(plan, value) for plan, value in free if _within(value, goal)]
    best = single_best(ranks, plans, free, deep=deep)
    if best is None or len(best) > 3:
        return None
    right = {"left_out": list(best), "deadline": due + dict(plans)[best]["delay"]}
    return goal, {"due": due, **_rows(parts, crews, ("away", "day_rate"))}, right
