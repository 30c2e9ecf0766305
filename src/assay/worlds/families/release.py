"""Release: repair a module, commit and tag it in a real git repository. B.5.3; level 5 with a rollback."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, PlansOnce, Steady, WorldBase, finish
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Brief, Effect, Judgement, Program, Refused, Seen, Task
from assay.worlds.repository import Repository
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, string, text
from assay.worlds.stepwise import MEANS, Case, Module, code_of, drawn_module, read_module, told_steps
from assay.worlds.templates import read, table, worded

__all__ = ["Release"]

TABLE = table("release")
WRITE = action(
    "write_file",
    "Replace the whole content of a file in the working folder.",
    {"name": text("the file", longest=80), "content": text("all it holds then", longest=4000)},
)
TEST = action("run_tests", "Run the module's tests on the file in the working folder.")
COMMIT = action(
    "commit",
    "Commit all changes in the working folder.",
    {"message": text("what was changed", longest=200)},
)
TAG = action("tag", "Tag the last commit as a release.", {"name": text("the tag, as v1.2.3", longest=30)})
REVERT = action(
    "revert", "Take back an earlier commit by a new one.", {"commit": integer("its number", 1, 100)}
)
OBSERVATION = obj(
    {
        "files": array(obj({"name": STRING, "content": STRING})),
        "uncommitted": array(STRING),
        "history": array(obj({"number": INTEGER, "subject": STRING})),
        "tags": array(STRING),
        "tests": text("of the module as it is in the folder", options=["not run", "passed", "failed"]),
        "report": string("what the last test run said"),
    }
)
SHOWN, CASES = 4, 12  # cases that the tests show, and all of them
MOST = {3: 6, 5: 7}  # one look at the tests too early can be afforded (10.7.3: limited retries; B.5.3)
VERSION = re.compile(r"v\d{1,3}\.\d{1,3}\.\d{1,3}")


def _history(
    level: int, story: dict[str, Any], file: str, wrong: str, stream: Stream
) -> tuple[list[dict[str, Any]], str]:
    """Commits with the files that they write; and the subject of the one that was a mistake."""
    words = TABLE["subjects"]
    values = {key: stream.integer(2, 60) for key in story["settings"]}
    settings = "".join(f"{key} = {value}\n" for key, value in values.items())
    noted = "Notes for whoever comes next.\n"
    first = {file: wrong, "settings.txt": settings, "NOTES.txt": noted}
    commits: list[dict[str, Any]] = [{"subject": stream.choice(words["first"]), "files": first}]
    for note in stream.shuffled(words["good"])[:3]:
        noted += f"{note}.\n"
        commits.append({"subject": note, "files": {"NOTES.txt": noted}})
    if level == 3:
        return commits, ""
    key = stream.choice(story["settings"])
    subject = stream.choice(words["bad"]).format(key=key.replace("_", " "))
    changed = {**values, key: values[key] + stream.integer(5, 90)}
    files = {"settings.txt": "".join(f"{name} = {value}\n" for name, value in changed.items())}
    commits.insert(stream.integer(1, len(commits)), {"subject": subject, "files": files})
    return commits, subject


def _final(commits: list[dict[str, Any]], bad: str) -> dict[str, str]:
    """The files after all commits but the bad one."""
    found: dict[str, str] = {}
    for commit in commits:
        if commit["subject"] != bad:
            found |= commit["files"]
    return found


def _cases(module: Module, faults: dict[int, str], stream: Stream) -> list[Case] | None:
    """Cases that tell every step from all its other ways, and of which the tests show enough to tell the faults.

    None where there are none among those that were drawn: edges of a limit, and others.
    """
    edge = next(step.n for step in module.steps if step.kind == "bonus")
    cases = [(edge + stream.integer(-1, 1), stream.integer(0, 6)) for _ in range(CASES // 2)]
    cases += [(stream.integer(0, 20), stream.integer(0, 6)) for _ in range(CASES // 2)]
    cases = stream.shuffled(cases)
    if any(
        step.kind == "share" and min(module.totals(case)[at] for case in cases) < 0
        for at, step in enumerate(module.steps)
    ):
        return None  # how a debt is rounded, the words do not say

    def told_apart(ways: dict[int, str], some: list[Case]) -> bool:
        other = module.with_ways(ways)
        return any(other.value(case) != module.value(case) for case in some)

    shown = [faults, *({at: way} for at, way in faults.items())]
    every = [{at: way} for at, step in enumerate(module.steps) for way in MEANS[step.kind] if way != step.way]
    clear = all(told_apart(ways, cases[:SHOWN]) for ways in shown) and all(
        told_apart(w, cases) for w in every
    )
    return cases if clear else None


def _drawn(story: dict[str, Any], stream: Stream) -> tuple[Module, dict[int, str], list[Case]]:
    """A function, its two faults by their places, and the cases for its tests."""
    while True:
        module = drawn_module(stream.choice(story["functions"]), story["things"], stream)
        faults = {
            at: stream.choice([way for way in MEANS[step.kind] if way != step.way])
            for at, step in stream.shuffled([*enumerate(module.steps)])[:2]
        }
        for _ in range(5):
            if cases := _cases(module, faults, stream):
                return module, faults, cases


def _program(setup: dict[str, Any], source: str, cases: Sequence[Sequence[int]]) -> Program:
    given = tuple({"args": list(case)} for case in cases)
    return Program(source=source, entry_point=setup["function"], cases=given)


def _passed(result: dict[str, Any], values: list[int]) -> int:
    """How many cases gave the right number. A truth value is no number."""
    found = [case["value"] if case["state"] == "value" else None for case in result["cases"]]
    return sum(type(got) is int and got == right for got, right in zip(found, values, strict=False))


class Checkout(WorldBase):
    """The repository, and what is known of the tests."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._repository = Repository()
        self._folder = self._repository.folder
        for commit in task.setup["commits"]:
            for name, content in commit["files"].items():
                self._folder.replace(name, content)
            self._repository.commit(commit["subject"])
        self._tested = ""  # the module as it was when the tests ran last
        self._green = False
        self._report = "the tests have not been run"
        self.do_write_file, self.do_commit = self._folder.replace, self._repository.commit

    def _module(self) -> str:
        file = self.setup["file"]
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

    def do_run_tests(self) -> Effect:
        source, shown = self._module(), self.setup["cases"][: self.setup["shown"]]
        if not source.strip():
            raise Refused(f"there is no {self.setup['file']} to be tested")
        self._tested, self._green = source, False
        self._report = "the tests were not completed"
        return Effect(program=_program(self.setup, source, shown))

    def settle(self, result: dict[str, Any]) -> Effect:
        cases = self.setup["cases"][: self.setup["shown"]]
        values = self.setup["values"][: self.setup["shown"]]
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
            self._report += f"; {self.setup['function']}({given}) {came}, {values[at]} is right"
        return Effect()

    def do_revert(self, commit: int) -> None:
        self._repository.revert(commit)

    def do_tag(self, name: str) -> None:
        if not VERSION.fullmatch(name):
            raise Refused("a tag of a release looks like v1.2.3")
        committed = self._repository.tree("HEAD").get(self.setup["file"])
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
    """Takes back what has to be, repairs what does not agree with its description, and looks what is left to do."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        undo = [found for template in TABLE["undo"] if (found := read(template, brief.goal))]
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
            return Act("write_file", {"name": self.file(observation), "content": repaired})
        if observation["tests"] != "passed":
            return Act("run_tests", {})
        if observation["uncommitted"]:
            return Act("commit", {"message": f"Correct {self.file(observation)}"})
        if self._version not in observation["tags"]:
            return Act("tag", {"name": self._version})
        return finish()

    def file(self, observation: dict[str, Any]) -> str:
        return next(str(file["name"]) for file in observation["files"] if file["name"].endswith(".py"))

    def repaired(self, observation: dict[str, Any]) -> str:
        """The module as its words want it, or nothing where it is so."""
        before: str = next(f["content"] for f in observation["files"] if f["name"] == self.file(observation))
        source = read_module(before).source()
        return source if source != before else ""


class StraightThrough(Maintainer, PlansOnce):
    """Does the usual steps once, for the fault that was told, and neither takes anything back nor tries again."""

    def repaired(self, observation: dict[str, Any]) -> str:
        before: str = next(f["content"] for f in observation["files"] if f["name"] == self.file(observation))
        module = read_module(before)
        right, found = [*module.code()], code_of(before)
        for at in told_steps(module, self.brief.goal):
            found[at] = right[at]
        return before.replace("".join(code_of(before)), "".join(found))

    def plan(self, observation: dict[str, Any]) -> list[Act]:
        return [
            Act("write_file", {"name": self.file(observation), "content": self.repaired(observation)}),
            Act("run_tests", {}),
            Act("commit", {"message": "Repair"}),
            Act("tag", {"name": self._version}),
        ]


class Release(FamilyBase, table=TABLE):
    world = Checkout
    solver = Maintainer

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        module, faults, cases = _drawn(story, stream)
        file, told = stream.choice(story["files"]), module.said[stream.choice([*faults])]
        commits, subject = _history(level, story, file, module.with_ways(faults).source(), stream)
        results = [module.value(case) for case in cases]
        version = f"v{stream.integer(1, 4)}.{stream.integer(0, 19)}.{stream.integer(1, 9)}"
        gaps = {"file": file, "version": version, "subject": subject}
        gaps["told"] = worded(stream, TABLE["told"], {}, said=told)
        goal = worded(stream, TABLE["goals"], story, **gaps)
        if level == 5:
            goal += worded(stream, TABLE["undo"], gaps)
        others = {name: text for name, text in _final(commits, subject).items() if name != file}
        return self.task(
            level,
            situation,
            goal=f"{goal}{TABLE['keep']}",
            observation=OBSERVATION,
            actions=(WRITE, TEST, COMMIT, TAG, REVERT),
            criterion=f"the only tag is {version}, on the last commit; the module tagged there passes all tests, and "
            "every other file is as it was before any mistaken commit",
            expected={
                "tag": version,
                "others": others,
                "subjects": [commit["subject"] for commit in commits],
                "values": results,
            },
            setup={
                "commits": commits,
                "file": file,
                "function": module.function,
                "cases": [list(case) for case in cases],
                "shown": SHOWN,
                "values": results,
            },
            needed=4 if level == 3 else 5,
            most=MOST[level],
            noisy=("subject", "report"),
        )

    def checks(self, task: Task, state: dict[str, Any]) -> tuple[Program, ...]:
        tagged = state["tags"].get(task.criterion.expected["tag"], {})
        if task.setup["file"] not in tagged:
            return ()
        return (_program(task.setup, tagged[task.setup["file"]], task.setup["cases"]),)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        because = tuple(_failures(task, state, runs))
        return Judgement(not because, because)

    def novice(self, brief: Brief) -> StraightThrough:
        return StraightThrough(brief)

    def null(self, brief: Brief) -> Fixed:
        return Fixed(
            Act("write_file", {"name": "NOTES.txt", "content": "Repaired.\n"}),
            Act("run_tests", {}),
            Act("commit", {"message": "Repair everything"}),
            Act("tag", {"name": "v1.0.0"}),
        )


def _failures(task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Iterator[str]:
    asked, file = task.criterion.expected, task.setup["file"]
    tagged = state["tags"].get(asked["tag"])
    if tagged is None:
        yield f"there is no tag {asked['tag']}"
        return
    yield from (f"there is a tag {name}" for name in state["tags"] if name != asked["tag"])
    if state["head"] != tagged:
        yield "the last commit is not the one that is tagged"
    if state["subjects"][: len(asked["subjects"])] != asked["subjects"]:
        yield "earlier commits are not what they were"
    others = {name: content for name, content in tagged.items() if name != file}
    for name in sorted({*others, *asked["others"]}):
        if others.get(name) != asked["others"].get(name):
            yield f"{name} is not as it should be"
    if not runs:
        yield f"{file} is not in the tagged commit"
    elif _passed(runs[0], asked["values"]) < len(asked["values"]):
        yield f"the tagged {file} does not pass its tests"
