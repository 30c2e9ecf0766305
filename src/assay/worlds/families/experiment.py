"""Experiment: prepare, measure and record with equipment that fails. B.5.4, B.5.5."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, finish
from assay.worlds.folder import Folder
from assay.worlds.fuzzy import read_number
from assay.worlds.model import Act, Brief, Effect, Seen, Task
from assay.worlds.schema import INTEGER, action, array, integer, obj, string
from assay.worlds.templates import partly_filled, read_first, story_of, table

__all__ = ["Experiment"]

TABLE = table("experiment")
PREPARE = action("prepare", "Bring the device to a setting.", {"setting": integer("", 1, 2000)})
MEASURE = action("measure", "Take a reading at the present setting. It is kept in the notebook.")
RECORD = action(
    "record",
    "Write the final result into the notebook.",
    {"value": {"type": "number", "minimum": -100_000, "maximum": 100_000}},
)
_READING = {"setting": INTEGER, "display": string("the reading with its unit"), "spread": {"type": "number"}}
OBSERVATION = obj(
    {
        "setting": {"type": ["integer", "null"], "description": "where the device stands"},
        "readings": array(obj(_READING)),
        "result": {"type": ["number", "null"], "description": "what the notebook holds as the result"},
        "log": string("what the equipment said last"),
    }
)
BOOK = "notebook.jsonl"
FACTORS = ("1.25", "1.6", "2", "2.5", "4", "5", "8")
LIMIT = Fraction(1, 2)  # spread of a valid reading
AT_ONCE = 5  # actions at level 5 (B.5.5)


def _said(number: Fraction) -> str:
    """A number with few decimals, as it is written."""
    return f"{float(number):.4f}".rstrip("0").rstrip(".")


def _faults(level: int, stream: Stream) -> list[bool]:
    """Which calls go wrong. Level 4: one of every five. Level 5: one or two of the five there are, .3 on average."""
    if level == 5:
        bad = stream.shuffled(range(AT_ONCE))[: stream.integer(1, 2)]
        return [at in bad for at in range(AT_ONCE)]
    places = [stream.below(5) for _ in range(8)]
    return [at == place for place in places for at in range(5)]


def _calls(faults: list[bool]) -> int:
    """The calls until three went well."""
    well = [number for number, bad in enumerate(faults, 1) if not bad]
    return well[2]


def _goal(level: int, story: dict[str, Any], told: dict[str, Any], stream: Stream) -> str:
    told = {**story, **told}
    parts = {part: stream.choice(TABLE[part]).format(**told) for part in ("formula", "valid")}
    goal: str = stream.choice(TABLE["goals"]).format(**told, **parts)
    return f"{goal}{TABLE['once']}{TABLE['warning'][level].format(**story)}"


class Laboratory(WorldBase):
    """A device, and a notebook on disk that gets one line for each thing that happened."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._folder = Folder()
        self._folder.create(BOOK, "")
        self._setting: int | None = None
        self._called = 0
        self._failed = False  # whether the present call goes wrong
        self._log = "ready"

    def _lines(self, kind: str) -> list[dict[str, Any]]:
        lines = (json.loads(line) for line in self._folder.read(BOOK).splitlines())
        return [line for line in lines if line["kind"] == kind]

    def look(self) -> dict[str, Any]:
        results = self._lines("result")
        return {
            "setting": self._setting,
            "readings": [
                {
                    "setting": line["setting"],
                    "display": f"{line['reading']} {self.setup['shown']}",
                    "spread": float(line["spread"]),
                }
                for line in self._lines("reading")[-4:]
            ],
            "result": float(results[0]["value"]) if results else None,
            "log": self._log,
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        wrong = self._wrong(name, arguments)
        if wrong:
            return Effect(error=wrong)
        faults = self.setup["faults"]
        self._failed = self._called < len(faults) and faults[self._called]
        self._called += 1
        if self._failed and not self.setup["silent"]:
            self._log = f"{name} failed"
            return Effect(error=f"the equipment failed: {name} was not done")
        self._log = f"{name} ended"
        return super().act(name, arguments)

    def _wrong(self, name: str, arguments: dict[str, Any]) -> str:
        """What cannot be done at all, whatever the equipment is like."""
        if name == "prepare" and arguments["setting"] not in self.setup["settings"]:
            known = ", ".join(str(setting) for setting in sorted(self.setup["settings"]))
            return f"the device has no such setting; it has: {known}"
        if name == "measure" and self._setting is None:
            return "the device has to be prepared first"
        if name == "record" and self._lines("result"):
            return "a result has been recorded already, and is final"
        return ""

    def do_prepare(self, setting: int) -> None:
        settings = self.setup["settings"]
        self._setting = settings[1 + self._called % (len(settings) - 1)] if self._failed else setting

    def do_measure(self) -> None:
        self._folder.append(BOOK, json.dumps({"kind": "reading", **self._reading(self._failed)}))

    def do_record(self, value: float) -> None:
        if not self._failed:
            self._folder.append(BOOK, json.dumps({"kind": "result", "value": str(value)}))

    def _reading(self, unstable: bool) -> dict[str, Any]:
        """What the device shows. Off by a part of the tolerance when all is well, by much when it is not."""
        setup, at = self.setup, self._called % 8
        truth, factor = Fraction(setup["truth"]), Fraction(setup["factor"])
        if unstable or self._setting != setup["settings"][0]:
            value = truth * (1 + Fraction(setup["bad"][at], 100))
        else:
            value = truth + Fraction(setup["off"][at]) * Fraction(setup["tolerance"])
        spread = LIMIT * (3 + at) if unstable else LIMIT * Fraction(1 + at, 10)
        reading = Fraction(setup["blank"]) + value * factor
        return {"setting": self._setting, "reading": f"{float(reading):.2f}", "spread": _said(spread)}

    def snapshot(self) -> dict[str, Any]:
        return {
            "readings": [
                {key: line[key] for key in ("setting", "reading", "spread")}
                for line in self._lines("reading")
            ],
            "results": [line["value"] for line in self._lines("result")],
        }

    def close(self) -> None:
        self._folder.close()


class Scientist(Steady):
    """Goes on to the next step only when what is observed says that the last one went well.

    The novice tries again what is said to have failed, and takes the first reading there is.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        story = story_of(TABLE["situations"], brief.goal)
        self._told: dict[str, Fraction] = {}
        for part in ("goals", "formula", "valid"):
            templates = [_numbers_of(partly_filled(template, story)) for template in TABLE[part]]
            found = read_first(templates, brief.goal)
            self._told |= {key: Fraction(value) for key, value in found.items()}
        self._done = 0

    def decide(self, seen: Seen) -> Act:
        return self._trusting(seen) if self.is_novice else super().decide(seen)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["result"] is not None:
            return finish()
        told = self._told
        for reading in observation["readings"]:
            if reading["setting"] == told["wanted"] and Fraction(str(reading["spread"])) <= told["limit"]:
                return Act("record", {"value": self.result(reading)})
        if observation["setting"] != told["wanted"]:
            return Act("prepare", {"setting": int(told["wanted"])})
        return Act("measure", {})

    def _trusting(self, seen: Seen) -> Act:
        if seen.observation:
            self.latest = seen.observation
        if not seen.error and self.latest is seen.observation and seen.left < self.brief.most:
            self._done += 1
        readings = self.latest.get("readings", [])
        if self._done == 0:
            return Act("prepare", {"setting": int(self._told["wanted"])})
        if self._done == 1:
            return Act("measure", {})
        if self._done == 2 and readings and seen.left:
            return Act("record", {"value": self.result(readings[0])})
        return finish()

    def result(self, reading: dict[str, Any]) -> float:
        shown = Fraction(read_number(reading["display"].split(" ")[0]))
        return round(float((shown - self._told["blank"]) / self._told["factor"]), 3)


def _numbers_of(template: str) -> str:
    """The part of a goal's wording that names the setting; other wordings as they are."""
    if "{wanted}" not in template:
        return template
    template = next(part for part in template.split(", ") if "{wanted}" in part)
    template = template[template.index(" at a ") :] if " at a " in template else template
    return template.partition(" {formula}")[0].partition(" {valid}")[0]


class Experiment(FamilyBase, table=TABLE):
    world = Laboratory
    solver = Scientist

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        settings = stream.shuffled(story["settings"])
        truth, blank = Fraction(stream.integer(1000, 9000), 100), Fraction(stream.integer(100, 900), 100)
        factor, tolerance = Fraction(stream.choice(FACTORS)), Fraction(round(truth), 100)
        faults = _faults(level, stream)
        told = {"wanted": settings[0], "blank": _said(blank), "factor": _said(factor), "limit": _said(LIMIT)}
        needed = _calls(faults)
        return self.task(
            level,
            situation,
            goal=_goal(level, story, {**told, "tolerance": _said(tolerance)}, stream),
            observation=OBSERVATION,
            actions=(PREPARE, MEASURE, RECORD),
            criterion=f"the notebook holds one result, within {_said(tolerance)} of the true value, and a valid "
            "reading",
            expected={
                "truth": _said(truth),
                "tolerance": _said(tolerance),
                "setting": settings[0],
                "limit": _said(LIMIT),
            },
            setup={
                "truth": _said(truth),
                "blank": _said(blank),
                "factor": _said(factor),
                "settings": settings,
                "shown": story["shown"],
                "faults": faults,
                "silent": level == 5,
                # How a good reading is off, in parts of what may be; how far a bad one is, in per cent.
                "off": [_said(Fraction(stream.integer(-40, 40), 100)) for _ in range(8)],
                "bad": [stream.choice([-1, 1]) * stream.integer(12, 40) for _ in range(8)],
                "tolerance": _said(tolerance),
            },
            needed=needed,
            most=AT_ONCE if level == 5 else None,
            noisy=("display", "log"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        asked, results = task.criterion.expected, state["results"]
        if not any(
            reading["setting"] == asked["setting"] and Fraction(reading["spread"]) <= Fraction(asked["limit"])
            for reading in state["readings"]
        ):
            yield "no valid reading was taken"
        if len(results) != 1:
            yield f"{len(results)} results were recorded"
        elif abs(Fraction(results[0]) - Fraction(asked["truth"])) > Fraction(asked["tolerance"]):
            yield "the result is not within tolerance of the true value"

    def null(self, brief: Brief) -> Fixed:
        return Fixed(Act("prepare", {"setting": 100}), Act("measure", {}), Act("record", {"value": 42}))
