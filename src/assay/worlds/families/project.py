"""Project: steps with needs and hours, workers who do not do as listed, work that can fail. B.4.3, B.4.5."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, finish, options
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import table

__all__ = ["Project"]

TABLE = table("project")
COUNT = {3: 10, 5: 20}
LOAD = (5, 3, 2)  # level 3: steps of the worker who changes, of the one who can help, and of the third
SLOW = 3  # so many times the hours takes who has become slow; who only also knows a skill takes twice
MOST = 25  # B.4.5: a plan of 20 steps, at most 25 actions
_STEP = {"step": STRING, "needs": array(STRING), "skill": STRING, "hours": INTEGER}
_WORKER = {"worker": STRING, "good_at": STRING, "also_knows": STRING}
_LEFT = {"hours_left": integer("how many hours more the worker can work")}


def _observation(step: dict[str, Any], worker: dict[str, Any]) -> dict[str, Any]:
    return obj(
        {"hour": INTEGER, "open": array(obj(step)), "done": array(STRING), "workers": array(obj(worker))}
    )


OBSERVATIONS = {3: _observation(_STEP, _WORKER | _LEFT), 5: _observation(_STEP | {"by": INTEGER}, _WORKER)}
Steps = list[dict[str, Any]]
# In these orders steps could be taken without a thought: as listed, the shortest first, the longest first.
ORDERS: tuple[Callable[[dict[str, Any]], int], ...] = (
    lambda step: 0,
    lambda step: int(step["hours"]),
    lambda step: -int(step["hours"]),
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


def _steps(site: dict[str, Any], names: list[str], hours: tuple[int, int], stream: Stream) -> Steps:
    """These steps in their order; each needs up to two of those shortly before it."""
    steps = []
    for place, name in enumerate(names):
        before = names[max(0, place - 5) : place]
        needs = (
            {stream.choice(before) for _ in range(stream.weighted((0, 1, 2), (1, 2, 3)))} if before else set()
        )
        skill = site["steps"][name]
        steps.append({"step": name, "needs": sorted(needs), "skill": skill, "hours": stream.integer(*hours)})
    return steps


def _workers(site: dict[str, Any], stream: Stream) -> list[dict[str, Any]]:
    """Each is good at one skill and also knows the next, so that for every skill there are two."""
    skills = stream.shuffled(site["skills"])
    return [
        {"worker": worker, "good_at": skills[place], "also_knows": skills[(place + 1) % len(skills)]}
        for place, worker in enumerate(site["workers"])
    ]


def handed_over(hours: Sequence[int], room: int, keeps: int | None) -> int | None:
    """How many of a worker's hours go to the helper, who takes twice as long and has ``room`` for it.

    A slow worker gives away as many as the helper has room for. One who ``keeps`` only so many gives away as few as
    will do. None: no choice of steps will do.
    """
    sums = {0}
    for one in hours:
        sums |= {one + other for other in sums}
    least = 0 if keeps is None else sum(hours) - keeps
    found = [one for one in sums if least <= one and 2 * one <= max(room, 0)]
    return (max(found) if keeps is None else min(found)) if found else None


def _changes(site: dict[str, Any], stream: Stream) -> dict[str, Any]:
    """Level 3. One worker is slow, or has few hours left after the first step. Nothing says so in words.

    The helper can take some of that worker's steps. Which they are has to be chosen: the helper's own must still be
    done, and the hour by which all must be done allows for the best choice and for no plan that goes on as before.
    """
    slow = bool(stream.below(2))
    while True:
        workers = _workers(site, stream)
        at = stream.below(3)
        worker, helper, third = workers[at], workers[at - 1], workers[at - 2]
        names: list[str] = []
        for one, count in zip((worker, helper, third), LOAD, strict=True):
            of_skill = [name for name in site["steps"] if site["steps"][name] == one["good_at"]]
            names += stream.shuffled(of_skill)[:count]
        steps = stream.shuffled(
            _steps(site, [name for name in site["steps"] if name in names], (3, 9), stream)
        )
        own, others, last = (
            [s["hours"] for s in steps if s["skill"] == one["good_at"]] for one in (worker, helper, third)
        )
        works = stream.integer(sum(own) // 2, sum(own) - max(own))
        room = 2 * stream.integer(sum(own) // 3, sum(own) // 2) if slow else 2 * sum(own)
        away = []
        for first, hours in enumerate(own):
            found = handed_over(own[:first] + own[first + 1 :], room, None if slow else works - hours)
            away += [] if found is None else [found]
        if len(away) < len(own) or max(away) - min(away) > 1:
            continue
        came = [_as_it_comes(steps, worker["good_at"], by) for by in ORDERS]
        if any(
            _filled(c[1:], room // 2) >= min(away) if slow else sum(c) - _filled(c, works) <= max(away)
            for c in came
        ):
            continue  # no choice is needed
        worker["hours_left"] = SLOW * sum(own) + stream.below(4)
        helper["hours_left"] = sum(others) + (room if slow else 2 * max(away))
        third["hours_left"] = SLOW * sum(last) + stream.below(4)
        more = (SLOW - 1) * sum(own) - (SLOW - 2) * min(away) if slow else max(away)
        changes = {"worker": worker["worker"], "slow": slow, "works": works}
        listed = sum(step["hours"] for step in steps)
        return {"steps": steps, "workers": workers, "changes": changes, "last": listed + more}


def _as_it_comes(steps: Steps, skill: str, by: Callable[[dict[str, Any]], int]) -> list[int]:
    """The hours of a skill's steps when of all that are ready the first by some order is done."""
    found, done, todo = [], set[str](), sorted(steps, key=by)
    while todo:
        step = next(step for step in todo if done.issuperset(step["needs"]))
        todo.remove(step)
        done.add(step["step"])
        if step["skill"] == skill:
            found.append(step["hours"])
    return found


def _filled(hours: list[int], most: int) -> int:
    """What is taken of them by whoever takes one after the other as long as it fits."""
    found = 0
    for one in hours:
        found += one if found + one <= most else 0
    return found


def _failure(steps: Steps, stream: Stream) -> dict[str, str]:
    """A step that fails at the first try, and a need of it that has to be done again."""
    step = stream.choice([step for step in steps[2:] if step["needs"]] or [steps[-1]])
    if not step["needs"]:
        step["needs"] = [steps[0]["step"]]
    return {"step": step["step"], "again": stream.choice(step["needs"])}


def _deadlines(steps: Steps, spare: int, free: str, stream: Stream) -> None:
    """The hours by which steps must be done: those of some order that respects the needs, and what can go wrong.

    So doing first what is due first, with what it needs, is always in time: it is optimal on one machine with
    precedences (Lawler's rule), and a failure delays nothing by more than its own hours, which are spare.
    """
    last = sum(step["hours"] for step in steps) + spare
    for step in steps:
        step["by"] = last
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
    """What is done by which hour, and who can still work."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._steps = {step["step"]: step for step in task.setup["steps"]}
        self._workers = {worker["worker"]: dict(worker) for worker in task.setup["workers"]}
        self._done: dict[str, int] = {}
        self._failed = self._changed = False
        self._hour = 0

    def look(self) -> dict[str, Any]:
        left = [step for name, step in self._steps.items() if name not in self._done]
        return {
            "hour": self._hour,
            "open": [{**step, "needs": list(step["needs"])} for step in left],
            "done": sorted(self._done),
            "workers": [dict(worker) for worker in self._workers.values()],
        }

    def do_assign(self, step: str, worker: str) -> Effect:
        skilled, fails, changes = self._workers[worker], self.setup["fails"], self.setup["changes"]
        if wrong := self._wrong(step, skilled):
            raise Refused(wrong)
        work = self._steps[step]
        takes = work["hours"] * (1 if work["skill"] == skilled["good_at"] else 2)
        changed = worker == changes.get("worker")
        if changed and changes["slow"]:
            takes *= SLOW
        if takes > skilled.get("hours_left", takes):
            raise Refused(f"{worker} cannot finish {step} in the hours left")
        self._hour += takes
        if "hours_left" in skilled:
            skilled["hours_left"] -= takes
        if step == fails.get("step") and not self._failed:
            self._failed = True
            self._done.pop(fails["again"], None)
            return Effect(error=f"{step} did not succeed")
        self._done[step] = self._hour
        if changed and not changes["slow"] and not self._changed:
            self._changed = True
            skilled["hours_left"] = max(0, changes["works"] - takes)
        return Effect(done=len(self._done) == len(self._steps))

    def _wrong(self, name: str, worker: dict[str, Any]) -> str:
        """Why a step cannot be done now by this worker, if it cannot."""
        step = self._steps.get(name)
        if step is None:
            return f"{name} is no step of this project"
        if name in self._done:
            return f"{name} is done"
        if not all(need in self._done for need in step["needs"]):
            return f"{name} cannot begin yet"
        if step["skill"] not in (worker["good_at"], worker["also_knows"]):
            return f"{worker['worker']} does not know {step['skill']}"
        return ""

    def snapshot(self) -> dict[str, Any]:
        return {"done": dict(sorted(self._done.items())), "hour": self._hour}


class Leader(Steady):
    """Compares the hours that passed with those expected, and plans anew who does what.

    Where steps are due at hours of their own, it does first what is due first, with all that it needs. The novice goes
    by the list, has everything done by whoever is good at it, and ends when a step does not go as planned.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._due: dict[str, int] = {}
        self._skills: list[str] = []
        self._slow = ""
        self._asked: tuple[str, str, int] = "", "", 0  # step, worker, and the hour at which it should be done

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        steps, done = observation["open"], set(observation["done"])
        if not steps or (self.is_novice and seen.error):
            return finish(not steps)
        self._skills = self._skills or sorted(worker["good_at"] for worker in observation["workers"])
        ready = [step for step in steps if done.issuperset(step["needs"])]
        if not self.is_novice and "by" in steps[0]:
            self._due = self._due or _inherited(steps)
            ready.sort(key=lambda step: (self._due[step["step"]], step["step"]))
        name, worker, hour = self._asked
        if name in done and observation["hour"] > hour:
            self._slow = worker
        step = ready[0]
        by = {one["good_at"]: one["worker"] for one in observation["workers"]}
        worker, hours = by[self._skill(step)], step["hours"]
        if not self.is_novice and "hours_left" in observation["workers"][0]:
            helper = self._helper(step, steps, observation["workers"])
            worker, hours = (helper, 2 * hours) if helper else (worker, hours)
        self._asked = step["step"], worker, observation["hour"] + hours
        return Act("assign", {"step": step["step"], "worker": worker})

    def _skill(self, step: dict[str, Any]) -> str:
        return nearest(step["skill"].split(" ")[0], self._skills)

    def _helper(self, step: dict[str, Any], steps: Steps, workers: list[dict[str, Any]]) -> str:
        """Who does the step instead of the one who is good at it, if that is better."""
        skill = self._skill(step)
        worker = next(one for one in workers if one["good_at"] == skill)
        helper = next(one for one in workers if one["also_knows"] == skill)
        own = [one for one in steps if self._skill(one) == skill]
        kept = [one["hours"] for one in steps if self._skill(one) == helper["good_at"]]
        keeps = None if worker["worker"] == self._slow else worker["hours_left"]
        hours = [one["hours"] for one in own]
        away = handed_over(hours, helper["hours_left"] - sum(kept), keeps)
        for count in range(1, len(own) + 1):
            for chosen in combinations(range(len(own)), count):
                if sum(hours[at] for at in chosen) == away:
                    return helper["worker"] if own.index(step) in chosen else ""
        return ""


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


class Project(FamilyBase, table=TABLE):
    world = Works
    solver = Leader

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        site = TABLE["situations"][situation]
        setup: dict[str, Any] = {"changes": {}, "fails": {}}
        if level == 3:
            setup |= _changes(site, stream)
            last, steps = setup.pop("last"), setup["steps"]
            expected = dict.fromkeys(sorted(step["step"] for step in steps), last)
        else:
            steps = _steps(site, list(site["steps"]), (1, 5), stream)
            setup["workers"] = _workers(site, stream)
            fails = setup["fails"] = _failure(steps, stream)
            twice = sum(step["hours"] for step in steps if step["step"] in (fails["step"], fails["again"]))
            _deadlines(steps, twice + stream.integer(1, 2), fails["again"], stream)
            expected = {
                step["step"]: step["by"] for step in sorted(steps, key=lambda step: str(step["step"]))
            }
            last, setup["steps"] = max(expected.values()), stream.shuffled(steps)
        said = [stream.choice(TABLE[part][level]) for part in ("heads", "rules", "changes")]
        return self.task(
            level,
            situation,
            goal=" ".join(said).format(who=site["who"], count=COUNT[level], last=last),
            observation=OBSERVATIONS[level],
            actions=(_assign(situation),),
            criterion="every step is done, each by its hour",
            expected=expected,
            setup=setup,
            needed=COUNT[level] + 2 * bool(setup["fails"]),
            most=MOST if level == 5 else None,
            noisy=("skill",),
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
