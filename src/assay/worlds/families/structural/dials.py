"""Dials that move a notch at a time, with far fewer actions than notches: a wrapper that repeats a turn is needed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import Fixed, Steady, finish, options
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Action, Brief, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, obj, text
from assay.worlds.structure import (
    Bottleneck,
    StructuralBase,
    StructuralWorld,
    Structure,
    WrappedCall,
    Wrapper,
)
from assay.worlds.templates import table, worded

__all__ = ["Dials"]

TABLE = table("dials")
DIALS, POSITIONS, SPARE = 5, 12, 3
FEWEST, HIGHEST = 4, 9  # notches that a dial has to go
OBSERVATION = obj({"dials": array(obj({"name": STRING, "at": INTEGER, "wanted": INTEGER}))})


@cache
def _actions(situation: str) -> tuple[Action, ...]:
    names = sorted(TABLE["situations"][situation]["names"])
    return (action("turn", "Turn one of them one notch up.", {"name": text("which", options=names)}),)


class Desk(StructuralWorld):
    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._at: dict[str, int] = dict(task.setup["at"])

    def look(self) -> dict[str, Any]:
        wanted = self.setup["wanted"]
        return {"dials": [{"name": name, "at": at, "wanted": wanted[name]} for name, at in self._at.items()]}

    def do_turn(self, name: str) -> None:
        if name in self._at:
            self._at[name] = (self._at[name] + 1) % POSITIONS

    def snapshot(self) -> dict[str, Any]:
        return {"at": dict(self._at)}


class Turner(Steady):
    """Uses an action that repeats a turn where there is one. The novice turns notch by notch."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        names = options(self.brief, "name")
        for dial in observation["dials"]:
            notches = (dial["wanted"] - dial["at"]) % POSITIONS
            if notches:
                name = nearest(dial["name"], names)
                repeating = None if self.is_novice else self._repeating(names)
                if repeating is None:
                    return Act("turn", {"name": name})
                act, which, times = repeating
                return Act(act, {which: name, times: notches})
        return finish()

    def _repeating(self, names: list[str]) -> tuple[str, str, str] | None:
        """An action with two arguments: one that names a dial, and one that does not."""
        for one in self.brief.actions:
            parts = one.parameters["properties"]
            which = [name for name, part in parts.items() if part.get("enum") == names]
            if len(parts) == 2 and len(which) == 1:
                return one.name, which[0], next(name for name in parts if name != which[0])
        return None


class Dials(StructuralBase, table=TABLE):
    bottleneck: ClassVar[Bottleneck] = "action_budget"
    remedy = Structure(
        wrappers=(
            Wrapper(
                name="turn_often",
                does=(WrappedCall(action="turn", arguments={"name": "$name"}, times="$times"),),
            ),
        )
    )
    world = Desk
    solver = Turner

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        names = stream.shuffled(story["names"])[:DIALS]
        at = {name: stream.below(POSITIONS) for name in names}
        wanted = {name: (at[name] + stream.integer(FEWEST, HIGHEST)) % POSITIONS for name in names}
        return self.task(
            level,
            situation,
            goal=" ".join(worded(stream, TABLE[slot], story) for slot in ("heads", "rules", "tails")),
            observation=OBSERVATION,
            actions=_actions(situation),
            criterion=TABLE["criterion"],
            expected=wanted,
            setup={"at": at, "wanted": wanted},
            needed=DIALS,
            most=DIALS + SPARE,
            noisy=("name",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        wrong = sum(state["at"][name] != to for name, to in task.criterion.expected.items())
        if wrong:
            yield f"{wrong} of {len(task.criterion.expected)} are not where they are wanted"

    def null(self, brief: Brief) -> Fixed:
        names = options(brief, "name")
        return Fixed(*(Act("turn", {"name": name}) for name in names))
