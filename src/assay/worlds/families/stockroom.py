"""Stockroom: keep track of what lies where while movements are reported one by one. B.3.1, B.3.4."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady
from assay.worlds.events import (
    EVENT,
    NEXT,
    Follower,
    Phrasebook,
    Recording,
    known,
    listed,
    misrecorded,
    record_missing,
    whole,
)
from assay.worlds.model import Act, Action, Brief, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import table, worded

__all__ = ["Stockroom"]

TABLE = table("stockroom")
BOOK = Phrasebook(TABLE["phrases"])
Story = Mapping[str, Any]
_PLACE = {
    "name": STRING,
    "start": integer("how many it held at the start"),
    "recorded": {"type": ["integer", "null"], "description": "what set_count has said"},
}
_LIMIT = {"capacity": {"type": ["integer", "null"], "description": "how many fit; null: any number"}}
_RULES = obj({"holds": INTEGER, "leads_to": STRING})
OBSERVATIONS = {
    1: obj({"places": array(obj(_PLACE)), "event": EVENT}),
    2: obj({"places": array(obj(_PLACE | _LIMIT)), "event": EVENT}),
    4: obj({"places": array(obj(_PLACE)), "at_the_start": _RULES, "event": EVENT}),
}
SET = "set_count", ("place", "count")


@cache
def set_count(places: tuple[str, ...]) -> Action:
    return action(
        "set_count",
        "Record how many a place holds. Recording it again replaces what was said before.",
        {"place": text("which place", options=list(places)), "count": integer("", 0, 9999)},
    )


class Stock:
    """What lies where, and the rules by which it moves."""

    def __init__(
        self, counts: dict[str, int], limits: dict[str, int | None], holds: int, leads_to: str
    ) -> None:
        self.counts, self.limits = dict(counts), limits
        self.holds, self.leads_to = holds, leads_to
        self._spill = next((name for name, limit in limits.items() if limit is None), "")

    def room(self, place: str) -> int | None:
        limit = self.limits.get(place)
        return None if limit is None else limit - self.counts[place]

    def put(self, place: str, n: int) -> None:
        room = self.room(place)
        fits = n if room is None else min(n, room)
        self.counts[place] += fits
        if n > fits:
            self.counts[self._spill] += n - fits

    def take(self, place: str, n: int) -> None:
        self.counts[place] -= n


Drawn = tuple[dict[str, Any], dict[str, Any]]


def _setup(stock: Stock, told: dict[str, list[str]], counts: dict[str, dict[str, int]]) -> Drawn:
    setup = {"limits": stock.limits, "holds": stock.holds, "leads_to": stock.leads_to, "told": told}
    return setup, {"counts": counts, "limits": stock.limits}


def _movement(stream: Stream, story: Story, stock: Stock, kind: str, n: int, a: str, b: str) -> str:
    """Makes a movement, and says it."""
    if kind != "receive":
        stock.take(a, n)
    if kind != "issue":
        stock.put(b, n)
    first = b if kind == "receive" else a
    return BOOK.say(stream, kind, n=n, a=first, b=b, **story)


def _plain(stream: Stream, story: Story, stock: Stock, places: Sequence[str], kind: str) -> str:
    """Some movement that the stock allows: what is taken is taken from where the most lies."""
    fullest = max(places, key=lambda place: stock.counts[place])
    other = stream.choice([place for place in places if place != fullest])
    return _movement(stream, story, stock, kind, stream.integer(2, 14), fullest, other)


def _few(stream: Stream, story: Story, places: tuple[str, ...], start: dict[str, int]) -> Drawn:
    """Level 1."""
    stock = Stock(start, {}, 0, "")
    kinds = stream.shuffled(("receive", "issue", "move"))[: stream.integer(1, 2)]
    told = [_plain(stream, story, stock, places, kind) for kind in kinds]
    return _setup(stock, {"stationary": told}, {"stationary": stock.counts})


def _many(stream: Stream, story: Story, places: tuple[str, ...], start: dict[str, int]) -> Drawn:
    """Level 2: at least one movement brings more than fits."""
    limits: dict[str, int | None] = {place: start[place] + stream.integer(4, 12) for place in places}
    limits[places[-1]] = None
    stock = Stock(start, limits, 0, "")
    kinds = ["receive", "issue", "move", *(stream.choice(("receive", "issue", "move")) for _ in range(3))]
    kinds = stream.shuffled(kinds[: stream.integer(4, 6)])
    full = stream.choice([at for at, kind in enumerate(kinds) if kind != "issue"])
    told = []
    for at, kind in enumerate(kinds):
        if at != full:
            told.append(_plain(stream, story, stock, places, kind))
            continue
        target = stream.choice(places[:-1])
        n = (stock.room(target) or 0) + stream.integer(2, 8)
        source = max((place for place in places if place != target), key=lambda place: stock.counts[place])
        kind = kind if stock.counts[source] >= n else "receive"
        told.append(_movement(stream, story, stock, kind, n, source, target))
    return _setup(stock, {"stationary": told}, {"stationary": stock.counts})


def _changing(stream: Stream, story: Story, places: tuple[str, ...], start: dict[str, int]) -> Drawn:
    """Level 4: one rule changes, by a notice or as seen from an arrival. Without drift the same place in the
    episode confirms the rule. What comes after it are arrivals, so that the rule in force decides the count."""
    holds, by_size = stream.integer(8, 16), bool(stream.below(2))
    new_size = holds + stream.choice((-3, -2, 2, 3, 4))
    before, notice = stream.integer(1, 2), bool(stream.below(2))
    packs = [stream.integer(2, 6) for _ in range(4)]
    loose = stream.integer(3, 12)
    seed = stream.bits64()  # both courses say the same events in the same words
    told: dict[str, list[str]] = {}
    counts: dict[str, dict[str, int]] = {}
    for course in ("stationary", "drifted"):
        drifted = course == "drifted"
        words, stock = Stream(seed), Stock(start, {}, holds, places[0])
        said = [_arrival(words, story, stock, n) for n in packs[:before]]
        if drifted:
            stock.holds = new_size if by_size else holds
            stock.leads_to = places[0] if by_size else places[1]
        if notice:
            rule = "size" if by_size else "route"
            said.append(BOOK.say(words, rule, m=stock.holds, a=stock.leads_to, **story))
        else:
            said.append(_arrival(words, story, stock, packs[2], "shown"))
        said.append(_arrival(words, story, stock, packs[3]))
        said.append(_movement(words, story, stock, "move", loose, places[2], places[1]))
        said.append(_arrival(words, story, stock, packs[0]))
        told[course], counts[course] = said, stock.counts
    return _setup(Stock(start, {}, holds, places[0]), told, counts)


def _arrival(stream: Stream, story: Story, stock: Stock, n: int, kind: str = "packs") -> str:
    stock.put(stock.leads_to, n * stock.holds)
    return BOOK.say(stream, kind, n=n, m=n * stock.holds, a=stock.leads_to, **story)


_DRAWS = {1: _few, 2: _many, 4: _changing}


class Store(Recording):
    """The reports, and the counts that were recorded."""

    def look(self) -> dict[str, Any]:
        setup, places = self.setup, self.rows()
        seen = {"places": places, "event": self.event()}
        if self.level == 2:
            for place in places:
                place["capacity"] = setup["limits"][place["name"]]
        if self.level == 4:
            seen["at_the_start"] = {"holds": setup["holds"], "leads_to": setup["leads_to"]}
        return seen

    def do_set_count(self, place: str, count: int) -> None:
        self.recorded[place] = count

    def snapshot(self) -> dict[str, Any]:
        return {"recorded": dict(sorted(self.recorded.items())), "rules": self.course}


class StockKeeper(Follower):
    """Makes every movement in its own stock, and records that in the end.

    The novice minds capacities only for deliveries, and keeps to the rules of the start.
    """

    def start(self, observation: dict[str, Any]) -> None:
        rules = observation.get("at_the_start", {"holds": 0, "leads_to": ""})
        places = observation["places"]
        self._names = [place["name"] for place in places]
        self._stock = Stock(
            {place["name"]: place["start"] for place in places},
            {place["name"]: place["capacity"] for place in places if "capacity" in place},
            rules["holds"],
            rules["leads_to"],
        )

    def hear(self, said: str) -> None:
        stock = self._stock
        kind, slots = BOOK.read(said)
        n = whole(slots["n"]) if "n" in slots else 0
        a = known(slots["a"], self._names) if "a" in slots else ""
        if kind in ("size", "route", "shown") and not self.is_novice:
            if "m" in slots:
                stock.holds = whole(slots["m"]) // max(n, 1)
            stock.leads_to = a or stock.leads_to
        if kind == "receive":
            stock.put(a, n)
        elif kind in ("packs", "shown"):
            stock.put(stock.leads_to, n * stock.holds)
        elif kind in ("issue", "move"):
            stock.take(a, n)
        if kind == "move":
            target = known(slots["b"], self._names)
            if self.is_novice:
                stock.counts[target] += n
            else:
                stock.put(target, n)

    def conclude(self, observation: dict[str, Any]) -> Act:
        counts = {place: max(0, count) for place, count in self._stock.counts.items()}
        return record_missing(observation["places"], *SET, counts)


class UnchangedCounts(Steady):
    """Records what was there at the start."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        return record_missing(observation["places"], *SET)


class Stockroom(FamilyBase, table=TABLE):
    world = Store
    solver = StockKeeper

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        count = {1: 2, 2: stream.integer(3, 4), 4: 3}[level]
        places = tuple(stream.shuffled(story["places"])[:count])
        start = {place: stream.integer(24, 60) for place in places}
        setup, expected = _DRAWS[level](stream, story, places, start)
        gaps = {"places": listed(places), "spill": places[-1], "size": setup["holds"]}
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"][level], story, first=setup["leads_to"], **gaps),
            observation=OBSERVATIONS[level],
            actions=(NEXT, set_count(tuple(sorted(places)))),
            criterion=f"the recorded number of {story['item']} is what each of {listed(places)} holds after every "
            "movement",
            expected=expected,
            setup={"level": level, "start": start, **setup},
            needed=len(setup["told"]["stationary"]) - 1 + count,
            noisy=("event",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        expected = task.criterion.expected
        counts = expected["counts"][state["rules"]]
        return misrecorded(counts, state["recorded"], "holds", "total", expected["limits"])

    def null(self, brief: Brief) -> UnchangedCounts:
        return UnchangedCounts(brief)
