"""Shortcuts to `inbox`: another message, the header as it stands, the notes as they come, words of correction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, finish
from assay.worlds.families.inbox import FIELDS, PRIORITIES
from assay.worlds.fuzzy import alike, nearest, read_number
from tests.worlds.shortcuts.running_verdicts import READINGS

__all__ = ["SHORTCUTS"]

Entry = dict[str, str]
Mail = dict[str, Any]
DATE = re.compile(r"\w{4,}-\w{2,}-\w{2,}")
CORRECTS = re.compile(
    r"wrong|correct|right|mist|should|truth|meant|chang|header|other|stamp|new|make|take", re.I
)


class Filing(Steady):
    """Enters what one function of the observation says, spelled by the lists."""

    def __init__(self, brief: Brief, fill: Callable[[Brief, dict[str, Any]], Entry]) -> None:
        super().__init__(brief)
        self._fill = fill

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        return (
            finish()
            if observation["entries"]
            else _register(observation, self._fill(self.brief, observation))
        )


def _register(observation: dict[str, Any], entry: Entry) -> Act:
    return Act(
        "register",
        {
            "sender": nearest(entry["sender"], observation["directory"]),
            "subject": nearest(entry["subject"], observation["subjects"]),
            "priority": nearest(entry["priority"], PRIORITIES),
            "received": read_number(entry["received"][:10]),
        },
    )


def _named(brief: Brief, observation: dict[str, Any]) -> Mail:
    found: Mail = next(mail for mail in observation["mails"] if str(mail["number"]) in brief.goal)
    return found


def _listed(brief: Brief, observation: dict[str, Any], at: int) -> Entry:
    return _header(observation["mails"][at])


def _most_urgent(brief: Brief, observation: dict[str, Any]) -> Entry:
    rank = [*PRIORITIES].index
    return _header(max(observation["mails"], key=lambda mail: rank(nearest(mail["priority"], PRIORITIES))))


def _latest(brief: Brief, observation: dict[str, Any]) -> Entry:
    return _header(max(observation["mails"], key=lambda mail: read_number(mail["received"])))


def _header(mail: Mail) -> Entry:
    return {field: mail[field] for field in FIELDS}


def _mentions(note: str, observation: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(Field, value) of what a note mentions, without understanding it."""
    if found := DATE.search(note):
        yield "received", found[0]
        return
    words = note.split(" ")
    for field, options in (
        ("sender", observation["directory"]),
        ("subject", observation["subjects"]),
        ("priority", PRIORITIES),
    ):
        for option in options:
            width = len(option.split(" "))
            spans = [" ".join(words[at : at + width]).strip(".,:;") for at in range(len(words) - width + 1)]
            if any(alike(span, option) > 80 for span in spans):
                yield field, option
                return


def _by_notes(brief: Brief, observation: dict[str, Any], believes: Callable[[int, str], bool]) -> Entry:
    mail = _named(brief, observation)
    entry = _header(mail)
    for place, note in enumerate(mail["notes"]):
        if believes(place, note):
            entry |= dict(_mentions(note, observation))
    return entry


class Looking(Steady):
    """Looks eight times, and copies the commonest spelling of the header."""

    def __init__(self, brief: Brief) -> None:
        super().__init__(brief)
        self._seen: list[Mail] = []

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["entries"]:
            return finish()
        self._seen.append(_named(self.brief, observation))
        if len(self._seen) < 8:
            return Act("look", {})
        common = {field: Counter(mail[field] for mail in self._seen).most_common(1)[0][0] for field in FIELDS}
        common["priority"] = nearest(common["priority"], PRIORITIES)
        return Act("register", {**common, "received": common["received"][:10]})


def _filing(fill: Callable[[Brief, dict[str, Any]], Entry]) -> Callable[[Brief], Policy]:
    return partial(Filing, fill=fill)


def _believing(believes: Callable[[int, str], bool]) -> Callable[[Brief], Policy]:
    return _filing(partial(_by_notes, believes=believes))


def _reading(place: int, note: str, counts: Callable[[str], bool]) -> bool:
    return counts(note)


OTHERS: dict[str, Callable[[Brief], Policy]] = {
    "first listed": _filing(partial(_listed, at=0)),
    "last listed": _filing(partial(_listed, at=-1)),
    "most urgent": _filing(_most_urgent),
    "latest": _filing(_latest),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: OTHERS,
    4: {
        **OTHERS,
        "header as it stands": _believing(lambda place, note: False),
        "commonest spelling over eight looks": Looking,
        "every note": _believing(lambda place, note: True),
        "first two notes": _believing(lambda place, note: place < 2),
        "words of correction": _believing(lambda place, note: bool(CORRECTS.search(note))),
        "no words of correction": _believing(lambda place, note: not CORRECTS.search(note)),
        **{name: _believing(partial(_reading, counts=counts)) for name, counts in READINGS.items()},
        "longer notes": _believing(lambda place, note: len(note) > 140),
        "notes that end with the value": _believing(lambda place, note: bool(re.search(r"[\w-]+\.$", note))),
    },
}
