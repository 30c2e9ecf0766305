"""Shortcuts to `thermostat`: one setting for all, the sign alone, numbers without their units, any sensor."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, finish
from assay.worlds.fuzzy import read_number

__all__ = ["SHORTCUTS"]

Choice = Callable[[Brief, list[dict[str, Any]]], tuple[str, int]]


class Setting(Steady):
    """Sets every zone by the rows that are shown of it."""

    def __init__(self, brief: Brief, choice: Choice) -> None:
        super().__init__(brief)
        self._choice = choice

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        made = {one["zone"] for one in observation["set"]}
        left = [row["zone"] for row in observation["sensors"] if row["zone"] not in made]
        if not left:
            return finish()
        rows = [row for row in observation["sensors"] if row["zone"] == left[0]]
        mode, step = self._choice(self.brief, rows)
        return Act("set_unit", {"zone": left[0], "mode": mode, "step": step})


def _number(said: str) -> float:
    return float(read_number(said.split(" ")[0]))


def _numbers(brief: Brief) -> list[float]:
    """The numbers of the goal that go with a unit: the largest is nearly always the target."""
    return sorted({float(found) for found in re.findall(r"(\d+\.\d) °", brief.goal)})


def _sign(brief: Brief, rows: list[dict[str, Any]], step: int) -> tuple[str, int]:
    return ("heat" if _number(rows[0]["reads"]) < _numbers(brief)[-1] else "cool"), step


def _by_limits(
    brief: Brief, rows: list[dict[str, Any]], reads: Callable[[list[float]], float]
) -> tuple[str, int]:
    """The whole rule, without regard to units and to which sensor counts."""
    *limits, target = _numbers(brief)
    off = reads([_number(row["reads"]) for row in rows]) - target
    step = sum(abs(off) > limit for limit in limits[:3])
    return ("off", 0) if not step else ("heat" if off < 0 else "cool", step)


def _no_tolerance(brief: Brief, rows: list[dict[str, Any]]) -> tuple[str, int]:
    """The right sensor in the right unit, but the sign alone."""
    row = next(row for row in rows if f" {row['sensor']} sensor" in brief.goal)
    celsius = not row["reads"].split(" ")[1].endswith(("F", "T"))
    reading, target = _number(row["reads"]), _numbers(brief)[-1]
    if celsius != ("°C" in brief.goal):
        reading = reading * 1.8 + 32 if celsius else (reading - 32) / 1.8
    return ("heat" if reading < target else "cool"), 1


def _always(mode: str, step: int) -> Choice:
    return lambda brief, rows: (mode, step)


COMMON: dict[str, Choice] = {
    f"always {mode} {step}": _always(mode, step) for mode in ("heat", "cool") for step in (1, 2, 3)
}
COMMON |= {"always off": _always("off", 0)}
COMMON |= {f"the sign, step {step}": partial(_sign, step=step) for step in (1, 2, 3)}
CLOSER: dict[str, Choice] = {
    "first sensor, numbers as they stand": partial(_by_limits, reads=lambda found: found[0]),
    "last sensor, numbers as they stand": partial(_by_limits, reads=lambda found: found[-1]),
    "mean of the sensors": partial(_by_limits, reads=lambda found: sum(found) / len(found)),
    "sign of the right sensor": _no_tolerance,
    "warmest sensor": partial(_by_limits, reads=max),
    "coldest sensor": partial(_by_limits, reads=min),
}


def _policies(choices: dict[str, Choice]) -> dict[str, Callable[[Brief], Policy]]:
    return {name: partial(Setting, choice=choice) for name, choice in choices.items()}


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: _policies(COMMON),
    4: _policies(COMMON | CLOSER),
}
