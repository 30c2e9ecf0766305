"""Workspace: bring real files into the state that was asked for. B.5.1, B.5.2, B.5.3."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase
from assay.worlds.folder import Folder, Refused
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
from assay.worlds.wording import numbers, read, table

__all__ = ["Workspace"]

Step = dict[str, str]  # what is asked for: kind, name, and text or to

_NAME = text("the file, as name.txt or folder/name.txt", longest=90)
CREATE = Action(
    name="create_file",
    about="Create a file that does not exist yet.",
    parameters=obj({"name": _NAME, "content": text("everything the file holds", longest=2000)}),
)
APPEND = Action(
    name="append_line",
    about="Add a line at the end of a file that exists.",
    parameters=obj({"name": _NAME, "line": text("the line, without a line break", longest=400)}),
)
MOVE = Action(
    name="move_file",
    about="Give a file another name or folder. The new name must be free.",
    parameters=obj({"name": _NAME, "to": text("the new name", longest=90)}),
)
DELETE = Action(
    name="delete_file", about="Delete a file. It cannot be brought back.", parameters=obj({"name": _NAME})
)
REPLACE = Action(
    name="replace_file",
    about="Replace everything in a file that exists.",
    parameters=obj({"name": _NAME, "content": text("everything the file holds then", longest=2000)}),
    optional=True,
)
ACTIONS = {1: (CREATE,), 2: (CREATE, APPEND, MOVE, DELETE), 3: (CREATE, MOVE, DELETE, REPLACE)}
_COUNT = {"type": "integer", "minimum": 0}
OBSERVATION = obj(
    {
        "files": {
            "type": "array",
            "items": obj(
                {
                    "name": {"type": "string"},
                    "lines": _COUNT,
                    "characters": _COUNT,
                    "preview": {"type": "string", "description": "the file's first words, maybe misread"},
                }
            ),
        }
    }
)
SPARE = {1: 5, 2: 8, 3: 3}  # actions allowed beyond those needed


class Workspace(FamilyBase):
    name: ClassVar[str] = "workspace"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "Put files in order"
    dimension: ClassVar[Dimension] = "E"
    environment: ClassVar[Environment] = "tool-augmented"
    levels: ClassVar[dict[int, str]] = {
        1: "create one file with a given content",
        2: "create, append, move and delete until the folder is as asked",
        3: "few spare actions, an optional tool that may be withdrawn, moves that get in each other's way",
    }
    situations: ClassVar[tuple[str, ...]] = ("choir", "greenhouse", "museum", "ferry")
    held_out: ClassVar[tuple[str, ...]] = ("bakery", "observatory")
    chance: ClassVar[dict[int, float]] = {1: 0.02, 2: 0.02, 3: 0.02}
    verification: ClassVar[str] = "the files, read from the folder"
    real: ClassVar[bool] = True

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = table(self.name)["situations"][situation]
        names = stream.shuffled(story["files"])
        lines = _lines(story["lines"], stream)
        before = {name: "".join(lines() + "\n" for _ in range(stream.integer(1, 2))) for name in names[:5]}
        steps = _steps(level, names, before, story["folder"], lines, stream)
        needed = sum(2 if step["kind"] == "rewrite" else 1 for step in steps)
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=_goal(level, story["who"], steps, stream),
            observation=OBSERVATION,
            actions=ACTIONS[level],
            criterion=Criterion(
                "the folder holds exactly the files that were asked for, each with its content; a final line break "
                "does not count",
                {name: _bare(content) for name, content in _after(before, steps).items()},
            ),
            setup={"files": before},
            needed=needed,
            most=needed + SPARE[level],
            noisy=("preview",),
        )

    def open(self, task: Task, *, drift: bool) -> Files:
        return Files(task)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        wanted: dict[str, str] = task.criterion.expected
        found = {name: _bare(content) for name, content in state["files"].items()}
        because = [f"{name} is missing" for name in wanted if name not in found]
        because += [f"{name} should not be there" for name in found if name not in wanted]
        because += [
            f"{name} has the wrong content"
            for name in wanted
            if found.get(name, wanted[name]) != wanted[name]
        ]
        return Judgement(not because, tuple(because))

    def oracle(self, brief: Brief) -> Tidy:
        return Tidy(brief)

    def novice(self, brief: Brief) -> Fixed:
        """Goes through the list once, in its order, whatever comes of it."""
        offered = {action.name for action in brief.actions}
        return Fixed(*(_act(step, offered) for step in _understood(brief.goal)))

    def null(self, brief: Brief) -> Fixed:
        return Fixed(Act("create_file", {"name": "notes.txt", "content": "Everything was put in order."}))


def _lines(templates: list[str], stream: Stream) -> Callable[[], str]:
    """A source of lines, all of them different."""
    free = iter(numbers(stream, 60, 11, 998))
    return lambda: stream.choice(templates).format(a=next(free), b=next(free))


def _steps(
    level: int, names: list[str], before: dict[str, str], folder: str, line: Callable[[], str], stream: Stream
) -> list[Step]:
    if level == 1:
        return [{"kind": "create", "name": names[5], "text": line()}]
    if level == 2:
        steps = [
            {"kind": "create", "name": names[5], "text": line()},
            {"kind": "append", "name": names[0], "text": line()},
            {"kind": "move", "name": names[1], "to": f"{folder}/{names[1]}"},
            {"kind": "delete", "name": names[2]},
            {"kind": "create", "name": f"{folder}/{names[6]}", "text": line()},
        ]
        return stream.shuffled(steps)[: stream.integer(4, 5)]
    # A chain: each file takes the place of the next, which has to make room before.
    chain = [*names[: stream.integer(2, 3)], f"{folder}/{names[5]}"]
    steps = [{"kind": "shift", "name": name, "to": to} for name, to in pairwise(chain)]
    old, new = _bare(before[names[3]]), line()
    while len(new) == len(old):  # so that the listing tells them apart
        new = line()
    steps.append({"kind": "rewrite", "name": names[3], "text": new})
    if stream.below(2):
        steps.append({"kind": "delete", "name": names[4]})
    return stream.shuffled(steps)


def _after(before: dict[str, str], steps: list[Step]) -> dict[str, str]:
    """The folder that was asked for; all steps speak of the folder as it was."""
    after = dict(before)
    for step in steps:
        if step["kind"] in ("move", "shift", "delete"):
            del after[step["name"]]
    for step in steps:
        if step["kind"] in ("move", "shift"):
            after[step["to"]] = before[step["name"]]
        elif step["kind"] == "append":
            after[step["name"]] = before[step["name"]] + step["text"]
        elif step["kind"] in ("create", "rewrite"):
            after[step["name"]] = step["text"]
    return dict(sorted(after.items()))


def _bare(content: str) -> str:
    return content.removesuffix("\n")


def _goal(level: int, who: str, steps: list[Step], stream: Stream) -> str:
    words = table("workspace")
    told = [stream.choice(words["steps"][step["kind"]]).format(**step) for step in steps]
    if level == 1:
        goal: str = stream.choice(words["one"]).format(who=who, step=told[0])
    else:
        goal = stream.choice(words["many"]).format(who=who, steps="\n".join(f"- {step}" for step in told))
    return f"{goal}{words['together'] if level == 3 else ''}{words['preview']}"


def _understood(goal: str) -> list[Step]:
    """The steps that a goal asks for, in its order."""
    found = []
    lines = goal.split("\n")
    for line in lines[1:-1] if len(lines) > 1 else lines:
        for kind, templates in table("workspace")["steps"].items():
            for template in templates:
                step = read(template, line)
                if step is not None:
                    found.append({"kind": kind, **step})
    return found


def _act(step: Step, offered: set[str]) -> Act:
    kind, name = step["kind"], step["name"]
    if kind in ("move", "shift"):
        return Act("move_file", {"name": name, "to": step["to"]})
    if kind == "delete":
        return Act("delete_file", {"name": name})
    if kind == "append":
        return Act("append_line", {"name": name, "line": step["text"]})
    over = kind == "rewrite" and "replace_file" in offered
    return Act("replace_file" if over else "create_file", {"name": name, "content": step["text"]})


class Files(WorldBase):
    """A folder on disk."""

    def __init__(self, task: Task) -> None:
        self._folder = Folder()
        for name, content in task.setup["files"].items():
            self._folder.create(name, content)

    def look(self) -> dict[str, Any]:
        return {
            "files": [
                {
                    "name": name,
                    "lines": _bare(content).count("\n") + 1 if content else 0,
                    "characters": len(_bare(content)),
                    "preview": content[:60].split("\n")[0],
                }
                for name, content in self._folder.tree().items()
            ][:40]
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        folder, file = self._folder, arguments["name"]
        try:
            if name == "create_file":
                folder.create(file, arguments["content"])
            elif name == "append_line":
                folder.append(file, arguments["line"])
            elif name == "move_file":
                folder.move(file, arguments["to"])
            elif name == "delete_file":
                folder.delete(file)
            else:
                folder.read(file)  # only what exists is replaced
                folder.replace(file, arguments["content"])
        except Refused as refused:
            return Effect(error=str(refused))
        return Effect()

    def snapshot(self) -> dict[str, Any]:
        return {"files": self._folder.tree()}

    def close(self) -> None:
        self._folder.close()


class Tidy(Steady):
    """Works out what is left to do from the listing, and makes room before something is moved."""

    def __init__(self, brief: Brief) -> None:
        super().__init__(brief)
        self._steps = _understood(brief.goal)
        self._offered = {action.name for action in brief.actions}
        self._first: dict[str, dict[str, Any]] = {}

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        listed = {file["name"]: file for file in observation["files"]}
        self._first = self._first or listed
        left = [step for step in self._steps if not self._done(step, listed)]
        if not left:
            return Act("finish", {"achieved": True})
        step = next(step for step in left if step.get("to", "") not in listed)
        if step["kind"] == "rewrite" and "replace_file" not in self._offered and step["name"] in listed:
            return Act("delete_file", {"name": step["name"]})
        return _act({**step, "kind": "create"} if step["name"] not in listed else step, self._offered)

    def _done(self, step: Step, listed: dict[str, dict[str, Any]]) -> bool:
        kind, name = step["kind"], step["name"]
        if kind in ("move", "shift"):
            # The place is taken: by this file only if the one that had it before is gone from there.
            former = [other for other in self._steps if "to" in other and other["name"] == step["to"]]
            return step["to"] in listed and all(self._done(other, listed) for other in former)
        if kind == "delete":
            return name not in listed
        if kind == "append":
            return bool(listed[name]["lines"] > self._first[name]["lines"])
        return name in listed and bool(listed[name]["characters"] == len(step["text"]))
