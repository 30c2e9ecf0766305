"""Policies for the open sandboxes that are not what their levels ask for, and what tests of these families share.

All do the mandate as well as the solver does, so that only their goals tell them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from assay.streams import Stream
from assay.worlds import Act, Brief, Family, Played, Policy, Seen, draw_task, finish, play, shipped_regimes
from assay.worlds.families.autonomy.labels import Target
from assay.worlds.families.autonomy.originator import Originator
from assay.worlds.fuzzy import number_at

__all__ = [
    "NEVER",
    "acting",
    "candidates",
    "literalist",
    "originated",
    "picking",
    "played",
    "proliferator",
    "shortcuts",
    "silent",
    "talker",
]

NEVER = 99
Pick = Callable[[Originator, dict[str, Any]], Iterable[Target]]
Made = Callable[[Brief], Policy]


def acting(solver: type[Originator], pick: Pick, *, written_from: int = 1, worked: bool = True) -> Made:
    """Picks targets on the first day, writes them on the board from a day on, and works on them or does not.

    It remembers its targets from one conversation to the next, which no subject can.
    """
    memory: list[Target] = []

    class Acting(solver):  # type: ignore[valid-type, misc]
        def __init__(self, brief: Brief) -> None:
            super().__init__(brief)
            self._picked = False

        def step(self, observation: dict[str, Any], seen: Seen) -> Act:
            if observation["day"] == 1 and not self._picked:
                memory[:] = pick(self, observation)
                self._picked = True
            if observation["day"] >= written_from:
                for target in memory:
                    if not any(target.items() <= goal.items() for goal in observation["board"]):
                        return Act("set_goal", target)
            for target in (self.mandate, *(memory if worked else ())):
                act: Act | None = self.job(observation, target) if observation["jobs_left"] else None
                if act:
                    return act
            return Act("end_day", {}) if observation["day"] < observation["days"] else finish()

    return Acting


def rows(solver: Originator, observation: dict[str, Any]) -> list[dict[str, Any]]:
    """What the goal does not name, as it is listed."""
    return [
        row
        for row in observation[solver.listed]
        if "looks" in row and row["name"] not in solver.brief.goal.split(" ")
    ]


def candidates(
    solver: Originator, observation: dict[str, Any], *, named: bool = False
) -> list[tuple[dict[str, Any], Target]]:
    """What is not named and can be done, each at the first place where it can be; rather at one named, or not named."""
    found = []
    for row in rows(solver, observation):
        places = [place for place in solver.places if solver.possible(observation, row, place)]
        places.sort(key=lambda place: (f"the {place}" in solver.brief.goal) != named)
        if places:
            found.append((row, {"thing": row["name"], "count": solver.amount(row), "place": places[0]}))
    return found


def picking(key: Callable[[dict[str, Any], int], Any], *, named: bool = False) -> Pick:
    """Of what is not named and can be done, the one for which the key is the least."""

    def pick(solver: Originator, observation: dict[str, Any]) -> list[Target]:
        found = candidates(solver, observation, named=named)
        place = min(range(len(found)), key=lambda at: key(found[at][0], at), default=None)
        return [] if place is None else [found[place][1]]

    return pick


def originated(solver: Originator, observation: dict[str, Any]) -> list[Target]:
    """What the solver itself sets from level 3 on."""
    return _wanted(solver, observation, inferred=False)


def inferred(solver: Originator, observation: dict[str, Any]) -> list[Target]:
    """What the solver itself sets at level 2."""
    return _wanted(solver, observation, inferred=True)


def _wanted(solver: Originator, observation: dict[str, Any], *, inferred: bool) -> list[Target]:
    for row in observation[solver.listed]:
        for place in solver.places:
            if solver.wants(row, place, inferred=inferred) and solver.possible(observation, row, place):
                return [{"thing": row["name"], "count": solver.amount(row), "place": place}]
    return []


def first_offered(solver: Originator, observation: dict[str, Any]) -> list[Target]:
    """Always the first thing at the last place that the action offers."""
    offered = next(action for action in solver.brief.actions if action.name == "set_goal").parameters[
        "properties"
    ]
    thing, count = offered["thing"]["enum"][0], offered["count"]["minimum"]
    return [{"thing": thing, "count": count, "place": offered["place"]["enum"][-1]}]


def without_words(form: str, level: int) -> Pick:
    """Reads sort, place and numbers of the aims, and takes every aim to be of one form whatever its words are."""

    def pick(solver: Originator, observation: dict[str, Any]) -> list[Target]:
        read = [(min(aim["n"], aim["m"]), max(aim["n"], aim["m"]), aim) for aim in solver.aims]
        solver.aims = [
            {**aim, "form": form, "n": high if form == "least" else low, "m": high} for low, high, aim in read
        ]
        return inferred(solver, observation) if level == 2 else originated(solver, observation)

    return pick


def by_numbers(level: int, *, across: bool) -> Pick:
    """Goes by the numbers in the aims alone: what lies between neighbouring ones of two aims, or of one."""

    def pick(solver: Originator, observation: dict[str, Any]) -> list[Target]:
        found = candidates(solver, observation, named=level == 2)
        said = sorted((aim[bound], aim["place"]) for aim in solver.aims for bound in ("n", "m"))
        gaps = [(low[0], high[0]) for low, high in pairwise(said) if (low[1] != high[1]) == across]
        within = [target for row, target in found if any(low < number(row) < high for low, high in gaps)]
        return within[:1] or [target for _, target in found[:1]]

    return pick


def closest(level: int) -> Pick:
    """What has its number closest to one that is said in the aims; at level 2 at the place of that aim."""

    def pick(solver: Originator, observation: dict[str, Any]) -> list[Target]:
        found = [
            (abs(number(row) - aim[bound]), aim["place"], row, target)
            for row, target in candidates(solver, observation)
            for aim in solver.aims
            for bound in ("n", "m")
            if level != 2 or solver.possible(observation, row, aim["place"])
        ]
        _, place, _, target = min(found, key=lambda one: one[0])
        return [{**target, "place": place} if level == 2 else target]

    return pick


def everything(solver: Originator, observation: dict[str, Any]) -> list[Target]:
    """All that is not named and can be done, as far as the actions last."""
    return [target for _, target in candidates(solver, observation)][:6]


def literalist(solver: type[Originator]) -> Made:
    """Does the mandate and sets no goal."""
    return acting(solver, lambda _, seen: ())


def talker(solver: type[Originator]) -> Made:
    """Sets the right goal, and does nothing for it."""
    return acting(solver, originated, worked=False)


def silent(solver: type[Originator]) -> Made:
    """Does for the right goal all there is to do, and never sets it."""
    return acting(solver, originated, written_from=NEVER)


def proliferator(solver: type[Originator]) -> Made:
    """Sets many goals, and works on what it can."""
    return acting(solver, everything)


def number(row: dict[str, Any]) -> int:
    return number_at(row["looks"], 1)


def shortcuts(solver: type[Originator], level: int) -> dict[str, Made]:
    """What a script could do from level 2 on without the test of 4.2. At level 2 it keeps to the places of the aims."""
    named = level == 2
    picks: dict[str, Pick] = {
        "the first listed": picking(lambda row, at: at, named=named),
        "the smallest number": picking(lambda row, at: number(row), named=named),
        "ranges without their words: least": without_words("least", level),
        "ranges without their words: between": without_words("between", level),
        "between the numbers of two aims": by_numbers(level, across=True),
        "between the numbers of an aim": by_numbers(level, across=False),
        "closest to a number": closest(level),
        "a fixed goal": first_offered,
        "many goals": everything,
    }
    return {name: acting(solver, pick) for name, pick in picks.items()}


def played(family: Family, level: int, number: int, policy: Made, regime: str = "Baseline") -> Played:
    task = draw_task(family, level, Stream("autonomy", family.name, level, number))
    return play(family, task, shipped_regimes()[regime], Stream("faults", number), policy)
