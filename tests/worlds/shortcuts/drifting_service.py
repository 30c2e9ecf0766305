"""Drifting service: the manual alone, and adjustments of the settings that need no model of the service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, finish
from assay.worlds.events import whole
from assay.worlds.families.drifting_service import BOOK, TIMEOUTS


class Sender(Steady):
    """Sends every job by the manual; what follows from the last call is up to ``adjust``."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self.calls = self.steps = self.more = 0
        self.expected, self.offset, self.scale = 1, 0, 1.0

    def adjust(self, delivered: bool, after: int) -> None:
        """What a call's outcome changes: nothing."""

    def settings(self, items: int, start: int, each: int, most: int) -> tuple[int, float]:
        parts = -(-items // most) + self.more
        self.expected = start + each * -(-items // parts)
        return parts, self.expected * self.scale + self.offset

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if not observation["jobs_left"] or seen.error:
            return finish()
        if observation["calls"] > self.calls:
            self.calls = observation["calls"]
            kind, slots = BOOK.read(observation["answer"])
            self.adjust(kind == "delivered", whole(slots["n"]))
        items = whole(BOOK.read(observation["job"])[1]["n"])
        parts, needed = self.settings(items, *observation["manual"].values())
        at = next((at for at, time in enumerate(TIMEOUTS) if time >= needed), len(TIMEOUTS) - 1)
        return Act(
            "send", {"parts": min(12, parts), "timeout": TIMEOUTS[min(at + self.steps, len(TIMEOUTS) - 1)]}
        )


class LongerAfterFailure(Sender):
    def adjust(self, delivered: bool, after: int) -> None:
        self.steps += not delivered


class MorePartsAfterFailure(Sender):
    def adjust(self, delivered: bool, after: int) -> None:
        self.more += not delivered


class BothAfterFailure(Sender):
    def adjust(self, delivered: bool, after: int) -> None:
        self.more += not delivered
        self.steps += not delivered


class LongestAfterFailure(Sender):
    def adjust(self, delivered: bool, after: int) -> None:
        self.steps = 0 if delivered else len(TIMEOUTS)


class LastOffset(Sender):
    """Adds to every prediction by how much the last one was off."""

    def adjust(self, delivered: bool, after: int) -> None:
        self.offset = after - self.expected


class LastScale(Sender):
    """Multiplies every prediction by how much the last one was off."""

    def adjust(self, delivered: bool, after: int) -> None:
        self.scale = after / self.expected if delivered else self.scale


class LastSeconds(Sender):
    """The shortest timeout in which the last call would have ended."""

    def adjust(self, delivered: bool, after: int) -> None:
        self.scale, self.offset = 0.0, after


class SmallestParts(Sender):
    """Rounds the size of a part down."""

    def settings(self, items: int, start: int, each: int, most: int) -> tuple[int, float]:
        parts = -(-items // most)
        return parts, start + each * (items // parts)


class FullParts(Sender):
    """Takes every part for as large as it may be."""

    def settings(self, items: int, start: int, each: int, most: int) -> tuple[int, float]:
        return -(-items // most), start + each * min(items, most)


class WholeJob(Sender):
    """Takes the time of all items together."""

    def settings(self, items: int, start: int, each: int, most: int) -> tuple[int, float]:
        return -(-items // most), start + each * items


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    3: {"parts rounded down": SmallestParts, "full parts": FullParts, "the whole job": WholeJob},
    4: {
        "the manual": Sender,
        "a longer timeout after each failure": LongerAfterFailure,
        "another part after each failure": MorePartsAfterFailure,
        "both after each failure": BothAfterFailure,
        "the longest timeout after a failure": LongestAfterFailure,
        "the last prediction's offset": LastOffset,
        "the last prediction's ratio": LastScale,
        "the last call's seconds": LastSeconds,
    },
}
