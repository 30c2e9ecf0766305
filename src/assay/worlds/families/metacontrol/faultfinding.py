"""Fault finding: test units singly, test groups of them, or exchange all without a test. 12.7.2, 12.7.4.

The features are the number of units and the price of a minute, of either test and of a part. Which way suits follows
from what each costs at worst. The fault is where the tests find it last, so that a way which could fail does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import Fixed
from assay.worlds.events import Phrasebook, whole
from assay.worlds.fuzzy import number_at
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Task
from assay.worlds.schema import BOOLEAN, INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import table

from .ways import Chooser, OneWay, WaysFamily, composed, least, speaking_for

__all__ = ["Faultfinding"]

TABLE = table("faultfinding")
BOOK = Phrasebook(TABLE["notes"])
WAYS: tuple[str, ...] = tuple(TABLE["strategies"])
FEWEST, MOST_UNITS = 5, 8  # three tests of groups are needed at worst for each of these numbers
GROUP_TESTS = 3
SIZES, VOLTS = (6, 8, 10, 12, 14, 16, 18, 20), (12, 24, 36, 48, 60, 72)
PARTS = [f"P{number}" for number in range(1, 7)]
APART = 1.12  # by so much the next best way costs more
Cost = tuple[int, int]  # minutes, coins

OBSERVATION = obj(
    {
        "notes": array(STRING),
        "parts": array(obj({"part": STRING, "label": STRING})),
        "tests": array(obj({"units": array(STRING), "broken_one_among_them": BOOLEAN})),
        "minutes": integer("worked so far"),
        "bill": INTEGER,
    }
)


class Prices(Struct, frozen=True):
    """The features of an instance, each test and part as minutes and coins."""

    units: int
    idle: int  # coins a minute
    one: Cost
    group: Cost
    part: Cost

    def at_worst(self, way: str, *, tests_to_spare: int = 0) -> Cost:
        """What a way takes at worst: minutes and coins."""
        tests, each, parts = {
            "singly": (self.units - 1 + tests_to_spare, self.one, 1),
            "halving": (GROUP_TESTS, self.group, 1),
            "exchange": (0, self.one, self.units),
        }[way]
        return tests * each[0] + parts * self.part[0], tests * each[1] + parts * self.part[1]

    def bill(self, way: str, *, tests_to_spare: int = 0) -> int:
        minutes, coins = self.at_worst(way, tests_to_spare=tests_to_spare)
        return self.idle * minutes + coins

    def best(self) -> str:
        return least({way: self.bill(way) for way in WAYS})


def _drawn(stream: Stream, target: str) -> Prices:
    """Prices at which the target is cheapest by far, while minutes alone and coins alone speak for ways drawn apart.

    What each way costs is drawn first and then split, so that no price and not the number of units tells which suits.
    """
    quickest, cheapest = speaking_for(stream, target, WAYS)
    while True:
        units, idle, scale = stream.integer(FEWEST, MOST_UNITS), stream.integer(3, 9), stream.integer(15, 50)
        steps = {"singly": units - 1, "halving": GROUP_TESTS, "exchange": units - 1}
        split: dict[str, Cost] = {}
        for way in WAYS:
            times = 1.0 if way == target else 1.45 + 0.8 * stream.random()
            worth = scale * times * (units - 1) / steps[way]
            minutes = max(1, round(worth * (0.08 + 0.84 * stream.random()) / idle))
            split[way] = minutes, max(1, round(worth - minutes * idle))
        totals = [{way: steps[way] * split[way][which] for way in WAYS} for which in (0, 1)]
        if [least(total) for total in totals] != [quickest, cheapest]:
            continue
        # Of instances in which a single step of the target takes the least, half are left out.
        single = [{way: split[way][which] for way in WAYS} for which in (0, 1)]
        if any(least(each) == target and stream.below(2) for each in single):
            continue
        made = Prices(units, idle, split["singly"], split["halving"], split["exchange"])
        # Whether the last unit has to be tested too must not matter to which way suits.
        enough = APART * made.bill(target, tests_to_spare=1)
        if all(made.bill(way) >= enough for way in WAYS if way != target):
            return made


@cache
def _actions(prefix: str, count: int) -> tuple[Action, ...]:
    unit = text("which one", options=[f"{prefix}{number}" for number in range(1, count + 1)])
    part = text("the part that is put in", options=PARTS)
    group = {**array(unit, "which ones"), "minItems": 1, "maxItems": count}
    return (
        action("test_one", "Test one alone.", {"unit": unit}),
        action("test_group", "Test a group.", {"units": group}),
        action("fit_part", "Mend one with a new part. This ends the job.", {"unit": unit, "part": part}),
        action("exchange_all", "Fit new parts everywhere. This ends the job.", {"part": part}),
    )


class Circuit(OneWay):
    """The units in question shrink as little as a test allows: the fault is where it is found last."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._units: list[str] = task.setup["units"]
        self._asked: dict[str, list[int]] = task.setup["costs"]
        self._open = list(self._units)
        self._tests: list[dict[str, Any]] = []
        self._fitted: dict[str, Any] = {}
        self._minutes = self._coins = 0

    def look(self) -> dict[str, Any]:
        return {
            "notes": list(self.setup["notes"]),
            "parts": [dict(part) for part in self.setup["parts"]],
            "tests": [{**test, "units": list(test["units"])} for test in self._tests],
            "minutes": self._minutes,
            "bill": self._bill,
        }

    @property
    def _bill(self) -> int:
        return self._coins + self._minutes * int(self.setup["idle"])

    def _charge(self, what: str, times: int = 1) -> None:
        minutes, coins = self._asked[what]
        self._minutes += times * minutes
        self._coins += times * coins

    def do_test_one(self, unit: str) -> None:
        self.take("singly")
        self._charge("one")
        self._test([unit])

    def do_test_group(self, units: list[str]) -> None:
        self.take("halving")
        self._charge("group")
        self._test(sorted(set(units)))

    def _test(self, units: list[str]) -> None:
        inside = [unit for unit in self._open if unit in units]
        outside = [unit for unit in self._open if unit not in units]
        found = len(inside) > len(outside)
        self._open = inside if found else outside
        self._tests.append({"units": units, "broken_one_among_them": found})

    def do_fit_part(self, unit: str, part: str) -> Effect:
        if not self.way:
            raise Refused("nothing has been tested so far")
        self._charge("part")
        self._fitted = {"unit": unit, "part": part, "mended": self._open == [unit]}
        return Effect(done=True)

    def do_exchange_all(self, part: str) -> Effect:
        self.take("exchange")
        self._charge("part", len(self._units))
        self._fitted = {"unit": "all", "part": part, "mended": True}
        return Effect(done=True)

    def snapshot(self) -> dict[str, Any]:
        return {
            "way": self.way,
            "tests": self.look()["tests"],
            "fitted": dict(self._fitted),
            "bill": self._bill,
        }


class Fitter(Chooser):
    """Reads the features, works out the bill of each way, and carries the cheapest out."""

    table = TABLE
    habit = "halving"

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._units: list[str] = brief.actions[0].parameters["properties"]["unit"]["enum"]

    def choose(self, observation: dict[str, Any]) -> str:
        return self.prices(observation).best()

    def prices(self, observation: dict[str, Any]) -> Prices:
        told = self._read(observation)
        return Prices(len(self._units), told["idle"][0], told["one"], told["group"], told["part"])

    @staticmethod
    def _read(observation: dict[str, Any]) -> dict[str, Cost]:
        read = (BOOK.read(note) for note in observation["notes"])
        return {kind: (whole(slots["n"]), whole(slots.get("m", "0"))) for kind, slots in read}

    def part(self, observation: dict[str, Any]) -> str:
        wanted = self._read(observation)["fits"]
        labels: dict[str, str] = {one["part"]: one["label"] for one in observation["parts"]}
        return next(
            part for part, label in labels.items() if (number_at(label, 1), number_at(label, 2)) == wanted
        )

    def _left(self, observation: dict[str, Any]) -> list[str]:
        """The units that can still be the broken one."""
        left = list(self._units)
        for test in observation["tests"]:
            left = [unit for unit in left if (unit in test["units"]) == test["broken_one_among_them"]]
        return left

    def work(self, observation: dict[str, Any]) -> Act:
        part = self.part(observation)
        if self.way == "exchange":
            return Act("exchange_all", {"part": part})
        left = self._left(observation)
        if len(left) == 1:
            return Act("fit_part", {"unit": left[0], "part": part})
        if self.way == "singly":
            return Act("test_one", {"unit": left[0]})
        return Act("test_group", {"units": left[: len(left) // 2]})


class Faultfinding(WaysFamily, table=TABLE):
    world = Circuit
    solver = Fitter

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story: Mapping[str, Any] = TABLE["situations"][situation]
        target = stream.choice(WAYS)
        prices = _drawn(stream, target)
        sizes, volts = stream.shuffled(SIZES)[:3], stream.shuffled(VOLTS)[:2]
        kinds = [(size, volt) for size in sizes for volt in volts]
        labels = dict(zip(PARTS, stream.shuffled(kinds), strict=True))
        right = stream.choice(PARTS)
        told = {
            "idle": (prices.idle, 0),
            "one": prices.one,
            "group": prices.group,
            "part": prices.part,
            "fits": labels[right],
        }
        notes = [BOOK.say(stream, kind, n=n, m=m, thing=story["thing"]) for kind, (n, m) in told.items()]
        enough = prices.bill(target, tests_to_spare=1)
        next_best = min(prices.bill(way) for way in WAYS if way != target)
        limit = stream.integer(enough + 1, int(0.94 * next_best))
        goal = composed(
            stream,
            {part: TABLE[part] for part in ("heads", "keeps", "bills", "worst", "limits")},
            TABLE["ways"],
        )
        what = story["what"].format(count=prices.units)
        return self.task(
            level,
            situation,
            goal=goal.format_map({**story, "what": what, "limit": limit}),
            observation=OBSERVATION,
            actions=_actions(story["prefix"], prices.units),
            criterion=TABLE["criterion"],
            expected={"part": right, "limit": limit, "suits": target},
            setup={
                "only": "",
                "units": [f"{story['prefix']}{number}" for number in range(1, prices.units + 1)],
                "notes": stream.shuffled(notes),
                "parts": [{"part": part, "label": f"size {s}, {v} volts"} for part, (s, v) in labels.items()],
                "idle": prices.idle,
                "costs": {"one": list(prices.one), "group": list(prices.group), "part": list(prices.part)},
            },
            needed=prices.units,
            noisy=("notes", "label"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        fitted, right = state["fitted"], task.criterion.expected
        if not fitted:
            yield "nothing was mended"
            return
        if not fitted["mended"]:
            yield "the broken unit was not the one that was mended"
        if fitted["part"] != right["part"]:
            yield "the part does not fit"
        if state["bill"] > right["limit"]:
            yield f"the bill is {state['bill']} coins; {right['limit']} are allowed"

    def null(self, brief: Brief) -> Fixed:
        return Fixed(Act("exchange_all", {"part": PARTS[0]}))
