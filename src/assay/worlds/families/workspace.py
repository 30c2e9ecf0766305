"""Workspace: bring real files into the state that was asked for. B.5.1, B.5.2, B.5.3."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, finish
from assay.worlds.folder import Folder
from assay.worlds.model import Act, Brief, Seen, Task
from assay.worlds.schema import STRING, action, array, integer, obj, string, text
from assay.worlds.standing import read_standing, standing
from assay.worlds.templates import numbers, read, table, worded

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
# Level 3 has a limited scope of tools (10.7.3): nothing overwrites, and nothing is added to a file.
ACTIONS = {1: (CREATE,), 2: (CREATE, APPEND, MOVE, DELETE, REPLACE), 3: (CREATE, MOVE, DELETE)}
_FILE = {
    "name": STRING,
    "lines": integer("", 0),
    "characters": integer("", 0),
    "preview": string("the file's first words, maybe misread"),
}
OBSERVATION = obj({"files": array(obj(_FILE))})
MOST = {1: 6, 2: 14}  # the same for all instances, so that it does not tell how many points count
BETWEEN = "between.txt"  # where a file waits while two change places


def _lines(templates: list[str], stream: Stream) -> Callable[[], str]:
    """A source of lines, all of them different."""
    free = iter(numbers(stream, 60, 11, 998))
    return lambda: stream.choice(templates).format(a=next(free), b=next(free))


def _steps(
    level: int, names: list[str], folder: str, line: Callable[[], str], stream: Stream
) -> tuple[list[Step], list[Step]]:
    """What is to be done, and what is asked for just so but does not count."""
    void = [
        {"kind": "create", "name": names[6], "text": line()},
        {"kind": "create", "name": names[7], "text": line()},
        {"kind": "create", "name": f"{folder}/{names[7]}", "text": line()},
        {"kind": "delete", "name": names[3]},
        {"kind": "move", "name": names[4], "to": f"{folder}/{names[4]}"},
        {"kind": "rewrite", "name": names[0], "text": line()},
    ]
    if level == 1:
        return [{"kind": "create", "name": names[5], "text": line()}], void[:3]
    if level == 2:
        steps = [
            {"kind": "create", "name": names[5], "text": line()},
            {"kind": "append", "name": names[0], "text": line()},
            {"kind": "move", "name": names[1], "to": f"{folder}/{names[1]}"},
            {"kind": stream.choice(["delete", "rewrite"]), "name": names[2], "text": line()},
            {"kind": "create", "name": f"{folder}/{names[5]}", "text": line()},
        ]
        return stream.shuffled(steps)[: stream.integer(4, 5)], stream.shuffled(void)[: stream.integer(2, 3)]
    one, two, three, four, five = names[:5]
    away = f"{folder}/{names[5]}"
    # Files that change places, so that something has to wait elsewhere, and little room for detours.
    swap, rewrite = [(one, two), (two, one)], {"kind": "rewrite", "name": five, "text": line()}
    shifts, others = stream.choice(
        [
            ([*swap, (three, four), (four, away)], [rewrite]),
            ([*swap, (three, four), (four, three)], [rewrite]),
            ([*swap, (three, four), (four, five), (five, three)], []),
        ]
    )
    steps = [{"kind": "move", "name": name, "to": to} for name, to in shifts]
    return [*steps, *others], stream.shuffled(void)[:2]


def _after(before: dict[str, str], steps: list[Step]) -> dict[str, str]:
    """The folder that was asked for; all steps speak of the folder as it was."""
    after = dict(before)
    for step in steps:
        if step["kind"] in ("move", "delete"):
            del after[step["name"]]
    for step in steps:
        if step["kind"] == "move":
            after[step["to"]] = before[step["name"]]
        elif step["kind"] == "append":
            after[step["name"]] = before[step["name"]] + step["text"]
        elif step["kind"] in ("create", "rewrite"):
            after[step["name"]] = step["text"]
    return dict(sorted(after.items()))


def _bare(content: str) -> str:
    return content.removesuffix("\n")


def _goal(level: int, who: str, wanted: list[Step], void: list[Step], stream: Stream) -> str:
    told = [
        standing(stream, worded(stream, TABLE["steps"][step["kind"]], step), holds=step in wanted)
        for step in stream.shuffled([*wanted, *void])
    ]
    if level == 1:
        goal = worded(stream, TABLE["one"], {}, who=who, steps=" ".join(told))
    else:
        goal = worded(stream, TABLE["many"], {}, who=who, steps="\n".join(f"- {step}" for step in told))
    return f"{goal}{TABLE['together'] if level == 3 else ''}{TABLE['preview']}"


def _understood(goal: str) -> list[Step]:
    """The steps of a goal that count, in its order."""
    return [_read(subject) for subject, counts in read_standing(goal) if counts]


def _read(subject: str) -> Step:
    for kind, templates in TABLE["steps"].items():
        for template in templates:
            step = read(template, subject, r'[^`"]+')
            if step is not None:
                return {"kind": kind, **step}
    raise AssertionError(f"not a step: {subject}")


def _acts(steps: list[Step]) -> Iterator[Act]:
    """The fewest calls, in an order in which each finds its place free."""
    for step in steps:
        if step["kind"] == "append":
            yield Act("append_line", {"name": step["name"], "line": step["text"]})
        elif step["kind"] in ("delete", "rewrite"):
            yield Act("delete_file", {"name": step["name"]})
        if step["kind"] in ("create", "rewrite"):
            yield Act("create_file", {"name": step["name"], "content": step["text"]})
    moves = [(step["name"], step["to"]) for step in steps if "to" in step]
    while moves:
        taken = {name for name, _ in moves}
        name, to = next((move for move in moves if move[1] not in taken), moves[0])
        moves.remove((name, to))
        if to in taken:  # a ring: one waits elsewhere until its place is free
            moves.append((BETWEEN, to))
            to = BETWEEN
        yield Act("move_file", {"name": name, "to": to})


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
    """Plans all calls, and goes on to the next when the listing shows that the last one was done."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._left = list(_acts(_understood(brief.goal)))
        self._first: dict[str, int] = {}  # how many lines a file has to begin with

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        listed = {file["name"]: file["lines"] for file in observation["files"]}
        self._first = self._first or listed
        if self._left and self._done(self._left[0], listed):
            self._left.pop(0)
        return self._left[0] if self._left else finish()

    def _done(self, act: Act, listed: dict[str, int]) -> bool:
        name = act.arguments["name"]
        if act.name == "append_line":
            return listed[name] > self._first[name]
        if act.name == "create_file":
            return name in listed
        return name not in listed


class Workspace(FamilyBase, table=TABLE):
    world = Files
    solver = Tidy

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        names = stream.shuffled(story["files"])
        lines = _lines(story["lines"], stream)
        before = {name: "".join(lines() + "\n" for _ in range(stream.integer(1, 2))) for name in names[:5]}
        steps, void = _steps(level, names, story["folder"], lines, stream)
        needed = len(list(_acts(steps)))
        return self.task(
            level,
            situation,
            goal=_goal(level, story["who"], steps, void, stream),
            observation=OBSERVATION,
            actions=ACTIONS[level],
            criterion="the folder holds exactly the files that were asked for, each with its content; a final line "
            "break does not count",
            expected={name: _bare(content) for name, content in _after(before, steps).items()},
            setup={"files": before},
            needed=needed,
            most=MOST.get(level, needed + 1),
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
        return Fixed(*(act for step in _understood(brief.goal) for act in _acts([step])))

    def null(self, brief: Brief) -> Fixed:
        return Fixed(Act("create_file", {"name": "notes.txt", "content": "Everything was put in order."}))
