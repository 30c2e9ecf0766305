"""Deciding: what an outsider would script for allocation, the courier, filing, the project and the thermostat."""

from __future__ import annotations

import heapq
import re
from typing import Any

from assay.worlds import Act

from . import Book, Passing, Script, best, digits, does, span, without

__all__ = ["PASSES", "SHORTCUTS", "TRIED"]


# allocation


def _groups(script: Script, now: dict[str, Any]) -> list[str]:
    """Groups in the order of the goal."""
    goal, found = script.brief.goal, {}
    for line in now["requests"]:
        word = best(line["group"], re.findall(r"[a-z]{4,}", goal))
        found[word] = goal.find(word)
    return sorted(found, key=lambda w: found[w])


def _top(script: Script, now: dict[str, Any], how: str) -> str:
    """The group that is said to be first: the first named, or by a few words of the goal."""
    goal, groups = script.brief.goal, _groups(script, now)
    if how == "first named":
        return groups[0]
    if "least to the most" in goal:
        return groups[-1]
    first: list[str] = [word for word in re.findall(r"(\w+) first\b", goal)[:1] if word in groups]
    if first:
        return first[0]
    for word in ("before", "ahead of", "after"):
        pairs: list[tuple[str, str]] = re.findall(
            rf"(\w+)(?: are served)?(?: go)? {word} (?:the )?(\w+)", goal
        )
        left = {a for a, b in pairs if a in groups and b in groups}
        right = {b for a, b in pairs if a in groups and b in groups}
        if word == "after" and right - left:
            return min(right - left)
        if left - right and word != "after":
            return min(left - right)
    return groups[0]


def _grant(script: Script, now: dict[str, Any], how: str) -> Act | None:
    """Of the first group the longest wait; nothing else is granted."""
    if now["granted"]:
        return Act("close_round", {}) if "left" in now else None
    if how == "longest wait":
        return Act("grant", {"request": max(now["requests"], key=lambda r: r["days_waiting"])["id"]})
    words = {r["id"]: best(r["group"], _groups(script, now)) for r in now["requests"]}
    top = _top(script, now, how)
    mine = [
        r for r in now["requests"] if words[r["id"]] == top and r.get("asks_for", 0) <= now.get("left", 99)
    ]
    chosen = max(mine or now["requests"], key=lambda r: r["days_waiting"])
    return Act("grant", {"request": chosen["id"]})


# courier


def _roads(now: dict[str, Any], minutes: bool) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    shut = " ".join(map(str, now["closed"]))
    for road in now["roads"]:
        ends, _, time = road.partition(": ")
        a, b = ends.split("-")
        if not (f"{a}-{b}" in shut or f"{b}-{a}" in shut):
            cost = int(re.sub(r"\D", "", digits(time.split()[0])) or 9) if minutes else 1
            found.setdefault(a, {})[b] = cost
            found.setdefault(b, {})[a] = cost
    return found


def _way(roads: dict[str, dict[str, int]], at: str, to: str) -> list[str]:
    heap, done = [(0, at, [at])], set()
    while heap:
        cost, place, way = heapq.heappop(heap)
        if place == to:
            return way
        if place not in done:
            done.add(place)
            for other, more in roads.get(place, {}).items():
                heapq.heappush(heap, (cost + more, other, [*way, other]))
    return [at]


def _deliver(script: Script, now: dict[str, Any], minutes: bool, order: str) -> Act | None:
    """One delivery after the other, by the order of the list or of the hours, along the fewest roads or minutes."""
    left = [p for p in now["parcels"] if p["now"] == "on board"]
    if not left:
        return None
    goal = min(left, key=lambda p: p[order]) if order else left[0]
    roads = _roads(now, minutes)
    to = best(goal["to"], roads)
    if now["at"] == to:
        if now["clock"] < goal["from"]:
            return Act("wait", {"minutes": min(60, goal["from"] - now["clock"])})
        return Act("leave", {"parcel": goal["parcel"]})
    way = _way(roads, now["at"], to)
    return Act("go", {"to": way[1]}) if len(way) > 1 else None


def _nearest_road(script: Script, now: dict[str, Any]) -> Act | None:
    """The place itself when it is next, else the shortest road to a place not seen yet."""
    left = [p for p in now["parcels"] if p["now"] == "on board"]
    if not left:
        return None
    roads = _roads(now, True)
    to = best(left[0]["to"], roads)
    if now["at"] == to:
        return Act("leave", {"parcel": left[0]["parcel"]})
    been = {a.arguments.get("to") for a in script.tried} | {now["at"]}
    near = roads.get(now["at"], {})
    fresh = [p for p in near if p not in been] or list(near)
    return Act("go", {"to": to if to in near else min(fresh, key=lambda p: near[p])})


# filing


def _fits(rule: str, item: dict[str, Any], kinds: list[str], figures: bool) -> bool:
    """Whether a rule fits, by the word after 'kind', 'marked' and the number beside 'pages' or a year."""
    if found := re.search(r"kind (\w+)", rule):
        return best(item["kind"], kinds) == found.group(1)
    if "marked" in rule:
        return bool(item["mark"] != "none")
    if not figures:
        return False
    number = int(re.findall(r"\d+", rule)[0]) if re.search(r"\d", rule) else 0
    if "pages" in rule:
        return bool(item["pages"] > number)
    return bool(item["year"] < number) if number else True


def _drawer(script: Script, item: dict[str, Any], how: str) -> str:
    goal = script.brief.goal
    drawers = [d for d in script.brief.actions[0].parameters["properties"]["to"]["enum"] if d != "desk"]
    kinds = re.findall(r"\w+", re.search(r"kinds are: ([^.]*)", goal).group(1))  # type: ignore[union-attr]
    rules = re.split(r"\(\d\) ", goal)[1:]
    named: dict[str, str] = {r: next(d for d in drawers if d in r) for r in rules}
    if how == "last rule":
        return named[rules[-1]]
    for rule in rules[:-1]:
        if _fits(rule, item, kinds, how == "rules"):
            return named[rule]
    return named[rules[-1]]


def _file(script: Script, now: dict[str, Any], how: str) -> Act | None:
    for item in now["items"]:
        if "in" not in item:
            return Act("move", {"file": item["file"], "to": _drawer(script, item, how)})
    wrong = [i for i in now["items"] if i.get("in") and i["in"] != _drawer(script, i, how)]
    held: dict[str, int] = {}
    for item in now["items"]:
        held[item["in"]] = held.get(item["in"], 0) + 1
    for item in wrong:  # whatever fits where it belongs
        if held.get(_drawer(script, item, how), 0) < 3:
            return Act("move", {"file": item["file"], "to": _drawer(script, item, how)})
    if wrong and not held.get("desk"):
        return Act("move", {"file": wrong[0]["file"], "to": "desk"})
    return None


# project


def _assign(script: Script, now: dict[str, Any], order: str) -> Act | None:
    """A step whose needs are done, by who is good at it, else by who also knows it, else by whoever was not tried."""
    done = {d["step"] if isinstance(d, dict) else d for d in now["done"]}
    ready = [s for s in now["open"] if set(s["needs"]) <= done]
    failed = [(a.arguments["step"], a.arguments["worker"]) for a in script.tried]
    latest = {s["step"]: _by(s, now["open"]) for s in now["open"]}
    if order == "hour":
        ready.sort(key=lambda s: s.get("by", 0))
    if order == "hour of what waits":
        ready.sort(key=lambda s: latest[s["step"]])
    if order == "short":
        ready.sort(key=lambda s: s["hours"])
    if order == "long":
        ready.sort(key=lambda s: -s["hours"])
    for key in ("good_at", "also_knows"):
        for repeat in (1, 2, 3):
            for step in ready:
                cost = step["hours"] * (1 if key == "good_at" else 2)
                for worker in now["workers"]:
                    able = span(step["skill"][:6], str(worker.get(key)))[0] > 0.6 and cost <= worker.get(
                        "hours_left", 999
                    )
                    if able and failed.count((step["step"], worker["worker"])) < repeat:
                        return Act("assign", {"step": step["step"], "worker": worker["worker"]})
    return None


def _by(step: dict[str, Any], every: list[dict[str, Any]]) -> int:
    waits: list[int] = [_by(s, every) - int(s["hours"]) for s in every if step["step"] in s["needs"]]
    return min([int(step.get("by", 999)), *waits])


# thermostat


def _celsius(text: str) -> float:
    found = re.search(r"-?[\d]+\.?\d*", digits(text.split("°")[0].strip()))
    value = float(found.group()) if found else 20.0
    return value if "C" in text.split("°")[-1] else (value - 32) / 1.8


def _set(script: Script, now: dict[str, Any], how: str) -> Act | None:
    """Heat below the largest number of the goal, cool above it; the limits in order give the step."""
    goal = script.brief.goal
    said = re.findall(r"(\d+\.\d)(?= °)", goal)
    unit = "C" if "°C" in goal else "F"
    target = _celsius(f"{max(map(float, said))} °{unit}")
    limits = sorted(
        {float(n) * (1 if unit == "C" else 1 / 1.8) for n in said if float(n) != max(map(float, said))}
    )
    zones = {line["zone"] for line in now["set"]}
    kinds = [s["sensor"] for s in now["sensors"]]
    kind = next((k for k in kinds if f"{k} sensor" in goal), kinds[0])
    for line in now["sensors"]:
        if line["zone"] not in zones and (line["sensor"] == kind or how == "first sensor"):
            off = _celsius(line["reads"]) - target
            mode = "cool" if off > 0 else "heat"
            step = sum(abs(off) > limit + 0.01 for limit in limits[:3]) if how != "step 2" else 2
            return Act("set_unit", {"zone": line["zone"], "mode": mode if step else "off", "step": step})
    return None


TRIED: Book = {
    "allocation": {
        level: {
            "first named": does(lambda s, o: _grant(s, o, "first named")),
            "longest wait": does(lambda s, o: _grant(s, o, "longest wait")),
            "few words, top only": does(lambda s, o: _grant(s, o, "words")),
        }
        for level in (1, 4)
    },
    "courier": {
        2: {
            "fewest roads": does(lambda s, o: _deliver(s, o, False, "")),
            "shortest road": does(_nearest_road),
            "fewest minutes": does(lambda s, o: _deliver(s, o, True, "")),
        },
        3: {
            "fewest roads": does(lambda s, o: _deliver(s, o, False, "")),
            "shortest road": does(_nearest_road),
            "fewest minutes": does(lambda s, o: _deliver(s, o, True, "")),
        },
        5: {
            "fewest roads, by hour": does(lambda s, o: _deliver(s, o, False, "by")),
            "fewest minutes, in order": does(lambda s, o: _deliver(s, o, True, "")),
            "fewest minutes, by hour": does(lambda s, o: _deliver(s, o, True, "by")),
        },
    },
    "filing": {
        level: {
            "last rule": does(lambda s, o: _file(s, o, "last rule")),
            "words without figures": does(lambda s, o: _file(s, o, "words")),
            "rules by three words": does(lambda s, o: _file(s, o, "rules")),
        }
        for level in (1, 2, 4, 5)
    },
    "project": {
        3: {
            order: does(lambda s, o, order=order: _assign(s, o, order))  # type: ignore[misc]
            for order in ("first", "short", "long")
        },
        5: {
            order: does(lambda s, o, order=order: _assign(s, o, order))  # type: ignore[misc]
            for order in ("first", "hour", "hour of what waits")
        },
    },
    "thermostat": {
        1: {
            "limits in order": does(lambda s, o: _set(s, o, "limits")),
            "step 2": does(lambda s, o: _set(s, o, "step 2")),
        },
        4: {
            "limits in order": does(lambda s, o: _set(s, o, "limits")),
            "step 2": does(lambda s, o: _set(s, o, "step 2")),
            "first sensor": does(lambda s, o: _set(s, o, "first sensor")),
        },
    },
}
PASSES: Passing = {
    "courier": {
        2: {"fewest minutes": (1.0, "task")},
        3: {"fewest minutes": (1.0, "task")},
    },
    "project": {5: {"hour of what waits": (0.53, "task")}},
    "thermostat": {1: {"limits in order": (1.0, "task")}, 4: {"limits in order": (0.72, "task")}},
}
SHORTCUTS = without(TRIED, PASSES)
