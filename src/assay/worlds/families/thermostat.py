"""Thermostat: heat, cool or switch off, and how far. B.4.1 and, put twice, section 10.6.3."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, read_number
from assay.worlds.model import (
    Act,
    Action,
    Brief,
    Criterion,
    Dimension,
    Effect,
    Environment,
    Judgement,
    Seen,
    Task,
)
from assay.worlds.schema import obj, text
from assay.worlds.wording import reader, table_of

__all__ = ["Thermostat"]


class Place(Struct, frozen=True):
    """Where a temperature is kept. ``low`` and ``high`` bound the target, in half degrees Celsius."""

    who: str
    what: str
    low: int
    high: int
    sensors: tuple[str, str, str]
    notes: tuple[str, ...]


PLACES = table_of("thermostat", dict[str, Place])
# What is asked. The numbers are differences from the target, limits included.
GOALS = (
    "{who} Keep the {what} at {target} {unit}. Only the {sensor} sensor counts. If it reads no more than {tol} degrees "
    "away from the target, switch off with step 0. If it is farther off, heat when it is too cold and cool when it is "
    "too warm: with step 1 up to {a} degrees away, with step 2 up to {b} degrees away, with step 3 beyond that.",
    "{who} The {what} should have {target} {unit}, and the {sensor} sensor tells how warm it is. Too cold means heat, "
    "too warm means cool. The step depends on how far the reading is from the target: more than {b} degrees, step 3; "
    "more than {a} degrees but not more than {b}, step 2; more than {tol} degrees but not more than {a}, step 1; not "
    "more than {tol} degrees, switch off with step 0.",
    "{who} Decide on the climate unit of the {what}. Go by the {sensor} sensor alone. A difference of {tol} degrees or "
    "less from the wanted {target} {unit} is fine: off, step 0. Otherwise work against the difference, heating or "
    "cooling: step 1 if it is {a} degrees or less, step 2 if it is {b} degrees or less, and step 3 if it is larger.",
    "{who} Step 3 is for readings more than {b} degrees from the target, step 2 for those more than {a} degrees from "
    "it, step 1 for those more than {tol} degrees from it; anything nearer, or just as near, needs nothing: off, step "
    "0. Heat what is too cold, cool what is too warm. The {what} is to be kept at {target} {unit} as the {sensor} "
    "sensor reads it.",
)
READERS = tuple(reader(goal.removeprefix("{who} ")) for goal in GOALS)
CELSIUS, FAHRENHEIT = "°C", "°F"
MODES = ["heat", "cool", "off"]
SET = Action(
    name="set_unit",
    about="Set the climate unit once: the mode, and how strongly from 1 to 3; off goes with step 0. It then holds.",
    parameters=obj(
        {
            "mode": text("what the unit does", options=MODES),
            "step": {"type": "integer", "minimum": 0, "maximum": 3, "description": "how strongly"},
        }
    ),
)
OBSERVATION = obj(
    {
        "case": {"type": "string", "description": "which case this is, of how many"},
        "sensors": {
            "type": "array",
            "items": obj(
                {"sensor": {"type": "string"}, "reads": {"type": "string"}, "note": {"type": "string"}}
            ),
        },
        "set": {"type": "boolean", "description": "whether the unit has been set in this case"},
    }
)


class Thermostat(FamilyBase):
    name: ClassVar[str] = "thermostat"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Heat, cool or switch off"
    dimension: ClassVar[Dimension] = "D"
    environment: ClassVar[Environment] = "static"
    levels: ClassVar[dict[int, str]] = {
        1: "one setting from a reading, a target and limits",
        4: "the same setting put twice: other words, units, order and irrelevant readings",
    }
    situations: ClassVar[tuple[str, ...]] = ("greenhouse", "cellar", "incubator", "aquarium", "laboratory")
    held_out: ClassVar[tuple[str, ...]] = ("terrarium", "bakery")
    chance: ClassVar[dict[int, float]] = {1: 0.15, 4: 0.15}
    verification: ClassVar[str] = "what the climate unit was set to, read from the state"

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        place = PLACES[situation]
        outcome = stream.below(7) - 3  # -3 … -1 heat, 0 off, 1 … 3 cool
        tol = stream.integer(1, 4)
        a = tol + stream.integer(2, 5)
        b = a + stream.integer(2, 6)
        limits = (0, tol, a, b, b + 6)
        step = abs(outcome)
        off = stream.integer(limits[step] + (step > 0), limits[step + 1])
        if outcome < 0 or (outcome == 0 and stream.below(2)):
            off = -off
        target = stream.integer(place.low, place.high)
        sensor = stream.choice(place.sensors)
        wordings, first = stream.shuffled(range(len(GOALS))), stream.below(2)
        units = (first, 1 - first if stream.below(2) else first)
        parts: list[dict[str, Any]] = []
        for part in range(2 if level == 4 else 1):
            unit = FAHRENHEIT if units[part] else CELSIUS
            said = {"target": _degrees(target, unit), "tol": _apart(tol, unit), "a": _apart(a, unit)}
            gaps = {
                "who": place.who,
                "what": place.what,
                "sensor": sensor,
                "unit": unit,
                "b": _apart(b, unit),
            }
            parts.append(
                {
                    "goal": GOALS[wordings[part]].format(**said, **gaps),
                    "sensors": _sensors(place, sensor, target, off, unit, b, level, stream),
                }
            )
        mode = "off" if not outcome else "heat" if outcome < 0 else "cool"
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=parts[0]["goal"],
            observation=OBSERVATION,
            actions=(SET,),
            criterion=Criterion(
                f"the unit was set to {mode}, step {step}" + (", both times" if level == 4 else ""),
                [[mode, step] for _ in parts],
            ),
            setup={"parts": parts},
            needed=len(parts),
            most=2 * len(parts) + 4,
            noisy=("reads", "note"),
        )

    def open(self, task: Task, *, drift: bool) -> Panel:
        return Panel(task)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        settings, expected = state["settings"], task.criterion.expected
        if settings == expected:
            return Judgement(True)
        because = []
        for number, (mode, step) in enumerate(expected):
            if number >= len(settings):
                because.append(f"case {number + 1} was not decided")
            elif settings[number][0] != mode:
                because.append(f"case {number + 1}: {settings[number][0]} instead of {mode}")
            elif settings[number][1] != step:
                because.append(f"case {number + 1}: step {settings[number][1]} instead of {step}")
        if len(settings) == 2 and settings[0] != settings[1]:
            because.append("the same case was decided in two ways")
        return Judgement(False, tuple(because))

    def oracle(self, brief: Brief) -> Keeper:
        return Keeper(brief)

    def novice(self, brief: Brief) -> Keeper:
        return Keeper(brief, first=True)

    def null(self, brief: Brief) -> Fixed:
        return Fixed(Act("set_unit", {"mode": "heat", "step": 1}))


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
    place: Place, sensor: str, target: int, off: int, unit: str, b: int, level: int, stream: Stream
) -> list[dict[str, str]]:
    """The sensor that counts; at level 4 between others that do not."""
    names = stream.shuffled(place.sensors) if level == 4 else [sensor]
    found = []
    for name in names:
        reading = target + (off if name == sensor else stream.integer(-b - 4, b + 4))
        found.append(
            {"sensor": name, "reads": f"{_degrees(reading, unit)} {unit}", "note": stream.choice(place.notes)}
        )
    return found


class Panel(WorldBase):
    """A climate unit that is set once a case."""

    def __init__(self, task: Task) -> None:
        self._parts: list[dict[str, Any]] = task.setup["parts"]
        self._settings: list[list[Any]] = []

    def look(self) -> dict[str, Any]:
        made, count = len(self._settings), len(self._parts)
        now = min(made, count - 1)
        return {
            "case": f"{now + 1} of {count}",
            "sensors": [dict(sensor) for sensor in self._parts[now]["sensors"]],
            "set": made == count,
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        mode, step = arguments["mode"], arguments["step"]
        if (mode == "off") != (step == 0):
            return Effect(
                error="off goes with step 0, heat and cool with a step from 1 to 3; nothing was set"
            )
        self._settings.append([mode, step])
        made = len(self._settings)
        if made < len(self._parts):
            return Effect(fresh=self._parts[made]["goal"])
        return Effect(done=True)

    def snapshot(self) -> dict[str, Any]:
        return {"settings": [list(setting) for setting in self._settings]}


class Keeper(Steady):
    """Reads the limits from the goal and the sensor that counts. The novice goes by the ``first`` sensor it sees."""

    def __init__(self, brief: Brief, *, first: bool = False) -> None:
        super().__init__(brief)
        self._first = first
        self._said = next(m.groupdict() for pattern in READERS if (m := pattern.search(brief.goal)))

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        said, sensors = self._said, observation["sensors"]
        if observation["set"]:
            return Act("finish", {"achieved": True})
        counts = sensors[0] if self._first else next(s for s in sensors if s["sensor"] == said["sensor"])
        number, scale = counts["reads"].split(" ")[:2]
        # After a lost answer the case may have changed under the old goal, and with it the unit.
        reading = _half(read_number(number), FAHRENHEIT if scale.endswith(("F", "T")) else CELSIUS)
        off = reading - _half(said["target"], said["unit"])
        step = sum(abs(off) > _half(said[limit], said["unit"], apart=True) for limit in ("tol", "a", "b"))
        mode = "off" if not step else "heat" if off < 0 else "cool"
        return Act("set_unit", {"mode": mode, "step": step})
