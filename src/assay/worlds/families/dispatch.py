"""Dispatch: send the unit that will be there in time, and see what then remains. B.3.3, B.3.5."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import permutations
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady, finish
from assay.worlds.events import EVENT, NEXT, Follower, Phrasebook, Unfolding, known, listed, whole
from assay.worlds.model import Act, Action, Brief, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import table, worded

__all__ = ["Dispatch"]

TABLE = table("dispatch")
BOOK = Phrasebook(TABLE["phrases"])
_TRIPS = array(obj({"site": STRING, "minutes": INTEGER}))
_UNIT = obj({"unit": STRING, "ready_in": INTEGER, "trips": _TRIPS})
_CALL = {"call": INTEGER, "site": STRING}
_SENT = obj({"call": INTEGER, "unit": STRING, "told": integer("minutes told the caller")})


def _observation(call: dict[str, Any]) -> dict[str, Any]:
    return obj(
        {
            "units": array(_UNIT, "as known at first"),
            "calls": array(obj(call)),
            "waiting": {"type": ["integer", "null"], "description": "the call that dispatch is for now"},
            "sent": array(_SENT),
            "event": EVENT,
        }
    )


OBSERVATIONS = {3: _observation(_CALL), 5: _observation(_CALL | {"within": INTEGER})}


@cache
def _dispatch(units: tuple[str, ...]) -> Action:
    return action(
        "dispatch",
        "Send a unit to the call that is waiting, and tell the caller when it arrives. It cannot be undone.",
        {
            "unit": text("which unit", options=list(units)),
            "minutes": integer("until it arrives, from now", 0, 999),
        },
    )


class Fleet:
    """When units are ready, and how long their trips take."""

    def __init__(self, ready: dict[str, int], trips: dict[str, dict[str, int]]) -> None:
        self.ready, self.trips = ready, trips

    def arrival(self, unit: str, site: str) -> int:
        return self.ready[unit] + self.trips[unit][site]

    def hear(self, kind: str, n: int, unit: str, site: str) -> None:
        """What a message changes."""
        if kind == "later":
            self.ready[unit] += n
        elif kind == "sooner":
            self.ready[unit] -= n
        elif kind == "detour":
            self.trips[unit][site] += n
        else:
            for trips in self.trips.values():
                trips[site] += n


Message = tuple[str, int, str, str]  # kind, minutes, unit, site


Drawn = tuple[Fleet, list[Message], dict[str, int]]  # as it is after all messages; limits of the calls


def _race(stream: Stream, units: list[str], sites: list[str]) -> Drawn:
    """Level 3: one of the two that seemed to be fastest, the first more often, is held up behind the third. The two
    that seemed slowest can leave sooner, and one of them, the other or neither is then the first to arrive."""
    (site,), (first, second, third, last) = sites, units
    held = first if stream.below(3) else second
    start = stream.integer(10, 18)
    times = {first: start, second: start + stream.integer(2, 4)}
    times[third] = times[second] + stream.integer(4, 9)
    times[last] = times[third] + stream.integer(7, 9)
    messages: list[Message] = [
        ("later", times[third] - start + stream.integer(1, 5), held, site),
        ("slow", stream.integer(6, 12), first, site),
    ]
    ready = {unit: stream.integer(0, 6) for unit in units}
    beats = stream.choice((third, last, ""))
    to_beat = times[second if held == first else first]
    for unit in (third, last):
        n = times[unit] - to_beat + (stream.integer(1, 3) if unit == beats else -stream.integer(1, 3))
        messages.append(("sooner", n, unit, site))
        ready[unit] = n + stream.integer(0, 3)
    fleet = Fleet(ready, {unit: {site: times[unit] - ready[unit]} for unit in units})
    for kind, n, unit, where in messages:
        fleet.hear(kind, n, unit, where)
    return fleet, messages, {}


MAY = ((0, 1), (1, 2, 3), (2,), (3,))  # the calls that each unit is surely in time for


def _four_calls(stream: Stream, units: list[str], sites: list[str]) -> Drawn:
    """Level 5: only one choice is in time at every call. Who serves one call after the other, each with the fastest
    that is left, finds it in at most one of six orders. Nor does who spares the fast, or those of use elsewhere, in the
    order in which the calls wait. Arrivals are drawn as they are after all messages."""
    while True:
        calls = stream.shuffled(sites)
        if sites.index(calls[0]) < sites.index(calls[1]):
            calls[:2] = calls[1::-1]
        # A unit is in time at its own call, perhaps at those after it in ``calls``, never at those before. The rest are
        # late everywhere, as any of them could stand in for another. So no other choice is in time. The second call
        # waits before the first, and the unit of the first is of less use than the one that has to be sent.
        late = {site: {unit: stream.integer(1, 6) for unit in units} for site in sites}
        for at, unit in enumerate(units[: len(calls)]):
            for place in range(at, len(calls)):
                if place in MAY[at] or (at == 2 and stream.below(4)):
                    late[calls[place]][unit] = -stream.integer(0, 8)
        if any(in_time(late, sparing(late, sites, rule)) for rule in RULES):
            continue
        if sum(in_time(late, greedy(late, order)) for order in permutations(sites)) <= 4:
            break
    limits = {site: stream.integer(36, 52) for site in sites}
    held, hindered, other, early = stream.shuffled(units)[:4]
    messages: list[Message] = [
        ("later", stream.integer(5, 9), held, sites[0]),
        ("detour", stream.integer(5, 9), hindered, stream.choice(sites)),
        ("detour", stream.integer(3, 9), other, stream.choice(sites)),
        ("slow", stream.integer(2, 4), held, stream.choice(sites)),
        ("sooner", stream.integer(2, 5), early, sites[0]),
    ]
    ready = {unit: stream.integer(0, 3) for unit in units}
    ready[held] += messages[0][1]
    trips = {unit: {site: limits[site] + late[site][unit] - ready[unit] for site in sites} for unit in units}
    return Fleet(ready, trips), messages, limits


def in_time(late: dict[str, dict[str, int]], way: dict[str, str]) -> bool:
    """Whether every call is reached within its limit. ``late``: by how many minutes a unit is late, or early."""
    return all(late[site][unit] <= 0 for site, unit in way.items())


def greedy(late: dict[str, dict[str, int]], order: Sequence[str]) -> dict[str, str]:
    """The fastest unit for each call, in some order of the calls."""
    way: dict[str, str] = {}
    for site in order:
        left = {unit: n for unit, n in late[site].items() if unit not in way.values()}
        way[site] = min(left, key=lambda unit: (left[unit], unit))
    return way


# Whom somebody might send of those in time: the last; one in time for the fewest
# calls, of all or of those that wait, or for the most.
RULES: tuple[Callable[[int, int, int], tuple[int, ...]], ...] = (
    lambda late, uses, left: (-late,),
    lambda late, uses, left: (uses, late),
    lambda late, uses, left: (uses, -late),
    lambda late, uses, left: (left, late),
    lambda late, uses, left: (left, -late),
    lambda late, uses, left: (-uses, late),
    lambda late, uses, left: (-left, late),
)


def sparing(
    late: dict[str, dict[str, int]], order: Sequence[str], rule: Callable[[int, int, int], tuple[int, ...]]
) -> dict[str, str]:
    """The first by a rule of the units in time for each call, in some order of the calls; anyone where none is."""
    way: dict[str, str] = {}
    for at, site in enumerate(order):
        rank = {
            unit: (
                n > 0,
                *rule(n, *(sum(late[other][unit] <= 0 for other in some) for some in (order, order[at:]))),
            )
            for unit, n in late[site].items()
            if unit not in way.values()
        }
        way[site] = min(rank, key=rank.__getitem__)
    return way


class Control(Unfolding):
    """Messages, and who was sent where."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._sent: list[dict[str, Any]] = []

    def look(self) -> dict[str, Any]:
        setup, sent = self.setup, self._sent
        sites, within = setup["sites"], setup["within"]
        calls = [{"call": number, "site": site} for number, site in enumerate(sites, start=1)]
        return {
            "units": [
                {
                    "unit": unit,
                    "ready_in": ready,
                    "trips": [{"site": site, "minutes": setup["trips"][unit][site]} for site in sites],
                }
                for unit, ready in setup["ready"].items()
            ],
            "calls": [call | {"within": within[call["site"]]} for call in calls] if within else calls,
            "waiting": len(sent) + 1 if len(sent) < len(sites) else None,
            "sent": [dict(one) for one in sent],
            "event": self.event(),
        }

    def do_dispatch(self, unit: str, minutes: int) -> None:
        if len(self._sent) >= len(self.setup["sites"]):
            raise Refused("no call is waiting")
        if any(one["unit"] == unit for one in self._sent):
            raise Refused(f"{unit} has been sent to another call")
        self._sent.append({"call": len(self._sent) + 1, "unit": unit, "told": minutes})

    def snapshot(self) -> dict[str, Any]:
        sites = self.setup["sites"]
        sent = {sites[one["call"] - 1]: {"unit": one["unit"], "told": one["told"]} for one in self._sent}
        return {"sent": dict(sorted(sent.items()))}


class Controller(Follower):
    """Corrects the list by every message, then looks for a choice with which all calls are served in time.

    The novice sends the fastest to each call in turn, and does not count on good news.
    """

    def start(self, observation: dict[str, Any]) -> None:
        units = observation["units"]
        self._fleet = Fleet(
            {one["unit"]: one["ready_in"] for one in units},
            {one["unit"]: {trip["site"]: trip["minutes"] for trip in one["trips"]} for one in units},
        )
        self._units: list[str] = [one["unit"] for one in units]
        self._sites: list[str] = [call["site"] for call in observation["calls"]]
        self._limits: list[int] = [call.get("within", 0) for call in observation["calls"]]
        self._plan: tuple[str, ...] = ()

    def hear(self, said: str) -> None:
        kind, slots = BOOK.read(said)
        if self.is_novice and kind == "sooner":
            return
        unit = known(slots["a"], self._units) if "a" in slots else ""
        site = known(slots["s"], self._sites) if "s" in slots else ""
        self._fleet.hear(kind, whole(slots["n"]), unit, site)

    def conclude(self, observation: dict[str, Any]) -> Act:
        waiting = observation["waiting"]
        if waiting is None:
            return finish()
        site = self._sites[waiting - 1]
        if self.is_novice:
            unit = self._fastest(site, [one["unit"] for one in observation["sent"]])
        else:
            self._plan = self._plan or min(permutations(self._units, len(self._sites)), key=self._lateness)
            unit = self._plan[waiting - 1]
        return Act("dispatch", {"unit": unit, "minutes": self._fleet.arrival(unit, site)})

    def _fastest(self, site: str, sent: list[str]) -> str:
        left = [unit for unit in self._units if unit not in sent]
        return min(left, key=lambda unit: self._fleet.arrival(unit, site))

    def _lateness(self, chosen: tuple[str, ...]) -> int:
        """How late a choice is at the call where it is latest."""
        calls = zip(chosen, self._sites, self._limits, strict=True)
        return max(self._fleet.arrival(unit, site) - limit for unit, site, limit in calls)


class Anyone(Steady):
    """Sends whoever is next on the list, with the minutes that are printed there."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["waiting"] is None:
            return finish()
        at = observation["waiting"] - 1
        unit = observation["units"][at]
        minutes = unit["ready_in"] + unit["trips"][at]["minutes"]
        return Act("dispatch", {"unit": unit["unit"], "minutes": minutes})


class Dispatch(FamilyBase, table=TABLE):
    world = Control
    solver = Controller

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        units = stream.shuffled(story["units"])[: 4 if level == 3 else 5]
        sites = stream.shuffled(story["sites"])[: 1 if level == 3 else 4]
        final, messages, limits = (_race if level == 3 else _four_calls)(stream, units, sites)
        messages = stream.shuffled(messages)
        arrivals = {site: {unit: final.arrival(unit, site) for unit in sorted(units)} for site in sites}
        for kind, n, unit, site in messages:  # take them back: the list shows what was known before
            final.hear(kind, -n, unit, site)
        return self.task(
            level,
            situation,
            goal=worded(
                stream,
                TABLE["goals"][level],
                story,
                first=sites[0],
                calls=listed([f"the {site}" for site in sites]),
            ),
            observation=OBSERVATIONS[level],
            actions=(NEXT, _dispatch(tuple(sorted(units)))),
            criterion=TABLE["criterion"][level].format(**story),
            expected={"arrivals": arrivals, "within": limits},
            setup={
                "sites": sites,
                "within": limits,
                "ready": {unit: final.ready[unit] for unit in stream.shuffled(units)},
                "trips": final.trips,
                "told": [BOOK.say(stream, kind, n=n, a=unit, s=site) for kind, n, unit, site in messages],
            },
            needed=len(messages) - 1 + len(sites),
            noisy=("event",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        limits: dict[str, int] = task.criterion.expected["within"]
        for site, times in sorted(task.criterion.expected["arrivals"].items()):
            sent = state["sent"].get(site)
            if sent is None:
                yield f"nobody was sent to {site}"
                continue
            arrives = times[sent["unit"]]
            if site in limits and arrives > limits[site]:
                yield f"{sent['unit']} reaches {site} after {arrives} minutes; the limit is {limits[site]}"
            elif site not in limits and arrives > min(times.values()):
                yield f"{sent['unit']} reaches {site} after {arrives} minutes; another is faster"
            if sent["told"] != arrives:
                yield f"{site} was told {sent['told']} minutes; it takes {arrives}"

    def null(self, brief: Brief) -> Anyone:
        return Anyone(brief)
