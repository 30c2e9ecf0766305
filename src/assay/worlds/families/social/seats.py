"""Seats: a partner's part in a family of tier 5, for another agent than a script (12.8).

Every meeting is a task of its own, for either side: what happened before is in its log. Both move at the same time, so
the partner decides without knowing the subject's move. The part ``seat`` of a family's table has the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from assay.worlds.model import Criterion, Task, World
from assay.worlds.tiers import PastMeeting

from .partners import Meetings, Move, PartnerFamily

__all__ = ["SeatedPartners"]


class SeatedPartners(PartnerFamily):
    """A `SeatedFamily`: all meetings of an instance are with one partner, who sits in the seat."""

    seat: ClassVar[str]
    silent: ClassVar[str]
    world: ClassVar[type[Meetings]]
    seat_world: ClassVar[type[Meetings]]

    def __init_subclass__(cls, *, table: dict[str, Any] | None = None) -> None:
        super().__init_subclass__(table=table)
        if table is not None:
            cls.seat, cls.silent = table["seat"]["role"], table["seat"]["silent"]

    def open(self, task: Task, *, drift: bool) -> World:
        return (self.seat_world if task.setup.get("seat") else self.world)(task, drift=drift)

    def meeting_task(self, task: Task, past: Sequence[PastMeeting], theirs: Move) -> Task:
        case = task.setup["meetings"][len(past)]["case"]
        known = [
            [one.yours, self.world.figure(of["case"], one.theirs)]
            for one, of in zip(past, task.setup["meetings"], strict=False)
        ]
        now = {"theirs": self.world.figure(case, theirs)}
        return self._one(task, known, task.setup["meetings"][0]["who"], now, goal="goal")

    def seat_task(self, task: Task, past: Sequence[PastMeeting]) -> Task:
        known = [
            [one.theirs, None if one.yours is None else self.world.figure(of["case"], one.yours)]
            for one, of in zip(past, task.setup["meetings"], strict=False)
        ]
        found = self._one(task, known, self.words["seat"]["label"], {}, goal="theirs")
        about = self.words["seat"]["action"]
        actions = tuple(msgspec.structs.replace(one, about=about) for one in task.actions)
        return msgspec.structs.replace(found, actions=actions, setup={**found.setup, "seat": True})

    def moved(self, task: Task, state: dict[str, Any]) -> Move | None:
        made = state["met"][len(task.setup["past"]) :]
        return {part: made[0][part] for part in task.actions[0].parameters["properties"]} if made else None

    def silent_move(self, task: Task, past: Sequence[PastMeeting]) -> Move:
        case = task.setup["meetings"][len(past)]["case"]
        return self.world.move_of(case, case["said"])

    def _one(self, task: Task, past: list[list[Any]], who: str, now: dict[str, Any], *, goal: str) -> Task:
        """The meeting after those that are past, from one side."""
        seat, place, setup = goal == "theirs", len(past), task.setup
        meetings = [{**one, "partner": 0, "who": who, "policy": ""} for one in setup["meetings"][: place + 1]]
        meetings[place] |= now
        earlier, last = self._before(task, who, seat=seat)
        expected = {"least": 1, "from": place + 1}
        words = "a move is made" if seat else f"at this meeting: {task.criterion.text}"
        return msgspec.structs.replace(
            task,
            goal=self.words["seat"][goal].format_map(self.words["situations"][task.situation]),
            criterion=Criterion(words, expected),
            setup={
                "policies": [], "earlier": earlier, "last": last, "meetings": meetings, "past": past,
                "of": len(setup["meetings"]),
            },
            needed=1,
            most=6,
        )  # fmt: skip

    def _before(self, task: Task, who: str, *, seat: bool) -> tuple[list[dict[str, Any]], list[list[int]]]:
        """What happened before today between the two: what the first partner of the instance has."""
        if not task.setup["earlier"]:
            return [], []
        one, (theirs, yours) = task.setup["earlier"][0], task.setup["last"][0]
        if not seat:
            return [{**one, "who": who}], [[theirs, yours]]
        case = task.setup["meetings"][0]["case"]
        move = self.world.move_of(case, theirs)
        kind, slots = self.seat_world.told(case, move, yours)
        reply = self.seat_world.replies[kind][0].format(**slots)
        return [{**one, "who": who, **move, "reply": reply}], [[yours, theirs]]
