"""Shortcuts to `shedding`: go by a number, by where a goal is named, by the notes; do a bit of each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen, finish
from assay.worlds.base import Steady
from assay.worlds.families.priorities.ranking import listed_goals
from assay.worlds.families.priorities.shedding import TABLE, Operator, Rules, Shedding
from assay.worlds.fuzzy import nearest
from assay.worlds.templates import story_of

__all__ = ["SHORTCUTS"]

Key = Callable[[Brief, dict[str, Any], dict[str, Any]], Any]


class Ranked(Steady):
    """Switches off in the order of a key until the limit is kept."""

    def __init__(self, brief: Brief, key: Key) -> None:
        super().__init__(brief)
        self._key = key

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        gone = [*observation["off"], *observation.get("stuck", ())]
        left = [unit for unit in observation["units"] if unit["unit"] not in gone]
        if observation["drawn"] <= observation["limit"] or not left:
            return Act("close_case", {}) if self.brief.level == 4 else finish()
        unit = min(left, key=lambda one: self._key(self.brief, one, observation))
        return Act("switch_off", {"unit": unit["unit"]})


def _serves(brief: Brief, unit: dict[str, Any]) -> str:
    return nearest(unit["serves"].split(" ")[0], _listed(brief))


def _listed(brief: Brief) -> list[str]:
    return listed_goals(brief.goal, story_of(TABLE["situations"], brief.goal)["goals"])


def _named(brief: Brief, unit: dict[str, Any]) -> int:
    """Where the rules first name the unit's goal."""
    rules = brief.goal.split("). ", 1)[-1].lower()
    return rules.find(_serves(brief, unit))


def _times(brief: Brief, unit: dict[str, Any]) -> int:
    return brief.goal.lower().count(_serves(brief, unit))


def _in_notes(brief: Brief, unit: dict[str, Any], observation: dict[str, Any]) -> int:
    return " ".join(observation.get("notes", [])).lower().find(_serves(brief, unit))


def _already(brief: Brief, unit: dict[str, Any], observation: dict[str, Any]) -> int:
    """How many of the same goal are off: doing a bit of each."""
    off = [one for one in observation["units"] if one["unit"] in observation["off"]]
    return sum(_serves(brief, one) == _serves(brief, unit) for one in off)


def _together(feature: str) -> Key:
    """The goal whose units have most of something together is kept."""

    def key(brief: Brief, unit: dict[str, Any], observation: dict[str, Any]) -> Any:
        same = [one for one in observation["units"] if _serves(brief, one) == _serves(brief, unit)]
        return sum(one[feature] for one in same), -unit["draws"]

    return key


class Named(Operator):
    """Ranks goals as the rules name them first, or the other way round, and does the rest as declared."""

    def __init__(self, brief: Brief, sign: int) -> None:
        super().__init__(brief)
        goals = sorted(_listed(brief), key=lambda goal: sign * _named(brief, {"serves": goal}))
        self.rules = Rules(tuple(goals), self.rules.first, never=self.rules.never)


KEYS: dict[str, Key] = {
    "as listed": lambda brief, unit, seen: 0,
    "largest draw": lambda brief, unit, seen: -unit["draws"],
    "smallest draw": lambda brief, unit, seen: unit["draws"],
    "fewest people": lambda brief, unit, seen: unit["people"],
    "first listed kept, largest draw": lambda brief, unit, seen: (
        -_listed(brief).index(_serves(brief, unit)),
        -unit["draws"],
    ),
    "last listed kept, largest draw": lambda brief, unit, seen: (
        _listed(brief).index(_serves(brief, unit)),
        -unit["draws"],
    ),
    "last listed kept, fewest people": lambda brief, unit, seen: (
        _listed(brief).index(_serves(brief, unit)),
        unit["people"],
    ),
    "named first in the rules kept": lambda brief, unit, seen: (-_named(brief, unit), unit["people"]),
    "named last in the rules kept": lambda brief, unit, seen: (_named(brief, unit), -unit["draws"]),
    "named most often kept": lambda brief, unit, seen: (_times(brief, unit), unit["people"]),
    "a bit of each": lambda brief, unit, seen: (_already(brief, unit, seen), unit["people"]),
    "most people together kept": _together("people"),
}
NOTES: dict[str, Key] = {
    "as the notes name them": lambda brief, unit, seen: (-_in_notes(brief, unit, seen), unit["people"]),
    "against the notes": lambda brief, unit, seen: (_in_notes(brief, unit, seen), -unit["draws"]),
}


def _policies(keys: dict[str, Key]) -> dict[str, Callable[[Brief], Policy]]:
    found: dict[str, Callable[[Brief], Policy]] = {
        name: partial(Ranked, key=key) for name, key in keys.items()
    }
    for name, sign in (("first", 1), ("last", -1)):
        found[f"named {name} in the rules kept, ties as declared"] = partial(Named, sign=sign)
    return found | {"first listed objective": Shedding().first_listed}


FEW = {name: KEYS[name] for name in ("fewest people", "a bit of each", "last listed kept, largest draw")}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: _policies(KEYS),
    2: _policies(FEW),
    3: _policies(FEW | NOTES),
    4: _policies(FEW | NOTES),
    5: _policies(FEW | NOTES),
}
