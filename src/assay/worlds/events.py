"""Worlds whose events are reported in words, one at a time, and the policies that follow them.

`Unfolding` shows one event until ``next`` is done; what is past is not shown again. `Phrasebook` says events in
several wordings and reads them back, misread characters and appended text notwithstanding. `Follower` takes every
event in once, however often it sees it. `Recording` keeps numbers that the subject writes down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz

from assay.streams import Stream

from .base import Steady, WorldBase, finish
from .fuzzy import nearest, read_number
from .model import Act, Brief, Refused, Seen, Task
from .schema import INTEGER, STRING, action, obj

__all__ = [
    "EVENT",
    "NEXT",
    "Follower",
    "Phrasebook",
    "Recording",
    "Unfolding",
    "course_of",
    "known",
    "listed",
    "misrecorded",
    "record_missing",
    "whole",
]

EVENT = obj({"number": INTEGER, "of": INTEGER, "text": STRING})
NEXT = action("next", "Bring the next event. The present one is not shown again.")
_STOPS = ".,:;"


def course_of(courses: Mapping[str, Any], drift: bool) -> str:
    """Which course events take: the drifted one where there is one and the regime lets rules change."""
    return "drifted" if drift and "drifted" in courses else "stationary"


def listed(words: Sequence[str]) -> str:
    """One, two and three."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def known(said: str, options: list[str]) -> str:
    """The option that was said, or most likely meant."""
    return said if said in options else nearest(said, options)


def whole(said: str) -> int:
    """A whole number, some of its digits misread."""
    return int(read_number(said))


class Phrasebook:
    """Kinds of events, each in several wordings. A slot is a single word, and only spaces separate words.

    The slots ``n`` and ``m`` hold whole numbers. No wording may begin as another does from beginning to end: text
    that is appended to an event could then make one of the other.
    """

    def __init__(self, wordings: Mapping[str, Sequence[str]]) -> None:
        self._wordings = wordings
        self._forms = [_Form(kind, wording) for kind, several in wordings.items() for wording in several]

    def say(self, stream: Stream, kind: str, **slots: Any) -> str:
        return stream.choice(self._wordings[kind]).format(**slots)

    def read(self, said: str) -> tuple[str, dict[str, str]]:
        """The kind of event, and what stands in its slots. Whatever follows the event is left alone."""
        words = said.split(" ")
        best = max(self._forms, key=lambda form: form.likeness(words))
        return best.kind, {slot: words[place].strip(_STOPS) for place, slot in best.slots}


class _Form:
    """One wording: which words are fixed, and where its slots are."""

    __slots__ = ("_fixed", "_length", "_numbers", "_places", "kind", "slots")

    def __init__(self, kind: str, wording: str) -> None:
        words = wording.split(" ")
        self.kind, self._length = kind, len(words)
        self.slots = [(at, word.strip(_STOPS)[1:-1]) for at, word in enumerate(words) if "{" in word]
        self._numbers = [at for at, slot in self.slots if slot in ("n", "m")]
        self._places = [at for at, word in enumerate(words) if "{" not in word]
        self._fixed = " ".join(words[at] for at in self._places)

    def likeness(self, words: list[str]) -> float:
        if len(words) < self._length:
            return -1.0
        for at in self._numbers:
            if not read_number(words[at].strip(_STOPS)).isdigit():
                return -1.0
        return fuzz.ratio(" ".join([words[at] for at in self._places]), self._fixed)


class Unfolding(WorldBase):
    """A world whose events come one after the other: those of ``setup["told"]``, or of one course of it."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        told = task.setup["told"]
        self.course = course_of(told, drift) if isinstance(told, dict) else ""
        self._events: list[str] = told[self.course] if self.course else told
        self._at = 0

    def event(self) -> dict[str, Any]:
        return {"number": self._at + 1, "of": len(self._events), "text": self._events[self._at]}

    def do_next(self) -> None:
        if self._at + 1 >= len(self._events):
            raise Refused("that was the last event; no other follows")
        self._at += 1


class Recording(Unfolding):
    """A number is recorded for each name of ``setup["start"]``. Recording it again replaces it."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task, drift=drift)
        self.recorded: dict[str, int] = {}

    def rows(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "start": start, "recorded": self.recorded.get(name)}
            for name, start in self.setup["start"].items()
        ]


def misrecorded(
    expected: dict[str, int],
    recorded: dict[str, int],
    says: str,
    total: str,
    limits: Mapping[str, int | None] | None = None,
) -> Iterator[str]:
    """What is wrong with recorded numbers: "Till has 12, not 10", and whether their sum is off."""
    yield from (f"{name} was not recorded" for name in sorted(expected) if name not in recorded)
    for name, said in sorted(recorded.items()):
        limit = limits.get(name) if limits else None
        if limit is not None and said > limit:
            yield f"{name} would hold more than fits into it"
        elif said != expected[name]:
            yield f"{name} {says} {expected[name]}, not {said}"
    off = sum(recorded.values()) - sum(expected.values())
    if len(recorded) == len(expected) and off:
        yield f"the {total} is off by {off:+d}"


def record_missing(
    rows: list[dict[str, Any]],
    name: str,
    arguments: tuple[str, str],
    numbers: Mapping[str, int] | None = None,
) -> Act:
    """The action that records the first number not recorded yet; without numbers, what was there at the start."""
    for row in rows:
        if row["recorded"] is None:
            number = row["start"] if numbers is None else numbers[row["name"]]
            return Act(name, dict(zip(arguments, (row["name"], number), strict=True)))
    return finish()


class Follower(Steady):
    """Hears every event once, asks for the next, and acts when there is no other."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._heard = 0

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        event = observation["event"]
        if not self._heard:
            self.start(observation)
        if event["number"] > self._heard:
            self._heard = event["number"]
            self.hear(event["text"])
        if event["number"] < event["of"]:
            return Act("next", {})
        return self.conclude(observation)

    def start(self, observation: dict[str, Any]) -> None:
        """What is known before the first event."""
        raise NotImplementedError

    def hear(self, said: str) -> None:
        raise NotImplementedError

    def conclude(self, observation: dict[str, Any]) -> Act:
        raise NotImplementedError
