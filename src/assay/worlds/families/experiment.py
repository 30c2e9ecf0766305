"""Experiment: prepare, measure and record with equipment that fails. B.5.4, B.5.5."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, finish
from assay.worlds.events import listed
from assay.worlds.folder import Folder
from assay.worlds.fuzzy import read_number
from assay.worlds.model import Act, Brief, Effect, Refused, Seen, Task
from assay.worlds.schema import INTEGER, action, array, integer, obj, string, text
from assay.worlds.templates import numbers, partly_filled, read_first, story_of, table

__all__ = ["Experiment"]

TABLE = table("experiment")
PREPARE = action("prepare", "Bring the device to a setting.", {"setting": integer("", 1, 2000)})
MEASURE = action("measure", "Take a reading at the present setting. It is kept in the notebook.")
RINSE = action("rinse", "Rinse the chamber of the device, so that it is clean.")
RECORD = action(
    "record",
    "Write a result into the notebook: at which setting, and what value.",
    {
        "setting": integer("", 1, 2000),
        "value": {"type": "number", "minimum": -100_000, "maximum": 100_000},
    },
)
STRIKE = action("strike", "Strike out the result that stands last in the notebook.")
ACTIONS = {4: (PREPARE, MEASURE, RINSE, RECORD, STRIKE), 5: (PREPARE, MEASURE, RECORD)}
_READING = {"setting": INTEGER, "display": string("the reading with its unit"), "spread": {"type": "number"}}
_CHAMBER = text("the chamber when it was taken", options=["clean", "fouled"])
_RESULT = {"setting": INTEGER, "value": {"type": "number"}}
OBSERVATIONS = {
    level: obj(
        {
            "setting": {"type": ["integer", "null"], "description": "where the device stands"},
            **({"chamber": text("of the device", options=["clean", "fouled"])} if level == 4 else {}),
            "readings": array(obj(_READING | ({"chamber": _CHAMBER} if level == 4 else {}))),
            "results": array(obj(_RESULT), "what stands in the notebook as results"),
            "log": string("what the equipment said last"),
        }
    )
    for level in ACTIONS
}
BOOK = "notebook.jsonl"
FACTORS = ("1.25", "1.6", "2", "2.5", "4", "5", "8")
LIMIT = Fraction(1, 2)  # spread of a valid reading
MOST = {4: 12, 5: 5}  # actions; five at level 5 (B.5.5)
SETTINGS = {4: 3, 5: 1}  # at which a result is wanted
# How a measurement and a record go wrong at level 4. ``none``: nothing was done. ``half``: the chamber is fouled, or
# the record garbled. ``mute``: it was done. Each pair costs a good recovery two calls, and any fixed one three or more.
PAIRS = [("half", "mute"), ("mute", "half"), ("half", "mute"), ("mute", "half"), ("none", "none")]
# Which of the first calls goes wrong at level 5; in half of all instances another one does, too: .3 of five calls.
# No number of calls that is fixed beforehand meets them all.
FIRST, SECOND = (0, 0, 1, 2), (0, 0, 1, 1, 2, 2, 4)


def _said(number: Fraction) -> str:
    """A number with few decimals, as it is written."""
    return f"{float(number):.4f}".rstrip("0").rstrip(".")


def _faults(level: int, stream: Stream) -> dict[str, list[str]]:
    """Which calls go wrong, and how: by action at level 4, one of the first three of each; of all calls at level 5."""
    if level == 4:
        return {
            action: [kind if at == place else "" for at in range(3)]
            for action, kind in zip(("measure", "record"), stream.choice(PAIRS), strict=True)
            for place in [stream.below(3)]
        }
    bad = [stream.choice(FIRST)]
    bad += stream.shuffled([at for at in SECOND if at not in bad])[: stream.below(2)]
    return {"any": ["silent" if at in bad else "" for at in range(MOST[5])]}


def _calls(level: int, faults: dict[str, list[str]]) -> int:
    """The calls of a good solution: at level 5 until three went well."""
    if level == 4:
        return 3 * SETTINGS[4] + 2
    return [number for number, bad in enumerate(faults["any"], 1) if not bad][2]


def _before(settings: list[int], stream: Stream) -> list[list[Any]]:
    """Readings that stand in the notebook already: one at the setting, but unstable, and a steady one elsewhere.

    Whoever leaves out either check takes one of them. Each is setting, whether unstable, and its place in the noise.
    """
    one, two = numbers(stream, 2, 0, 7)
    return stream.shuffled([[settings[0], True, one], [stream.choice(settings[1:]), False, two]])


def _goal(level: int, story: dict[str, Any], told: dict[str, Any], stream: Stream) -> str:
    told = {**story, **told}
    parts = {
        part: stream.choice(wordings).format(**told)
        for part, wordings in (("formula", TABLE["formula"]), ("valid", TABLE["valid"][level]))
    }
    goal: str = stream.choice(TABLE["goals"][level]).format(**told, **parts)
    return f"{goal}{TABLE['display']}{TABLE['warning'][level].format(**story)}"


class Laboratory(WorldBase):
    """A device, and a notebook on disk that gets one line for each thing that happened."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._folder = Folder()
        self._folder.create(BOOK, "")
        self._setting: int | None = None
        self._fouled = False
        self._called: dict[str, int] = {}
        self._fault = ""  # how the present call goes wrong
        self._log = "ready"
        for setting, unstable, at in task.setup["before"]:
            self._setting = setting
            self._write("reading", **self._reading(at, unstable=unstable))
        self._setting = None

    def _lines(self, kind: str) -> list[dict[str, Any]]:
        lines = (json.loads(line) for line in self._folder.read(BOOK).splitlines())
        found: list[dict[str, Any]] = []
        for line in lines:
            if line["kind"] == "strike" and kind == "result":
                found.pop()
            elif line["kind"] == kind:
                found.append(line)
        return found

    def look(self) -> dict[str, Any]:
        chamber = {"chamber": "fouled" if self._fouled else "clean"} if self.level == 4 else {}
        return {
            "setting": self._setting,
            **chamber,
            "readings": [
                {
                    "setting": line["setting"],
                    "display": f"{line['reading']} {self.setup['shown']}",
                    "spread": float(line["spread"]),
                    **({"chamber": line["chamber"]} if chamber else {}),
                }
                for line in self._lines("reading")[-8:]
            ],
            "results": [
                {"setting": line["setting"], "value": float(line["value"])} for line in self._lines("result")
            ],
            "log": self._log,
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        wrong = self._wrong(name, arguments)
        if wrong:
            return Effect(error=wrong)
        kind = name if self.level == 4 else "any"
        faults, at = self.setup["faults"].get(kind, []), self._called.get(kind, 0)
        self._called[kind] = at + 1
        self._fault = faults[at] if at < len(faults) else ""
        effect = super().act(name, arguments) if self._fault != "none" else Effect()
        if self._fault and self.level == 4:
            # One message for all that can have happened: what did happen is to be seen.
            self._log = f"{name} broke off"
            return Effect(error=f"the equipment broke off during {name}")
        self._log = f"{name} ended"
        return effect

    def _wrong(self, name: str, arguments: dict[str, Any]) -> str:
        """What cannot be done at all, whatever the equipment is like."""
        if "setting" in arguments and arguments["setting"] not in self.setup["settings"]:
            known = ", ".join(str(setting) for setting in sorted(self.setup["settings"]))
            return f"the device has no such setting; it has: {known}"
        if name == "measure" and self._setting is None:
            return "the device has to be prepared first"
        if name == "record" and self.level == 5 and self._lines("result"):
            return "a result has been recorded already, and is final"
        return ""

    def do_prepare(self, setting: int) -> None:
        settings = self.setup["settings"]
        elsewhere = settings[1 + self._called["any"] % (len(settings) - 1)] if self._fault else setting
        self._setting = elsewhere

    def do_measure(self) -> None:
        if self._fault == "half":
            self._fouled = True
        else:
            at = sum(self._called.values()) % 8
            self._write("reading", **self._reading(at, unstable=self._fault == "silent"))

    def do_rinse(self) -> None:
        self._fouled = False

    def do_record(self, setting: int, value: float) -> None:
        if self._fault != "silent":
            garbled = self._fault == "half"
            self._write("result", setting=setting, value=str(round(value / 10, 4) if garbled else value))

    def do_strike(self) -> None:
        if not self._lines("result"):
            raise Refused("there is no result to be struck out")
        self._write("strike")

    def _write(self, kind: str, **more: Any) -> None:
        self._folder.append(BOOK, json.dumps({"kind": kind, **more}))

    def _reading(self, at: int, unstable: bool) -> dict[str, Any]:
        """What the device shows. Off by a part of the tolerance when all is well, by much when it is not."""
        setup = self.setup
        truths = {setting: Fraction(truth) for setting, truth in setup["truths"]}
        truth = truths.get(self._setting, Fraction(setup["truths"][0][1]))
        if unstable or self._fouled or self._setting not in truths:
            value = truth * (1 + Fraction(setup["bad"][at], 100))
        else:
            value = truth + Fraction(setup["off"][at]) * Fraction(setup["tolerance"])
        spread = LIMIT * (3 + at) if unstable else LIMIT * Fraction(1 + at, 10)
        reading = Fraction(setup["blank"]) + value * Fraction(setup["factor"])
        return {
            "setting": self._setting,
            "reading": f"{float(reading):.2f}",
            "spread": _said(spread),
            "chamber": "fouled" if self._fouled else "clean",
        }

    def snapshot(self) -> dict[str, Any]:
        kept = ("setting", "reading", "spread", "chamber")
        return {
            "readings": [{key: line[key] for key in kept} for line in self._lines("reading")],
            "results": [[line["setting"], line["value"]] for line in self._lines("result")],
        }

    def close(self) -> None:
        self._folder.close()


def _understood(goal: str) -> tuple[list[int], dict[str, Fraction]]:
    """The settings at which a result is wanted, and the numbers of the formula and the rules."""
    story = story_of(TABLE["situations"], goal)
    unit = re.escape(story["setting_unit"])
    said = re.search(rf"(\d+(?:(?:, | and )\d+)*) {unit}(?!\w)", goal)
    assert said is not None, "every goal names the setting"
    told: dict[str, Fraction] = {}
    for wordings in (TABLE["formula"], [*TABLE["valid"][4], *TABLE["valid"][5]]):
        found = read_first([partly_filled(wording, story) for wording in wordings], goal, r"[\d.]+")
        told |= {key: Fraction(value) for key, value in found.items()}
    return [int(number) for number in re.findall(r"\d+", said[1])], told


class Scientist(Steady):
    """Goes on to the next step only when what is observed says that the last one went well.

    The novice repeats what is said to have failed, believes the rest, and takes the last reading there is.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._wanted, self._told = _understood(brief.goal)
        self._done = 0

    def decide(self, seen: Seen) -> Act:
        return self._trusting(seen) if self.is_novice else super().decide(seen)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        for setting in self._wanted:
            act = self._next(setting, observation)
            if act is not None:
                return act
        return finish()

    def _next(self, setting: int, observation: dict[str, Any]) -> Act | None:
        """What is to be done for the result at one setting."""
        values = [result["value"] for result in observation["results"] if result["setting"] == setting]
        valid = [reading for reading in observation["readings"] if self._valid(setting, reading)]
        if valid and values:
            off = abs(Fraction(str(values[-1])) - Fraction(str(self.result(valid[0]))))
            return None if off <= self._told["tolerance"] else Act("strike", {})
        if valid:
            return Act("record", {"setting": setting, "value": self.result(valid[0])})
        if observation.get("chamber") == "fouled":
            return Act("rinse", {})
        return (
            Act("prepare", {"setting": setting}) if observation["setting"] != setting else Act("measure", {})
        )

    def _valid(self, setting: int, reading: dict[str, Any]) -> bool:
        steady = Fraction(str(reading["spread"])) <= self._told["limit"]
        return reading["setting"] == setting and steady and reading.get("chamber") != "fouled"

    def _trusting(self, seen: Seen) -> Act:
        if seen.observation:
            self.latest = seen.observation
        if not seen.error and self.latest is seen.observation and seen.left < self.brief.most:
            self._done += 1
        at, step = divmod(self._done, 3)
        readings = self.latest.get("readings", [])
        if at == len(self._wanted) or not seen.left or (step == 2 and not readings):
            return finish()
        setting = self._wanted[at]
        if step < 2:
            return Act("measure", {}) if step else Act("prepare", {"setting": setting})
        return Act("record", {"setting": setting, "value": self.result(readings[-1])})

    def result(self, reading: dict[str, Any]) -> float:
        shown = Fraction(read_number(reading["display"].split(" ")[0]))
        return round(float((shown - self._told["blank"]) / self._told["factor"]), 3)


class Experiment(FamilyBase, table=TABLE):
    world = Laboratory
    solver = Scientist

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        settings = stream.shuffled(story["settings"])
        wanted = settings[: SETTINGS[level]]
        truths = [Fraction(stream.integer(1000, 9000), 100) for _ in wanted]
        blank, factor = Fraction(stream.integer(100, 900), 100), Fraction(stream.choice(FACTORS))
        tolerance = Fraction(round(min(truths)), 100)
        faults = _faults(level, stream)
        told = {
            "wanted": listed([str(setting) for setting in wanted]),
            "blank": _said(blank),
            "factor": _said(factor),
            "limit": _said(LIMIT),
            "tolerance": _said(tolerance),
        }
        right = [[setting, _said(truth)] for setting, truth in zip(wanted, truths, strict=True)]
        return self.task(
            level,
            situation,
            goal=_goal(level, story, told, stream),
            observation=OBSERVATIONS[level],
            actions=ACTIONS[level],
            criterion=f"for each setting that was asked for, the notebook holds one result, within {_said(tolerance)} "
            "of the true value, and a valid reading",
            expected={"truths": right, "tolerance": _said(tolerance), "limit": _said(LIMIT)},
            setup={
                "truths": right,
                "blank": _said(blank),
                "factor": _said(factor),
                "settings": settings,
                "shown": story["shown"],
                "faults": faults,
                "before": _before(settings, stream) if level == 5 else [],
                # How a good reading is off, in parts of what may be; how far a bad one is, in per cent.
                "off": [_said(Fraction(stream.integer(-40, 40), 100)) for _ in range(8)],
                "bad": [stream.choice([-1, 1]) * stream.integer(12, 40) for _ in range(8)],
                "tolerance": _said(tolerance),
            },
            needed=_calls(level, faults),
            most=MOST[level],
            noisy=("display", "log"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        asked = task.criterion.expected
        limit, tolerance = Fraction(asked["limit"]), Fraction(asked["tolerance"])
        valid = {
            reading["setting"]
            for reading in state["readings"]
            if Fraction(reading["spread"]) <= limit and reading["chamber"] == "clean"
        }
        truths = dict(asked["truths"])
        for setting, truth in truths.items():
            values = [value for where, value in state["results"] if where == setting]
            if setting not in valid:
                yield f"no valid reading was taken at {setting}"
            if len(values) != 1:
                yield f"{len(values)} results were recorded at {setting}"
            elif abs(Fraction(values[0]) - Fraction(truth)) > tolerance:
                yield f"the result at {setting} is not within tolerance of the true value"
        yield from (
            f"a result was recorded at {where}, which was not asked for"
            for where, _ in state["results"]
            if where not in truths
        )

    def null(self, brief: Brief) -> Fixed:
        acts = (Act("prepare", {"setting": 100}), Act("measure", {}))
        return Fixed(*acts, Act("record", {"setting": 100, "value": 42}))
