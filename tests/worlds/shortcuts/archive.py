"""Shortcuts to `archive`: the document that the question names, one that is open, names and numbers by their place."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, finish
from assay.worlds.families.archive import Researcher, _phrasebook
from assay.worlds.fuzzy import alike, read_number

__all__ = ["SHORTCUTS"]

KINDS = {
    "correspondence": ("letters", "languages", "boxes"),
    "wages": ("crowns", "leave", "service", "serve"),
    "biography": ("birth", "born", "pupils", "travel", "road", "world"),
}


def _numbers(said: str) -> list[int]:
    words = [read_number(word.strip(".,:;")) for word in said.split(" ")]
    return [int(word) for word in words if word.isdigit()]


def _kind(goal: str) -> str:
    return next((kind for kind, words in KINDS.items() if any(word in goal for word in words)), "biography")


class Opening(Steady):
    """Opens documents in an order of its own as long as it can, then answers from one of those that are open."""

    def __init__(
        self, brief: Brief, rank: Callable[[str, str], float], at: int, *, only_open: bool = False
    ) -> None:
        super().__init__(brief)
        self._rank, self._at, self._only_open = rank, at, only_open

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["answered"]:
            return finish()
        catalogue, opened = observation["catalogue"], observation["opened"]
        ranked = sorted(catalogue, key=lambda id_: -self._rank(self.brief.goal, catalogue[id_]))
        unread = [id_ for id_ in ranked[:1] if id_ not in opened]
        if unread and not self._only_open:
            return Act("open_document", {"id": unread[0]})
        best = next((id_ for id_ in ranked if id_ in opened), "")
        found = _numbers(opened[best]) if best else []
        return Act("answer", {"value": found[self._at % len(found)] if found else 5})


def _like_question(goal: str, title: str) -> float:
    return sum(alike(word, part) > 80 for word in goal.lower().split() for part in title.lower().split())


def _of_kind(goal: str, title: str) -> float:
    return alike(title.split(": ", 1)[1], _kind(goal))


class Placed(Researcher):
    """Goes the right way, but takes names or numbers by their place in the text."""

    def __init__(self, brief: Brief, *, name: int | None = None, number: int | None = None) -> None:
        super().__init__(brief)
        self._name, self._number = name, number

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["answered"]:
            return finish()
        about, said, value = self._asked.thing, "", 0
        for hop, kind in enumerate(self._kinds):
            if hop == len(self._ids):
                self._ids.append(self.find(observation["catalogue"], about, kind))
            if self._ids[hop] not in observation["opened"]:
                return Act("open_document", {"id": self._ids[hop]}) if seen.queries_left else finish(False)
            said = observation["opened"][self._ids[hop]]
            slots = _phrasebook(self._story, about, kind)[0].read(said)[1]
            places = re.findall(r"(?!(?:As|For|In|To|By|Neither|Of) )[A-Z]\w+ [A-Z]\w+", said)
            role = "other" if kind == "biography" else "who"
            about = f"{slots[role + '1']} {slots[role + '2']}"
            if self._name is not None and hop == 0 and places:
                about = places[self._name % len(places)]
            value = int(read_number(slots[self._asked.number]))
        found = _numbers(said)
        if self._number is not None and found:
            value = found[self._number % len(found)]
        return Act("answer", {"value": value})


class TwoHops(Researcher):
    """Never looks for a teacher."""

    def __init__(self, brief: Brief) -> None:
        super().__init__(brief)
        self._kinds = (self._kinds[0], self._kinds[-1])


COMMON: dict[str, Callable[[Brief], Policy]] = {
    **{
        f"the document the question is like, number {at}": partial(Opening, rank=_like_question, at=at)
        for at in range(3)
    },
    **{
        f"a document of the kind asked for, number {at}": partial(Opening, rank=_of_kind, at=at)
        for at in range(3)
    },
    "first name": partial(Placed, name=0),
    "second name": partial(Placed, name=1),
    "third name": partial(Placed, name=2),
    "last name": partial(Placed, name=-1),
    "first number": partial(Placed, number=0),
    "second number": partial(Placed, number=1),
    "third number": partial(Placed, number=2),
    "last number": partial(Placed, number=-1),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    3: {
        **COMMON,
        **{
            f"what is open and of the kind, number {at}": partial(
                Opening, rank=_of_kind, at=at, only_open=True
            )
            for at in range(3)
        },
    },
    5: COMMON,
}
