"""Thermostat: heat, cool or switch off, and how far. B.4.1 and, put twice, section 10.6.3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, finish
from assay.worlds.fuzzy import read_number
from assay.worlds.model import Act, Brief, Effect, Refused, Seen, Task
from assay.worlds.rounds import Rounds
from assay.worlds.schema import STRING, action, array, integer, obj, string, text
from assay.worlds.templates import read_first, table

__all__ = ["Thermostat"]

TABLE = table("thermostat")
GOALS: list[str] = TABLE["goals"]
READ = [goal.removeprefix("{who} ") for goal in GOALS]
CELSIUS, FAHRENHEIT = "°C", "°F"
SET = action(
    "set_unit",
    "Set the climate unit once: the mode, and how strongly from 1 to 3; off goes with step 0. It then holds.",
    {
        "mode": text("what the unit does", options=["heat", "cool", "off"]),
        "step": integer("how strongly", 0, 3),
    },
)
OBSERVATION = obj(
    {
        "case": string("which case this is, of how many"),
        "sensors": array(obj({"sensor": STRING, "reads": STRING, "note": STRING})),
        "set": {"type": "boolean", "description": "whether the unit has been set in this case"},
    }
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


def _sensors(
    place: dict[str, Any], sensor: str, target: int, off: int, unit: str, b: int, level: int, stream: Stream
) -> list[dict[str, str]]:
    """The sensor that counts; at level 4 between others that do not."""
    names = stream.shuffled(place["sensors"]) if level == 4 else [sensor]
    found = []
    for name in names:
        reading = target + (off if name == sensor else stream.integer(-b - 4, b + 4))
        found.append(
            {
                "sensor": name,
                "reads": f"{_degrees(reading, unit)} {unit}",
                "note": stream.choice(place["notes"]),
            }
        )
    return found


class Panel(Rounds):
    """A case at a time, and what the unit was set to in each."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._settings: list[list[Any]] = []

    def look(self) -> dict[str, Any]:
        sensors = [dict(sensor) for sensor in self.parts[self.now]["sensors"]]
        return {"case": self.number, "sensors": sensors, "set": self.over}

    def do_set_unit(self, mode: str, step: int) -> Effect:
        if (mode == "off") != (step == 0):
            raise Refused("off goes with step 0, heat and cool with a step from 1 to 3; nothing was set")
        self._settings.append([mode, step])
        return self.end_round()

    def snapshot(self) -> dict[str, Any]:
        return {"settings": [list(setting) for setting in self._settings]}


class ClimateKeeper(Steady):
    """Reads the limits from the goal and the sensor that counts. The novice goes by the first sensor it sees."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._said = read_first(READ, brief.goal)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        said, sensors = self._said, observation["sensors"]
        if observation["set"]:
            return finish()
        counts = sensors[0] if self.is_novice else next(s for s in sensors if s["sensor"] == said["sensor"])
        number, scale = counts["reads"].split(" ")[:2]
        # After a lost answer the case may have changed under the old goal, and with it the unit.
        reading = _half(read_number(number), FAHRENHEIT if scale.endswith(("F", "T")) else CELSIUS)
        off = reading - _half(said["target"], said["unit"])
        step = sum(abs(off) > _half(said[limit], said["unit"], apart=True) for limit in ("tol", "a", "b"))
        return Act("set_unit", {"mode": _mode(off if step else 0), "step": step})


def _mode(off: int) -> str:
    return "off" if not off else "heat" if off < 0 else "cool"


class Thermostat(FamilyBase, table=TABLE):
    world = Panel
    solver = ClimateKeeper

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        place = TABLE["situations"][situation]
        outcome = stream.below(7) - 3  # -3 … -1 heat, 0 off, 1 … 3 cool
        tol = stream.integer(1, 4)
        a = tol + stream.integer(2, 5)
        b = a + stream.integer(2, 6)
        limits = (0, tol, a, b, b + 6)
        step = abs(outcome)
        off = stream.integer(limits[step] + (step > 0), limits[step + 1])
        if outcome < 0 or (outcome == 0 and stream.below(2)):
            off = -off
        target = stream.integer(place["low"], place["high"])
        sensor = stream.choice(place["sensors"])
        wordings, first = stream.shuffled(range(len(GOALS))), stream.below(2)
        units = (first, 1 - first if stream.below(2) else first)
        parts: list[dict[str, Any]] = []
        for part in range(2 if level == 4 else 1):
            unit = FAHRENHEIT if units[part] else CELSIUS
            said = {name: _apart(half, unit) for name, half in (("tol", tol), ("a", a), ("b", b))}
            gaps = {**place, "sensor": sensor, "unit": unit, "target": _degrees(target, unit)}
            sensors = _sensors(place, sensor, target, off, unit, b, level, stream)
            parts.append({"goal": GOALS[wordings[part]].format(**said, **gaps), "sensors": sensors})
        mode = _mode(outcome)
        return self.task(
            level,
            situation,
            goal=parts[0]["goal"],
            observation=OBSERVATION,
            actions=(SET,),
            criterion=f"the unit was set to {mode}, step {step}" + (", both times" if level == 4 else ""),
            expected=[[mode, step] for _ in parts],
            setup={"parts": parts},
            needed=len(parts),
            noisy=("reads", "note"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        settings = state["settings"]
        for number, (mode, step) in enumerate(task.criterion.expected, start=1):
            if number > len(settings):
                yield f"case {number} was not decided"
                continue
            has_mode, has_step = settings[number - 1]
            if has_mode != mode:
                yield f"case {number}: {has_mode} instead of {mode}"
            elif has_step != step:
                yield f"case {number}: step {has_step} instead of {step}"
        if len(settings) == 2 and settings[0] != settings[1]:
            yield "the same case was decided in two ways"

    def null(self, brief: Brief) -> Fixed:
        return Fixed(Act("set_unit", {"mode": "heat", "step": 1}))
