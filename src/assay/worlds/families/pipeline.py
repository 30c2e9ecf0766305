"""Pipeline: extract, clean, join and load, with tools that fail. B.5.4; level 5 under severe limits."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady, WorldBase, finish
from assay.worlds.database import open_database
from assay.worlds.folder import Folder
from assay.worlds.model import Act, Brief, Effect, Seen, Task
from assay.worlds.schema import STRING, action, array, integer, obj, string, text
from assay.worlds.standing import read_standing, standing_rule
from assay.worlds.templates import numbers, story_of, table, worded

__all__ = ["Pipeline"]

TABLE = table("pipeline")
Row = list[str]
# What cleaning leaves out, by what is done with rows that are incomplete and with those that are repeated.
RULES = {
    ("drop", "keep"): "drop_incomplete",
    ("keep", "drop"): "drop_duplicates",
    ("drop", "drop"): "drop_both",
    ("keep", "keep"): "drop_nothing",
}
UNMATCHED = ["drop", "keep"]
PARTS = ("first", "second", "third")  # in which the main rows come
SOURCES = (*PARTS, "lookup")
STAGES = (*(f"extract {source}" for source in SOURCES), "clean", "join")
MOST = {4: 10, 5: 14}  # the same for all instances: the budget tells nothing about the faults
CALLS = 60  # calls for which faults are drawn; later ones go well
EXTRACT = action(
    "extract",
    "Copy all rows of a source to the end of its working file.",
    {"source": text("a part of the main rows; lookup: what they are joined with", options=list(SOURCES))},
)
CLEAN = action(
    "clean",
    "Clean the extracted main rows by one rule, and add what is left to the working file of this stage.",
    {"rule": text("what is left out", options=list(RULES.values()))},
)
JOIN = action(
    "join",
    "Join the cleaned main rows with the extracted lookup rows, and add the result to the working file of this stage.",
    {"unmatched": text("rows without a partner", options=UNMATCHED)},
)
LOAD = action("load", "Add all joined rows to the table.")
EMPTY = action(
    "empty",
    "Empty the working file of a stage, or the table.",
    {"what": text("the stage, or the table", options=[*STAGES, "table"])},
)
_COUNT = integer("", 0)
_REPORT = {"stage": text(options=list(STAGES)), "read": _COUNT, "dropped": _COUNT, "written": _COUNT}
OBSERVATION = obj(
    {
        "sources": array(obj({"source": STRING, "name": STRING, "rows": _COUNT})),
        "reports": array(obj(_REPORT)),
        "table": obj({"name": STRING, "rows": _COUNT}),
        "log": string("what the last tool said"),
    }
)


def _data(story: dict[str, Any], stream: Stream) -> tuple[list[Row], list[Row]]:
    """Main rows of which some lack a value, repeat another one or have no partner; and the partners."""
    keys, labels = stream.shuffled(story["keys"]), stream.shuffled(story["labels"])
    known = stream.integer(4, 5)
    used = [*keys[:known], *(stream.choice(keys[:known]) for _ in range(4)), *keys[known : known + 2]]
    rows = [
        [str(number), key, str(stream.integer(10, 990))]
        for number, key in zip(numbers(stream, len(used), 1000, 8999), used, strict=True)
    ]
    for at in stream.shuffled(range(known, known + 4))[:2]:
        rows[at][2] = ""
    rows += [list(row) for row in stream.shuffled(rows[:known])[:2]]
    return stream.shuffled(rows), stream.shuffled(
        [[key, label] for key, label in zip(keys[:known], labels, strict=False)]
    )


def _cleaned(rows: list[Row], rule: str) -> list[Row]:
    kept: list[Row] = []
    for row in rows:
        incomplete, repeated = not row[2], row in kept
        if (incomplete and rule in ("drop_incomplete", "drop_both")) or (
            repeated and rule in ("drop_duplicates", "drop_both")
        ):
            continue
        kept.append(row)
    return kept


def _joined(rows: list[Row], lookup: list[Row], unmatched: str) -> list[Row]:
    """Each row with every partner it has, as a database joins."""
    found: list[Row] = []
    for row in rows:
        labels = [label for key, label in lookup if key == row[1]]
        found += [[*row, label] for label in labels or ([""] if unmatched == "keep" else [])]
    return found


# The first two faults of level 4. Each pair costs a good recovery two calls, and any fixed one three or more.
PAIRS = [("part", "mute"), ("mute", "part"), ("part", "mute"), ("mute", "part"), ("down", "down")]


def _faults(level: int, stream: Stream) -> list[str]:
    """Which calls go wrong, and how: one in every five, so never more than two in a row (B.5.4).

    ``down``: nothing was done. ``part``: half of the rows were written. ``mute``: all was done, but no answer came.
    """
    while True:
        first = stream.choice(PAIRS) if level == 4 else ("part", stream.choice(["down", "part"]))
        faults: list[str] = []
        for block in range(CALLS // 5):
            kind = first[block] if block < 2 else stream.choice(["down", "part"])
            place = stream.below(2 if block == 1 else 5)  # seven calls at least, and so two faults
            faults += [kind if at == place else "" for at in range(5)]
        needed = _calls(faults)
        if needed == MOST[4] - 1 if level == 4 else needed < MOST[5] - 1:
            return faults


def _calls(faults: list[str]) -> int:
    """The calls a good recovery takes: what was half done is emptied and run again, what was done is not."""
    calls = iter(faults)
    for _ in (*STAGES, "load"):
        while (fault := next(calls)) not in ("", "mute"):
            while fault == "part" and next(calls) not in ("", "mute"):  # to empty it may fail, too
                pass
    return len(faults) - len(list(calls))


class Plant(WorldBase):
    """Sources and working files as CSV in a folder, the table in a database, and the faults that were drawn."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        setup = task.setup
        self._main, self._lookup = setup["columns"]
        self._folder, self._database = Folder(), open_database()
        for at, source in enumerate(PARTS):
            self._put(f"source_{source}.csv", self._main, setup["main"][at :: len(PARTS)])
        self._put("source_lookup.csv", self._lookup, setup["lookup"])
        key, value, label = (f'"{name}"' for name in (*setup["columns"][0][1:], setup["label"]))
        self._database.run(f"CREATE TABLE {setup['table']} (id TEXT, {key} TEXT, {value} TEXT, {label} TEXT)")
        self._read: dict[str, tuple[int, int]] = {}  # stage → rows it read, and dropped
        self._called = 0
        self._log = "nothing was run yet"

    def look(self) -> dict[str, Any]:
        return {
            "sources": [
                {
                    "source": source,
                    "name": self.setup["names"][source == "lookup"],
                    "rows": len(self._get(f"source_{source}.csv")),
                }
                for source in SOURCES
            ],
            "reports": [
                {
                    "stage": stage,
                    "read": self._read[stage][0],
                    "dropped": self._read[stage][1],
                    "written": len(self._get(_file(stage))),
                }
                for stage in STAGES
                if stage in self._read
            ],
            "table": {"name": self.setup["table"], "rows": len(self._database.rows(self._all))},
            "log": self._log,
        }

    @property
    def _all(self) -> str:
        return f"SELECT * FROM {self.setup['table']}"  # noqa: S608

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        missing = self._missing(name)
        if missing:
            return Effect(error=f"{missing} has not been run yet")
        fault = self.setup["faults"][self._called] if self._called < CALLS else ""
        self._called += 1
        what = f"{name} {arguments['source']}" if name == "extract" else name
        if name == "empty":
            fault = "down" if fault in ("down", "part") else fault
        if fault != "down":
            if name == "empty":
                self._empty(arguments["what"])
            elif name == "load":
                self._load(fault == "part")
            else:
                self._stage(what, arguments, fault == "part")
        if fault in ("mute", "down") or (fault and not self.setup["silent"]):
            # One message for all that can have happened: what did happen is to be seen in the reports.
            self._log = f"{what}: broke off"
            return Effect(error=f"{what}: the tool broke off and gave no answer")
        self._log = f"{what}: ended"
        return Effect()

    def _empty(self, what: str) -> None:
        if what == "table":
            self._database.run(f"DELETE FROM {self.setup['table']}")  # noqa: S608
        else:
            self._read.pop(what, None)

    def _missing(self, name: str) -> str:
        """The stage that has to come before."""
        before = {"clean": STAGES[:3], "join": STAGES[3:5], "load": STAGES[5:]}
        return next((stage for stage in before.get(name, ()) if stage not in self._read), "")

    def _stage(self, stage: str, arguments: dict[str, Any], part: bool) -> None:
        if stage.startswith("extract"):
            header = self._lookup if stage == "extract lookup" else self._main
            done = rows = self._get(f"source_{arguments['source']}.csv")
        elif stage == "clean":
            header, rows = self._main, [row for part in STAGES[:3] for row in self._get(_file(part))]
            done = _cleaned(rows, arguments["rule"])
        else:
            header, rows = [*self._main, self.setup["label"]], self._get(_file("clean"))
            done = _joined(rows, self._get(_file("extract lookup")), arguments["unmatched"])
        before = self._get(_file(stage)) if stage in self._read else []
        self._read[stage] = len(rows), max(0, len(rows) - len(done))  # a join may also add rows
        self._put(_file(stage), header, [*before, *(done[: len(done) // 2] if part else done)])

    def _load(self, part: bool) -> None:
        rows = self._get(_file("join"))
        self._database.run("BEGIN")
        for row in rows[: len(rows) // 2] if part else rows:
            self._database.run(f"INSERT INTO {self.setup['table']} VALUES (?, ?, ?, ?)", row)  # noqa: S608
        self._database.run("COMMIT")

    def _put(self, name: str, header: Row, rows: list[Row]) -> None:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([header, *rows])
        self._folder.replace(name, out.getvalue())

    def _get(self, name: str) -> list[Row]:
        return list(csv.reader(io.StringIO(self._folder.read(name))))[1:]

    def snapshot(self) -> dict[str, Any]:
        return {"table": sorted([*row] for row in self._database.committed(self._all))}

    def close(self) -> None:
        self._database.close()
        self._folder.close()


def _file(stage: str) -> str:
    return f"work_{stage.replace(' ', '_')}.csv"


def _plan(rule: str, unmatched: str) -> list[Act]:
    return [
        *(Act("extract", {"source": source}) for source in SOURCES),
        Act("clean", {"rule": rule}),
        Act("join", {"unmatched": unmatched}),
        Act("load", {}),
    ]


def _told(story: dict[str, Any], wanted: dict[str, str], stream: Stream) -> str:
    """What counts, and the opposite of each, which does not."""
    turned = {"drop": "keep", "keep": "drop"}
    void = [(aspect, turned[way], False) for aspect, way in wanted.items()]
    return " ".join(
        standing_rule(stream, worded(stream, TABLE["rules"][aspect][way], story), holds=holds)
        for aspect, way, holds in stream.shuffled([*((*rule, True) for rule in wanted.items()), *void])
    )


def _asked(goal: str) -> list[Act]:
    """The calls that a goal asks for."""
    story = story_of(TABLE["situations"], goal)
    ways = {
        clause.format(**story): (aspect, way)
        for aspect, some in TABLE["rules"].items()
        for way, clauses in some.items()
        for clause in clauses
    }
    counting = [subject for subject, counts in read_standing(goal) if counts]
    found = dict(ways[clause] for subject in counting for clause in ways if subject.endswith(f" {clause}"))
    return _plan(RULES[found["incomplete"], found["repeated"]], found["unmatched"])


class Hurried(Steady):
    """Repeats what is said to have failed, and believes everything else. It empties nothing."""

    def __init__(self, brief: Brief, plan: list[Act]) -> None:
        super().__init__(brief)
        self._left = plan
        self._last: Act | None = None

    def decide(self, seen: Seen) -> Act:
        if seen.error and self._last is not None and seen.left:
            return self._last
        self._last = self._left.pop(0) if self._left else None
        return self._last or finish()


class PipelineOperator(Steady):
    """Takes the first stage whose report does not add up, and empties what is half done or done twice."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._plan = _asked(brief.goal)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        reports = {report["stage"]: report for report in observation["reports"]}
        for stage, act in zip(STAGES, self._plan, strict=False):
            report = reports.get(stage)
            if report is None:
                return act
            if report["written"] != report["read"] - report["dropped"]:
                return Act("empty", {"what": stage})
        rows = observation["table"]["rows"]
        if rows == reports["join"]["written"]:
            return finish()
        return Act("empty", {"what": "table"}) if rows else self._plan[-1]


class Pipeline(FamilyBase, table=TABLE):
    world = Plant
    solver = PipelineOperator

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        main, lookup = _data(story, stream)
        wanted = {aspect: stream.choice(UNMATCHED) for aspect in TABLE["rules"]}
        rule = RULES[wanted["incomplete"], wanted["repeated"]]
        faults = _faults(level, stream)
        needed = _calls(faults)
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"], story, rules=_told(story, wanted, stream))
            + TABLE["reports"].format(**story)
            + TABLE["warning"][level],
            observation=OBSERVATION,
            actions=(EXTRACT, CLEAN, JOIN, LOAD, EMPTY),
            criterion=f"the table {story['table']} holds exactly the rows that the sources and the rules give",
            expected=sorted(_joined(_cleaned(main, rule), lookup, wanted["unmatched"])),
            setup={
                "main": main,
                "lookup": lookup,
                "names": [story["main"], story["lookup"]],
                "columns": [["id", story["key"], story["value"]], [story["key"], story["label"]]],
                "table": story["table"],
                "label": story["label"],
                "value": story["value"],
                "faults": faults,
                "silent": level == 5,
            },
            needed=needed,
            most=MOST[level],
            noisy=("log",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        wanted, found = [list(row) for row in task.criterion.expected], [list(row) for row in state["table"]]
        missing, strange = [r for r in wanted if r not in found], [r for r in found if r not in wanted]
        if not found:
            yield "the table is empty"
            return
        if len(found) != len(wanted):
            yield f"the table has {len(found)} rows instead of {len(wanted)}"
        elif found != wanted and not missing and not strange:
            yield "rows are there more or less often than they should"
        if missing:
            yield f"{len(missing)} rows are missing"
        if strange:
            yield f"{len(strange)} rows do not belong there"

    def novice(self, brief: Brief) -> Hurried:
        return Hurried(brief, _asked(brief.goal))

    def null(self, brief: Brief) -> Hurried:
        return Hurried(brief, _plan("drop_incomplete", "drop"))
