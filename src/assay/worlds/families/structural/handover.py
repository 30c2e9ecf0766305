"""Readings that are shown in one conversation and entered in the next: a slot of memory is needed to keep them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import Fixed, Steady, finish, options
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Seen, Task
from assay.worlds.schema import BOOLEAN, INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.structure import Bottleneck, MemorySlot, StructuralBase, StructuralWorld, Structure
from assay.worlds.templates import numbers, table, worded

__all__ = ["Handover"]

TABLE = table("handover")
LOWEST, HIGHEST = 100, 999
_LINES = array(obj({"name": STRING, "reading": INTEGER}))
OBSERVATION = obj({"readings": _LINES, "sheet": _LINES, "open": BOOLEAN})


@cache
def _actions(situation: str) -> tuple[Action, ...]:
    names = sorted(TABLE["situations"][situation]["names"])
    return (
        action(
            "enter",
            "Write a reading onto the sheet; what stood there is replaced.",
            {"name": text("whose", options=names), "reading": integer(low=0, high=HIGHEST)},
        ),
        action("close_round", "End the round, and with it this conversation."),
        action("sign", "Sign the sheet. That ends the task."),
    )


class Sheet(StructuralWorld):
    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._open = self._signed = False
        self._sheet: dict[str, int] = {}

    def look(self) -> dict[str, Any]:
        shown = {} if self._open else self.setup["readings"]
        return {"readings": _lines(shown), "sheet": _lines(self._sheet), "open": self._open}

    def do_enter(self, name: str, reading: int) -> None:
        if not self._open:
            raise Refused("the sheet is not open yet")
        self._sheet[name] = reading

    def do_close_round(self) -> Effect:
        if self._open:
            raise Refused("the round is closed")
        self._open = True
        return Effect(fresh=self.setup["second"])

    def do_sign(self) -> Effect:
        if not self._open:
            raise Refused("the sheet is not open yet")
        self._signed = True
        return Effect(done=True)

    def snapshot(self) -> dict[str, Any]:
        return {"sheet": dict(sorted(self._sheet.items())), "signed": self._signed, "open": self._open}


def _lines(readings: dict[str, int]) -> list[dict[str, Any]]:
    return [{"name": name, "reading": reading} for name, reading in readings.items()]


class Clerk(Steady):
    """Enters what memory shows. The novice, and who has no memory, enters the lowest reading there can be."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if not observation["open"]:
            return Act("close_round", {})
        names = options(self.brief, "name")
        kept = {} if self.is_novice else self._kept(observation, names)
        entered = {nearest(line["name"], names): line["reading"] for line in observation["sheet"]}
        for name in names:
            if entered.get(name) != kept.get(name, LOWEST):
                return Act("enter", {"name": name, "reading": kept.get(name, LOWEST)})
        return Act("sign", {}) if names else finish()

    def _kept(self, observation: dict[str, Any], names: list[str]) -> dict[str, int]:
        """Any slot that holds lines with names and readings."""
        for held in observation.get("memory", {}).values():
            if isinstance(held, list) and all("reading" in line for line in held):
                return {nearest(line["name"], names): line["reading"] for line in held}
        return {}


class Handover(StructuralBase, table=TABLE):
    bottleneck: ClassVar[Bottleneck] = "lost_between_conversations"
    remedy = Structure(slots=(MemorySlot(name="round", keeps="readings"),))
    closing = "sign"
    world = Sheet
    solver = Clerk

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        names = stream.shuffled(story["names"])
        readings = dict(zip(names, numbers(stream, len(names), LOWEST + 1, HIGHEST), strict=True))
        tail = worded(stream, TABLE["tails"], story)
        first, second = (_sentence(worded(stream, TABLE[slot], story)) for slot in ("first", "second"))
        return self.task(
            level,
            situation,
            goal=f"{first} {tail}",
            observation=OBSERVATION,
            actions=_actions(situation),
            criterion=TABLE["criterion"],
            expected=readings,
            setup={"readings": readings, "second": f"{second} {tail}"},
            needed=len(names) + 2,
            noisy=("name",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        if not state["open"]:
            yield "the first conversation was not ended"
        elif not state["signed"]:
            yield "not signed, in the second conversation"
        wrong = sum(state["sheet"].get(name) != value for name, value in task.criterion.expected.items())
        if state["open"] and wrong:
            yield f"{wrong} of {len(task.criterion.expected)} readings are wrong or missing, in the second conversation"

    def null(self, brief: Brief) -> Fixed:
        names = options(brief, "name")
        entries = (Act("enter", {"name": name, "reading": 500}) for name in names)
        return Fixed(Act("close_round", {}), *entries, Act("sign", {}))


def _sentence(said: str) -> str:
    """The same with a capital letter where a sentence begins with a word of the story."""
    parts = said.split(". ")
    return ". ".join(part[:1].upper() + part[1:] for part in parts)
