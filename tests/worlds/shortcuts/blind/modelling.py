"""Modelling: what an outsider would script for accounts, dispatch, the drifting service, stockrooms, strategies."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import Any

from assay.worlds import Act

from . import Book, Passing, Script, digits, does, span, without

__all__ = ["PASSES", "SHORTCUTS", "TRIED"]

_FROM: tuple[str, ...] = (
    "from",
    "out of",
    "left",
    "has bought",
    "collected",
    "gone for good",
    "lorry",
    "order was filled",
    "spent",
    "charged",
)
_FROM += ("has to pay", "taken", "take", "which", "has transferred", "has to make", "away from", "settled")


def _figures(text: str) -> list[int]:
    """Numbers of a text that may be misread."""
    words = [word.strip(".,:") for word in text.split()]
    likely = [
        w for n, w in enumerate(words) if re.search(r"\d", w) or (n and re.fullmatch("[A-Zglbqszo]", w))
    ]
    return [int(digits(word)) for word in likely if digits(word).isdigit()]


def _named(text: str, names: list[str]) -> list[str]:
    """The names in a text, in their order there."""
    found = [(-at, name) for name in names if (score := span(name, text))[0] > 0.75 for at in (score[1],)]
    return [name for _, name in sorted(found)]


def _moves(script: Script, start: dict[str, int], fee: int, counted: bool) -> dict[str, int]:
    """Every event by its words: one name, in or out; two names, from the first to the second."""
    held = dict(start)
    for _, text in sorted(script.told.items()):
        names, low = _named(text, [n for n in held if n != "Fees"]), text.lower()
        amount = (_figures(text) or [0])[0]
        if len(names) > 1:
            giver, taker = names[:2]
            if span("given", low)[0] > 0.9:
                giver, taker = taker, giver
            held[giver] -= amount + fee
            held[taker] += amount
            if "Fees" in held:
                held["Fees"] += fee
        elif (
            names
            and counted
            and any(span(w, low)[0] > 0.85 for w in ("shows", "bank names", "according", "it says"))
        ):
            held[names[0]] = amount
        elif names:
            comes = any(span(w, low)[0] > 0.9 for w in ("from outside", "from the supplier", "reach"))
            goes = not comes and any(span(w, low)[0] > 0.9 for w in _FROM)
            held[names[0]] += -amount if goes else amount
    return held


def _record(script: Script, now: dict[str, Any], counted: bool = False) -> Act | None:
    """Sums by words, entered one after the other."""
    stock = "places" in now
    lines = now["places"] if stock else now["accounts"]
    held = _moves(script, {x["name"]: x["start"] for x in lines}, now.get("fee", 0), counted)
    for line in lines:
        value = max(held[line["name"]], 0) if stock else held[line["name"]]
        if line["recorded"] != value:
            if stock:
                return Act("set_count", {"place": line["name"], "count": value})
            return Act("set_balance", {"account": line["name"], "balance": value})
    return None


def _as_listed(script: Script, now: dict[str, Any]) -> Act | None:
    """The numbers of the list."""
    script.told.clear()
    return _record(script, now)


def _spills(script: Script, now: dict[str, Any]) -> Act | None:
    """Sums by words; whatever is above the capacity in the end goes to the place without one."""
    held = _moves(script, {x["name"]: x["start"] for x in now["places"]}, 0, False)
    rest = next((x["name"] for x in now["places"] if x.get("capacity") is None), "")
    for line in now["places"]:
        if line.get("capacity") is not None and held[line["name"]] > line["capacity"]:
            held[rest] += held[line["name"]] - line["capacity"]
            held[line["name"]] = line["capacity"]
    for line in now["places"]:
        if line["recorded"] != held[line["name"]]:
            return Act("set_count", {"place": line["name"], "count": max(0, held[line["name"]])})
    return None


def _packs(script: Script, now: dict[str, Any]) -> Act | None:
    """As at the start for packs that come in; a count replaces what was reckoned."""
    held = {x["name"]: x["start"] for x in now["places"]}
    for _, text in sorted(script.told.items()):
        names, figures = _named(text, list(held)), _figures(text) or [0]
        if not names:
            held[now["at_the_start"]["leads_to"]] += figures[0] * now["at_the_start"]["holds"]
        elif any(span(w, text)[0] > 0.85 for w in ("count", "stocktak")):
            held[names[0]] = figures[-1]
        elif len(names) > 1:
            held[names[0]] -= figures[0]
            held[names[1]] += figures[0]
        else:
            goes = any(span(w, text)[0] > 0.9 for w in _FROM) and span("from the supplier", text)[0] < 0.9
            held[names[0]] += -figures[0] if goes else figures[0]
    for line in now["places"]:
        if line["recorded"] != held[line["name"]]:
            return Act("set_count", {"place": line["name"], "count": max(0, held[line["name"]])})
    return None


def _approve(script: Script, now: dict[str, Any], words: bool) -> Act | None:
    """The plan whose lowest balance is farthest above the floors, by words or by the list."""
    if now["approved"]:
        return None
    floors = {x["name"]: x["floor"] for x in now["accounts"]}
    held = {x["name"]: x["start"] for x in now["accounts"]}
    if words:
        held = _moves(script, held, now["fee"], True)
    ends = {}
    for plan in now["plans"]:
        after = dict(held)
        after[plan["from"]] -= plan["amount"] + now["fee"]
        after[plan["to"]] += plan["amount"]
        ends[plan["plan"]] = after
    chosen = max(ends, key=lambda p: min(ends[p][n] - floors[n] for n in floors))
    return Act("approve", {"plan": chosen, "lowest": min(ends[chosen].values())})


# dispatch


_EARLIER = ("earlier", "forward", "take off", "sooner", "before its", "good news", "ahead of plan")


def _arrivals(script: Script, now: dict[str, Any], heed: bool) -> dict[tuple[str, str], int]:
    """Minutes of each unit to each site; a message adds its number, or takes it off where a word says earlier."""
    units, sites = [u["unit"] for u in now["units"]], [c["site"] for c in now["calls"]]
    took = {(u["unit"], t["site"]): u["ready_in"] + t["minutes"] for u in now["units"] for t in u["trips"]}
    for _, text in sorted(script.told.items()) if heed else ():
        sign = -1 if any(span(w, text)[0] > 0.85 for w in _EARLIER) else 1
        for unit, site in product(_named(text, units) or units, _named(text, sites) or sites):
            took[unit, site] += sign * (_figures(text) or [0])[0]
    return took


def _send(script: Script, now: dict[str, Any], how: str) -> Act | None:
    """To the call that waits: who is there first, who is the last in time, or who is in time for the fewest calls."""
    if len(now["sent"]) == len(now["calls"]):
        return None
    call = now["calls"][len(now["sent"])]
    took = _arrivals(script, now, how != "as listed")
    free = [u["unit"] for u in now["units"] if u["unit"] not in {s.get("unit") for s in now["sent"]}]
    timely = [u for u in free if took[u, call["site"]] <= call.get("within", 999)]
    unit = min(free, key=lambda u: took[u, call["site"]])
    if timely and how == "last in time":
        unit = max(timely, key=lambda u: took[u, call["site"]])
    if timely and how == "least use":
        unit = min(timely, key=lambda u: sum(took[u, c["site"]] <= c["within"] for c in now["calls"]))
    return Act("dispatch", {"unit": unit, "minutes": max(0, took[unit, call["site"]])})


# drifting-service


def _formula(script: Script, now: dict[str, Any], learns: bool) -> Act | None:
    """Fewest parts and shortest timeout by the manual; after a failure, the numbers of the answer."""
    size = (_figures(now["job"]) or [0])[0]
    if not now["jobs_left"] or not size:
        return None
    start, kept = now["manual"]["start_seconds"], script.kept
    most, each = (
        kept.get("most", now["manual"]["most_in_a_part"]),
        kept.get("each", now["manual"]["seconds_for_each"]),
    )
    took = _figures(now["answer"])
    if learns and script.tried and took and kept.get("calls") != now["calls"]:
        sent, size_then, delivered = kept["sent"]
        if now["delivered"] > delivered:
            each = (took[-1] - start) / -(-size_then // sent["parts"])
        elif took[-1] < sent["timeout"]:
            most = max(1, int((took[-1] - start) / each))
        else:
            each += 2
        kept |= {"most": most, "each": each, "calls": now["calls"]}
    parts = min(-(-size // most), 12)
    need = start + each * -(-size // parts)
    act = Act("send", {"parts": parts, "timeout": min(120, max(5, -(-int(need + 0.99) // 5) * 5))})
    kept["sent"] = (act.arguments, size, now["delivered"])
    return act


def _generous(script: Script, now: dict[str, Any]) -> Act | None:
    """Two parts and the longest timeout for every job."""
    return Act("send", {"parts": 2, "timeout": 120}) if now["jobs_left"] else None


# strategies


def _worth(script: Script, now: dict[str, Any], how: str) -> dict[tuple[str, str], float]:
    """Place and strategy → what they pay: on a mean day, on the worst, on the most frequent sort, or by shares."""
    found = {}
    for line in now["table"]:
        days: Counter[str] = Counter()
        for text in script.told.values():
            turn = (
                _named(text, now["places"]).index(line["place"])
                if line["place"] in _named(text, now["places"])
                else 0
            )
            sorts = sorted(
                (m.start(), s) for s in line["rewards"] for m in re.finditer(s[:3] + "|" + s[-3:], text)
            )
            order = [s for n, (_, s) in enumerate(sorts) if not n or sorts[n - 1][0] < sorts[n][0] - 4]
            if order:
                days[order[min(turn, len(order) - 1)]] += 1
        pays = line["rewards"]
        found[line["place"], line["strategy"]] = {
            "mean": sum(pays.values()) / len(pays),
            "worst": float(min(pays.values())),
            "frequent": float(pays[days.most_common(1)[0][0]]) if days else 0.0,
            "last": float(pays[list(days)[-1]]) if days else 0.0,
            "shares": sum(pays[s] * n for s, n in days.items()) / max(1, sum(days.values())),
        }[how]
    return found


def _pick(script: Script, now: dict[str, Any], how: str, apart: bool = False) -> Act | None:
    """Place by place what is worth most; with ``apart``, not what is taken already."""
    worth, taken = _worth(script, now, how), {c["strategy"] for c in now["chosen"]} if apart else set()
    for place in now["places"]:
        if place not in {c["place"] for c in now["chosen"]}:
            open_ = [s for p, s in worth if p == place and s not in taken]
            return Act("choose", {"place": place, "strategy": max(open_, key=lambda s: worth[place, s])})
    return None


def _pair(script: Script, now: dict[str, Any], how: str) -> Act | None:
    """The pair that is worth most."""
    worth = _worth(script, now, how)
    first, second = now["places"][:2]
    mine = {p: [s for q, s in worth if q == p] for p in (first, second)}
    pairs = [(a, b) for a in mine[first] for b in mine[second] if a != b]
    one, other = max(pairs, key=lambda x: worth[first, x[0]] + worth[second, x[1]])
    pair = {first: one, second: other}
    for place in (first, second):
        if place not in {c["place"] for c in now["chosen"]}:
            return Act("choose", {"place": place, "strategy": pair[place]})
    return None


TRIED: Book = {
    "accounts": {
        1: {"sums by words": does(_record), "as listed": does(_as_listed)},
        2: {"sums by words": does(_record), "as listed": does(_as_listed)},
        5: {
            "best by words": does(lambda s, o: _approve(s, o, True)),
            "best by the list": does(lambda s, o: _approve(s, o, False)),
        },
    },
    "dispatch": {
        3: {how: does(lambda s, o, how=how: _send(s, o, how)) for how in ("first", "as listed")},  # type: ignore[misc]
        5: {
            how: does(lambda s, o, how=how: _send(s, o, how))  # type: ignore[misc]
            for how in ("first", "last in time", "least use")
        },
    },
    "drifting-service": {
        3: {"formula of the manual": does(lambda s, o: _formula(s, o, False)), "generous": does(_generous)},
        4: {
            "formula of the manual": does(lambda s, o: _formula(s, o, False)),
            "number of the answer": does(lambda s, o: _formula(s, o, True)),
        },
    },
    "stockroom": {
        1: {"sums by words": does(_record), "as listed": does(_as_listed)},
        2: {"sums by words": does(_record), "spill in the end": does(_spills)},
        4: {"packs as at the start": does(_packs), "as listed": does(_as_listed)},
    },
    "strategies": {
        3: {
            how: does(lambda s, o, how=how: _pick(s, o, how))  # type: ignore[misc]
            for how in ("mean", "worst", "frequent", "last", "shares")
        },
        5: {
            **{
                f"{how}, place by place": does(lambda s, o, how=how: _pick(s, o, how, True))  # type: ignore[misc]
                for how in ("mean", "worst", "frequent", "shares")
            },
            **{
                f"{how}, as a pair": does(lambda s, o, how=how: _pair(s, o, how))  # type: ignore[misc]
                for how in ("mean", "worst", "frequent", "shares")
            },
        },
    },
}
PASSES: Passing = {
    "accounts": {1: {"sums by words": (1.0, "task")}, 2: {"sums by words": (0.98, "task")}},
    "dispatch": {3: {"first": (0.9, "task")}},
    "drifting-service": {
        3: {"formula of the manual": (1.0, "task")},
        4: {"number of the answer": (0.73, "task")},
    },
    "stockroom": {1: {"sums by words": (0.93, "task")}},
    "strategies": {
        3: {"shares": (1.0, "task")},
        5: {"shares, as a pair": (0.77, "task")},
    },
}
SHORTCUTS = without(TRIED, PASSES)
