"""Duty: jobs with hours at which they are due, too many for the time there is, and a ranking of goals. 10.10.3, B.8.3.

The binding constraint is time. What counts is how many jobs of each rank are done in time, compared from the highest
rank down; so the sequence matters, and the highest goal first is not always the best one. All of it is read from the
hours at which jobs were done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, finish, options
from assay.worlds.events import listed
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Brief, Policy, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, string, text
from assay.worlds.templates import numbers, story_of, table, worded

from .ranking import (
    ONLY,
    SPELLING,
    FeatureBound,
    Override,
    exception_read,
    exception_stated,
    listed_goals,
    notes_drawn,
    order_read,
    order_stated,
    other_orders,
    rotation,
)

__all__ = ["Duty"]

TABLE = table("duty")
GOALS = {3: 3, 5: 4}
EACH = 2  # jobs a goal: how many serve it says nothing
COUNTS = ("three", "four")
STORY = {"thing": "job", "things": "jobs"}
WORDS: dict[str, str] = TABLE["words"]
_JOB = {
    "job": STRING,
    "serves": string("the goal it is there for"),
    "hours": integer("how long it takes"),
    "due": integer("the hour by which it must be done"),
    "people": integer("how many wait for it"),
}
OBSERVATION = obj(
    {
        "hour": INTEGER,
        "jobs": array(obj(_JOB), "jobs that are not done"),
        "done": array(obj({"job": STRING, "hour": INTEGER}), "jobs that are done, and when"),
        "notes": array(STRING),
    }
)
IDS = {level: [f"J{n}" for n in range(1, EACH * goals + 1)] for level, goals in GOALS.items()}
DO = {
    level: action(
        "do", "Do a job from beginning to end; its hours pass.", {"job": text("which", options=ids)}
    )
    for level, ids in IDS.items()
}
Job = dict[str, Any]
Counts = tuple[int, ...]  # jobs in time, for each rank from the highest down


class Rules(Struct, frozen=True):
    """The declared priorities: an order of goals, and jobs that have the rank of another goal."""

    order: tuple[str, ...]
    override: Override | None = None

    def rank(self, job: Mapping[str, Any]) -> int:
        """0 is the highest."""
        return self.order.index(self.override.goal(job) if self.override else job["serves"])

    def best(self, jobs: Sequence[Job], hour: int = 0) -> tuple[Counts, list[str]]:
        """The best that can be reached from this hour on, and the jobs that reach it, in a sequence that works.

        Jobs that are all in time in some sequence are so in the sequence of their due hours. So jobs are added in that
        sequence, and for each combination of counts the selection that takes the least time is kept.
        """
        found: dict[Counts, tuple[int, list[str]]] = {(0,) * len(self.order): (hour, [])}
        for job in sorted(jobs, key=lambda one: (one["due"], one["job"])):
            rank = self.rank(job)
            for counts, (now, chosen) in list(found.items()):
                more, later = (*counts[:rank], counts[rank] + 1, *counts[rank + 1 :]), now + job["hours"]
                if later <= job["due"] and (more not in found or later < found[more][0]):
                    found[more] = later, [*chosen, job["job"]]
        counts = max(found)
        return counts, found[counts][1]

    def plan(self, jobs: Sequence[Job]) -> list[str]:
        return self.best(jobs)[1]

    def counts(self, jobs: Sequence[Job], done: Mapping[str, int]) -> Counts:
        """Jobs that were done in time, for each rank."""
        ranks = [self.rank(job) for job in jobs if done.get(job["job"], job["due"] + 1) <= job["due"]]
        return tuple(ranks.count(rank) for rank in range(len(self.order)))


def worked(jobs: Sequence[Job], key: Callable[[Job], Any], *, skips: bool) -> dict[str, int]:
    """The hours at which jobs are done by whoever goes by a key; ``skips``: leaves out what would be late."""
    hour, done = 0, {}
    for job in sorted(jobs, key=key):
        if not skips or hour + job["hours"] <= job["due"]:
            hour += job["hours"]
            done[job["job"]] = hour
    return done


def downwards(rules: Rules, jobs: Sequence[Job]) -> dict[str, int]:
    """The hours at which jobs are done by whoever works down the ranking and leaves out what would be late."""
    return worked(jobs, lambda job: (rules.rank(job), job["due"]), skips=True)


# Sequences without a look at goals.
BLIND: tuple[Callable[[Job], Any], ...] = (
    lambda job: job["due"],
    lambda job: job["hours"],
    lambda job: -job["hours"],
    lambda job: -job["people"],
    lambda job: job["people"],
    lambda job: job["due"] - job["hours"],
    lambda job: 0,
    lambda job: int(job["job"][1:]),
)


def _needs_rules(rules: Rules, orders: Sequence[tuple[str, ...]], jobs: Sequence[Job]) -> bool:
    """Whether time binds, the exception counts, and nothing that leaves out the ranking leads to as much.

    The highest goal can be served in full, something below it as well, and one job or more has to be given up.
    """
    right, _ = rules.best(jobs)
    ranks = [rules.rank(job) for job in jobs]
    if right[0] < ranks.count(0) or not right[0] < sum(right) < len(jobs):
        return False
    for key in BLIND:
        if right in [rules.counts(jobs, worked(jobs, key, skips=skips)) for skips in (True, False)]:
            return False
        each = rotation(jobs, key)  # a bit of each
        if right == rules.counts(jobs, worked(each, lambda job: 0, skips=True)):
            return False
    others = [Rules(rules.order), *(Rules(one, two) for one in orders for two in (None, rules.override))]
    plans = (plan(jobs) for plan in (_most, *(other.plan for other in others)))
    return all(
        rules.counts(jobs, dict.fromkeys(plan, 0)) != right for plan in plans
    )  # all of a plan is in time


def _most(jobs: Sequence[Job]) -> list[str]:
    """As many jobs in time as possible, whatever they serve."""
    one = Rules(("any",))
    return one.plan([{**job, "serves": "any"} for job in jobs])


def _bound(jobs: Sequence[Job], stream: Stream) -> FeatureBound:
    """What is true of the one job of a goal and not of the other."""
    feature = "people" if stream.below(2) else "hours"
    low, high = sorted(job[feature] for job in jobs)
    compare = stream.choice(("at_least", "above", "below", "at_most"))
    least, most = (low + 1, high) if compare in ("at_least", "below") else (low, high - 1)
    return FeatureBound(feature, compare, stream.integer(least, most))


def _drawn_case(level: int, orders: Sequence[tuple[str, ...]], stream: Stream) -> tuple[Rules, list[Job]]:
    """Rules and jobs. ``orders``: to be kept away from."""
    goals = orders[0]
    while True:
        order, count = tuple(stream.shuffled(goals)), len(IDS[level])
        served, people = stream.shuffled(list(goals) * EACH), numbers(stream, count, 2, 40)
        jobs: list[Job] = []
        for id_, goal, some in zip(IDS[level], served, people, strict=True):
            hours = stream.integer(1, 6)
            due = stream.integer(max(hours, 3), 5 * count // 2)
            jobs.append({"job": id_, "serves": goal, "hours": hours, "due": due, "people": some})
        hi, lo = sorted(stream.shuffled(range(len(order)))[:2])
        some_jobs = [job for job in jobs if job["serves"] == order[lo]]
        if some_jobs[0]["hours"] == some_jobs[1]["hours"]:
            continue
        rules = Rules(order, Override(order[lo], order[hi], _bound(some_jobs, stream)))
        if not _needs_rules(rules, orders, jobs):
            continue
        if rules.best(jobs)[0] != rules.counts(jobs, downwards(rules, jobs)) or stream.below(2):
            return rules, jobs  # in most instances, working down the ranking gives away what could be had


def _goal(goals: Sequence[str], rules: Rules, story: Mapping[str, Any], stream: Stream) -> str:
    named = listed([f"{goal} ({story['goals'][goal]})" for goal in goals])
    assert rules.override is not None
    return " ".join(
        [
            worded(stream, TABLE["heads"], story),
            worded(stream, TABLE["aims"], story, count=COUNTS[len(goals) - 3], aims=named),
            stream.choice(TABLE["legends"]),
            *order_stated(stream, rules.order),
            exception_stated(stream, rules.override, WORDS, STORY),
            stream.choice(TABLE["ways"]),
            stream.choice(TABLE["hints"]),
            stream.choice(ONLY),
            stream.choice(SPELLING),
        ]
    )


class Watch(WorldBase):
    """The clock, and the hours at which jobs were done."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._jobs: dict[str, Job] = {job["job"]: job for job in task.setup["jobs"]}
        self._done: dict[str, int] = {}
        self._hour = 0

    def look(self) -> dict[str, Any]:
        return {
            "hour": self._hour,
            "jobs": [dict(job) for name, job in self._jobs.items() if name not in self._done],
            "done": [{"job": name, "hour": hour} for name, hour in self._done.items()],
            "notes": list(self.setup["notes"]),
        }

    def do_do(self, job: str) -> None:
        if job in self._done:
            raise Refused(f"{job} is done already")
        self._hour += self._jobs[job]["hours"]
        self._done[job] = self._hour

    def snapshot(self) -> dict[str, Any]:
        return {"done": dict(self._done)}


class Keeper(Steady):
    """Reads the rules, and does the first job of the best plan for the time that is left.

    The novice overlooks the exception and works down the ranking. ``first_listed``: takes the goals to rank as the
    text lists them.
    """

    def __init__(self, brief: Brief, *, novice: bool = False, first_listed: bool = False) -> None:
        super().__init__(brief, novice=novice)
        story = story_of(TABLE["situations"], brief.goal)
        named = listed_goals(brief.goal, story["goals"])
        override = exception_read(brief.goal, named, WORDS, STORY)
        self.rules = Rules(tuple(order_read(brief.goal, named)), override)
        if novice:
            self.rules = Rules(self.rules.order)
        elif first_listed:
            self.rules = Rules(tuple(named))

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        jobs, hour = self.read(observation["jobs"]), observation["hour"]
        plan = self.rules.best(jobs, hour)[1]
        if self.is_novice:
            due = worked(jobs, lambda job: (self.rules.rank(job), job["due"]), skips=False)
            plan = list(due)
        return Act("do", {"job": plan[0]}) if plan else finish()

    def read(self, jobs: Sequence[Job]) -> list[Job]:
        """The jobs with their goals as they are meant."""
        return [{**job, "serves": nearest(job["serves"].split(" ")[0], self.rules.order)} for job in jobs]


class Duty(FamilyBase, table=TABLE):
    world = Watch
    solver = Keeper

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        goals = stream.shuffled(sorted(story["goals"]))[: GOALS[level]]
        rules, jobs = _drawn_case(level, other_orders(goals, story), stream)
        counts, _ = rules.best(jobs)
        return self.task(
            level,
            situation,
            goal=_goal(goals, rules, story, stream),
            observation=OBSERVATION,
            actions=(DO[level],),
            criterion=TABLE["criterion"][level],
            expected={
                "order": list(rules.order),
                "counts": list(counts),
                "ranks": {job["job"]: rules.rank(job) for job in jobs},
                "due": {job["job"]: job["due"] for job in jobs},
            },
            setup={"jobs": jobs, "notes": notes_drawn(stream, rules.order)},
            needed=len(jobs) - 1,  # of any instance: one or more cannot be done in time
            noisy=("serves", "notes"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        expected, done = task.criterion.expected, state["done"]
        in_time = [job for job, due in expected["due"].items() if done.get(job, due + 1) <= due]
        ranks = [expected["ranks"][job] for job in in_time]
        for rank, (goal, possible) in enumerate(zip(expected["order"], expected["counts"], strict=True)):
            count = ranks.count(rank)
            if count == possible:
                continue
            place = "the highest goal, " if rank == 0 else ""
            more = ", at the expense of a higher goal" if count > possible else f", not {possible}"
            yield f"{place}{goal}: {count} in time{more}"

    def first_listed(self, brief: Brief) -> Policy:
        """A reference that fails: it ranks the goals as the text lists them."""
        return Keeper(brief, first_listed=True)

    def null(self, brief: Brief) -> Fixed:
        return Fixed(*(Act("do", {"job": job}) for job in options(brief, "job")[:4]))
