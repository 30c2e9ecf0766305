"""Deadline: a plan of parts, crews and days that may be impossible, and the changes that are allowed. 10.10.2, B.8.1.

Level 1: a possible plan, a demand that cannot be met, a part that is not listed; a third of instances each.
Level 2: a third is possible, a third needs one of two allowed changes, a third is beyond them.
Level 3: a part takes longer than listed, which shows when it is built; which change is left depends on day and budget.
Level 5: several changes are allowed, and declared criteria rank them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, finish
from assay.worlds.events import listed
from assay.worlds.fuzzy import nearest, number_at
from assay.worlds.model import Act, Action, Brief, Effect, Seen, Task, World
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, string, text
from assay.worlds.templates import partly_filled, read_first, story_of, table

from .common import Refusals, best_by, decided_otherwise, met_as_given, named_in, put_together, quantities
from .deadline_cases import (
    DEMANDS,
    NONE,
    Parts,
    allowed_plans,
    cost_of,
    drawn_case,
    in_days,
    ready_on,
    remedies,
    rescues,
)

__all__ = ["Deadline"]

TABLE = table("deadline")
SITES: dict[str, dict[str, Any]] = TABLE["situations"]
LATEST_DAY = 99
NEEDED = {1: 1, 2: 1, 3: 7, 5: 5}
_PART = {"part": STRING, "crew": STRING, "takes": string("days of work")}
_CREW = {"crew": STRING, "away": array(INTEGER, "days on which it does not work")}
_RATE = {"day_rate": INTEGER}
OBSERVATIONS = {
    1: obj({"parts": array(obj(_PART)), "crews": array(obj(_CREW | _RATE | {"contract": STRING}))}),
    2: obj({"parts": array(obj(_PART)), "crews": array(obj(_CREW))}),
    3: obj(
        {
            "parts": array(
                obj(
                    {
                        "part": STRING,
                        "takes": string("days of work"),
                        "waiver": integer("what is paid, out of the budget, if it is left out"),
                        "state": string("open, built or left out"),
                    }
                )
            ),
            "next_day": integer("the day on which work goes on"),
            "paid": integer("so far"),
            "deadline": INTEGER,
        }
    ),
    5: obj(
        {
            "parts": array(obj(_PART | {"points": INTEGER})),
            "crews": array(obj(_CREW | _RATE)),
            "deadline": INTEGER,
            "left_out": array(STRING),
        }
    ),
}
# Sentences of a goal; those in a list come in any order.
_CHANGES = ("laters", "drops", "eithers")
SLOTS: dict[int, tuple[Any, ...]] = {
    1: ("heads", ["times", "moneys"], "rules", "costs", "smudges", "tails1"),
    2: ("heads", ["times", "rules"], *_CHANGES, "smudges", "tails2"),
    3: ("heads3", ["times", "moneys", "paces"], *_CHANGES, "waivers", "smudges", "tails3"),
    5: (
        "heads",
        ["times", "moneys", "rules", "costs"],
        ["laters5", "drops5", "points"],
        "ranks",
        "smudges",
        "tails5",
    ),
}
NUMBERS = {  # those that state numbers
    1: ("times", "moneys", "rules"),
    2: ("times", "rules", "laters"),
    3: ("times", "moneys", "paces", "laters"),
    5: ("times", "moneys", "rules", "laters5", "points"),
}
DAY = {"day": integer("the end of this day", 1, LATEST_DAY)}


@cache
def _actions(level: int, situation: str) -> tuple[Action, ...]:
    parts = sorted(SITES[situation]["parts"])
    part = {"part": text("the part", options=parts)}
    leave_out = action("leave_out", "Leave a part out. This cannot be taken back.", part)
    move = action("move_deadline", "Set the deadline to another day.", DAY)
    cost = {"cost": integer("cost of all wanted parts", 0, 100_000)}
    either = {"leave_out": text("a part, or none", options=[NONE, *parts])}
    offered: dict[int, tuple[Action, ...]] = {
        1: (
            action("commit", "Accept the request. This is final.", DAY | cost),
            action("halt", "Stop. This is final.", {"demand": text("what cannot be met", options=DEMANDS)}),
            action("ask", "Ask for clarification. This is final.", part),
        ),
        2: (
            action("commit", "Accept the request as it stands. This is final."),
            action("propose", "Propose another plan. This is final.", DAY | either),
            action("decline", "Turn the request down. This is final."),
        ),
        3: (
            action("build", "Have a part built; the days it takes pass.", part),
            leave_out,
            move,
            action("deliver", "Hand over what was built. This is final."),
            action("call_off", "Give the work up. This is final."),
        ),
        5: (leave_out, move, action("commit", "Accept the plan as it is now. This is final.")),
    }
    return offered[level]


class PlanRequest(WorldBase):
    """Levels 1, 2 and 5: parts and crews as they are listed, and what was decided."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._decided: list[dict[str, Any]] = []
        self._left_out: list[str] = []
        self._deadline: int = task.setup["due"]
        self._refusals = Refusals()

    def look(self) -> dict[str, Any]:
        parts = [dict(part) for part in self.setup["parts"]]
        crews = [{**crew, "away": list(crew["away"])} for crew in self.setup["crews"]]
        if self.level != 5:
            return {"parts": parts, "crews": crews}
        return {
            "parts": parts,
            "crews": crews,
            "deadline": self._deadline,
            "left_out": sorted(self._left_out),
        }

    def _decide(self, name: str, **arguments: Any) -> Effect:
        self._decided.append({"action": name, "arguments": arguments})
        return Effect(done=True)

    def do_commit(self, **arguments: Any) -> Effect:
        return self._decide("commit", **arguments)

    def do_halt(self, demand: str) -> Effect:
        return self._decide("halt", demand=demand)

    def do_ask(self, part: str) -> Effect:
        return self._decide("ask", part=part)

    def do_propose(self, **arguments: Any) -> Effect:
        return self._decide("propose", **arguments)

    def do_decline(self) -> Effect:
        return self._decide("decline")

    def do_leave_out(self, part: str) -> None:
        if part in self._left_out or part not in [one["part"] for one in self.setup["parts"]]:
            raise self._refusals.refuse(f"leaving out {part}", f"{part} is not part of the plan")
        self._left_out.append(part)

    def do_move_deadline(self, day: int) -> None:
        self._deadline = day

    def snapshot(self) -> dict[str, Any]:
        return {
            "decided": [dict(one) for one in self._decided],
            "left_out": sorted(self._left_out),
            "deadline": self._deadline,
            "refused": dict(sorted(self._refusals.counts.items())),
        }


class Site(WorldBase):
    """Level 3: parts are built one after the other, and one takes longer than listed."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._states = {part["part"]: "open" for part in task.setup["parts"]}
        self._day, self._paid, self._deadline = task.setup["first"], 0, task.setup["due"]
        self._ended = ""
        self._refusals = Refusals()

    def look(self) -> dict[str, Any]:
        return {
            "parts": [
                {**part, "takes": in_days(part["takes"]), "state": self._states[part["part"]]}
                for part in self.setup["parts"]
            ],
            "next_day": self._day,
            "paid": self._paid,
            "deadline": self._deadline,
        }

    def _open(self) -> list[str]:
        return [part for part, state in self._states.items() if state == "open"]

    def do_build(self, part: str) -> None:
        if part not in self._open()[:1]:
            raise self._refusals.refuse(f"building {part}", f"{part} is not the next part to be built")
        takes = next(one["takes"] for one in self.setup["parts"] if one["part"] == part)
        takes += self.setup["longer"].get(part, 0)
        self._day += takes
        self._paid += takes * self.setup["rate"]
        self._states[part] = "built"

    def do_leave_out(self, part: str) -> None:
        if part not in self._open():
            raise self._refusals.refuse(f"leaving out {part}", f"{part} is not open")
        self._paid += next(one["waiver"] for one in self.setup["parts"] if one["part"] == part)
        self._states[part] = "left out"

    def do_move_deadline(self, day: int) -> None:
        self._deadline = day

    def do_deliver(self) -> Effect:
        if self._open():
            raise self._refusals.refuse("delivery", "there are parts that are neither built nor left out")
        self._ended = "delivered"
        return Effect(done=True)

    def do_call_off(self) -> Effect:
        self._ended = "called off"
        return Effect(done=True)

    def snapshot(self) -> dict[str, Any]:
        return {
            "left_out": sorted(part for part, state in self._states.items() if state == "left out"),
            "ready": self._day - 1,
            "deadline": self._deadline,
            "paid": self._paid,
            "ended": self._ended,
            "refused": dict(sorted(self._refusals.counts.items())),
        }


class Planner(Steady):
    """Works out the plan, and revises it where it must. The novice never says that a plan cannot be kept, and changes
    nothing but, at level 5, the deadline, however late.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._site = story_of(SITES, brief.goal)
        self._goal = understood(brief.goal, brief.level, self._site)
        self._plan: tuple[tuple[str, ...], int] | None = None  # level 5: what is left out, and the deadline

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if self.brief.level == 3:
            return self._build(observation)
        crews = {self._crew(one): one for one in observation["crews"]}
        parts: dict[str, dict[str, Any]] = {
            one["part"]: {**one, "crew": self._crew(one), "days": number_at(one["takes"], 0)}
            for one in observation["parts"]
        }
        if self.brief.level == 5:
            return self._choose(parts, crews, observation)
        wanted = {name: parts[name] for name in self._goal["wanted"] if name in parts}
        away = {crew: one["away"] for crew, one in crews.items()}
        if self.brief.level == 1:
            return self._answer(wanted, away, crews)
        found = ["commit"] if self.is_novice else remedies(wanted, away, self._goal)
        if not found or found == ["commit"]:
            return Act("commit" if found else "decline", {})
        if found[0] == "day":
            return Act("propose", {"day": ready_on(wanted, away, self._goal["first"]), "leave_out": NONE})
        return Act("propose", {"day": self._goal["due"], "leave_out": found[0]})

    def _crew(self, row: dict[str, Any]) -> str:
        return nearest(row["crew"].split(" ")[0], self._site["crews"])

    def _answer(
        self, wanted: Parts, away: Mapping[str, Sequence[int]], crews: Mapping[str, Mapping[str, Any]]
    ) -> Act:
        missing = [part for part in self._goal["wanted"] if part not in wanted]
        if missing:
            return Act("ask", {"part": missing[0]})
        day = ready_on(wanted, away, self._goal["first"])
        cost = cost_of(wanted, {crew: one["day_rate"] for crew, one in crews.items()})
        gone = [
            crew
            for crew, one in crews.items()
            if nearest(one["contract"], ["signed", "cancelled"]) != "signed"
        ]
        wrong = {
            "crew": any(one["crew"] in gone for one in wanted.values()),
            "deadline": day > self._goal["due"],
            "budget": cost > self._goal["most"],
        }
        for demand in DEMANDS if not self.is_novice else ():
            if wrong[demand]:
                return Act("halt", {"demand": demand})
        return Act("commit", {"day": day, "cost": cost})

    def _build(self, observation: dict[str, Any]) -> Act:
        todo = {
            one["part"]: number_at(one["takes"], 0) for one in observation["parts"] if one["state"] == "open"
        }
        waivers = {one["part"]: one["waiver"] for one in observation["parts"]}
        goal = {**self._goal, "due": observation["deadline"]}
        if any(one["state"] == "left out" for one in observation["parts"]):
            goal["drops"], goal["last"] = [], goal["due"]
        found = (
            ["as planned"]
            if self.is_novice
            else rescues(todo, waivers, observation["next_day"], observation["paid"], goal)
        )
        if not found:
            return Act("call_off", {})
        if found[0] == "day":
            return Act("move_deadline", {"day": observation["next_day"] - 1 + sum(todo.values())})
        if found[0] != "as planned":
            return Act("leave_out", {"part": found[0]})
        return Act("build", {"part": next(iter(todo))}) if todo else Act("deliver", {})

    def _choose(
        self, parts: Parts, crews: Mapping[str, Mapping[str, Any]], observation: dict[str, Any]
    ) -> Act:
        if self._plan is None:
            goal = (
                {**self._goal, "last": LATEST_DAY, "most": 10**6, "drops": []}
                if self.is_novice
                else self._goal
            )
            plans = allowed_plans(parts, crews, goal)
            best = best_by(goal["ranks"], plans)[0]
            self._plan = best, goal["due"] + dict(plans)[best]["delay"]
        left_out, day = self._plan
        for part in left_out:
            if part not in observation["left_out"]:
                return Act("leave_out", {"part": part})
        if observation["deadline"] != day:
            return Act("move_deadline", {"day": day})
        return Act("commit", {})


def understood(goal: str, level: int, site: Mapping[str, Any]) -> dict[str, Any]:
    """What a goal says, read from its words."""
    found: dict[str, Any] = quantities(goal, *(TABLE[slot] for slot in NUMBERS[level]))
    if "more" in found:
        found["last"] = found["due"] + found.pop("more")
    if level != 3:
        heads = [partly_filled(wording, {"who": site["who"]}) for wording in TABLE["heads"]]
        found["wanted"] = named_in(read_first(heads, goal, r"[\w, ]+?")["parts"], site["parts"])
    if level in (2, 3):
        said = read_first(TABLE["drops"], goal, r"\w+")
        found["drops"] = [said["x"], said["y"]]
    if level == 5:
        found["drops"] = named_in(read_first(TABLE["drops5"], goal, r"[\w, ]+?")["drops"], site["parts"])
        said = read_first(TABLE["ranks"], goal, "|".join(TABLE["criteria"].values()))
        names = {words: name for name, words in TABLE["criteria"].items()}
        found["ranks"] = [names[said[place]] for place in "abc"]
    return found


class Deadline(FamilyBase, table=TABLE):
    world = PlanRequest
    solver = Planner

    def open(self, task: Task, *, drift: bool) -> World:
        return Site(task) if task.level == 3 else PlanRequest(task)

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        site = SITES[situation]
        goal, setup, expected = drawn_case(level, site, stream)
        said = put_together(
            stream,
            *(TABLE[s] if isinstance(s, str) else [TABLE[one] for one in s] for s in SLOTS[level]),
        )
        gaps = {"who": site["who"], **goal, "more": goal.get("last", 0) - goal["due"]}
        gaps |= {"parts": listed(goal["wanted"])} if "wanted" in goal else {}
        if level in (2, 3):
            gaps |= dict(zip("xy", goal["drops"], strict=True))
        if level == 5:
            gaps |= {"drops": listed(goal["drops"])}
            gaps |= dict(zip("abc", (TABLE["criteria"][name] for name in goal["ranks"]), strict=True))
        return self.task(
            level,
            situation,
            goal=" ".join(said).format_map(gaps),
            observation=OBSERVATIONS[level],
            actions=_actions(level, situation),
            criterion=TABLE["criterion"][level],
            expected=expected,
            setup=setup,
            needed=NEEDED[level],
            noisy=("crew", "takes") if level != 3 else ("takes",),
        )

    def feasible(self, task: Task) -> bool | None:
        return met_as_given(task, "commit")

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        right = task.criterion.expected
        yield from Refusals.failures(state["refused"])
        if task.level == 3:
            yield from _misbuilt(right, state)
        elif task.level == 5:
            yield from decided_otherwise(state["decided"], {"action": "commit", "arguments": {}})
            if state["left_out"] != right["left_out"]:
                yield "another plan is better: what was left out is not the best choice"
            if state["deadline"] != right["deadline"]:
                yield f"the deadline is day {state['deadline']}, and should be {right['deadline']}"
        elif right["action"] == "propose" and state["decided"][:1]:
            said = state["decided"][0]
            if said["action"] != "propose":
                yield f"the request was answered with {said['action']}, and calls for propose"
            elif [said["arguments"]["day"], said["arguments"]["leave_out"]] not in right["allowed"]:
                yield "the proposal is not allowed, or cannot be kept"
        else:
            yield from decided_otherwise(state["decided"], right)

    def null(self, brief: Brief) -> Fixed:
        acts = {
            1: Act("halt", {"demand": DEMANDS[0]}),
            2: Act("decline", {}),
            3: Act("call_off", {}),
            5: Act("commit", {}),
        }
        return Fixed(acts[brief.level], finish())


def _misbuilt(right: dict[str, Any], state: dict[str, Any]) -> Iterator[str]:
    """Level 3: what is wrong with how the work ended."""
    if state["paid"] > right["most"]:
        yield f"{state['paid']} were paid, and the budget is {right['most']}"
    if state["ended"] != right["ended"]:
        yield f"the work was to be {right['ended']}, and was {state['ended'] or 'not ended'}"
    elif state["ended"] == "delivered":
        if state["left_out"] != right["left_out"]:
            yield "what was left out is not what had to be"
        if state["ready"] > state["deadline"]:
            yield f"the work was ready on day {state['ready']}, after the deadline"
        if not right["due"] <= state["deadline"] <= right["last"]:
            yield f"the deadline was moved to day {state['deadline']}, which was not called for"
