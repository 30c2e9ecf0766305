"""Way out: places are shown on a tour, and the way back, with a scarce supply, is planned from what was seen. 12.6.

From a place only the next ways are seen. The cheapest of them leads to dear ones, and none leads back: the first choice
decides, and only the last step shows whether it was right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import Fixed, Steady, WorldBase, finish
from assay.worlds.events import known
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import numbers, read_first, table, worded
from assay.worlds.tiers import MODEL_FREE, TierBase

__all__ = ["WayOut"]

TABLE = table("way-out")
OUTSIDE = "outside"
WIDE = (
    3,
    2,
    2,
)  # how many ways lead on: from the end of the tour, from the places after it, and from those after them
STEPS = len(WIDE) + 1  # and the last one leads out
ANY, CHEAP, DEAR = (1, 9), (1, 5), (5, 9)  # what a way may take
GAP = 2  # by so much the best way is cheaper than the second best
# Which of the ways that lead on is taken, by what they take: the cheapest (0) neither every time nor never.
PATTERNS = [ranks for ranks in product(*map(range, WIDE)) if any(ranks) and not all(ranks)]
OBSERVATION = obj(
    {
        "place": STRING,
        "ways": array(obj({"to": STRING, "takes": INTEGER}), "the ways that lead on from here"),
        "supply": integer("how much of it is left"),
        "stops_left": integer("how often the guide still leads on"),
    }
)
Ways = Mapping[str, Mapping[str, int]]  # place → where ways lead from it → what they take


@cache
def _actions(situation: str) -> tuple[Action, ...]:
    story = TABLE["situations"][situation]
    places = [*sorted(story["places"]), *sorted(story["exits"]), OUTSIDE]
    return (
        action(
            "go",
            "Take a way that leads on from here. There is no going back.",
            {"to": text("where it leads", options=places)},
        ),
        action("follow", "Let the guide lead you to the next stop."),
    )


def routes(ways: Ways, place: str) -> list[tuple[int, list[str]]]:
    """Every route from a place to outside, with what it takes, the cheapest first. Unknown places lead nowhere."""
    if place == OUTSIDE:
        return [(0, [])]
    found = [
        (takes + rest, [to, *route])
        for to, takes in ways.get(place, {}).items()
        for rest, route in routes(ways, to)
    ]
    return sorted(found)


def _ways(end: str, places: list[str], exits: list[str], stream: Stream) -> tuple[dict[str, Any], int]:
    """Ways, and a supply that is enough for one route: through the first place of each kind.

    Which of the ways that lead on this route takes, the cheapest or a dearer one, is drawn before. Who looks one way
    further than the next takes another route.
    """
    near, far = places[: WIDE[0]], places[WIDE[0] :]
    meant = [near[0], far[0], exits[0], OUTSIDE]
    at_end, at_near, at_far = stream.choice(PATTERNS)
    while True:
        ways = {end: _onward(near, ANY, stream, at_end)}
        ways[near[0]] = _onward(far, ANY, stream, at_near)
        ways[far[0]] = _onward(exits, CHEAP, stream, at_far)
        for place in near[1:]:  # they lead to the wrong place for less than to the right one
            ways[place] = {far[0]: stream.integer(*DEAR), far[1]: stream.integer(*CHEAP)}
        ways |= {place: _onward(exits, DEAR, stream) for place in far[1:]}
        ways |= {place: _onward([OUTSIDE], ANY, stream) for place in exits}
        to_go = {OUTSIDE: 0}  # most draws fail here, before all routes are worked out
        for place in (*exits, *far, *near, end):
            to_go[place] = min(takes + to_go[to] for to, takes in ways[place].items())
        own = sum(ways[at][to] for at, to in zip([end, *meant], meant, strict=False))
        if own > to_go[end] or _one_further(ways, end) == meant:
            continue
        (least, best), (second, _), *_ = routes(ways, end)
        if best == meant and second - least >= GAP:
            shown = {place: dict(stream.shuffled(list(onward.items()))) for place, onward in ways.items()}
            return shown, stream.integer(least, second - 1)


def _one_further(ways: Ways, place: str) -> list[str]:
    """The route of who chooses by the next way and the cheapest after it."""
    route: list[str] = []
    while place != OUTSIDE:
        onward = ways[place]
        place = min(onward, key=lambda to: onward[to] + min(ways.get(to, {to: 0}).values()))
        route.append(place)
    return route


def _onward(
    places: list[str], between: tuple[int, int], stream: Stream, rank: int | None = None
) -> dict[str, int]:
    """What the ways to some places take. With ``rank``, so many of them take less than the first."""
    takes = numbers(stream, len(places), *between)
    if rank is not None:
        takes.insert(0, takes.pop(takes.index(sorted(takes)[rank])))
    return dict(zip(places, takes, strict=True))


class Passages(WorldBase):
    """Where one is, what is left of the supply, and which places the guide showed."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._stop, self._went = -1, list[str]()
        self._supply: int = task.setup["supply"]

    @property
    def _place(self) -> str:
        if self._went:
            return self._went[-1]
        place: str = self.setup["tour"][self._stop] if self._stop >= 0 else self.setup["start"]
        return place

    @property
    def _stops_left(self) -> int:
        return len(self.setup["tour"]) - 1 - self._stop

    def look(self) -> dict[str, Any]:
        onward = self.setup["ways"].get(self._place, {})
        return {
            "place": self._place,
            "ways": [{"to": to, "takes": takes} for to, takes in onward.items()],
            "supply": self._supply,
            "stops_left": self._stops_left,
        }

    def do_follow(self) -> None:
        if not self._stops_left:
            raise Refused("the guide has left")
        self._stop += 1

    def do_go(self, to: str) -> Effect:
        if self._stops_left:
            raise Refused("the guide is still leading you")
        takes = self.setup["ways"].get(self._place, {}).get(to)
        if takes is None:
            raise Refused(f"no way leads from here to {to}")
        if takes > self._supply:
            raise Refused("not enough is left for that way")
        self._supply -= takes
        self._went.append(to)
        return Effect(done=to == OUTSIDE)

    def snapshot(self) -> dict[str, Any]:
        return {"place": self._place, "went": list(self._went), "supply": self._supply}


class Walker(Steady):
    """Keeps the ways of every place it is shown, and takes the route that takes least.

    The novice takes the way that takes least here. So does the solver where it does not know a whole route.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._places: list[str] = brief.actions[0].parameters["properties"]["to"]["enum"]
        found = read_first(TABLE["exits"], brief.goal, r"\w+")
        self._ways: dict[str, dict[str, int]] = {
            found["a"]: {OUTSIDE: int(found["n"])},
            found["b"]: {OUTSIDE: int(found["m"])},
        }

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        ways = {self._name(way["to"]): way["takes"] for way in observation["ways"]}
        if observation["stops_left"]:
            if ways:
                self._ways[self._name(observation["place"])] = ways
            return Act("follow", {})
        affordable = {to: takes for to, takes in ways.items() if takes <= observation["supply"]}
        if not affordable:
            return finish(achieved=False)
        here = "here"  # the end of the tour is not among the places that ways lead to
        best = routes({**self._ways, here: affordable}, here)
        if best and not self.is_novice:
            return Act("go", {"to": best[0][1][0]})
        return Act("go", {"to": min(affordable, key=lambda to: affordable[to])})

    def _name(self, said: str) -> str:
        return known(said.split(" ")[0], self._places)


class WayOut(TierBase, table=TABLE):
    arms: ClassVar[dict[str, str]] = {
        MODEL_FREE: "earlier turns, so the ways of all places but the present one"
    }
    world = Passages
    solver = Walker

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        places, exits = (stream.shuffled(story[kind]) for kind in ("places", "exits"))
        ways, supply = _ways(story["end"], places, exits, stream)
        a, b = stream.shuffled(exits)
        gaps = {"a": a, "n": ways[a][OUTSIDE], "b": b, "m": ways[b][OUTSIDE]}
        tour = [*stream.shuffled(places), story["end"]]
        return self.task(
            level,
            situation,
            goal=" ".join(
                worded(stream, TABLE[slot], story, supply=supply, **gaps)
                for slot in ("heads", "rules", "exits", "tours", "tails")
            ),
            observation=OBSERVATION,
            actions=_actions(situation),
            criterion=TABLE["criterion"].format(steps=STEPS, delay=STEPS - 1),
            expected=OUTSIDE,
            setup={"start": story["start"], "tour": tour, "ways": ways, "supply": supply},
            needed=len(tour) + STEPS,
            noisy=("place", "to"),
            delay=STEPS - 1,
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        if state["place"] != task.criterion.expected:
            yield f"ended at {state['place']}, not {task.criterion.expected}"

    def null(self, brief: Brief) -> Fixed:
        places: list[str] = brief.actions[0].parameters["properties"]["to"]["enum"]
        led = [Act("follow", {})] * (sum(WIDE[:2]) + 1)
        return Fixed(*led, *(Act("go", {"to": place}) for place in places))
