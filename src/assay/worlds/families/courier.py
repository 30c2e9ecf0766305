"""Courier: the way through a map, move by move; around what is closed; in time. B.4.3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from heapq import heappop, heappush
from itertools import islice, pairwise
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, finish, options
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import table

__all__ = ["Courier"]

TABLE = table("courier")
GRID = {2: (3, 3), 3: (3, 4), 5: (4, 4)}
STOPS = {2: 1, 3: 1, 5: 5}
CLOSED_ON = {2: (), 3: (0,), 5: (1, 3)}  # on the way to which stop a road turns out to be closed
WAIT_AT = {2: (), 3: (), 5: (2,)}
LONG = {2: range(1, 99), 3: range(1, 99), 5: range(17, 29)}  # actions of a good tour
PARCELS = [f"P{number}" for number in range(1, STOPS[5] + 1)]
# Level → the lists from each of which a sentence of the goal is drawn.
SAID = {2: ("maps", "labels"), 3: ("maps", "closed", "labels"), 5: ("maps", "closed", "times", "labels")}
ABOARD = "on board"
_PARCEL = obj({"parcel": STRING, "to": STRING, "from": INTEGER, "by": INTEGER, "now": STRING})
OBSERVATION = obj(
    {
        "at": STRING,
        "clock": INTEGER,
        "roads": array(STRING),
        "closed": array(STRING),
        "parcels": array(_PARCEL),
    }
)
LEAVE = action(
    "leave",
    "Leave something at the place where you are. It cannot be taken up again.",
    {"parcel": text("its number", options=PARCELS)},
)
WAIT = action("wait", "Wait where you are.", {"minutes": integer("for how long", 1, 60)})
Graph = dict[str, dict[str, int]]
Window = tuple[int, int]  # from which minute to which a parcel is taken


@cache
def _go(situation: str) -> Action:
    places = sorted(TABLE["situations"][situation]["places"])
    return action(
        "go",
        "Go along the road from where you are to a place next to it.",
        {"to": text("the place", options=places)},
    )


def _map(size: tuple[int, int], names: list[str], stream: Stream) -> tuple[Graph, list[str], list[str]]:
    """Places on a grid, joined to their neighbours; the roads as they are listed; the places from corner to corner."""
    rows, columns = size
    places = names[: rows * columns]
    graph: Graph = {place: {} for place in places}
    roads = []
    for place, name in enumerate(places):
        neighbours = [place + 1] if (place + 1) % columns else []
        neighbours += [place + columns] if place + columns < len(places) else []
        for other in neighbours:
            minutes = stream.integer(3, 30)
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
    """A good tour in the order of the stops: the roads it finds closed; when it leaves each parcel, and how long it
    waits before; its actions.

    No actions: it depends on which of several quickest ways is taken, or too few roads could be closed.
    """
    at, clock, actions = start, 0, 0
    closed: set[str] = set()
    used: set[str] = set()
    plans: list[tuple[str, str, set[str], str]] = []
    left: list[tuple[int, int]] = []
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
        left.append((clock, pause))
    fair = len(closed) == len(CLOSED_ON[level]) and _fair(graph, plans, closed)
    return sorted(closed), left, actions if fair else 0


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


def _windows(left: list[tuple[int, int]], stream: Stream) -> list[Window]:
    """From when to when parcels are taken, so that a good tour is in time and a poor one is not. One stop closes after
    the next one, and one opens before the one before: the order of the hours is not the order of the tour."""
    opens = [clock if pause else max(0, clock - stream.integer(4, 12)) for clock, pause in left]
    closes = [clock + stream.integer(1, 3) for clock, _ in left]
    late = stream.below(len(left) - 1)
    closes[late] = closes[late + 1] + stream.integer(1, 15)
    early = stream.choice([at for at, (_, pause) in enumerate(left) if at and not pause])
    opens[early] = max(0, opens[early - 1] - stream.integer(1, 15))
    return list(zip(opens, closes, strict=True))


def _in_time(apart: Graph, at: str, clock: int, windows: dict[str, Window]) -> Iterator[list[str]]:
    """Every order of the stops in which each is reached in time. ``apart``: minutes by the quickest way."""
    if not windows:
        yield []
    arrivals = {stop: max(low, clock + apart[at][stop]) for stop, (low, _) in windows.items()}
    if all(clock <= windows[stop][1] for stop, clock in arrivals.items()):
        for stop, arrival in arrivals.items():
            rest = {other: window for other, window in windows.items() if other != stop}
            yield from ([stop, *order] for order in _in_time(apart, stop, arrival, rest))


def _apart(graph: Graph, start: str, stops: Sequence[str], closed: set[str]) -> Graph:
    return {
        one: {other: _minutes(graph, _route(graph, one, other, closed)) for other in stops}
        for one in (start, *stops)
    }


# What somebody might go by instead of trying the orders, one stop at a time: how much time there is to spare, when it
# can be served, when it closes, when it opens, how near it is.
RULES: tuple[Callable[[Window, int, int], int], ...] = (
    lambda window, clock, minutes: window[1] - clock - minutes,
    lambda window, clock, minutes: max(window[0], clock + minutes),
    lambda window, clock, minutes: window[1],
    lambda window, clock, minutes: window[0],
    lambda window, clock, minutes: minutes,
)


def _needs_a_plan(graph: Graph, start: str, tour: dict[str, Window]) -> bool:
    """Whether the tour is the only order in time as far as the map tells, and no rule leads to it, with or without
    serving what is on the way."""
    apart = _apart(graph, start, [*tour], set())
    for rule in RULES:
        for passing in (True, False):
            if _ruled(graph, apart, start, tour, rule, passing=passing) == [*tour]:
                return False
    return list(islice(_in_time(apart, start, 0, tour), 2)) == [[*tour]]


def _ruled(
    graph: Graph,
    apart: Graph,
    at: str,
    tour: dict[str, Window],
    rule: Callable[[Window, int, int], int],
    *,
    passing: bool,
) -> list[str]:
    """The order of the stops for who goes by a rule."""
    clock, order = 0, list[str]()
    while len(order) < len(tour):
        left = [stop for stop in tour if stop not in order]
        goal = min(left, key=lambda stop: rule(tour[stop], clock, apart[at][stop]))
        for before, place in pairwise(_route(graph, at, goal, set())):
            clock += graph[before][place]
            if passing and place in left and place != goal and tour[place][0] <= clock:
                order.append(place)
        at, clock = goal, max(clock, tour[goal][0])
        order.append(goal)
    return order


def _by_chance(graph: Graph, start: str, goal: str, closed: Sequence[str], by: int) -> bool:
    """Whether one is in time without planning anew: who takes the shortest road at each place, or the fewest moves, or
    the map's quickest way and the shortest road where that is closed."""
    flat = {place: dict.fromkeys(sorted(roads), 1) for place, roads in sorted(graph.items())}
    for plan in ({}, flat, graph) if closed else ({}, flat):
        at, clock, visited = start, 0, [start]
        while at != goal and clock <= by:
            roads = {place: n for place, n in graph[at].items() if _road(at, place) not in closed}
            to = _route(plan, at, goal, set(closed) if plan is flat else set())[1] if plan else goal
            at = to if to in roads else min(roads, key=lambda place: (visited.count(place), roads[place]))
            clock += graph[visited[-1]][at]
            visited.append(at)
        if clock <= by:
            return True
    return False


class Streets(WorldBase):
    """Where the courier is, what the clock shows, and what was left where."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._parcels: dict[str, dict[str, Any]] = {one["parcel"]: one for one in task.criterion.expected}
        self._graph = _read(task.setup["roads"])
        self._known: list[str] = []
        self._at: str = task.setup["start"]
        self._clock = 0
        self._left: dict[str, dict[str, Any]] = {}

    def look(self) -> dict[str, Any]:
        left = {name: f"left at {where['at']}" for name, where in self._left.items()}
        return {
            "at": self._at,
            "clock": self._clock,
            "roads": list(self.setup["roads"]),
            "closed": list(self._known),
            "parcels": [{**parcel, "now": left.get(name, ABOARD)} for name, parcel in self._parcels.items()],
        }

    def do_go(self, to: str) -> None:
        roads = self._graph[self._at]
        if to not in roads:
            there = ", ".join(sorted(roads))
            raise Refused(f"no road leads from {self._at} to {to}; there are roads to {there}")
        road = _road(self._at, to)
        if road in self.setup["closed"]:
            if road not in self._known:
                self._known.append(road)
            raise Refused(f"the road {road} is closed")
        self._clock += roads[to]
        self._at = to

    def do_wait(self, minutes: int) -> None:
        self._clock += minutes

    def do_leave(self, parcel: str) -> Effect:
        label = self._parcels.get(parcel)
        if label is None or parcel in self._left:
            raise Refused(f"{parcel} is not on board")
        if self._at == label["to"] and self._clock < label["from"]:
            raise Refused(f"nobody opens before minute {label['from']}")
        self._left[parcel] = {"at": self._at, "minute": self._clock}
        return Effect(done=len(self._left) == len(self._parcels))

    def snapshot(self) -> dict[str, Any]:
        left = {name: dict(where) for name, where in sorted(self._left.items())}
        return {"at": self._at, "clock": self._clock, "left": left}


def _read(roads: list[str]) -> Graph:
    """The list of roads as a map."""
    graph: Graph = {}
    for road in roads:
        ends, minutes = road.removesuffix(" min").split(": ")
        one, other = ends.split("-")
        graph.setdefault(one, {})[other] = graph.setdefault(other, {})[one] = int(minutes)
    return graph


class Rider(Steady):
    """Looks for an order in which all is in time, goes the quickest way around what is known to be closed, and waits
    when early.

    The novice takes the parcels as they are listed, and gives up where a road is closed.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._graph: Graph = {}
        self._labels: dict[str, str] = {}
        self._order: list[str] = []
        self._way: list[str] = []
        self._closed = 0

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if not self._graph:
            self._graph = _read(observation["roads"])
            places = sorted(self._graph)
            for parcel in observation["parcels"]:
                self._labels[parcel["parcel"]] = nearest(parcel["to"].split(" ")[0], places)
            self._order = self._plan(observation)
        aboard = [parcel for parcel in observation["parcels"] if parcel["now"] == ABOARD]
        if not aboard or (self.is_novice and seen.error):
            return finish(not aboard)
        if not self.is_novice:
            aboard.sort(key=lambda parcel: self._order.index(self._labels[parcel["parcel"]]))
        parcel = aboard[0]
        at, stop = observation["at"], self._labels[parcel["parcel"]]
        if at == stop:
            early = parcel["from"] - observation["clock"]
            if early > 0:
                return Act("wait", {"minutes": min(60, early)})
            return Act("leave", {"parcel": parcel["parcel"]})
        return Act("go", {"to": self._next(at, stop, observation["closed"])})

    def _plan(self, observation: dict[str, Any]) -> list[str]:
        """The order in which all is in time as far as the map tells; if there is none, by the hours."""
        due = sorted(observation["parcels"], key=lambda parcel: int(parcel["by"]))
        windows = {self._labels[parcel["parcel"]]: (parcel["from"], parcel["by"]) for parcel in due}
        apart = _apart(self._graph, observation["at"], [*windows], set(observation["closed"]))
        return next(_in_time(apart, observation["at"], observation["clock"], windows), [*windows])

    def _next(self, at: str, stop: str, closed: list[str]) -> str:
        if at not in self._way or self._way[-1] != stop or len(closed) != self._closed:
            self._way, self._closed = _route(self._graph, at, stop, set(closed)), len(closed)
        return self._way[self._way.index(at) + 1]


class Courier(FamilyBase, table=TABLE):
    world = Streets
    solver = Rider

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        tour = TABLE["situations"][situation]
        names = stream.shuffled(tour["places"])
        while True:
            graph, roads, places = _map(GRID[level], names, stream)
            start = places[0]
            stops = [places[-1]] if level < 5 else stream.shuffled(places[1:])[: STOPS[5]]
            closed, left, needed = _simulate(graph, start, stops, level, stream)
            if needed not in LONG[level]:
                continue
            if level == 5:
                windows = _windows(left, stream)
                if _needs_a_plan(graph, start, dict(zip(stops, windows, strict=True))):
                    break
            elif not _by_chance(graph, start, stops[0], closed, left[0][0]):
                windows = [(0, left[0][0])]
                break
        numbers = stream.shuffled(PARCELS[: len(stops)])
        parcels: list[dict[str, Any]] = [
            {"parcel": number, "to": stop, "from": low, "by": high}
            for number, stop, (low, high) in zip(numbers, stops, windows, strict=True)
        ]
        said = [stream.choice(TABLE["heads"][level]), *(stream.choice(TABLE[key]) for key in SAID[level])]
        go = _go(situation)
        return self.task(
            level,
            situation,
            goal=" ".join(said).format(**tour),
            observation=OBSERVATION,
            actions=(go, LEAVE, WAIT) if level == 5 else (go, LEAVE),
            criterion=f"each {tour['thing']} was left at its place between its minutes",
            expected=sorted(parcels, key=lambda parcel: str(parcel["parcel"])),
            setup={"start": start, "roads": roads, "closed": closed},
            needed=needed,
            most=needed + 4 if level == 5 else None,
            noisy=("to",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        for parcel in task.criterion.expected:
            name, left = parcel["parcel"], state["left"].get(parcel["parcel"])
            if left is None:
                yield f"{name} was not delivered"
            elif left["at"] != parcel["to"]:
                yield f"{name} was left at {left['at']}, not {parcel['to']}"
            elif not parcel["from"] <= left["minute"] <= parcel["by"]:
                yield f"{name} was left at minute {left['minute']}, not {parcel['from']} to {parcel['by']}"

    def null(self, brief: Brief) -> Fixed:
        gone = [Act("go", {"to": place}) for place in options(brief, "to")[:4]]
        return Fixed(*gone, *(Act("leave", {"parcel": parcel}) for parcel in PARCELS[: STOPS[brief.level]]))
