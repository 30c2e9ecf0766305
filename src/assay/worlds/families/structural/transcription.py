"""Entries that a bad line garbles unseen: a check that compares what is stored is needed to notice it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import Fixed, Steady, options
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Action, Brief, Effect, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.structure import AgreementCheck, Bottleneck, StructuralBase, StructuralWorld, Structure
from assay.worlds.templates import numbers, table, worded

__all__ = ["Transcription"]

TABLE = table("transcription")
LOWEST, HIGHEST = 100, 999
GARBLED = (2, 3)  # entries that are stored wrongly when they are sent first
OFF = 7  # by so much
OBSERVATION = obj(
    {
        "document": array(obj({"name": STRING, "value": INTEGER})),
        "sent": array(obj({"name": STRING, "value": INTEGER, "times": INTEGER})),
    }
)
_DIFFER = re.compile(r"differ for: (.*)")


@cache
def _actions(situation: str) -> tuple[Action, ...]:
    names = sorted(TABLE["situations"][situation]["names"])
    return (
        action(
            "send",
            "Send a value to the register.",
            {"name": text("which", options=names), "value": integer(low=0, high=HIGHEST + OFF)},
        ),
        action("hand_in", "Hand in what the register holds. That ends the task."),
    )


class Register(StructuralWorld):
    """What was sent, and what was stored. A value that is sent again changes from garbled to right, or back."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._sent: dict[str, int] = {}
        self._stored: dict[str, int] = {}
        self._times: dict[str, int] = {}
        self._handed = False

    def look(self) -> dict[str, Any]:
        document = [{"name": name, "value": value} for name, value in self.setup["document"].items()]
        sent = [{"name": name, "value": v, "times": self._times[name]} for name, v in self._sent.items()]
        return {"document": document, "sent": sent}

    def fields(self) -> dict[str, dict[str, Any]]:
        return {
            "document": dict(self.setup["document"]),
            "sent": dict(self._sent),
            "stored": dict(self._stored),
        }

    def do_send(self, name: str, value: int) -> None:
        times = self._times[name] = self._times.get(name, 0) + 1
        garbled = (times % 2 == 1) == (name in self.setup["garbled"])
        self._sent[name], self._stored[name] = value, value + OFF if garbled else value

    def do_hand_in(self) -> Effect:
        self._handed = True
        return Effect(done=True)

    def snapshot(self) -> dict[str, Any]:
        return {"stored": dict(sorted(self._stored.items())), "handed_in": self._handed}


class Sender(Steady):
    """Sends everything once, hands in, and sends again what a check names. The novice does not listen to checks."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        names = options(self.brief, "name")
        document = {nearest(line["name"], names): line["value"] for line in observation["document"]}
        sent = {nearest(line["name"], names): line for line in observation["sent"]}
        for name, value in document.items():
            if name not in sent or sent[name]["value"] != value:
                return Act("send", {"name": name, "value": value})
        found = "" if self.is_novice else " ".join(observation.get("checks", ()))
        for name in (name for said in _DIFFER.findall(found) for name in said.split(", ")):
            if name in sent and sent[name]["times"] < 2:
                return Act("send", {"name": name, "value": document[name]})
        return Act("hand_in", {})


class Transcription(StructuralBase, table=TABLE):
    bottleneck: ClassVar[Bottleneck] = "unnoticed_errors"
    remedy = Structure(checks=(AgreementCheck(name="stored", compare="stored", equals="document"),))
    fields: ClassVar[dict[str, str]] = {
        "document": "the values of the document",
        "sent": "the values as they were sent",
        "stored": "the values as the register holds them, read back from there",
    }
    closing = "hand_in"
    world = Register
    solver = Sender

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        names = stream.shuffled(story["names"])
        document = dict(zip(names, numbers(stream, len(names), LOWEST, HIGHEST), strict=True))
        garbled = sorted(stream.shuffled(names)[: stream.integer(*GARBLED)])
        return self.task(
            level,
            situation,
            goal=" ".join(worded(stream, TABLE[slot], story) for slot in ("heads", "rules", "more", "tails")),
            observation=OBSERVATION,
            actions=_actions(situation),
            criterion=TABLE["criterion"],
            expected=document,
            setup={"document": document, "garbled": garbled},
            needed=len(names) + len(garbled) + 2,
            noisy=("name",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        if not state["handed_in"]:
            yield "nothing was handed in"
        wrong = sum(state["stored"].get(name) != value for name, value in task.criterion.expected.items())
        if wrong:
            yield f"{wrong} of {len(task.criterion.expected)} values were not stored as they should be"

    def null(self, brief: Brief) -> Fixed:
        names = options(brief, "name")
        return Fixed(*(Act("send", {"name": name, "value": 500}) for name in names), Act("hand_in", {}))
