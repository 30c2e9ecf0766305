"""Helpdesk: send every ticket to the queue it belongs to, whether or not its category is written down. B.2.2."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from rapidfuzz import fuzz

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady, WorldBase, nearest
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
from assay.worlds.wording import table

__all__ = ["Helpdesk"]

TICKETS = 3
GOALS = (
    "{who} Three tickets are open. Route each of them to the queue it belongs to. {how}",
    "{who} Please send every open ticket to the right queue, one after the other. {how}",
    "{who} There are three new tickets. For each, decide which queue has to deal with it and route it there. {how}",
    "{who} Empty the list of open tickets: each goes to the one queue whose people can help. {how}",
)
HOW = {
    1: (
        "Every ticket names its category, which is the name of its queue.",
        "The category that a ticket carries tells its queue.",
    ),
    2: (
        "The categories were not filled in; what the customer wants follows from the text.",
        "No category is given, so go by what is written. The list of queues says what each handles.",
    ),
    4: (
        "The tickets were scanned, and characters may have been misread. The category was guessed by an old program "
        "and is often wrong, and matters mentioned in passing do not count: go by what the customer wants now.",
        "Go by what the customer wants now: the category is an old program's guess and often wrong, customers "
        "mention other matters in passing, and the scan may have misread characters.",
    ),
}
DEVICES = ("web form", "letter, scanned", "mobile app", "e-mail", "counter, written down by staff")
TICKET = {"ticket": {"type": "integer"}, "text": {"type": "string"}}
EXTRA: dict[int, dict[str, Any]] = {
    1: {"category": {"type": "string"}},
    2: {},
    4: {name: {"type": "string"} for name in ("category", "came_by", "last_agent")},
}


class Helpdesk(FamilyBase):
    name: ClassVar[str] = "helpdesk"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Route tickets to their queues"
    dimension: ClassVar[Dimension] = "S"
    environment: ClassVar[Environment] = "tool-augmented"
    levels: ClassVar[dict[int, str]] = {
        1: "the category is given verbatim",
        2: "the category has to be understood from the text",
        4: "the same under misread words, with wrong categories and matters in passing",
    }
    situations: ClassVar[tuple[str, ...]] = ("broadband", "museum", "landlord", "bicycle")
    held_out: ClassVar[tuple[str, ...]] = ("ferry", "water")
    chance: ClassVar[dict[int, float]] = {1: 0.03, 2: 0.03, 4: 0.03}
    verification: ClassVar[str] = "what lies in each queue, read from the state"

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        words = table("helpdesk")
        story = words["situations"][situation]
        queues = list(story["queues"])
        numbers = stream.shuffled(range(201, 260))[:TICKETS]
        names = stream.shuffled(words["names"])
        right = [stream.choice(queues) for _ in numbers]
        tickets: list[dict[str, Any]] = []
        for number, queue, name in zip(numbers, right, names, strict=False):
            others = [other for other in queues if other != queue]
            aside = story["queues"][stream.choice(others)]["topic"] if level == 4 else ""
            ticket = {"ticket": number, "text": _text(words, story["queues"][queue], name, aside, stream)}
            if level == 1:
                ticket["category"] = queue
            elif level == 4:
                ticket["category"] = stream.choice(others) if stream.below(3) else queue
                ticket["came_by"] = stream.choice(DEVICES)
                ticket["last_agent"] = stream.choice(names[TICKETS:])
            tickets.append(ticket)
        how = stream.choice(HOW[level])
        goal = stream.choice(GOALS).format(who=story["who"], how=how)
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=goal,
            observation=_observation(level, situation),
            actions=_actions(situation),
            criterion=Criterion(
                "every ticket lies in the queue that it belongs to",
                {str(number): queue for number, queue in sorted(zip(numbers, right, strict=True))},
            ),
            setup={
                "tickets": tickets,
                "queues": {queue: story["queues"][queue]["handles"] for queue in queues},
            },
            needed=TICKETS,
            most=2 * TICKETS + 4,
            noisy=("tickets",) if level == 4 else ("text",) if level == 2 else (),
        )

    def open(self, task: Task, *, drift: bool) -> Desk:
        return Desk(task)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        routed, wrong = state["routed"], []
        for ticket, queue in task.criterion.expected.items():
            if ticket not in routed:
                wrong.append(f"ticket {ticket} was not routed")
            elif routed[ticket] != queue:
                wrong.append(f"ticket {ticket} went to {routed[ticket]}, not to {queue}")
        return Judgement(not wrong, tuple(wrong))

    def oracle(self, brief: Brief) -> Sorter:
        return Sorter(brief)

    def novice(self, brief: Brief) -> Believer:
        return Believer(brief)

    def null(self, brief: Brief) -> FirstQueue:
        return FirstQueue(brief)


def _text(words: dict[str, Any], queue: dict[str, Any], name: str, aside: str, stream: Stream) -> str:
    """Greeting, matter, name; the aside stands before or after the matter."""
    parts = [stream.choice(queue["texts"])]
    if aside:
        parts.insert(stream.below(2), stream.choice(words["asides"]).format(topic=aside))
    closing = stream.choice(words["closings"]).format(name=name)
    return " ".join([stream.choice(words["openings"]), *parts, closing])


@cache
def _actions(situation: str) -> tuple[Action, ...]:
    queues = list(table("helpdesk")["situations"][situation]["queues"])
    route = Action(
        name="route",
        about="Send an open ticket to a queue. It cannot be taken back.",
        parameters=obj(
            {
                "ticket": {"type": "integer", "minimum": 1, "maximum": 999, "description": "its number"},
                "queue": text("where it goes", options=queues),
            }
        ),
    )
    return (route,)


@cache
def _observation(level: int, situation: str) -> dict[str, Any]:
    queues = table("helpdesk")["situations"][situation]["queues"]
    routed = obj({"ticket": {"type": "integer"}, "queue": {"type": "string"}})
    return obj(
        {
            "queues": obj({queue: {"type": "string"} for queue in queues}),
            "tickets": {"type": "array", "items": obj(TICKET | EXTRA[level])},
            "routed": {"type": "array", "items": routed},
        }
    )


class Desk(WorldBase):
    """Open tickets, and the queues they were put into."""

    def __init__(self, task: Task) -> None:
        self._queues: dict[str, str] = task.setup["queues"]
        self._tickets: list[dict[str, Any]] = task.setup["tickets"]
        self._routed: dict[int, str] = {}

    def look(self) -> dict[str, Any]:
        waiting = [dict(ticket) for ticket in self._tickets if ticket["ticket"] not in self._routed]
        routed = [{"ticket": ticket, "queue": queue} for ticket, queue in self._routed.items()]
        return {"queues": dict(self._queues), "tickets": waiting, "routed": routed}

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        number = int(arguments["ticket"])
        if number in self._routed:
            return Effect(error=f"ticket {number} was routed already; that cannot be changed")
        if all(ticket["ticket"] != number for ticket in self._tickets):
            return Effect(error=f"there is no open ticket {number}; look at the list of open tickets")
        self._routed[number] = arguments["queue"]
        return Effect()

    def snapshot(self) -> dict[str, Any]:
        return {"routed": {str(number): self._routed[number] for number in sorted(self._routed)}}


class Sorter(Steady):
    """Goes by what is written, as someone who knows what people mean; by the category only where it is sure."""

    def __init__(self, brief: Brief) -> None:
        super().__init__(brief)
        self._queues: list[str] = brief.actions[0].parameters["properties"]["queue"]["enum"]

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        waiting = observation["tickets"]
        if not waiting:
            return Act("finish", {"achieved": True})
        return Act("route", {"ticket": waiting[0]["ticket"], "queue": self.queue(waiting[0])})

    def queue(self, ticket: dict[str, Any]) -> str:
        if self.brief.level == 1:
            return str(ticket["category"])
        known = _meanings(tuple(self._queues))
        said = ticket["text"]
        for queue, matter in known:
            if matter in said:
                return queue
        return max(known, key=lambda pair: fuzz.partial_ratio(pair[1], said))[0]


@cache
def _meanings(queues: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """What people write to whom: (queue, text)."""
    for story in table("helpdesk")["situations"].values():
        if tuple(story["queues"]) == queues:
            return tuple((queue, said) for queue in queues for said in story["queues"][queue]["texts"])
    raise AssertionError("these are no queues of this family")


class Believer(Sorter):
    """The novice: takes the category for granted, and without one looks for the queue's own words in the text."""

    def queue(self, ticket: dict[str, Any]) -> str:
        if "category" in ticket:
            return nearest(ticket["category"], self._queues)
        handles = self.latest["queues"]
        words = set(ticket["text"].lower().replace(",", " ").split())
        return max(self._queues, key=lambda queue: len(words & set(handles[queue].replace(",", " ").split())))


class FirstQueue(Sorter):
    """Null: one queue for everything."""

    def queue(self, ticket: dict[str, Any]) -> str:
        return self._queues[0]
