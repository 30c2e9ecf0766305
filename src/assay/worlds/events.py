"""Events that are told in words, one at a time: what worlds of this kind and those who act in them share.

`Unfolding` shows one event until ``next`` is done; what is past is not shown again. `Phrasebook` says events in
several wordings and reads them back, misread characters and appended text notwithstanding. `Follower` takes every
event in once, however often it sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz

from assay.streams import Stream

from .base import Steady, WorldBase, nearest, read_number
from .model import Act, Action, Brief, Effect, Seen
from .schema import obj

__all__ = [
    "DONE",
    "EVENT",
    "FINISH",
    "NEXT",
    "Follower",
    "Phrasebook",
    "Unfolding",
    "listed",
    "whole",
]

DONE = Effect()
FINISH = Act("finish", {"achieved": True})
EVENT = obj({"number": {"type": "integer"}, "of": {"type": "integer"}, "text": {"type": "string"}})
NEXT = Action(
    name="next",
    about="Bring the next event. The present one is not shown again.",
    parameters=obj({}),
)
_STOPS = ".,:;"


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
    """A world whose events come one after the other."""

    def __init__(self, told: Sequence[str]) -> None:
        self._told, self._at = told, 0

    def event(self) -> dict[str, Any]:
        return {"number": self._at + 1, "of": len(self._told), "text": self._told[self._at]}

    def advance(self) -> Effect:
        if self._at + 1 >= len(self._told):
            return Effect(error="that was the last event; no other follows")
        self._at += 1
        return DONE


class Follower(Steady):
    """Hears every event once, asks for the next, and acts when there is no other."""

    def __init__(self, brief: Brief) -> None:
        super().__init__(brief)
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
