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
from assay.worlds.templates import numbers, read, story_of, table, worded

__all__ = ["Pipeline"]

TABLE = table("pipeline")
Row = list[str]
RULES = ["drop_incomplete", "drop_duplicates", "drop_both", "drop_nothing"]
UNMATCHED = ["drop", "keep"]
STAGES = ("extract main", "extract lookup", "clean", "join")
CALLS = 60  # calls for which faults are drawn; later ones go well
EXTRACT = action(
    "extract",
    "Copy all rows of a source into a working file.",
    {"source": text("main: the rows; lookup: what they are joined with", options=["main", "lookup"])},
)
CLEAN = action(
    "clean",
    "Clean the extracted main rows by one rule, into a new working file.",
    {"rule": text("what is left out", options=RULES)},
)
JOIN = action(
    "join",
    "Join the cleaned main rows with the extracted lookup rows, into a new working file.",
    {"unmatched": text("rows without a partner", options=UNMATCHED)},
)
LOAD = action("load", "Add all joined rows to the table.")
CLEAR = action("clear_table", "Empty the table.")
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
    labels = {row[0]: row[1] for row in lookup}
    return [[*row, labels.get(row[1], "")] for row in rows if row[1] in labels or unmatched == "keep"]


def _faults(level: int, stream: Stream) -> list[str]:
    """Which calls go wrong, and how: one in every five, so never more than two in a row."""
    faults: list[str] = []
    for block in range(CALLS // 5):
        kind = "part" if level == 5 and not block else stream.choice(["down", "part"])
        place = stream.below(5)
        faults += [kind if at == place else "" for at in range(5)]
    return faults


def _calls(faults: list[str]) -> int:
    """The calls a good solution takes: each stage until it went well, and a table half loaded is emptied before."""
    calls = 0
    for stage in (*STAGES, "load"):
        while fault := faults[calls]:
            calls += 1
            if stage == "load" and fault == "part":
                while faults[calls]:
                    calls += 1
                calls += 1
        calls += 1
    return calls


class Plant(WorldBase):
    """Sources and working files as CSV in a folder, the table in a database, and the faults that were drawn."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        setup = task.setup
        self._names = dict(zip(("main", "lookup"), setup["names"], strict=True))
        self._columns = dict(zip(("main", "lookup"), setup["columns"], strict=True))
        self._folder, self._database = Folder(), open_database()
        for source in ("main", "lookup"):
            self._put(f"source_{self._names[source]}.csv", self._columns[source], setup[source])
        key, value, label = (f'"{name}"' for name in (*setup["columns"][0][1:], setup["label"]))
        self._database.run(f"CREATE TABLE {setup['table']} (id TEXT, {key} TEXT, {value} TEXT, {label} TEXT)")
        self._read: dict[str, tuple[int, int]] = {}  # stage → rows it read, and dropped
        self._called = 0
        self._log = "nothing was run yet"

    def look(self) -> dict[str, Any]:
        return {
            "sources": [
                {"source": source, "name": name, "rows": len(self._get(f"source_{name}.csv"))}
                for source, name in self._names.items()
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
        if fault == "down" or (fault and name == "clear_table"):
            self._log = f"{what}: the tool did not start"
            return Effect(error=f"{what}: the tool did not start; nothing was done")
        part = fault == "part"
        if name == "clear_table":
            self._database.run(f"DELETE FROM {self.setup['table']}")  # noqa: S608
        elif name == "load":
            self._load(part)
        else:
            self._stage(what, arguments, part)
        if part and not self.setup["silent"]:
            self._log = f"{what}: stopped half-way"
            return Effect(error=f"{what}: the tool stopped half-way; only a part of the rows was written")
        self._log = f"{what}: ended"
        return Effect()

    def _missing(self, name: str) -> str:
        """The stage that has to come before."""
        before = {"clean": STAGES[:1], "join": STAGES[1:3], "load": STAGES[3:]}
        return next((stage for stage in before.get(name, ()) if stage not in self._read), "")

    def _stage(self, stage: str, arguments: dict[str, Any], part: bool) -> None:
        if stage.startswith("extract"):
            source = arguments["source"]
            header, rows = self._columns[source], self._get(f"source_{self._names[source]}.csv")
            done = rows
        elif stage == "clean":
            header, rows = self._columns["main"], self._get(_file("extract main"))
            done = _cleaned(rows, arguments["rule"])
        else:
            header, rows = [*self._columns["main"], self.setup["label"]], self._get(_file("clean"))
            done = _joined(rows, self._get(_file("extract lookup")), arguments["unmatched"])
        self._read[stage] = len(rows), len(rows) - len(done)
        self._put(_file(stage), header, done[: len(done) // 2] if part else done)

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
        Act("extract", {"source": "main"}),
        Act("extract", {"source": "lookup"}),
        Act("clean", {"rule": rule}),
        Act("join", {"unmatched": unmatched}),
        Act("load", {}),
    ]


def _asked(goal: str) -> list[Act]:
    """The calls that a goal asks for."""
    story = story_of(TABLE["situations"], goal)

    def said(templates: list[str]) -> bool:
        return any(read(template.format(**story), goal) is not None for template in templates)

    rule = next(rule for rule, templates in TABLE["rules"].items() if said(templates))
    unmatched = next(how for how, templates in TABLE["unmatched"].items() if said(templates))
    return _plan(rule, unmatched)


class Hurried(Steady):
    """Repeats what is said to have failed, and believes everything else. It does not empty the table."""

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
    """Takes the first stage whose report does not add up; empties the table when it holds something else."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._plan = _asked(brief.goal)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        reports = {report["stage"]: report for report in observation["reports"]}
        for stage, act in zip(STAGES, self._plan, strict=False):
            report = reports.get(stage)
            if report is None or report["written"] != report["read"] - report["dropped"]:
                return act
        rows = observation["table"]["rows"]
        if rows == reports["join"]["written"]:
            return finish()
        return Act("clear_table", {}) if rows else self._plan[-1]


class Pipeline(FamilyBase, table=TABLE):
    world = Plant
    solver = PipelineOperator

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        main, lookup = _data(story, stream)
        rule, unmatched = stream.choice(RULES), stream.choice(UNMATCHED)
        faults = _faults(level, stream)
        needed = _calls(faults)
        asked = {
            "rule": stream.choice(TABLE["rules"][rule]).format(**story),
            "unmatched": stream.choice(TABLE["unmatched"][unmatched]).format(**story),
        }
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"], story, **asked) + TABLE["warning"][level],
            observation=OBSERVATION,
            actions=(EXTRACT, CLEAN, JOIN, LOAD, CLEAR),
            criterion=f"the table {story['table']} holds exactly the rows that the sources and the rules give",
            expected=sorted(_joined(_cleaned(main, rule), lookup, unmatched)),
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
            most=needed + 3 if level == 5 else None,
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
