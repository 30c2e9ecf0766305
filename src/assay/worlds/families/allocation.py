"""Allocation: grant requests by a declared priority, and the same way when asked in other words. B.4.4."""

from __future__ import annotations

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
from assay.worlds.wording import reader, table_of

__all__ = ["Allocation"]


class Pool(Struct, frozen=True):
    """What is given out, by whom, and who asks for it."""

    who: str
    pool: str
    groups: tuple[str, ...]
    names: tuple[str, ...]
    notes: tuple[str, ...]


POOLS = table_of("allocation", dict[str, Pool])
HEADS = {
    1: (
        "{who} There is enough for one request only. Grant the one that comes first.",
        "{who} Decide which single request is met, and grant it.",
        "{who} One of the requests can be granted, and no more. Choose by the rules.",
    ),
    4: (
        "{who} Decide which requests are granted, then close the round.",
        "{who} A round of requests has come in, for {pool}. Settle it by the rules and close it.",
        "{who} Grant what can be granted of the {pool} that are left, and close the round when you are done.",
    ),
}
ORDERS = (
    "First come {a}, then {b}, then {c}, and last {d}.",
    "Last of all come {d}; before them {c}, before those {b}, and before everybody else {a}.",
    "The groups rank in this order, the most important first: {a}, {b}, {c}, {d}.",
    "Nobody ranks above {a}. Only they rank above {b}. Below these two stand {c}, and {d} rank below all others.",
)
READERS = tuple(reader(order, r"\w+") for order in ORDERS)
TIES = (
    "Within a group, whoever has waited longer comes first.",
    "Among requests of one group, more days of waiting win.",
    "Where the group is the same, the longer wait decides.",
)
BUDGETS = (
    "Go through the requests in that order: grant each one that what is left covers in full, pass over each one that "
    "it does not cover, and go on to the end.",
    "A request is met in full or not at all. Taking them in that order, give whenever enough is left; when it is not, "
    "skip that request and try the next, until all have been looked at.",
    "Each request in turn gets all it asks for, provided that much is still there; one that asks for too much gets "
    "nothing, and those after it still have their chance.",
)
TAILS = {
    1: "A misspelled group stands for the one it resembles. A grant cannot be taken back.",
    4: "Nothing else counts, neither names nor remarks. A misspelled group stands for the one it resembles. A grant "
    "cannot be taken back.",
}
COUNT = {1: 6, 4: 7}
IDS = [f"R{number}" for number in range(1, 8)]
_WORD, _NUMBER = {"type": "string"}, {"type": "integer"}
_REQUEST = {"id": _WORD, "group": _WORD, "days_waiting": _NUMBER}
_MORE = {"asks_for": _NUMBER, "name": _WORD, "remark": _WORD}


def _observation(request: dict[str, Any], **more: Any) -> dict[str, Any]:
    requests = {"type": "array", "items": obj(request)}
    return obj({"requests": requests, "granted": {"type": "array", "items": _WORD}, **more})


OBSERVATIONS = {
    1: _observation(_REQUEST),
    4: _observation({**_REQUEST, **_MORE}, left=_NUMBER, round=_WORD, closed={"type": "boolean"}),
}
GRANT = Action(
    name="grant",
    about="Grant a request in full. This cannot be taken back.",
    parameters=obj({"request": text("its id", options=IDS)}),
)
CLOSE = Action(
    name="close_round", about="Say that nothing more is granted in this round.", parameters=obj({})
)


class Allocation(FamilyBase):
    name: ClassVar[str] = "allocation"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Grant requests by priority"
    dimension: ClassVar[Dimension] = "D"
    environment: ClassVar[Environment] = "static"
    levels: ClassVar[dict[int, str]] = {
        1: "one request by a stated priority",
        4: "a limited stock by priority, put twice: other words, order and irrelevant fields",
    }
    situations: ClassVar[tuple[str, ...]] = ("drought", "seeds", "airtime", "tents")
    held_out: ClassVar[tuple[str, ...]] = ("laboratory", "harbour")
    chance: ClassVar[dict[int, float]] = {1: 0.17, 4: 0.03}
    verification: ClassVar[str] = "the requests that were granted, read from the state"

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        pool, count = POOLS[situation], COUNT[level]
        ranks = stream.shuffled(pool.groups)
        waits, names = stream.shuffled(range(1, 30)), stream.shuffled(pool.names)
        requests: list[dict[str, Any]] = [
            {"id": IDS[i], "group": stream.choice(ranks), "days_waiting": waits[i]} for i in range(count)
        ]
        order = sorted(
            requests, key=lambda request: (ranks.index(request["group"]), -request["days_waiting"])
        )
        left, granted = (0, [order[0]["id"]]) if level == 1 else _amounts(order, stream)
        heads, orders, rest = (stream.shuffled(range(size)) for size in (3, len(ORDERS), 3))
        parts: list[dict[str, Any]] = []
        for part in range(2 if level == 4 else 1):
            said = [HEADS[level][heads[part]], ORDERS[orders[part]], TIES[rest[part]]]
            said += [BUDGETS[rest[part]], TAILS[4]] if level == 4 else [TAILS[1]]
            gaps = dict(zip("abcd", ranks, strict=True))
            shown = [dict(request) for request in stream.shuffled(requests)]
            if level == 4:
                for place, request in enumerate(shown):
                    request |= {
                        "name": names[(place + part) % len(names)],
                        "remark": stream.choice(pool.notes),
                    }
            parts.append(
                {"goal": " ".join(said).format(who=pool.who, pool=pool.pool, **gaps), "requests": shown}
            )
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=parts[0]["goal"],
            observation=OBSERVATIONS[level],
            actions=(GRANT,) if level == 1 else (GRANT, CLOSE),
            criterion=Criterion(
                "the request that ranks first was granted"
                if level == 1
                else "both rounds granted what the order gives",
                [sorted(granted) for _ in parts],
            ),
            setup={"parts": parts, "left": left},
            needed=1 if level == 1 else 2 * len(granted) + 2,
            most=6 if level == 1 else 4 * len(granted) + 8,
            noisy=("group", "name", "remark"),
        )

    def open(self, task: Task, *, drift: bool) -> Desk:
        return Desk(task)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        expected, found = task.criterion.expected, state["granted"]
        if found == expected:
            return Judgement(True)
        because = []
        for number, (right, has) in enumerate(zip(expected, found, strict=True)):
            place = f"round {number + 1}: " if len(expected) > 1 else ""
            because += [
                f"{place}{request} should have been granted" for request in right if request not in has
            ]
            because += [
                f"{place}{request} should not have been granted" for request in has if request not in right
            ]
        if len(found) == 2 and found[0] != found[1]:
            because.append("the two rounds were decided differently")
        return Judgement(False, tuple(because))

    def oracle(self, brief: Brief) -> Giver:
        return Giver(brief)

    def novice(self, brief: Brief) -> Giver:
        return Giver(brief, hasty=True)

    def null(self, brief: Brief) -> Fixed:
        if brief.level == 1:
            return Fixed(Act("grant", {"request": IDS[0]}))
        return Fixed(*(Act("grant", {"request": request}) for request in IDS[:3]), Act("close_round", {}))


def _amounts(order: list[dict[str, Any]], stream: Stream) -> tuple[int, list[str]]:
    """What each asks for, and a stock of which one is passed over and a later one still gets its share."""
    count = len(order)
    at = stream.integer(1, count - 3)  # the one that is passed over
    for request in order:
        request["asks_for"] = stream.integer(4, 15)
    order[at]["asks_for"] = stream.integer(18, 30)
    later = min(request["asks_for"] for request in order[at + 1 :])
    stock = sum(request["asks_for"] for request in order[:at]) + stream.integer(
        later, order[at]["asks_for"] - 1
    )
    left, granted = stock, []
    for request in order:
        if request["asks_for"] <= left:
            left -= request["asks_for"]
            granted.append(request["id"])
    return stock, granted


class Desk(WorldBase):
    """A round of requests at a time, and what was granted in it."""

    def __init__(self, task: Task) -> None:
        self._parts: list[dict[str, Any]] = task.setup["parts"]
        self._left: list[int] = [task.setup["left"]] * len(self._parts)
        self._single = task.level == 1
        self._granted: list[list[str]] = [[] for _ in self._parts]
        self._now = 0
        self._closed = False

    def look(self) -> dict[str, Any]:
        part, granted = self._parts[self._now], self._granted[self._now]
        seen = {"requests": [dict(request) for request in part["requests"]], "granted": sorted(granted)}
        if self._single:
            return seen
        return {
            **seen,
            "left": self._left[self._now],
            "round": f"{self._now + 1} of {len(self._parts)}",
            "closed": self._closed,
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        if name == "close_round":
            if self._now + 1 < len(self._parts):
                self._now += 1
                return Effect(fresh=self._parts[self._now]["goal"])
            self._closed = True
            return Effect(done=True)
        wanted, granted = arguments["request"], self._granted[self._now]
        request = next((r for r in self._parts[self._now]["requests"] if r["id"] == wanted), None)
        if request is None:
            return Effect(error=f"there is no request {wanted}")
        if wanted in granted:
            return Effect(error=f"{wanted} has been granted already")
        if self._single:
            granted.append(wanted)
            return Effect(done=True)
        if request["asks_for"] > (left := self._left[self._now]):
            return Effect(error=f"{wanted} asks for {request['asks_for']}, and {left} are left")
        self._left[self._now] -= request["asks_for"]
        granted.append(wanted)
        return Effect()

    def snapshot(self) -> dict[str, Any]:
        return {"granted": [sorted(granted) for granted in self._granted]}


class Giver(Steady):
    """Ranks the requests as the goal says and goes down the list. The ``hasty`` one stops where one does not fit."""

    def __init__(self, brief: Brief, *, hasty: bool = False) -> None:
        super().__init__(brief)
        self._hasty = hasty
        found = next(match for pattern in READERS if (match := pattern.search(brief.goal)))
        self._ranks = [found[group] for group in "abcd"]

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        granted = observation["granted"]
        if "left" not in observation:
            return Act("grant", {"request": self._order(observation)[0]["id"]})
        for request in self._order(observation):
            if request["id"] in granted:
                continue
            if request["asks_for"] <= observation["left"]:
                return Act("grant", {"request": request["id"]})
            if self._hasty:
                break
        return Act("close_round", {})

    def _order(self, observation: dict[str, Any]) -> list[dict[str, Any]]:
        def rank(request: dict[str, Any]) -> tuple[int, int]:
            group = nearest(request["group"].split(" ")[0], self._ranks)
            return self._ranks.index(group), -request["days_waiting"]

        return sorted(observation["requests"], key=rank)
