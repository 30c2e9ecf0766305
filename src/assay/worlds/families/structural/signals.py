"""Signals that change with every press, seen after every third alone: the cycle of steps has to be another."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import Fixed, Steady, finish, options
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, obj, text
from assay.worlds.structure import Bottleneck, StructuralBase, StructuralWorld, Structure
from assay.worlds.templates import table, worded

__all__ = ["Signals"]

TABLE = table("signals")
PRESSES = 6
OBSERVATION = obj({"due": STRING, "pressed": INTEGER})


@cache
def _actions(situation: str) -> tuple[Action, ...]:
    names = sorted(TABLE["situations"][situation]["names"])
    return (action("press", "Press a key.", {"key": text("which", options=names)}),)


class Keys(StructuralWorld):
    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._pressed: list[str] = []

    def look(self) -> dict[str, Any]:
        due = [*self.setup["due"], ""]
        return {"due": due[len(self._pressed)], "pressed": len(self._pressed)}

    def do_press(self, key: str) -> Effect:
        if len(self._pressed) >= PRESSES:
            raise Refused("nothing is due any more")
        self._pressed.append(key)
        return Effect(done=len(self._pressed) == PRESSES)

    def snapshot(self) -> dict[str, Any]:
        return {"pressed": list(self._pressed)}


class Presser(Steady):
    """Presses what is shown as due. The novice presses what was due at first."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._first = ""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if not observation["due"]:
            return finish()
        due = nearest(observation["due"], options(self.brief, "key"))
        self._first = self._first or due
        return Act("press", {"key": self._first if self.is_novice else due})


class Signals(StructuralBase, table=TABLE):
    bottleneck: ClassVar[Bottleneck] = "stale_view"
    baseline = Structure(steps=("observe", "decide", "act", "decide", "act", "decide", "act"))
    remedy = Structure(steps=("observe", "decide", "act"))
    world = Keys
    solver = Presser

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        due: list[str] = []
        for _ in range(PRESSES):  # never the same twice in a row
            due.append(stream.choice([name for name in story["names"] if name not in due[-1:]]))
        return self.task(
            level,
            situation,
            goal=" ".join(
                worded(stream, TABLE[slot], story, n=PRESSES) for slot in ("heads", "rules", "tails")
            ),
            observation=OBSERVATION,
            actions=_actions(situation),
            criterion=TABLE["criterion"],
            expected=due,
            setup={"due": due},
            needed=PRESSES,
            noisy=("due",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        pressed = state["pressed"]
        if len(pressed) < PRESSES:
            yield f"{len(pressed)} presses instead of {PRESSES}"
        wrong = [n for n, key in enumerate(pressed) if key != task.criterion.expected[n]]
        if wrong:
            yield f"wrong were the presses number {', '.join(str(n + 1) for n in wrong)}"

    def null(self, brief: Brief) -> Fixed:
        keys = options(brief, "key")
        return Fixed(*(Act("press", {"key": keys[n % len(keys)]}) for n in range(PRESSES)))
