"""Thermostat: heat, cool or switch off, and how far. B.4.1 and, put twice, section 10.6.3.

Level 4 asks what the text asks: the same decision both times (B.4.4), in every zone towards the target (10.6.1). How
strongly is not judged there, but it must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady, finish
from assay.worlds.fuzzy import read_number
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Seen, Task
from assay.worlds.rounds import Rounds
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import read_first, table

__all__ = ["Thermostat"]

TABLE = table("thermostat")
GOALS: list[str] = TABLE["goals"]
READ = [goal.removeprefix("{who} ") for goal in GOALS]
UNITS = CELSIUS, FAHRENHEIT = "°C", "°F"
OBSERVATION = obj(
    {
        "sensors": array(obj({"zone": STRING, "sensor": STRING, "reads": STRING, "note": STRING})),
        "set": array(obj({"zone": STRING, "mode": STRING, "step": INTEGER})),
    }
)
ZONES = {1: 1, 4: 3}
# Steps that may be right, those of heating below 0. Level 1 asks for the step, level 4 for the mode.
RIGHT = {1: (-3, -2, -1, 0, 1, 2, 3), 4: (-3, -2, -1, 0, 0, 0, 1, 2, 3)}


@cache
def _set(situation: str) -> Action:
    zones: list[str] = TABLE["situations"][situation]["zones"]
    return action(
        "set_unit",
        "Set a zone once: the mode, and how strongly from 1 to 3; off goes with step 0. It then holds.",
        {
            "zone": text("where", options=zones),
            "mode": text("what the unit does there", options=["heat", "cool", "off"]),
            "step": integer("how strongly", 0, 3),
        },
    )


def _tenths(tenths: int) -> str:
    return f"{tenths // 10}.{tenths % 10}"


def _degrees(half: int, unit: str) -> str:
    """A temperature in half degrees Celsius, in words; exact in either unit."""
    return _tenths(9 * half + 320 if unit == FAHRENHEIT else 5 * half)


def _apart(half: int, unit: str) -> str:
    return _tenths((9 if unit == FAHRENHEIT else 5) * half)


def _half(said: str, unit: str, *, apart: bool = False) -> int:
    """Back to half degrees Celsius."""
    tenths = int(said.replace(".", ""))
    if unit == FAHRENHEIT:
        return (tenths if apart else tenths - 320) // 9
    return tenths // 5


def _row(zone: str, kind: str, half: int, unit: str, note: str) -> dict[str, str]:
    return {"zone": zone, "sensor": kind, "reads": f"{_degrees(half, unit)} {unit}", "note": note}


class Panel(Rounds):
    """The zones of a case, and what the unit was set to in each."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._settings: list[dict[str, list[Any]]] = [{} for _ in self.parts]

    def look(self) -> dict[str, Any]:
        sensors = [dict(sensor) for sensor in self.parts[self.now]["sensors"]]
        made = [
            {"zone": zone, "mode": mode, "step": step}
            for zone, (mode, step) in self._settings[self.now].items()
        ]
        return {"sensors": sensors, "set": made}

    def do_set_unit(self, zone: str, mode: str, step: int) -> Effect:
        zones = {sensor["zone"] for sensor in self.parts[self.now]["sensors"]}
        made = self._settings[self.now]
        if zone not in zones:
            raise Refused(f"there is no sensor in the zone {zone}; nothing was set")
        if zone in made:
            raise Refused(f"the zone {zone} was set already; it holds")
        if (mode == "off") != (step == 0):
            raise Refused("off goes with step 0, heat and cool with a step from 1 to 3; nothing was set")
        made[zone] = [mode, step]
        return self.end_round() if len(made) == len(zones) else Effect()

    def snapshot(self) -> dict[str, Any]:
        return {"settings": [{zone: made[zone] for zone in sorted(made)} for made in self._settings]}


class ClimateKeeper(Steady):
    """Reads the limits from the goal, and of each zone the sensor that counts. The novice takes the first it sees."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._said = read_first(READ, brief.goal)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        made = {one["zone"] for one in observation["set"]}
        for sensor in observation["sensors"]:
            if sensor["zone"] not in made and (self.is_novice or sensor["sensor"] == self._said["kind"]):
                return Act("set_unit", {"zone": sensor["zone"], **self.setting(sensor["reads"])})
        return finish()

    def setting(self, reads: str) -> dict[str, Any]:
        said, (number, scale) = self._said, reads.split(" ")[:2]
        reading = _half(read_number(number), FAHRENHEIT if scale.endswith(("F", "T")) else CELSIUS)
        limits = tuple(_half(said[limit], said["unit"], apart=True) for limit in ("tol", "a", "b"))
        mode, step = _setting(reading - _half(said["target"], said["unit"]), limits)
        return {"mode": mode, "step": step}


class AllWarmer(Steady):
    """Heats everywhere, a little."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        made = [one["zone"] for one in observation["set"]]
        left = [sensor["zone"] for sensor in observation["sensors"] if sensor["zone"] not in made]
        return Act("set_unit", {"zone": left[0], "mode": "heat", "step": 1}) if left else finish()


def _mode(off: int) -> str:
    return "off" if not off else "heat" if off < 0 else "cool"


def _off(right: tuple[int, ...], limits: tuple[int, ...], stream: Stream) -> int:
    """How far a zone is from its target, by ``right``: the signed steps that may be right, each equally often."""
    outcome = stream.choice(right)
    step = abs(outcome)
    off = stream.integer(limits[step] + (step > 0), limits[step + 1])
    return -off if outcome < 0 or (outcome == 0 and stream.below(2)) else off


def _setting(off: int, limits: tuple[int, ...]) -> list[Any]:
    step = sum(abs(off) > limit for limit in limits)
    return [_mode(off if step else 0), step]


class Thermostat(FamilyBase, table=TABLE):
    world = Panel
    solver = ClimateKeeper

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        place = TABLE["situations"][situation]
        tol = stream.integer(1, 4)
        a = tol + stream.integer(2, 5)
        b = a + stream.integer(2, 6)
        target = stream.integer(place["low"], place["high"])
        zones = stream.shuffled(place["zones"])[: ZONES[level]]
        offs = {zone: _off(RIGHT[level], (0, tol, a, b, b + 6), stream) for zone in zones}
        kind, idle = stream.shuffled(place["kinds"])
        others = {zone: target + stream.integer(-b - 4, b + 4) for zone in zones}
        wordings, first = stream.shuffled(GOALS), stream.below(2)
        parts: list[dict[str, Any]] = []
        for part in range(2 if level == 4 else 1):
            unit = UNITS[(first + part) % 2]
            said = {name: _apart(half, unit) for name, half in (("tol", tol), ("a", a), ("b", b))}
            gaps = {**place, "kind": kind, "unit": unit, "target": _degrees(target, unit)}
            shown = [(zone, kind, target + off) for zone, off in offs.items()]
            shown += [(zone, idle, other) for zone, other in others.items()] if level == 4 else []
            rows = [
                _row(*row, unit if level == 1 else stream.choice(UNITS), stream.choice(place["notes"]))
                for row in stream.shuffled(shown)
            ]
            parts.append({"goal": wordings[part].format(**said, **gaps), "sensors": rows})
        right = {zone: _setting(off, (tol, a, b)) for zone, off in offs.items()}
        return self.task(
            level,
            situation,
            goal=parts[0]["goal"],
            observation=OBSERVATION,
            actions=(_set(situation),),
            criterion=TABLE["criterion"][level],
            expected={zone: right[zone] for zone in sorted(right)},
            setup={"parts": parts},
            needed=len(parts) * len(zones),
            noisy=("reads", "note"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        settings = state["settings"]
        for number, made in enumerate(settings, start=1):
            place = f"case {number}, " if len(settings) > 1 else ""
            for zone, (mode, step) in task.criterion.expected.items():
                if zone not in made:
                    yield f"{place}{zone}: not set"
                elif made[zone][0] != mode:
                    yield f"{place}{zone}: {made[zone][0]} instead of {mode}"
                elif task.level == 1 and made[zone][1] != step:
                    yield f"{place}{zone}: step {made[zone][1]} instead of {step}"
        if len(settings) == 2:
            both = sorted(set(settings[0]) & set(settings[1]))
            yield from (
                f"{zone}: the same case was decided in two ways"
                for zone in both
                if settings[0][zone] != settings[1][zone]
            )

    def null(self, brief: Brief) -> AllWarmer:
        return AllWarmer(brief)
