"""Project: steps with needs and hours, hands that can be called away, work that can fail. B.4.5."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, nearest
from assay.worlds.model import (
    Act,
    Action,
    Brief,
    Criterion,
    Dimension,
    Effect,
    Environment,
    Judgement,
    Seen,
    Task,
)
from assay.worlds.schema import obj, text
from assay.worlds.wording import table_of

__all__ = ["Project"]


class Site(Struct, frozen=True):
    """Who works on what. ``steps``: each step's skill, in an order that makes sense."""

    who: str
    workers: tuple[str, ...]
    skills: tuple[str, ...]
    steps: dict[str, str]


SITES = table_of("project", dict[str, Site])
COUNT = {3: 8, 5: 20}
MOST = 25  # B.4.5: a plan of 20 steps, at most 25 actions
HEADS = {
    3: (
        "{who} All {count} steps have to be done by hour {last}.",
        "{who} There are {count} steps to do, and {last} hours to do them in.",
        "{who} See to it that the {count} steps are all done when hour {last} has passed.",
    ),
    5: (
        "{who} All {count} steps have to be done, each by its own hour at the latest.",
        "{who} There are {count} steps to do, and each names the hour by which it must be done.",
        "{who} See to it that each of the {count} steps is done in time: by the hour that stands beside it.",
    ),
}
RULES = (
    "Only one step is worked on at a time, by one worker. It can begin when all it needs is done, and takes the hours "
    "given if the worker is good at the skill, or twice as many if the worker also knows it. Nobody else can do it.",
    "The steps are done one after the other. Before a step begins, everything it needs must be done. Give it to a "
    "worker who is good at the skill, and it takes the hours given; one who also knows the skill takes double; "
    "others cannot do it.",
    "You assign one step after another. A step whose needs are not all done cannot begin. The hours given are those of "
    "a worker who is good at the skill; a worker who also knows it needs twice the hours, and others are no help.",
)
CHANGES = (
    "Work can fail and workers can be called away: then change the plan.",
    "Not all will go to plan. Look at what is open and who is here after each step.",
    "Expect the unexpected: a step may have to be done again, a worker may leave.",
)
TIGHT = (
    "Hours are scarce and so are actions.",
    "There are few hours and few actions to spare.",
    "You can afford hardly any detour, in hours or in actions.",
)
_WORD, _HOURS = {"type": "string"}, {"type": "integer"}
_LIST = {"type": "array", "items": _WORD}
OBSERVATION = obj(
    {
        "hour": _HOURS,
        "open": {
            "type": "array",
            "items": obj({"step": _WORD, "needs": _LIST, "skill": _WORD, "hours": _HOURS, "by": _HOURS}),
        },
        "done": _LIST,
        "workers": {
            "type": "array",
            "items": obj(
                {"worker": _WORD, "good_at": _WORD, "also_knows": _WORD, "here": {"type": "boolean"}}
            ),
        },
        "news": _LIST,
    }
)


@cache
def _assign(situation: str) -> Action:
    site = SITES[situation]
    return Action(
        name="assign",
        about="Have a worker do a step now; its hours pass.",
        parameters=obj(
            {
                "step": text("the step", options=sorted(site.steps)),
                "worker": text("who does it", options=list(site.workers)),
            }
        ),
    )


class Project(FamilyBase):
    name: ClassVar[str] = "project"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Carry a plan through"
    dimension: ClassVar[Dimension] = "D"
    environment: ClassVar[Environment] = "stochastic"
    levels: ClassVar[dict[int, str]] = {
        3: "a step fails or a worker is called away: the rest in another way, still in time",
        5: "twenty steps, each with its hour, one failure, 25 actions",
    }
    situations: ClassVar[tuple[str, ...]] = ("cottage", "boat", "garden", "film")
    held_out: ClassVar[tuple[str, ...]] = ("bakery", "exhibition")
    chance: ClassVar[dict[int, float]] = {3: 0.02, 5: 0.01}
    verification: ClassVar[str] = (
        "the steps that are done and the hours they were done by, read from the state"
    )

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        site, count = SITES[situation], COUNT[level]
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
        said = [stream.choice(HEADS[level]), stream.choice(RULES), stream.choice(CHANGES)]
        if level == 5:
            said.append(stream.choice(TIGHT))
        needed = count + 2 * bool(fails)
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=" ".join(said).format(who=site.who, count=count, last=last),
            observation=OBSERVATION,
            actions=(_assign(situation),),
            criterion=Criterion(
                "every step is done, each by its hour",
                {step["step"]: step["by"] for step in sorted(steps, key=lambda step: str(step["step"]))},
            ),
            setup={"steps": stream.shuffled(steps), "workers": workers, "away": away, "fails": fails},
            needed=needed,
            most=MOST if level == 5 else 2 * needed + 4,
            noisy=("skill", "news"),
        )

    def open(self, task: Task, *, drift: bool) -> Works:
        return Works(task)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        because = []
        for step, by in task.criterion.expected.items():
            hour = state["done"].get(step)
            if hour is None:
                because.append(f"{step} is not done")
            elif hour > by:
                because.append(f"{step} was done at hour {hour}, not by {by}")
        return Judgement(not because, tuple(because))

    def oracle(self, brief: Brief) -> Leader:
        return Leader(brief)

    def novice(self, brief: Brief) -> Leader:
        return Leader(brief, rigid=True)

    def null(self, brief: Brief) -> Fixed:
        offered = brief.actions[0].parameters["properties"]
        worker = offered["worker"]["enum"][0]
        return Fixed(
            *(Act("assign", {"step": step, "worker": worker}) for step in offered["step"]["enum"][:12])
        )


def _steps(site: Site, count: int, stream: Stream) -> list[dict[str, Any]]:
    """Some of the steps, in their order; each needs up to two of those shortly before it."""
    names = list(site.steps)
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
            {"step": name, "needs": sorted(needs), "skill": site.steps[name], "hours": hours, "by": 0}
        )
    return steps


def _workers(site: Site, stream: Stream) -> list[dict[str, str]]:
    """Each is good at one skill and also knows the next, so that for every skill there are two."""
    skills = stream.shuffled(site.skills)
    return [
        {"worker": worker, "good_at": skills[place], "also_knows": skills[(place + 1) % len(skills)]}
        for place, worker in enumerate(site.workers)
    ]


def _away(steps: list[dict[str, Any]], workers: list[dict[str, str]], stream: Stream) -> dict[str, Any]:
    """Who is called away, and after how many steps: someone with much to do."""
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

    def __init__(self, task: Task) -> None:
        setup = task.setup
        self._steps = {step["step"]: step for step in setup["steps"]}
        self._workers = {worker["worker"]: worker for worker in setup["workers"]}
        self._away: dict[str, Any] = setup["away"]
        self._fails: dict[str, str] = setup["fails"]
        self._done: dict[str, int] = {}
        self._gone = ""
        self._failed = False
        self._hour = 0
        self._news: list[str] = []

    def look(self) -> dict[str, Any]:
        done = self._done
        return {
            "hour": self._hour,
            "open": [
                {**step, "needs": list(step["needs"])}
                for name, step in self._steps.items()
                if name not in done
            ],
            "done": sorted(done),
            "workers": [{**worker, "here": name != self._gone} for name, worker in self._workers.items()],
            "news": list(self._news),
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        step, worker = self._steps.get(arguments["step"]), self._workers[arguments["worker"]]
        if wrong := self._wrong(arguments["step"], worker):
            return Effect(error=wrong)
        assert step is not None
        self._hour += step["hours"] * (1 if step["skill"] == worker["good_at"] else 2)
        if step["step"] == self._fails.get("step") and not self._failed:
            self._failed = True
            again = self._fails["again"]
            self._done.pop(again, None)
            self._news.append(f"{step['step']} failed: {again} has to be done again, and then {step['step']}")
            return Effect(error=self._news[-1])
        self._done[step["step"]] = self._hour
        if self._away and not self._gone and len(self._done) == self._away["after"]:
            self._gone = self._away["worker"]
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

    The ``rigid`` one goes by the list, does nothing twice, and ends when a step does not go as planned.
    """

    def __init__(self, brief: Brief, *, rigid: bool = False) -> None:
        super().__init__(brief)
        self._rigid = rigid
        self._due: dict[str, int] = {}

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        steps, done = observation["open"], set(observation["done"])
        if not steps or (self._rigid and seen.error):
            return Act("finish", {"achieved": not steps})
        ready = [step for step in steps if done.issuperset(step["needs"])]
        if self._rigid:
            step = ready[0]
        else:
            if not self._due:
                self._due = _inherited(steps)
            step = min(ready, key=lambda step: (self._due[step["step"]], step["step"]))
        return Act(
            "assign", {"step": step["step"], "worker": _quickest(step["skill"], observation["workers"])}
        )


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
