"""Project: whoever goes by the list, by one number, or by what was refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, finish
from assay.worlds.fuzzy import nearest

Key = Callable[[dict[str, Any]], Any]
Staff = Callable[[dict[str, Any]], Any]


class Reactive(Steady):
    """Takes a ready step by one key and the worker who comes first by another; after a refusal, the next pair."""

    def __init__(self, brief: Brief, by: Key, staff: Staff, *, avoids: bool = False) -> None:
        super().__init__(brief)
        self._by, self._staff, self._avoids = by, staff, avoids
        self._refused: set[tuple[str, str, str]] = set()
        self._asked: tuple[str, str] = "", ""
        self._before = -1
        self._expected = 0
        self._avoided: set[str] = set()

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        mark = str(observation["done"]) + str(observation["hour"])
        if seen.error:
            self._refused.add((*self._asked, mark))
        elif self._before >= 0 and observation["hour"] - self._before > self._expected > 0:
            self._avoided.add(self._asked[1])
        skills = sorted(worker["good_at"] for worker in observation["workers"])
        done = set(observation["done"])
        for step in sorted((s for s in observation["open"] if done.issuperset(s["needs"])), key=self._by):
            skill = nearest(step["skill"].split(" ")[0], skills)
            able = [w for w in observation["workers"] if skill in (w["good_at"], w["also_knows"])]
            able.sort(
                key=lambda w: (
                    self._avoids and w["worker"] in self._avoided,
                    self._staff({**w, "skill": skill}),
                )
            )
            for worker in able:
                asked = step["step"], worker["worker"]
                if (*asked, mark) not in self._refused:
                    self._asked, self._before = asked, observation["hour"]
                    self._expected = step["hours"] * (1 if worker["good_at"] == skill else 2)
                    return Act("assign", {"step": asked[0], "worker": asked[1]})
        return finish(not observation["open"])


def listed(_: dict[str, Any]) -> int:
    return 0


def good(worker: dict[str, Any]) -> bool:
    return bool(worker["good_at"] != worker["skill"])


def shortest(step: dict[str, Any]) -> int:
    return int(step["hours"])


def longest(step: dict[str, Any]) -> int:
    return -int(step["hours"])


def due(step: dict[str, Any]) -> int:
    return int(step["by"])


def slack(step: dict[str, Any]) -> int:
    return int(step["by"]) - int(step["hours"])


def fewest_needs(step: dict[str, Any]) -> int:
    return len(step["needs"])


def rested(worker: dict[str, Any]) -> int:
    return -int(worker["hours_left"])


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    3: {
        "first listed, anyone able": partial(Reactive, by=listed, staff=listed),
        "first listed, who is good at it, the other after a refusal": partial(
            Reactive, by=listed, staff=good
        ),
        "shortest first": partial(Reactive, by=shortest, staff=good),
        "longest first": partial(Reactive, by=longest, staff=good),
        "who has most hours left": partial(Reactive, by=listed, staff=rested),
        "never again who took longer": partial(Reactive, by=listed, staff=good, avoids=True),
        "longest first, never again who took longer": partial(Reactive, by=longest, staff=good, avoids=True),
    },
    5: {
        "first listed, anyone able": partial(Reactive, by=listed, staff=listed),
        "first listed, who is good at it": partial(Reactive, by=listed, staff=good),
        "shortest first": partial(Reactive, by=shortest, staff=good),
        "due first": partial(Reactive, by=due, staff=good),
        "least slack first": partial(Reactive, by=slack, staff=good),
        "due first, anyone able": partial(Reactive, by=due, staff=listed),
        "fewest needs first": partial(Reactive, by=fewest_needs, staff=good),
    },
}
