"""Metering: a tool whose scales, zero points and order of calls are documented nowhere. B.6.2 and B.6.4.

A call's result shows what came out at that line, so scales can be seen in it; the order is heard of in feedback alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Any

from assay.streams import Stream
from assay.worlds.base import Steady, WorldBase, finish
from assay.worlds.fuzzy import read_number
from assay.worlds.learning import LEVEL_OF, LearningBase, Variant
from assay.worlds.model import Act, Brief, Policy, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import table, worded

__all__ = ["Metering"]

TABLE = table("metering")
LINES: list[str] = TABLE["lines"]
SERVED = 3  # lines of an instance
SCALES, ZEROS = (1, 2, 3, 4), range(-3, 4)
# A line gives scale × (entry + zero). From STEP × 7 on, one right entry tells scale and zero apart from all others.
STEP, LEAST, MOST = 12, 7, 20
UNITS = list(product(SCALES, ZEROS))
_LINE = text("which line", options=LINES)
_ENTRY = integer("the number that is entered", 1, 999)
SERVE = action(
    "serve",
    "Enter a number at one line and let it run. Each line runs once, and the order of the calls counts.",
    {"line": _LINE, "entry": _ENTRY},
)
SUBMIT = action(
    "submit",
    "Submit the whole program: one step a line, in the order in which they run. It runs once.",
    {"steps": array(obj({"line": _LINE, "entry": _ENTRY}), "the steps in their order")},
)
OBSERVATION = obj(
    {
        "lines": array(obj({"line": STRING, "for": STRING, "wanted": INTEGER})),
        "served": array(obj({"line": STRING, "entered": INTEGER, "came_out": INTEGER})),
    }
)
SHIFTED = obj({"requests": array(obj({"line": STRING, "text": STRING})), "log": array(STRING)})
_RIGHT = re.compile(r"Right would have been: (.*?)\.")
_ENTERED = re.compile(r"(\w) with (\d+)")
_PLACE = re.compile(r"(\w): entry \w+, place (right|wrong)")
_LOG = re.compile(r"(\w): (\d+) entered, (\d+) came out")


class DosingUnit(WorldBase):
    """The lines that ran, in their order, and what was entered."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._served: list[tuple[str, int]] = []

    def _came_out(self, line: str, entry: int) -> int:
        scale, zero = self.setup["units"][line]
        return int(scale * (entry + zero))

    def look(self) -> dict[str, Any]:
        ran = [(line, entry, self._came_out(line, entry)) for line, entry in self._served]
        if self.setup["texts"]:
            return {
                "requests": [
                    {"line": one["line"], "text": said}
                    for one, said in zip(self.setup["requests"], self.setup["texts"], strict=True)
                ],
                "log": [f"{line}: {entry} entered, {out} came out" for line, entry, out in ran],
            }
        return {
            "lines": [dict(one) for one in self.setup["requests"]],
            "served": [{"line": line, "entered": entry, "came_out": out} for line, entry, out in ran],
        }

    def do_serve(self, line: str, entry: int) -> None:
        if line not in [one["line"] for one in self.setup["requests"]]:
            raise Refused("nothing is wanted at this line")
        if line in [ran for ran, _ in self._served]:
            raise Refused("this line has run already")
        self._served.append((line, entry))

    def do_submit(self, steps: list[dict[str, Any]]) -> None:
        if self._served:
            raise Refused("a program has run already")
        wanted = sorted(one["line"] for one in self.setup["requests"])
        if sorted(step["line"] for step in steps) != wanted:
            raise Refused("a program has one step for each line of a request, and no other")
        for step in steps:
            self.do_serve(**step)

    def snapshot(self) -> dict[str, Any]:
        return {"served": [[line, entry] for line, entry in self._served]}


class Doser(Steady):
    """Keeps every unit and every order that all examples allow, and draws one of them."""

    def __init__(self, brief: Brief, examples: Sequence[dict[str, Any]], stream: Stream) -> None:
        super().__init__(brief)
        self._stream = stream
        self._steps: list[dict[str, Any]] = []
        self._units = {line: list(UNITS) for line in LINES}
        self._orders = [
            order for order in permutations(LINES) if all(_allowed(order, one) for one in examples)
        ]
        for line, entry, came_out in (run for one in examples for run in (*one["right"], *one["runs"])):
            fits = [(scale, zero) for scale, zero in self._units[line] if scale * (entry + zero) == came_out]
            self._units[line] = fits or self._units[line]

    def _plan(self, wanted: dict[str, int]) -> list[dict[str, Any]]:
        order = self._stream.choice(self._orders or list(permutations(LINES)))
        chosen = {line: self._stream.choice(self._units[line]) for line in LINES}
        return [
            {"line": line, "entry": max(1, wanted[line] // chosen[line][0] - chosen[line][1])}
            for line in order
            if line in wanted
        ]

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if not self._steps:
            self._steps = self._plan(_wanted(observation))
        if "requests" in observation:
            return finish() if observation["log"] else Act("submit", {"steps": self._steps})
        done = [one["line"] for one in observation["served"]]
        left = [step for step in self._steps if step["line"] not in done]
        return Act("serve", left[0]) if left else finish()


def _allowed(order: tuple[str, ...], example: dict[str, Any]) -> bool:
    """Whether an order of all lines agrees with what an example tells of it."""
    right, served = [line for line, *_ in example["right"]], [line for line, _ in example["places"]]
    if right != sorted(right, key=order.index):
        return False
    places = zip(sorted(served, key=order.index), example["places"], strict=True)
    return all((line == there) == good for line, (there, good) in places)


def _wanted(observation: dict[str, Any]) -> dict[str, int]:
    if "lines" in observation:
        return {one["line"]: one["wanted"] for one in observation["lines"]}
    return {one["line"]: _quantity(one["text"]) for one in observation["requests"]}


def _quantity(said: str) -> int:
    """The quantity in a request. Of a misread number two digits at least are left."""
    words = [word.strip(",:") for word in said.split(" ")]
    found = [read_number(word) for word in words if sum(char.isdigit() for char in word) >= len(word) - 1]
    return next(int(word) for word in found if word.isdigit() and len(word) > 1)


class Metering(LearningBase, table=TABLE):
    world = DosingUnit
    practice = 6

    def secret(self, stream: Stream) -> dict[str, Any]:
        return {
            "units": {line: list(stream.choice(UNITS)) for line in LINES},
            "order": stream.shuffled(LINES),
        }

    def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
        situation = self.story(variant, stream)
        story, shifted = TABLE["situations"][situation], variant == "shifted"
        lines, what = stream.shuffled(LINES)[:SERVED], stream.shuffled(story["what"])
        requests = [
            {"line": line, "for": what[place], "wanted": STEP * stream.integer(LEAST, MOST)}
            for place, line in enumerate(lines)
        ]
        texts = [
            stream.choice(TABLE["texts"]).format(wanted=one["wanted"], what=one["for"]) for one in requests
        ]
        entries: dict[str, int] = {}
        for one in requests:
            scale, zero = secret["units"][one["line"]]
            entries[str(one["line"])] = int(one["wanted"]) // scale - zero
        return self.task(
            LEVEL_OF[variant],
            situation,
            goal=worded(stream, TABLE["goals"][variant], story),
            observation=SHIFTED if shifted else OBSERVATION,
            actions=(SUBMIT,) if shifted else (SERVE,),
            criterion="every line got the entry that gives what is wanted, and the lines ran in their order",
            expected=[[line, entries[line]] for line in secret["order"] if line in entries],
            setup={"requests": requests, "texts": texts if shifted else [], "units": secret["units"]},
            needed=1 if shifted else SERVED,
            noisy=("text", "for"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        served, right = dict(state["served"]), dict(task.criterion.expected)
        for line, entry in right.items():
            if served.get(line) != entry:
                yield f"{line} did not get its quantity"
        if list(served) != list(right):
            yield "the lines did not run in their order"

    def feedback(self, task: Task, state: dict[str, Any]) -> str:
        right = ", then ".join(f"{line} with {entry}" for line, entry in task.criterion.expected)
        return f"Right would have been: {right}."

    def progress(self, task: Task, state: dict[str, Any]) -> str:
        entries = dict(task.criterion.expected)
        order, served = list(entries), dict(state["served"])
        told = [
            f"{line}: entry {_word(entry == entries[line])}, place {_word(order.index(line) == place)}"
            for place, (line, entry) in enumerate(served.items())
        ]
        told += [f"{line}: did not run" for line in sorted(set(entries) - set(served))]
        return f"This is how it went. {'; '.join(told)}."

    def example(self, brief: Brief, seen: Sequence[Seen], feedback: str) -> dict[str, Any]:
        shown = [one.observation for one in seen if one.observation]
        wanted = _wanted(shown[0]) if shown else {}
        right = _RIGHT.search(feedback)
        places = [[line, word == "right"] for line, word in _PLACE.findall(feedback)]
        return {
            "right": [
                [line, int(entry), wanted[line]]
                for line, entry in _ENTERED.findall(right[1] if right else "")
                if line in wanted
            ],
            "runs": _runs(shown[-1]) if shown else [],
            "places": places if len(places) == SERVED else [],
        }

    def player(self, brief: Brief, examples: Sequence[dict[str, Any]], stream: Stream) -> Policy:
        return Doser(brief, examples, stream)


def _word(good: bool) -> str:
    return "right" if good else "wrong"


def _runs(observation: dict[str, Any]) -> list[list[Any]]:
    if "log" in observation:
        found = [_LOG.fullmatch(line) for line in observation["log"]]
        return [[one[1], int(one[2]), int(one[3])] for one in found if one]
    return [[one["line"], one["entered"], one["came_out"]] for one in observation["served"]]
