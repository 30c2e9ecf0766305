"""Dispatch: send the unit that will be there in time, and see what then remains. B.3.3, B.3.5."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Any, ClassVar

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady
from assay.worlds.events import (
    DONE,
    EVENT,
    FINISH,
    NEXT,
    Follower,
    Phrasebook,
    Unfolding,
    known,
    whole,
)
from assay.worlds.model import (
    Act,
    Action,
    Brief,
    Criterion,
    Dimension,
    Effect,
    Environment,
    Judgement,
    Seen,
    Task,
)
from assay.worlds.schema import obj, text
from assay.worlds.wording import table_of

__all__ = ["Dispatch"]


class Story(Struct, frozen=True):
    who: str
    unit: str
    units: tuple[str, ...]
    sites: tuple[str, ...]


class Tables(Struct, frozen=True):
    situations: dict[str, Story]
    goals: dict[int, tuple[str, ...]]
    phrases: dict[str, tuple[str, ...]]


TABLES = table_of("dispatch", Tables)
BOOK = Phrasebook(TABLES.phrases)
_INT, _STR = {"type": "integer"}, {"type": "string"}
_TRIP = obj({"site": _STR, "minutes": _INT})
_UNIT = obj({"unit": _STR, "ready_in": _INT, "trips": {"type": "array", "items": _TRIP}})
_CALL = {"call": _INT, "site": _STR}
_SENT = obj(
    {"call": _INT, "unit": _STR, "told": {"type": "integer", "description": "minutes told the caller"}}
)


def _observation(call: dict[str, Any]) -> dict[str, Any]:
    return obj(
        {
            "units": {"type": "array", "items": _UNIT, "description": "as known at first"},
            "calls": {"type": "array", "items": obj(call)},
            "waiting": {"type": ["integer", "null"], "description": "the call that dispatch is for now"},
            "sent": {"type": "array", "items": _SENT},
            "event": EVENT,
        }
    )


OBSERVATIONS = {3: _observation(_CALL), 5: _observation(_CALL | {"within": _INT})}


@cache
def _dispatch(units: tuple[str, ...]) -> Action:
    minutes = {"type": "integer", "minimum": 0, "maximum": 999, "description": "until it arrives, from now"}
    return Action(
        name="dispatch",
        about="Send a unit to the call that is waiting, and tell the caller when it arrives. It cannot be undone.",
        parameters=obj({"unit": text("which unit", options=list(units)), "minutes": minutes}),
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


class Dispatch(FamilyBase):
    name: ClassVar[str] = "dispatch"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Send the one that will be in time"
    dimension: ClassVar[Dimension] = "M"
    environment: ClassVar[Environment] = "static"
    levels: ClassVar[dict[int, str]] = {
        3: "the first to arrive, after messages that change the picture",
        5: "two calls: the one choice that leaves somebody in time for the second",
    }
    situations: ClassVar[tuple[str, ...]] = ("ambulance", "fire", "boats", "mountain")
    held_out: ClassVar[tuple[str, ...]] = ("lifts", "vets")
    chance: ClassVar[dict[int, float]] = {3: 0.05, 5: 0.02}
    verification: ClassVar[str] = "who was sent where and what callers were told, read from the state"

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLES.situations[situation]
        units = stream.shuffled(story.units)[:4]
        sites = stream.shuffled(story.sites)[: 1 if level == 3 else 2]
        limits: dict[str, int] = {}
        if level == 3:
            final, messages = _race(stream, units, sites[0])
        else:
            final, messages, limits = _two_calls(stream, units, sites)
        messages = stream.shuffled(messages)
        arrivals = {site: {unit: final.arrival(unit, site) for unit in sorted(units)} for site in sites}
        for kind, n, unit, site in messages:  # take them back: the list shows what was known before
            final.hear(kind, -n, unit, site)
        needed = len(messages) - 1 + len(sites)
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=stream.choice(TABLES.goals[level]).format(
                who=story.who, unit=story.unit, first=sites[0], second=sites[-1]
            ),
            observation=OBSERVATIONS[level],
            actions=(NEXT, _dispatch(tuple(sorted(units)))),
            criterion=Criterion(
                f"the first {story.unit} to arrive was sent, and the caller told when"
                if level == 3
                else "both calls are reached within their limits, and both callers told when",
                {"arrivals": arrivals, "within": limits},
            ),
            setup={
                "sites": sites,
                "within": limits,
                "ready": {unit: final.ready[unit] for unit in stream.shuffled(units)},
                "trips": final.trips,
                "told": [BOOK.say(stream, kind, n=n, a=unit, s=site) for kind, n, unit, site in messages],
            },
            needed=needed,
            most=2 * needed + 4,
            noisy=("event",),
        )

    def open(self, task: Task, *, drift: bool) -> Control:
        return Control(task.setup)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        arrivals: dict[str, dict[str, int]] = task.criterion.expected["arrivals"]
        limits: dict[str, int] = task.criterion.expected["within"]
        why = []
        for site, times in sorted(arrivals.items()):
            sent = state["sent"].get(site)
            if sent is None:
                why.append(f"nobody was sent to {site}")
                continue
            arrives = times[sent["unit"]]
            if site in limits and arrives > limits[site]:
                why.append(
                    f"{sent['unit']} reaches {site} after {arrives} minutes; the limit is {limits[site]}"
                )
            elif site not in limits and arrives > min(times.values()):
                why.append(f"{sent['unit']} reaches {site} after {arrives} minutes; another is faster")
            if sent["told"] != arrives:
                why.append(f"{site} was told {sent['told']} minutes; it takes {arrives}")
        return Judgement(not why, tuple(why))

    def oracle(self, brief: Brief) -> Controller:
        return Controller(brief)

    def novice(self, brief: Brief) -> Controller:
        return Controller(brief, greedy=True)

    def null(self, brief: Brief) -> Anyone:
        return Anyone(brief)


def _race(stream: Stream, units: list[str], site: str) -> tuple[Fleet, list[Message]]:
    """Level 3: one of the two that seemed to be fastest, the first more often, is held up behind the third."""
    first, second, third, last = units
    held = first if stream.below(3) else second
    start = stream.integer(10, 18)
    times = {first: start, second: start + stream.integer(2, 4)}
    times[third] = times[second] + stream.integer(4, 9)
    times[last] = times[third] + stream.integer(2, 6)
    messages: list[Message] = [
        ("later", times[third] - start + stream.integer(1, 5), held, site),
        ("sooner", stream.integer(2, times[third] - times[second] - 2), third, site),
        ("slow", stream.integer(2, 9), first, site),
        ("detour" if stream.below(2) else "later", stream.integer(2, 9), last, site),
    ]
    ready = {unit: stream.integer(0, 6) for unit in units}
    ready[third] = stream.integer(7, 10)  # there must be something to gain
    fleet = Fleet(ready, {unit: {site: times[unit] - ready[unit]} for unit in units})
    for kind, n, unit, where in messages:
        fleet.hear(kind, n, unit, where)
    return fleet, messages


def _two_calls(
    stream: Stream, units: list[str], sites: list[str]
) -> tuple[Fleet, list[Message], dict[str, int]]:
    """Level 5: two units can be in time at the first call, only one of them at the second as well. In three of four
    instances that one is also the fastest for the first. Arrivals are drawn as they are after all messages."""
    first, second = sites
    fast, fair, far, away = units
    limits = {first: stream.integer(22, 34), second: stream.integer(22, 34)}
    at_first = {
        fast: -stream.integer(6, 10),
        fair: -stream.integer(0, 4),
        far: stream.integer(1, 4),
        away: stream.integer(2, 8),
    }
    contested = stream.below(4) > 0
    able, unable = (fast, fair) if contested else (fair, fast)
    at_second = {
        able: -stream.integer(0, 4),
        unable: stream.integer(1, 5),
        far: stream.integer(3, 9),
        away: stream.integer(1, 5),
    }
    held, sooner = stream.integer(5, 9), stream.integer(2, 5)
    messages: list[Message] = [
        ("later", held, far, first),  # seemed to be in time for the first
        ("detour", stream.integer(5, 9), unable, second),  # seemed to be in time for the second
        ("slow", stream.integer(2, 4), far, stream.choice(sites)),
        ("sooner", sooner, stream.choice((fast, away)), first),
    ]
    ready = {unit: stream.integer(0, 3) for unit in units}
    ready[far] += held
    trips = {
        unit: {
            first: limits[first] + at_first[unit] - ready[unit],
            second: limits[second] + at_second[unit] - ready[unit],
        }
        for unit in units
    }
    return Fleet(ready, trips), messages, limits


class Control(Unfolding):
    """Messages, and who was sent where."""

    def __init__(self, setup: dict[str, Any]) -> None:
        super().__init__(setup["told"])
        self._setup = setup
        self._sent: list[dict[str, Any]] = []

    def look(self) -> dict[str, Any]:
        setup, sent = self._setup, self._sent
        sites, within = setup["sites"], setup["within"]
        calls = [{"call": number, "site": site} for number, site in enumerate(sites, start=1)]
        if within:
            for call in calls:
                call["within"] = within[call["site"]]
        return {
            "units": [
                {
                    "unit": unit,
                    "ready_in": ready,
                    "trips": [{"site": site, "minutes": setup["trips"][unit][site]} for site in sites],
                }
                for unit, ready in setup["ready"].items()
            ],
            "calls": calls,
            "waiting": len(sent) + 1 if len(sent) < len(sites) else None,
            "sent": [dict(one) for one in sent],
            "event": self.event(),
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        if name == "next":
            return self.advance()
        if len(self._sent) >= len(self._setup["sites"]):
            return Effect(error="no call is waiting")
        unit = arguments["unit"]
        if any(one["unit"] == unit for one in self._sent):
            return Effect(error=f"{unit} has been sent to the other call")
        self._sent.append({"call": len(self._sent) + 1, "unit": unit, "told": arguments["minutes"]})
        return DONE

    def snapshot(self) -> dict[str, Any]:
        sites = self._setup["sites"]
        sent = {sites[one["call"] - 1]: {"unit": one["unit"], "told": one["told"]} for one in self._sent}
        return {"sent": dict(sorted(sent.items()))}


class Controller(Follower):
    """Corrects the list by every message, then looks for a choice with which all calls are served in time.

    The ``greedy`` novice sends the fastest to each call in turn.
    """

    def __init__(self, brief: Brief, *, greedy: bool = False) -> None:
        super().__init__(brief)
        self._greedy = greedy

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
        unit = known(slots["a"], self._units) if "a" in slots else ""
        site = known(slots["s"], self._sites) if "s" in slots else ""
        self._fleet.hear(kind, whole(slots["n"]), unit, site)

    def conclude(self, observation: dict[str, Any]) -> Act:
        waiting = observation["waiting"]
        if waiting is None:
            return FINISH
        site = self._sites[waiting - 1]
        if self._greedy:
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
            return FINISH
        at = observation["waiting"] - 1
        unit = observation["units"][at]
        return Act(
            "dispatch", {"unit": unit["unit"], "minutes": unit["ready_in"] + unit["trips"][at]["minutes"]}
        )
