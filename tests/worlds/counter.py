"""A family for tests, in one screen: press the button as often as the goal says. One file is all a user writes."""

from __future__ import annotations

from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase
from assay.worlds.model import (
    Act,
    Action,
    Brief,
    Criterion,
    Dimension,
    Effect,
    Environment,
    Judgement,
    Seen,
    Task,
)
from assay.worlds.schema import obj

__all__ = ["Button", "Counter", "Presser"]

PRESS = Action(
    name="press",
    about="Press the button.",
    parameters=obj({"times": {"type": "integer", "minimum": 1, "maximum": 3}}),
)
PEEK = Action(name="peek", about="Read the meter.", parameters=obj({}), query=True)
HELP = Action(name="help", about="Ask for help.", parameters=obj({}), optional=True)
PLACES = {
    "lift": "lift",
    "mill": "mill",
    "press": "printing press",
    "fountain": "fountain",
    "bell": "bell tower",
}
ASKS = ("Press the button of the {place} {count} times.", "The {place} needs {count} presses of its button.")


class Counter(FamilyBase):
    name: ClassVar[str] = "counter"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Press a button"
    dimension: ClassVar[Dimension] = "D"
    environment: ClassVar[Environment] = "tool-augmented"
    levels: ClassVar[dict[int, str]] = {1: "once", 2: "several times"}
    situations: ClassVar[tuple[str, ...]] = ("lift", "mill", "press")
    held_out: ClassVar[tuple[str, ...]] = ("fountain", "bell")
    chance: ClassVar[dict[int, float]] = {1: 0.3, 2: 0.3}
    verification: ClassVar[str] = "the meter"

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        count = stream.integer(4, 9) if level == 2 else stream.integer(1, 3)
        goal = stream.choice(ASKS).format(place=PLACES[situation], count=count)
        return Task(
            family=self.name, level=level, situation=situation, goal=goal,
            observation=obj({"pressed": {"type": "integer"}, "note": {"type": "string"}}),
            actions=(PRESS, PEEK, HELP), criterion=Criterion(f"pressed {count} times", count),
            setup={"serial": stream.bits64()}, needed=(count + 2) // 3, most=14, queries=2, noisy=("note",),
        )  # fmt: skip

    def open(self, task: Task, *, drift: bool) -> Button:
        return Button()

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        good = state["pressed"] == task.criterion.expected
        return Judgement(good, () if good else (f"pressed {state['pressed']} times",))

    def oracle(self, brief: Brief) -> Presser:
        return Presser(brief)

    def novice(self, brief: Brief) -> Fixed:
        count = next(int(word) for word in brief.goal.replace(".", "").split() if word.isdigit())
        return Fixed(Act("press", {"times": min(count, 3)}))

    def null(self, brief: Brief) -> Fixed:
        return Fixed(Act("press", {"times": 2}))


class Button(WorldBase):
    def __init__(self) -> None:
        self.pressed = 0

    def look(self) -> dict[str, Any]:
        return {"pressed": self.pressed, "note": "the meter counts every press"}

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        if name == "press":
            self.pressed += arguments["times"]
        return Effect()

    def snapshot(self) -> dict[str, Any]:
        return {"pressed": self.pressed}


class Presser(Steady):
    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        count = next(int(word) for word in self.brief.goal.replace(".", "").split() if word.isdigit())
        left = count - observation["pressed"]
        return Act("press", {"times": min(left, 3)}) if left > 0 else Act("finish", {"achieved": True})
