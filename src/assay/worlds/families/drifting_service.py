"""Drifting service: predict the settings that a service needs, and notice when it changes. B.3.4."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady, WorldBase
from assay.worlds.events import DONE, FINISH, Phrasebook, whole
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
from assay.worlds.schema import obj
from assay.worlds.wording import table_of

__all__ = ["DriftingService"]


class Story(Struct, frozen=True):
    who: str
    item: str


class Tables(Struct, frozen=True):
    situations: dict[str, Story]
    goals: dict[int, tuple[str, ...]]
    phrases: dict[str, tuple[str, ...]]


class Rules(Struct, frozen=True):
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


TABLES = table_of("drifting-service", Tables)
BOOK = Phrasebook(TABLES.phrases)
TIMEOUTS = [5, 10, 15, 20, 30, 45, 60, 90, 120]
FAILURES = 3  # with so many failed calls the account is closed
NUMBERS = {4: "four", 5: "five", 6: "six"}
SEND = Action(
    name="send",
    about="Send the present job to the service. What is delivered cannot be sent again.",
    parameters=obj(
        {
            "parts": {"type": "integer", "minimum": 1, "maximum": 12, "description": "how many parts"},
            "timeout": {"type": "integer", "enum": TIMEOUTS, "description": "in seconds"},
        }
    ),
)
_INT = {"type": "integer"}
OBSERVATION = obj(
    {
        "number": {"type": "integer", "description": "number of the present job"},
        "jobs_left": _INT,
        "job": {"type": "string", "description": "the present job; empty when none is left"},
        "manual": obj({"start_seconds": _INT, "seconds_for_each": _INT, "most_in_a_part": _INT}),
        "calls": {"type": "integer", "description": "calls that reached the service"},
        "delivered": _INT,
        "failed": _INT,
        "answer": {"type": "string", "description": "to the last call"},
    }
)


class DriftingService(FamilyBase):
    name: ClassVar[str] = "drifting-service"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Settings for a service that may change"
    dimension: ClassVar[Dimension] = "M"
    environment: ClassVar[Environment] = "tool-augmented"
    levels: ClassVar[dict[int, str]] = {
        3: "settings predicted from the rules, with one try for each job",
        4: "the service's speed or limit changes on the way",
    }
    situations: ClassVar[tuple[str, ...]] = ("print", "translation", "images", "billing")
    held_out: ClassVar[tuple[str, ...]] = ("weather", "speech")
    chance: ClassVar[dict[int, float]] = {3: 0.02, 4: 0.02}
    verification: ClassVar[str] = "the settings of every delivered job, read from the state"

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLES.situations[situation]
        manual = Rules(stream.integer(2, 7), stream.integer(2, 4), stream.integer(5, 9))
        count = stream.integer(4, 5) if level == 3 else stream.integer(5, 6)
        items = [stream.integer(4, 20) for _ in range(count)]
        rules = {"stationary": [manual] * count}
        if level == 4:
            change = stream.integer(1, count - 3)
            after = _changed(stream, manual, items[change])
            rules["drifted"] = [manual] * change + [after] * (count - change)
        expected = {
            course: [list(rule.settings(n)) for rule, n in zip(found, items, strict=True)]
            for course, found in rules.items()
        }
        goal = stream.choice(TABLES.goals[level]).format(
            who=story.who,
            item=story.item,
            jobs=NUMBERS[count],
            Jobs=NUMBERS[count].capitalize(),
            start=manual.start,
            each=manual.each,
            most=manual.most,
        )
        needed = count + (level == 4)
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=goal,
            observation=OBSERVATION,
            actions=(SEND,),
            criterion=Criterion(
                "every job was delivered with the fewest parts and the shortest timeout that worked for it",
                expected,
            ),
            setup={
                "item": story.item,
                "items": items,
                "told": [BOOK.say(stream, "job", n=n, item=story.item) for n in items],
                "rules": {
                    course: [[rule.start, rule.each, rule.most] for rule in found]
                    for course, found in rules.items()
                },
                "retry": level == 4,
                "wording": stream.below(2),
            },
            needed=needed,
            most=2 * needed + 4,
            noisy=("job", "answer"),
        )

    def open(self, task: Task, *, drift: bool) -> Service:
        return Service(task.setup, "drifted" if drift and task.level == 4 else "stationary")

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        expected: list[list[int]] = task.criterion.expected[state["rules"]]
        delivered: dict[str, list[int]] = state["delivered"]
        why = []
        for number, (parts, timeout) in enumerate(expected, start=1):
            used = delivered.get(str(number))
            if used is None:
                why.append(f"job {number} was not delivered")
            elif used[0] > parts:
                why.append(f"job {number} went in {used[0]} parts where {parts} do")
            elif used[1] > timeout:
                why.append(f"job {number} had a timeout of {used[1]} s where {timeout} s do")
        return Judgement(not why, tuple(why))

    def oracle(self, brief: Brief) -> Operator:
        return Operator(brief)

    def novice(self, brief: Brief) -> Operator:
        return Operator(brief, stubborn=True)

    def null(self, brief: Brief) -> Usual:
        return Usual(brief)


def _changed(stream: Stream, manual: Rules, items: int) -> Rules:
    """Other rules, under which the old settings fail for a job of so many items."""
    parts, timeout = manual.settings(items)
    size, late = largest(items, parts), timeout - manual.seconds(items, parts)
    what = stream.below(3)
    if what == 0:
        return Rules(manual.start, manual.each, max(2, size - stream.integer(1, 3)))
    if what == 1:
        return Rules(manual.start, manual.each + late // size + stream.integer(1, 2), manual.most)
    return Rules(manual.start + late + stream.integer(1, 10), manual.each, manual.most)


class Service(WorldBase):
    """Jobs that wait, and a service that takes them by the rules of the hour."""

    def __init__(self, setup: dict[str, Any], course: str) -> None:
        self._setup, self._course = setup, course
        self._rules = [Rules(*rule) for rule in setup["rules"][course]]
        self._at = self._calls = self._failed = 0
        self._delivered: dict[str, list[int]] = {}
        self._answer = ""

    def look(self) -> dict[str, Any]:
        setup, count = self._setup, len(self._setup["items"])
        manual = setup["rules"]["stationary"][0]
        return {
            "number": min(self._at + 1, count),
            "jobs_left": count - self._at,
            "job": setup["told"][self._at] if self._at < count else "",
            "manual": {
                "start_seconds": manual[0],
                "seconds_for_each": manual[1],
                "most_in_a_part": manual[2],
            },
            "calls": self._calls,
            "delivered": len(self._delivered),
            "failed": self._failed,
            "answer": self._answer,
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        setup = self._setup
        if self._at >= len(setup["items"]):
            return Effect(error="no job is left")
        if setup["retry"] and self._failed >= FAILURES:
            return Effect(error=f"the account was closed after {FAILURES} failed calls")
        rules, items = self._rules[self._at], setup["items"][self._at]
        kind = rules.answer(items, arguments["parts"], arguments["timeout"])
        wording = TABLES.phrases[kind][setup["wording"]]
        m = rules.most if kind == "refused" else rules.each
        self._answer = wording.format(n=rules.start, m=m, item=setup["item"])
        self._calls += 1
        if kind == "delivered":
            self._delivered[str(self._at + 1)] = [arguments["parts"], arguments["timeout"]]
        else:
            self._failed += 1
        if kind == "delivered" or not setup["retry"]:
            self._at += 1
        return DONE

    def snapshot(self) -> dict[str, Any]:
        return {
            "delivered": {number: list(used) for number, used in self._delivered.items()},
            "failed": self._failed,
            "rules": self._course,
        }


class Operator(Steady):
    """Works out the settings from the rules as it knows them, and learns them anew from every answer.

    The ``stubborn`` novice believes the manual.
    """

    def __init__(self, brief: Brief, *, stubborn: bool = False) -> None:
        super().__init__(brief)
        self._stubborn = stubborn
        self._rules: Rules | None = None
        self._calls = 0

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if self._rules is None:
            manual = observation["manual"]
            self._rules = Rules(manual["start_seconds"], manual["seconds_for_each"], manual["most_in_a_part"])
        if observation["calls"] > self._calls:
            self._calls = observation["calls"]
            if not self._stubborn:
                self._rules = self._learnt(self._rules, observation["answer"])
        if not observation["jobs_left"] or seen.error:
            return FINISH
        _, slots = BOOK.read(observation["job"])
        parts, timeout = self._rules.settings(whole(slots["n"]))
        return Act("send", {"parts": parts, "timeout": timeout})

    @staticmethod
    def _learnt(rules: Rules, answer: str) -> Rules:
        kind, slots = BOOK.read(answer)
        if kind == "refused":
            return Rules(rules.start, rules.each, whole(slots["m"]))
        return Rules(whole(slots["n"]), whole(slots["m"]), rules.most)


class Usual(Steady):
    """Two parts and half a minute, whatever the job."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if not observation["jobs_left"] or seen.error:
            return FINISH
        return Act("send", {"parts": 2, "timeout": 30})
