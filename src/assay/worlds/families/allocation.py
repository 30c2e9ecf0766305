"""Allocation: grant requests by a declared priority, and decide the same way when asked in other words. B.4.4.

Level 4 asks what the text asks: the same decision both times, and one that advances the goal (10.6.1). Stopping early
is no failure; granting out of turn is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, options
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Brief, Effect, Refused, Seen, Task
from assay.worlds.rounds import Rounds
from assay.worlds.schema import INTEGER, STRING, action, array, obj, text
from assay.worlds.standing import read_standing, standing_rule
from assay.worlds.templates import read_first, table, worded

__all__ = ["Allocation"]

TABLE = table("allocation")
COUNT = {1: 12, 4: 8}  # as many of each group: how often a group asks says nothing
IDS = {level: [f"R{number}" for number in range(1, count + 1)] for level, count in COUNT.items()}
_REQUEST = {"id": STRING, "group": STRING, "days_waiting": INTEGER}
_MORE = {"asks_for": INTEGER, "name": STRING, "remark": STRING}
OBSERVATIONS = {
    1: obj({"requests": array(obj(_REQUEST)), "granted": array(STRING)}),
    4: obj(
        {
            "requests": array(obj(_REQUEST | _MORE)),
            "granted": array(STRING),
            "left": INTEGER,
        }
    ),
}
GRANT = {
    level: action(
        "grant",
        "Grant a request in full. This cannot be taken back.",
        {"request": text("its id", options=ids)},
    )
    for level, ids in IDS.items()
}
CLOSE = action("close_round", "Say that nothing more is granted in this round.")


def _amounts(order: list[dict[str, Any]], stream: Stream) -> tuple[int, list[str]]:
    """What each asks for, and a stock of which one is passed over and a later one still gets its share.

    The one passed over is the second of its group. Had it come before the first, there would have been enough for it:
    whoever takes a group's requests as they are listed decides otherwise when the order is another. In every other
    instance the whole first group asks for more than there is: who looks at that group only has nobody to grant to.
    """
    start = 2 * stream.below(2)
    at = start + 2 * stream.integer(1, (len(order) - start) // 2 - 1) - 1
    for request in order:
        request["asks_for"] = stream.integer(4, 15)
    large = order[at]["asks_for"] = stream.integer(18, 30)
    later = min(request["asks_for"] for request in order[at + 1 :])
    rest = stream.integer(max(later, large - order[at - 1]["asks_for"]), large - 1)
    stock = sum(request["asks_for"] for request in order[start:at]) + rest
    for request in order[:start]:
        request["asks_for"] = stock + stream.integer(1, 12)
    return stock, _granted(order, stock)


def _granted(order: list[dict[str, Any]], stock: int) -> list[str]:
    """What is granted when requests are taken in this order."""
    granted = []
    for request in order:
        if request["asks_for"] <= stock:
            stock -= request["asks_for"]
            granted.append(request["id"])
    return granted


def _out_of_turn(has: Sequence[str], order: list[str]) -> list[str]:
    return sorted(set(has) - set(order[: len(has)]))


def _needs_groups(order: list[dict[str, Any]], stock: int, granted: list[str]) -> bool:
    """Whether the longest wait of all and the smallest amount, without a look at groups, both lead elsewhere."""
    by_wait = _granted(sorted(order, key=lambda one: -one["days_waiting"]), stock)
    by_size = _granted(sorted(order, key=lambda one: one["asks_for"]), stock)
    return all(_out_of_turn(has, granted) for has in (by_wait, by_wait[:1], by_size))


def _order(ranks: Sequence[str], stream: Stream) -> str:
    """The order of the groups in words: each two neighbours, and three pairs turned round that do not count.

    Two of these put another before the first.
    """
    holds = list(pairwise(ranks))
    turned = stream.shuffled([(y, x) for x, y in combinations(ranks[1:], 2)])[:1]
    turned += [(x, ranks[0]) for x in stream.shuffled(ranks[1:])[:2]]
    said = []
    for x, y in (*holds, *turned):
        clause = worded(stream, TABLE["clauses"], {}, x=x, y=y)
        said.append(standing_rule(stream, clause, holds=(x, y) in holds))
    return " ".join(stream.shuffled(said))


def understood(goal: str) -> list[str]:
    """The groups in the order that the goal states."""
    after: dict[str, str] = {}
    for subject, holds in read_standing(goal):
        if holds:
            said = read_first(TABLE["clauses"], subject, r"\w+")
            after[said["x"]] = said["y"]
    order = [next(x for x in after if x not in after.values())]
    while order[-1] in after:
        order.append(after[order[-1]])
    return order


def _wordings(slot: str, level: int) -> list[str]:
    found: list[str] | dict[int, list[str]] = TABLE[slot]
    return found if isinstance(found, list) else found[level]


class RequestRounds(Rounds):
    """A round of requests at a time, and what was granted in it."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._left: list[int] = [task.setup["left"] for _ in self.parts]
        self._granted: list[list[str]] = [[] for _ in self.parts]

    def look(self) -> dict[str, Any]:
        requests = [dict(request) for request in self.parts[self.now]["requests"]]
        seen = {"requests": requests, "granted": sorted(self._granted[self.now])}
        if self.level == 1:
            return seen
        return {**seen, "left": self._left[self.now]}

    def do_close_round(self) -> Effect:
        return self.end_round()

    def do_grant(self, request: str) -> Effect:
        granted, left = self._granted[self.now], self._left[self.now]
        wanted = next((one for one in self.parts[self.now]["requests"] if one["id"] == request), None)
        if wanted is None:
            raise Refused(f"there is no request {request}")
        if request in granted:
            raise Refused(f"{request} has been granted already")
        asks_for = wanted.get("asks_for", 0)
        if asks_for > left:
            raise Refused(f"{request} asks for {asks_for}, and {left} are left")
        self._left[self.now] -= asks_for
        granted.append(request)
        return self.end_round() if self.level == 1 else Effect()

    def snapshot(self) -> dict[str, Any]:
        return {"granted": [sorted(granted) for granted in self._granted]}


class Giver(Steady):
    """Ranks the requests as the goal says and goes down the list.

    The novice takes a group's requests as they are listed.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._ranks = understood(brief.goal)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        order = sorted(observation["requests"], key=self._rank)
        if "left" not in observation:
            return Act("grant", {"request": order[0]["id"]})
        for request in order:
            if request["id"] in observation["granted"]:
                continue
            if request["asks_for"] <= observation["left"]:
                return Act("grant", {"request": request["id"]})
        return Act("close_round", {})

    def _rank(self, request: dict[str, Any]) -> tuple[int, int]:
        group = nearest(request["group"].split(" ")[0], self._ranks)
        return self._ranks.index(group), 0 if self.is_novice else -request["days_waiting"]


class Allocation(FamilyBase, table=TABLE):
    world = RequestRounds
    solver = Giver

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        pool, count = TABLE["situations"][situation], COUNT[level]
        ranks = stream.shuffled(pool["groups"])
        waits, names = stream.shuffled(range(1, 30)), stream.shuffled(pool["names"])
        while True:
            requests: list[dict[str, Any]] = [
                {"id": id_, "group": group, "days_waiting": wait}
                for id_, group, wait in zip(
                    IDS[level], stream.shuffled(ranks * (count // 4)), waits, strict=False
                )
            ]
            order = sorted(requests, key=lambda one: (ranks.index(one["group"]), -one["days_waiting"]))
            left, granted = (0, [order[0]["id"]]) if level == 1 else _amounts(order, stream)
            if level == 1 or _needs_groups(order, left, granted):
                break
        slots = ("heads", "ties", "tails") if level == 1 else ("heads", "ties", "budgets", "tails")
        said = [stream.shuffled(_wordings(slot, level)) for slot in slots]
        parts: list[dict[str, Any]] = []
        for part in range(2 if level == 4 else 1):
            shown = [dict(request) for request in stream.shuffled(requests)]
            for place, request in enumerate(shown if level == 4 else ()):
                request["name"] = names[(place + part) % len(names)]
                request["remark"] = stream.choice(pool["notes"])
            head, *others = (wordings[part].format_map(pool) for wordings in said)
            goal = " ".join((head, _order(ranks, stream), *others))
            parts.append({"goal": goal, "requests": shown})
        return self.task(
            level,
            situation,
            goal=parts[0]["goal"],
            observation=OBSERVATIONS[level],
            actions=(GRANT[1],) if level == 1 else (GRANT[4], CLOSE),
            criterion=TABLE["criterion"][level],
            expected=granted,
            setup={"parts": parts, "left": left},
            needed=1
            if level == 1
            else 2 * count,  # of any instance: one is passed over, and the round is closed
            noisy=("group", "name", "remark"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        order, found = task.criterion.expected, state["granted"]
        for number, has in enumerate(found, start=1):
            place = f"round {number}: " if len(found) > 1 else ""
            if not has:
                yield f"{place}nothing was granted"
            for request in _out_of_turn(has, order):
                yield f"{place}{request} was granted out of turn"
        if len(found) == 2 and found[0] != found[1]:
            yield "the two rounds were decided differently"

    def null(self, brief: Brief) -> Fixed:
        grants = [Act("grant", {"request": request}) for request in options(brief, "request")]
        return Fixed(grants[0]) if brief.level == 1 else Fixed(*grants[:3], Act("close_round", {}))
