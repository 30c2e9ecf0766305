"""Courier: the way through a map, move by move; around what is closed; in time. B.4.3."""

from __future__ import annotations

from functools import cache
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, ClassVar

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, nearest
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

__all__ = ["Courier"]


class Round(Struct, frozen=True):
    """Who carries what, and the places there are."""

    who: str
    thing: str
    places: tuple[str, ...]


ROUNDS = table_of("courier", dict[str, Round])
GRID = {2: (3, 3), 3: (3, 4), 5: (4, 4)}
STOPS = {2: 1, 3: 1, 5: 5}
CLOSED_ON = {2: (), 3: (0,), 5: (1, 3)}  # on the way to which stop a road turns out to be closed
WAIT_AT = {2: (), 3: (), 5: (2,)}
LONG = {2: range(1, 99), 3: range(1, 99), 5: range(17, 29)}  # actions of a good tour
PARCELS = [f"P{number}" for number in range(1, STOPS[5] + 1)]
# What is asked; one of each list, the second and third where the level has closed roads and opening times.
HEADS = {
    1: (
        "{who} Bring the {thing} to the place on its label, not later than the minute it says, and leave it there.",
        "{who} There is one {thing} on board. It has to be left at the place it is marked for, by the minute given.",
        "{who} Find a way that brings the {thing} to the place on its label by the minute given, and leave it there.",
    ),
    2: (
        "{who} Bring each {thing} to the place on its label and leave it there, in time.",
        "{who} You have more than one {thing} on board. Each has to be left at the place it is marked for, in time.",
        "{who} Plan the round so that each {thing} is left at its own place between the minutes it gives.",
    ),
}
MAPS = (
    "You go from place to place along the roads; each takes the minutes given, in either direction. The clock starts "
    "at 0; deciding takes no time.",
    "The list of roads says which places are joined and how many minutes it takes, both ways alike. The clock shows "
    "the minutes since the start; deciding takes none.",
    "Only places joined by a road in the list can be reached in one move, and the road's minutes pass on the clock, "
    "which begins at 0.",
)
CLOSED = (
    "Some roads may be closed. That turns out only when you try; trying takes no time.",
    "A road may be shut without notice: you learn it when you want to use it, stay where you are, and lose no time.",
    "Be ready to change the plan: a closed road is found closed only by trying it, at no cost in time.",
)
TIMES = (
    "Nobody opens before the minute given as 'from', and after the minute given as 'by' it is too late; both minutes "
    "themselves are fine. If you are early, wait.",
    "Each may be left between its minutes 'from' and 'by', both included. You may wait until a door opens.",
    "A door opens at the minute 'from' and shuts after the minute 'by'. Whoever comes early has to wait.",
)
LABELS = (
    "A label may be hard to read; the list of roads spells every place right. What has been left stays there."
)
_WORD, _MINUTES = {"type": "string"}, {"type": "integer"}
_LIST = {"type": "array", "items": _WORD}
OBSERVATION = obj(
    {
        "at": _WORD,
        "clock": _MINUTES,
        "roads": _LIST,
        "closed": _LIST,
        "parcels": {
            "type": "array",
            "items": obj({"parcel": _WORD, "to": _WORD, "from": _MINUTES, "by": _MINUTES, "now": _WORD}),
        },
    }
)
ABOARD = "on board"
LEAVE = Action(
    name="leave",
    about="Leave something at the place where you are. It cannot be taken up again.",
    parameters=obj({"parcel": text("its number", options=PARCELS)}),
)
WAIT = Action(
    name="wait",
    about="Wait where you are.",
    parameters=obj(
        {"minutes": {"type": "integer", "minimum": 1, "maximum": 60, "description": "for how long"}}
    ),
)
Graph = dict[str, dict[str, int]]


@cache
def _go(situation: str) -> Action:
    return Action(
        name="go",
        about="Go along the road from where you are to a place next to it.",
        parameters=obj({"to": text("the place", options=sorted(ROUNDS[situation].places))}),
    )


class Courier(FamilyBase):
    name: ClassVar[str] = "courier"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Deliver along roads, in time"
    dimension: ClassVar[Dimension] = "D"
    environment: ClassVar[Environment] = "static"
    levels: ClassVar[dict[int, str]] = {
        2: "the quickest way on a small map, move by move",
        3: "a road turns out to be closed: another way, still in time",
        5: "five deliveries with opening times, closed roads and few spare moves",
    }
    situations: ClassVar[tuple[str, ...]] = ("town", "valley", "hospital", "vineyard")
    held_out: ClassVar[tuple[str, ...]] = ("mine", "festival")
    chance: ClassVar[dict[int, float]] = {2: 0.02, 3: 0.02, 5: 0.01}
    verification: ClassVar[str] = "where and when each parcel was left, read from the state"

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        tour = ROUNDS[situation]
        names = stream.shuffled(tour.places)
        while True:
            graph, roads, places = _map(GRID[level], names, stream)
            start = places[0]
            stops = [places[-1]] if level < 5 else stream.shuffled(places[1:])[: STOPS[5]]
            closed, windows, needed = _simulate(graph, start, stops, level, stream)
            if needed in LONG[level]:
                break
        numbers = stream.shuffled(PARCELS[: len(stops)])
        parcels: list[dict[str, Any]] = [
            {"parcel": number, "to": stop, "from": low, "by": high}
            for number, stop, (low, high) in zip(numbers, stops, windows, strict=True)
        ]
        parcels.sort(key=lambda parcel: str(parcel["parcel"]))
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=_goal(tour, level, stream),
            observation=OBSERVATION,
            actions=(_go(situation), LEAVE, WAIT) if level == 5 else (_go(situation), LEAVE),
            criterion=Criterion(f"each {tour.thing} was left at its place between its minutes", parcels),
            setup={"start": start, "roads": roads, "closed": closed},
            needed=needed,
            most=needed + 4 if level == 5 else 2 * needed + 4,
            noisy=("to",),
        )

    def open(self, task: Task, *, drift: bool) -> Streets:
        return Streets(task)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        because = []
        for parcel in task.criterion.expected:
            name, left = parcel["parcel"], state["left"].get(parcel["parcel"])
            if left is None:
                because.append(f"{name} was not delivered")
            elif left["at"] != parcel["to"]:
                because.append(f"{name} was left at {left['at']}, not {parcel['to']}")
            elif not parcel["from"] <= left["minute"] <= parcel["by"]:
                because.append(
                    f"{name} was left at minute {left['minute']}, not {parcel['from']} to {parcel['by']}"
                )
        return Judgement(not because, tuple(because))

    def oracle(self, brief: Brief) -> Rider:
        return Rider(brief)

    def novice(self, brief: Brief) -> Rider:
        return Rider(brief, stubborn=True)

    def null(self, brief: Brief) -> Fixed:
        places = brief.actions[0].parameters["properties"]["to"]["enum"]
        gone = [Act("go", {"to": place}) for place in places[:4]]
        return Fixed(*gone, *(Act("leave", {"parcel": parcel}) for parcel in PARCELS[: STOPS[brief.level]]))


def _goal(tour: Round, level: int, stream: Stream) -> str:
    said = [stream.choice(HEADS[2 if level == 5 else 1]), stream.choice(MAPS)]
    if level > 2:
        said.append(stream.choice(CLOSED))
    if level == 5:
        said.append(stream.choice(TIMES))
    return " ".join([*said, LABELS]).format(who=tour.who, thing=tour.thing)


def _map(size: tuple[int, int], names: list[str], stream: Stream) -> tuple[Graph, list[str], list[str]]:
    """Places on a grid, joined to their neighbours; the roads as they are told; the places from corner to corner."""
    rows, columns = size
    places = names[: rows * columns]
    graph: Graph = {place: {} for place in places}
    roads = []
    for place, name in enumerate(places):
        neighbours = [place + 1] if (place + 1) % columns else []
        neighbours += [place + columns] if place + columns < len(places) else []
        for other in neighbours:
            minutes = stream.integer(3, 17)
            graph[name][places[other]] = graph[places[other]][name] = minutes
            roads.append(f"{_road(name, places[other])}: {minutes} min")
    return graph, stream.shuffled(roads), places


def _road(one: str, other: str) -> str:
    return f"{one}-{other}" if one < other else f"{other}-{one}"


def _route(graph: Graph, start: str, goal: str, closed: set[str]) -> list[str]:
    """The quickest way, both ends included; nothing if there is none."""
    best, came = {start: 0}, {start: ""}
    queue = [(0, start)]
    while queue:
        spent, place = heappop(queue)
        if place == goal:
            way = [goal]
            while came[way[-1]]:
                way.append(came[way[-1]])
            return way[::-1]
        if spent > best[place]:
            continue
        for other, minutes in graph[place].items():
            arrival = spent + minutes
            if arrival < best.get(other, 1 << 30) and not (closed and _road(place, other) in closed):
                best[other], came[other] = arrival, place
                heappush(queue, (arrival, other))
    return []


def _simulate(
    graph: Graph, start: str, stops: list[str], level: int, stream: Stream
) -> tuple[list[str], list[tuple[int, int]], int]:
    """A good tour in the order of the stops: the roads it finds closed, the minutes that admit it, its actions.

    No actions: it depends on which of several quickest ways is taken, or too few roads could be closed.
    """
    at, clock, actions = start, 0, 0
    closed: set[str] = set()
    used: set[str] = set()
    plans: list[tuple[str, str, set[str], str]] = []
    windows: list[tuple[int, int]] = []
    for leg, stop in enumerate(stops):
        way = _route(graph, at, stop, closed)
        shut = _shut(graph, way, stop, closed, used, stream) if leg in CLOSED_ON[level] else ""
        plans.append((at, stop, set(closed), shut))
        while at != stop:
            after = way[way.index(at) + 1]
            road = _road(at, after)
            actions += 1
            if road == shut:
                closed.add(road)
                shut = ""
                way = _route(graph, at, stop, closed)
                plans.append((at, stop, set(closed), ""))
                continue
            used.add(road)
            clock += graph[at][after]
            at = after
        actions += 1
        pause = stream.integer(3, 15) if leg in WAIT_AT[level] else 0
        actions += pause > 0
        clock += pause
        windows.append(_window(clock, pause, windows, level, stream))
    fair = len(closed) == len(CLOSED_ON[level]) and _fair(graph, plans, closed)
    return sorted(closed), windows, actions if fair else 0


def _fair(graph: Graph, plans: list[tuple[str, str, set[str], str]], closed: set[str]) -> bool:
    """Whether no other way that is just as quick leads to a closed road before its time."""
    tempting = {
        one: {other: 2 * minutes - (_road(one, other) in closed) for other, minutes in roads.items()}
        for one, roads in graph.items()
    }
    for at, stop, known, shut in plans:
        if len(known) < len(closed):
            way = _route(tempting, at, stop, known)
            if any(_road(*ends) in closed and _road(*ends) != shut for ends in pairwise(way)):
                return False
    return True


def _shut(graph: Graph, way: list[str], stop: str, closed: set[str], used: set[str], stream: Stream) -> str:
    """A road that every quickest way takes, and that was not used before, if there is one."""
    quickest = _minutes(graph, way)
    for one, other in stream.shuffled(list(pairwise(way))):
        road = _road(one, other)
        if road in used:
            continue
        around = _route(graph, way[0], stop, closed | {road})
        if around and _minutes(graph, around) > quickest:
            return road
    return ""


def _minutes(graph: Graph, way: list[str]) -> int:
    return sum(graph[one][other] for one, other in pairwise(way))


def _window(
    clock: int, pause: int, before: list[tuple[int, int]], level: int, stream: Stream
) -> tuple[int, int]:
    """From when to when a delivery is taken, so that a good tour is in time and a poor one is not."""
    if level == 2:
        return 0, clock
    if level == 3:
        return 0, clock + clock // 8
    latest = clock + stream.integer(5, 10)
    return clock if pause else max(0, clock - stream.integer(4, 12)), max(
        latest, before[-1][1] + 1
    ) if before else latest


class Streets(WorldBase):
    """Where the courier is, what the clock shows, and what was left where."""

    def __init__(self, task: Task) -> None:
        self._parcels: list[dict[str, Any]] = task.criterion.expected
        self._roads: list[str] = task.setup["roads"]
        self._graph = _read(self._roads)
        self._closed = frozenset(task.setup["closed"])
        self._known: list[str] = []
        self._at: str = task.setup["start"]
        self._clock = 0
        self._left: dict[str, dict[str, Any]] = {}

    def look(self) -> dict[str, Any]:
        left = self._left
        return {
            "at": self._at,
            "clock": self._clock,
            "roads": list(self._roads),
            "closed": list(self._known),
            "parcels": [
                {
                    **parcel,
                    "now": f"left at {left[name]['at']}" if (name := parcel["parcel"]) in left else ABOARD,
                }
                for parcel in self._parcels
            ],
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        if name == "go":
            return self._go(arguments["to"])
        if name == "wait":
            self._clock += arguments["minutes"]
            return Effect()
        return self._leave(arguments["parcel"])

    def _go(self, to: str) -> Effect:
        roads = self._graph[self._at]
        if to not in roads:
            return Effect(
                error=f"no road leads from {self._at} to {to}; there are roads to {', '.join(sorted(roads))}"
            )
        road = _road(self._at, to)
        if road in self._closed:
            if road not in self._known:
                self._known.append(road)
            return Effect(error=f"the road {road} is closed")
        self._clock += roads[to]
        self._at = to
        return Effect()

    def _leave(self, number: str) -> Effect:
        parcel = next((p for p in self._parcels if p["parcel"] == number), None)
        if parcel is None or number in self._left:
            return Effect(error=f"{number} is not on board")
        if self._at == parcel["to"] and self._clock < parcel["from"]:
            return Effect(error=f"nobody opens before minute {parcel['from']}")
        self._left[number] = {"at": self._at, "minute": self._clock}
        return Effect(done=len(self._left) == len(self._parcels))

    def snapshot(self) -> dict[str, Any]:
        return {
            "at": self._at,
            "clock": self._clock,
            "left": {k: dict(v) for k, v in sorted(self._left.items())},
        }


def _read(roads: list[str]) -> Graph:
    """The list of roads as a map."""
    graph: Graph = {}
    for road in roads:
        ends, minutes = road.removesuffix(" min").split(": ")
        one, other = ends.split("-")
        graph.setdefault(one, {})[other] = graph.setdefault(other, {})[one] = int(minutes)
    return graph


class Rider(Steady):
    """Goes the quickest way to whatever is due first, around what is known to be closed, and waits when early.

    The ``stubborn`` one takes the parcels as they are listed, and gives up where a road is closed.
    """

    def __init__(self, brief: Brief, *, stubborn: bool = False) -> None:
        super().__init__(brief)
        self._stubborn = stubborn
        self._graph: Graph = {}
        self._labels: dict[str, str] = {}
        self._way: list[str] = []
        self._closed = 0

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if not self._graph:
            self._graph = _read(observation["roads"])
            places = sorted(self._graph)
            for parcel in observation["parcels"]:
                self._labels[parcel["parcel"]] = nearest(parcel["to"].split(" ")[0], places)
        aboard = [parcel for parcel in observation["parcels"] if parcel["now"] == ABOARD]
        if not aboard or (self._stubborn and seen.error):
            return Act("finish", {"achieved": not aboard})
        parcel = aboard[0] if self._stubborn else min(aboard, key=lambda parcel: int(parcel["by"]))
        at, stop = observation["at"], self._labels[parcel["parcel"]]
        if at == stop:
            early = parcel["from"] - observation["clock"]
            return (
                Act("wait", {"minutes": min(60, early)})
                if early > 0
                else Act("leave", {"parcel": parcel["parcel"]})
            )
        return Act("go", {"to": self._next(at, stop, observation["closed"])})

    def _next(self, at: str, stop: str, closed: list[str]) -> str:
        if at not in self._way or self._way[-1] != stop or len(closed) != self._closed:
            self._way, self._closed = _route(self._graph, at, stop, set(closed)), len(closed)
        return self._way[self._way.index(at) + 1]
