"""Forms: house rules about what goes into a field, learnt from what was sent back. B.6.2 and B.6.4.

A field's label tells its kind. For each kind the house wants one of two facts in one of two notations, and under one
stamp the other fact instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from assay.streams import Stream
from assay.worlds.base import Steady, WorldBase, finish
from assay.worlds.fuzzy import alike
from assay.worlds.learning import LEVEL_OF, LearningBase, Variant
from assay.worlds.model import Act, Brief, Policy, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, string, text
from assay.worlds.templates import numbers, read_first, table, worded

__all__ = ["HouseForms"]

TABLE = table("forms")
KINDS: dict[str, dict[str, Any]] = TABLE["kinds"]
STAMPS: list[str] = TABLE["stamps"]
LABELS = {label: kind for kind, about in KINDS.items() for label in (*about["practice"], *about["held_out"])}
FIELDS = 3
Way = tuple[int, int]  # which of the two facts, which of the two notations
WAYS: list[Way] = list(product((0, 1), (0, 1)))
FILL = action(
    "fill",
    "Write an entry into a field. Writing again replaces it.",
    {"field": integer("the number of the field", 1, FIELDS), "entry": text("what is written", longest=80)},
)
FILE = action(
    "file",
    "File all entries in the order of the sheet. Filing again replaces them.",
    {"entries": array(text("what is written", longest=80), "one for each place of the sheet")},
)
_FACTS = obj({fact: STRING for about in KINDS.values() for fact in about["facts"]})
_NOTATIONS = string("the two notations of each kind of entry")
OBSERVATION = obj(
    {
        "facts": _FACTS,
        "stamp": STRING,
        "notations": _NOTATIONS,
        "fields": array(obj({"field": INTEGER, "label": STRING})),
        "filled": array(obj({"field": INTEGER, "entry": STRING})),
    }
)
SHIFTED = obj(
    {
        "report": array(STRING),
        "stamp": STRING,
        "notations": _NOTATIONS,
        "sheet": array(obj({"place": INTEGER, "label": STRING})),
        "filed": array(STRING),
    }
)
_RIGHT = re.compile(r'(\d) should read "([^"]*)"')
_SAID = re.compile(r"(\d) (accepted|sent back)")


def _written(kind: str, fact: str, notation: int) -> str:
    """A fact in one of the two notations of its kind. Facts themselves are in the first one."""
    if not notation:
        return fact
    if kind == "date":
        return ".".join(reversed(fact.split("-")))
    if kind == "person":
        first, last = fact.split(" ")
        return f"{last.upper()} {first}"
    if kind == "sum":
        return fact.replace(".", ",")
    if kind == "town":
        return fact[:3].upper()
    year, number = fact.split("/")
    return f"{number}-{year}"


def _entry(kind: str, facts: dict[str, str], way: Way) -> str:
    return _written(kind, facts[KINDS[kind]["facts"][way[0]]], way[1])


def _turned(way: Way, turned: bool) -> Way:
    """The way under the stamp that asks for the other fact."""
    return (1 - way[0], way[1]) if turned else way


class Office(WorldBase):
    """A form and what stands in its fields."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._filled: dict[int, str] = {}

    def look(self) -> dict[str, Any]:
        common = {"stamp": self.setup["stamp"], "notations": TABLE["notations"]}
        labels, filled = list(enumerate(self.setup["labels"], start=1)), sorted(self._filled.items())
        if self.setup["report"]:
            return common | {
                "report": list(self.setup["report"]),
                "sheet": [{"place": place, "label": label} for place, label in labels],
                "filed": [entry for _, entry in filled],
            }
        return common | {
            "facts": dict(self.setup["facts"]),
            "fields": [{"field": place, "label": label} for place, label in labels],
            "filled": [{"field": place, "entry": entry} for place, entry in filled],
        }

    def do_fill(self, field: int, entry: str) -> None:
        self._filled[field] = entry.strip()

    def do_file(self, entries: list[str]) -> None:
        if len(entries) != FIELDS:
            raise Refused(f"{len(entries)} entries; the sheet has {FIELDS} places")
        self._filled = {place: entry.strip() for place, entry in enumerate(entries, start=1)}

    def snapshot(self) -> dict[str, Any]:
        return {"filled": {str(place): entry for place, entry in sorted(self._filled.items())}}


class Filler(Steady):
    """Writes what most of the house rules ask for that all examples allow."""

    def __init__(self, brief: Brief, examples: Sequence[dict[str, Any]], stream: Stream) -> None:
        super().__init__(brief)
        self._ways = stream.shuffled(WAYS)
        self._rules = {stamp: _allowed(stamp, examples) for stamp in STAMPS}

    def _way(self, kind: str, stamp: str) -> Way:
        votes = dict.fromkeys(self._ways, 0.0)
        for other, rules in self._rules.items():
            weight = prod(len(ways) for ways in rules.values())
            for way in rules[kind]:
                votes[_turned(way, stamp == other)] += weight / len(rules[kind])
        return max(self._ways, key=lambda way: votes[way])

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        facts, stamp = _facts(observation), observation["stamp"]
        entries = [_entry(kind, facts, self._way(kind, stamp)) for kind in _kinds(observation)]
        if "sheet" in observation:
            return finish() if observation["filed"] else Act("file", {"entries": entries})
        done = {one["field"] for one in observation["filled"]}
        left = [place for place in range(1, FIELDS + 1) if place not in done]
        return Act("fill", {"field": left[0], "entry": entries[left[0] - 1]}) if left else finish()


def _allowed(stamp: str, examples: Sequence[dict[str, Any]]) -> dict[str, list[Way]]:
    """Kind → the ways that all examples allow, if it is this stamp that asks for the other fact."""
    found = {kind: list(WAYS) for kind in KINDS}
    for example in examples:
        for kind, fact, notation, good in example["entries"]:
            way = _turned((fact, notation), example["stamp"] == stamp)
            found[kind] = [one for one in found[kind] if (one == way) == good]
    return found


def _kinds(observation: dict[str, Any]) -> list[str]:
    labels = [one["label"] for one in observation.get("fields") or observation["sheet"]]
    return [LABELS[max(LABELS, key=lambda label: alike(said, label))] for said in labels]


def _facts(observation: dict[str, Any]) -> dict[str, str]:
    if "facts" in observation:
        return dict(observation["facts"])
    found: dict[str, str] = {}
    for about, said in zip(KINDS.values(), observation["report"], strict=True):
        found |= read_first(about["told"], said)
    return found


class HouseForms(LearningBase, table=TABLE):
    world = Office

    def secret(self, stream: Stream) -> dict[str, Any]:
        return {"ways": {kind: list(stream.choice(WAYS)) for kind in KINDS}, "stamp": stream.choice(STAMPS)}

    def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
        situation = self.story(variant, stream)
        story, shifted = TABLE["situations"][situation], variant == "shifted"
        kinds, stamp = stream.shuffled(list(KINDS))[:FIELDS], stream.choice(STAMPS)
        labels = [
            stream.choice(KINDS[kind]["practice" if variant == "practice" else "held_out"]) for kind in kinds
        ]
        facts = _drawn_facts(stream)
        report = [worded(stream, about["told"], facts) for about in KINDS.values()]
        expected: dict[str, str] = {}
        for place, kind in enumerate(kinds, start=1):
            fact, notation = secret["ways"][kind]
            expected[str(place)] = _entry(kind, facts, _turned((fact, notation), stamp == secret["stamp"]))
        return self.task(
            LEVEL_OF[variant],
            situation,
            goal=worded(stream, TABLE["goals"][variant], story),
            observation=SHIFTED if shifted else OBSERVATION,
            actions=(FILE,) if shifted else (FILL,),
            criterion="every field has the fact and the notation that the house wants there",
            expected=expected,
            setup={"facts": facts, "report": report if shifted else [], "stamp": stamp, "labels": labels},
            needed=1 if shifted else FIELDS,
            noisy=("label",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        for place, entry in task.criterion.expected.items():
            if state["filled"].get(place) != entry:
                yield f"field {place} is sent back"

    def feedback(self, task: Task, state: dict[str, Any]) -> str:
        told = [f'{place} should read "{entry}"' for place, entry in sorted(task.criterion.expected.items())]
        return f"From the checking office: {', '.join(told)}."

    def progress(self, task: Task, state: dict[str, Any]) -> str:
        told = [
            f"{place} {'accepted' if state['filled'].get(place) == entry else 'sent back'}"
            for place, entry in sorted(task.criterion.expected.items())
        ]
        return f"From the checking office: {', '.join(told)}."

    def example(self, brief: Brief, seen: Sequence[Seen], feedback: str) -> dict[str, Any]:
        shown = [one.observation for one in seen if one.observation]
        if not shown:
            return {"stamp": "", "entries": []}
        kinds, facts = _kinds(shown[0]), _facts(shown[0])
        told = [(int(place), entry, True) for place, entry in _RIGHT.findall(feedback)]
        filled = _filled(shown[-1])
        for place, word in _SAID.findall(feedback):
            if int(place) in filled:
                told.append((int(place), filled[int(place)], word == "accepted"))
        entries = [
            [kinds[place - 1], *way, good]
            for place, entry, good in told
            for way in WAYS
            if _entry(kinds[place - 1], facts, way) == entry
        ]
        return {"stamp": shown[0]["stamp"], "entries": entries}

    def player(self, brief: Brief, examples: Sequence[dict[str, Any]], stream: Stream) -> Policy:
        return Filler(brief, examples, stream)


def _filled(observation: dict[str, Any]) -> dict[int, str]:
    if "filed" in observation:
        return dict(enumerate(observation["filed"], start=1))
    return {one["field"]: one["entry"] for one in observation["filled"]}


def _drawn_facts(stream: Stream) -> dict[str, str]:
    """Two of each kind, which differ in both notations."""
    year, month, days = 2026, stream.integer(1, 12), sorted(stream.shuffled(range(10, 29))[:2])
    first, last = stream.shuffled(TABLE["first"])[:2], stream.shuffled(TABLE["last"])[:2]
    net = 10 * stream.integer(20, 180) + 0.5
    towns = stream.shuffled(TABLE["towns"])[:2]
    order, file = numbers(stream, 2, 1000, 9999)
    return {
        "ordered": f"{year}-{month:02}-{days[0]}",
        "delivered": f"{year}-{month:02}-{days[1]}",
        "customer": f"{first[0]} {last[0]}",
        "clerk": f"{first[1]} {last[1]}",
        "net": f"{net:.2f}",
        "gross": f"{net * 1.2:.2f}",
        "sender": towns[0],
        "receiver": towns[1],
        "order_number": f"26/{order}",
        "file_number": f"26/{file}",
    }
