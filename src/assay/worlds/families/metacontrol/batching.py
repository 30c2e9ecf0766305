"""Batching: an order in one run with repairs, in portions that are checked, or by hand. 12.7.2, 12.7.4.

The features are the size of the order, how fast the machine gets out of true, and what a setting, a check, a repair and
work by hand take. Which way suits follows from the time that each takes; the others are too slow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import Fixed
from assay.worlds.events import Phrasebook, whole
from assay.worlds.fuzzy import number_at
from assay.worlds.model import Act, Brief, Effect, Refused, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import table

from .ways import Chooser, OneWay, WaysFamily, composed, least

__all__ = ["Batching"]

TABLE = table("batching")
BOOK = Phrasebook(TABLE["notes"])
WAYS: tuple[str, ...] = tuple(TABLE["strategies"])
MOST_PORTIONS = 5
TOOLS = ["T1", "T2", "T3", "T4"]
APART = 1.1  # by so much the next best way takes longer

OBSERVATION = obj(
    {
        "notes": array(STRING),
        "tools": array(obj({"tool": STRING, "label": STRING})),
        "portions": array(INTEGER, "pieces made in each portion so far"),
        "minutes": integer("gone so far"),
    }
)
_DIAL = integer("what the dial is set to", 0, 9999)
ACTIONS = (
    action("run_all", "Make the whole order in one run.", {"dial": _DIAL}),
    action(
        "run_portion",
        "Make and check one portion.",
        {"pieces": integer("how many", 1, 99), "dial": _DIAL},
    ),
    action("make_by_hand", "Make the whole order by hand.", {"tool": text("the hand tool", options=TOOLS)}),
)


class MachineJob(Struct, frozen=True):
    """The features of an instance. All but the pieces and what the machine keeps are minutes."""

    pieces: int
    good: int  # pieces after a setting that are accepted
    setting: int
    check: int
    piece: int
    repair: int
    hand: int

    def run(self, pieces: int) -> int:
        """Minutes of one setting and a run, with its repairs."""
        return self.setting + pieces * self.piece + max(0, pieces - self.good) * self.repair

    def sizes(self, count: int) -> list[int]:
        """So many portions, as equal as can be."""
        return [(self.pieces + place) // count for place in range(count)]

    def portioned(self, count: int) -> int:
        return sum(self.run(size) + self.check for size in self.sizes(count))

    def portions(self) -> int:
        """How many portions take the least time: two or more, and no more than it takes to have no repair."""
        return min(range(2, max(2, self.unrepaired()) + 1), key=self.portioned)

    def unrepaired(self) -> int:
        return -(-self.pieces // self.good)

    def minutes(self, way: str) -> int:
        if way == "hand":
            return self.pieces * self.hand
        return self.run(self.pieces) if way == "whole" else self.portioned(self.portions())

    def hints(self) -> tuple[str, ...]:
        """The ways that a setting, a check, a repair and work by hand speak for, each taken alone."""
        return (
            "whole" if self.setting > 50 else "portions" if self.setting < 20 else "hand",
            "whole" if self.check > 40 else "portions",
            "portions" if self.repair > 25 else "whole" if self.repair < 12 else "hand",
            "hand" if self.hand < 14 else "portions",
        )

    def best(self) -> str:
        return least({way: self.minutes(way) for way in WAYS})


def _drawn(stream: Stream, target: str) -> MachineJob:
    """A job of which the target takes the least time by far.

    What each way takes in all is drawn first and then split, so that no figure alone tells which one suits.
    Whether work by hand is nearly as quick as the machine, and whether a repair takes longer, tells nothing of hand and
    whole either: it is drawn apart.
    """
    compared = stream.choice([(True, False), (False, True), (False, False)])
    while True:
        good, count = stream.integer(5, 12), stream.integer(2, MOST_PORTIONS)
        pieces = 2 * (stream.integer(good * (count - 1) + 1, good * count) // 2)
        scale = stream.integer(100, 700)
        total = {way: scale * (1.0 if way == target else 1.25 + 0.7 * stream.random()) for way in WAYS}
        machine = min(total["whole"], total["portions"])
        piece = round(machine * (0.1 + 0.7 * stream.random()) / pieces)
        run, portions = total["whole"] - piece * pieces, (total["portions"] - piece * pieces) / count
        setting = round(min(run, portions) * (0.1 + 0.75 * stream.random()))
        made = MachineJob(
            pieces,
            good,
            setting,
            round(portions) - setting,
            piece,
            round((run - setting) / max(1, pieces - good)),
            round(total["hand"] / pieces),
        )
        if (
            5 * pieces < 6 * good
            or made.repair > 4 * made.hand
            or min(made.setting, made.check, made.piece, made.repair, made.hand) < 2
        ):
            continue
        if target != "portions" and (made.hand < 2 * made.piece, made.repair > made.hand) != compared:
            continue
        # Of instances in which a figure speaks for the target, most are left out.
        if any(hint == target and stream.below(3) for hint in made.hints()):
            continue
        # The portions without any repair are to be in time where portions suit.
        enough = APART * (made.portioned(count) if target == "portions" else made.minutes(target))
        if all(made.minutes(way) >= enough for way in WAYS if way != target):
            return made


class Workshop(OneWay):
    """What was made, in which portions, and the minutes that are gone."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._job = MachineJob(**task.setup["job"])
        self._portions: list[int] = []
        self._dials: list[int] = []
        self._made = self._minutes = 0
        self._tool = ""

    def look(self) -> dict[str, Any]:
        return {
            "notes": list(self.setup["notes"]),
            "tools": [dict(tool) for tool in self.setup["tools"]],
            "portions": list(self._portions),
            "minutes": self._minutes,
        }

    def _make(self, pieces: int, minutes: int) -> Effect:
        self._made += pieces
        self._minutes += minutes
        return Effect(done=self._made == self._job.pieces)

    def do_run_all(self, dial: int) -> Effect:
        self.take("whole")
        self._dials.append(dial)
        return self._make(self._job.pieces, self._job.run(self._job.pieces))

    def do_run_portion(self, pieces: int, dial: int) -> Effect:
        job = self._job
        if pieces > job.pieces // 2:
            raise Refused(f"{pieces} are more than half of the order")
        if pieces > job.pieces - self._made:
            raise Refused(f"{pieces} are more than are still to be made")
        self.take("portions")
        self._portions.append(pieces)
        self._dials.append(dial)
        return self._make(pieces, job.run(pieces) + job.check)

    def do_make_by_hand(self, tool: str) -> Effect:
        self.take("hand")
        self._tool = tool
        return self._make(self._job.pieces, self._job.minutes("hand"))

    def snapshot(self) -> dict[str, Any]:
        return {
            "way": self.way,
            "made": self._made,
            "portions": list(self._portions),
            "dials": list(self._dials),
            "tool": self._tool,
            "minutes": self._minutes,
        }


class Maker(Chooser):
    """Reads the features, works out how long each way takes, and carries out the one that is shortest."""

    table = TABLE
    habit = "whole"

    def told(self, observation: dict[str, Any]) -> dict[str, tuple[int, int]]:
        read = (BOOK.read(note) for note in observation["notes"])
        return {kind: (whole(slots["n"]), whole(slots.get("m", "0"))) for kind, slots in read}

    def job(self, observation: dict[str, Any]) -> MachineJob:
        told = self.told(observation)
        step, accepted = told["step"]
        return MachineJob(
            told["order"][0],
            accepted // step,
            *told["setting"],
            told["piece"][0],
            told["repair"][0],
            told["hand"][0],
        )

    def choose(self, observation: dict[str, Any]) -> str:
        return self.job(observation).best()

    def dial(self, observation: dict[str, Any]) -> int:
        told = self.told(observation)
        return told["order"][1] + told.get("shrinks", (0, 0))[0] - told.get("grows", (0, 0))[0]

    def tool(self, observation: dict[str, Any]) -> str:
        length = self.told(observation)["order"][1]
        labels: dict[str, str] = {one["tool"]: one["label"] for one in observation["tools"]}
        return next(
            tool for tool, label in labels.items() if number_at(label, 1) <= length <= number_at(label, 3)
        )

    def work(self, observation: dict[str, Any]) -> Act:
        if self.way == "hand":
            return Act("make_by_hand", {"tool": self.tool(observation)})
        dial = self.dial(observation)
        if self.way == "whole":
            return Act("run_all", {"dial": dial})
        job, made = self.job(observation), observation["portions"]
        size = job.sizes(job.portions())[-1 - len(made)]
        return Act("run_portion", {"pieces": size, "dial": dial})


class Batching(WaysFamily, table=TABLE):
    world = Workshop
    solver = Maker

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story: Mapping[str, Any] = TABLE["situations"][situation]
        target = stream.choice(WAYS)
        job = _drawn(stream, target)
        step = stream.integer(3, 9)
        accepted = job.good * step + stream.below(step)
        length, change = stream.integer(110, 390), stream.integer(3, 28)
        grows = stream.below(2) == 1
        told = {
            "order": (job.pieces, length),
            "grows" if grows else "shrinks": (change, 0),
            "setting": (job.setting, job.check),
            "piece": (job.piece, 0),
            "step": (step, accepted),
            "repair": (job.repair, 0),
            "hand": (job.hand, 0),
        }
        notes = [BOOK.say(stream, kind, n=n, m=m, pieces=story["pieces"]) for kind, (n, m) in told.items()]
        # Four tools, one beside the other; which of them has the length is drawn.
        place, width = stream.below(len(TOOLS)), stream.integer(24, 30)
        start = length - stream.integer(3, width - 4) - place * width
        tools = dict(zip(stream.shuffled(TOOLS), range(start, 9999, width), strict=False))
        enough = job.minutes(target)
        if target == "portions":
            enough = max(enough, job.portioned(job.unrepaired()))
        next_best = min(job.minutes(way) for way in WAYS if way != target)
        time = stream.integer(enough, int(0.97 * next_best))
        goal = composed(
            stream,
            {part: TABLE[part] for part in ("heads", "keeps", "wear", "dials", "limits")},
            TABLE["ways"],
        )
        return self.task(
            level,
            situation,
            goal=goal.format_map({**story, "time": time}),
            observation=OBSERVATION,
            actions=ACTIONS,
            criterion=TABLE["criterion"],
            expected={
                "dial": length - change if grows else length + change,
                "tool": next(tool for tool, low in tools.items() if low <= length < low + width),
                "pieces": job.pieces,
                "time": time,
                "suits": target,
            },
            setup={
                "only": "",
                "notes": stream.shuffled(notes),
                "tools": [
                    {"tool": tool, "label": f"lengths {tools[tool]} to {tools[tool] + width - 1}"}
                    for tool in TOOLS
                ],
                "job": {field: getattr(job, field) for field in job.__struct_fields__},
            },
            needed=MOST_PORTIONS,
            noisy=("notes", "label"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        right = task.criterion.expected
        if state["made"] != right["pieces"]:
            yield f"{state['made']} of {right['pieces']} pieces were made"
        if any(dial != right["dial"] for dial in state["dials"]):
            yield "the dial was set wrongly"
        if state["tool"] and state["tool"] != right["tool"]:
            yield "the tool is not the one for that length"
        if state["minutes"] > right["time"]:
            yield f"it took {state['minutes']} minutes; {right['time']} are allowed"

    def null(self, brief: Brief) -> Fixed:
        return Fixed(Act("make_by_hand", {"tool": TOOLS[0]}))
