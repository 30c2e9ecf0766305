"""Shedding: supply falls short, and what ranks lowest goes off until the limit is kept. 10.10.3, B.8.3.

The binding constraint is the limit. The rank of a unit follows from the goal it serves, the declared order of goals
and an exception; what is switched off, and in which sequence, is read from the state. Level 4 puts a case twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, finish, options
from assay.worlds.events import listed
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Action, Brief, Effect, Policy, Refused, Seen, Task
from assay.worlds.rounds import Rounds
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, string, text
from assay.worlds.templates import numbers, partly_filled, read, story_of, table, worded

from .ranking import (
    ONLY,
    SPELLING,
    FeatureBound,
    Override,
    clauses_read,
    condition_read,
    exception_read,
    exception_stated,
    listed_goals,
    notes_drawn,
    order_read,
    order_stated,
    other_orders,
    rotation,
)

__all__ = ["Shedding"]

TABLE = table("shedding")
GOALS = {1: 2, 2: 3, 3: 3, 4: 3, 5: 4}
EACH = {1: 4, 2: 3, 3: 3, 4: 3, 5: 3}  # units a goal: how many serve it says nothing
OFF = {1: (2, 3), 2: (4, 5), 3: (4, 5), 4: (4, 4), 5: (4, 6)}  # units that have to go
WITH_NOTES = (3, 4, 5)
STICKS = (3, 5)  # levels at which one switch does not respond: a partial failure, and the turn passes on
COUNTS = ("two", "three", "four")
_UNIT = {
    "unit": STRING,
    "serves": string("the goal it is there for"),
    "draws": INTEGER,
    "people": integer("how many depend on it"),
}
_SEEN = {
    "limit": INTEGER,
    "drawn": integer("what all units that are on draw together"),
    "units": array(obj(_UNIT)),
    "off": array(STRING, "units that are off"),
}
_NOTES, _STUCK = {"notes": array(STRING)}, {"stuck": array(STRING, "units that did not respond")}
OBSERVATIONS = {
    level: obj(_SEEN | (_NOTES if level in WITH_NOTES else {}) | (_STUCK if level in STICKS else {}))
    for level in GOALS
}
IDS = {level: [f"U{n}" for n in range(1, GOALS[level] * EACH[level] + 1)] for level in GOALS}
SWITCH_OFF: dict[int, Action] = {
    level: action(
        "switch_off", "Switch a unit off. This cannot be undone today.", {"unit": text("which", options=ids)}
    )
    for level, ids in IDS.items()
}
CLOSE = action("close_case", "Say that nothing more is switched off in this case.")
Unit = dict[str, Any]
Key = Callable[[Unit], Any]


class Rules(Struct, frozen=True):
    """The declared priorities. ``first``: what goes off first among equals. ``never``: what must stay on.

    ``scope``: only such units of the highest goal have its rank; its others rank below all.
    """

    order: tuple[str, ...]
    first: str
    override: Override | None = None
    scope: FeatureBound | None = None
    never: FeatureBound | None = None

    def rank(self, unit: Mapping[str, Any]) -> int:
        """0 is the highest."""
        goal = self.override.goal(unit) if self.override else unit["serves"]
        if self.scope and goal == self.order[0] and not self.scope.holds(unit):
            return len(self.order)
        return self.order.index(goal)

    def turn(self, units: Sequence[Unit]) -> list[Unit]:
        """What may go off, in the sequence in which it goes."""
        feature, way = self.first.split(" ")
        sign = -1 if way == "high" else 1
        free = [unit for unit in units if not (self.never and self.never.holds(unit))]
        return sorted(free, key=lambda unit: (-self.rank(unit), sign * unit[feature]))

    def off(self, units: Sequence[Unit], limit: int, stuck: Sequence[str] = ()) -> list[str]:
        """What goes off. ``stuck``: what does not respond; the turn passes to the next."""
        return _until(self.turn(units), units, limit, stuck)


def _until(turn: Sequence[Unit], units: Sequence[Unit], limit: int, stuck: Sequence[str]) -> list[str]:
    """What goes off when units are switched off in this sequence until the limit is kept."""
    drawn, off = sum(unit["draws"] for unit in units), []
    for unit in turn:
        if drawn <= limit:
            break
        if unit["unit"] not in stuck:
            drawn -= unit["draws"]
            off.append(unit["unit"])
    return off


# Sequences without a look at goals.
BLIND: tuple[Key, ...] = (
    lambda unit: unit["draws"],
    lambda unit: -unit["draws"],
    lambda unit: unit["people"],
    lambda unit: -unit["people"],
    lambda unit: 0,
    lambda unit: int(unit["unit"][1:]),
    lambda unit: -int(unit["unit"][1:]),
)


def _condition(units: Sequence[Unit], stream: Stream) -> FeatureBound:
    """A condition that some of the units fulfil and others do not; now and then one lies on the border."""
    feature, compare = (
        stream.choice(("people", "draws")),
        stream.choice(("at_least", "above", "below", "at_most")),
    )
    values = sorted(unit[feature] for unit in units)
    at = stream.integer(1, len(values) - 1)
    n = values[at] if compare in ("at_least", "below") else values[at - 1]
    if stream.below(2):  # between two values, where the difference between the comparisons does not matter
        n = (values[at - 1] + values[at] + 1) // 2
    return FeatureBound(feature, compare, n)


def _needs_rules(
    rules: Rules, orders: Sequence[tuple[str, ...]], units: Sequence[Unit], limit: int, stuck: Sequence[str]
) -> bool:
    """Whether each rule counts, and no sequence that leaves them out leads to the same."""
    right = set(rules.off(units, limit, stuck))
    order, first = rules.order, rules.first
    others = [Rules(order, first, None, rules.scope, rules.never)] if rules.override else []
    if rules.scope:
        others += [Rules(order, first), Rules(order[::-1], first)]
    if rules.never:
        others.append(Rules(order, first, rules.override))
    if len(order) > 2:  # of two goals, one has to be named first
        others += [Rules(other, first, override) for other in orders for override in (None, rules.override)]
    outcomes = [set(one.off(units, limit, stuck)) for one in others]
    for key in BLIND:
        for turn in (sorted(units, key=key), rotation(units, key)):
            outcomes.append(set(_until(turn, units, limit, stuck)))
    feature, way = first.split(" ")
    other_way = f"{feature} {'low' if way == 'high' else 'high'}"
    reverse = Rules(order, other_way, rules.override, rules.scope, rules.never)
    outcomes.append(set(reverse.off(units, limit, stuck)))
    return right not in outcomes


def _drawn_case(
    level: int, orders: Sequence[tuple[str, ...]], stream: Stream
) -> tuple[Rules, list[Unit], int, list[str]]:
    """Rules, units, a limit that so many have to go for, and what does not respond. ``orders``: to be kept away from.

    At level 1 every other rule holds for a part of the first goal's units only.
    """
    goals, count = list(orders[0]), GOALS[level] * EACH[level]
    scoped = level == 1 and bool(stream.below(2))
    while True:
        order = tuple(stream.shuffled(goals))
        draws, people = numbers(stream, count, 4, 60), numbers(stream, count, 5, 95)
        served = stream.shuffled(goals * EACH[level])
        units: list[Unit] = [
            {"unit": id_, "serves": goal, "draws": d, "people": p}
            for id_, goal, d, p in zip(IDS[level], served, draws, people, strict=True)
        ]
        rules = Rules(order, stream.choice(sorted(TABLE["first"])))
        if scoped:
            own = [unit for unit in units if unit["serves"] == order[0]]
            rules = Rules(order, rules.first, scope=_condition(own, stream))
        if level > 1:
            hi, lo = sorted(stream.shuffled(range(len(order)))[:2])
            some = [unit for unit in units if unit["serves"] == order[lo]]
            rules = Rules(order, rules.first, Override(order[lo], order[hi], _condition(some, stream)))
        if level == 5:
            low = [unit for unit in units if rules.rank(unit) > 1]
            rules = Rules(order, rules.first, rules.override, never=_condition(low, stream))
        turn, off = rules.turn(units), stream.integer(*OFF[level])
        if len(units) - len(turn) > 3:
            continue  # hardly anything may be touched
        stuck = [stream.choice(turn[:off])["unit"]] if level in STICKS else []
        turn = [unit for unit in turn if unit["unit"] not in stuck]
        if rules.rank(turn[off]) == 0:
            continue  # the highest goal would be next, or lose something
        limit = sum(unit["draws"] for unit in units) - sum(unit["draws"] for unit in turn[:off])
        limit += stream.below(turn[off - 1]["draws"])
        if _needs_rules(rules, orders, units, limit, stuck):
            return rules, units, limit, stuck


def _words(story: Mapping[str, Any]) -> dict[str, str]:
    return {feature: said.format_map(story) for feature, said in TABLE["words"].items()}


def _goal(level: int, goals: list[str], rules: Rules, story: Mapping[str, Any], stream: Stream) -> str:
    words = _words(story)
    named = listed([f"{goal} ({story['goals'][goal]})" for goal in goals])
    if rules.scope:
        hi, lo = rules.order
        said = worded(stream, TABLE["scopes"], story, hi=hi, lo=lo, cond=rules.scope.said(stream, words))
        ranked = [said[0].upper() + said[1:]]
    else:
        ranked = order_stated(stream, rules.order)
    if rules.override:
        ranked.append(exception_stated(stream, rules.override, words, story))
    if rules.never:
        ranked.append(worded(stream, TABLE["nevers"], story, cond=rules.never.said(stream, words)))
    first = stream.choice(TABLE["first"][rules.first]).format_map(story)
    return " ".join(
        [
            worded(stream, TABLE["heads"], story),
            worded(stream, TABLE["aims"], story, count=COUNTS[len(goals) - 2], aims=named),
            worded(stream, TABLE["legends"], story),
            *ranked,
            worded(stream, TABLE["ties"], story, first=first),
            worded(stream, TABLE["stops"], story),
            *([worded(stream, TABLE["sticks"], story)] if level in STICKS else []),
            *([stream.choice(ONLY)] if level in WITH_NOTES else []),
            stream.choice(SPELLING),
            stream.choice(TABLE["tails"]),
            *([stream.choice(TABLE["ends"])] if level == 4 else []),
        ]
    )


def _rules_read(said: str, goals: Sequence[str], story: Mapping[str, Any]) -> Rules:
    """The rules of a goal text."""
    words = _words(story)
    scoped = clauses_read(TABLE["scopes"], said, goals, words, story)
    order = scoped[0][:2] if scoped else order_read(said, goals)
    never = None
    for wording in TABLE["nevers"]:
        if found := read(partly_filled(wording, story).lower(), said.lower(), "[a-z0-9 ]+?"):
            never = condition_read(found["cond"], words)
    first = next(
        name
        for name, some in TABLE["first"].items()
        for one in some
        for tie in TABLE["ties"]
        if tie.format_map({**story, "first": one.format_map(story)}) in said
    )
    override = exception_read(said, goals, words, story)
    return Rules(tuple(order), first, override, scoped[0][2] if scoped else None, never)


class SupplyGrid(Rounds):
    """A case at a time, and what was switched off in it, in sequence."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._off: list[list[str]] = [[] for _ in self.parts]
        self._stuck: list[str] = []  # found not to respond

    def look(self) -> dict[str, Any]:
        part, off = self.parts[self.now], self._off[self.now]
        units = [dict(unit) for unit in part["units"]]
        drawn = sum(unit["draws"] for unit in units if unit["unit"] not in off)
        seen = {"limit": self.setup["limit"], "drawn": drawn, "units": units, "off": sorted(off)}
        notes = {"notes": list(part["notes"])} if self.level in WITH_NOTES else {}
        return seen | notes | ({"stuck": list(self._stuck)} if self.level in STICKS else {})

    def do_switch_off(self, unit: str) -> None:
        if unit in self._off[self.now]:
            raise Refused(f"{unit} is off already")
        if unit in self.setup["stuck"]:
            self._stuck = [unit]
            raise Refused(f"{unit} does not respond and is still on")
        self._off[self.now].append(unit)

    def do_close_case(self) -> Effect:
        return self.end_round()

    def snapshot(self) -> dict[str, Any]:
        return {"off": [list(off) for off in self._off], "stuck": list(self._stuck)}


class Operator(Steady):
    """Reads the rules and switches off what ranks lowest. The novice overlooks exceptions and scopes.

    ``first_listed``: takes the goals to rank as the text lists them.
    """

    def __init__(self, brief: Brief, *, novice: bool = False, first_listed: bool = False) -> None:
        super().__init__(brief, novice=novice)
        story = story_of(TABLE["situations"], brief.goal)
        named = listed_goals(brief.goal, story["goals"])
        rules = _rules_read(brief.goal, named, story)
        if first_listed:
            rules = Rules(tuple(named), rules.first)
        elif novice:
            rules = Rules(rules.order, rules.first, never=rules.never)
        self.rules = rules

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        goals = self.rules.order
        units = [
            {**unit, "serves": nearest(unit["serves"].split(" ")[0], goals)} for unit in observation["units"]
        ]
        # A unit that did not respond drops out, and the next in turn takes its place.
        stuck = observation.get("stuck", ())
        for unit in self.rules.off(units, observation["limit"], stuck):
            if unit not in observation["off"]:
                return Act("switch_off", {"unit": unit})
        return Act("close_case", {}) if self.brief.level == 4 else finish()


class Shedding(FamilyBase, table=TABLE):
    world = SupplyGrid
    solver = Operator

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        goals = stream.shuffled(sorted(story["goals"]))[: GOALS[level]]
        rules, units, limit, stuck = _drawn_case(level, other_orders(goals, story), stream)
        parts: list[dict[str, Any]] = []
        while len(parts) < (2 if level == 4 else 1):
            named = goals if not parts else stream.shuffled(goals)
            goal = _goal(level, named, rules, story, stream)
            if parts and named == goals:
                continue
            notes = notes_drawn(stream, rules.order) if level in WITH_NOTES else []
            parts.append({"goal": goal, "units": stream.shuffled(units), "notes": notes})
        expected = rules.off(units, limit, stuck)
        top = [unit["unit"] for unit in units if rules.rank(unit) == 0]
        rounds = len(parts)
        return self.task(
            level,
            situation,
            goal=parts[0]["goal"],
            observation=OBSERVATIONS[level],
            actions=(SWITCH_OFF[level], CLOSE) if level == 4 else (SWITCH_OFF[level],),
            criterion=TABLE["criterion"][level],
            expected={"off": sorted(expected), "top": sorted(top)},
            setup={"parts": parts, "limit": limit, "stuck": stuck},
            needed=rounds * (OFF[level][1] + rounds - 1) + len(stuck),  # of any instance
            noisy=("serves", "notes"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        right, top = set(task.criterion.expected["off"]), set(task.criterion.expected["top"])
        for number, found in enumerate(state["off"], start=1):
            place = f"case {number}: " if len(state["off"]) > 1 else ""
            if lost := sorted(top & set(found)):
                yield f"{place}the highest goal lost {', '.join(lost)}"
            if over := sorted(set(found) - right - top):
                yield f"{place}out of turn: {', '.join(over)}"
            if left := sorted(right - set(found)):
                yield f"{place}left on: {', '.join(left)}"
        if len(state["off"]) == 2 and set(state["off"][0]) != set(state["off"][1]):
            yield "the two cases were decided differently"

    def first_listed(self, brief: Brief) -> Policy:
        """A reference that fails: it ranks the goals as the text lists them."""
        return Operator(brief, first_listed=True)

    def null(self, brief: Brief) -> Fixed:
        acts = [Act("switch_off", {"unit": unit}) for unit in options(brief, "unit")[: OFF[brief.level][0]]]
        return Fixed(*acts, *([Act("close_case", {})] if brief.level == 4 else []))
