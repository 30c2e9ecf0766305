"""Helpdesk: send every ticket to the queue it belongs to, whether or not its category is written down. B.2.2."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from rapidfuzz import fuzz

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady, WorldBase, finish, options
from assay.worlds.fuzzy import nearest, read_number
from assay.worlds.model import Act, Action, Brief, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.standing import read_standing, standing
from assay.worlds.templates import numbers as different
from assay.worlds.templates import table, worded

__all__ = ["Helpdesk"]

TABLE = table("helpdesk")
TICKETS = 4
OTHER = {"one": "two", "two": "one"}  # of two points
EXTRA = {1: ("category",), 2: (), 4: ("category", "came_by", "last_agent")}
NOISY = {1: ("text", "category"), 2: ("text",), 4: ("tickets",)}


def _text(matter: str, name: str, aside: str, stream: Stream) -> str:
    """Greeting, matter, name; the aside stands before or after the matter."""
    parts = [matter]
    if aside:
        parts.insert(stream.below(2), stream.choice(TABLE["asides"]).format(topic=aside))
    closing = stream.choice(TABLE["closings"]).format(name=name)
    return " ".join([stream.choice(TABLE["openings"]), *parts, closing])


def _points(matter: str, other: str, stream: Stream) -> str:
    """Two matters, and which of them counts."""
    counts = stream.choice(list(OTHER))
    said = stream.choice(TABLE["points"]).format_map({counts: matter, OTHER[counts]: other})
    about = stream.choice(list(OTHER))
    return f"{said} {standing(stream, stream.choice(TABLE['called'][about]), holds=about == counts)}"


def _counting(said: str) -> str:
    """The matter that counts, of a text with two; nothing of any other text. Quotes are never misread."""
    before, *quoted = said.split('"')
    if len(quoted) != 4:
        return ""
    first, between, second, after = quoted

    def like(points: str) -> float:
        opens, middle, _ = re.split(r'"\{\w+\}"', points)
        return fuzz.ratio(before[-len(opens) :], opens) + fuzz.ratio(between, middle)

    points = max(TABLE["points"], key=like)
    one, two = (first, second) if points.find("{one}") < points.find("{two}") else (second, first)
    ((subject, holds),) = read_standing(after.strip(), misread=True)
    called = {name: about for about, names in TABLE["called"].items() for name in names}
    about = called[max(called, key=lambda name: fuzz.ratio(name, subject.lower()))]
    return {"one": one, "two": two}[about if holds else OTHER[about]]


@cache
def _route(situation: str) -> Action:
    queues = list(TABLE["situations"][situation]["queues"])
    return action(
        "route",
        "Send an open ticket to a queue. It cannot be taken back.",
        {"ticket": integer("its number", 1, 999), "queue": text("where it goes", options=queues)},
    )


@cache
def _observation(level: int, situation: str) -> dict[str, Any]:
    ticket = {"ticket": INTEGER, "text": STRING} | dict.fromkeys(EXTRA[level], STRING)
    return obj(
        {
            "queues": obj(dict.fromkeys(TABLE["situations"][situation]["queues"], STRING)),
            "tickets": array(obj(ticket)),
            "routed": array(obj({"ticket": INTEGER, "queue": STRING})),
        }
    )


class TicketDesk(WorldBase):
    """Open tickets, and the queues they were put into."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._tickets: list[dict[str, Any]] = task.setup["tickets"]
        self._routed: dict[int, str] = {}

    def look(self) -> dict[str, Any]:
        waiting = [dict(ticket) for ticket in self._tickets if ticket["ticket"] not in self._routed]
        routed = [{"ticket": ticket, "queue": queue} for ticket, queue in self._routed.items()]
        return {"queues": dict(self.setup["queues"]), "tickets": waiting, "routed": routed}

    def do_route(self, ticket: int, queue: str) -> None:
        if ticket in self._routed:
            raise Refused(f"ticket {ticket} was routed already; that cannot be changed")
        if all(one["ticket"] != ticket for one in self._tickets):
            raise Refused(f"there is no open ticket {ticket}; look at the list of open tickets")
        self._routed[ticket] = queue

    def snapshot(self) -> dict[str, Any]:
        return {"routed": {str(number): self._routed[number] for number in sorted(self._routed)}}


class Sorter(Steady):
    """Goes by what is written, as one who knows what people mean; by the category only where it is sure.

    The novice takes the category for granted, and without one looks for the queue's own words in the text.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self.queues = options(brief, "queue")

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        waiting = observation["tickets"]
        if not waiting:
            return finish()
        queue = self.guess(waiting[0]) if self.is_novice else self.queue(waiting[0])
        return Act("route", {"ticket": waiting[0]["ticket"], "queue": queue})

    def queue(self, ticket: dict[str, Any]) -> str:
        if self.brief.level == 1:
            return nearest(ticket["category"], self.queues)
        matter = _counting(ticket["text"])
        return _meant(tuple(self.queues), matter) if matter else self.referred(ticket["text"])

    def referred(self, said: str) -> str:
        """The queue of the ticket that a text refers to, routed or not."""
        words = [read_number(word.strip(",:;.")) for word in said.split(" ")]
        for one in self.latest["routed"]:
            if str(one["ticket"]) in words:
                return str(one["queue"])
        other = next(one for one in self.latest["tickets"] if str(one["ticket"]) in words)
        return self.queue(other)

    def guess(self, ticket: dict[str, Any]) -> str:
        if "category" in ticket:
            return nearest(ticket["category"], self.queues)
        handles = self.latest["queues"]
        words = set(ticket["text"].lower().replace(",", " ").split())
        return max(self.queues, key=lambda queue: len(words & set(handles[queue].replace(",", " ").split())))


@cache
def _meanings(queues: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """What people write to whom: (queue, text)."""
    for story in TABLE["situations"].values():
        if tuple(story["queues"]) == queues:
            return tuple((queue, said) for queue in queues for said in story["queues"][queue]["texts"])
    raise AssertionError("these are no queues of this family")


def _meant(queues: tuple[str, ...], said: str) -> str:
    known = _meanings(queues)
    for queue, matter in known:
        if matter in said:
            return queue
    return max(known, key=lambda pair: fuzz.partial_ratio(pair[1], said))[0]


class FirstQueue(Sorter):
    """One queue for everything."""

    def queue(self, ticket: dict[str, Any]) -> str:
        return self.queues[0]


class Helpdesk(FamilyBase, table=TABLE):
    world = TicketDesk
    solver = Sorter

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        queues = list(story["queues"])
        numbers, names = different(stream, TICKETS, 601, 699), stream.shuffled(TABLE["names"])
        right = [stream.choice(queues) for _ in numbers]
        matters = [stream.choice(story["queues"][queue]["texts"]) for queue in right]
        if (
            level != 1
        ):  # of each text another queue's matter is a part; one ticket is about what another is about
            for at, queue in enumerate(right):
                other = stream.choice([name for name in queues if name != queue])
                matters[at] = _points(matters[at], stream.choice(story["queues"][other]["texts"]), stream)
            late, first = stream.shuffled(range(TICKETS))[:2]
            right[late] = right[first]
            matters[late] = stream.choice(TABLE["follow_ups"]).format(number=numbers[first])
        tickets: list[dict[str, Any]] = []
        for number, queue, matter, name in zip(numbers, right, matters, names, strict=False):
            others = [other for other in queues if other != queue]
            aside = story["queues"][stream.choice(others)]["topic"] if level == 4 else ""
            ticket = {"ticket": number, "text": _text(matter, name, aside, stream)}
            if level == 1:
                ticket["category"] = queue
            elif level == 4:
                ticket["category"] = stream.choice(others) if stream.below(3) else queue
                ticket["came_by"] = stream.choice(TABLE["came_by"])
                ticket["last_agent"] = stream.choice(names[TICKETS:])
            tickets.append(ticket)
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"], story, how=stream.choice(TABLE["how"][level])),
            observation=_observation(level, situation),
            actions=(_route(situation),),
            criterion="every ticket lies in the queue that it belongs to",
            expected={str(number): queue for number, queue in sorted(zip(numbers, right, strict=True))},
            setup={
                "tickets": tickets,
                "queues": {queue: story["queues"][queue]["handles"] for queue in queues},
            },
            needed=TICKETS,
            noisy=NOISY[level],
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        routed = state["routed"]
        for ticket, queue in task.criterion.expected.items():
            if ticket not in routed:
                yield f"ticket {ticket} was not routed"
            elif routed[ticket] != queue:
                yield f"ticket {ticket} went to {routed[ticket]}, not to {queue}"

    def null(self, brief: Brief) -> FirstQueue:
        return FirstQueue(brief)
