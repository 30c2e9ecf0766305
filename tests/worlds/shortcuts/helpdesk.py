"""Shortcuts to `helpdesk`: one queue, the category, words shared with a queue, its place in the list."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from rapidfuzz import fuzz

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, finish, options
from assay.worlds.families.helpdesk import Sorter, _meant
from assay.worlds.fuzzy import nearest
from tests.worlds.shortcuts.running_verdicts import READINGS

__all__ = ["SHORTCUTS"]

Choice = Callable[[dict[str, Any], list[str], dict[str, Any]], str]


class Sorting(Steady):
    """Routes each ticket by one function of it, the queues, and the observation."""

    def __init__(self, brief: Brief, choice: Choice) -> None:
        super().__init__(brief)
        self._choice, self._queues = choice, options(brief, "queue")

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        waiting = observation["tickets"]
        if not waiting:
            return finish()
        queue = self._choice(waiting[0], self._queues, observation)
        return Act("route", {"ticket": waiting[0]["ticket"], "queue": queue})


def _stems(said: str) -> set[str]:
    return {word[:5] for word in re.findall("[a-z]+", said.lower()) if len(word) > 3}


def _shared(ticket: dict[str, Any], queues: list[str], observation: dict[str, Any]) -> str:
    own = _stems(ticket["text"])
    return max(queues, key=lambda queue: len(own & _stems(f"{queue} {observation['queues'][queue]}")))


def _unshared(ticket: dict[str, Any], queues: list[str], observation: dict[str, Any]) -> str:
    own = _stems(ticket["text"])
    return min(queues, key=lambda queue: len(own & _stems(f"{queue} {observation['queues'][queue]}")))


def _similar(ticket: dict[str, Any], queues: list[str], observation: dict[str, Any]) -> str:
    said = ticket["text"]
    return max(
        queues, key=lambda queue: fuzz.token_set_ratio(f"{queue} {observation['queues'][queue]}", said)
    )


def _in_turn(ticket: dict[str, Any], queues: list[str], observation: dict[str, Any]) -> str:
    return queues[len(observation["routed"]) % len(queues)]


def _category(ticket: dict[str, Any], queues: list[str], observation: dict[str, Any]) -> str:
    return nearest(ticket["category"], queues)


def _not_category(ticket: dict[str, Any], queues: list[str], observation: dict[str, Any]) -> str:
    others = [queue for queue in queues if queue != _category(ticket, queues, observation)]
    return _shared(ticket, others, observation)


def _numbered(ticket: dict[str, Any], queues: list[str], observation: dict[str, Any]) -> str:
    return queues[int(ticket["ticket"]) % len(queues)]


def _always(place: int) -> Choice:
    return lambda ticket, queues, observation: queues[place]


TEXTS: dict[str, Choice] = {
    **{f"always queue {place}": _always(place) for place in range(5)},
    "in turn": _in_turn,
    "by its number": _numbered,
    "shared words": _shared,
    "fewest shared words": _unshared,
    "likeness to the description": _similar,
}
CHOICES: dict[int, dict[str, Choice]] = {
    1: TEXTS,
    2: TEXTS,
    4: {**TEXTS, "category": _category, "not the category": _not_category},
}


class Pointing(Sorter):
    """Knows what people mean, and takes the first or last point that is quoted; or goes by a verdict."""

    def __init__(self, brief: Brief, place: int | None, counts: Callable[[str], bool] = bool) -> None:
        super().__init__(brief)
        self._place, self._reads = place, counts

    def queue(self, ticket: dict[str, Any]) -> str:
        quoted = ticket["text"].split('"')
        if len(quoted) < 5:
            return self.referred(ticket["text"])
        place = self._place
        if place is None:
            first = bool(re.search(r"first|earlier|one", quoted[4]))
            place = 0 if first == self._reads(quoted[4]) else 1
        return _meant(tuple(self.queues), quoted[1 + 2 * place])


POINTS: dict[str, Callable[[Brief], Policy]] = {
    "the first point quoted": partial(Pointing, place=0),
    "the last point quoted": partial(Pointing, place=1),
    **{name: partial(Pointing, place=None, counts=counts) for name, counts in READINGS.items()},
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    level: {name: partial(Sorting, choice=choice) for name, choice in some.items()}
    | (POINTS if level != 1 else {})
    for level, some in CHOICES.items()
}
