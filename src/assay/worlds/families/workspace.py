"""Workspace: bring real files into the state that was asked for. B.5.1, B.5.2, B.5.3."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, finish
from assay.worlds.folder import Folder
from assay.worlds.model import Act, Brief, Seen, Task
from assay.worlds.schema import STRING, action, array, integer, obj, string, text
from assay.worlds.templates import numbers, read, table

__all__ = ["Workspace"]

TABLE = table("workspace")
Step = dict[str, str]  # what is asked for: kind, name, and text or to

_NAME = text("the file, as name.txt or folder/name.txt", longest=90)
CREATE = action(
    "create_file",
    "Create a file that does not exist yet.",
    {"name": _NAME, "content": text("everything the file holds", longest=2000)},
)
APPEND = action(
    "append_line",
    "Add a line at the end of a file that exists.",
    {"name": _NAME, "line": text("the line, without a line break", longest=400)},
)
MOVE = action(
    "move_file",
    "Give a file another name or folder. The new name must be free.",
    {"name": _NAME, "to": text("the new name", longest=90)},
)
DELETE = action("delete_file", "Delete a file. It cannot be brought back.", {"name": _NAME})
REPLACE = action(
    "replace_file",
    "Replace everything in a file that exists.",
    {"name": _NAME, "content": text("everything the file holds then", longest=2000)},
    optional=True,
)
ACTIONS = {1: (CREATE,), 2: (CREATE, APPEND, MOVE, DELETE), 3: (CREATE, MOVE, DELETE, REPLACE)}
_FILE = {
    "name": STRING,
    "lines": integer("", 0),
    "characters": integer("", 0),
    "preview": string("the file's first words, maybe misread"),
}
OBSERVATION = obj({"files": array(obj(_FILE))})
SPARE = {1: 5, 2: 8, 3: 3}  # actions allowed beyond those needed


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
    told = [stream.choice(TABLE["steps"][step["kind"]]).format(**step) for step in steps]
    if level == 1:
        goal: str = stream.choice(TABLE["one"]).format(who=who, step=told[0])
    else:
        goal = stream.choice(TABLE["many"]).format(who=who, steps="\n".join(f"- {step}" for step in told))
    return f"{goal}{TABLE['together'] if level == 3 else ''}{TABLE['preview']}"


def _understood(goal: str) -> list[Step]:
    """The steps that a goal asks for, in its order."""
    found = []
    lines = goal.split("\n")
    for line in lines[1:-1] if len(lines) > 1 else lines:
        for kind, templates in TABLE["steps"].items():
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

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._folder = Folder()
        for name, content in task.setup["files"].items():
            self._folder.create(name, content)
        # The folder does these as they are asked for, or refuses.
        self.do_create_file, self.do_append_line = self._folder.create, self._folder.append
        self.do_move_file, self.do_delete_file = self._folder.move, self._folder.delete

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

    def do_replace_file(self, name: str, content: str) -> None:
        self._folder.read(name)  # only what exists is replaced
        self._folder.replace(name, content)

    def snapshot(self) -> dict[str, Any]:
        return {"files": self._folder.tree()}

    def close(self) -> None:
        self._folder.close()


class Tidy(Steady):
    """Works out what is left to do from the listing, and makes room before something is moved."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._steps = _understood(brief.goal)
        self._offered = {action.name for action in brief.actions}
        self._first: dict[str, dict[str, Any]] = {}

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        listed = {file["name"]: file for file in observation["files"]}
        self._first = self._first or listed
        left = [step for step in self._steps if not self._done(step, listed)]
        if not left:
            return finish()
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


class Workspace(FamilyBase, table=TABLE):
    world = Files
    solver = Tidy

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        names = stream.shuffled(story["files"])
        lines = _lines(story["lines"], stream)
        before = {name: "".join(lines() + "\n" for _ in range(stream.integer(1, 2))) for name in names[:5]}
        steps = _steps(level, names, before, story["folder"], lines, stream)
        needed = sum(2 if step["kind"] == "rewrite" else 1 for step in steps)
        return self.task(
            level,
            situation,
            goal=_goal(level, story["who"], steps, stream),
            observation=OBSERVATION,
            actions=ACTIONS[level],
            criterion="the folder holds exactly the files that were asked for, each with its content; a final line "
            "break does not count",
            expected={name: _bare(content) for name, content in _after(before, steps).items()},
            setup={"files": before},
            needed=needed,
            most=needed + SPARE[level],
            noisy=("preview",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        wanted: dict[str, str] = task.criterion.expected
        found = {name: _bare(content) for name, content in state["files"].items()}
        yield from (f"{name} is missing" for name in wanted if name not in found)
        yield from (f"{name} should not be there" for name in found if name not in wanted)
        for name, content in wanted.items():
            if found.get(name, content) != content:
                yield f"{name} has the wrong content"

    def novice(self, brief: Brief) -> Fixed:
        """Goes through the list once, in its order, whatever comes of it."""
        offered = {action.name for action in brief.actions}
        return Fixed(*(_act(step, offered) for step in _understood(brief.goal)))

    def null(self, brief: Brief) -> Fixed:
        return Fixed(Act("create_file", {"name": "notes.txt", "content": "Everything was put in order."}))
