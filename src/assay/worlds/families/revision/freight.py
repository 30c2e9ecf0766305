"""Freight: a shipment that no run can take, or a request that contradicts itself. 10.10.2, B.8.2.

Level 1: a third each can be booked, cannot be met because of one demand, contradicts itself.
Level 4: an impossible shipment, put twice. Two runs are allowed, each by another change; the same one is wanted.
Level 5: two runs that meet, chosen by declared criteria; a run may be full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, finish
from assay.worlds.fuzzy import nearest, number_at
from assay.worlds.model import Act, Action, Brief, Effect, Seen, Task, World
from assay.worlds.rounds import Rounds
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, string, text
from assay.worlds.templates import partly_filled, read, read_first, story_of, table

from .common import (
    Refusals,
    best_by,
    decided_otherwise,
    in_other_order,
    met_as_given,
    put_together,
    quantities,
)
from .freight_cases import (
    DEMANDS,
    IDS,
    Runs,
    allowed_loads,
    allowed_pairs,
    answer,
    drawn_shipment,
    to_town,
)

__all__ = ["Freight"]

TABLE = table("freight")
SITES: dict[str, dict[str, Any]] = TABLE["situations"]
NEEDED = {1: 1, 4: 2, 5: 6}  # level 5: the second run is full, and the first is released
_RUN = {"run": STRING, "to": STRING, "wagon": STRING, "arrives": integer("hour")}
_RUN |= {"room": STRING, "price": INTEGER}
OBSERVATIONS = {
    1: obj({"runs": array(obj(_RUN))}),
    4: obj({"runs": array(obj(_RUN | {"remark": STRING}))}),
    5: obj(
        {
            "runs": array(
                obj(
                    {"run": STRING, "from": STRING, "to": STRING, "leaves": integer("hour")}
                    | {"arrives": integer("hour"), "room": string("how many it can take"), "price": INTEGER}
                )
            ),
            "booked": array(STRING),
            "full": array(STRING, "runs that can no longer be booked"),
        }
    ),
}
# Sentences of a goal; those in a list come in any order. ``twice`` is one of three.
SLOTS: dict[int, tuple[Any, ...]] = {
    1: ("heads", ["times", "prices", "wagons", "twice"], "smudges", "tails1"),
    4: (
        "heads",
        ["times", "prices", "wagons"],
        ["laters", "cuts", "swaps"],
        "ones",
        "smudges",
        "asides",
        "tails4",
    ),
    5: ("heads5", ["changes", "times5", "prices5", "cuts"], "ranks", "smudges", "tails5"),
}


def _offered(level: int) -> tuple[Action, ...]:
    which = {"run": text("its id", options=IDS[level])}
    load = {"load": integer("how many go", 1, 99)}
    demand = {"demand": text("which demand", options=DEMANDS)}
    found: dict[int, tuple[Action, ...]] = {
        1: (
            action("book", "Book a run for the shipment. This is final.", which),
            action("halt", "Stop. This is final.", demand),
            action("ask", "Ask for clarification. This is final.", demand),
        ),
        4: (action("book", "Book a run for so many. This is final.", which | load),),
        5: (
            action("book", "Book a run.", which),
            action("release", "Give a booked run back.", which),
            action("confirm", "Send so many on the runs that are booked. This is final.", load),
        ),
    }
    return found[level]


ACTIONS = {level: _offered(level) for level in OBSERVATIONS}


def _timetable(runs: Runs, unit: str) -> list[dict[str, Any]]:
    """Runs as they are shown."""
    return [{"run": name, **run, "room": f"{run['room']} {unit}"} for name, run in runs.items()]


class Shipments(Rounds):
    """Levels 1 and 4: a list of runs and one decision, once or twice."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._decided: list[dict[str, Any]] = []

    def look(self) -> dict[str, Any]:
        return {"runs": [dict(run) for run in self.parts[self.now]["runs"]]}

    def _decide(self, name: str, arguments: dict[str, Any]) -> Effect:
        self._decided.append({"action": name, "arguments": arguments})
        return self.end_round()

    def do_book(self, **arguments: Any) -> Effect:
        return self._decide("book", arguments)

    def do_halt(self, demand: str) -> Effect:
        return self._decide("halt", {"demand": demand})

    def do_ask(self, demand: str) -> Effect:
        return self._decide("ask", {"demand": demand})

    def snapshot(self) -> dict[str, Any]:
        return {"decided": [dict(one) for one in self._decided]}


class Connections(WorldBase):
    """Level 5: a run for each leg; a run may be full."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._runs: dict[str, dict[str, Any]] = task.setup["runs"]
        self._booked: list[str] = []
        self._full: list[str] = []
        self._confirmed = 0
        self._refusals = Refusals()

    def look(self) -> dict[str, Any]:
        return {
            "runs": _timetable(self._runs, self.setup["unit"]),
            "booked": sorted(self._booked),
            "full": list(self._full),
        }

    def do_book(self, run: str) -> None:
        if run in self.setup["full"]:
            self._full = [run]
            raise self._refusals.refuse(f"booking {run}", f"{run} is full")
        start = self._runs[run]["from"]
        if start in [self._runs[other]["from"] for other in self._booked]:
            raise self._refusals.refuse(f"booking {run}", f"a run from {start} is booked already")
        self._booked.append(run)

    def do_release(self, run: str) -> None:
        if run not in self._booked:
            raise self._refusals.refuse(f"releasing {run}", f"{run} is not booked")
        self._booked.remove(run)

    def do_confirm(self, load: int) -> Effect:
        if len(self._booked) < 2 or load > min(self._runs[run]["room"] for run in self._booked):
            raise self._refusals.refuse(f"confirming {load}", f"the booked runs cannot take {load}")
        self._confirmed = load
        return Effect(done=True)

    def snapshot(self) -> dict[str, Any]:
        return {
            "booked": sorted(self._booked),
            "confirmed": self._confirmed,
            "refused": dict(sorted(self._refusals.counts.items())),
        }


class Dispatcher(Steady):
    """Works out which run meets the request, and revises it where it must.

    The novice books a run in any case. Where a change has to be made, it takes the first run that is allowed; of two
    legs it takes the first that meet.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._site = story_of(SITES, brief.goal)
        self._goal = understood(brief.goal, brief.level, self._site)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        runs = {row["run"]: self._read(row) for row in observation["runs"]}
        if self.brief.level == 5:
            return self._connect(runs, observation)
        if self.brief.level == 4:
            allowed = allowed_loads(runs, self._goal)
            name, load = allowed[0] if self.is_novice else max(allowed)
            return Act("book", {"run": name, "load": load})
        decided, what = answer(runs, self._goal)
        if self.is_novice and decided != "book":
            return Act("book", {"run": next(iter(to_town(runs, self._goal)))})
        if self._goal["contradiction"] and not self.is_novice:
            return Act("ask", {"demand": self._goal["contradiction"]})
        return Act(decided, {"run" if decided == "book" else "demand": what})

    def _read(self, row: dict[str, Any]) -> dict[str, Any]:
        found = {**row, "room": number_at(row["room"], 0)}
        for field, names in (("to", "towns"), ("from", "towns"), ("wagon", "wagons")):
            if field in row:
                found[field] = nearest(row[field].split(" ")[0], self._site[names])
        return found

    def _connect(self, runs: Runs, observation: dict[str, Any]) -> Act:
        left = {name: run for name, run in runs.items() if name not in observation["full"]}
        goal = self._goal
        if self.is_novice:
            goal = {**goal, "most": 10**6, "last": 99, "least": 0, "ranks": []}
        pairs = allowed_pairs(left, goal)
        best = best_by(goal["ranks"], pairs)[0] if pairs else ("", "")
        for name in observation["booked"]:
            if name not in best:
                return Act("release", {"run": name})
        for name in best:
            if name and name not in observation["booked"]:
                return Act("book", {"run": name})
        return Act("confirm", {"load": goal["load"] - dict(pairs)[best]["left"]}) if pairs else finish(False)


def understood(goal: str, level: int, site: Mapping[str, Any]) -> dict[str, Any]:
    """What a goal says, read from its words."""
    own = {"who": site["who"], "unit": site["unit"]}
    table_ = {
        slot: [partly_filled(wording, own) for wording in TABLE[slot]]
        for slot in TABLE
        if isinstance(TABLE[slot], list)
    }
    head = read_first(table_["heads5" if level == 5 else "heads"], goal, r"\w+")
    found: dict[str, Any] = {**head, "load": int(head["load"])}
    if level == 5:
        found |= quantities(goal, table_["changes"], table_["times5"], table_["prices5"], table_["cuts"])
        said = read_first(table_["ranks"], goal, "|".join(TABLE["criteria"].values()))
        names = {words: name for name, words in TABLE["criteria"].items()}
        found["ranks"] = [names[said[place]] for place in "abc"]
    else:
        found |= quantities(goal, table_["times"], table_["prices"])
        found["wagon"] = read_first(table_["wagons"], goal, r"\w+")["wagon"]
    if level == 4:
        found |= quantities(goal, table_["laters"], table_["cuts"])
        found["other"] = read_first(table_["swaps"], goal, r"\w+")["other"]
        if "more" in found:
            found["last"] = found["due"] + found["more"]
    if "less" in found:
        found["least"] = found["load"] - found["less"]
    if level == 1:
        found["contradiction"] = _contradiction(goal, table_, found)
    return found


def _contradiction(goal: str, table_: Mapping[str, list[str]], found: dict[str, Any]) -> str:
    """The demand that is stated in two ways which exclude each other, if there is one."""
    said = {
        demand: next(
            (got["again"] for one in table_[f"again_{demand}"] if (got := read(one, goal, r"\w+"))), ""
        )
        for demand in ("load", "time", "wagon")
    }
    if said["time"]:
        found["earliest"] = int(said["time"])
        return "time" if found["earliest"] > found["due"] else ""
    if said["load"]:
        return "load" if int(said["load"]) != found["load"] else ""
    return "wagon" if said["wagon"] != found["wagon"] else ""


class Freight(FamilyBase, table=TABLE):
    world = Shipments
    solver = Dispatcher

    def open(self, task: Task, *, drift: bool) -> World:
        return Connections(task) if task.level == 5 else Shipments(task)

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        site = SITES[situation]
        goal, runs, more, expected = drawn_shipment(level, site, stream)
        said = [self._said(level, site, goal, stream) for _ in range(2 if level == 4 else 1)]
        while level == 4 and said[0] == said[1]:
            said[1] = self._said(level, site, goal, stream)
        setup: dict[str, Any] = {"runs": runs, "unit": site["unit"], **more}
        if level != 5:
            lists = [stream.shuffled(_timetable(runs, site["unit"])) for _ in said]
            names = [name for name, _ in expected["allowed"]] if level == 4 else []
            while level == 4 and not in_other_order(lists, "run", names):
                lists[1] = stream.shuffled(lists[1])
            for row in [row for rows in lists for row in rows] if level == 4 else ():
                row["remark"] = stream.choice(site["remarks"])
            setup = {
                "parts": [{"goal": words, "runs": rows} for words, rows in zip(said, lists, strict=True)]
            }
        return self.task(
            level,
            situation,
            goal=said[0],
            observation=OBSERVATIONS[level],
            actions=ACTIONS[level],
            criterion=TABLE["criterion"][level],
            expected=expected,
            setup=setup,
            needed=NEEDED[level],
            noisy=("to", "from", "wagon", "room", "remark"),
        )

    def _said(self, level: int, site: Mapping[str, Any], goal: Mapping[str, Any], stream: Stream) -> str:
        """The goal in words."""
        twice = f"again_{goal['twice']}" if "twice" in goal else ""
        slots = [
            TABLE[slot] if isinstance(slot, str) else [TABLE[twice if s == "twice" else s] for s in slot]
            for slot in SLOTS[level]
        ]
        gaps = {**goal, "who": site["who"], "unit": site["unit"], "more": goal.get("last", 0) - goal["due"]}
        if level == 5:
            gaps |= dict(zip("abc", (TABLE["criteria"][name] for name in goal["ranks"]), strict=True))
        return " ".join(put_together(stream, *slots)).format_map(gaps)

    def feasible(self, task: Task) -> bool | None:
        return met_as_given(task, "book")

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        right = task.criterion.expected
        if task.level == 1:
            yield from decided_otherwise(state["decided"], right)
        elif task.level == 4:
            booked = [[one["arguments"]["run"], one["arguments"]["load"]] for one in state["decided"]]
            if len(booked) < 2:
                yield "the shipment was not booked both times"
            yield from ("what was booked is not allowed" for one in booked if one not in right["allowed"])
            if len(booked) == 2 and booked[0] != booked[1]:
                yield "the two bookings differ"
        else:
            yield from Refusals.failures(state["refused"])
            if not state["confirmed"]:
                yield "nothing was confirmed"
            if state["booked"] != right["booked"]:
                yield "another pair of runs is better, or what was booked is not allowed"
            elif state["confirmed"] not in (0, right["confirmed"]):
                yield f"{state['confirmed']} were sent, and {right['confirmed']} could be"

    def null(self, brief: Brief) -> Fixed:
        first = IDS[brief.level][0]
        acts = {
            1: [Act("halt", {"demand": DEMANDS[0]})],
            4: [Act("book", {"run": first, "load": 20})] * 2,
            5: [Act("book", {"run": first}), Act("book", {"run": IDS[5][1]}), Act("confirm", {"load": 20})],
        }
        return Fixed(*acts[brief.level], finish())
