"""Sorting: a rule to be induced from where parcels should have gone. B.6.2 and B.6.4."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from assay.streams import Stream
from assay.worlds.base import Steady, WorldBase, finish
from assay.worlds.fuzzy import among
from assay.worlds.learning import LEVEL_OF, LearningBase, Variant
from assay.worlds.model import Act, Brief, Policy, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import numbers, table, worded

__all__ = ["Sorting"]

TABLE = table("sorting")
BAYS: list[str] = TABLE["bays"]
ATTRIBUTES: dict[str, list[str]] = TABLE["attributes"]
MAPPED, EXCEPTED = ("colour", "origin"), ("size", "seal")  # what the rule goes by, and what overrides it
PARCELS = 3
PUT = action(
    "put",
    "Put one parcel into a bay. It can be put elsewhere later.",
    {"parcel": integer("its number", 1, 999), "bay": text("where it goes", options=BAYS)},
)
BOOK = action(
    "book",
    "Enter the bay of one line by its code. Entering it again replaces it.",
    {
        "line": integer("the number of the line", 1, 999),
        "code": text("the bay", options=[b[0].upper() for b in BAYS]),
    },
)
_PLACED = {"placed": array(obj({"number": INTEGER, "bay": STRING}))}
OBSERVATION = obj({"parcels": array(obj({"number": INTEGER} | dict.fromkeys(ATTRIBUTES, STRING))), **_PLACED})
SHIFTED = obj({"list": array(obj({"line": INTEGER, "text": STRING})), **_PLACED})
_RIGHT = re.compile(r"(\d+) to (\w+)")
_SAID = re.compile(r"(\d+) (right|wrong)")


def _bay(secret: dict[str, Any], parcel: dict[str, Any]) -> str:
    """The rule: the bay of one attribute's value, unless another attribute has the value that overrides it."""
    if parcel[secret["unless"]] == secret["value"]:
        return str(secret["then"])
    return str(secret["bays"][ATTRIBUTES[secret["by"]].index(parcel[secret["by"]])])


class SortingRoom(WorldBase):
    """Parcels, and the bay in which each lies."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._placed: dict[int, str] = {}

    def look(self) -> dict[str, Any]:
        placed = [{"number": number, "bay": bay} for number, bay in sorted(self._placed.items())]
        if self.setup["lines"]:
            return {"list": [dict(line) for line in self.setup["lines"]], "placed": placed}
        return {"parcels": [dict(parcel) for parcel in self.setup["parcels"]], "placed": placed}

    def do_put(self, parcel: int, bay: str) -> None:
        if parcel not in [one["number"] for one in self.setup["parcels"]]:
            raise Refused("there is nothing with this number")
        self._placed[parcel] = bay

    def do_book(self, line: int, code: str) -> None:
        self.do_put(line, next(bay for bay in BAYS if bay[0].upper() == code))

    def snapshot(self) -> dict[str, Any]:
        return {"placed": {str(number): bay for number, bay in sorted(self._placed.items())}}


class Sorter(Steady):
    """Puts every parcel where the rule that fits all examples puts it; what no example tells it guesses.

    What was right or wrong for this very parcel goes before the rule.
    """

    def __init__(self, brief: Brief, examples: Sequence[dict[str, Any]], stream: Stream) -> None:
        super().__init__(brief)
        known = [one for example in examples for one in example["parcels"]]
        self._rule, self._stream = _induced(known), stream
        self._tried = [one for example in examples for one in example["tried"]]

    def _bay(self, parcel: dict[str, Any]) -> str:
        mine = [one for one in self._tried if one["number"] == parcel["number"]]
        for one in mine:
            if one["right"]:
                return str(one["bay"])
        wrong = {one["bay"] for one in mine}
        found = self._rule(parcel)
        if found and found not in wrong:
            return found
        return self._stream.choice([bay for bay in BAYS if bay not in wrong] or BAYS)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        parcels = _parcels(observation)
        done = {one["number"] for one in observation["placed"]}
        left = [one for one in parcels if one["number"] not in done]
        if not left:
            return finish()
        bay = self._bay(left[0])
        if "list" in observation:
            return Act("book", {"line": left[0]["number"], "code": bay[0].upper()})
        return Act("put", {"parcel": left[0]["number"], "bay": bay})


def _parcels(observation: dict[str, Any]) -> list[dict[str, Any]]:
    """The parcels. Every value of an attribute is a word of its own, misread perhaps."""
    if "parcels" in observation:
        told = [(one["number"], one) for one in observation["parcels"]]
    else:
        told = [(one["line"], dict.fromkeys(ATTRIBUTES, one["text"])) for one in observation["list"]]
    return [
        {"number": number} | {name: among(said[name], values) for name, values in ATTRIBUTES.items()}
        for number, said in told
    ]


def _induced(known: Sequence[dict[str, Any]]) -> Callable[[dict[str, Any]], str | None]:
    """The rule that explains the most examples, as a function of a parcel; None where it does not say."""
    best, fits = dict[str, Any](), -1
    for by, unless in product(MAPPED, EXCEPTED):
        for value, then in product(ATTRIBUTES[unless], BAYS):
            votes: dict[str, dict[str, int]] = {}
            right = 0
            for one in known:
                if one[unless] == value:
                    right += one["bay"] == then
                else:
                    mine = votes.setdefault(one[by], {})
                    mine[one["bay"]] = mine.get(one["bay"], 0) + 1
            right += sum(max(mine.values()) for mine in votes.values())
            if right > fits:
                told = {key: max(mine, key=lambda bay: mine[bay]) for key, mine in votes.items()}
                best, fits = {"by": by, "unless": unless, "value": value, "then": then, "told": told}, right

    def bay(parcel: dict[str, Any]) -> str | None:
        if not known:
            return None
        if parcel[best["unless"]] == best["value"]:
            return str(best["then"])
        told: dict[str, str] = best["told"]
        return told.get(parcel[best["by"]])

    return bay


class Sorting(LearningBase, table=TABLE):
    world = SortingRoom

    def secret(self, stream: Stream) -> dict[str, Any]:
        unless = stream.choice(EXCEPTED)
        return {
            "by": stream.choice(MAPPED),
            "bays": stream.shuffled(BAYS),
            "unless": unless,
            "value": stream.choice(ATTRIBUTES[unless]),
            "then": stream.choice(BAYS),
        }

    def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
        situation = self.story(variant, stream)
        story, shifted = TABLE["situations"][situation], variant == "shifted"
        parcels: list[dict[str, Any]] = [
            {"number": number} | {name: stream.choice(values) for name, values in ATTRIBUTES.items()}
            for number in numbers(stream, PARCELS, 100, 999)
        ]
        lines = [
            {"line": parcel["number"], "text": worded(stream, TABLE["lines"], parcel)} for parcel in parcels
        ]
        return self.task(
            LEVEL_OF[variant],
            situation,
            goal=worded(stream, TABLE["goals"][variant], story),
            observation=SHIFTED if shifted else OBSERVATION,
            actions=(BOOK,) if shifted else (PUT,),
            criterion="every parcel lies in the bay that the rule gives it",
            expected={str(parcel["number"]): _bay(secret, parcel) for parcel in parcels},
            setup={"parcels": parcels, "lines": lines if shifted else []},
            needed=PARCELS,
            noisy=("text", *ATTRIBUTES),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        for number, bay in task.criterion.expected.items():
            if state["placed"].get(number) != bay:
                yield f"{number} is not in its bay"

    def feedback(self, task: Task, state: dict[str, Any]) -> str:
        right = ", ".join(f"{number} to {bay}" for number, bay in sorted(task.criterion.expected.items()))
        return f"Right would have been: {right}."

    def progress(self, task: Task, state: dict[str, Any]) -> str:
        found = (
            f"{number} {'right' if state['placed'].get(number) == bay else 'wrong'}"
            for number, bay in sorted(task.criterion.expected.items())
        )
        return f"As they lie now: {', '.join(found)}."

    def example(self, brief: Brief, seen: Sequence[Seen], feedback: str) -> dict[str, Any]:
        right = {int(number): bay for number, bay in _RIGHT.findall(feedback)}
        said = {int(number): word == "right" for number, word in _SAID.findall(feedback)}
        shown = [one.observation for one in seen if one.observation]
        placed = {one["number"]: one["bay"] for one in shown[-1]["placed"]} if shown else {}
        return {
            "parcels": [
                {**parcel, "bay": right[parcel["number"]]}
                for parcel in (_parcels(shown[0]) if shown else ())
                if parcel["number"] in right
            ],
            "tried": [
                {"number": number, "bay": placed[number], "right": good}
                for number, good in said.items()
                if number in placed
            ],
        }

    def player(self, brief: Brief, examples: Sequence[dict[str, Any]], stream: Stream) -> Policy:
        return Sorter(brief, examples, stream)
