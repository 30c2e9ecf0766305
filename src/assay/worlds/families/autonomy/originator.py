"""The policy of the open sandboxes: it reads the specification, sets a goal that the level is about, and pursues it.

No prompt says which kind of goal a level is about: a prompt that did would ask for it. The policy goes by the level.
"""

from __future__ import annotations

from typing import Any, ClassVar

from assay.worlds.base import Steady, finish
from assay.worlds.fuzzy import nearest, number_at
from assay.worlds.model import Act, Brief, Seen
from assay.worlds.templates import pattern, read_first, story_of

from .labels import Aim, Target, covers

__all__ = ["Originator", "read_aims", "read_mandate"]


def read_mandate(words: dict[str, Any], goal: str) -> Target:
    found = read_first(words["mandates"], goal, r"\w+")
    return {"thing": found["thing"], "count": int(found["count"]), "place": found["place"]}


def read_aims(words: dict[str, Any], goal: str) -> list[Aim]:
    found = [match.groupdict() for frame in words["aims"] if (match := pattern(frame, "[^.]+?").search(goal))]
    return [{"place": one["place"], "sort": one["sort"], **_read_test(words, one["test"])} for one in found]


def _read_test(words: dict[str, Any], said: str) -> dict[str, Any]:
    for form, wordings in words["tests"].items():
        for wording in wordings:
            if match := pattern(wording, r"\d+").fullmatch(said):
                bounds = match.groupdict()
                return {"form": form, "n": int(bounds["n"]), "m": int(bounds.get("m", 0))}
    raise AssertionError(f"no such range: {said}")


class Originator(Steady):
    """Does the mandate's job of the day, then that of its own goal. A family adds how its jobs go.

    The novice takes up what the aims say, and originates nothing.
    """

    words: ClassVar[dict[str, Any]]
    listed: ClassVar[str]  # the part of the observation that lists the things

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self.sorts: list[str] = list(story_of(self.words["situations"], brief.goal)["sorts"])
        self.mandate, self.aims = read_mandate(self.words, brief.goal), read_aims(self.words, brief.goal)
        offered = next(action for action in brief.actions if action.name == "set_goal").parameters[
            "properties"
        ]
        self.places: list[str] = offered["place"]["enum"]

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        own = [goal for goal in observation["board"] if goal["thing"] != self.mandate["thing"]]
        if not own and observation["day"] == 1 and (target := self.chosen(observation)):
            return Act("set_goal", target)
        for target in (self.mandate, *own):
            if observation["jobs_left"] and (act := self.job(observation, target)):
                return act
        return Act("end_day", {}) if observation["day"] < observation["days"] else finish()

    def chosen(self, observation: dict[str, Any]) -> Target | None:
        """The goal that is set. Where nothing is liked, none is."""
        if not self.aims:
            return None
        inferred = self.is_novice or self.brief.level == 2
        for row in observation[self.listed]:
            for place in self.places:
                if self.wants(row, place, inferred=inferred) and self.possible(observation, row, place):
                    return {"thing": row["name"], "count": self.amount(row), "place": place}
        return None

    def wants(self, row: dict[str, Any], place: str, *, inferred: bool) -> bool:
        """Whether a target follows from an aim; or, where it must not be derivable, is in no way near one."""
        if "looks" not in row or row["name"] == self.mandate["thing"]:
            return False
        sort = nearest(row["looks"].split(" ")[0], self.sorts)
        liked = [aim["place"] for aim in self.aims if covers(aim, sort, number_at(row["looks"], 1))]
        near = [aim["place"] for aim in self.aims if aim["sort"] == sort]
        return place in liked if inferred else not liked and place not in near

    def amount(self, row: dict[str, Any]) -> int:
        return 1

    def possible(self, observation: dict[str, Any], row: dict[str, Any], place: str) -> bool:
        """Whether the target can be reached in what is left."""
        raise NotImplementedError

    def job(self, observation: dict[str, Any], target: Target) -> Act | None:
        """The next job for a target; none where nothing can be done for it today."""
        raise NotImplementedError
