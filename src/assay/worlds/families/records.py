"""Records: rows in a real database, in transactions, seen by a second connection. B.5.2, B.5.3."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, nearest
from assay.worlds.database import Broken, open_database
from assay.worlds.folder import Refused, encodable
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
from assay.worlds.wording import numbers, read, read_first, table

__all__ = ["Records"]

Row = dict[str, Any]

_CODE = text("the item's code, as K-123", longest=20)
_COUNT = {"type": "integer", "minimum": -100_000, "maximum": 100_000}
_NUMBER = {"type": "integer", "minimum": 1, "maximum": 99_999}
ADD_ENTRY = Action(
    name="add_entry",
    about="Insert a row into the table of entries. Its number must be new, its code that of a known item.",
    parameters=obj({"number": _NUMBER, "code": _CODE, "count": _COUNT}),
)
ADD_ITEM = Action(
    name="add_item",
    about="Insert a row into the table of items. The code must be new.",
    parameters=obj({"code": _CODE, "name": text("the item's name", longest=60), "count": _COUNT}),
)
SET_COUNT = Action(
    name="set_count",
    about="Update the count of an item to a new value, which must not be negative.",
    parameters=obj({"code": _CODE, "count": _COUNT}),
)
BEGIN = Action(name="begin", about="Begin a transaction.", parameters=obj({}))
COMMIT = Action(name="commit", about="Make the open transaction's changes take effect.", parameters=obj({}))
ROLLBACK = Action(
    name="rollback", about="Undo all the open transaction's changes and end it.", parameters=obj({})
)
ACTIONS = {
    1: (ADD_ENTRY,),
    2: (BEGIN, ADD_ENTRY, SET_COUNT, COMMIT, ROLLBACK),
    3: (BEGIN, ADD_ENTRY, ADD_ITEM, SET_COUNT, COMMIT, ROLLBACK),
}
SPARE = {1: 5, 2: 10, 3: 3}
BROKEN = {
    "unique": "this number or code exists already",
    "foreign key": "no item has this code",
    "check": "a count must not be negative, and that of an entry must be above zero",
    "other": "a value is not one that the table can hold",
}


@cache
def _observation(items: str, entries: str) -> dict[str, Any]:
    item = {"code": {"type": "string"}, "name": {"type": "string"}, "count": {"type": "integer"}}
    entry = {"number": {"type": "integer"}, "code": {"type": "string"}, "count": {"type": "integer"}}
    return obj(
        {
            "transaction": text("whether one is open", options=["none", "open", "failed"]),
            items: {"type": "array", "items": obj(item)},
            entries: {"type": "array", "items": obj(entry)},
        }
    )


class Records(FamilyBase):
    name: ClassVar[str] = "records"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Book entries in a database"
    dimension: ClassVar[Dimension] = "E"
    environment: ClassVar[Environment] = "tool-augmented"
    levels: ClassVar[dict[int, str]] = {
        1: "one insert that commits by itself",
        2: "begin, insert, update what is related, commit",
        3: "few spare actions, an open transaction to roll back, and constraints that forbid the obvious order",
    }
    situations: ClassVar[tuple[str, ...]] = ("seeds", "tools", "film", "kitchen")
    held_out: ClassVar[tuple[str, ...]] = ("aid", "costumes")
    chance: ClassVar[dict[int, float]] = {1: 0.02, 2: 0.02, 3: 0.02}
    verification: ClassVar[str] = "both tables, read through a second connection"
    real: ClassVar[bool] = True

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = table(self.name)["situations"][situation]
        names = stream.shuffled(story["names"])
        codes = [f"{stream.choice('KLMPRT')}-{number}" for number in numbers(stream, 7, 210, 979)]
        items = [
            {"code": code, "name": name, "count": stream.integer(30, 90)}
            for code, name in zip(codes[:5], names, strict=False)
        ]
        free = numbers(stream, 6, 2100, 9799)
        entries = [
            {"number": free.pop(), "code": stream.choice(items)["code"], "count": stream.integer(2, 20)}
            for _ in range(3)
        ]
        wanted = _wanted(level, items, free, stream)
        new = {"code": codes[5], "name": names[5], "count": stream.integer(30, 90)} if level == 3 else None
        if new is not None:  # the first line is for what is not in the table yet
            wanted[0] |= {"code": new["code"], "name": new["name"]}
        needed = {1: 1, 2: 2 + 2 * len(wanted), 3: 7}[level]
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=_goal(level, story, wanted, new, stream),
            observation=_observation(story["items"], story["entries"]),
            actions=ACTIONS[level],
            criterion=Criterion(
                "what is committed in both tables is exactly what was there before, with what was asked for",
                _expected(level, items, entries, wanted, new),
            ),
            setup={
                "items": items,
                "entries": entries,
                "tables": [story["items"], story["entries"]],
                "pending": _pending(items, free, stream) if level == 3 else None,
            },
            needed=needed,
            most=needed + SPARE[level],
            noisy=("name",),
        )

    def open(self, task: Task, *, drift: bool) -> Tables:
        return Tables(task)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        because = []
        for part in ("items", "entries"):
            wanted, found = task.criterion.expected[part], state[part]
            because += [f"{part}: {row} is missing" for row in wanted if row not in found]
            because += [f"{part}: {row} should not be there" for row in found if row not in wanted]
        return Judgement(not because, tuple(because))

    def oracle(self, brief: Brief) -> Bookkeeper:
        return Bookkeeper(brief)

    def novice(self, brief: Brief) -> Hasty:
        return Hasty(brief)

    def null(self, brief: Brief) -> Fixed:
        acts = [Act("add_entry", {"number": 1000, "code": "K-100", "count": 1})]
        if brief.level > 1:
            acts = [Act("begin", {}), *acts, Act("commit", {})]
        return Fixed(*acts)


def _wanted(level: int, items: list[Row], free: list[int], stream: Stream) -> list[Row]:
    count = {1: 1, 2: stream.integer(1, 2), 3: 2}[level]
    return [
        {"number": free.pop(), "code": item["code"], "name": item["name"], "count": stream.integer(3, 25)}
        for item in stream.shuffled(items)[:count]
    ]


def _pending(items: list[Row], free: list[int], stream: Stream) -> Row:
    """What someone else left in an open transaction."""
    item = stream.choice(items)
    return {"number": free.pop(), "code": item["code"], "count": stream.integer(3, 25)}


def _expected(
    level: int, items: list[Row], entries: list[Row], wanted: list[Row], new: Row | None
) -> dict[str, list[list[Any]]]:
    taken = {row["code"]: row["count"] for row in wanted} if level > 1 else {}
    rows = [*items, new] if new else items
    return {
        "items": sorted([row["code"], row["name"], row["count"] - taken.get(row["code"], 0)] for row in rows),
        "entries": sorted([row["number"], row["code"], row["count"]] for row in [*entries, *wanted]),
    }


def _goal(level: int, story: Row, wanted: list[Row], new: Row | None, stream: Stream) -> str:
    words = table("records")
    if level == 1:
        one: str = stream.choice(words["one"]).format(**story, **wanted[0])
        return f"{one}{words['misread']}"
    line = stream.choice(words["line"])
    lines = "\n".join(line.format(**story, **row) for row in wanted)
    goal: str = stream.choice(words["many"]).format(**story, lines=lines)
    if new is not None:
        goal += stream.choice(words["new"]).format(**story, **new)
        goal += stream.choice(words["open"]) + words["failed"]
    return f"{goal}{words['together']}{words['misread']}"


class Tables(WorldBase):
    """Two tables, a connection that works on them, and one that only sees what is committed."""

    def __init__(self, task: Task) -> None:
        setup = task.setup
        self._alone = task.level == 1  # statements commit by themselves
        self._items, self._entries = setup["tables"]
        self._database = open_database()
        run = self._database.run
        run(
            f"CREATE TABLE {self._items} (code TEXT PRIMARY KEY, name TEXT, count INTEGER CHECK (count >= 0))"
        )
        run(
            f"CREATE TABLE {self._entries} (number INTEGER PRIMARY KEY, "
            f"code TEXT NOT NULL REFERENCES {self._items} (code), count INTEGER CHECK (count > 0))"
        )
        run("BEGIN")
        for row in setup["items"]:
            self._do("add_item", row)
        for row in setup["entries"]:
            self._do("add_entry", row)
        run("COMMIT")
        self._transaction = "none"
        if setup["pending"]:
            run("BEGIN")
            self._transaction = "open"
            self._do("add_entry", setup["pending"])
            self._do("set_count", {"code": setup["pending"]["code"], "count": 0})

    def look(self) -> dict[str, Any]:
        # Nothing can be read inside a failed transaction; what is committed still can.
        read_rows = self._database.committed if self._transaction == "failed" else self._database.rows
        return {
            "transaction": self._transaction,
            self._items: [_named(row, "code", "name", "count") for row in sorted(read_rows(self._all_items))],
            self._entries: [
                _named(row, "number", "code", "count") for row in sorted(read_rows(self._all_entries))
            ],
        }

    @property
    def _all_items(self) -> str:
        return f"SELECT code, name, count FROM {self._items}"  # noqa: S608

    @property
    def _all_entries(self) -> str:
        return f"SELECT number, code, count FROM {self._entries}"  # noqa: S608

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        if name in ("begin", "commit", "rollback"):
            return self._control(name)
        if self._transaction == "failed":
            return Effect(error="the transaction has failed: it can only be rolled back")
        if self._transaction == "none" and not self._alone:
            return Effect(error="no transaction is open: begin one first")
        try:
            encodable("".join(str(value) for value in arguments.values()))
            self._do(name, arguments)
        except Refused as refused:
            return Effect(error=str(refused))
        except Broken as broken:
            failed = self._transaction == "open"
            self._transaction = "failed" if failed else "none"
            told = "; the transaction has failed and can only be rolled back" if failed else ""
            return Effect(error=BROKEN[broken.rule] + told)
        return Effect()

    def _control(self, name: str) -> Effect:
        if name == "begin":
            if self._transaction != "none":
                return Effect(error="a transaction is open already")
            self._transaction = "open"
        elif self._transaction == "none":
            return Effect(error="no transaction is open")
        elif name == "commit" and self._transaction == "failed":
            return Effect(error="the transaction has failed: it can only be rolled back")
        else:
            self._transaction = "none"
        self._database.run(name.upper())
        return Effect()

    def _do(self, name: str, values: Row) -> None:
        if name == "add_entry":
            given = [values["number"], values["code"], values["count"]]
            self._database.run(f"INSERT INTO {self._entries} (number, code, count) VALUES (?, ?, ?)", given)  # noqa: S608
        elif name == "add_item":
            given = [values["code"], values["name"], values["count"]]
            self._database.run(f"INSERT INTO {self._items} (code, name, count) VALUES (?, ?, ?)", given)  # noqa: S608
        else:
            if not any(row[0] == values["code"] for row in self._database.rows(self._all_items)):
                raise Broken("foreign key")
            given = [values["count"], values["code"]]
            self._database.run(f"UPDATE {self._items} SET count = ? WHERE code = ?", given)  # noqa: S608

    def snapshot(self) -> dict[str, Any]:
        read_rows = self._database.committed
        return {
            "items": sorted([*row] for row in read_rows(self._all_items)),
            "entries": sorted([*row] for row in read_rows(self._all_entries)),
        }

    def close(self) -> None:
        self._database.close()


def _named(row: tuple[Any, ...], *names: str) -> Row:
    return dict(zip(names, row, strict=True))


def _tables(observation: dict[str, Any]) -> tuple[list[Row], list[Row]]:
    """Items and entries; only items have names."""
    lists = [rows for key, rows in observation.items() if isinstance(rows, list) and key != "messages"]
    items, entries = sorted(lists, key=lambda rows: "name" not in rows[0])
    return items, entries


def _asked(goal: str) -> tuple[list[Row], Row | None]:
    """The entries that a goal asks for, and the item that is new."""
    words = table("records")
    listed = [line for line in goal.split("\n") if line.startswith("- ")]
    story = next(story for story in words["situations"].values() if story["who"] in goal)
    plain = [template.replace("{who} ", "") for template in words["line"] if listed] or words["one"]
    templates = [_told(template, story) for template in plain]
    found = [read_first(templates, line) for line in listed or [goal]]
    entries = [{**row, "number": int(row["number"]), "count": int(row["count"])} for row in found]
    for template in words["new"]:
        new = read(_told(template, story), goal)
        if new is not None:
            return entries, {**new, "count": int(new["count"])}
    return entries, None


def _told(template: str, story: Row) -> str:
    """A template in which the story's own words are filled in."""
    for key in ("who", "items", "entries", "entry", "unit"):
        template = template.replace("{" + key + "}", story[key])
    return template


class Hasty(Steady):
    """Books in the order of the list, once, and does not look at what comes of it."""

    def __init__(self, brief: Brief) -> None:
        super().__init__(brief)
        self._acts: list[Act] | None = None

    def decide(self, seen: Seen) -> Act:
        if self._acts is None:
            self._acts = self._plan(seen.observation)
        return self._acts.pop(0) if self._acts else Act("finish", {"achieved": True})

    def _plan(self, observation: dict[str, Any]) -> list[Act]:
        items, _ = _tables(observation)
        asked, new = _asked(self.brief.goal)
        rows = [*items, new] if new else items
        acts: list[Act] = []
        for row in asked:
            item = _matching(row["name"], rows)
            acts.append(
                Act("add_entry", {"number": row["number"], "code": item["code"], "count": row["count"]})
            )
            if self.brief.level > 1:
                left = item["count"] - row["count"]
                acts.append(Act("set_count", {"code": item["code"], "count": left}))
        if new:
            acts.append(Act("add_item", dict(new)))
        return acts if self.brief.level == 1 else [Act("begin", {}), *acts, Act("commit", {})]


def _matching(name: str, rows: list[Row]) -> Row:
    """The item of that name, which may have been misread, and to which something may have been appended."""
    shown = [row["name"][: len(name) + 2] for row in rows]
    return rows[shown.index(nearest(name, shown))]


class Bookkeeper(Steady):
    """Gets rid of what is not its own, works out both tables, and does what is missing, items first."""

    def __init__(self, brief: Brief) -> None:
        super().__init__(brief)
        self._asked, self._new = _asked(brief.goal)
        self._counts: dict[str, int] | None = None  # what is to be taken from the counts before

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        items, entries = _tables(observation)
        transaction = observation["transaction"]
        if transaction == "failed" or (transaction == "open" and self._counts is None):
            return Act("rollback", {})
        if self._counts is None:
            self._settle(items)
        act = self._missing({row["code"]: row["count"] for row in items}, {row["number"] for row in entries})
        if self.brief.level == 1 or transaction == "open":
            return act or (Act("commit", {}) if transaction == "open" else Act("finish", {"achieved": True}))
        return Act("begin", {}) if act else Act("finish", {"achieved": True})

    def _settle(self, items: list[Row]) -> None:
        """The codes of what is asked for, and the counts that are to come about."""
        rows = [*items, self._new] if self._new else items
        self._counts = {}
        for row in self._asked:
            item = (
                self._new if self._new and row["name"] == self._new["name"] else _matching(row["name"], items)
            )
            row["code"] = item["code"]
            if self.brief.level > 1:
                self._counts[item["code"]] = item["count"] - row["count"]
        assert {row["code"] for row in self._asked} <= {row["code"] for row in rows}

    def _missing(self, counts: dict[str, int], known: set[int]) -> Act | None:
        assert self._counts is not None
        if self._new and self._new["code"] not in counts:
            return Act("add_item", {**self._new, "count": self._counts[self._new["code"]]})
        for row in self._asked:
            if row["number"] not in known:
                return Act("add_entry", {key: row[key] for key in ("number", "code", "count")})
        for code, count in self._counts.items():
            if counts[code] != count:
                return Act("set_count", {"code": code, "count": count})
        return None
