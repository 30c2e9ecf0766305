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
        self._sums = dict(counts)  # as if any number fitted
        self.holds, self.leads_to = holds, leads_to
        self._spill = next((name for name, limit in limits.items() if limit is None), "")

    def room(self, place: str) -> int | None:
        limit = self.limits.get(place)
        return None if limit is None else limit - self.counts[place]

    def put(self, place: str, n: int) -> None:
        room = self.room(place)
        fits = n if room is None else min(n, room)
        self.counts[place] += fits
        self._sums[place] += n
        if n > fits:
            self.counts[self._spill] += n - fits

    def take(self, place: str, n: int) -> None:
        self.counts[place] -= n
        self._sums[place] -= n

    def spilled_last(self) -> bool:
        """Whether it is the same to add up everything, and to see only then what does not fit."""
        sums = {
            name: n if (most := self.limits[name]) is None else min(n, most) for name, n in self._sums.items()
        }
        sums[self._spill] += sum(self._sums.values()) - sum(sums.values())
        return sums == self.counts


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
    kinds = stream.shuffled(("receive", "issue", "move"))[: stream.choice((1, 2, 2))]
    told = [_plain(stream, story, stock, places, kind) for kind in kinds]
    return _setup(stock, {"stationary": told}, {"stationary": stock.counts})


def _many(stream: Stream, story: Story, places: tuple[str, ...], start: dict[str, int]) -> Drawn:
    """Level 2: at least one movement brings more than fits, and it matters when."""
    while True:
        stock, told = _spilling(stream, story, places, start)
        if not stock.spilled_last():
            return _setup(stock, {"stationary": told}, {"stationary": stock.counts})


def _spilling(
    stream: Stream, story: Story, places: tuple[str, ...], start: dict[str, int]
) -> tuple[Stock, list[str]]:
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
    return stock, told


def _changing(stream: Stream, story: Story, places: tuple[str, ...], start: dict[str, int]) -> Drawn:
    """Level 4: one rule changes, and only what is counted later shows it. Arrivals and counts take turns, so that a
    count that is off tells what the arrival before it brought, and where. Without drift every count is as expected.
    What comes after the last count are arrivals and a move, so that the rule in force decides what is there."""
    door, other, third = places
    holds = stream.integer(8, 16)
    sizes = holds + stream.choice((-4, -3, -2, 2, 3, 4)), door
    after = sizes if stream.below(2) else (holds, stream.choice((other, third)))
    turn = stream.integer(1, 2)  # the arrival from which the new rule holds
    packs = [stream.integer(2, 6) for _ in range(5)]
    moves = [(stream.integer(3, 12), stream.choice((door, other))) for _ in range(2)]
    counted = [(door,), tuple(stream.shuffled((door, other))), tuple(stream.shuffled((door, other)))]
    seed = stream.bits64()  # both courses say the same events in the same words
    told: dict[str, list[str]] = {}
    counts: dict[str, dict[str, int]] = {}
    for course in ("stationary", "drifted"):
        words, stock, said = Stream(seed), Stock(start, {}, holds, door), []
        for at, n in enumerate(packs):
            if course == "drifted" and at == turn:
                stock.holds, stock.leads_to = after
            stock.put(stock.leads_to, n * stock.holds)
            said.append(BOOK.say(words, "packs", n=n, **story))
            if at in (1, 3):
                loose, to = moves[at // 2]
                said.append(_movement(words, story, stock, "move", loose, third, to))
            for place in counted[at] if at < len(counted) else ():
                said.append(BOOK.say(words, "count", m=stock.counts[place], a=place, **story))
        told[course], counts[course] = said, stock.counts
    return _setup(Stock(start, {}, holds, door), told, counts)


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


Move = tuple[str, int, str, str]  # kind, how many, place, other place


class StockKeeper(Follower):
    """Makes every movement in its own stock, and records that in the end. When a count is off, it looks for the rule
    by which the last arrival explains it.

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
        self._before = dict(self._stock.counts)  # the last arrival, and what came since
        self._since: list[Move] = []

    def hear(self, said: str) -> None:
        kind, slots = BOOK.read(said)
        n = whole(slots["m" if kind == "count" else "n"])
        a, b = (known(slots[slot], self._names) if slot in slots else "" for slot in "ab")
        if kind == "packs":
            self._before, self._since = dict(self._stock.counts), []
        self._since.append((kind, n, a, b))
        if kind == "count" and not self.is_novice and self._stock.counts[a] != n:
            self._explain()
        else:
            self._make(self._stock, kind, n, a, b)

    def _explain(self) -> None:
        sizes = [(size, self._stock.leads_to) for size in range(1, 100)]
        for holds, leads_to in [*sizes, *((self._stock.holds, name) for name in self._names)]:
            stock = Stock(self._before, {}, holds, leads_to)
            if all(self._make(stock, *move) for move in self._since):
                self._stock = stock
                return

    def _make(self, stock: Stock, kind: str, n: int, a: str, b: str) -> bool:
        """Makes a movement. Of a count, whether it is as expected."""
        if kind == "count":
            return stock.counts[a] == n
        if kind == "receive":
            stock.put(a, n)
        elif kind == "packs":
            stock.put(stock.leads_to, n * stock.holds)
        else:
            stock.take(a, n)
        if kind == "move" and self.is_novice:
            stock.counts[b] += n
        elif kind == "move":
            stock.put(b, n)
        return True

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
