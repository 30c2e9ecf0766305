"""Project: steps with needs and hours, hands that can be called away, work that can fail. B.4.5."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, finish, options
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Seen, Task
from assay.worlds.schema import BOOLEAN, INTEGER, STRING, action, array, obj, text
from assay.worlds.templates import table

__all__ = ["Project"]

TABLE = table("project")
COUNT = {3: 8, 5: 20}
MOST = 25  # B.4.5: a plan of 20 steps, at most 25 actions
_STEP = {"step": STRING, "needs": array(STRING), "skill": STRING, "hours": INTEGER, "by": INTEGER}
_WORKER = {"worker": STRING, "good_at": STRING, "also_knows": STRING, "here": BOOLEAN}
OBSERVATION = obj(
    {
        "hour": INTEGER,
        "open": array(obj(_STEP)),
        "done": array(STRING),
        "workers": array(obj(_WORKER)),
        "news": array(STRING),
    }
)


@cache
def _assign(situation: str) -> Action:
    site = TABLE["situations"][situation]
    return action(
        "assign",
        "Have a worker do a step now; its hours pass.",
        {
            "step": text("the step", options=sorted(site["steps"])),
            "worker": text("who does it", options=site["workers"]),
        },
    )


def _steps(site: dict[str, Any], count: int, stream: Stream) -> list[dict[str, Any]]:
    """Some of the steps, in their order; each needs up to two of those shortly before it."""
    names = list(site["steps"])
    if count < len(names):
        chosen = set(stream.shuffled(range(len(names)))[:count])
        names = [name for place, name in enumerate(names) if place in chosen]
    steps = []
    for place, name in enumerate(names):
        before = names[max(0, place - 5) : place]
        needs = (
            {stream.choice(before) for _ in range(stream.weighted((0, 1, 2), (1, 2, 3)))} if before else set()
        )
        hours = stream.integer(1, 5)
        steps.append(
            {"step": name, "needs": sorted(needs), "skill": site["steps"][name], "hours": hours, "by": 0}
        )
    return steps


def _workers(site: dict[str, Any], stream: Stream) -> list[dict[str, str]]:
    """Each is good at one skill and also knows the next, so that for every skill there are two."""
    skills = stream.shuffled(site["skills"])
    return [
        {"worker": worker, "good_at": skills[place], "also_knows": skills[(place + 1) % len(skills)]}
        for place, worker in enumerate(site["workers"])
    ]


def _away(steps: list[dict[str, Any]], workers: list[dict[str, str]], stream: Stream) -> dict[str, Any]:
    """Who is called away, and after how many steps: the one with the most to do."""
    load = {w["good_at"]: sum(step["skill"] == w["good_at"] for step in steps) for w in workers}
    busiest = max(workers, key=lambda worker: load[worker["good_at"]])
    return {"worker": busiest["worker"], "skill": busiest["good_at"], "after": stream.integer(1, 3)}


def _failure(steps: list[dict[str, Any]], stream: Stream) -> dict[str, str]:
    """A step that fails at the first try, and a need of it that has to be done again."""
    step = stream.choice([step for step in steps[2:] if step["needs"]] or [steps[-1]])
    if not step["needs"]:
        step["needs"] = [steps[0]["step"]]
    return {"step": step["step"], "again": stream.choice(step["needs"])}


def _deadlines(steps: list[dict[str, Any]], spare: int, free: str, level: int, stream: Stream) -> None:
    """The hours by which steps must be done: those of some order that respects the needs, and what can go wrong.

    So doing first what is due first, with what it needs, is always in time: it is optimal on one machine with
    precedences (Lawler's rule), and a failure delays nothing by more than its own hours, which are spare.
    """
    last = sum(step["hours"] for step in steps) + spare
    for step in steps:
        step["by"] = last
    if level < 5:
        return
    done: set[str] = set()
    todo, hour = list(steps), 0
    while todo:
        step = stream.choice([step for step in todo if done.issuperset(step["needs"])])
        todo.remove(step)
        done.add(step["step"])
        hour += step["hours"]
        if step["step"] != free and stream.below(2):
            step["by"] = hour + spare


class Works(WorldBase):
    """What is done by which hour, and who is here."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._steps = {step["step"]: step for step in task.setup["steps"]}
        self._workers = {worker["worker"]: worker for worker in task.setup["workers"]}
        self._done: dict[str, int] = {}
        self._gone = ""
        self._failed = False
        self._hour = 0
        self._news: list[str] = []

    def look(self) -> dict[str, Any]:
        left = [step for name, step in self._steps.items() if name not in self._done]
        return {
            "hour": self._hour,
            "open": [{**step, "needs": list(step["needs"])} for step in left],
            "done": sorted(self._done),
            "workers": [{**worker, "here": name != self._gone} for name, worker in self._workers.items()],
            "news": list(self._news),
        }

    def do_assign(self, step: str, worker: str) -> Effect:
        skilled, away, fails = self._workers[worker], self.setup["away"], self.setup["fails"]
        if wrong := self._wrong(step, skilled):
            raise Refused(wrong)
        work = self._steps[step]
        self._hour += work["hours"] * (1 if work["skill"] == skilled["good_at"] else 2)
        if step == fails.get("step") and not self._failed:
            self._failed = True
            self._done.pop(fails["again"], None)
            self._news.append(f"{step} failed: {fails['again']} has to be done again, and then {step}")
            return Effect(error=self._news[-1])
        self._done[step] = self._hour
        if away and not self._gone and len(self._done) == away["after"]:
            self._gone = away["worker"]
            self._news.append(f"{self._gone} has been called away and will not come back")
        return Effect(done=len(self._done) == len(self._steps))

    def _wrong(self, name: str, worker: dict[str, str]) -> str:
        """Why a step cannot be done now by this worker, if it cannot."""
        step = self._steps.get(name)
        if step is None:
            return f"{name} is no step of this project"
        if name in self._done:
            return f"{name} is done"
        if missing := [need for need in step["needs"] if need not in self._done]:
            return f"{name} cannot begin before {', '.join(missing)}"
        if worker["worker"] == self._gone:
            return f"{self._gone} is away"
        if step["skill"] not in (worker["good_at"], worker["also_knows"]):
            return f"{worker['worker']} does not know {step['skill']}"
        return ""

    def snapshot(self) -> dict[str, Any]:
        return {"done": dict(sorted(self._done.items())), "hour": self._hour}


class Leader(Steady):
    """Does first what is due first, with all that it needs, by whoever is quickest.

    The novice goes by the list, does nothing twice, and ends when a step does not go as planned.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._due: dict[str, int] = {}

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        steps, done = observation["open"], set(observation["done"])
        if not steps or (self.is_novice and seen.error):
            return finish(not steps)
        ready = [step for step in steps if done.issuperset(step["needs"])]
        if self.is_novice:
            step = ready[0]
        else:
            if not self._due:
                self._due = _inherited(steps)
            step = min(ready, key=lambda step: (self._due[step["step"]], step["step"]))
        worker = _quickest(step["skill"], observation["workers"])
        return Act("assign", {"step": step["step"], "worker": worker})


def _inherited(steps: list[dict[str, Any]]) -> dict[str, int]:
    """When each step must be done, for its own sake or for those that need it."""
    due = {step["step"]: int(step["by"]) for step in steps}
    changed = True
    while changed:
        changed = False
        for step in steps:
            latest = due[step["step"]] - step["hours"]
            for need in step["needs"]:
                if due[need] > latest:
                    due[need], changed = latest, True
    return due


def _quickest(skill: str, workers: list[dict[str, Any]]) -> str:
    here = [worker for worker in workers if worker["here"]]
    meant = nearest(skill.split(" ")[0], sorted(worker["good_at"] for worker in workers))
    for kind in ("good_at", "also_knows"):
        for worker in here:
            if worker[kind] == meant:
                return str(worker["worker"])
    raise AssertionError("two know every skill, and only one is away")


class Project(FamilyBase, table=TABLE):
    world = Works
    solver = Leader

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        site, count = TABLE["situations"][situation], COUNT[level]
        steps = _steps(site, count, stream)
        workers = _workers(site, stream)
        away: dict[str, Any] = {}
        fails: dict[str, str] = {}
        if level == 3 and stream.below(2):
            away = _away(steps, workers, stream)
            spare = sum(step["hours"] for step in steps if step["skill"] == away["skill"])
        else:
            fails = _failure(steps, stream)
            spare = sum(step["hours"] for step in steps if step["step"] in (fails["step"], fails["again"]))
        spare += stream.integer(1, 2)
        _deadlines(steps, spare, fails.get("again", ""), level, stream)
        last = max(step["by"] for step in steps)
        said = [stream.choice(lists) for lists in (TABLE["heads"][level], TABLE["rules"], TABLE["changes"])]
        if level == 5:
            said.append(stream.choice(TABLE["tight"]))
        return self.task(
            level,
            situation,
            goal=" ".join(said).format(who=site["who"], count=count, last=last),
            observation=OBSERVATION,
            actions=(_assign(situation),),
            criterion="every step is done, each by its hour",
            expected={step["step"]: step["by"] for step in sorted(steps, key=lambda step: str(step["step"]))},
            setup={"steps": stream.shuffled(steps), "workers": workers, "away": away, "fails": fails},
            needed=count + 2 * bool(fails),
            most=MOST if level == 5 else None,
            noisy=("skill", "news"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        for step, by in task.criterion.expected.items():
            hour = state["done"].get(step)
            if hour is None:
                yield f"{step} is not done"
            elif hour > by:
                yield f"{step} was done at hour {hour}, not by {by}"

    def null(self, brief: Brief) -> Fixed:
        worker, steps = options(brief, "worker")[0], options(brief, "step")[:12]
        return Fixed(*(Act("assign", {"step": step, "worker": worker}) for step in steps))
