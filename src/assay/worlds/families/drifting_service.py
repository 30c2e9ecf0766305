"""Drifting service: predict the settings that a service needs, and notice when it changes. B.3.4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, astuple

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady, WorldBase, finish
from assay.worlds.events import Phrasebook, course_of, whole
from assay.worlds.model import Act, Brief, Refused, Seen, Task
from assay.worlds.schema import INTEGER, action, integer, obj, string
from assay.worlds.templates import table, worded

__all__ = ["DriftingService"]


class ServiceRules(Struct, frozen=True):
    """How the service works: seconds to start a part, seconds for each item, and the most items in a part."""

    start: int
    each: int
    most: int

    def seconds(self, items: int, parts: int) -> int:
        return self.start + self.each * largest(items, parts)

    def settings(self, items: int) -> tuple[int, int]:
        """The fewest parts and the shortest timeout with which a job goes through."""
        parts = -(-items // self.most)
        needed = self.seconds(items, parts)
        return parts, next((timeout for timeout in TIMEOUTS if timeout >= needed), TIMEOUTS[-1])

    def answer(self, items: int, parts: int, timeout: int) -> str:
        """What comes of a call."""
        if largest(items, parts) > self.most:
            return "refused"
        return "slow" if self.seconds(items, parts) > timeout else "delivered"


def largest(items: int, parts: int) -> int:
    """The size of the largest of so many nearly equal parts."""
    return -(-items // parts)


TABLE = table("drifting-service")
BOOK = Phrasebook(TABLE["phrases"])
TIMEOUTS = [5, 10, 15, 20, 30, 45, 60, 90, 120]
FAILURES = 3  # with so many failed calls the account is closed
NUMBERS = {4: "four", 5: "five", 6: "six"}
SEND = action(
    "send",
    "Send the present job to the service. What is delivered cannot be sent again.",
    {
        "parts": integer("how many parts", 1, 12),
        "timeout": {"type": "integer", "enum": TIMEOUTS, "description": "in seconds"},
    },
)
OBSERVATION = obj(
    {
        "number": integer("number of the present job"),
        "jobs_left": INTEGER,
        "job": string("the present job; empty when none is left"),
        "manual": obj({"start_seconds": INTEGER, "seconds_for_each": INTEGER, "most_in_a_part": INTEGER}),
        "calls": integer("calls that reached the service"),
        "delivered": INTEGER,
        "failed": INTEGER,
        "answer": string("to the last call"),
    }
)


def _changed(stream: Stream, manual: ServiceRules, items: int) -> ServiceRules:
    """Other rules, under which the old settings fail for a job of so many items."""
    parts, timeout = manual.settings(items)
    size, late = largest(items, parts), timeout - manual.seconds(items, parts)
    what = stream.below(3)
    if what == 0:
        return ServiceRules(manual.start, manual.each, max(2, size - stream.integer(1, 3)))
    if what == 1:
        return ServiceRules(manual.start, manual.each + late // size + stream.integer(1, 2), manual.most)
    return ServiceRules(manual.start + late + stream.integer(1, 10), manual.each, manual.most)


class Service(WorldBase):
    """Jobs that wait, and a service that takes them by the rules of the hour."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._course = course_of(task.setup["rules"], drift)
        self._rules = [ServiceRules(*rule) for rule in task.setup["rules"][self._course]]
        self._at = self._calls = self._failed = 0
        self._delivered: dict[str, list[int]] = {}
        self._answer = ""

    def look(self) -> dict[str, Any]:
        setup, count = self.setup, len(self.setup["items"])
        start, each, most = setup["rules"]["stationary"][0]
        return {
            "number": min(self._at + 1, count),
            "jobs_left": count - self._at,
            "job": setup["told"][self._at] if self._at < count else "",
            "manual": {"start_seconds": start, "seconds_for_each": each, "most_in_a_part": most},
            "calls": self._calls,
            "delivered": len(self._delivered),
            "failed": self._failed,
            "answer": self._answer,
        }

    def do_send(self, parts: int, timeout: int) -> None:
        setup = self.setup
        if self._at >= len(setup["items"]):
            raise Refused("no job is left")
        if setup["retry"] and self._failed >= FAILURES:
            raise Refused(f"the account was closed after {FAILURES} failed calls")
        rules = self._rules[self._at]
        kind = rules.answer(setup["items"][self._at], parts, timeout)
        m = rules.most if kind == "refused" else rules.each
        wording = TABLE["phrases"][kind][setup["wording"]]
        self._answer = wording.format(n=rules.start, m=m, item=setup["item"])
        self._calls += 1
        if kind == "delivered":
            self._delivered[str(self._at + 1)] = [parts, timeout]
        else:
            self._failed += 1
        if kind == "delivered" or not setup["retry"]:
            self._at += 1

    def snapshot(self) -> dict[str, Any]:
        return {
            "delivered": {number: list(used) for number, used in self._delivered.items()},
            "failed": self._failed,
            "rules": self._course,
        }


class ServiceOperator(Steady):
    """Works out the settings from the rules as it knows them, and learns them anew from every answer.

    The novice believes the manual.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._rules: ServiceRules | None = None
        self._calls = 0

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if self._rules is None:
            manual = observation["manual"]
            self._rules = ServiceRules(
                manual["start_seconds"], manual["seconds_for_each"], manual["most_in_a_part"]
            )
        if observation["calls"] > self._calls:
            self._calls = observation["calls"]
            if not self.is_novice:
                self._rules = self._learnt(self._rules, observation["answer"])
        if not observation["jobs_left"] or seen.error:
            return finish()
        _, slots = BOOK.read(observation["job"])
        parts, timeout = self._rules.settings(whole(slots["n"]))
        return Act("send", {"parts": parts, "timeout": timeout})

    @staticmethod
    def _learnt(rules: ServiceRules, answer: str) -> ServiceRules:
        kind, slots = BOOK.read(answer)
        if kind == "refused":
            return ServiceRules(rules.start, rules.each, whole(slots["m"]))
        return ServiceRules(whole(slots["n"]), whole(slots["m"]), rules.most)


class UsualSettings(Steady):
    """Two parts and half a minute, whatever the job."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if not observation["jobs_left"] or seen.error:
            return finish()
        return Act("send", {"parts": 2, "timeout": 30})


class DriftingService(FamilyBase, table=TABLE):
    world = Service
    solver = ServiceOperator

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        manual = ServiceRules(stream.integer(2, 7), stream.integer(2, 4), stream.integer(5, 9))
        count = stream.integer(4, 5) if level == 3 else stream.integer(5, 6)
        items = [stream.integer(4, 20) for _ in range(count)]
        rules = {"stationary": [manual] * count}
        if level == 4:
            change = stream.integer(1, count - 3)
            after = _changed(stream, manual, items[change])
            rules["drifted"] = [manual] * change + [after] * (count - change)
        jobs = {"jobs": NUMBERS[count], "Jobs": NUMBERS[count].capitalize()}
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"][level], story, **jobs, **asdict(manual)),
            observation=OBSERVATION,
            actions=(SEND,),
            criterion=TABLE["criterion"],
            expected={
                course: [list(rule.settings(n)) for rule, n in zip(found, items, strict=True)]
                for course, found in rules.items()
            },
            setup={
                "item": story["item"],
                "items": items,
                "told": [BOOK.say(stream, "job", n=n, item=story["item"]) for n in items],
                "rules": {course: [list(astuple(rule)) for rule in found] for course, found in rules.items()},
                "retry": level == 4,
                "wording": stream.below(2),
            },
            needed=count + (level == 4),
            noisy=("job", "answer"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        expected: list[list[int]] = task.criterion.expected[state["rules"]]
        for number, (parts, timeout) in enumerate(expected, start=1):
            used = state["delivered"].get(str(number))
            if used is None:
                yield f"job {number} was not delivered"
            elif used[0] > parts:
                yield f"job {number} went in {used[0]} parts where {parts} do"
            elif used[1] > timeout:
                yield f"job {number} had a timeout of {used[1]} s where {timeout} s do"

    def null(self, brief: Brief) -> UsualSettings:
        return UsualSettings(brief)
