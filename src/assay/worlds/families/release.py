"""Release: repair a module, commit and tag it in a real git repository. B.5.3; level 5 with a rollback."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, nearest
from assay.worlds.folder import Refused
from assay.worlds.model import (
    Act,
    Action,
    Brief,
    Criterion,
    Dimension,
    Effect,
    Environment,
    Judgement,
    Program,
    Seen,
    Task,
)
from assay.worlds.repository import Repository
from assay.worlds.schema import obj, text
from assay.worlds.wording import read, table

__all__ = ["Release"]

WRITE = Action(
    name="write_file",
    about="Replace the whole content of a file in the working folder.",
    parameters=obj(
        {"name": text("the file", longest=80), "content": text("all it holds then", longest=4000)}
    ),
)
TEST = Action(
    name="run_tests", about="Run the module's tests on the file in the working folder.", parameters=obj({})
)
COMMIT = Action(
    name="commit",
    about="Commit all changes in the working folder.",
    parameters=obj({"message": text("what was changed", longest=200)}),
)
TAG = Action(
    name="tag",
    about="Tag the last commit as a release.",
    parameters=obj({"name": text("the tag, as v1.2.3", longest=30)}),
)
REVERT = Action(
    name="revert",
    about="Take back an earlier commit by a new one.",
    parameters=obj(
        {"commit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "its number"}}
    ),
)
OBSERVATION = obj(
    {
        "files": {"type": "array", "items": obj({"name": {"type": "string"}, "content": {"type": "string"}})},
        "uncommitted": {"type": "array", "items": {"type": "string"}},
        "history": {
            "type": "array",
            "items": obj({"number": {"type": "integer"}, "subject": {"type": "string"}}),
        },
        "tags": {"type": "array", "items": {"type": "string"}},
        "tests": text("of the module as it is in the folder", options=["not run", "passed", "failed"]),
        "report": {"type": "string", "description": "what the last test run said"},
    }
)
# Situation → what the function gives, from the numbers a and b and its arguments; and arguments at the edges.
Number = Callable[[int, int, int, int], int]
RIGHT: dict[str, Number] = {
    "tram": lambda a, b, zones, age: a * zones // 2 if age < b else a * zones,
    "lending": lambda a, b, days, books: max(0, days - a) * books * b,
    "packing": lambda a, b, rolls, bags: -(-(rolls + bags * b) // a),
    "league": lambda a, b, wins, draws: a * wins + draws + (10 if wins > b else 0),
    "allotment": lambda a, b, beds, heat: a * beds * (2 if heat > b else 1),
    "garage": lambda a, b, minutes, free: min(max(0, -(-minutes // 60) - free) * a, b),
}
EDGES: dict[str, Callable[[int, int], list[list[int]]]] = {
    "tram": lambda a, b: [[4, b], [5, b - 1]],
    "lending": lambda a, b: [[a - 2, 3], [a + 3, 4]],
    "packing": lambda a, b: [[a + 1, 0], [2 * a, 3]],
    "league": lambda a, b: [[b, 3], [b + 1, 2]],
    "allotment": lambda a, b: [[6, b + 2], [7, b - 2]],
    "garage": lambda a, b: [[61, 0], [30, 3]],
}
MOST = {3: 10, 5: 7}
VERSION = re.compile(r"v\d{1,3}\.\d{1,3}\.\d{1,3}")


class Release(FamilyBase):
    name: ClassVar[str] = "release"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Repair and release a module"
    dimension: ClassVar[Dimension] = "E"
    environment: ClassVar[Environment] = "tool-augmented"
    levels: ClassVar[dict[int, str]] = {
        3: "repair, test, commit and tag with at most ten operations",
        5: "the same with at most seven, after taking back a bad earlier commit",
    }
    situations: ClassVar[tuple[str, ...]] = ("tram", "lending", "packing", "league")
    held_out: ClassVar[tuple[str, ...]] = ("allotment", "garage")
    chance: ClassVar[dict[int, float]] = {3: 0.02, 5: 0.02}
    verification: ClassVar[str] = (
        "the tagged files, read from git, and tests of the tagged module run in the sandbox"
    )
    real: ClassVar[bool] = True
    runs_code: ClassVar[bool] = True

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = table(self.name)["situations"][situation]
        filled = {"a": stream.integer(3, 9), "b": stream.integer(12, 19)}
        fault = stream.choice(story["faults"])
        right = story["source"].format(**filled)
        wrong = right.replace(fault["right"].format(**filled), fault["wrong"].format(**filled))
        commits, subject = _history(level, story, wrong, stream)
        cases = _cases(situation, filled["a"], filled["b"], stream)
        results = [RIGHT[situation](filled["a"], filled["b"], *case) for case in cases]
        version = f"v{stream.integer(1, 4)}.{stream.integer(0, 19)}.{stream.integer(1, 9)}"
        told = {"told": fault["told"].format(**filled), "version": version, "subject": subject}
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=_goal(level, story, told, stream),
            observation=OBSERVATION,
            actions=(WRITE, TEST, COMMIT, TAG, REVERT),
            criterion=Criterion(
                f"the only tag is {version}, on the last commit; the module tagged there passes all tests, and every "
                "other file is as it was before any mistaken commit",
                {
                    "tag": version,
                    "others": {
                        name: text for name, text in _final(commits, subject).items() if name != story["file"]
                    },
                    "subjects": [commit["subject"] for commit in commits],
                    "values": results,
                },
            ),
            setup={
                "commits": commits,
                "file": story["file"],
                "function": story["function"],
                "cases": cases,
                "shown": 4,  # as many of the cases are the tests that can be run
                "values": results,
            },
            needed=4 if level == 3 else 5,
            most=MOST[level],
            noisy=("subject", "report"),
        )

    def open(self, task: Task, *, drift: bool) -> Project:
        return Project(task)

    def checks(self, task: Task, state: dict[str, Any]) -> tuple[Program, ...]:
        tagged = state["tags"].get(task.criterion.expected["tag"], {})
        if task.setup["file"] not in tagged:
            return ()
        return (_program(task.setup, tagged[task.setup["file"]], task.setup["cases"]),)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        asked, file = task.criterion.expected, task.setup["file"]
        tagged = state["tags"].get(asked["tag"])
        if tagged is None:
            return Judgement(False, (f"there is no tag {asked['tag']}",))
        because = [f"there is a tag {name}" for name in state["tags"] if name != asked["tag"]]
        if state["head"] != tagged:
            because.append("the last commit is not the one that is tagged")
        if state["subjects"][: len(asked["subjects"])] != asked["subjects"]:
            because.append("earlier commits are not what they were")
        others = {name: content for name, content in tagged.items() if name != file}
        names = sorted({*others, *asked["others"]})
        because += [
            f"{name} is not as it should be"
            for name in names
            if others.get(name) != asked["others"].get(name)
        ]
        if not runs:
            because.append(f"{file} is not in the tagged commit")
        elif _passed(runs[0], asked["values"]) < len(asked["values"]):
            because.append(f"the tagged {file} does not pass its tests")
        return Judgement(not because, tuple(because))

    def oracle(self, brief: Brief) -> Maintainer:
        return Maintainer(brief)

    def novice(self, brief: Brief) -> Straight:
        return Straight(brief)

    def null(self, brief: Brief) -> Fixed:
        return Fixed(
            Act("write_file", {"name": "NOTES.txt", "content": "Repaired.\n"}),
            Act("run_tests", {}),
            Act("commit", {"message": "Repair everything"}),
            Act("tag", {"name": "v1.0.0"}),
        )


def _history(
    level: int, story: dict[str, Any], wrong: str, stream: Stream
) -> tuple[list[dict[str, Any]], str]:
    """Commits with the files that they write; and the subject of the one that was a mistake."""
    words = table("release")["subjects"]
    values = {key: stream.integer(2, 60) for key in story["settings"]}
    settings = "".join(f"{key} = {value}\n" for key, value in values.items())
    notes = stream.shuffled(words["good"])
    first = {story["file"]: wrong, "settings.txt": settings, "NOTES.txt": "Notes for whoever comes next.\n"}
    commits: list[dict[str, Any]] = [{"subject": stream.choice(words["first"]), "files": first}]
    subject = ""
    if level == 5:
        key = stream.choice(story["settings"])
        subject = stream.choice(words["bad"]).format(key=key.replace("_", " "))
        changed = {**values, key: values[key] + stream.integer(5, 90)}
        files = {"settings.txt": "".join(f"{name} = {value}\n" for name, value in changed.items())}
        commits.append({"subject": subject, "files": files})
    noted = "Notes for whoever comes next.\n" + f"{notes[0]}.\n"
    commits.append({"subject": notes[0], "files": {"NOTES.txt": noted}})
    return commits, subject


def _final(commits: list[dict[str, Any]], bad: str) -> dict[str, str]:
    """The files after all commits but the bad one."""
    found: dict[str, str] = {}
    for commit in commits:
        if commit["subject"] != bad:
            found |= commit["files"]
    return found


def _cases(situation: str, a: int, b: int, stream: Stream) -> list[list[int]]:
    """The edges first, then others."""
    return EDGES[situation](a, b) + [[stream.integer(1, 90), stream.integer(0, 40)] for _ in range(8)]


def _goal(level: int, story: dict[str, Any], told: dict[str, str], stream: Stream) -> str:
    words = table("release")
    goal: str = stream.choice(words["goals"]).format(**story, **told)
    if level == 5:
        goal += stream.choice(words["undo"]).format(**told)
    return f"{goal}{words['keep']}"


def _program(setup: dict[str, Any], source: str, cases: list[list[int]]) -> Program:
    given = tuple({"args": list(case)} for case in cases)
    return Program(source=source, entry_point=setup["function"], cases=given)


def _passed(result: dict[str, Any], values: list[int]) -> int:
    """How many cases gave the right number. A truth value is no number."""
    found = [case["value"] if case["state"] == "value" else None for case in result["cases"]]
    return sum(type(got) is int and got == right for got, right in zip(found, values, strict=False))


class Project(WorldBase):
    """The repository, and what is known of the tests."""

    def __init__(self, task: Task) -> None:
        self._setup = task.setup
        self._repository = Repository()
        self._folder = self._repository.folder
        for commit in task.setup["commits"]:
            for name, content in commit["files"].items():
                self._folder.replace(name, content)
            self._repository.commit(commit["subject"])
        self._tested = ""  # the module as it was when the tests ran last
        self._green = False
        self._report = "the tests have not been run"

    def _module(self) -> str:
        file = self._setup["file"]
        return self._folder.read(file) if self._folder.has(file) else ""

    def look(self) -> dict[str, Any]:
        history = self._repository.history()
        tests = "not run"
        if self._tested and self._tested == self._module():
            tests = "passed" if self._green else "failed"
        return {
            "files": [
                {"name": name, "content": content[:1500]} for name, content in self._folder.tree().items()
            ][:12],
            "uncommitted": self._repository.uncommitted()[:12],
            "history": [{"number": n, "subject": subject} for n, (subject, _) in enumerate(history, 1)][-12:],
            "tags": sorted(tag for _, tags in history for tag in tags),
            "tests": tests,
            "report": self._report,
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        try:
            if name == "run_tests":
                return self._test()
            if name == "write_file":
                self._folder.replace(arguments["name"], arguments["content"])
            elif name == "commit":
                self._repository.commit(arguments["message"])
            elif name == "revert":
                self._repository.revert(arguments["commit"])
            else:
                self._tag(arguments["name"])
        except Refused as refused:
            return Effect(error=str(refused))
        return Effect()

    def _test(self) -> Effect:
        source = self._module()
        if not source.strip():
            raise Refused(f"there is no {self._setup['file']} to be tested")
        self._tested, self._green = source, False
        self._report = "the tests were not completed"
        return Effect(program=_program(self._setup, source, self._setup["cases"][: self._setup["shown"]]))

    def settle(self, result: dict[str, Any]) -> Effect:
        cases = self._setup["cases"][: self._setup["shown"]]
        values = self._setup["values"][: self._setup["shown"]]
        right = _passed(result, values)
        self._green = right == len(values)
        self._report = f"{right} of {len(values)} tests passed"
        if not self._green:
            at = next(
                (n for n, case in enumerate(result["cases"]) if not _passed({"cases": [case]}, [values[n]])),
                0,
            )
            got = result["cases"][at] if result["cases"] else {"state": "not_run"}
            given = ", ".join(str(value) for value in cases[at])
            came = f"gave {got['value']!s:.40}" if got["state"] == "value" else "gave no value"
            self._report += f"; {self._setup['function']}({given}) {came}, {values[at]} is right"
        return Effect()

    def _tag(self, name: str) -> None:
        if not VERSION.fullmatch(name):
            raise Refused("a tag of a release looks like v1.2.3")
        committed = self._repository.tree("HEAD").get(self._setup["file"])
        if not self._green or committed != self._tested:
            raise Refused("not tagged: the tests have not passed on the module that is committed")
        self._repository.tag(name)

    def snapshot(self) -> dict[str, Any]:
        history = self._repository.history()
        tags = sorted(tag for _, found in history for tag in found)
        return {
            "head": self._repository.tree("HEAD"),
            "tags": {tag: self._repository.tree(f"refs/tags/{tag}") for tag in tags},
            "subjects": [subject for subject, _ in history],
            "commits": len(history),
        }

    def close(self) -> None:
        self._repository.close()


class Maintainer(Steady):
    """Takes back what has to be, repairs what the goal tells of, and looks what is left to do."""

    def __init__(self, brief: Brief) -> None:
        super().__init__(brief)
        words = table("release")
        self._story = next(story for story in words["situations"].values() if story["who"] in brief.goal)
        self._fault = next(f for f in self._story["faults"] if read(f["told"], brief.goal) is not None)
        undo = [found for template in words["undo"] if (found := read(template, brief.goal))]
        self._bad = undo[0]["subject"] if undo else ""
        self._version = VERSION.findall(brief.goal)[0]
        self._commits = 0

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        history = observation["history"]
        self._commits = self._commits or len(history)
        if self._bad and len(history) == self._commits:
            shown = [commit["subject"][: len(self._bad) + 2] for commit in history]
            return Act("revert", {"commit": history[shown.index(nearest(self._bad, shown))]["number"]})
        repaired = self.repaired(observation)
        if repaired:
            return Act("write_file", {"name": self._story["file"], "content": repaired})
        if observation["tests"] != "passed":
            return Act("run_tests", {})
        if observation["uncommitted"]:
            return Act("commit", {"message": f"Correct {self._story['function']}"})
        if self._version not in observation["tags"]:
            return Act("tag", {"name": self._version})
        return Act("finish", {"achieved": True})

    def repaired(self, observation: dict[str, Any]) -> str:
        """The module without the fault, or nothing where the fault is not in it."""
        source: str = next(f["content"] for f in observation["files"] if f["name"] == self._story["file"])
        wrong, right = self._fault["wrong"], self._fault["right"]
        for line in source.splitlines():
            filled = read(wrong, line)
            if filled is not None and wrong.format(**filled) == line.strip():
                return source.replace(line.strip(), right.format(**filled))
        return ""


class Straight(Maintainer):
    """Does the usual steps once, and neither takes anything back nor tries again."""

    def __init__(self, brief: Brief) -> None:
        super().__init__(brief)
        self._acts: list[Act] | None = None

    def decide(self, seen: Seen) -> Act:
        if self._acts is None:
            self._acts = [
                Act("write_file", {"name": self._story["file"], "content": self.repaired(seen.observation)}),
                Act("run_tests", {}),
                Act("commit", {"message": "Repair"}),
                Act("tag", {"name": self._version}),
            ]
        return self._acts.pop(0) if self._acts else Act("finish", {"achieved": True})
