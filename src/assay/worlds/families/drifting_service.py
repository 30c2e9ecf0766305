"""Drifting service: predict the settings that a service needs, and notice from outcomes when it changes. B.3.4."""

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

TABLE = table("drifting-service")
BOOK = Phrasebook(TABLE["phrases"])
TIMEOUTS = list(range(5, 125, 5))
NUMBERS = {4: "four", 5: "five", 6: "six", 7: "seven", 9: "nine", 10: "ten"}
MISSES = {3: 0, 4: 3}  # level → jobs that need not be delivered tightly
LEARNT = (
    2  # misses within which `Belief` knows a changed rule: one is left to a subject that learns less quickly
)


class ServiceRules(Struct, frozen=True):
    """How the service works: seconds to start a part, seconds for each item, and the most items in a part."""

    start: int
    each: int
    most: int

    def seconds(self, size: int) -> int:
        return self.start + self.each * size

    def settings(self, items: int) -> tuple[int, int]:
        """The fewest parts and the shortest timeout with which a job goes through."""
        parts = -(-items // self.most)
        needed = self.seconds(largest(items, parts))
        return parts, next((timeout for timeout in TIMEOUTS if timeout >= needed), TIMEOUTS[-1])

    def outcome(self, items: int, parts: int, timeout: int) -> tuple[bool, int]:
        """Whether a call delivers its job, and after how many seconds it ends. A part that is too large breaks it
        off when the part is full: an end before the timeout is all that tells it from a call that is too slow."""
        size = largest(items, parts)
        ends = self.seconds(min(size, self.most))
        return ends <= timeout and size <= self.most, min(ends, timeout)


def largest(items: int, parts: int) -> int:
    """The size of the largest of so many nearly equal parts."""
    return -(-items // parts)


SEND = action(
    "send",
    "Send the present job to the service, once.",
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
        "answer": string("to the last call"),
    }
)


class Belief:
    """The manual, until an outcome contradicts it; then every rule with one changed number that fits what was seen."""

    def __init__(self, manual: ServiceRules) -> None:
        self._manual, self._possible = manual, [manual]

    def settings(self, items: int) -> tuple[int, int]:
        """What is enough whichever of the possible rules holds: what is delivered tells more than what is not."""
        found = [rules.settings(items) for rules in self._possible]
        return max(parts for parts, _ in found), max(timeout for _, timeout in found)

    def learn(self, items: int, used: tuple[int, int], outcome: tuple[bool, int]) -> None:
        if self._manual in self._possible and self._manual.outcome(items, *used) != outcome:
            start, each, most = astuple(self._manual)
            self._possible = [
                *(ServiceRules(other, each, most) for other in range(TIMEOUTS[-1])),
                *(ServiceRules(start, other, most) for other in range(1, TIMEOUTS[-1])),
                *(ServiceRules(start, each, other) for other in range(1, most)),
            ]
        self._possible = [rules for rules in self._possible if rules.outcome(items, *used) == outcome]


def _misses(manual: ServiceRules, rules: list[ServiceRules], items: list[int], *, learns: bool) -> int:
    """The jobs that are not delivered tightly by who begins with the manual."""
    belief, missed = Belief(manual), 0
    for rule, n in zip(rules, items, strict=True):
        used = belief.settings(n)
        missed += used != rule.settings(n)
        if learns:
            belief.learn(n, used, rule.outcome(n, *used))
    return missed


def _changed(stream: Stream, manual: ServiceRules) -> ServiceRules:
    """Other rules: one number of the manual no longer holds."""
    start, each, most = astuple(manual)
    what = stream.weighted(("slower", "faster", "smaller", "start"), (3, 2, 4, 1))
    if what == "slower":
        return ServiceRules(start, each + stream.integer(1, 3), most)
    if what == "faster":
        return ServiceRules(start, each - stream.integer(1, each - 1), most)
    if what == "smaller":
        return ServiceRules(start, each, most - stream.integer(2, most - 3))
    return ServiceRules(start + stream.integer(8, 20), each, most)


class Service(WorldBase):
    """Jobs that wait, and a service that takes them by the rules of the hour."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._course = course_of(task.setup["rules"], drift)
        self._rules = [ServiceRules(*rule) for rule in task.setup["rules"][self._course]]
        self._at = 0
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
            "calls": self._at,
            "delivered": len(self._delivered),
            "answer": self._answer,
        }

    def do_send(self, parts: int, timeout: int) -> None:
        setup = self.setup
        if self._at >= len(setup["items"]):
            raise Refused("no job is left")
        delivered, after = self._rules[self._at].outcome(setup["items"][self._at], parts, timeout)
        wordings = TABLE["phrases"]["delivered" if delivered else "broken"]
        self._answer = wordings[setup["wording"]].format(n=after)
        self._at += 1
        if delivered:
            self._delivered[str(self._at)] = [parts, timeout]

    def snapshot(self) -> dict[str, Any]:
        return {
            "delivered": {number: list(used) for number, used in self._delivered.items()},
            "rules": self._course,
        }


class ServiceOperator(Steady):
    """Works out the settings by the rules as it knows them, and compares every outcome with what they predict.

    The novice believes the manual, and takes an uneven part for smaller than it is.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._belief: Belief | None = None
        self._calls, self._sent = 0, (0, (0, 0))

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if self._belief is None:
            self._belief = Belief(_manual(observation))
        if observation["calls"] > self._calls:
            self._calls = observation["calls"]
            kind, slots = BOOK.read(observation["answer"])
            if not self.is_novice:
                self._belief.learn(*self._sent, (kind == "delivered", whole(slots["n"])))
        if not observation["jobs_left"] or seen.error:
            return finish()
        items = whole(BOOK.read(observation["job"])[1]["n"])
        parts, timeout = self._belief.settings(items)
        if self.is_novice:
            needed = _manual(observation).seconds(items // parts)
            timeout = min(time for time in TIMEOUTS if time >= needed)
        self._sent = items, (parts, timeout)
        return Act("send", {"parts": parts, "timeout": timeout})


def _manual(observation: dict[str, Any]) -> ServiceRules:
    manual = observation["manual"]
    return ServiceRules(manual["start_seconds"], manual["seconds_for_each"], manual["most_in_a_part"])


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
        count = stream.integer(4, 5) if level == 3 else stream.integer(9, 10)
        while True:
            manual = ServiceRules(stream.integer(2, 9), stream.integer(3, 6), stream.integer(6, 10))
            items = [stream.integer(5, 30) for _ in range(count)]
            rules = {"stationary": [manual] * count}
            if level == 3:
                break
            change = stream.integer(2, 3)
            rules["drifted"] = [manual] * change + [_changed(stream, manual)] * (count - change)
            learnt = _misses(manual, rules["drifted"], items, learns=True)
            if learnt <= LEARNT and _misses(manual, rules["drifted"], items, learns=False) > MISSES[4] + 1:
                break
        enough = NUMBERS[count - MISSES[level]]
        jobs = {"jobs": NUMBERS[count], "Jobs": NUMBERS[count].capitalize(), "enough": enough}
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"][level], story, **jobs, **asdict(manual)),
            observation=OBSERVATION,
            actions=(SEND,),
            criterion=TABLE["criterion"][level],
            expected={
                course: [list(rule.settings(n)) for rule, n in zip(found, items, strict=True)]
                for course, found in rules.items()
            },
            setup={
                "items": items,
                "told": [BOOK.say(stream, "job", n=n, item=story["item"]) for n in items],
                "rules": {course: [list(astuple(rule)) for rule in found] for course, found in rules.items()},
                "wording": stream.below(len(TABLE["phrases"]["delivered"])),
            },
            needed=count,
            noisy=("job", "answer"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        expected: list[list[int]] = task.criterion.expected[state["rules"]]
        missed = []
        for number, (parts, timeout) in enumerate(expected, start=1):
            used = state["delivered"].get(str(number))
            if used is None:
                missed.append(f"job {number} was not delivered")
            elif used[0] > parts:
                missed.append(f"job {number} went in {used[0]} parts where {parts} do")
            elif used[1] > timeout:
                missed.append(f"job {number} had a timeout of {used[1]} s where {timeout} s do")
        if len(missed) > MISSES[task.level]:
            yield from missed

    def null(self, brief: Brief) -> UsualSettings:
        return UsualSettings(brief)
