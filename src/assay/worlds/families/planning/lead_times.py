"""Lead times: what is put in comes out hours later, and one thing waits for another. 12.6.

How long things take follows from notes that are read one at a time: each has when one thing went in and when another
came out, so that no note says it alone. What is due last may have to go in first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import Fixed, Steady, WorldBase, finish, options
from assay.worlds.events import Phrasebook, known, whole
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import numbers, read_first, table, worded
from assay.worlds.tiers import MODEL_FREE, TierBase

__all__ = ["LeadTimes"]

TABLE = table("lead-times")
NOTES = Phrasebook(TABLE["notes"])
OBSERVATION = obj(
    {
        "hour": integer("the hour whose action is to be decided now"),
        "note": array(STRING, "the note that was read last"),
        "notes_left": INTEGER,
        "orders": array(obj({"order": STRING, "due": integer("the latest hour at which it may come out")})),
        "put_in": array(STRING),
    }
)
# Where the first thing goes in, and how long it takes: all that fit in six hours.
FIRSTS = ((1, 3), (1, 4), (2, 3), (2, 4), (3, 3))
Plan = dict[int, str]  # hour → what is put in


@cache
def _actions(situation: str) -> tuple[Action, ...]:
    names = sorted(TABLE["situations"][situation]["names"])
    return (
        action(
            "put_in",
            "Put something in now; the hour passes, even if it cannot go in.",
            {"order": text("which", options=names)},
        ),
        action("wait", "Put nothing in; the hour passes."),
        action("read_note", "Read the next note; no time passes. It is shown until your next action."),
    )


def plans(takes: Mapping[str, int], due: Mapping[str, int], first: str, then: str) -> Iterator[Plan]:
    """Every plan in which all come out in time. ``then`` goes in when ``first`` is out."""
    last = max(due[name] - takes[name] for name in due)  # the latest hour at which anything can go in

    def extended(plan: Plan, hour: int) -> Iterator[Plan]:
        if len(plan) == len(takes):
            yield plan
        elif hour <= last:
            has = set(plan.values())
            out = next((at + takes[first] for at, name in plan.items() if name == first), last + 1)
            for name in takes:
                if name not in has and hour + takes[name] <= due[name] and (name != then or out <= hour):
                    yield from extended({**plan, hour: name}, hour + 1)
            yield from extended(plan, hour + 1)

    yield from extended({}, 1)


def _orders(names: list[str], stream: Stream) -> dict[str, Any]:
    """How long things take and when they are due, so that one order of putting them in is in time.

    What is due first does not go in first. Of the two that nothing waits for, the one due later goes in first in half
    of the instances. Unless it goes in third, what is waited for has to go in earlier than its own due hour asks.
    """
    first, then, *others = names
    at, long = stream.choice(FIRSTS)
    later_due_first = bool(stream.below(2))
    free = [hour for hour in range(1, at + long) if hour != at]
    hours = [*free[:2], at, at + long]
    start = dict(zip((*others, first, then), hours, strict=True))
    while True:
        takes = {first: long, then: stream.integer(3, 6)} | dict(
            zip(others, numbers(stream, 2, 3, 9), strict=True)
        )
        due = {name: start[name] + takes[name] + stream.weighted((0, 1), (2, 1)) for name in names}
        due[first] += stream.integer(1, 5)
        if len(set(due.values())) < len(due) or (due[others[0]] > due[others[1]]) is not later_due_first:
            continue
        found = list(plans(takes, due, first, then))
        orders = {tuple(name for _, name in sorted(plan.items())) for plan in found}
        if len(orders) != 1 or min(due, key=lambda name: due[name]) == found[0][1]:
            continue
        latest = [due[name] - takes[name] for name in next(iter(orders)) if name != then]
        if at == 3 or latest != sorted(latest):
            return {"takes": takes, "due": due, "last": max(hours)}


def _notes(takes: Mapping[str, int], stream: Stream) -> list[str]:
    """Notes of another day. Each has when one thing went in and when another one came out."""
    names = stream.shuffled(sorted(takes))
    went_in = dict(zip(names, numbers(stream, len(names), 1, 9), strict=True))
    return [
        NOTES.say(stream, "note", a=one, n=went_in[one], b=other, m=went_in[other] + takes[other])
        for one, other in zip(names, [*names[1:], names[0]], strict=True)
    ]


class Chambers(WorldBase):
    """What was put in at which hour."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._hour, self._read, self._shows = 1, 0, False
        self._put_in: dict[str, int] = {}

    def look(self) -> dict[str, Any]:
        return {
            "hour": self._hour,
            "note": [self.setup["notes"][self._read - 1]] if self._shows else [],
            "notes_left": len(self.setup["notes"]) - self._read,
            "orders": [dict(order) for order in self.setup["orders"]],
            "put_in": sorted(self._put_in),
        }

    def do_read_note(self) -> None:
        if self._read == len(self.setup["notes"]):
            raise Refused("all notes have been read")
        self._read, self._shows = self._read + 1, True

    def do_wait(self) -> Effect:
        self._hour, self._shows = self._hour + 1, False
        return Effect(done=self._hour > max(order["due"] for order in self.setup["orders"]))

    def do_put_in(self, order: str) -> Effect:
        hour, takes = self._hour, self.setup["takes"]
        over = self.do_wait()
        if order in self._put_in:
            return Effect(error=f"{order} was put in before", done=over.done)
        first = self.setup["first"]
        if order == self.setup["then"] and self._put_in.get(first, hour) + takes[first] > hour:
            return Effect(error=f"{order} cannot go in yet", done=over.done)
        self._put_in[order] = hour
        return Effect(done=over.done or len(self._put_in) == len(takes))

    def snapshot(self) -> dict[str, Any]:
        return {
            "read": self._read,
            "out": {name: hour + self.setup["takes"][name] for name, hour in sorted(self._put_in.items())},
        }


class Scheduler(Steady):
    """Reads all notes, works out how long things take, and plans backwards from when they are due.

    The novice puts in what is due first of all that can go in. So does the solver where notes are missing.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._names = options(brief, "order")
        found = read_first(TABLE["needs"], brief.goal, r"\w+")
        self._first, self._then = found["a"], found["b"]
        self._went_in: dict[str, int] = {}
        self._came_out: dict[str, int] = {}
        self._plan: Plan | None = None

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        for note in observation["note"]:
            _, said = NOTES.read(note)
            self._went_in[known(said["a"], self._names)] = whole(said["n"])
            self._came_out[known(said["b"], self._names)] = whole(said["m"])
        if observation["notes_left"] and not self.is_novice:
            return Act("read_note", {})
        due = {known(row["order"].split(" ")[0], self._names): row["due"] for row in observation["orders"]}
        if self._plan is None and not self.is_novice and len(self._went_in) == len(due):
            takes = {name: self._came_out[name] - self._went_in[name] for name in due}
            found = plans(takes, due, self._first, self._then)
            self._plan = min(found, key=lambda plan: max(plan))
        if self._plan is None:
            open_ = [name for name in due if name not in observation["put_in"]]
            ready = [name for name in open_ if name != self._then or self._first in observation["put_in"]]
            return Act("put_in", {"order": min(ready, key=lambda name: due[name])}) if ready else finish()
        order = self._plan.get(observation["hour"])
        return Act("put_in", {"order": order}) if order else Act("wait", {})


class LeadTimes(TierBase, table=TABLE):
    arms: ClassVar[dict[str, str]] = {MODEL_FREE: "earlier turns, so all notes but the one read last"}
    world = Chambers
    solver = Scheduler

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        names = stream.shuffled(story["names"])
        first, then = names[:2]
        drawn = _orders(names, stream)
        orders = [{"order": name, "due": drawn["due"][name]} for name in stream.shuffled(names)]
        notes = _notes(drawn["takes"], stream)
        end = max(drawn["due"].values())
        delay = drawn["last"] - 1
        return self.task(
            level,
            situation,
            goal=" ".join(
                worded(stream, TABLE[slot], story, a=first, b=then)
                for slot in ("heads", "hours", "needs", "readings", "tails")
            ),
            observation=OBSERVATION,
            actions=_actions(situation),
            criterion=TABLE["criterion"].format(end=end, delay=delay),
            expected=drawn["due"],
            setup={
                "takes": drawn["takes"],
                "notes": stream.shuffled(notes),
                "orders": orders,
                "first": first,
                "then": then,
            },
            needed=len(notes) + drawn["last"],
            noisy=("note", "order"),
            delay=delay,
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        for name, due in sorted(task.criterion.expected.items()):
            out = state["out"].get(name)
            if out is None:
                yield f"{name} was not put in"
            elif out > due:
                yield f"{name} came out at hour {out}, not by {due}"

    def null(self, brief: Brief) -> Fixed:
        return Fixed(*(Act("put_in", {"order": name}) for name in options(brief, "order")))
